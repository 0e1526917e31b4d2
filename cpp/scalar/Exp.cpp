// Exponentials: exp, exp2, expm1, logistic.
#include "Complex.h"
#include "Kernels.h"

using namespace mlir;

namespace dovetail::scalar {

// (exp(r) - 1 - r) / r^2 on |r| <= log(2)/2, minimax in the error of exp: degree 5, 2^-31.2; degree 9, 2^-57.9.
static constexpr float expSingle[] = {0x1p-1f,        0x1.55553cp-3f,  0x1.5554f2p-5f,
                                      0x1.11371ap-7f, 0x1.6d412ep-10f, 0x1.6ba196p-13f};
static constexpr double expDouble[] = {
    0x1.000000000000ap-1,  0x1.5555555555502p-3,  0x1.5555555550605p-5,  0x1.11111111251ddp-7,  0x1.6c16c184b49f5p-10,
    0x1.a01a013b71256p-13, 0x1.a019989491adfp-16, 0x1.71def945faf31p-19, 0x1.28aecb035f0c6p-22, 0x1.adcd2d4b4c36cp-26};
static constexpr Polynomial expTail = {expSingle, expDouble};

// (2^r - 1) / r on |r| <= 1/2, minimax in the error of 2^r: degree 6, 2^-32.4; degree 10, 2^-57.
static constexpr float exp2Single[] = {0x1.62e43p-1f,   0x1.ebfbep-3f,   0x1.c6b06ep-5f, 0x1.3b2a3cp-7f,
                                       0x1.5da80ap-10f, 0x1.4431e6p-13f, 0x1.db29dcp-17f};
static constexpr double exp2Double[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5b3p-3,  0x1.c6b08d704a26ep-5,
                                        0x1.3b2ab6fb9da2ep-7,  0x1.5d87fe784554dp-10, 0x1.43091316a4907p-13,
                                        0x1.ffcbfe651ce5ap-17, 0x1.62bfb444d5e7bp-20, 0x1.b5208fb8bee0cp-24,
                                        0x1.e63c0ddb36897p-28, 0x1.f0c1c73f4b970p-32};
static constexpr Polynomial exp2Tail = {exp2Single, exp2Double};

static constexpr double log2e = 0x1.71547652b82fep+0;

Real ldexp(Scaled x) {
  Real m = x.significand;
  int fraction = m.fractionBits();
  Int normal = bits(m) + shl(x.exponent, fraction);
  // A subnormal is the integer x / 2^-149 (f32), which an addition of 2^23 rounds to nearest even.
  double unit = m.isDouble() ? 0x1p52 : 0x1p23;
  // Modulo 2^64, as the code computes.
  int64_t least = uint64_t(powerBits(m, m.bias() + fraction - 1)) - uint64_t(powerBits(m, 0));
  Int subnormal = bits(asReal(normal + least) + unit) - bits(m.constant(unit));
  return asReal(select(normal < powerBits(m, 1 - m.bias()), subnormal, normal));
}

Real shiftExponent(Real x, Int k) { return asReal(bits(x) + shl(k, x.fractionBits())); }

/// exp(r) - 1 for |r| <= log(2)/2.
static Real expm1Around(Real r) { return r + r * r * horner(r, expTail); }

/// x - k log(2), up to the low part of log(2).
static Real reducedByHigh(Real x, Real k) { return x - opaque(k * Ln2::high(x)); }

Scaled expParts(Real x) {
  Real k = nearestInteger(x * log2e);
  return {1.0 + expm1Around(reducedByHigh(x, k) - k * Ln2::low(x)), toInt(k)};
}

Scaled expPartsLess1(Real high, Real low) {
  Real k = nearestInteger(high * log2e);
  return {expm1Around(reducedByHigh(high, k) - (k * Ln2::low(high) - low)), toInt(k)};
}

Real expOf(Real x) {
  // Past `largest` the result is infinite; NaN takes the same path.
  Real largest = x.constant(0x1.62e42ep+6f, 0x1.62e42fefa39efp+9);
  Real smallest = x.constant(-104.0f, -745.5);
  Bool finite = x <= largest;
  Real clamped = select(finite, x, largest);
  clamped = select(clamped > smallest, clamped, smallest);
  return select(finite, ldexp(expParts(clamped)), x + x.infinity());
}

Scaled expm1Parts(Real x) {
  Real k = nearestInteger(x * log2e);
  Real rHigh = reducedByHigh(x, k);
  Real rLow = k * Ln2::low(x);
  Real r = rHigh - rLow;
  Int exponent = toInt(k);
  // exp(x) - 1 = 2^k ((1 - 2^-k) + r + r^2 q(r)), where 1 - 2^-k is exact as long as it matters.
  Real unit =
      asReal(shl(exponent.constant(x.bias()) - smin(exponent, exponent.constant(x.bias() - 1)), x.fractionBits()));
  return {((1.0 - unit) + rHigh) + (r * r * horner(r, expTail) - rLow), exponent};
}

Real exp2Around(Real r) { return 1.0 + r * horner(r, exp2Tail); }

Real exp2Of(Real x) {
  Real limit = x.constant(128.0f, 1024.0);
  Real smallest = x.constant(-150.0f, -1075.0);
  Bool finite = x < limit;
  Real clamped = select(finite, x, smallest);
  clamped = select(clamped > smallest, clamped, smallest);
  Real k = nearestInteger(clamped);
  Real r = clamped - k;
  return select(finite, ldexp({exp2Around(r), toInt(k)}), x + x.infinity());
}

static Real expm1Of(Real x) {
  Real largest = x.constant(0x1.62e42ep+6f, 0x1.62e42fefa39efp+9);
  double smallest = -60;
  Bool finite = x <= largest;
  Real clamped = select(finite, x, largest);
  clamped = select(clamped > x.constant(smallest), clamped, smallest);
  Scaled y = expm1Parts(clamped);
  Real result = select(finite, shiftExponent(y.significand, y.exponent), x + x.infinity());
  return select(abs(x) < x.constant(0x1p-26f, 0x1p-55), x, result);
}

static Real logisticOf(Real x) {
  Real smallest = x.constant(-104.0f, -745.5);
  Real negative = -abs(x);
  Real e = ldexp(expParts(select(negative > smallest, negative, smallest)));
  Real result = select(x < 0, e, 1.0) / (1.0 + e);
  // There the result is exp(x), which a division would flush if it is subnormal.
  result = select(x < x.constant(-60.0f, -600.0), e, result);
  return select(isNan(x), x, result);
}

Value exp(ScalarBuilder &b, Value x) { return isa<ComplexType>(x.getType()) ? complexExp(b, x) : onReal(b, x, expOf); }

Value exp2(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexExp2(b, x) : onReal(b, x, exp2Of);
}

Value expm1(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexExpm1(b, x) : onReal(b, x, expm1Of);
}

Value logistic(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexLogistic(b, x) : onReal(b, x, logisticOf);
}

} // namespace dovetail::scalar
