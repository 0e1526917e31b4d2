// The inverse of the error function. The coefficients were found by Remez' algorithm with mpmath.
#include "Gamma.h"

using namespace mlir;

namespace dovetail::scalar {

// In terms of w = -log(1 - x^2), as in M. Giles, Approximating the erfinv function (2010).
// erf_inv(x)/x in w - 3 for w <= 6, minimax in the relative error: degree 12, 2^-31.7; degree 23, 2^-57.2.
static constexpr float erfInvNearSingle[] = {0x1.9fa072p+0f,  0x1.eedbecp-3f,   -0x1.780deep-8f, -0x1.b66584p-11f,
                                             0x1.9912dp-13f,  -0x1.aae6fap-17f, -0x1.d54edp-20f, 0x1.e5e316p-22f,
                                             -0x1.94648p-26f, -0x1.9afcdap-28f, 0x1.293a2p-30f,  0x1.86f41ap-36f,
                                             -0x1.0899cep-36f};
static constexpr double erfInvNearDouble[] = {
    0x1.9fa072ed72dbbp+0,   0x1.eedbebdce73e7p-3,   -0x1.780def1d3f3d2p-8,  -0x1.b6666b152b7e4p-11,
    0x1.9912c04a4e8dap-13,  -0x1.aab13d1c15506p-17, -0x1.d539ca15fe308p-20, 0x1.e32b0d4692376p-22,
    -0x1.96f81eff7d8e6p-26, -0x1.77b3a0a770823p-28, 0x1.31556df6a7a2dp-30,  -0x1.146c2f51d56e1p-35,
    -0x1.30d9011fc1deap-36, 0x1.7bd91b29fa66bp-39,  0x1.bec547276b146p-48,  -0x1.dcc77f66219aep-45,
    0x1.c8aeca5e00e9bp-48,  0x1.3c76f631cbcb9p-52,  -0x1.769191425d891p-53, 0x1.d9ba911b18952p-57,
    0x1.2c7f839464e4cp-59,  -0x1.cc88c61f4865dp-62, -0x1.7df1ee663360ep-67, 0x1.4567719e59f8fp-68};
static constexpr Polynomial nearFactor = {erfInvNearSingle, erfInvNearDouble};

// |erf_inv(x)|/sqrt(w) in sqrt(w) - 21/5 for w > 6, minimax in the relative error: degree 8, 2^-29.3; degree 26,
// 2^-56.6.
static constexpr float erfInvFarSingle[] = {0x1.ecb4a6p-1f,  0x1.733a08p-7f,   -0x1.49b07cp-9f,
                                            0x1.aa5f6ap-12f, -0x1.0acd5cp-13f, -0x1.8d57f4p-14f,
                                            -0x1.03712p-14f, -0x1.c65f98p-16f, -0x1.9ca3eap-19f};
static constexpr double erfInvFarDouble[] = {
    0x1.ecb4a7cb1189dp-1,   0x1.7344bb4b0205ep-7,   -0x1.48714bedeb429p-9,  0x1.cfba5112b4956p-12,
    -0x1.b6d4a33adc85dp-15, -0x1.3eee9162175cap-19, 0x1.1ff1dbc821894p-18,  -0x1.f4988e591332p-20,
    0x1.41d0479c47d3fp-21,  -0x1.47c0842aabd0ap-23, 0x1.b263596f8ea77p-26,  0x1.165fa5c05ae7ep-29,
    -0x1.12bda7f2c6c73p-28, 0x1.134bf1d467862p-29,  -0x1.594f4531ed992p-31, 0x1.b6a56a3520425p-34,
    0x1.6a0cd7eee1e4p-36,   -0x1.679025c00663dp-36, 0x1.04dc3200513f3p-37,  -0x1.d8c3f69c32445p-40,
    0x1.12f6fa838dd78p-43,  0x1.92d932aea773ap-43,  -0x1.e110cf781dce2p-44, 0x1.368a31ea09602p-46,
    0x1.2d0bd661f4672p-48,  -0x1.f54dd26172494p-50, 0x1.63908465e7c07p-53};
static constexpr Polynomial farFactor = {erfInvFarSingle, erfInvFarDouble};

static Real erfInvReal(Real x) {
  Real w = -logPositive((1.0 - x) * (1.0 + x)), s = squareRoot(select(w > 1, w, 1.0));
  Real near = x * horner(w - 3.0, nearFactor);
  Real far = copysign(s * horner(s - 4.2, farFactor), x);
  Real result = select(w > 6, far, near);
  result = select(abs(x) == 1, copysign(x.infinity(), x), result);
  return select(abs(x) <= 1, result, x.nan());
}

Value erf_inv(ScalarBuilder &b, Value x) { return onReal(b, x, erfInvReal); }

} // namespace dovetail::scalar
