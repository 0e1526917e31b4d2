// The regularized incomplete beta function.
#include "Gamma.h"
#include "Loop.h"

using namespace mlir;

namespace dovetail::scalar {

/// This many iterations suffice until the uniform expansion takes over.
static constexpr int mostSteps = 100000;

namespace {
/// The arguments of I_x(p, q), with y = 1 - x and lambda = p y - q x, which would cancel if computed from x alone.
struct Arguments {
  Real p, q, x, y, lambda;
};
} // namespace

/// The element with index m of the continued fraction.
static Real denominator(const Arguments &v, Real m) {
  Real odd = v.p + 2.0 * m + 1.0;
  Real shifted = (v.p + m) / odd * (v.lambda + 1.0 + m * (1.0 + v.y));
  return m + m * ((v.q - m) / (odd - 2.0)) * v.x + shifted;
}

/// x^p (1-x)^q / (B(p, q) I_x(p, q)), the even part of the continued fraction of DLMF 8.17.22, in the form of A. R.
/// DiDonato and A. H. Morris (1992), by Lentz's method. If not `taken`, it ends at once.
static Real fraction(const Arguments &at, Bool taken) {
  Real zero = at.x.constant(0.0), one = at.x.constant(1.0);
  Real first = at.p / (at.p + 1.0) * (at.lambda + 1.0);
  // Value, last factor, c, d, number of steps.
  auto more = [](ArrayRef<Real> v) {
    return (abs(v[1] - 1.0) > v[0].constant(0x1p-23f, 0x1p-52)) & (v[4] < mostSteps);
  };
  auto step = [](ArrayRef<Real> v) {
    Real m = v[4] + 1.0;
    Arguments at = {v[5], v[6], v[7], v[8], v[9]};
    Real odd = at.p + 2.0 * m - 1.0;
    Real numerator = ((at.p + m - 1.0) / odd * at.x) * ((at.p + at.q + m - 1.0) / odd * at.x) * m * (at.q - m);
    Real element = denominator(at, m);
    Real d = 1.0 / (element + numerator * v[3]), c = element + numerator / v[2], factor = c * d;
    return Reals{v[0] * factor, factor, c, d, m};
  };
  return iterate({first, select(taken, zero, one), first, zero, zero}, {at.p, at.q, at.x, at.y, at.lambda}, more,
                 step)[0];
}

/// The leading terms of the uniform expansion for large p and q (DLMF 8.18.9), where exp(-exponent) is
/// (x/x0)^p ((1-x)/(1-x0))^q with x0 = p/(p+q), and xi = (x - x0) / sqrt(x0 (1-x0)).
static Real uniform(Real p, Real q, Real exponent, Real xi) {
  Real sum = p + q, root = copysign(squareRoot(exponent), xi);
  Real tail = {{p.b, erfc(*p.b, (-root).v)}};
  Real eta = root * squareRoot(2.0 / sum);
  Real limit = ((q - p) / squareRoot(p)) / squareRoot(q) * (1.0 / 3.0);
  Real c0 = select(abs(xi) > p.constant(0x1p-10f, 0x1p-20), 1.0 / eta - 1.0 / xi, limit);
  // 1 / sqrt(2 pi)
  return 0.5 * tail + expOf(-exponent) * 0x1.9884533d43651p-2 / squareRoot(sum) * c0;
}

static Real betaincReal(Real a, Real b, Real x) {
  Real infinity = x.infinity();
  Bool valid = (a > 0) & (b > 0) & (x >= 0) & (x <= 1) & (a < infinity) & (b < infinity);
  // For parameters this large only their ratio matters, and their sum must not overflow.
  Bool large = (a > 0x1p+64) & (b > 0x1p+64);
  Real scale = select(large, a.constant(0x1p-10), 1.0);
  Real p = a * scale, q = b * scale, y = 1.0 - x, sum = p + q;

  // x^p y^q / B(p, q) = exp(-exponent) sqrt(pq / (2 pi sum)) scaledGamma(sum) / (scaledGamma(p) scaledGamma(q)).
  Real difference = x * q - y * p, mu = difference / p, nu = -(difference / q);
  Real exponent = p * excess(mu, x * (sum / p)) + q * excess(nu, y * (sum / q));
  Real root = squareRoot(p) * squareRoot(q / sum);
  Real gammas = scaledGamma(sum) / (scaledGamma(p) * scaledGamma(q));
  Real density = expOf(-exponent) * 0x1.9884533d43651p-2 * root * gammas;

  Real least = select(p < q, p, q), enough = p.constant(0x1p+20f, 0x1p+26);
  Bool one = {{x.b, arith::ConstantIntOp::create(*x.b, 1, 1)}};
  Bool inside = valid & (x > 0) & (x < 1), isUniform = inside & (least > enough);
  // By the symmetry I_x(p, q) = 1 - I_y(q, p) the fraction converges quickly; for small q this would cancel.
  Bool swapped = (x > (p + 1.0) / (sum + 2.0)) & ((q >= 1) | (x > 0.99));
  Arguments at = {select(swapped, q, p), select(swapped, p, q), select(swapped, y, x), select(swapped, x, y),
                  select(swapped, difference, -difference)};
  Real part = density / fraction(at, inside & (isUniform ^ one));
  Real result = select(swapped, 1.0 - part, part);
  result = select(isUniform, uniform(p, q, exponent, mu * squareRoot(p / q)), result);
  result = select(valid, result, x.nan());
  // Limits for one parameter at 0 or infinity, where all mass is at one end.
  Bool left = ((a == 0) & (b > 0)) | ((b == infinity) & (a < infinity) & (a >= 0));
  Bool right = ((b == 0) & (a > 0)) | ((a == infinity) & (b < infinity) & (b >= 0));
  Bool known = (valid | left | right) & (x >= 0) & (x <= 1);
  result = select(known & left, 1.0, select(known & right, 0.0, result));
  return select(known & (x == 0), 0.0, select(known & (x == 1), 1.0, result));
}

Value betainc(ScalarBuilder &b, Value p, Value q, Value x) {
  return onReals(b, {p, q, x}, [](ArrayRef<Real> args) { return betaincReal(args[0], args[1], args[2]); });
}

} // namespace dovetail::scalar
