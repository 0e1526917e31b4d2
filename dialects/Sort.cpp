// Sorting: inference and rules.
#include "Sort.h"
#include "Create.h"
#include "Index.h"
#include "Inference.h"
#include "Shape.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Sort.cpp.inc"

namespace dovetail {

void registerSortOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Sort.cpp.inc"
      >();
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  ValueRange xs = adaptor.getXs();
  int64_t numKeys = adaptor.getNumKeys(), count = xs.size();
  if (numKeys < 1 || numKeys > count)
    return emitOptionalError(loc, "'dovetail.sort' op number of keys must be at least 1 and at most that of operands, ",
                             count, ", got: ", numKeys);
  auto first = cast<RankedTensorType>(xs[0].getType());
  if (failed(verifyDims(loc, getOperationName(), "dimension", adaptor.getDimension(), first.getRank(), false)))
    return failure();
  int64_t size = first.getDimSize(adaptor.getDimension()), kept = adaptor.getFirst().value_or(size);
  if (adaptor.getFirst() && (kept < 0 || (!ShapedType::isDynamic(size) && kept > size)))
    return emitOptionalError(loc, "'dovetail.sort' op number of first elements must be at least 0 and at most ", size,
                             ", the size of the dimension, got: ", kept);
  for (Value x : xs) {
    if (cast<RankedTensorType>(x.getType()).getShape() != first.getShape())
      return emitOptionalError(loc, "'dovetail.sort' op operands must have one shape, got: ", first, " and ",
                               x.getType());
    SmallVector<int64_t> shape(first.getShape());
    shape[adaptor.getDimension()] = kept;
    types.push_back(withShape(x.getType(), shape));
  }
  return success();
}

/// The operands, sorted as `like` sorts its own, along a dimension.
static Operation::result_range sorted(Emitter &e, SortOp like, ValueRange xs, int64_t dimension) {
  return SortOp::create(e.builder, e.loc, xs, dimension, like.getNumKeys(), like.getFirstAttr(), like.getDescending(),
                        like.getCarriedAttr())
      ->getResults();
}

/// The elements of `x`, which is not empty, at the indices `places` along `dimension`.
static Value alongDimension(Emitter &e, Value x, Value places, int64_t dimension) {
  auto type = cast<RankedTensorType>(places.getType());
  int64_t rank = type.getRank();
  SmallVector<Value> sizes = e.sizes(places), coordinates;
  RankedTensorType column = withDim(type, rank, 1);
  for (int64_t d = 0; d < rank; ++d)
    coordinates.push_back(d == dimension ? e.reshape(places, column, sizes) : e.make<IotaOp>(column, d, sizes));
  Value indices = e.make<ConcatenateOp>(coordinates, rank);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value windows = e.make<GatherOp>(x, indices, all, SmallVector<int64_t>(rank, 1));
  return e.reshape(windows, withElement(type, getElementTypeOrSelf(x)), sizes);
}

/// The tangents are permuted like an additional operand, the indices of elements.
LogicalResult SortOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  int64_t dimension = getDimension();
  if (llvm::is_contained(cast<RankedTensorType>(primals[0].getType()).getShape(), 0)) {
    llvm::append_range(results, sorted(e, *this, primals, dimension));
    for (auto [tangent, result] : llvm::zip_equal(tangents, results))
      resultTangents.push_back(tangent ? e.zerosLike(result) : zero);
    return success();
  }
  RankedTensorType places = withElement(primals[0].getType(), IntegerType::get(getContext(), 32));
  SmallVector<Value> operands(primals);
  operands.push_back(e.make<IotaOp>(places, dimension, e.sizes(primals[0])));
  auto all = sorted(e, *this, operands, dimension);
  llvm::append_range(results, all.drop_back());
  for (Value tangent : tangents)
    resultTangents.push_back(tangent ? alongDimension(e, tangent, all.back(), dimension) : zero);
  return success();
}

LogicalResult SortOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> batched = e.aligned(operands, dims, position);
  int64_t dimension = getDimension();
  llvm::append_range(results, sorted(e, *this, batched, dimension + (dimension >= position ? 1 : 0)));
  resultDims.append(operands.size(), position);
  return success();
}

/// The number of elements along a dimension that slices of an array read, which all begin at the first one.
static std::optional<int64_t> readAtBegin(Value sorted, int64_t dimension) {
  int64_t most = 0;
  for (Operation *user : sorted.getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || slice.getStarts()[dimension] != 0 || slice.getStrides()[dimension] != 1 ||
        slice.getType().isDynamicDim(dimension))
      return std::nullopt;
    most = std::max(most, slice.getType().getDimSize(dimension));
  }
  return most;
}

/// Sorts only as many elements as are read.
static LogicalResult sortFirst(SortOp op, PatternRewriter &rewriter) {
  int64_t dimension = op.getDimension(), most = 0;
  for (Value sorted : op.getResults()) {
    std::optional<int64_t> read = readAtBegin(sorted, dimension);
    if (!read)
      return failure();
    most = std::max(most, *read);
  }
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (type.isDynamicDim(dimension) || most >= type.getDimSize(dimension))
    return failure();
  auto first = SortOp::create(rewriter, op.getLoc(), op.getXs(), dimension, op.getNumKeys(),
                              rewriter.getI64IntegerAttr(most), op.getDescending(), op.getCarriedAttr());
  for (auto [sorted, part] : llvm::zip_equal(op.getResults(), first.getResults()))
    for (Operation *user : llvm::make_early_inc_range(sorted.getUsers())) {
      auto slice = cast<SliceOp>(user);
      rewriter.modifyOpInPlace(slice, [&] { slice.getXMutable().assign(part); });
    }
  rewriter.eraseOp(op);
  return success();
}

void SortOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(sortFirst); }

FactorMap SortOp::factorMap() {
  FactorMap map = pointwiseFactorMap(*this);
  for (auto *tensors : {&map.operands, &map.results})
    for (auto &factors : *tensors)
      factors[getDimension()] = FactorMap::kNone;
  // If not all elements are kept, they are few. Those of a vector stay whole, as in JAX.
  bool isWhole = getXs()[0].getType() == getResult(0).getType();
  if (getCarried().value_or(isWhole) && cast<RankedTensorType>(getXs()[0].getType()).getRank() > 1)
    map.carry(getDimension());
  return map;
}

Value SortOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) {
  if (std::optional<uint64_t> first = getFirst(); first && dimension == static_cast<int64_t>(getDimension()))
    return e.make<arith::ConstantIndexOp>(*first);
  return e.size(getXs()[0], dimension);
}

} // namespace dovetail
