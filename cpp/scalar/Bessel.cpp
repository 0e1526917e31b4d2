// Modified Bessel functions of the first kind, scaled by exp(-|x|). The coefficients were found by Remez' algorithm
// with mpmath.
#include "Kernels.h"

using namespace mlir;

namespace dovetail::scalar {

// I0(x) in z = x^2/4 on |x| <= 8, minimax in the relative error: degree 10, 2^-31.7; degree 15, 2^-60.0.
static constexpr float besselI0Single[] = {0x1p+0f,         0x1p+0f,         0x1.000002p-2f,  0x1.c71c3ap-6f,
                                           0x1.c71ef6p-10f, 0x1.23357ap-14f, 0x1.035feep-19f, 0x1.4dd946p-25f,
                                           0x1.6acb7ap-31f, 0x1.6f55a4p-38f, 0x1.40540ep-43f};
static constexpr double besselI0Double[] = {0x1p+0,
                                            0x1p+0,
                                            0x1.ffffffffffff3p-3,
                                            0x1.c71c71c71c85bp-6,
                                            0x1.c71c71c71a936p-10,
                                            0x1.23456789c5e75p-14,
                                            0x1.02e85c06c93ep-19,
                                            0x1.522a442190337p-25,
                                            0x1.522a4126921adp-31,
                                            0x1.0b3153e8169bcp-37,
                                            0x1.55ff4d765f7c5p-44,
                                            0x1.69e61fc0895f2p-51,
                                            0x1.40a5d9a36df5p-58,
                                            0x1.f2a312f5ff4bfp-66,
                                            0x1.108b3701559bep-73,
                                            0x1.1caff7b680c6dp-80};
static constexpr Polynomial nearFactor0 = {besselI0Single, besselI0Double};

// 2 I1(x)/x in z = x^2/4 on |x| <= 8, minimax in the relative error: degree 9, 2^-28.9; degree 15, 2^-62.7.
static constexpr float besselI1Single[] = {0x1p+0f,         0x1.000002p-1f,  0x1.555534p-4f,  0x1.c71edp-8f,
                                           0x1.6c0294p-12f, 0x1.8518d2p-17f, 0x1.23e118p-22f, 0x1.6c4d24p-28f,
                                           0x1.940c2p-35f,  0x1.95e4ep-40f};
static constexpr double besselI1Double[] = {0x1p+0,
                                            0x1p-1,
                                            0x1.5555555555552p-4,
                                            0x1.c71c71c71c7a1p-8,
                                            0x1.6c16c16c160bep-12,
                                            0x1.845c8a0cf7707p-17,
                                            0x1.27e4fb76585e3p-22,
                                            0x1.522a4411452c8p-28,
                                            0x1.2c97573011edcp-34,
                                            0x1.ab82105bba543p-41,
                                            0x1.f17427e9a9ca6p-48,
                                            0x1.e280892a93abbp-55,
                                            0x1.8ad6b08a71431p-62,
                                            0x1.1c185b9fa360ep-69,
                                            0x1.26fe57979e783p-77,
                                            0x1.17ce160a1271ap-84};
static constexpr Polynomial nearFactor1 = {besselI1Single, besselI1Double};

// sqrt(x) exp(-x) I0(x) in 8/x - 1/2 for x >= 8, minimax in the relative error: degree 6, 2^-29.6; degree 24, 2^-57.6.
static constexpr float besselTail0Single[] = {0x1.9bd428p-2f, 0x1.b87988p-8f,  0x1.1dab2ap-11f, 0x1.74e2p-14f,
                                              0x1.8c1c6p-16f, 0x1.84dc9ep-17f, 0x1.d3e568p-18f};
static constexpr double besselTail0Double[] = {
    0x1.9bd428ad249a5p-2,   0x1.b87969bb93b9bp-8,  0x1.1daa72b5e2713p-11,  0x1.75e5ee711e91cp-14,
    0x1.8e513a795ed77p-16,  0x1.3f49a964d9bd7p-17, 0x1.7d0f0a4034784p-18,  0x1.51cdd5f99ede4p-18,
    0x1.7234df05162c5p-18,  0x1.03a498942bf36p-18, -0x1.cfe7953d40d67p-18, -0x1.cd00e95fc9db5p-16,
    -0x1.72956e640e3ddp-16, 0x1.044021d949efep-14, 0x1.fc7aff0e54c7cp-14,  -0x1.e71cefb88e1c2p-14,
    -0x1.957d7f98ec72cp-12, 0x1.ade3718e29cacp-13, 0x1.ebe4c128ca9d3p-11,  -0x1.4b8bb1abe8de3p-12,
    -0x1.b1a6122d1b917p-10, 0x1.6c4ca61775c34p-12, 0x1.e5055ea3c7874p-10,  -0x1.8c9b3b703e078p-13,
    -0x1.fc41a6f5d1be6p-11};
static constexpr Polynomial farFactor0 = {besselTail0Single, besselTail0Double};

// sqrt(x) exp(-x) I1(x) in 8/x - 1/2 for x >= 8, minimax in the relative error: degree 6, 2^-29.4; degree 24, 2^-57.6.
static constexpr float besselTail1Single[] = {0x1.8ebe78p-2f,   -0x1.3f796ap-6f, -0x1.cbc664p-11f, -0x1.f778e4p-14f,
                                              -0x1.e9a58ep-16f, -0x1.c37e1p-17f, -0x1.09bf2ep-17f};
static constexpr double besselTail1Double[] = {
    0x1.8ebe783a8403p-2,    -0x1.3f796198ee632p-6,  -0x1.cbc54df1e8dabp-11, -0x1.f89c23059fcb2p-14,
    -0x1.ec8e10776bf39p-16, -0x1.7613810c131f9p-17, -0x1.ad8d46cb6bca5p-18, -0x1.727973338a6bfp-18,
    -0x1.9191e0ab13853p-18, -0x1.21a470c03613fp-18, 0x1.cf0342fdf2e2fp-18,  0x1.e27e53ad849cfp-16,
    0x1.99ac50210b84p-16,   -0x1.075956f60c74ap-14, -0x1.0de62d09d87e9p-13, 0x1.dc4126cfc8867p-14,
    0x1.a91c5e2b8460dp-12,  -0x1.97c70da257494p-13, -0x1.006faed674fdap-10, 0x1.34d66172d67dep-12,
    0x1.c2faf69b6ea71p-10,  -0x1.511d9787528e7p-12, -0x1.f7bc335780725p-10, 0x1.6ef122a83c1cbp-13,
    0x1.07b8c4a6d6dd4p-10};
static constexpr Polynomial farFactor1 = {besselTail1Single, besselTail1Double};

/// exp(-x) I(x) for x >= 0; `scale` is the power of x that `near` leaves out.
static Real scaledBessel(Real x, Real scale, const Polynomial &near, const Polynomial &far) {
  Bool isNear = x < 8;
  Real bounded = select(isNear, x, 8.0);
  Real inside = scale * expOf(-bounded) * horner(0.25 * bounded * bounded, near);
  Real outside = horner(8.0 / x - 0.5, far) / squareRoot(x);
  return select(isNear, inside, outside);
}

static Real besselI0e(Real x) {
  Real magnitude = abs(x);
  Real result = scaledBessel(magnitude, x.constant(1.0), nearFactor0, farFactor0);
  return select(isNan(x), x, result);
}

static Real besselI1e(Real x) {
  Real magnitude = abs(x);
  Real result = scaledBessel(magnitude, 0.5 * magnitude, nearFactor1, farFactor1);
  return select(isNan(x), x, copysign(result, x));
}

Value bessel_i0e(ScalarBuilder &b, Value x) { return onReal(b, x, besselI0e); }
Value bessel_i1e(ScalarBuilder &b, Value x) { return onReal(b, x, besselI1e); }

} // namespace dovetail::scalar
