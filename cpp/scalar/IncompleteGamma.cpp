// The incomplete gamma functions, and the derivative of a sample of the gamma distribution with respect to its
// parameter.
#include "Gamma.h"
#include "Loop.h"

using namespace mlir;

namespace dovetail::scalar {

// The Taylor coefficients of c_k(eta) in Temme's uniform expansion (DLMF 8.12.10), from its recurrence.
static constexpr double temme0[] = {-0x1.5555555555555p-2,  0x1.5555555555555p-4,   -0x1.e573ac901e574p-7,
                                    0x1.2f684bda12f68p-10,  0x1.71de3a556c734p-12,  -0x1.76e06fec7273bp-13,
                                    0x1.48c5892f7cd83p-15,  -0x1.255370652afc1p-19, -0x1.f1b22f594c6b5p-20,
                                    0x1.bd6d21e4b4109p-21,  -0x1.7b5f9a2d0465cp-23, 0x1.ccf5ceb7f0d9fp-28,
                                    0x1.6097d55c37c1cp-27,  -0x1.2d2197c7a2faap-28, 0x1.f6e66d24d5c8ap-31,
                                    -0x1.c0d9b6edf2b0bp-36, -0x1.0070a87340428p-34, 0x1.ac9475c463659p-36};
static constexpr double temme1[] = {-0x1.e573ac901e574p-10, -0x1.c71c71c71c71cp-9, 0x1.5ac056b015ac0p-9,
                                    -0x1.0394f6f09e723p-10, 0x1.af83440e53dbcp-13, -0x1.af83440e53dbcp-22,
                                    -0x1.2fa4ae89e5af0p-16, 0x1.00a9cabd6b83ep-17, -0x1.b0bdfcc629cbap-20,
                                    0x1.3f59230a8357cp-28,  0x1.280f2cde3f847p-23, -0x1.ee23d0cba8aeep-25,
                                    0x1.9aa7a30de114cp-27,  -0x1.349fbca3a377bp-36};
static constexpr double temme2[] = {0x1.0ee643b990ee6p-8,   -0x1.5f7268edab4c8p-9,  0x1.948b0fcd6e9e0p-11,
                                    0x1.0db20a88f4696p-19,  -0x1.c253efaa1a932p-14, 0x1.bbf43daf4fe53p-15,
                                    -0x1.ac2d05890f2c3p-17, 0x1.26154ae39151dp-25,  0x1.7058929663937p-20};
static constexpr double temme3[] = {0x1.547d93b34e2b6p-11, 0x1.e13ce465fa859p-13, -0x1.ebfb188b7ca00p-12,
                                    0x1.18b9b5bf2d984p-12, -0x1.3d2a3a29b5d9dp-14};

namespace {
/// Values that the methods share, and the choice of method.
struct Parameters {
  Parameters(Real a, Real x);
  /// x^a exp(-x) / gamma(a + 1)
  Real density() const;

  Real a, x, phi, eta;
  Bool isUniform, isFraction, isSeries;
};
} // namespace

Parameters::Parameters(Real a, Real x) : a(a), x(x), phi(a), eta(a), isUniform(), isFraction(), isSeries() {
  Real mu = (x - a) / a;
  phi = excess(mu, x / a);
  eta = copysign(squareRoot(2.0 * phi), mu);
  Bool valid = (a > 0) & (x > 0) & (a < a.infinity()) & (x < a.infinity());
  isUniform = valid & (a > a.constant(32.0f, 1e3)) & (abs(eta) < a.constant(0.75f, 0.5));
  Bool one = {{a.b, arith::ConstantIntOp::create(*a.b, 1, 1)}};
  Bool other = valid & (isUniform ^ one), high = (x > 1) & (x > a);
  isFraction = other & high;
  isSeries = other & (high ^ one);
}

Real Parameters::density() const {
  // Where x is bounded the result is 0 anyway.
  Real bounded = select(x < 1000, x, 1000.0);
  Real power = {{a.b, pow(*a.b, bounded.v, a.v)}};
  // In two factors, as exp(-x) alone may underflow.
  Real half = expOf(-0.5 * bounded);
  Real near = power * half / gamma1p(a) * half;
  Real far = expOf(-(a * phi)) * 0x1.9884533d43651p-2 / (squareRoot(a) * scaledGamma(select(a < 8, 8.0, a)));
  return select(a < 8, near, far);
}

/// Never reached: the uniform expansion takes over.
static constexpr int mostSteps = 10000;

static Real tolerance(Real like) { return like.constant(0x1p-25f, 0x1p-54); }

/// 1 + x/(a+1) + x^2/((a+1)(a+2)) + ... (DLMF 8.11.4), and its derivative by a.
static std::pair<Real, Real> series(const Parameters &p, bool derivative) {
  Real zero = p.a.constant(0.0), one = p.a.constant(1.0);
  // Sum, term, their derivatives, number of terms.
  auto more = [&](ArrayRef<Real> v) {
    Bool value = abs(v[1]) > tolerance(v[0]) * abs(v[0]);
    if (derivative)
      value = value | (abs(v[3]) > tolerance(v[0]) * abs(v[2]));
    return value & (v[4] < mostSteps);
  };
  auto step = [&](ArrayRef<Real> v) {
    Real n = v[4] + 1.0, r = v[5] + n, factor = v[6] / r, term = v[1] * factor;
    Real change = derivative ? v[3] * factor - term / r : v[3];
    return Reals{v[0] + term, term, v[2] + change, change, n};
  };
  Reals end = iterate({one, select(p.isSeries, one, zero), zero, zero, zero}, {p.a, p.x}, more, step);
  return {end[0], end[2]};
}

/// The continued fraction of igammac(a, x) over x^a exp(-x) / gamma(a) (DLMF 8.9.2) by Lentz's method, and its
/// derivative by a.
static std::pair<Real, Real> fraction(const Parameters &p, bool derivative) {
  Real zero = p.a.constant(0.0), one = p.a.constant(1.0);
  Real b = p.x + 1.0 - p.a, start = 1.0 / b, huge = p.a.constant(0x1p+100);
  // Value, last factor, c, d, number of steps; and the derivatives of value, c, d, and of the factor.
  auto more = [&](ArrayRef<Real> v) {
    // A factor may stay one unit away from 1.
    Real unit = v[0].constant(0x1p-23f, 0x1p-52);
    Bool value = abs(v[1] - 1.0) > unit;
    if (derivative)
      value = value | (abs(v[8]) > unit);
    return value & (v[4] < mostSteps);
  };
  auto step = [&](ArrayRef<Real> v) {
    Real n = v[4] + 1.0, a = v[9], an = n * (a - n), bn = v[10] + 2.0 * n + 1.0 - a;
    Real d = 1.0 / (an * v[3] + bn), c = bn + an / v[2], delta = c * d;
    if (!derivative)
      return Reals{v[0] * delta, delta, c, d, n, v[5], v[6], v[7], v[8]};
    Real dOfD = -(d * d * (n * v[3] + an * v[7] - 1.0));
    Real dOfC = (n - an * v[6] / v[2]) / v[2] - 1.0;
    Real dOfDelta = dOfC * d + c * dOfD;
    return Reals{v[0] * delta, delta, c, d, n, v[5] * delta + v[0] * dOfDelta, dOfC, dOfD, dOfDelta};
  };
  Real square = start * start;
  Reals end = iterate({start, select(p.isFraction, zero, one), huge, start, zero, square, zero, square, zero},
                      {p.a, p.x}, more, step);
  return {end[0], end[5]};
}

/// True if a and x are so small that 1 - igamma(a, x) may cancel.
static Bool isSmall(const Parameters &p) { return p.isSeries & (p.x <= 1) & (p.a <= 1); }

/// The sum of (-x)^n / (n! (a+n)) over n = 1, 2, ...; with `derivative`, that of n (-x)^n / (n! (a+n)^2), which is its
/// derivative by a, times a, plus the sum itself.
static Real alternating(const Parameters &p, bool derivative) {
  Real zero = p.a.constant(0.0), one = p.a.constant(1.0);
  auto more = [&](ArrayRef<Real> v) { return abs(v[1]) > tolerance(v[0]) * abs(v[0]); };
  auto step = [&](ArrayRef<Real> v) {
    Real n = v[2] + 1.0, power = -(v[1] * v[4] / n), divisor = v[3] + n, term = power / divisor;
    return Reals{v[0] + (derivative ? term * (n / divisor) : term), power, n};
  };
  return iterate({zero, select(isSmall(p), one, zero), zero}, {p.a, p.x}, more, step)[0];
}

/// igammac(a, x) where both are small (DLMF 8.7.1).
static Real smallUpper(const Parameters &p) {
  Real exponent = p.a * (logPositive(p.x) - lgamma1pFactor(p.a));
  Real less1 = {{p.a.b, expm1(*p.a.b, exponent.v)}};
  return -less1 - (1.0 + less1) * p.a * alternating(p, false);
}

/// Its derivative by a over the density of x.
static Real smallGradient(const Parameters &p, Real logarithm) {
  Real slope = logarithm - digammaOf(p.a + 1.0);
  return -(p.x * expOf(p.x) / p.a) * (slope * (1.0 + p.a * alternating(p, false)) + alternating(p, true));
}

/// The term summed over k in Temme's expansion: c_k(eta) a^-k, its derivative by eta, or that by -log(a).
enum class Term { Value, ByEta, ByLog };

static Real temme(const Parameters &p, Term term) {
  auto coefficient = [&](int k, ArrayRef<double> c) {
    bool derivative = term == Term::ByEta;
    double weight = term == Term::ByLog ? k : 1;
    size_t i = c.size() - 1;
    Real sum = p.a.constant(weight * (derivative ? i * c[i] : c[i]));
    while (i-- > size_t(derivative))
      sum = sum * p.eta + weight * (derivative ? i * c[i] : c[i]);
    return sum;
  };
  Real z = 1.0 / p.a, sum = coefficient(1, temme1) + z * (coefficient(2, temme2) + z * coefficient(3, temme3));
  return term == Term::ByLog ? z * sum : coefficient(0, temme0) + z * sum;
}

/// igammac(a, x), or igamma(a, x) with `lower`, by DLMF 8.12.3 and 8.12.4.
static Real uniform(const Parameters &p, bool lower) {
  Real y = p.eta * squareRoot(0.5 * p.a);
  Real tail = {{p.a.b, erfc(*p.a.b, (lower ? -y : y).v)}};
  Real rest = expOf(-(p.a * p.phi)) * 0x1.9884533d43651p-2 / squareRoot(p.a) * temme(p, Term::Value);
  return lower ? 0.5 * tail - rest : 0.5 * tail + rest;
}

/// NaN outside of the domain, and for infinite a.
static Real orNan(Real a, Real x, Real result) {
  return select((a > 0) & (a < a.infinity()) & (x >= 0), result, a.nan());
}

static Real incomplete(Real a, Real x, bool lower) {
  Parameters p(a, x);
  Real density = p.density();
  Real below = density * series(p, false).first, above = density * a * fraction(p, false).first;
  Real result = lower ? select(p.isFraction, 1.0 - above, below)
                      : select(p.isFraction, above, select(isSmall(p), smallUpper(p), 1.0 - below));
  result = select(p.isUniform, uniform(p, lower), result);
  result = select(x == 0, lower ? 0.0 : 1.0, select(x == x.infinity(), x.constant(lower ? 1.0 : 0.0), result));
  // The limit as a tends to 0, where all mass is near x = 0.
  return select((a == 0) & (x > 0), lower ? 1.0 : 0.0, orNan(a, x, result));
}

static Real randomGammaGrad(Real a, Real x) {
  Parameters p(a, x);
  Real logarithm = logPositive(x), psi = digammaOf(a);
  // igamma(a, x) = density * sum and density' = density (log(x) - psi(a + 1)); the density of x is density * a / x.
  auto [sum, ofSum] = series(p, true);
  Real below = -(x / a) * (sum * (logarithm - psi - 1.0 / a) + ofSum);
  below = select(isSmall(p), smallGradient(p, logarithm), below);
  auto [value, ofValue] = fraction(p, true);
  Real above = x * (value * (logarithm - psi) + ofValue);
  // The derivative of the uniform expansion over the same density.
  Real mu = (x - a) / a, inverse = 1.0 / a, slope = select(abs(mu) > 1e-30, mu / p.eta, 1.0);
  Real ofTemme = -(inverse * (slope * temme(p, Term::ByEta) + temme(p, Term::ByLog)));
  Real terms = slope - 0.5 * p.eta + temme(p, Term::Value) * (mu - p.phi - 0.5 * inverse) + ofTemme;
  Real middle = (x / a) * scaledGamma(select(a < 8, 8.0, a)) * terms;
  Real result = select(p.isUniform, middle, select(p.isFraction, above, below));
  result = select(x == 0, 0.0, select(x < x.infinity(), result, x.nan()));
  return orNan(a, x, result);
}

Value igamma(ScalarBuilder &b, Value a, Value x) {
  return onReals(b, {a, x}, [](ArrayRef<Real> args) { return incomplete(args[0], args[1], true); });
}

Value igammac(ScalarBuilder &b, Value a, Value x) {
  return onReals(b, {a, x}, [](ArrayRef<Real> args) { return incomplete(args[0], args[1], false); });
}

Value random_gamma_grad(ScalarBuilder &b, Value a, Value x) {
  return onReals(b, {a, x}, [](ArrayRef<Real> args) { return randomGammaGrad(args[0], args[1]); });
}

} // namespace dovetail::scalar
