// Inverse trigonometric functions: asin, acos, atan, atan2.
#include "Complex.h"
#include "Kernels.h"

using namespace mlir;

namespace dovetail::scalar {

// (atan t - t) / t^3 in z = t^2 on |t| <= 1/2, minimax in the relative error: degree 4, 2^-27.4; degree 11, 2^-57.7.
static constexpr float atanSingle[] = {-0x1.555512p-2f, 0x1.997b06p-3f, -0x1.2249b8p-3f, 0x1.9ffc1ep-4f,
                                       -0x1.a3dc34p-5f};
static constexpr double atanDouble[] = {-0x1.5555555555515p-2, 0x1.9999999990f14p-3,  -0x1.24924921517aep-3,
                                        0x1.c71c708c9f278p-4,  -0x1.745cf45ea4242p-4, 0x1.3b113710e63a2p-4,
                                        -0x1.10f2da7b471fcp-4, 0x1.dfe5d40c0352bp-5,  -0x1.a3882e320d4cap-5,
                                        0x1.56c82ce79a773p-5,  -0x1.c0ed219e3c780p-6, 0x1.4ab64f879f123p-7};
static constexpr Polynomial atanTail = {atanSingle, atanDouble};

// (asin t - t) / t^3 in z = t^2 on |t| <= 1/2, minimax in the relative error: degree 4, 2^-27.5; degree 11, 2^-55.8.
static constexpr float asinSingle[] = {0x1.5555cap-3f, 0x1.33015ep-4f, 0x1.748c86p-5f, 0x1.8b93cp-6f, 0x1.59f1aep-5f};
static constexpr double asinDouble[] = {0x1.5555555555389p-3, 0x1.333333336f5ffp-4,  0x1.6db6db41e1075p-5,
                                        0x1.f1c72c6d438c2p-6, 0x1.6e89ef17b8964p-6,  0x1.1c6c333362c13p-6,
                                        0x1.c6f72f7bbe61fp-7, 0x1.8eefdeab51cc9p-7,  0x1.aa3cd6e7f12d6p-8,
                                        0x1.4111544524c36p-6, -0x1.0b9fa38332635p-6, 0x1.060fb56490b96p-5};
static constexpr Polynomial asinTail = {asinSingle, asinDouble};

/// The splits of pi/4: the high part has 20 (49) bits, so that its small multiples are exact.
static Real quarterPiHigh(Real x) { return x.constant(0x1.921fcp-1f, 0x1.921fb54442d2p-1); }
static Real quarterPiLow(Real x) { return x.constant(-0x1.5777a6p-22f, -0x1.ee59d9cceba4p-51); }

/// base pi/4 + direction atan(n/d) for 0 <= n <= d; `base` and `direction` (1 or -1) encode octant and half-plane.
static Real atanOf(Real n, Real d, Real base, Real direction) {
  // atan(n/d) = pi/4 + atan((n - d)/(n + d)), where n - d is exact from 1/2 on.
  Bool upper = n > 0.5 * d;
  Real t = select(upper, n - d, n) / select(upper, n + d, d);
  Real z = t * t;
  Real angle = direction * (t + t * z * horner(z, atanTail));
  base = base + select(upper, direction, 0.0);
  return base * quarterPiHigh(n) + (base * quarterPiLow(n) + angle);
}

static Real atanReal(Real x) {
  Real magnitude = abs(x), one = x.constant(1.0);
  Bool inverted = magnitude > one;
  Real result = atanOf(select(inverted, one, magnitude), select(inverted, magnitude, one),
                       select(inverted, x.constant(2.0), x.constant(0.0)), select(inverted, x.constant(-1.0), one));
  return select(magnitude < x.constant(0x1p-13f, 0x1p-27), x, copysign(result, x));
}

static Real atan2Real(Real y, Real x) {
  Int yBits = magnitudeBits(y), xBits = magnitudeBits(x);
  Bool inverted = yBits > xBits, left = bits(x) < 0;
  Int larger = select(inverted, yBits, xBits), smaller = select(inverted, xBits, yBits);
  Scaled numerator = normalize(smaller), denominator = normalize(larger);

  // The ratio, clamped to at least 2^-limit, below which only the ratio itself differs from zero.
  int64_t limit = x.pick(30, 60);
  Int gap = denominator.exponent - numerator.exponent;
  Bool far = gap > limit;
  Real n = shiftExponent(numerator.significand, smax(gap.constant(-limit), gap.constant(0) - gap));
  Bool vanishes = (smaller == 0) | ((larger == infinityBits(x)) & (smaller != infinityBits(x)));
  n = select(vanishes, 0.0, n);

  Real zero = x.constant(0.0), one = x.constant(1.0);
  Real base = select(inverted, x.constant(2.0), select(left, x.constant(4.0), zero));
  Real result = atanOf(n, denominator.significand, base, select(inverted ^ left, x.constant(-1.0), one));

  Int exponent = smax(gap.constant(0) - gap, gap.constant(x.pick(-200, -1200)));
  Real tiny = ldexp({result * std::ldexp(1.0, limit), exponent});
  result = select(far & (base == 0) & (n != 0), tiny, result);
  return select(x != x, x, select(y != y, y, copysign(result, y)));
}

namespace {
/// asin t = high + low for t = |x| up to 1/2, or else t = sqrt((1 - |x|)/2), from where asin |x| = pi/2 - 2 asin t.
struct HalfAsin {
  Bool folded;
  Real high, low;
};
} // namespace

static HalfAsin halfAsin(Real x) {
  Real magnitude = abs(x);
  Bool folded = magnitude > 0.5;
  Real z = select(folded, 0.5 - 0.5 * magnitude, x * x);
  Real root = squareRoot(z);
  // The root is short, so that a difference with it is exact; the rest of it comes from the remainder.
  Real shortRoot = top(root);
  Real rest = (z - shortRoot * shortRoot) / (root + shortRoot + 0x1p-100);
  Real t = select(folded, root, magnitude);
  Real tail = t * z * horner(z, asinTail);
  return {folded, select(folded, shortRoot, magnitude), select(folded, rest + tail, tail)};
}

static Real asinReal(Real x) {
  HalfAsin half = halfAsin(x);
  Real folded = (2.0 * quarterPiHigh(x) - 2.0 * half.high) - (2.0 * half.low - 2.0 * quarterPiLow(x));
  Real result = copysign(select(half.folded, folded, half.high + half.low), x);
  return select(abs(x) < x.constant(0x1p-13f, 0x1p-27), x, result);
}

static Real acosReal(Real x) {
  HalfAsin half = halfAsin(x);
  // The result is base pi/4 - scale asin t.
  Bool left = x < 0;
  Real scale = select(half.folded, x.constant(2.0), x.constant(1.0));
  scale = select(half.folded ^ left, -scale, scale);
  Real base = select(half.folded, select(left, x.constant(4.0), x.constant(0.0)), x.constant(2.0));
  return (base * quarterPiHigh(x) - scale * half.high) - (scale * half.low - base * quarterPiLow(x));
}

Value asin(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexAsin(b, x) : onReal(b, x, asinReal);
}

Value acos(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexAcos(b, x) : onReal(b, x, acosReal);
}

Value atan(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexAtan(b, x) : onReal(b, x, atanReal);
}

Value atan2(ScalarBuilder &b, Value y, Value x) {
  return onReals(b, {y, x}, [](ArrayRef<Real> args) { return atan2Real(args[0], args[1]); });
}

} // namespace dovetail::scalar
