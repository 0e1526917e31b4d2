// Rounding, sign, order and neighbours.
#include "Basic.h"
#include "Complex.h"
#include "Kernels.h"
#include "Ufuncs.h"

using namespace mlir;

namespace dovetail::scalar {

static bool isFloat(Value x) { return isa<FloatType>(x.getType()); }
static bool isUnsigned(ScalarBuilder &b) { return b.elementType.isUnsignedInteger() || b.elementType.isInteger(1); }

static Real floorReal(Real x) {
  Real result = floor(x);
  // A negative subnormal, which the instruction may read as zero.
  int64_t sign = x.pick(INT32_MIN, INT64_MIN), minNormal = powerBits(x, 1 - x.bias());
  return select(ult(bits(x) - (sign + 1), minNormal - 1), -1.0, result);
}

Value floor(ScalarBuilder &b, Value x) { return onReal(b, x, floorReal); }

Value ceil(ScalarBuilder &b, Value x) {
  return onReal(b, x, [](Real x) { return -floorReal(-x); });
}

Value trunc(ScalarBuilder &b, Value x) {
  // A copied sign would be recognized as LLVM's trunc; see isIntegral.
  return onReal(b, x, [](Real x) { return asReal(bits(floor(abs(x))) | signBit(x)); });
}

Value fraction(ScalarBuilder &b, Value x) {
  return onReal(b, x, [](Real x) {
    Real magnitude = abs(x);
    return copysign(select(magnitude == x.infinity(), 0.0, magnitude - floor(magnitude)), x);
  });
}

Real roundEvenOf(Real x) {
  // Adding 2^23 (f32) leaves no bits for a fraction and rounds as required; it is subtracted again as an integer.
  Real magnitude = abs(x), unit = x.constant(0x1p23f, 0x1p52);
  Real rounded = fractionToReal(bits(magnitude + unit) - bits(unit));
  return copysign(select(magnitude < unit, rounded, magnitude), x);
}

Value round_even(ScalarBuilder &b, Value x) { return onReal(b, x, roundEvenOf); }

Value round_away(ScalarBuilder &b, Value x) {
  return onReal(b, x, [](Real x) {
    Real magnitude = abs(x), below = floor(magnitude);
    return copysign(select(magnitude - below >= 0.5, below + 1.0, below), x);
  });
}

Value reducePrecision(ScalarBuilder &b, Value x, int64_t exponentBits, int64_t mantissaBits) {
  auto type = cast<FloatType>(x.getType());
  if (isSmall(type)) {
    // Excess bits are detected in the original format.
    int64_t fraction = type.getFPMantissaWidth() - 1, exponent = type.getWidth() - 1 - fraction;
    Value reduced = reducePrecision(b, widen(b, x), exponentBits < exponent ? exponentBits : 8,
                                    mantissaBits < fraction ? mantissaBits : 23);
    return narrow(b, reduced, type);
  }
  int64_t width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1, exponent = width - 1 - fraction;
  auto power = [&](int64_t unbiased) { return (unbiased + (int64_t(1) << (exponent - 1)) - 1) << fraction; };
  Int pattern = {{&b, arith::BitcastOp::create(b, b.getIntegerType(width), x)}};
  Int magnitude = pattern & ((uint64_t(1) << (width - 1)) - 1), sign = pattern ^ magnitude, reduced = magnitude;
  Int infinity = pattern.constant(((int64_t(1) << exponent) - 1) << fraction), zero = pattern.constant(0);
  if (mantissaBits < fraction) {
    int64_t dropped = fraction - mantissaBits;
    Int odd = shr(magnitude, dropped) & 1;
    reduced = (magnitude + odd + ((int64_t(1) << (dropped - 1)) - 1)) & -(int64_t(1) << dropped);
  }
  if (exponentBits < exponent) {
    int64_t bias = (int64_t(1) << (exponentBits - 1)) - 1;
    reduced = select(reduced < power(bias + 1), reduced, infinity);
    reduced = select(reduced < power(1 - bias), zero, reduced);
  }
  // NaNs are preserved.
  reduced = select(magnitude > infinity, magnitude, reduced);
  return arith::BitcastOp::create(b, type, (reduced | sign).v);
}

Value sign(ScalarBuilder &b, Value x) {
  if (isa<ComplexType>(x.getType()))
    return complexSign(b, x);
  if (isFloat(x))
    return onReal(b, x, [](Real x) {
      int64_t last = infinityBits(x);
      return select(ult(magnitudeBits(x) - 1, last), copysign(x.constant(1.0), x), x);
    });
  Int value = {{&b, x}}, zero = value.constant(0), one = value.constant(1);
  Int nonzero = select(value == 0, zero, one);
  return (isUnsigned(b) ? nonzero : select(value < 0, value.constant(-1), nonzero)).v;
}

Value abs(ScalarBuilder &b, Value x) {
  if (isa<ComplexType>(x.getType()))
    return complexAbs(b, x);
  if (isFloat(x))
    return isSmall(x.getType()) ? onReal(b, x, [](Real x) { return abs(x); }) : math::AbsFOp::create(b, x).getResult();
  Int value = {{&b, x}};
  return isUnsigned(b) ? x : smax(value, value.constant(0) - value).v;
}

Value is_finite(ScalarBuilder &b, Value x) {
  Real real = {{&b, isNarrow(x.getType()) ? widen(b, x) : x}};
  return ult(magnitudeBits(real), infinityBits(real)).v;
}

Value nextafter(ScalarBuilder &b, Value x, Value y) {
  // On bit patterns of any width, which are ordered like the magnitudes.
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  Int from = {{&b, arith::BitcastOp::create(b, type, x)}}, to = {{&b, arith::BitcastOp::create(b, type, y)}};
  int64_t signMask = int64_t(uint64_t(-1) << (width - 1));
  Int fromMagnitude = from & ~signMask, toMagnitude = to & ~signMask;
  Bool sameSign = (from ^ to) >= 0;
  Bool grows = sameSign & (fromMagnitude < toMagnitude);
  Int next = select(grows, from + 1, from - 1);
  next = select(fromMagnitude == 0, (to & signMask) | 1, next);
  if (isa<Float8E4M3B11FNUZType, Float8E4M3FNUZType, Float8E5M2FNUZType>(x.getType()))
    next = select(next == signMask, next.constant(0), next); // These have no -0.
  next = select((from == to) | ((fromMagnitude | toMagnitude) == 0), to, next);
  Value result = arith::BitcastOp::create(b, x.getType(), next.v);
  // NaN of one argument or both.
  return onReals(b, {x, y, result}, [](ArrayRef<Real> args) {
    Real x = args[0], y = args[1];
    return select(isNan(x), x, select(isNan(y), y, args[2]));
  });
}

Value copysign(ScalarBuilder &b, Value x, Value y) {
  return onReals(b, {x, y}, [](ArrayRef<Real> args) { return copysign(args[0], args[1]); });
}

Value heaviside(ScalarBuilder &b, Value x, Value y) {
  return onReals(b, {x, y}, [](ArrayRef<Real> args) {
    Real x = args[0], above = select(x > 0, 1.0, x);
    return select(x < 0, 0.0, select(x == 0, args[1], above));
  });
}

/// Reductions recognize the plain op, so floats get nothing else, except where IREE is wrong: it has no arithmetic for
/// the small ones, and its pass that writes the maximum of f16 in f32 crashes on vectors.
template <typename Float, typename Unsigned, typename Signed>
static Value extremum(ScalarBuilder &b, Value x, Value y) {
  if (isSmall(x.getType()) || x.getType().isF16())
    return onReals(b, {x, y}, [&](ArrayRef<Real> args) { return Real{{&b, Float::create(b, args[0].v, args[1].v)}}; });
  if (isFloat(x))
    return Float::create(b, x, y);
  return isUnsigned(b) ? Unsigned::create(b, x, y).getResult() : Signed::create(b, x, y).getResult();
}

/// The first of two complex numbers in lexicographic order; the first NaN, if any.
static Value firstInOrder(ScalarBuilder &b, Value x, Value y, arith::CmpFPredicate isBefore) {
  Value equalReal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, real(b, x), real(b, y));
  Value before = select(b, equalReal, arith::CmpFOp::create(b, isBefore, imag(b, x), imag(b, y)),
                        arith::CmpFOp::create(b, isBefore, real(b, x), real(b, y)));
  auto isNan = [&](Value z) { return notEqual(b, z, z); };
  // If only y is NaN, no comparison may keep x.
  Value isX = select(b, isNan(y), isNan(x), bitOr(b, before, isNan(x)));
  return select(b, isX, x, y);
}

Value max(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return firstInOrder(b, x, y, arith::CmpFPredicate::OGT);
  return extremum<arith::MaximumFOp, arith::MaxUIOp, arith::MaxSIOp>(b, x, y);
}

Value min(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return firstInOrder(b, x, y, arith::CmpFPredicate::OLT);
  return extremum<arith::MinimumFOp, arith::MinUIOp, arith::MinSIOp>(b, x, y);
}

Value clamp(ScalarBuilder &b, Value low, Value x, Value high) { return min(b, max(b, x, low), high); }

} // namespace dovetail::scalar
