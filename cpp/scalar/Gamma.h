// The logarithm of the gamma function and its derivative, as used by other special functions.
#ifndef DOVETAIL_SCALAR_GAMMA_H
#define DOVETAIL_SCALAR_GAMMA_H

#include "Kernels.h"

namespace dovetail::scalar {

/// log(x) for a positive finite number; a finite value for zero and infinity.
Real logPositive(Real x);
/// sin(pi r) for |r| <= 1/2.
Real sinPi(Real r);
/// log(gamma(x)) for 0 < x <= infinity.
Real lgammaPositive(Real x);
/// log(gamma(1 + a)) / a for 0 <= a <= 1.
Real lgamma1pFactor(Real a);
/// gamma(1 + a) for 0 <= a < 8; unspecified for other a.
Real gamma1p(Real a);
/// gamma(a) / (sqrt(2 pi / a) (a/e)^a), which tends to 1, for a > 0.
Real scaledGamma(Real a);
/// psi(x) for every x.
Real digammaOf(Real x);
/// ratio - 1 - log(ratio) for a positive ratio, given the ratio and mu = ratio - 1.
Real excess(Real mu, Real ratio);

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_GAMMA_H
