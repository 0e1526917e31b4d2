// Algebra of gathers and scatters: of an array that repeats one element, and of sums.
#include "IndexFolds.h"
#include "Create.h"
#include "Folding.h"
#include "Index.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace dovetail {

static SmallVector<int64_t> firstDims(int64_t count) { return llvm::to_vector(llvm::seq<int64_t>(0, count)); }

/// What each vector of indices has at position `n`, with a last dimension of size 1.
static Value componentOf(Emitter &e, Value indices, int64_t n) {
  auto type = cast<RankedTensorType>(indices.getType());
  int64_t last = type.getRank() - 1, at = 0;
  auto together = indices.getDefiningOp<ConcatenateOp>();
  if (together && int64_t(together.getDimension()) == last)
    for (Value part : together.getXs()) {
      int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(last);
      if (at == n && size == 1)
        return part;
      at += size;
    }
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1), shape(type.getShape());
  starts[last] = n;
  shape[last] = 1;
  return e.make<SliceOp>(withShape(type, shape), indices, starts, strides, ValueRange());
}

/// Whether windows are within an array along the dimensions at `positions` of `dims`; null if all of them are.
static Value areInside(Emitter &e, Value indices, RankedTensorType array, ArrayRef<int64_t> dims,
                       ArrayRef<int64_t> window, ArrayRef<int64_t> positions) {
  auto type = cast<RankedTensorType>(indices.getType());
  auto element = cast<IntegerType>(type.getElementType());
  unsigned bits = element.getWidth() - (element.isUnsigned() ? 0 : 1);
  Value inside;
  auto require = [&](CompareDirection direction, Value start, double bound) {
    Value holds = e.make<CompareOp>(direction, start, e.full(start, bound));
    inside = inside ? e.both(inside, holds) : holds;
  };
  for (int64_t n : positions) {
    Value start = e.reshape(componentOf(e, indices, n), withShape(type, type.getShape().drop_back()), {});
    if (!element.isUnsigned())
      require(CompareDirection::GE, start, 0);
    // Every number of a narrow type may be a start.
    if (int64_t last = array.getDimSize(dims[n]) - window[n]; bits >= 63 || last < (int64_t(1) << bits) - 1)
      require(CompareDirection::LE, start, last);
  }
  return inside;
}

/// `x` for windows that are inside, zeros for the others; the dimensions of indices are the first ones of `x`.
static Value whereInside(Emitter &e, Value inside, Value x) {
  if (!inside)
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  int64_t numIndexed = cast<RankedTensorType>(inside.getType()).getRank();
  inside = e.broadcast(inside, firstDims(numIndexed), withElement(type, e.builder.getI1Type()), {});
  Attribute value;
  if (getElementTypeOrSelf(x).isInteger(1) && matchPattern(x, m_Constant(&value)) && isSplat(value, 1))
    return inside;
  return e.select(inside, x, zero);
}

static bool isZeroEverywhere(Value x) {
  Attribute value;
  return matchPattern(x, m_Constant(&value)) && isSplat(value, 0);
}

/// Windows of an array that repeats one element need not be read.
static LogicalResult gatherOfOne(GatherOp op, PatternRewriter &rewriter) {
  auto array = op.getX().getType();
  Attribute element;
  if (!op.getType().hasStaticShape() || !array.hasStaticShape() || !matchPattern(op.getX(), m_Constant(&element)) ||
      !isa<SplatElementsAttr>(element))
    return failure();
  Emitter e(rewriter, op.getLoc());
  auto all = cast<DenseElementsAttr>(cast<Attribute>(resplat(element, op.getType())));
  Value inside = areInside(e, op.getIndices(), array, op.getDims(), op.getWindow(), firstDims(op.getDims().size()));
  rewriter.replaceOp(op, whereInside(e, inside, e.make<ConstantOp>(op.getType(), all)));
  return success();
}

/// The scatter-add onto zeros that `x` is, but for pointwise ops that are linear in their only operand.
static ScatterAddOp scatteredBelow(Value x, SmallVectorImpl<Operation *> &between) {
  while (Operation *op = x.getDefiningOp()) {
    if (auto scatter = dyn_cast<ScatterAddOp>(op))
      return isZeroEverywhere(scatter.getX()) ? scatter : ScatterAddOp();
    auto pointwise = dyn_cast<PointwiseOpInterface>(op);
    if (!pointwise || op->getNumOperands() != 1 || pointwise.linearSets().empty())
      return {};
    between.push_back(op);
    x = op->getOperand(0);
  }
  return {};
}

/// A sum of what is scattered onto zeros is that of the updates that are inside: the array need not be made.
static LogicalResult sumOfScattered(ReduceSumOp sum, PatternRewriter &rewriter) {
  SmallVector<Operation *> between;
  ScatterAddOp scatter = scatteredBelow(sum.getX(), between);
  if (!scatter || !scatter.getType().hasStaticShape() || !scatter.getUpdates().getType().hasStaticShape() ||
      !scatter.getIndices().getType().hasStaticShape() ||
      scatter.getUpdates().getType().getNumElements() > scatter.getType().getNumElements())
    return failure();
  Emitter e(rewriter, sum.getLoc());
  SmallVector<int64_t> removed, dims, window;
  SmallVector<Value> components;
  for (auto [n, dim, size] : llvm::enumerate(scatter.getDims(), scatter.getWindow())) {
    if (llvm::is_contained(sum.getDims(), dim)) {
      removed.push_back(n);
      continue;
    }
    dims.push_back(dim - llvm::count_if(sum.getDims(), [&](int64_t other) { return other < dim; }));
    window.push_back(size);
    components.push_back(componentOf(e, scatter.getIndices(), n));
  }
  Value inside = areInside(e, scatter.getIndices(), scatter.getType(), scatter.getDims(), scatter.getWindow(), removed);
  Value updates = whereInside(e, inside, scatter.getUpdates());
  for (Operation *op : llvm::reverse(between)) {
    Type result = withElement(cast<RankedTensorType>(updates.getType()), getElementTypeOrSelf(op->getResult(0)));
    OperationState state(op->getLoc(), op->getName(), updates, result, op->getAttrs());
    updates = rewriter.create(state)->getResult(0);
  }
  int64_t numIndexed = scatter.getIndices().getType().getRank() - 1;
  SmallVector<int64_t> summed =
      llvm::map_to_vector(sum.getDims(), [&](int64_t dim) -> int64_t { return numIndexed + dim; });
  if (dims.empty())
    llvm::append_range(summed, firstDims(numIndexed));
  llvm::sort(summed);
  updates = e.reduceSum(updates, summed);
  if (!dims.empty()) {
    int64_t last = numIndexed;
    Value indices = components.size() == 1 ? components[0] : e.make<ConcatenateOp>(components, last);
    updates = e.make<ScatterAddOp>(e.zeros(sum.getType(), {}), indices, updates, dims, window, /*unique=*/false);
  }
  rewriter.replaceOp(sum, updates);
  return success();
}

void addIndexFolds(RewritePatternSet &patterns) { patterns.add(gatherOfOne).add(sumOfScattered); }

} // namespace dovetail
