// Collectives that depend on the positions of elements along the axes: all_gather, reduce_scatter, all_to_all, permute.
#include "CollectiveRules.h"
#include "Create.h"
#include "Index.h"
#include "IndexRules.h"
#include "Inference.h"
#include "Pointwise.h"
#include "Shape.h"
#include <map>

using namespace mlir;

namespace dovetail {

//===- Shared parts ------------------------------------------------------------------------===//

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

/// `x` with `count` dimensions at `position`, whose sizes are static, in another shape.
static Value reshapedPart(Emitter &e, Value x, int64_t position, int64_t count, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape().take_front(position));
  llvm::append_range(shape, sizes);
  llvm::append_range(shape, type.getShape().drop_front(position + count));
  return e.reshape(x, withShape(type, shape), e.sizes(x));
}

//===- all_gather ------------------------------------------------------------------------===//

/// The slice of what was gathered that is the element's own.
static Value ownSlice(Emitter &e, Value gathered, AllGatherOp op) {
  int64_t dimension = op.getDimension();
  Value number = e.make<AxisIndexOp>(op.getAxes(), op.getSizes());
  Value index = e.reshape(number, RankedTensorType::get({1}, e.builder.getI32Type()), {});
  return reshapedPart(e, e.make<GatherOp>(gathered, index, Dims{dimension}, Dims{1}), dimension, 1, {});
}

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
  operandCotangents[0] = getInvariant() ? ownSlice(e, e.make<VaryOp>(cotangents[0], getAxes()), *this)
                                        : e.make<ReduceScatterOp>(cotangents[0], getAxes(), getSizes(), getDimension());
  return success();
}

Value AllGatherOp::emitInvariant(Emitter &e, Value x, ArrayAttr axes) {
  return getInvariant() && axes == getAxes() ? e.make<AllGatherOp>(x, axes, getSizes(), getDimension(), true) : Value();
}

LogicalResult AllGatherOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t dimension = getDimension();
  if (!isOverBatch(e, getAxes())) {
    bool isBefore = dims[0] <= dimension;
    results.push_back(e.make<AllGatherOp>(operands[0], getAxes(), getSizes(), dimension + (isBefore ? 1 : 0),
                                          getInvariant(), getReduced()));
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

} // namespace dovetail
