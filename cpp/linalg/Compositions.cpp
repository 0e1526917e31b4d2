// Ops whose lowering is better than other ops, in terms of these: for forms of programs that lack them.
#include "Algorithms.h"
#include "dialects/Create.h"
#include "dialects/Cumulative.h"
#include "dialects/Pointwise.h"
#include "dialects/Random.h"
#include "dialects/Special.h"
#include <cmath>

using namespace mlir;

namespace dovetail {

namespace {

/// An op with one result, as a function of its operands.
template <typename Ours, Value (*emit)(Algebra &, Ours)>
struct Composed : DecomposeOpInterface::ExternalModel<Composed<Ours, emit>, Ours> {
  static unsigned numBatchDims(Operation *) { return 0; }
  static bool isDecomposed(Operation *) { return false; }

  static LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange, SmallVectorImpl<Value> &results) {
    Algebra e(emitter);
    results.push_back(emit(e, cast<Ours>(op)));
    return success();
  }
};
template <typename Ours, Value (*emit)(Algebra &, Ours)>
void attach(MLIRContext *c) {
  Ours::template attachInterface<Composed<Ours, emit>>(*c);
}

Value isNan(Algebra &e, Value x) { return e.compare(CompareDirection::NE, x, x); }

Value exp2Of(Algebra &e, Exp2Op op) {
  Value x = op.getX();
  return Algebra::isComplex(x) ? e.exp(e.scale(x, M_LN2)) : e.make<PowOp>(e.full(x, 2), x);
}

Value integerPow(Algebra &e, IntegerPowOp op) {
  int64_t exponent = op.getExponent();
  Value base = op.getX(), product;
  for (uint64_t rest = std::abs(exponent); rest; rest >>= 1) {
    if (rest & 1)
      product = product ? e.mul(product, base) : base;
    if (rest > 1)
      base = e.mul(base, base);
  }
  Value one = e.full(op.getX(), 1);
  return !product ? one : exponent < 0 ? e.div(one, product) : product;
}

/// A function of floats, computed in float32 if they are narrower.
Value inWide(Algebra &e, Value x, Value y, llvm::function_ref<Value(Value, Value)> emit) {
  Type element = Algebra::elementOf(x), wide = e.builder.getF32Type();
  if (element.getIntOrFloatBitWidth() >= 32)
    return emit(x, y);
  return e.convert(emit(e.convert(x, wide), e.convert(y, wide)), element);
}

Value hypotOf(Algebra &e, HypotOp op) {
  return inWide(e, op.getX(), op.getY(), [&](Value a, Value b) {
    Value x = e.make<AbsOp>(a), y = e.make<AbsOp>(b);
    Value large = e.greatest(x, y), small = e.least(x, y), one = e.full(x, 1);
    Value ratio = e.div(small, e.select(e.equal(large, e.zerosLike(x)), one, large));
    Value found = e.mul(large, e.make<SqrtOp>(e.add(e.mul(ratio, ratio), 1.0)));
    // An infinity is the result whatever the other side is, even NaN.
    Value infinity = e.full(x, std::numeric_limits<double>::infinity());
    return e.select(e.either(e.equal(x, infinity), e.equal(y, infinity)), infinity, found);
  });
}

/// log(base^x + base^y) / log(base), for log(base) = `unit`.
Value logSum(Algebra &e, Value first, Value second, double unit) {
  return inWide(e, first, second, [&](Value x, Value y) {
    Value large = e.greatest(x, y), distance = e.sub(x, y);
    Value rest = e.make<Log1pOp>(e.exp(e.scale(e.neg(e.make<AbsOp>(distance)), unit)));
    // Infinities of one sign have no distance.
    return e.select(isNan(e, distance), e.add(x, y), e.add(large, e.div(rest, e.full(rest, unit))));
  });
}
Value logaddexp(Algebra &e, LogaddexpOp op) { return logSum(e, op.getX(), op.getY(), 1); }
Value logaddexp2(Algebra &e, Logaddexp2Op op) { return logSum(e, op.getX(), op.getY(), M_LN2); }

Value truncOf(Algebra &e, TruncOp op) {
  Value x = op.getX();
  return e.select(e.less(x, e.zerosLike(x)), e.make<CeilOp>(x), e.make<FloorOp>(x));
}
Value fractionOf(Algebra &e, FractionOp op) {
  Value x = op.getX(), rest = e.sub(x, e.make<TruncOp>(x));
  return e.make<CopysignOp>(e.select(e.make<IsFiniteOp>(x), rest, e.select(isNan(e, x), x, e.zerosLike(x))), x);
}

/// The format of an array of floats, and its bits as unsigned integers.
struct Format {
  Format(Algebra &e, Value like)
      : e(e), like(like), type(cast<RankedTensorType>(like.getType())), width(type.getElementTypeBitWidth()),
        bits(IntegerType::get(e.builder.getContext(), width, IntegerType::Unsigned)) {
    const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
    fraction = APFloat::semanticsPrecision(semantics) - 1;
    least = APFloat::semanticsMinExponent(semantics);
    greatest = APFloat::semanticsMaxExponent(semantics);
    bias = 1 - least;
    hasSignedZero = APFloat::semanticsHasZero(semantics) && APFloat::getZero(semantics, true).isNegative();
  }

  Value toBits(Value x) { return e.make<BitcastOp>(type.clone(bits), x); }
  Value toFloats(Value x) { return e.make<BitcastOp>(type, x); }
  Value filled(APInt value) {
    return e.full(type.clone(bits), e.sizes(like), cast<TypedAttr>(IntegerAttr::get(bits, value)));
  }
  Value magnitude(Value x) { return e.make<AndOp>(toBits(x), filled(APInt::getSignedMaxValue(width))); }

  Algebra &e;
  Value like;
  RankedTensorType type;
  unsigned width;
  Type bits;
  unsigned fraction;
  int least, greatest, bias;
  bool hasSignedZero;
};

/// The bits of y's sign and of x's magnitude.
Value copysign(Algebra &e, CopysignOp op) {
  Format format(e, op.getX());
  if (!format.hasSignedZero) {
    // The bits of -0 are those of NaN.
    Value magnitude = e.make<AbsOp>(op.getX()), y = op.getY();
    Value isNegative = e.either(e.less(y, e.zerosLike(y)), isNan(e, y));
    return e.select(isNegative, e.neg(magnitude), magnitude);
  }
  Value sign = e.make<AndOp>(format.toBits(op.getY()), format.filled(APInt::getSignMask(format.width)));
  return format.toFloats(e.make<OrOp>(format.magnitude(op.getX()), sign));
}

/// From the bits of the exponent, and for subnormal numbers from the position of the first bit.
Value exponentOf(Algebra &e, ExponentOp op) {
  Format format(e, op.getX());
  Type i32 = e.builder.getI32Type();
  Value magnitude = format.magnitude(op.getX());
  Value shift = format.filled(APInt(format.width, format.fraction));
  Value biased = e.convert(e.make<ShiftRightLogicalOp>(magnitude, shift), i32);
  Value zeros = e.convert(e.make<CountLeadingZerosOp>(magnitude), i32), none = e.full(biased, 0);
  Value normal = e.sub(biased, e.full(biased, format.bias - 1));
  Value subnormal = e.sub(e.full(biased, int(format.width) + 1 - format.bias - int(format.fraction)), zeros);
  Value isZero = e.equal(zeros, e.full(biased, format.width));
  Value isFinite = e.make<IsFiniteOp>(op.getX());
  Value found = e.select(e.equal(biased, none), e.select(isZero, none, subnormal), normal);
  return e.select(isFinite, found, none);
}

/// Multiplied by three powers of 2, each of them a normal number.
Value ldexpOf(Algebra &e, LdexpOp op) {
  Format format(e, op.getX());
  Value rest = op.getK(), result = op.getX();
  Value low = e.full(rest, format.least), high = e.full(rest, format.greatest);
  for (unsigned i = 0; i < 3; ++i) {
    Value part = e.least(e.greatest(rest, low), high);
    Value bits = e.convert(e.add(part, e.full(rest, format.bias)), format.bits);
    Value shift = format.filled(APInt(format.width, format.fraction));
    result = e.mul(result, format.toFloats(e.make<ShiftLeftOp>(bits, shift)));
    rest = e.sub(rest, part);
  }
  return result;
}

Value heaviside(Algebra &e, HeavisideOp op) {
  Value x = op.getX(), none = e.zerosLike(x);
  Value step = e.select(e.greater(x, none), e.full(x, 1), e.select(e.equal(x, none), op.getY(), none));
  return e.select(isNan(e, x), x, step);
}

/// The remainder of x / y, corrected where its sign is not that of y; 0 for integers if y is 0.
Value floorRem(Algebra &e, FloorRemOp op) {
  Value x = op.getX(), y = op.getY(), none = e.zerosLike(x);
  if (!isa<FloatType>(Algebra::elementOf(x)))
    y = e.select(e.equal(y, none), e.full(y, 1), y);
  Value rest = e.make<RemOp>(x, y);
  Value isOther = e.compare(CompareDirection::NE, e.less(rest, none), e.less(y, none));
  Value isInexact = e.compare(CompareDirection::NE, rest, none);
  return e.select(e.both(isOther, isInexact), e.add(rest, y), rest);
}
Value floorDiv(Algebra &e, FloorDivOp op) {
  Value x = op.getX(), y = op.getY(), none = e.zerosLike(x);
  if (isa<FloatType>(Algebra::elementOf(x))) {
    // (x - rest) / y is whole but for rounding.
    Value rest = e.make<RemOp>(x, y), quotient = e.div(e.sub(x, rest), y);
    Value isOther = e.compare(CompareDirection::NE, e.less(rest, none), e.less(y, none));
    Value isInexact = e.compare(CompareDirection::NE, rest, none);
    Value lower = e.select(e.both(isOther, isInexact), e.add(quotient, -1.0), quotient);
    return e.select(e.equal(y, none), e.div(x, y), e.make<RoundEvenOp>(lower));
  }
  Value quotient = e.div(x, y);
  if (Algebra::elementOf(x).isUnsignedInteger())
    return quotient;
  Value isOther = e.compare(CompareDirection::NE, e.sign(x), e.sign(y));
  Value isInexact = e.compare(CompareDirection::NE, e.make<RemOp>(x, y), none);
  return e.select(e.both(isOther, isInexact), e.sub(quotient, e.full(x, 1)), quotient);
}

Value cumlogsumexp(Algebra &e, CumlogsumexpOp op) {
  Value x = op.getX();
  int64_t dim = op.getDimension();
  Value slices = e.moveDim(x, dim, 0);
  auto type = Algebra::typeOf(slices);
  Value lowest = e.full(type.clone(type.getShape().drop_front()), {}, -std::numeric_limits<double>::infinity());
  auto outs = e.scan(
      {lowest}, {slices},
      [](Algebra &inner, ValueRange carries, ValueRange xs) {
        Value next = inner.make<LogaddexpOp>(carries[0], xs[0]);
        return Algebra::Values{next, next};
      },
      op.getReverse());
  return e.moveDim(outs[1], 0, dim);
}

/// Each element is `a` times the one before plus `x`.
Value linearRecurrence(Algebra &e, LinearRecurrenceOp op) {
  int64_t dim = op.getDimension();
  Value factors = e.moveDim(op->getOperand(0), dim, 0), terms = e.moveDim(op->getOperand(1), dim, 0);
  auto type = Algebra::typeOf(terms);
  auto outs = e.scan(
      {e.zeros(type.clone(type.getShape().drop_front()), {})}, {factors, terms},
      [](Algebra &inner, ValueRange carries, ValueRange xs) {
        Value next = inner.add(inner.mul(xs[0], carries[0]), xs[1]);
        return Algebra::Values{next, next};
      },
      op.getReverse());
  return e.moveDim(outs[1], 0, dim);
}

/// Twenty rounds, after every four of which words of the key are added (Salmon et al., 2011).
struct Threefry : DecomposeOpInterface::ExternalModel<Threefry, Threefry2x32Op> {
  static unsigned numBatchDims(Operation *) { return 0; }
  static bool isDecomposed(Operation *) { return false; }

  static LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange, SmallVectorImpl<Value> &results) {
    Algebra e(emitter);
    constexpr int64_t kRotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
    Value keys[] = {op->getOperand(0), op->getOperand(1), {}};
    auto type = cast<RankedTensorType>(keys[0].getType());
    auto word = [&](uint32_t value) {
      return e.full(type, e.sizes(keys[0]), cast<TypedAttr>(IntegerAttr::get(type.getElementType(), APInt(32, value))));
    };
    keys[2] = e.make<XorOp>(e.make<XorOp>(keys[0], keys[1]), word(0x1BD11BDA));
    Value x = e.add(op->getOperand(2), keys[0]), y = e.add(op->getOperand(3), keys[1]);
    for (uint32_t round = 0; round < 20; ++round) {
      int64_t rotation = kRotations[round % 8];
      x = e.add(x, y);
      Value turned =
          e.make<OrOp>(e.make<ShiftLeftOp>(y, word(rotation)), e.make<ShiftRightLogicalOp>(y, word(32 - rotation)));
      y = e.make<XorOp>(x, turned);
      if (round % 4 == 3) {
        uint32_t step = round / 4 + 1;
        x = e.add(x, keys[step % 3]);
        y = e.add(e.add(y, keys[(step + 1) % 3]), word(step));
      }
    }
    results.append({x, y});
    return success();
  }
};

} // namespace

void attachCompositions(MLIRContext *c) {
  attach<Exp2Op, exp2Of>(c);
  attach<IntegerPowOp, integerPow>(c);
  attach<HypotOp, hypotOf>(c);
  attach<LogaddexpOp, logaddexp>(c);
  attach<Logaddexp2Op, logaddexp2>(c);
  attach<TruncOp, truncOf>(c);
  attach<FractionOp, fractionOf>(c);
  attach<CopysignOp, copysign>(c);
  attach<ExponentOp, exponentOf>(c);
  attach<LdexpOp, ldexpOf>(c);
  attach<HeavisideOp, heaviside>(c);
  attach<FloorRemOp, floorRem>(c);
  attach<FloorDivOp, floorDiv>(c);
  attach<CumlogsumexpOp, cumlogsumexp>(c);
  attach<LinearRecurrenceOp, linearRecurrence>(c);
  Threefry2x32Op::attachInterface<Threefry>(*c);
}

} // namespace dovetail
