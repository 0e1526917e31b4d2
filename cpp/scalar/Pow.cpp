// Powers: pow of floats with a logarithm in two parts, pow of integers, and integerPow by repeated squaring.
#include "Complex.h"
#include "Kernels.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dovetail::scalar {

// (log2(m) - c (s + s^3/3)) / s^5 in z = s^2, where c = 2/log(2), m = (1+s)/(1-s) in [sqrt(1/2), sqrt(2)], minimax in
// the relative error of log2: degree 2, 2^-36.7; degree 7, 2^-73.4.
static constexpr float log2Single[] = {0x1.27770ep-1f, 0x1.a5bbf2p-2f, 0x1.59efb4p-2f};
static constexpr double log2Double[] = {0x1.2776c50ef9bfcp-1, 0x1.a61762a7aede3p-2, 0x1.484b13d6ac66ep-2,
                                        0x1.0c9a853b4688bp-2, 0x1.c68ee92c6666dp-3, 0x1.8a09c0657a752p-3,
                                        0x1.58fc0ff330eedp-3, 0x1.61f75f8fad7a3p-3};
static constexpr Polynomial log2Tail = {log2Single, log2Double};

namespace {
/// high + low, where high has a short significand.
struct TwoPart {
  Real high, low;
};
} // namespace

/// log2 of a positive number to about one and a half times the precision of the format.
static TwoPart log2Parts(Int magnitude) {
  Scaled x = centered(magnitude);
  Real m = x.significand, k = toReal(x.exponent);
  // s = (m - 1)/(m + 1) = sHigh + sLow.
  Real f = m - 1.0, d = m + 1.0, inverse = 1.0 / d;
  Real dHigh = top(d), dLow = m - (dHigh - 1.0);
  Real s = f * inverse;
  Real sHigh = top(s), sLow = ((f - sHigh * dHigh) - sHigh * dLow) * inverse;
  // s^3 = cubeHigh + cubeLow.
  Real z = s * s;
  Real square = sHigh * sHigh, squareHigh = top(square), squareLow = (square - squareHigh) + sLow * (s + sHigh);
  Real cube = sHigh * squareHigh, cubeHigh = top(cube);
  Real cubeLow = (cube - cubeHigh) + (sHigh * squareLow + sLow * z);
  // The coefficients of s and s^3, split alike: the products of high parts are exact.
  Real first = m.constant(0x1.716p+1f, 0x1.7154768p+1) * sHigh;
  Real firstLow = m.constant(-0x1.7135a8p-12f, -0x1.6a3e80f444178p-26);
  Real third = m.constant(0x1.ec8p-1f, 0x1.ec709ep-1) * cubeHigh;
  Real thirdLow = m.constant(-0x1.ec478cp-14f, -0x1.e2fe0145b01f5p-28);
  double c = 0x1.71547652b82fep+1;
  Real low = firstLow * sHigh + c * sLow + (thirdLow * cubeHigh + (c / 3) * cubeLow);
  low = low + s * z * z * horner(z, log2Tail);
  Real high = top(k + (first + (third + low)));
  return {high, (((k - high) + first) + third) + low};
}

static Real powReal(Real x, Real y) {
  Int xBits = magnitudeBits(x), yBits = magnitudeBits(y);
  int64_t infinity = infinityBits(x);
  TwoPart log = log2Parts(xBits);

  // A tiny or huge exponent is replaced by one with the same result, so that nothing underflows or overflows.
  int bound = x.pick(34, 66);
  Real bounded = select(yBits < powerBits(y, -bound), std::ldexp(1.0, -bound), y);
  bounded = select(yBits > powerBits(y, bound), copysign(y.constant(std::ldexp(1.0, bound)), y), bounded);
  Real yHigh = top(bounded), yLow = bounded - yHigh;
  Real high = yHigh * log.high, low = yLow * log.high + bounded * log.low;

  Real exponent = high + low;
  Real largest = x.constant(128.0f, 1024.0), smallest = x.constant(-151.0f, -1076.0);
  Bool underflows = exponent < smallest;
  Real clamped = select(exponent > largest, largest, select(underflows, smallest, exponent));
  Real k = nearestInteger(clamped), r = (high - k) + low;
  Real result = ldexp({exp2Around(r), toInt(k)});
  result = select((k == largest) & (r >= 0), x.infinity(), select(underflows, 0.0, result));

  Bool xZero = xBits == 0, yNegative = bits(y) < 0;
  Bool xSpecial = xZero | (xBits == infinity);
  result = select(xSpecial, select(xZero ^ yNegative, x.constant(0.0), x.infinity()), result);
  // For a negative base, the question is whether the exponent is integral, and odd.
  Real halved = bounded * 0.5;
  Bool integral = bounded - floor(bounded) == 0, even = halved - floor(halved) == 0;
  result = asReal(bits(result) ^ select(integral & !even, signBit(x), bits(x).constant(0)));
  result = select((bits(x) < 0) & !xSpecial & !integral, x.nan(), result);
  result = select(Bool{{x.b, arith::CmpFOp::create(*x.b, arith::CmpFPredicate::UNO, x.v, y.v)}}, x + y, result);
  return select((yBits == 0) | (x == 1), 1.0, result);
}

/// x^y modulo 2^width by squaring, with a loop, since the bits of y are not known before.
static Value integerPower(ScalarBuilder &b, Value x, Value y) {
  Type type = x.getType();
  Int base = {{&b, x}}, exponent = {{&b, y}}, one = base.constant(1), zero = base.constant(0);
  bool isSigned = !b.elementType.isUnsignedInteger();
  Bool negative = exponent < 0;
  // Only the reciprocals of 1 and -1 are nonzero; for these, the exponent's parity decides.
  if (isSigned)
    exponent = select(negative, exponent & 1, exponent);
  auto loop = scf::WhileOp::create(
      b, TypeRange{type, type, type}, ValueRange{one.v, base.v, exponent.v},
      [&](OpBuilder &inner, Location loc, ValueRange carry) {
        Value more = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne, carry[2], zero.v);
        scf::ConditionOp::create(inner, loc, more, carry);
      },
      [&](OpBuilder &inner, Location loc, ValueRange carry) {
        ScalarBuilder body(loc, inner, b.elementType);
        Int power = {{&body, carry[0]}}, square = {{&body, carry[1]}}, rest = {{&body, carry[2]}};
        power = select((rest & 1) != 0, power * square, power);
        scf::YieldOp::create(body, ValueRange{power.v, (square * square).v, shr(rest, 1).v});
      });
  Int result = {{&b, loop.getResult(0)}};
  if (isSigned)
    result = select(negative & (base != 1) & (base != -1), zero, result);
  return result.v;
}

Value pow(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return complexPow(b, x, y);
  if (isa<IntegerType>(x.getType()))
    return integerPower(b, x, y);
  return onReals(b, {x, y}, [](ArrayRef<Real> args) { return powReal(args[0], args[1]); });
}

/// The product of x^(2^i) over the bits of `exponent`, which is not zero.
static Value repeatedSquaring(Value x, uint64_t exponent, llvm::function_ref<Value(Value, Value)> multiply) {
  Value power;
  for (;; x = multiply(x, x)) {
    if (exponent & 1)
      power = power ? multiply(power, x) : x;
    if (!(exponent >>= 1))
      return power;
  }
}

Value integerPow(ScalarBuilder &b, Value x, int64_t exponent) {
  uint64_t magnitude = exponent < 0 ? -uint64_t(exponent) : exponent;
  if (auto type = dyn_cast<ComplexType>(x.getType())) {
    auto part = [&](double value) { return b.getFloatAttr(type.getElementType(), value); };
    Value one = complex::ConstantOp::create(b, type, b.getArrayAttr({part(1), part(0)}));
    if (exponent == 0)
      return one;
    Value power = repeatedSquaring(x, magnitude, [&](Value x, Value y) { return complexMul(b, x, y); });
    return exponent < 0 ? complexDiv(b, one, power) : power;
  }
  if (isa<IntegerType>(x.getType())) {
    Int base = {{&b, x}};
    // Only the reciprocals of 1 and -1 are nonzero; for these, the exponent's parity decides.
    if (exponent < 0)
      magnitude &= 1;
    auto multiply = [&](Value x, Value y) { return arith::MulIOp::create(b, x, y).getResult(); };
    Int power = magnitude == 0 ? base.constant(1) : Int{{&b, repeatedSquaring(x, magnitude, multiply)}};
    if (exponent >= 0)
      return power.v;
    Bool isUnit = base == 1;
    if (!b.elementType.isUnsignedInteger())
      isUnit = isUnit | (base == -1);
    return select(isUnit, power, base.constant(0)).v;
  }
  // Each product is rounded, and squaring doubles earlier rounding errors: beyond these exponents the error exceeds 4
  // ulp. The bound keeps the exponent exact in every format.
  bool byProducts = -4 <= exponent && exponent <= 5, isExact = magnitude < (uint64_t(1) << 24);
  return onReal(b, x, [&](Real x) {
    if (exponent == 0)
      return x.constant(1.0);
    if (!byProducts && isExact)
      return powReal(x, x.constant(double(exponent)));
    auto multiply = [&](Value x, Value y) { return arith::MulFOp::create(b, x, y).getResult(); };
    Real power = {{&b, repeatedSquaring(x.v, magnitude, multiply)}};
    return exponent < 0 ? 1.0 / power : power;
  });
}

} // namespace dovetail::scalar
