// Makes generated arrays that are overwritten depend on an opaque number, so that IREE copies them.
#include "Aliases.h"
#include "Constants.h"
#include "Liveness.h"
#include "Opaque.h"
#include "Passes.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATEGENERATEDPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// IREE computes no larger arrays ahead.
constexpr int64_t kLargestConstantBits = int64_t(8) << 20;

/// Whether IREE computes a generated array ahead if it does so at all: a small one of known sizes, but not of complex
/// numbers.
bool isConstant(Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  Type element = type.getElementType();
  return type.hasStaticShape() && element.isIntOrFloat() &&
         type.getNumElements() <= kLargestConstantBits / std::max<int64_t>(element.getIntOrFloatBitWidth(), 8);
}

/// The arrays of a function that are overwritten.
llvm::SetVector<Value> overwritten(func::FuncOp function) {
  llvm::SetVector<Value> written = writtenArrays(function);
  // IREE turns the parts into the array that the others are inserted into.
  function.walk([&](tensor::ConcatOp op) { written.insert_range(op.getInputs()); });
  return written;
}

/// All results of the function's ops on arrays, but for those in the code of dispatches.
llvm::SetVector<Value> computed(func::FuncOp function) {
  llvm::SetVector<Value> arrays;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getStringRef() == "flow.dispatch.workgroups")
      return WalkResult::skip();
    if (isa<linalg::LinalgOp>(op))
      arrays.insert_range(op->getResults());
    return WalkResult::advance();
  });
  return arrays;
}

/// Makes those of some arrays that are generated, and are no constants, depend on an opaque number, and returns whether
/// there are any. `isAhead` is whether IREE computes generated arrays ahead.
bool separateGenerated(func::FuncOp function, ArrayRef<Value> arrays, bool isAhead) {
  Value one;
  for (Value array : arrays) {
    Operation *op = array.getDefiningOp();
    if (!op || !isa<linalg::LinalgOp>(op) || isa<linalg::FillOp>(op) || !readsNoArray(op) ||
        (isAhead && isConstant(array)))
      continue;
    if (!one) {
      auto start = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.front());
      one = opaqueOne(start);
    }
    auto uses = llvm::map_to_vector(array.getUses(), [](OpOperand &use) { return &use; });
    ImplicitLocOpBuilder b(array.getLoc(), function.getContext());
    b.setInsertionPointAfter(op);
    Value separate = dependent(b, array, one);
    for (OpOperand *use : uses)
      use->set(separate);
  }
  return one != nullptr;
}

/// Whether a program computes arrays of none.
bool generatesAny(ModuleOp program) {
  return llvm::any_of(program.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return llvm::any_of(computed(function), [](Value array) {
      Operation *op = array.getDefiningOp();
      return !isa<linalg::FillOp>(op) && readsNoArray(op);
    });
  });
}

struct SeparateGeneratedPass : impl::SeparateGeneratedPassBase<SeparateGeneratedPass> {
  using SeparateGeneratedPassBase::SeparateGeneratedPassBase;

  void runOnOperation() override {
    // On GPUs, an iota is a table, and a dispatch that made it would be repeated before each of its readers.
    bool isAhead =
        computesMuchOfConstants(getOperation()) || (Target(getOperation()).isGpu() && generatesAny(getOperation()));
    bool isAny = isAhead;
    if (isAhead)
      getOperation()->setAttr(kComputesAhead, UnitAttr::get(&getContext()));
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic())
        isAny |= separateGenerated(function, (all ? computed(function) : overwritten(function)).getArrayRef(),
                                   isAhead && !all);
    if (!isAny)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace dovetail
