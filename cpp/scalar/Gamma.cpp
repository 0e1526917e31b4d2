// Gamma functions: lgamma and digamma. The coefficients were found by Remez' algorithm with mpmath.
#include "Gamma.h"

using namespace mlir;

namespace dovetail::scalar {

// sin(pi r)/r in z = r^2 on |r| <= 1/2, minimax in the relative error: degree 5, 2^-35.5; degree 8, 2^-61.8.
static constexpr float sinPiSingle[] = {0x1.921fb6p+1f,  -0x1.4abbcep+2f, 0x1.466bcp+1f,
                                        -0x1.32d112p-1f, 0x1.500ff8p-4f,  -0x1.cc345ap-8f};
static constexpr double sinPiDouble[] = {0x1.921fb54442d18p+1,  -0x1.4abbce625be52p+2,  0x1.466bc6775aa6ep+1,
                                         -0x1.32d2cce627542p-1, 0x1.50783485190b6p-4,   -0x1.e3074ddd1cb96p-8,
                                         0x1.e8f35e9d2300ap-12, -0x1.6f797703e284dp-16, 0x1.9d1b8585e59b7p-21};
static constexpr Polynomial sinPiFactor = {sinPiSingle, sinPiDouble};

// lgamma(x) / ((x - 1)(x - 2)) in t = x - 3/2 on [1, 2], minimax in the relative error: degree 10, 2^-30.7; degree 21,
// 2^-59.5.
static constexpr float lgammaOneTwoSingle[] = {0x1.eeb95cp-2f,  -0x1.2aed06p-3f,  0x1.01af66p-4f, -0x1.0079a2p-5f,
                                               0x1.13319ep-6f,  -0x1.35363cp-7f,  0x1.65987ap-8f, -0x1.98791p-9f,
                                               0x1.e48616p-10f, -0x1.8fe80cp-10f, 0x1.f745a4p-11f};
static constexpr double lgammaOneTwoDouble[] = {
    0x1.eeb95b094c191p-2,  -0x1.2aed059bd608ap-3,  0x1.01af62a2929bfp-4,  -0x1.007aa83cee0f6p-5,
    0x1.133423527f407p-6,  -0x1.34dbda14a68dp-7,   0x1.64f0664c34d6fp-8,  -0x1.a5035229125f1p-9,
    0x1.f814babf826f5p-10, -0x1.313e8be06cb26p-10, 0x1.750a77ba97b97p-11, -0x1.cb4489177b8b1p-12,
    0x1.1c7e51623c3cdp-12, -0x1.624493f836cccp-13, 0x1.b9e2282dd238cp-14, -0x1.153182d1fe407p-14,
    0x1.68ff2ff9c51efp-15, -0x1.cb36b9422712bp-16, 0x1.ba09e00eb503ep-17, -0x1.0e37af1a27b01p-17,
    0x1.97ae208307615p-17, -0x1.0c2288bc23821p-17};
static constexpr Polynomial lgammaOneTwo = {lgammaOneTwoSingle, lgammaOneTwoDouble};

// lgamma(x) / (x - 2) in t = x - 5/2 on [2, 3], minimax in the relative error: degree 8, 2^-32.2; degree 16, 2^-59.5.
static constexpr float lgammaTwoThreeSingle[] = {0x1.2383e8p-1f,   0x1.1200f6p-2f,  -0x1.6f0ca6p-5f,
                                                 0x1.646bc6p-7f,   -0x1.95b67ep-9f, 0x1.f71cbp-11f,
                                                 -0x1.48f828p-12f, 0x1.e21294p-14f, -0x1.5e5dfap-15f};
static constexpr double lgammaTwoThreeDouble[] = {0x1.2383e809a67e8p-1,   0x1.1200f695b0dd9p-2,  -0x1.6f0ca9a1c2735p-5,
                                                  0x1.646ae6e41943p-7,    -0x1.95b11573dd695p-9, 0x1.f7e4615f04534p-11,
                                                  -0x1.4a5d12cc30f7ep-12, 0x1.c135f992c13d6p-14, -0x1.3957c371f0719p-15,
                                                  0x1.bd757e856cddbp-17,  -0x1.413476530013p-18, 0x1.d49763b520601p-20,
                                                  -0x1.58e214963f24cp-21, 0x1.f978df464dc8p-23,  -0x1.7617ea63eb285p-24,
                                                  0x1.4c8cd7185b854p-25,  -0x1.054ae9f1e3165p-26};
static constexpr Polynomial lgammaTwoThree = {lgammaTwoThreeSingle, lgammaTwoThreeDouble};

// x (lgamma(x) - (x - 1/2) log(x) + x - log(2 pi)/2) in z = 1/x^2 for x >= 8 (DLMF 5.11.1), minimax in the relative
// error: degree 2, 2^-30.2; degree 6, 2^-57.0.
static constexpr float stirlingSingle[] = {0x1.555556p-4f, -0x1.6c141cp-9f, 0x1.98f994p-11f};
static constexpr double stirlingDouble[] = {0x1.5555555555555p-4,   -0x1.6c16c16c14af3p-9, 0x1.a01a017e88d4ap-11,
                                            -0x1.38134e148ee4dp-11, 0x1.b92c92c5fb32cp-11, -0x1.ef97f8b8e7954p-10,
                                            0x1.4c37cd5ebdd7bp-8};
static constexpr Polynomial stirlingTail = {stirlingSingle, stirlingDouble};

// psi(x) / (x - x0), where psi(x0) = 0, in t = x - 3/2 on [1, 2], minimax in the relative error: degree 11, 2^-30.5;
// degree 22, 2^-58.5.
static constexpr float digammaOneTwoSingle[] = {0x1.e6f0ccp-1f, -0x1.b1cb62p-2f, 0x1.eca1a2p-3f, -0x1.2fef0cp-3f,
                                                0x1.850a84p-4f, -0x1.fb334ap-5f, 0x1.4f020ep-5f, -0x1.bbd5f6p-6f,
                                                0x1.1510cep-6f, -0x1.6d35dap-7f, 0x1.6ffef4p-7f, -0x1.f3ba2p-8f};
static constexpr double digammaOneTwoDouble[] = {
    0x1.e6f0cbb873616p-1,   -0x1.b1cb63005ee98p-2,  0x1.eca189b8e6f76p-3,  -0x1.2feeeb98a78d3p-3, 0x1.8512e590384c4p-4,
    -0x1.fb44202a24ed4p-5,  0x1.4de9aa17d3a99p-5,   -0x1.b9f8b11b65c3ap-6, 0x1.256471620e446p-6,  -0x1.8635640e334e9p-7,
    0x1.03c0b0fb5203dp-7,   -0x1.5a06a32df751ep-8,  0x1.cd1f777c30fc6p-9,  -0x1.336dea27145d3p-9, 0x1.99dcf54fc47ap-10,
    -0x1.0fb1c6938dcb1p-10, 0x1.69e7e6ae3a849p-11,  -0x1.fda4ed56e4edp-12, 0x1.55b71f1240178p-12, -0x1.2f5dcdab7e1cp-13,
    0x1.87470352dd969p-14,  -0x1.75fe01911a809p-13, 0x1.fc4286f0baad3p-14};
static constexpr Polynomial digammaOneTwo = {digammaOneTwoSingle, digammaOneTwoDouble};

// x^2 (log(x) - 1/(2x) - psi(x)) in z = 1/x^2 for x >= 8 (DLMF 5.11.2), minimax in the relative error: degree 2,
// 2^-27.4; degree 6, 2^-53.2.
static constexpr float digammaTailSingle[] = {0x1.555556p-4f, -0x1.110c7ap-7f, 0x1.fbbea4p-9f};
static constexpr double digammaTailDouble[] = {0x1.5555555555555p-4,  -0x1.11111111099ep-7, 0x1.041040c79ac75p-8,
                                               -0x1.1110b4c8d9dc1p-8, 0x1.f0389c634a288p-8, -0x1.532823257f13ep-6,
                                               0x1.04cfd3a9e01e9p-4};
static constexpr Polynomial digammaTail = {digammaTailSingle, digammaTailDouble};

// (log((1+s)/(1-s)) - 2s) / s^3 in z = s^2 for (1+s)/(1-s) in [sqrt(1/2), sqrt(2)], minimax in the relative error:
// degree 3, 2^-29.1; degree 7, 2^-58.2.
static constexpr float phiSingle[] = {0x1.555556p-1f, 0x1.9999ecp-2f, 0x1.245c34p-2f, 0x1.ddd19ap-3f};
static constexpr double phiDouble[] = {0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476b9cp-2,
                                       0x1.c71c72017750ep-3, 0x1.745cf8f914c98p-3, 0x1.3b1c3796be69fp-3,
                                       0x1.0fbe5e932ec7p-3,  0x1.0c05b50eebeb2p-3};
static constexpr Polynomial atanhTail = {phiSingle, phiDouble};

Real logPositive(Real x) {
  Scaled parts = centered(bits(x));
  return logOf(parts.significand - 1.0, toReal(parts.exponent));
}

Real sinPi(Real r) { return r * horner(r * r, sinPiFactor); }

/// From here on, asymptotic series hold; below, the recurrence leads to a short interval.
static constexpr double large = 8;

Real lgammaPositive(Real x) {
  Bool below1 = x < 1, below2 = x < 2, below8 = x < large;
  // x = z + n with z in [2, 3), and the product (x-1)(x-2)...(x-n).
  Real n = floor(x) - 2.0;
  Real product = x.constant(1.0);
  for (int k = 1; k <= large - 3; ++k)
    product = select(n >= k, product * (x - k), product);
  Real logarithm = logPositive(select(below1 | (x >= large), x, select(below2, 1.0, product)));

  // gamma(x) = gamma(x + 1) / x below 1; both zeros are kept exact.
  Real t = select(below1, x - 0.5, x - 1.5);
  Real near = select(below1, x * (x - 1.0), (2.0 - x) * (1.0 - x)) * horner(t, lgammaOneTwo);
  near = select(below1, near - logarithm, near);
  Real z = x - select(below8, n, 0.0);
  Real middle = (z - 2.0) * horner(z - 2.5, lgammaTwoThree) + logarithm;
  Real inverse = 1.0 / x;
  // (log(2 pi) - 1) / 2
  Real far = (x - 0.5) * (logarithm - 1.0) + (0x1.acfe390c97d69p-2 + inverse * horner(inverse * inverse, stirlingTail));
  return select(below2, near, select(below8, middle, far));
}

Real lgamma1pFactor(Real a) { return (a - 1.0) * horner(a - 0.5, lgammaOneTwo); }

Real gamma1p(Real a) {
  Bool below1 = a < 1;
  Real n = select(below1, -1.0, floor(a) - 1.0);
  Real product = a.constant(1.0);
  for (int k = 0; k <= large - 3; ++k)
    product = select(n > k, product * (a - k), product);
  Real z = a - n;
  Real value = expOf((z - 1.0) * horner(z - 1.5, lgammaTwoThree));
  return select(below1, value / (a + 1.0), value * product);
}

Real scaledGamma(Real a) {
  Real inverse = 1.0 / a;
  Real far = expOf(inverse * horner(inverse * inverse, stirlingTail));
  Real bounded = select(a < large, a, 1.0);
  Real power = {{a.b, pow(*a.b, bounded.v, (-bounded).v)}};
  // sqrt(1 / (2 pi))
  Real near = gamma1p(bounded) * expOf(bounded) * power * 0x1.9884533d43651p-2 / squareRoot(bounded);
  return select(a < large, near, far);
}

Real excess(Real mu, Real ratio) {
  Real s = mu / (2.0 + mu);
  Real near = s * (mu - s * s * horner(s * s, atanhTail));
  return select(abs(s) < 0.17, near, mu - logPositive(ratio));
}

/// True at the poles of the gamma function, and at -infinity.
static Bool isPole(Real x) { return (x <= 0) & isIntegral(x); }

static Real lgammaReal(Real x) {
  Real magnitude = abs(x);
  Real positive = lgammaPositive(magnitude);
  // gamma(-x) gamma(x) = -pi / (x sin(pi x)) (DLMF 5.5.3).
  Real sine = abs(sinPi(magnitude - nearestInteger(magnitude)));
  Real reflected = logPositive(M_PI / (magnitude * sine)) - positive;
  // Both signs of a tiny argument give -log|x|, where the product would underflow.
  Bool isReflected = (x < 0) & (magnitude > x.constant(0x1p-30f, 0x1p-60));
  Real result = select(isReflected, reflected, positive);
  result = select(isPole(x), x.infinity(), result);
  return select(isNan(x), x, result);
}

Real digammaOf(Real x) {
  Real magnitude = abs(x);
  Bool negative = x < 0, below1 = magnitude < 1, below8 = magnitude < large;
  Real inverse = 1.0 / magnitude;
  // |x| = z + n with z in [1, 2), and the sum 1/(|x|-1) + ... + 1/(|x|-n) as one fraction.
  Real n = floor(magnitude) - 1.0;
  Real numerator = x.constant(0.0), denominator = x.constant(1.0);
  for (int k = 1; k <= large - 2; ++k) {
    Real factor = magnitude - k;
    Bool within = n >= k;
    numerator = select(within, numerator * factor + denominator, numerator);
    denominator = select(within, denominator * factor, denominator);
  }
  // Below 1 it is psi(|x| + 1), and the zero is one less.
  Real z = magnitude - select(below8 & (n > 0), n, 0.0);
  Real t = select(below1, z - 0.5, z - 1.5);
  Real root = x.constant(0x1.762d86p+0f, 0x1.762d86356be3fp+0);
  Real rest = x.constant(0x1.ab5f2p-27f, 0x1.b86a722197829p-54);
  Real near = ((z - select(below1, root - 1.0, root)) - rest) * horner(t, digammaOneTwo) + numerator / denominator;
  Real far = logPositive(magnitude) - inverse * inverse * horner(inverse * inverse, digammaTail);
  Real half = 0.5 * inverse;
  // psi(|x|), or psi(|x| + 1) = psi(|x|) + 1/|x| for the reflection.
  Real shift = select(below1, select(negative, 0.0, -inverse), select(negative, inverse, 0.0));
  Real result = select(below8, near + shift, far + select(negative, half, -half));
  // psi(-x) = psi(x + 1) + pi cot(pi x) (DLMF 5.5.4).
  Real r = magnitude - nearestInteger(magnitude);
  Real cotangent = M_PI * sinPi(0.5 - abs(r)) / sinPi(r);
  result = select(negative, result + cotangent, result);
  result = select(isPole(x), x.nan(), result);
  return select(isNan(x) | (x == std::numeric_limits<double>::infinity()), x, result);
}

Value lgamma(ScalarBuilder &b, Value x) { return onReal(b, x, lgammaReal); }
Value digamma(ScalarBuilder &b, Value x) { return onReal(b, x, digammaOf); }

} // namespace dovetail::scalar
