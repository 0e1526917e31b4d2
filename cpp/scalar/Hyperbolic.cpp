// Hyperbolic functions and their inverses.
#include "Complex.h"
#include "Kernels.h"

using namespace mlir;

namespace dovetail::scalar {

// (tanh x - x) / x^3 in z = x^2 on |x| <= 0.55, minimax in the relative error: degree 4, 2^-29.7; degree 10, 2^-60.4.
static constexpr float tanhSingle[] = {-0x1.55554ap-2f, 0x1.110ceep-3f, -0x1.b91e98p-5f, 0x1.58e774p-6f,
                                       -0x1.99385ap-8f};
static constexpr double tanhDouble[] = {-0x1.555555555554fp-2,  0x1.111111111075dp-3,  -0x1.ba1ba1b978308p-5,
                                        0x1.664f48580061ep-6,   -0x1.226e2edf63d94p-7, 0x1.d6d29274a18a5p-9,
                                        -0x1.7d8f55d6a4657p-10, 0x1.347f67e7e57d7p-11, -0x1.e94223cc279c2p-13,
                                        0x1.5cebfebf6abc1p-14,  -0x1.45b39e3ce8baep-16};
static constexpr Polynomial tanhTail = {tanhSingle, tanhDouble};

// (sinh x - x) / x^3 in z = x^2 on |x| <= 1, minimax in the relative error: degree 3, 2^-31.6; degree 6, 2^-61.7.
static constexpr float sinhSingle[] = {0x1.555556p-3f, 0x1.1110ep-7f, 0x1.a022bp-13f, 0x1.756fd4p-19f};
static constexpr double sinhDouble[] = {0x1.5555555555556p-3,  0x1.111111111101ep-7,  0x1.a01a01a03726ap-13,
                                        0x1.71de3a3b06151p-19, 0x1.ae646ff6d0d62p-26, 0x1.6116f33a08453p-33,
                                        0x1.b5c947f33cf57p-41};
static constexpr Polynomial sinhTail = {sinhSingle, sinhDouble};

/// Keeps arguments at which the function is the identity, and NaN.
static Real orIdentity(Real x, Real result) { return select(abs(x) >= x.constant(0x1p-13f, 0x1p-27), result, x); }

/// exp(|x|) / 2, which is finite wherever sinh and cosh are; infinite beyond.
static Real halfExp(Real magnitude) {
  Real largest = magnitude.constant(0x1.65a9f8p+6f, 0x1.633ce8fb9f87dp+9);
  Bool finite = magnitude <= largest;
  Scaled e = expParts(select(finite, magnitude, largest));
  return select(finite, shiftExponent(e.significand, e.exponent - 1), magnitude + magnitude.infinity());
}

static Real sinhReal(Real x) {
  Real magnitude = abs(x), square = x * x;
  Real half = halfExp(magnitude);
  Real result = copysign(half - 0.25 / half, x);
  result = select(magnitude < 1, x + x * square * horner(square, sinhTail), result);
  return orIdentity(x, result);
}

static Real coshReal(Real x) {
  Real half = halfExp(abs(x));
  return half + 0.25 / half;
}

static Real tanhReal(Real x) {
  // From `largest` on the result is 1.
  Real largest = x.constant(10.0f, 20.0);
  Real magnitude = abs(x), square = x * x;
  Scaled e = expParts(2.0 * select(magnitude < largest, magnitude, largest));
  Real result = copysign(1.0 - 2.0 / (1.0 + shiftExponent(e.significand, e.exponent)), x);
  result = select(magnitude < 0.55, x + x * square * horner(square, tanhTail), result);
  return orIdentity(x, result);
}

static Real asinhReal(Real x) {
  Real magnitude = abs(x);
  // log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))), or log(2 |x|) where the square might overflow.
  Bool large = magnitude > x.constant(0x1p30f, 0x1p60);
  Real square = magnitude * magnitude;
  Real t = magnitude + square / (1.0 + squareRoot(square + 1.0));
  Int doublings = select(large, bits(x).constant(1), bits(x).constant(0));
  Real result = log1pOf(select(large, magnitude, t), doublings);
  result = select(magnitude < std::numeric_limits<double>::infinity(), result, magnitude);
  return orIdentity(x, copysign(result, x));
}

static Real acoshReal(Real x) {
  // With t = x - 1, log1p(t + sqrt(t (t + 2))), or log(2x) where the square might overflow.
  Bool large = x > x.constant(0x1p30f, 0x1p60);
  Real t = x - 1.0;
  Int doublings = select(large, bits(x).constant(1), bits(x).constant(0));
  Real result = log1pOf(select(large, x, t + squareRoot(t * (t + 2.0))), doublings);
  Bool inside = (x >= 1) & (x < std::numeric_limits<double>::infinity());
  return select(inside, result, select(x < 1, x.nan(), x));
}

static Real atanhReal(Real x) {
  Real magnitude = abs(x);
  Real result = 0.5 * log1pOf(2.0 * magnitude / (1.0 - magnitude), bits(x).constant(0));
  result = select(magnitude == 1, x.infinity(), result);
  result = select(magnitude > 1, x.nan(), result);
  return orIdentity(x, copysign(result, x));
}

Value sinh(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexSinh(b, x) : onReal(b, x, sinhReal);
}

Value cosh(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexCosh(b, x) : onReal(b, x, coshReal);
}

Value tanh(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexTanh(b, x) : onReal(b, x, tanhReal);
}

Value asinh(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexAsinh(b, x) : onReal(b, x, asinhReal);
}

Value acosh(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexAcosh(b, x) : onReal(b, x, acoshReal);
}

Value atanh(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexAtanh(b, x) : onReal(b, x, atanhReal);
}

} // namespace dovetail::scalar
