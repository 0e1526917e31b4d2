// Collectives: inference and rules.
#include "Collective.h"
#include "Create.h"
#include "Index.h"
#include "IndexRules.h"
#include "Inference.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"
#include <map>

using namespace mlir;

namespace dovetail {

//===- Verification -------------------------------------------------------------===//

static LogicalResult verifyAxes(std::optional<Location> loc, StringRef name, ArrayAttr axes) {
  if (axes.empty())
    return emitOptionalError(loc, "'", name, "' op axes must name at least one axis, got: none");
  SmallPtrSet<Attribute, 4> seen;
  for (Attribute axis : axes)
    if (!seen.insert(axis).second)
      return emitOptionalError(loc, "'", name, "' op axes must be distinct, got: ", axis, " twice");
  return success();
}

/// The product of sizes; kDynamic if one is.
static int64_t productOf(ArrayRef<int64_t> sizes) {
  if (ShapedType::isDynamicShape(sizes))
    return ShapedType::kDynamic;
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

static LogicalResult verifyAxes(std::optional<Location> loc, StringRef name, ArrayAttr axes, ArrayRef<int64_t> sizes) {
  if (failed(verifyAxes(loc, name, axes)))
    return failure();
  if (sizes.size() != axes.size())
    return emitOptionalError(loc, "'", name, "' op must have one of sizes for each of ", axes.size(),
                             " axes, got: ", sizes.size());
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 0)
      return emitOptionalError(loc, "'", name, "' op sizes must be at least 0, got: ", size);
    if (size > most || (product *= size) > most)
      return emitOptionalError(loc, "'", name, "' op axes must have at most ", most,
                               " elements together, got: ", llvm::ArrayRef(sizes));
  }
  return success();
}

/// Checks that the size of dimension `what` of `type` is the product of the axes.
static LogicalResult verifyDivided(std::optional<Location> loc, StringRef name, StringRef what, int64_t dimension,
                                   RankedTensorType type, ArrayRef<int64_t> sizes) {
  if (failed(verifyDims(loc, name, what, dimension, type.getRank(), false)))
    return failure();
  if (type.getDimSize(dimension) != productOf(sizes))
    return emitOptionalError(loc, "'", name, "' op dimension ", dimension, " must be as large as the axes, ",
                             productOf(sizes), ", got: ", type);
  return success();
}

/// Checks that the numbers are distinct, and are those of elements of the axes.
static LogicalResult verifyElements(std::optional<Location> loc, StringRef name, StringRef what,
                                    ArrayRef<int64_t> numbers, ArrayRef<int64_t> sizes) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t number : numbers) {
    if (ShapedType::isDynamicShape(sizes))
      return emitOptionalError(loc, "'", name, "' op ", what, " must be of axes of known sizes, got: ?");
    if (number < 0 || number >= productOf(sizes))
      return emitOptionalError(loc, "'", name, "' op ", what,
                               " must be at least 0 and less than the size of the axes, ", productOf(sizes),
                               ", got: ", number);
    if (!seen.insert(number).second)
      return emitOptionalError(loc, "'", name, "' op ", what, " must be distinct, got: ", number, " twice");
  }
  return success();
}

static RankedTensorType withoutDim(RankedTensorType type, int64_t dimension) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dimension);
  return withShape(type, shape);
}

//===- Batching ---------------------------------------------------------------------===//

namespace {

/// The axes of an op one of which is that of the batch: for its elements in row-major order, `before` counts the axes
/// before it, `after` those after it.
struct OwnAxis {
  ArrayAttr rest;
  SmallVector<int64_t> restSizes;
  int64_t before = 1, own = 1, after = 1;
};

} // namespace

static bool isOverBatch(Emitter &e, ArrayAttr axes) {
  return e.batchSize.axis && llvm::is_contained(axes, e.batchSize.axis);
}

static ArrayAttr otherAxes(Emitter &e, ArrayAttr axes) {
  auto rest = llvm::to_vector(llvm::make_filter_range(axes, [&](Attribute axis) { return axis != e.batchSize.axis; }));
  return e.builder.getArrayAttr(rest);
}

static FailureOr<OwnAxis> ownAxis(Emitter &e, ArrayAttr axes, ArrayRef<int64_t> sizes) {
  OwnAxis result;
  result.rest = otherAxes(e, axes);
  unsigned position = llvm::find(axes, e.batchSize.axis) - axes.begin();
  result.before = productOf(sizes.take_front(position));
  result.own = sizes[position];
  result.after = productOf(sizes.drop_front(position + 1));
  result.restSizes.assign(sizes.begin(), sizes.end());
  result.restSizes.erase(result.restSizes.begin() + position);
  if (ShapedType::isDynamicShape(sizes) && sizes.size() > 1)
    return emitError(e.loc) << "an axis of size ? must be the only one, got: " << axes;
  if (result.own == e.batchSize)
    return result;
  InFlightDiagnostic error = emitError(e.loc) << "axis " << e.batchSize.axis << " must have the size that was taken, "
                                              << result.own << ", got: ";
  return ShapedType::isDynamic(e.batchSize) ? error << "?" : error << e.batchSize.size;
}

/// `x` with `count` dimensions at `position`, whose sizes are static, in another shape.
static Value reshapedPart(Emitter &e, Value x, int64_t position, int64_t count, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape().take_front(position));
  llvm::append_range(shape, sizes);
  llvm::append_range(shape, type.getShape().drop_front(position + count));
  return e.reshape(x, withShape(type, shape), e.sizes(x));
}

/// The sum over the elements of the batch.
static Value sumOverBatch(Emitter &e, Value x, int64_t dim) {
  if (dim == kUnbatched && !ShapedType::isDynamic(e.batchSize))
    return e.scale(x, static_cast<double>(e.batchSize.size));
  return dim == kUnbatched ? e.reduceSum(e.batchAt(x, dim, 0), 0) : e.reduceSum(x, dim);
}

static Value reducedOverBatch(Emitter &e, AllReduceSumOp, Value x, int64_t dim) { return sumOverBatch(e, x, dim); }
static Value reducedOverBatch(Emitter &e, AllReduceMaxOp, Value x, int64_t dim) {
  return dim == kUnbatched ? x : e.make<ReduceMaxOp>(x, ArrayRef(dim));
}
static Value reducedOverBatch(Emitter &e, AllReduceMinOp, Value x, int64_t dim) {
  return dim == kUnbatched ? x : e.make<ReduceMinOp>(x, ArrayRef(dim));
}

template <typename Op>
static LogicalResult batchAllReduce(Emitter &e, Op op, Value x, int64_t dim, SmallVectorImpl<Value> &results,
                                    SmallVectorImpl<int64_t> &resultDims) {
  ArrayAttr axes = op.getAxes();
  bool isOver = isOverBatch(e, axes);
  if (isOver) {
    x = reducedOverBatch(e, op, x, dim);
    axes = otherAxes(e, axes);
  }
  results.push_back(axes.empty() ? x : e.make<Op>(x, axes, op.getInvariant()));
  resultDims.push_back(isOver ? kUnbatched : dim);
  return success();
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Collective.cpp.inc"

namespace dovetail {

void registerCollectiveOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Collective.cpp.inc"
      >();
}

//===- Sums and extremes ---------------------------------------------------------------===//

OperandSets AllReduceSumOp::linearSets() { return {{0}}; }

// Each element's operand contributes to all results, and the sum of their cotangents is its own.
LogicalResult AllReduceSumOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                        MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] =
      getInvariant() ? e.make<VaryOp>(cotangents[0], getAxes()) : e.make<AllReduceSumOp>(cotangents[0], getAxes());
  return success();
}

/// The tangent of an extreme; ties share it equally.
template <typename Op>
static LogicalResult jvpOfExtreme(Emitter &e, Op op, Value x, Value tangent, SmallVectorImpl<Value> &results,
                                  SmallVectorImpl<Value> &resultTangents) {
  bool invariant = op.getInvariant();
  Value ans = e.make<Op>(x, op.getAxes(), invariant);
  Value own = invariant ? e.make<VaryOp>(ans, op.getAxes()) : ans, isExtreme = e.equal(x, own);
  Value count = e.make<AllReduceSumOp>(e.select(isExtreme, e.full(x, 1), zero), op.getAxes(), invariant);
  Value sum = e.make<AllReduceSumOp>(e.select(isExtreme, tangent, zero), op.getAxes(), invariant);
  results.push_back(ans);
  resultTangents.push_back(e.div(sum, count));
  return success();
}

LogicalResult AllReduceMaxOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(e, *this, primals[0], tangents[0], results, resultTangents);
}

LogicalResult AllReduceMinOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(e, *this, primals[0], tangents[0], results, resultTangents);
}

//===- all_gather ------------------------------------------------------------------------===//

LogicalResult AllGatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t dimension = adaptor.getDimension();
  if (failed(verifyAxes(loc, getOperationName(), adaptor.getAxes(), adaptor.getSizes())) ||
      failed(verifyDims(loc, getOperationName(), "dimension", dimension, type.getRank() + 1, false)))
    return failure();
  types.push_back(withDim(type, dimension, productOf(adaptor.getSizes())));
  return success();
}

LogicalResult AllGatherOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<ReduceScatterOp>(cotangents[0], getAxes(), getSizes(), getDimension());
  return success();
}

LogicalResult AllGatherOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t dimension = getDimension();
  if (!isOverBatch(e, getAxes())) {
    bool isBefore = dims[0] <= dimension;
    results.push_back(e.make<AllGatherOp>(operands[0], getAxes(), getSizes(), dimension + (isBefore ? 1 : 0)));
    resultDims.push_back(isBefore ? dims[0] : dims[0] + 1);
    return success();
  }
  FailureOr<OwnAxis> axis = ownAxis(e, getAxes(), getSizes());
  if (failed(axis))
    return failure();
  resultDims.push_back(kUnbatched);
  if (axis->rest.empty()) {
    results.push_back(e.batchAt(operands[0], dims[0], dimension));
    return success();
  }
  Value x = e.batchAt(operands[0], dims[0], 0);
  x = e.make<AllGatherOp>(x, axis->rest, axis->restSizes, dimension + 1);
  x = reshapedPart(e, x, dimension + 1, 1, {axis->before, axis->after});
  x = e.moveDim(x, 0, dimension + 1);
  results.push_back(reshapedPart(e, x, dimension, 3, productOf(getSizes())));
  return success();
}

/// The factor map of an op whose old and new dimension are not loops.
static FactorMap exchangeFactorMap(Value x, int64_t removed, int64_t added) {
  FactorMap map;
  SmallVector<int64_t> factors, kept;
  int64_t next = 0;
  for (int64_t d = 0; d < cast<RankedTensorType>(x.getType()).getRank(); ++d) {
    factors.push_back(d == removed ? FactorMap::kNone : next++);
    if (d != removed)
      kept.push_back(factors.back());
  }
  if (added >= 0)
    kept.insert(kept.begin() + added, FactorMap::kNone);
  map.operands.push_back(factors);
  map.results.push_back(kept);
  return map;
}

FactorMap AllGatherOp::factorMap() { return exchangeFactorMap(getX(), -1, getDimension()); }

//===- reduce_scatter ----------------------------------------------------------------------===//

LogicalResult ReduceScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  if (failed(verifyAxes(loc, getOperationName(), adaptor.getAxes(), adaptor.getSizes())) ||
      failed(verifyDivided(loc, getOperationName(), "dimension", adaptor.getDimension(), type, adaptor.getSizes())))
    return failure();
  types.push_back(withoutDim(type, adaptor.getDimension()));
  return success();
}

LogicalResult ReduceScatterOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                         MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<AllGatherOp>(cotangents[0], getAxes(), getSizes(), getDimension());
  return success();
}

LogicalResult ReduceScatterOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                     SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t dimension = getDimension();
  if (!isOverBatch(e, getAxes())) {
    bool isBefore = dims[0] <= dimension;
    results.push_back(e.make<ReduceScatterOp>(operands[0], getAxes(), getSizes(), dimension + (isBefore ? 1 : 0)));
    resultDims.push_back(isBefore ? dims[0] : dims[0] - 1);
    return success();
  }
  FailureOr<OwnAxis> axis = ownAxis(e, getAxes(), getSizes());
  if (failed(axis))
    return failure();
  Value x = sumOverBatch(e, operands[0], dims[0]);
  if (axis->rest.empty()) {
    results.push_back(x);
    resultDims.push_back(dimension);
    return success();
  }
  x = reshapedPart(e, x, dimension, 1, {axis->before, axis->own, axis->after});
  x = e.moveDim(x, dimension + 1, 0);
  x = reshapedPart(e, x, dimension + 1, 2, axis->before * axis->after);
  results.push_back(e.make<ReduceScatterOp>(x, axis->rest, axis->restSizes, dimension + 1));
  resultDims.push_back(0);
  return success();
}

FactorMap ReduceScatterOp::factorMap() { return exchangeFactorMap(getX(), getDimension(), -1); }

//===- all_to_all ----------------------------------------------------------------------------===//

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t to = adaptor.getTo();
  if (failed(verifyAxes(loc, getOperationName(), adaptor.getAxes(), adaptor.getSizes())) ||
      failed(verifyDivided(loc, getOperationName(), "from", adaptor.getFrom(), type, adaptor.getSizes())) ||
      failed(verifyDims(loc, getOperationName(), "to", to, type.getRank(), false)))
    return failure();
  types.push_back(withDim(withoutDim(type, adaptor.getFrom()), to, productOf(adaptor.getSizes())));
  return success();
}

LogicalResult AllToAllOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                    MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<AllToAllOp>(cotangents[0], getAxes(), getSizes(), getTo(), getFrom());
  return success();
}

LogicalResult AllToAllOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t from = getFrom(), to = getTo();
  if (!isOverBatch(e, getAxes())) {
    int64_t dim = dims[0], shiftedFrom = from + (dim <= from ? 1 : 0);
    dim -= dim > from ? 1 : 0;
    results.push_back(e.make<AllToAllOp>(operands[0], getAxes(), getSizes(), shiftedFrom, to + (dim <= to ? 1 : 0)));
    resultDims.push_back(dim <= to ? dim : dim + 1);
    return success();
  }
  FailureOr<OwnAxis> axis = ownAxis(e, getAxes(), getSizes());
  if (failed(axis))
    return failure();
  // The part of dimension `from` along the batch's axis becomes the batch; the former batch is dimension 1 meanwhile.
  Value x = e.batchAt(operands[0], dims[0], 0);
  bool isAlone = axis->rest.empty();
  if (!isAlone)
    x = reshapedPart(e, x, from + 1, 1, {axis->before, axis->own, axis->after});
  x = e.moveDim(x, isAlone ? from + 1 : from + 2, 0);
  if (!isAlone) {
    x = reshapedPart(e, x, from + 2, 2, axis->before * axis->after);
    x = e.make<AllToAllOp>(x, axis->rest, axis->restSizes, from + 2, to + 2);
    x = reshapedPart(e, x, to + 2, 1, {axis->before, axis->after});
  }
  x = e.moveDim(x, 1, isAlone ? to + 1 : to + 2);
  results.push_back(isAlone ? x : reshapedPart(e, x, to + 1, 3, productOf(getSizes())));
  resultDims.push_back(0);
  return success();
}

FactorMap AllToAllOp::factorMap() { return exchangeFactorMap(getX(), getFrom(), getTo()); }

//===- permute -------------------------------------------------------------------------------===//

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> sources = adaptor.getSources(), targets = adaptor.getTargets(), sizes = adaptor.getSizes();
  if (failed(verifyAxes(loc, getOperationName(), adaptor.getAxes(), sizes)) ||
      failed(verifyElements(loc, getOperationName(), "sources", sources, sizes)) ||
      failed(verifyElements(loc, getOperationName(), "targets", targets, sizes)))
    return failure();
  if (sources.size() != targets.size())
    return emitOptionalError(loc, "'", getOperationName(),
                             "' op must have as many sources as targets, got: ", sources.size(), " and ",
                             targets.size());
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult PermuteOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<PermuteOp>(cotangents[0], getAxes(), getSizes(), getTargets(), getSources());
  return success();
}

/// The elements of the batch, dimension 0 of `x`, in another order; -1 stands for zeros.
static Value reordered(Emitter &e, Value x, ArrayRef<int32_t> order) {
  auto type = RankedTensorType::get({static_cast<int64_t>(order.size()), 1}, e.builder.getI32Type());
  Value indices = e.make<ConstantOp>(type, DenseElementsAttr::get(type, order));
  return reshapedAt(e, e.make<GatherOp>(x, indices, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1}), 1, false);
}

/// The permutation, each pair of which goes from one element of the batch to another: for each such two, a permutation
/// over the other axes.
static Value permutedOverOthers(Emitter &e, PermuteOp op, const OwnAxis &axis, Value x) {
  auto restOf = [&](int64_t number) { return number / (axis.after * axis.own) * axis.after + number % axis.after; };
  auto ownOf = [&](int64_t number) { return number / axis.after % axis.own; };
  // Sources and targets among the other axes, by target and source of the batch.
  std::map<std::pair<int64_t, int64_t>, std::array<SmallVector<int64_t>, 2>> pairs;
  for (auto [source, target] : llvm::zip_equal(op.getSources(), op.getTargets())) {
    auto &[sources, targets] = pairs[{ownOf(target), ownOf(source)}];
    sources.push_back(restOf(source));
    targets.push_back(restOf(target));
  }
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape()), starts(type.getRank(), 0), strides(type.getRank(), 1);
  shape[0] = 1;
  RankedTensorType part = withShape(type, shape);
  SmallVector<Value> all(axis.own);
  for (auto &[own, places] : pairs) {
    starts[0] = own.second;
    Value sent = e.make<SliceOp>(part, x, starts, strides, e.sizes(x));
    Value got = e.make<PermuteOp>(sent, axis.rest, axis.restSizes, places[0], places[1]);
    // Where one of them is nonzero, the others are zero.
    Value &sum = all[own.first];
    sum = sum && part.getElementType().isInteger(1) ? e.make<OrOp>(sum, got) : e.add(sum, got);
  }
  for (Value &sum : all)
    if (!sum)
      sum = e.zeros(part, e.sizes(x));
  return e.make<ConcatenateOp>(all, 0);
}

LogicalResult PermuteOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  if (!isOverBatch(e, getAxes())) {
    results.push_back(e.make<PermuteOp>(operands[0], getAxes(), getSizes(), getSources(), getTargets()));
    resultDims.push_back(dims[0]);
    return success();
  }
  FailureOr<OwnAxis> axis = ownAxis(e, getAxes(), getSizes());
  if (failed(axis))
    return failure();
  bool isFull = static_cast<int64_t>(getTargets().size()) == productOf(getSizes());
  if (dims[0] == kUnbatched && isFull && axis->rest.empty()) {
    results.push_back(operands[0]);
    resultDims.push_back(kUnbatched);
    return success();
  }
  Value x = e.batchAt(operands[0], dims[0], 0);
  resultDims.push_back(0);
  if (axis->own == 0 || !axis->rest.empty()) {
    results.push_back(axis->own == 0 ? x : permutedOverOthers(e, *this, *axis, x));
    return success();
  }
  SmallVector<int32_t> order(axis->own, -1);
  for (auto [source, target] : llvm::zip_equal(getSources(), getTargets()))
    order[target] = static_cast<int32_t>(source);
  results.push_back(reordered(e, x, order));
  return success();
}

FactorMap PermuteOp::factorMap() { return pointwiseFactorMap(*this); }

//===- axis_index ------------------------------------------------------------------------------===//

LogicalResult AxisIndexOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return verifyAxes(loc, getOperationName(), adaptor.getAxes(), adaptor.getSizes());
}

LogicalResult AxisIndexOp::batch(Emitter &e, ValueRange, ArrayRef<int64_t>, SmallVectorImpl<Value> &results,
                                 SmallVectorImpl<int64_t> &resultDims) {
  FailureOr<OwnAxis> axis = ownAxis(e, getAxes(), getSizes());
  if (failed(axis))
    return failure();
  size_t position = llvm::find(getAxes(), e.batchSize.axis) - getAxes().begin();
  auto indexOver = [&](size_t begin, size_t end, int64_t factor) {
    if (begin == end)
      return zero;
    auto axes = e.builder.getArrayAttr(getAxes().getValue().slice(begin, end - begin));
    Value index = e.make<AxisIndexOp>(axes, getSizes().slice(begin, end - begin));
    return e.batchAt(e.scale(index, static_cast<double>(factor)), kUnbatched, 0);
  };
  auto type = RankedTensorType::get(axis->own, getType().getElementType());
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(axis->own))
    sizes.push_back(e.batchSizeValue);
  Value own = e.scale(e.make<IotaOp>(type, 0, sizes), static_cast<double>(axis->after));
  Value before = indexOver(0, position, axis->own * axis->after);
  results.push_back(e.add(e.add(before, own), indexOver(position + 1, getAxes().size(), 1)));
  resultDims.push_back(0);
  return success();
}

FactorMap AxisIndexOp::factorMap() { return {{}, {{}}, {}}; }

} // namespace dovetail
