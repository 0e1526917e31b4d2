// Makes types that cannot be inferred an error of the program, instead of the end of the process.
#include "Inference.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;

LogicalResult dovetail::verifyArrays(std::optional<Location> loc, StringRef name, ValueRange operands) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !(type.getElementType().isIntOrFloat() || isa<ComplexType>(type.getElementType())))
      return emitOptionalError(loc, "'", name, "' op operand #", i,
                               " must be an array of numbers or bools, got: ", operand.getType());
  }
  return success();
}

static thread_local unsigned failures = 0;

LogicalResult dovetail::checked(llvm::function_ref<LogicalResult()> rule) {
  unsigned before = failures;
  LogicalResult result = rule();
  return success(succeeded(result) && failures == before);
}

void mlir::detail::reportInferenceFailure(OperationState &state) {
  ++failures;
  emitError(state.location) << "a rule applies '" << state.name
                            << "' to operands that it does not take, got: " << ValueRange(state.operands).getTypes();
  auto *tensor = llvm::find_if(state.operands, [](Value x) { return isa<RankedTensorType>(x.getType()); });
  Type type = tensor == state.operands.end() ? RankedTensorType::get({}, Float32Type::get(state.getContext()))
                                             : tensor->getType();
  auto known = state.name.getRegisteredInfo();
  if (known && known->hasTrait<OpTrait::OneResult>()) {
    state.types.push_back(type);
    // An op that is not registered keeps the first of the properties, an attribute; here it has none.
    state.name = OperationName("dovetail.invalid", state.getContext());
    if (OpaqueProperties properties = state.getRawProperties())
      *properties.as<void **>() = nullptr;
    return;
  }
  // Builders of several results expect their own op. None has more results.
  constexpr unsigned kMostResults = 4;
  state.types.append(kMostResults, type);
}
