// Roots: sqrt, rsqrt, cbrt, hypot.
#include "Complex.h"
#include "Kernels.h"
#include "Ufuncs.h"

using namespace mlir;

namespace dovetail::scalar {

// m^(-1/3) on [1, 2], minimax in the relative error: degree 3, 2^-11.9; degree 6, 2^-20.1.
static constexpr float cbrtSingle[] = {0x1.8ab914p+0f, -0x1.9eb302p-1f, 0x1.4562p-2f, -0x1.99151ap-5f};
static constexpr double cbrtDouble[] = {0x1.e1394cp+0, -0x1.fc417ap+0, 0x1.fa1b3ep+0, -0x1.45fa5cp+0,
                                        0x1.010444p-1, -0x1.c43b38p-4, 0x1.5467c6p-7};
static constexpr Polynomial cbrtInverse = {cbrtSingle, cbrtDouble};

namespace {
/// sqrt(x) = root * scale, where a subnormal x is read as an integer and scaled by an even power of two.
struct ScaledRoot {
  Bool subnormal;
  Real root;
  int power;
};
} // namespace

static ScaledRoot scaledRoot(Real x) {
  Int pattern = bits(x);
  int64_t minNormal = powerBits(x, 1 - x.bias());
  Bool subnormal = ult(magnitudeBits(x) - 1, minNormal - 1);
  // x = integer * 2^-149 in f32 and * 2^-1074 in f64.
  Real integer = fractionToReal(pattern) * x.constant(2.0f, 1.0);
  return {subnormal, squareRoot(select(subnormal, integer, x)), x.isDouble() ? -537 : -75};
}

static Real sqrtReal(Real x) {
  ScaledRoot scaled = scaledRoot(x);
  return select(scaled.subnormal, scaled.root * std::ldexp(1.0, scaled.power), scaled.root);
}

static Real rsqrtReal(Real x) {
  ScaledRoot scaled = scaledRoot(x);
  Real inverse = 1.0 / scaled.root;
  return select(scaled.subnormal, inverse * std::ldexp(1.0, -scaled.power), inverse);
}

static Real cbrtReal(Real x) {
  Int pattern = magnitudeBits(x);
  Scaled parts = normalize(pattern);
  // |x| = m 2^remainder * 2^(3 third).
  int64_t offset = x.pick(150, 1200);
  Int positive = parts.exponent + offset;
  Int third = shr(positive * 43691, 17);
  Int remainder = positive - third * 3;
  Real m = parts.significand;
  Real y = shiftExponent(m, remainder);
  Real factor = select(remainder == 0, x.constant(1.0),
                       select(remainder == 1, x.constant(0x1.965fea53d6e3dp-1), x.constant(0x1.428a2f98d728bp-1)));
  Real t = horner(m, cbrtInverse) * factor;
  // One step of third order towards y^(-1/3).
  Real h = 1.0 - y * t * t * t;
  t = t + t * h * (1.0 / 3 + h * (2.0 / 9 + h * (14.0 / 81)));
  Real root = y * t * t;
  // The residual of a short root is exact, and corrects it.
  Real shortRoot = top(root), square = shortRoot * shortRoot, squareHigh = top(square);
  Real residual = (y - squareHigh * shortRoot) - (square - squareHigh) * shortRoot;
  Real correction = residual * (t * t * (1.0 / 3)) * (1.0 + (root - shortRoot) * t);
  Real result = copysign(shiftExponent(shortRoot + correction, third - offset / 3), x);
  return select(ult(pattern - 1, infinityBits(x) - 1), result, x + x);
}

static Real hypotReal(Real x, Real y) {
  // Magnitudes order as their bits do, NaN above all others.
  Int xBits = magnitudeBits(x), yBits = magnitudeBits(y);
  Real high = asReal(smax(xBits, yBits)), low = asReal(smin(xBits, yBits));
  Real ratio = low / select(high == 0, 1.0, high);
  Real result = select(high == 0, high, high * squareRoot(ratio * ratio + 1.0));
  int64_t infinity = infinityBits(x);
  return select((xBits == infinity) | (yBits == infinity), x.infinity(), result);
}

Value sqrt(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexSqrt(b, x) : onReal(b, x, sqrtReal);
}

Value rsqrt(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexRsqrt(b, x) : onReal(b, x, rsqrtReal);
}

Value cbrt(ScalarBuilder &b, Value x) { return onReal(b, x, cbrtReal); }

Value hypot(ScalarBuilder &b, Value x, Value y) {
  return onReals(b, {x, y}, [](ArrayRef<Real> args) { return hypotReal(args[0], args[1]); });
}

} // namespace dovetail::scalar
