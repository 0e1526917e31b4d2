// Running reductions along one dimension: inference and rules.
#include "Cumulative.h"
#include "Collective.h"
#include "CollectiveRules.h"
#include "Create.h"
#include "Folding.h"
#include "Inference.h"
#include "Parts.h"
#include "Pointwise.h"
#include "Reduce.h"
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

/// Devices can divide the dimension if `isDivided`, knowing which parts they have.
static FactorMap runningFactorMap(Operation *op, int64_t dimension, bool isDivided) {
  FactorMap map = pointwiseFactorMap(op);
  if (isDivided) {
    map.indivisible = {dimension};
    return map;
  }
  for (auto &factors : map.operands)
    factors[dimension] = FactorMap::kNone;
  map.results[0][dimension] = FactorMap::kNone;
  map.carry(dimension);
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

//===- Parts -------------------------------------------------------------------===//

namespace splats {
static DenseElementsAttr zero(RankedTensorType type) { return splatOf(type, 0); }
static DenseElementsAttr one(RankedTensorType type) { return splatOf(type, 1); }
static DenseElementsAttr extreme(RankedTensorType type, bool isHighest) {
  TypedAttr element = extremeOf(type.getElementType(), isHighest);
  return element ? DenseElementsAttr::get(type, element) : DenseElementsAttr();
}
static DenseElementsAttr lowest(RankedTensorType type) { return extreme(type, false); }
static DenseElementsAttr highest(RankedTensorType type) { return extreme(type, true); }
} // namespace splats

namespace {

/// A device's part of a dimension along which something runs, and what it needs of the parts before it.
class RunningPart {
public:
  RunningPart(Emitter &e, const DividedFactor &divided, int64_t dimension, bool reverse)
      : e(e), divided(divided), dimension(dimension), reverse(reverse) {}

  /// `x`, with a neutral element in place of the padding at the end of the dimension, where that comes first.
  Value withoutPadding(Value x, DenseElementsAttr neutral) {
    int64_t padded = cast<RankedTensorType>(x.getType()).getDimSize(dimension) * productOf(divided.sizes);
    if (!reverse || divided.size == padded)
      return x;
    return dovetail::withoutPadding(e, x, dimension, divided.first, divided.size, e.make<ConstantOp>(neutral));
  }

  /// Of a value without the dimension, those of all parts along it: neutral for this part and those after it.
  Value ofPartsBefore(Value x, DenseElementsAttr neutral) {
    Value all = e.make<AllGatherOp>(x, divided.axes, divided.sizes, dimension);
    Value indices = indicesAlong(e, all, dimension);
    Value own = forEachElement(e, e.make<AxisIndexOp>(divided.axes, divided.sizes), all);
    Value isBefore = reverse ? e.greater(indices, own) : e.greater(own, indices);
    return e.select(isBefore, all, forEachElement(e, e.make<ConstantOp>(neutral), all));
  }

  /// The last elements along the dimension.
  Value last(Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dimension);
    Value slice = sliceAlong(e, x, dimension, positionOf(type, /*last=*/true), 1);
    return e.reshape(slice, withShape(type, shape), e.sizes(slice));
  }

  /// A value without the dimension, for each element of `x`.
  Value spread(Value value, Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> dims;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dimension)
        dims.push_back(d);
    return e.broadcast(value, dims, type, e.sizes(x));
  }

  /// `x` with the first elements along the dimension of another array.
  Value withFirstOf(Value other, Value x) {
    Value indices = indicesAlong(e, x, dimension),
          first = e.full(indices, positionOf(cast<RankedTensorType>(x.getType()), false));
    return e.select(e.equal(indices, first), other, x);
  }

private:
  int64_t positionOf(RankedTensorType type, bool last) const {
    return last == reverse ? 0 : type.getDimSize(dimension) - 1;
  }

  Emitter &e;
  const DividedFactor &divided;
  int64_t dimension;
  bool reverse;
};

} // namespace

static RankedTensorType scalarOf(Value x) { return RankedTensorType::get({}, getElementTypeOrSelf(x)); }

/// The op on a part, each of whose elements is then combined with the result for the parts before it.
template <typename Op>
static Value emitPartOfCumulative(Emitter &e, Op op, Value x, const DividedFactor &divided) {
  auto run = [&](Value of) { return e.make<Op>(of, op.getDimension(), op.getReverse()); };
  if (!divided.first)
    return run(x);
  RunningPart part(e, divided, op.getDimension(), op.getReverse());
  DenseElementsAttr neutral = Op::neutral(scalarOf(x));
  Value own = run(part.withoutPadding(x, neutral));
  Value before = part.last(run(part.ofPartsBefore(part.last(own), neutral)));
  return Op::combine(e, part.spread(before, own), own);
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

FactorMap LinearRecurrenceOp::factorMap() { return runningFactorMap(*this, getDimension(), /*isDivided=*/true); }

// What the parts make of the last element before them is itself a recurrence. Each part then starts from its own.
Value LinearRecurrenceOp::emitPart(Emitter &e, ValueRange operands, ArrayRef<DividedFactor> factors, RankedTensorType) {
  const DividedFactor &divided = factors[getDimension()];
  int64_t dimension = getDimension();
  auto run = [&](Value f, Value x) { return e.make<LinearRecurrenceOp>(f, x, dimension, getReverse()); };
  if (!divided.first)
    return run(operands[0], operands[1]);
  RunningPart part(e, divided, dimension, getReverse());
  DenseElementsAttr none = splats::zero(scalarOf(operands[0])), one = splats::one(scalarOf(operands[0]));
  Value f = part.withoutPadding(operands[0], one), x = part.withoutPadding(operands[1], none);
  Value products = part.ofPartsBefore(e.make<ReduceProdOp>(f, ArrayRef(dimension)), one);
  Value before = part.last(run(products, part.ofPartsBefore(part.last(run(f, x)), none)));
  return run(f, part.withFirstOf(e.add(x, e.mul(f, part.spread(before, x))), x));
}

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
