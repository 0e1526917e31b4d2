// The one window of an array at a known place as a slice.
#include "Algorithms.h"
#include "dialects/Index.h"
#include "dialects/Shape.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Where the window begins in each dimension; nothing if there are several, or if that is not known.
std::optional<SmallVector<int64_t>> startsOf(GatherOp op) {
  RankedTensorType type = op.getX().getType();
  DenseElementsAttr elements;
  if (op.getIndices().getType().getRank() != 1 || !type.hasStaticShape() ||
      !matchPattern(op.getIndices(), m_Constant(&elements)))
    return std::nullopt;
  SmallVector<int64_t> starts(type.getRank(), 0);
  bool isUnsigned = cast<IntegerType>(elements.getElementType()).isUnsigned();
  for (auto [dim, window, start] : llvm::zip_equal(op.getDims(), op.getWindow(), elements.getValues<APInt>())) {
    starts[dim] = isUnsigned ? start.getZExtValue() : start.getSExtValue();
    // Beyond the array are zeros.
    if (starts[dim] < 0 || starts[dim] > type.getDimSize(dim) - window)
      return std::nullopt;
  }
  return starts;
}

struct KnownWindow : DecomposeOpInterface::ExternalModel<KnownWindow, GatherOp> {
  static unsigned numBatchDims(Operation *) { return 0; }

  static bool isDecomposed(Operation *op) { return startsOf(cast<GatherOp>(op)).has_value(); }

  static LogicalResult decompose(Operation *op, Emitter &e, ValueRange operands, SmallVectorImpl<Value> &results) {
    auto gather = cast<GatherOp>(op);
    Value part = operands[0];
    if (gather.getType() != part.getType()) {
      SmallVector<int64_t> starts = *startsOf(gather), strides(starts.size(), 1);
      part = e.make<SliceOp>(gather.getType(), part, starts, strides, ValueRange());
    }
    results.push_back(part);
    return success();
  }
};

} // namespace

void attachKnownWindowDecomposition(MLIRContext *context) { GatherOp::attachInterface<KnownWindow>(*context); }

} // namespace dovetail
