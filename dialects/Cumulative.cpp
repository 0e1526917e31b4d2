// Running reductions along one dimension: inference and rules.
#include "Cumulative.h"
#include "Folding.h"
#include "Inference.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

static LogicalResult inferRunning(std::optional<Location> loc, StringRef name, ValueRange operands, int64_t dimension,
                                  SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(operands.back().getType());
  if (failed(verifyDims(loc, name, "dimension", dimension, type.getRank(), false)))
    return failure();
  types.push_back(type);
  return success();
}

static FactorMap runningFactorMap(Operation *op, int64_t dimension) {
  FactorMap map = pointwiseFactorMap(op);
  for (auto &factors : map.operands)
    factors[dimension] = FactorMap::kNone;
  map.results[0][dimension] = FactorMap::kNone;
  return map;
}

template <typename Op>
static LogicalResult batchRunning(Emitter &e, Op op, ValueRange operands, ArrayRef<int64_t> dims,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> batched = e.aligned(operands, dims, position);
  int64_t dimension = op.getDimension();
  auto attributes = [&](auto... xs) {
    return e.make<Op>(xs..., dimension + (dimension >= position ? 1 : 0), op.getReverse());
  };
  if constexpr (std::is_same_v<Op, LinearRecurrenceOp>)
    results.push_back(attributes(batched[0], batched[1]));
  else
    results.push_back(attributes(batched[0]));
  resultDims.push_back(position);
  return success();
}

namespace scalar {
/// log(exp(x) + exp(y)); for two equal infinities, that infinity.
static Value logAddExp(ScalarBuilder &b, Value x, Value y) {
  Value distance = sub(b, min(b, x, y), max(b, x, y));
  Value apart = select(b, equal(b, x, y), zero(b), distance);
  return add(b, max(b, x, y), log1p(b, exp(b, apart)));
}
} // namespace scalar

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Cumulative.cpp.inc"

namespace dovetail {

void registerCumulativeOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Cumulative.cpp.inc"
      >();
}

static RankedTensorType scalarOf(Value x) { return RankedTensorType::get({}, getElementTypeOrSelf(x)); }

/// Element i - 1 (i + 1 if `reverse`) of `x` at each i, and `first` where there is none.
static Value previous(Emitter &e, Value x, int64_t dimension, bool reverse, Value first) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> low(type.getRank(), 0), interior(type.getRank(), 0);
  low[dimension] = reverse ? -1 : 1;
  return e.make<PadOp>(type, x, first, low, interior, e.sizes(x));
}

static Value previous(Emitter &e, Value x, int64_t dimension, bool reverse, double first) {
  return previous(e, x, dimension, reverse, e.full(scalarOf(x), {}, first));
}

//===- linear_recurrence -------------------------------------------------------===//

LogicalResult LinearRecurrenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  if (adaptor.getFactor().getType() != adaptor.getX().getType())
    return emitOptionalError(loc, "'dovetail.linear_recurrence' op operands must have one type, got: ",
                             adaptor.getFactor().getType(), " and ", adaptor.getX().getType());
  return inferRunning(loc, getOperationName(), adaptor.getOperands(), adaptor.getDimension(), types);
}

LogicalResult LinearRecurrenceOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                        SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  return batchRunning(e, *this, operands, dims, results, resultDims);
}

FactorMap LinearRecurrenceOp::factorMap() { return runningFactorMap(*this, getDimension()); }

Value LinearRecurrenceOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) {
  return e.size(getX(), dimension);
}

OperandSets LinearRecurrenceOp::linearSets() { return {{1}}; }

LogicalResult LinearRecurrenceOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                      SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Value ans = e.make<LinearRecurrenceOp>(primals[0], primals[1], getDimension(), getReverse());
  Value before = tangents[0] ? previous(e, ans, getDimension(), getReverse(), 0.0) : zero;
  Value source = e.add(e.mul(tangents[0], before), tangents[1]);
  results.push_back(ans);
  resultTangents.push_back(e.make<LinearRecurrenceOp>(primals[0], source, getDimension(), getReverse()));
  return success();
}

LogicalResult LinearRecurrenceOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                            MutableArrayRef<Value> operandCotangents) {
  Value factor = previous(e, operands[0], getDimension(), !getReverse(), 0.0);
  operandCotangents[1] = e.make<LinearRecurrenceOp>(factor, cotangents[0], getDimension(), !getReverse());
  return success();
}

//===- cumsum ------------------------------------------------------------------===//

OperandSets CumsumOp::linearSets() { return {{0}}; }

LogicalResult CumsumOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                  MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<CumsumOp>(cotangents[0], getDimension(), !getReverse());
  return success();
}

//===- cumprod, cummax, cummin, cumlogsumexp -------------------------------------===//

// With ans[i] = f(ans[i-1], x[i]), the tangent of ans is a linear recurrence whose factors are df/dans[i-1].

LogicalResult CumprodOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<Value> &resultTangents) {
  Value ans = e.make<CumprodOp>(primals[0], getDimension(), getReverse());
  Value source = e.mul(tangents[0], previous(e, ans, getDimension(), getReverse(), 1.0));
  results.push_back(ans);
  resultTangents.push_back(e.make<LinearRecurrenceOp>(primals[0], source, getDimension(), getReverse()));
  return success();
}

/// Ties of an element with those before it share its tangent equally. Nothing equals the NaN before the first.
template <typename Op>
static LogicalResult jvpOfExtreme(Emitter &e, Op op, Value x, Value tangent, SmallVectorImpl<Value> &results,
                                  SmallVectorImpl<Value> &resultTangents) {
  Value ans = e.make<Op>(x, op.getDimension(), op.getReverse());
  double nan = std::numeric_limits<double>::quiet_NaN();
  Value share = e.shareOfMaximum(x, ans, previous(e, ans, op.getDimension(), op.getReverse(), nan));
  Value rest = e.sub(1, share), source = e.mul(tangent, share);
  results.push_back(ans);
  resultTangents.push_back(e.make<LinearRecurrenceOp>(rest, source, op.getDimension(), op.getReverse()));
  return success();
}

LogicalResult CummaxOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(e, *this, primals[0], tangents[0], results, resultTangents);
}

LogicalResult CumminOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(e, *this, primals[0], tangents[0], results, resultTangents);
}

LogicalResult CumlogsumexpOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Value x = primals[0], ans = e.make<CumlogsumexpOp>(x, getDimension(), getReverse());
  TypedAttr lowest = extremeOf(getElementTypeOrSelf(x), /*isHighest=*/false);
  Value before = previous(e, ans, getDimension(), getReverse(), e.full(scalarOf(x), {}, lowest));
  // exp(y - ans), which is 1 for equal infinities.
  auto weight = [&](Value y) { return e.exp(e.select(e.equal(y, ans), zero, e.sub(y, ans))); };
  results.push_back(ans);
  resultTangents.push_back(
      e.make<LinearRecurrenceOp>(weight(before), e.mul(tangents[0], weight(x)), getDimension(), getReverse()));
  return success();
}

} // namespace dovetail
