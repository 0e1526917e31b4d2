// Calls of the library of collectives: one executable, which takes its task as an array of numbers.
#include "CollectiveCall.h"
#include "LibraryCall.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

using collectives::Element;

constexpr StringLiteral kExecutable = "collective";

//===- Descriptors ---------------------------------------------------------------===//

static Element elementOf(Type type) {
  using E = Element;
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? E::Complex64 : E::Complex128;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return E::Bool;
    E least = integer.isUnsigned() ? E::UInt2 : E::Int2;
    return E(int64_t(least) + llvm::Log2_32(integer.getWidth()) - 1);
  }
  return llvm::TypeSwitch<Type, E>(type)
      .Case<Float4E2M1FNType>([](auto) { return E::Float4E2M1FN; })
      .Case<Float6E2M3FNType>([](auto) { return E::Float6E2M3FN; })
      .Case<Float6E3M2FNType>([](auto) { return E::Float6E3M2FN; })
      .Case<Float8E3M4Type>([](auto) { return E::Float8E3M4; })
      .Case<Float8E4M3Type>([](auto) { return E::Float8E4M3; })
      .Case<Float8E4M3FNType>([](auto) { return E::Float8E4M3FN; })
      .Case<Float8E4M3FNUZType>([](auto) { return E::Float8E4M3FNUZ; })
      .Case<Float8E4M3B11FNUZType>([](auto) { return E::Float8E4M3B11FNUZ; })
      .Case<Float8E5M2Type>([](auto) { return E::Float8E5M2; })
      .Case<Float8E5M2FNUZType>([](auto) { return E::Float8E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](auto) { return E::Float8E8M0FNU; })
      .Case<BFloat16Type>([](auto) { return E::BFloat16; })
      .Case<Float16Type>([](auto) { return E::Float16; })
      .Case<Float32Type>([](auto) { return E::Float32; })
      .Case<Float64Type>([](auto) { return E::Float64; });
}

/// The `Descriptor`, followed by the lists and the text. Its first number is the site.
static SmallVector<int64_t> descriptorOf(const CollectiveCall &call) {
  SmallVector<int64_t> numbers = {0,
                                  int64_t(call.kind),
                                  int64_t(elementOf(call.element)),
                                  call.participants,
                                  int64_t(call.axes.size()),
                                  int64_t(call.pairs.size())};
  for (auto axis : call.axes)
    numbers.append({axis.size, axis.stride});
  for (auto pair : call.pairs)
    numbers.append({pair.source, pair.target});
  size_t begin = numbers.size(), bytes = call.text.size() + 1;
  numbers.resize(begin + llvm::divideCeil(bytes, sizeof(int64_t)));
  std::memcpy(&numbers[begin], call.text.c_str(), bytes);
  return numbers;
}

Value callCollective(ImplicitLocOpBuilder &b, const CollectiveCall &call, Value x, Value participant,
                     RankedTensorType result, ValueRange sizes) {
  Executable executable;
  SmallVector<int64_t> numbers = descriptorOf(call);
  auto type = RankedTensorType::get(numbers.size(), b.getI64Type());
  Value descriptor = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(numbers)));
  // The library knows the sizes of operand and result.
  LibraryArray arrays[] = {{executable.addInput(descriptor, {}), b.getI64Type()},
                           {executable.addInput(participant, {}), b.getI32Type()},
                           {executable.addInput(x, dynamicSizes(b, x)), b.getI8Type()},
                           {executable.addOutput(result, sizes), b.getI8Type()}};
  for (OpFoldResult size : {call.outer, call.middle, call.inner})
    executable.addConstant(getValueOrCreateConstantIndexOp(b, b.getLoc(), size));
  return callLibrary(b, executable, {collectives::kImport, kExecutable, 3, {}, {}, /*dependsOnArgument=*/true}, arrays)
      .front();
}

//===- The calls of a program ------------------------------------------------------===//

void numberCollectiveCalls(ModuleOp program) { numberCalls(program, kExecutable); }

SmallVector<Location> collectiveLocations(ModuleOp program) { return callLocations(program, kExecutable); }

} // namespace dovetail
