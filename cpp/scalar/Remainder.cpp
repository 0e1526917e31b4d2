// The exact remainder of floats, without a loop, and division that rounds down.
#include "Kernels.h"

using namespace mlir;

namespace dovetail::scalar {

namespace {
/// Residues modulo an integer with its highest of fractionBits + 1 bits set, so that the quotient of any product of two
/// fits that many bits.
struct Modulus {
  Int m;
  Real inverse;
};
} // namespace

static Int nearInteger(Real x) {
  // The plain conversions have no vector form for 64 bits on older processors, but here they keep all bits.
  return {{x.b, arith::FPToSIOp::create(*x.b, x.b->getIntegerType(x.width()), x.v)}};
}
static Real floatOf(Int x) {
  Type type = x.width() == 64 ? Type(x.b->getF64Type()) : Type(x.b->getF32Type());
  return {{x.b, arith::SIToFPOp::create(*x.b, type, x.v)}};
}

/// a b modulo m: the quotient is estimated in floats; the difference is small, and therefore right modulo the word
/// size.
static Int multiply(Int a, Int b, const Modulus &modulus) {
  Int quotient = nearInteger(floatOf(a) * modulus.inverse * floatOf(b));
  Int residue = a * b - quotient * modulus.m;
  // The estimate is off by a few units either way; a negative number is a huge unsigned one.
  Int twice = modulus.m + modulus.m;
  residue = umin(residue, residue + twice);
  residue = umin(residue, residue - twice);
  return umin(residue, residue - modulus.m);
}

Real remOf(Real x, Real y) {
  int fraction = x.fractionBits();
  Int xBits = magnitudeBits(x), yBits = magnitudeBits(y);
  Scaled dividend = normalize(xBits), divisor = normalize(yBits);
  Int unit = xBits.constant(int64_t(1) << fraction);
  auto integer = [&](const Scaled &v) { return (bits(v.significand) & (unit - 1)) | unit; };
  Modulus modulus = {integer(divisor), std::ldexp(1.0, -fraction) / divisor.significand};

  // x = X 2^d with the exponent of y, and 2^d = (2^(d >> steps))^(2^steps) 2^(d mod 2^steps), where no power exceeds
  // the modulus, but for one doubling in f64.
  int steps = x.pick(4, 6);
  Int d = dividend.exponent - divisor.exponent;
  d = smax(d, d.constant(0));
  Int power = shl(d.constant(1), shr(d, steps));
  for (int i = 0; i < steps; ++i) {
    power = multiply(power, power, modulus);
    if (x.isDouble() && i == 0) {
      Int doubled = power + power;
      power = select((d & 32) != 0, umin(doubled, doubled - modulus.m), power);
    }
  }
  Int rest = d & (x.pick(16, 32) - 1);
  Int residue = multiply(multiply(power, shl(d.constant(1), rest), modulus), integer(dividend), modulus);

  // residue 2^(exponent of y - fraction) is a float without rounding.
  Scaled parts = {floatOf(residue) * std::ldexp(1.0, -fraction), divisor.exponent};
  Real result = select(residue == 0, 0.0, ldexp(parts));
  result = select(xBits < yBits, asReal(xBits), result);
  int64_t infinity = infinityBits(x);
  result = select(ult(xBits, infinity) & ult(yBits - 1, infinity), copysign(result, x), x.nan());
  return select(x != x, x, select(y != y, y, result));
}

/// True where the remainder of truncating division by y differs from that of flooring division.
static Bool hasOtherSign(Real rest, Real y) { return (magnitudeBits(rest) != 0) & ((bits(rest) ^ bits(y)) < 0); }

Real floorDivOf(Real x, Real y) {
  // floor(x / y) alone is one too large where x / y rounds up.
  Real rest = remOf(x, y), quotient = (x - rest) / y;
  quotient = roundEvenOf(select(hasOtherSign(rest, y), quotient - 1.0, quotient));
  // Infinite and undefined quotients keep the value of the division.
  return select(y == 0, x / y, quotient);
}

Real floorRemOf(Real x, Real y) {
  Real rest = remOf(x, y);
  return select(hasOtherSign(rest, y), rest + y, rest);
}

} // namespace dovetail::scalar
