// The Hurwitz zeta function and the polygamma functions, which are its values at integers.
#include "Gamma.h"
#include "Loop.h"

using namespace mlir;

namespace dovetail::scalar {

// B(2k) / (2k)! for k = 1, 2, ... (DLMF 24.2).
static constexpr double bernoulli[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                       -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                       0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                       -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63};

static Real power(Real x, Real y) { return {{x.b, pow(*x.b, x.v, y.v)}}; }

/// The sum of a^-s, (a+1)^-s, ... for s > 1, by the Euler-Maclaurin formula (DLMF 2.10.1).
static Real eulerMaclaurin(Real a, Real s) {
  Real last = s - 1.0, inverse = 1.0 / a;
  Real term = s * inverse, sum = a.constant(0.0);
  size_t count = a.isDouble() ? 12 : 6;
  for (size_t k = 0; k < count; ++k) {
    sum = sum + bernoulli[k] * term;
    if (k + 1 < count)
      term = term * ((s + double(2 * k + 1)) * inverse) * ((s + double(2 * k + 2)) * inverse);
  }
  return power(a, -last) * (1.0 / last + inverse * (0.5 + sum));
}

/// Terms are summed one by one until they vanish or this formula holds. Far below zero it never does.
static constexpr int mostTerms = 4096;

static Real zetaOf(Real s, Real q) {
  Real zero = s.constant(0.0);
  // Sum, last term, number of terms.
  auto more = [](ArrayRef<Real> v) {
    Real sum = v[0], term = v[1], count = v[2], s = v[3], q = v[4];
    Real a = q + count, enough = s * 0.75 + s.constant(4.0f, 10.0);
    Real epsilon = s.constant(0x1p-26f, 0x1p-55);
    return (a < enough) & ((a < 1) | (count == 0) | (abs(term) > epsilon * abs(sum))) & (count < mostTerms);
  };
  auto step = [](ArrayRef<Real> v) {
    Real sum = v[0], count = v[2], s = v[3], q = v[4];
    Real term = power(q + count, -s);
    return Reals{sum + term, term, count + 1.0};
  };
  Reals end = iterate({zero, zero, zero}, {s, q}, more, step);
  Real sum = end[0], a = q + end[2];
  Bool isEnough = (a >= s * 0.75 + s.constant(4.0f, 10.0)) & (s < s.infinity());
  Real result = select(isEnough, sum + eulerMaclaurin(a, s), sum);

  Real infinity = s.infinity();
  Bool negative = q < 0;
  result = select(negative & !isIntegral(s), s.nan(), result);
  result = select(q < -double(mostTerms), s.nan(), result);
  result = select((q <= 0) & isIntegral(q), infinity, result);
  result = select(s < 1, s.nan(), select(s == 1, infinity, result));
  return select(isNan(s) | isNan(q), s + q, result);
}

static Real polygammaOf(Real n, Real x) {
  // n! overflows long before this.
  Real last = select(n < 200, n, 200.0);
  auto more = [](ArrayRef<Real> v) { return v[1] <= v[2]; };
  auto step = [](ArrayRef<Real> v) { return Reals{v[0] * v[1], v[1] + 1.0}; };
  Real factorial = iterate({n.constant(1.0), n.constant(1.0)}, {last}, more, step)[0];
  Real magnitude = factorial * zetaOf(n + 1.0, x);
  Real half = n * 0.5;
  Real result = select(isIntegral(half), -magnitude, magnitude);
  result = select(n == 0, digammaOf(x), result);
  result = select((n < 0) | !isIntegral(n), n.nan(), result);
  return select(isNan(n) | isNan(x), n + x, result);
}

Value zeta(ScalarBuilder &b, Value s, Value q) {
  return onReals(b, {s, q}, [](ArrayRef<Real> args) { return zetaOf(args[0], args[1]); });
}

Value polygamma(ScalarBuilder &b, Value n, Value x) {
  return onReals(b, {n, x}, [](ArrayRef<Real> args) { return polygammaOf(args[0], args[1]); });
}

} // namespace dovetail::scalar
