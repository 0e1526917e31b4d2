// The gather: inference, transpose and batching; shared parts of gathers and scatters.
#include "Create.h"
#include "Index.h"
#include "IndexRules.h"
#include "Inference.h"
#include "Shape.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Index.cpp.inc"

namespace dovetail {

void registerIndexOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Index.cpp.inc"
      >();
}

LogicalResult verifyIndices(std::optional<Location> loc, StringRef name, RankedTensorType x, RankedTensorType indices,
                            ArrayRef<int64_t> dims, ArrayRef<int64_t> window) {
  if (indices.getRank() == 0 || !canBeEqual(indices.getShape().back(), dims.size()))
    return emitOptionalError(loc, "'", name, "' op indices must end in a dimension of size ", dims.size(),
                             ", one index for each of dims, got: ", indices);
  if (failed(verifyDims(loc, name, "dims", dims, x.getRank(), false)))
    return failure();
  if (window.size() != dims.size())
    return emitOptionalError(loc, "'", name, "' op window must have one size for each of dims, got: ", window.size(),
                             " and ", dims.size());
  for (auto [dim, size] : llvm::zip_equal(dims, window)) {
    // A batch of no elements makes a dimension of size 0, of which no window is wholly within the operand.
    int64_t available = x.getDimSize(dim);
    if (size < 0 || (!ShapedType::isDynamic(available) && available != 0 && size > available))
      return emitOptionalError(loc, "'", name, "' op window must fit dimension ", dim, " of ", x, ", got: ", size);
  }
  return success();
}

Dims shiftedByOne(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
}

Value withBatchIndex(Emitter &e, Value indices) {
  Type element = getElementTypeOrSelf(indices);
  // The batch may have more elements than a narrow index counts.
  if (element.getIntOrFloatBitWidth() < 32)
    indices = e.convert(indices, e.builder.getI32Type());
  auto type = cast<RankedTensorType>(indices.getType());
  Dims column(type.getShape());
  column.back() = 1;
  SmallVector<Value> sizes = e.sizes(indices);
  if (type.isDynamicDim(type.getRank() - 1))
    sizes.pop_back();
  Value number = e.make<IotaOp>(withShape(type, column), 0, sizes);
  return e.make<ConcatenateOp>(ValueRange{number, indices}, type.getRank() - 1);
}

Value reshapedAt(Emitter &e, Value x, int64_t position, bool insert) {
  auto type = cast<RankedTensorType>(x.getType());
  Dims shape(type.getShape());
  if (insert)
    shape.insert(shape.begin() + position, 1);
  else
    shape.erase(shape.begin() + position);
  return e.reshape(x, withShape(type, shape), e.sizes(x));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  ArrayRef<int64_t> dims = adaptor.getDims(), window = adaptor.getWindow();
  if (failed(verifyIndices(loc, getOperationName(), x, indices, dims, window)))
    return failure();
  Dims shape(indices.getShape().drop_back());
  llvm::append_range(shape, x.getShape());
  for (auto [dim, size] : llvm::zip_equal(dims, window))
    shape[indices.getRank() - 1 + dim] = size;
  types.push_back(withShape(x, shape));
  return success();
}

OperandSets GatherOp::linearSets() { return {{0}}; }

LogicalResult GatherOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                  MutableArrayRef<Value> operandCotangents) {
  Value nothing = e.zeros(getX().getType(), e.sizes(getX()));
  operandCotangents[0] = e.make<ScatterAddOp>(nothing, operands[1], cotangents[0], getDims(), getWindow(), false);
  return success();
}

LogicalResult GatherOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                              SmallVectorImpl<int64_t> &resultDims) {
  Value x = operands[0], indices = operands[1];
  int64_t numIndexed = getIndices().getType().getRank() - 1;
  if (dims[1] == kUnbatched) {
    Dims shifted = llvm::map_to_vector(getDims(), [&](int64_t dim) { return dim + (dim >= dims[0] ? 1 : 0); });
    results.push_back(e.make<GatherOp>(x, indices, shifted, getWindow()));
    resultDims.push_back(numIndexed + dims[0]);
    return success();
  }
  indices = e.moveDim(indices, dims[1], 0);
  resultDims.push_back(0);
  if (dims[0] == kUnbatched) {
    results.push_back(e.make<GatherOp>(x, indices, getDims(), getWindow()));
    return success();
  }
  Dims withBatch = shiftedByOne(getDims()), window(getWindow());
  withBatch.insert(withBatch.begin(), 0);
  window.insert(window.begin(), 1);
  Value gathered = e.make<GatherOp>(e.moveDim(x, dims[0], 0), withBatchIndex(e, indices), withBatch, window);
  results.push_back(reshapedAt(e, gathered, 1 + numIndexed, false));
  return success();
}

/// The position, among the indices that are put together, of one that counts the elements of a dimension of this size.
static std::optional<unsigned> countedIndex(ConcatenateOp indices, unsigned position, int64_t size) {
  unsigned at = 0;
  for (auto [i, part] : llvm::enumerate(indices.getXs())) {
    auto type = cast<RankedTensorType>(part.getType());
    auto iota = part.getDefiningOp<IotaOp>();
    if (at == position && iota && type.hasStaticShape() && type.getShape().back() == 1 &&
        int64_t(iota.getDimension()) < type.getRank() - 1 && type.getDimSize(iota.getDimension()) <= size)
      return i;
    at += type.getShape().back();
  }
  return std::nullopt;
}

/// Windows of an array that is the same along a dimension are those of the array without it, if each has an index
/// within that dimension: the batch rule makes such gathers of arrays that were given a batch before.
static LogicalResult gatherFromOne(GatherOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
  auto indices = op.getIndices().getDefiningOp<ConcatenateOp>();
  if (!broadcast || !indices || indices.getXs().size() < 2 || !op.getType().hasStaticShape() ||
      !broadcast.getType().hasStaticShape() || int64_t(indices.getDimension()) != indices.getType().getRank() - 1 ||
      broadcast.getType().getRank() != cast<RankedTensorType>(broadcast.getX().getType()).getRank() + 1)
    return failure();
  for (auto [n, dim] : llvm::enumerate(op.getDims())) {
    if (op.getWindow()[n] != 1 || llvm::is_contained(broadcast.getDims(), dim))
      continue;
    Dims others = llvm::to_vector(llvm::seq<int64_t>(0, broadcast.getType().getRank()));
    others.erase(others.begin() + dim);
    auto shape = llvm::map_to_vector(others, [&](int64_t d) { return broadcast.getType().getDimSize(d); });
    auto counted = countedIndex(indices, n, broadcast.getType().getDimSize(dim));
    if (!counted || broadcast.getDims() != ArrayRef(others) ||
        cast<RankedTensorType>(broadcast.getX().getType()).getShape() != ArrayRef(shape))
      return failure();
    SmallVector<Value> rest(indices.getXs());
    rest.erase(rest.begin() + *counted);
    Emitter e(rewriter, op.getLoc());
    Value starts = rest.size() == 1 ? rest[0] : e.make<ConcatenateOp>(rest, indices.getDimension());
    Dims dims, window;
    for (auto [d, extent] : llvm::zip_equal(op.getDims(), op.getWindow()))
      if (d != dim) {
        dims.push_back(d - (d > dim ? 1 : 0));
        window.push_back(extent);
      }
    Value found = e.make<GatherOp>(broadcast.getX(), starts, dims, window);
    rewriter.replaceOp(op, e.reshape(found, op.getType(), {}));
    return success();
  }
  return failure();
}

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(gatherFromOne); }

FactorMap GatherOp::factorMap() { return gatherFactorMap(getX(), getIndices(), getDims(), getWindow()); }

Value GatherOp::emitPart(Emitter &e, ValueRange operands, ArrayRef<DividedFactor> factors, RankedTensorType) {
  IndicesOfPart part = indicesOfPart(e, *this, operands, getDims(), getWindow(), factorMap(), factors);
  return e.make<GatherOp>(operands[0], part.indices, getDims(), part.window);
}

} // namespace dovetail
