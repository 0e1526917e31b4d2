// Collectives: verification and batching of all; reductions, vary and axis_index.
#include "CollectiveRules.h"
#include "Create.h"
#include "Folding.h"
#include "Inference.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

bool isToBePartitioned(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return module && module->hasAttr(kPartition);
}

//===- Verification -------------------------------------------------------------===//

LogicalResult verifyAxes(std::optional<Location> loc, StringRef name, ArrayAttr axes) {
  if (axes.empty())
    return emitOptionalError(loc, "'", name, "' op axes must name at least one axis, got: none");
  SmallPtrSet<Attribute, 4> seen;
  for (Attribute axis : axes)
    if (!seen.insert(axis).second)
      return emitOptionalError(loc, "'", name, "' op axes must be distinct, got: ", axis, " twice");
  return success();
}

int64_t productOf(ArrayRef<int64_t> sizes) {
  if (ShapedType::isDynamicShape(sizes))
    return ShapedType::kDynamic;
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

LogicalResult verifyAxes(std::optional<Location> loc, StringRef name, ArrayAttr axes, ArrayRef<int64_t> sizes) {
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

//===- Batching ---------------------------------------------------------------------===//

bool isOverBatch(Emitter &e, ArrayAttr axes) { return e.batchSize.axis && llvm::is_contained(axes, e.batchSize.axis); }

ArrayAttr otherAxes(Emitter &e, ArrayAttr axes) {
  auto rest = llvm::to_vector(llvm::make_filter_range(axes, [&](Attribute axis) { return axis != e.batchSize.axis; }));
  return e.builder.getArrayAttr(rest);
}

FailureOr<OwnAxis> ownAxis(Emitter &e, ArrayAttr axes, ArrayRef<int64_t> sizes) {
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

Value sumOverBatch(Emitter &e, Value x, int64_t dim) {
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

Value emitAllReduce(Emitter &e, FactorMap::Combiner combiner, Value x, ArrayAttr axes, ArrayRef<int64_t> sizes) {
  if (productOf(sizes) == 1)
    return x;
  // There is no collective for the others: every device combines all values.
  auto gathered = [&] { return e.make<AllGatherOp>(x, axes, sizes, 0); };
  switch (combiner) {
  case FactorMap::Combiner::Sum:
    return e.make<AllReduceSumOp>(x, axes);
  case FactorMap::Combiner::Max:
    return e.make<AllReduceMaxOp>(x, axes);
  case FactorMap::Combiner::Min:
    return e.make<AllReduceMinOp>(x, axes);
  case FactorMap::Combiner::Prod:
    return e.make<ReduceProdOp>(gathered(), 0);
  case FactorMap::Combiner::And:
    return e.make<ReduceAndOp>(gathered(), 0);
  case FactorMap::Combiner::Or:
    return e.make<ReduceOrOp>(gathered(), 0);
  case FactorMap::Combiner::Xor:
    return e.make<ReduceXorOp>(gathered(), 0);
  case FactorMap::Combiner::None:
    break;
  }
  llvm_unreachable("results for parts of reduced factors cannot be combined");
}

DenseElementsAttr neutralOf(FactorMap::Combiner combiner, RankedTensorType type) {
  auto splat = [&](TypedAttr element) { return element ? DenseElementsAttr::get(type, element) : DenseElementsAttr(); };
  switch (combiner) {
  case FactorMap::Combiner::Sum:
  case FactorMap::Combiner::Or:
  case FactorMap::Combiner::Xor:
    return splatOf(type, 0);
  case FactorMap::Combiner::Prod:
    return splatOf(type, 1);
  case FactorMap::Combiner::And:
    return splat(IntegerAttr::get(type.getElementType(), APInt::getAllOnes(type.getElementTypeBitWidth())));
  case FactorMap::Combiner::Max:
  case FactorMap::Combiner::Min:
    return splat(extremeOf(type.getElementType(), /*isHighest=*/combiner == FactorMap::Combiner::Min));
  case FactorMap::Combiner::None:
    break;
  }
  llvm_unreachable("results for parts of reduced factors cannot be combined");
}

//===- vary ------------------------------------------------------------------------------------===//

LogicalResult VaryOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return verifyAxes(loc, getOperationName(), adaptor.getAxes());
}

OperandSets VaryOp::linearSets() { return {{0}}; }

LogicalResult VaryOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<AllReduceSumOp>(cotangents[0], getAxes(), /*invariant=*/true);
  return success();
}

// Along the batch, an array shared by all elements and one equal in each element are the same.
LogicalResult VaryOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  ArrayAttr rest = otherAxes(e, getAxes());
  results.push_back(rest.empty() ? operands[0] : e.make<VaryOp>(operands[0], rest, getUnreduced(), getReduced()));
  resultDims.push_back(dims[0]);
  return success();
}

FactorMap VaryOp::factorMap() { return pointwiseFactorMap(*this); }

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
  if (axis->own == 1) {
    // The only element needs no number.
    SmallVector<Attribute> names(getAxes().getValue());
    SmallVector<int64_t> counts(getSizes());
    names.erase(names.begin() + position);
    counts.erase(counts.begin() + position);
    results.push_back(names.empty() ? e.zeros(getType(), {})
                                    : e.make<AxisIndexOp>(e.builder.getArrayAttr(names), counts));
    resultDims.push_back(kUnbatched);
    return success();
  }
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

FactorMap AxisIndexOp::factorMap() {
  FactorMap map;
  map.results.emplace_back();
  return map;
}

} // namespace dovetail
