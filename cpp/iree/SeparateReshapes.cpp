// Inserts barriers between reshapes and what is computed from slices.
#include "Ops.h"
#include "Passes.h"
#include "Quirks.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATERESHAPESPASS
#include "cpp/iree/Passes.h.inc"

/// Copies of arrays with fewer elements take less time than another dispatch.
constexpr int64_t kFewElements = 1 << 14;

static bool isLarge(Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  return !type.hasStaticShape() || type.getNumElements() >= kFewElements;
}

/// Whether an array is a slice that takes time to copy, and not the whole array.
static bool isSlice(Value array) {
  auto slice = array.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !isLarge(array))
    return false;
  RankedTensorType from = slice.getSourceType(), to = slice.getType();
  return !from.hasStaticShape() || !to.hasStaticShape() || from.getNumElements() != to.getNumElements();
}

/// Whether an op reads a slice, or one of `ofSlices`, and its loops would be reshaped with its result.
static bool readsSlice(Operation *op, const DenseSet<Value> &ofSlices) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() == 0 &&
         llvm::any_of(structured.getDpsInputs(),
                      [&](Value input) { return isSlice(input) || ofSlices.contains(input); });
}

static bool separateReshapes(Block &block) {
  DenseSet<Value> ofSlices;
  DenseMap<Value, Value> barriers;
  for (Operation &op : block) {
    if (readsSlice(&op, ofSlices))
      ofSlices.insert_range(op.getResults());
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      continue;
    Value source = op.getOperand(0);
    if (!ofSlices.contains(source) || !isLarge(source))
      continue;
    Value &barrier = barriers[source];
    if (!barrier) {
      ImplicitLocOpBuilder b(source.getLoc(), op.getContext());
      b.setInsertionPointAfterValue(source);
      barrier = reshapeBarrier(b, source);
    }
    op.setOperand(0, barrier);
  }
  return !barriers.empty();
}

/// Hides slices of one element from the new dimensions of the array that they are parts of.
static bool separateElements(tensor::ConcatOp concat) {
  if (llvm::none_of(concat->getUsers(), llvm::IsaPred<tensor::ExpandShapeOp>))
    return false;
  bool isAny = false;
  for (OpOperand &part : concat->getOpOperands()) {
    ImplicitLocOpBuilder b(concat.getLoc(), concat);
    Value hidden = expandable(b, part.get());
    isAny |= hidden != part.get();
    part.set(hidden);
  }
  return isAny;
}

namespace {
struct SeparateReshapesPass : impl::SeparateReshapesPassBase<SeparateReshapesPass> {
  void runOnOperation() override {
    bool isAny = false;
    getOperation().walk([&](Block *block) { isAny |= separateReshapes(*block); });
    getOperation().walk([&](tensor::ConcatOp concat) { isAny |= separateElements(concat); });
    if (!isAny)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
