// Scalar code of the complex functions, in terms of the real ones applied to the parts.
//
// Branch cuts, and the signs of zeros along them, are those of Kahan, "Branch cuts for complex elementary functions, or
// much ado about nothing's sign bit" (1987), C99 Annex G and NumPy. sin, tan, asin and atan are their hyperbolic
// counterparts with the parts of argument and result exchanged, as f(i conj(z)) = i conj(g(z)).
#include "Complex.h"
#include "Kernels.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

namespace dovetail::scalar {

// Parts and powers of two ---------------------------------------------------------------------------------------------

namespace {
struct Complex {
  Real re, im;
};
} // namespace

static Complex partsOf(ScalarBuilder &b, Value x) {
  return {{{&b, complex::ReOp::create(b, x)}}, {{&b, complex::ImOp::create(b, x)}}};
}

static Value asValue(Complex z) {
  return complex::CreateOp::create(*z.re.b, ComplexType::get(z.re.v.getType()), z.re.v, z.im.v);
}

static Value onComplex(ScalarBuilder &b, Value x, llvm::function_ref<Complex(Complex)> formula) {
  return asValue(formula(partsOf(b, x)));
}

/// i conj(z).
static Complex swapped(Complex z) { return {z.im, z.re}; }

static Bool isInfinite(Real x) { return abs(x) == std::numeric_limits<double>::infinity(); }
static Bool isInfinite(Complex z) { return isInfinite(z.re) | isInfinite(z.im); }
static Real atan2(Real y, Real x) { return {{x.b, atan2(*x.b, y.v, x.v)}}; }

/// 1 for infinities, otherwise 0, with the sign of x: the direction of an infinite number.
static Real boxed(Real x) { return copysign(select(isInfinite(x), x.constant(1.0), x.constant(0.0)), x); }

/// A zero part, where the result would be NaN although it has the part as a factor.
static Real orZero(Real part, Real result) { return select((part == 0) & isNan(result), part, result); }

/// 2^k for -bias <= k <= bias, with zero for the smallest.
static Real powerOfTwo(Real like, Int k) { return asReal(shl(k + like.bias(), like.fractionBits())); }

namespace {
/// Two factors that multiply to a power of two outside the range of the format.
struct PowerOfTwo {
  Real first, second;
};
} // namespace

/// 2^k for |k| <= 2 bias.
static PowerOfTwo widePowerOfTwo(Real like, Int k) {
  Int half = sar(k, 1);
  return {powerOfTwo(like, half), powerOfTwo(like, k - half)};
}

// Modulus and roots ---------------------------------------------------------------------------------------------------

namespace {
/// A number scaled by an even power of two so that squares neither overflow nor underflow, and its modulus.
struct Normalized {
  Complex z;
  Real modulus;
  Bool large, small;

  /// One of three powers of two, for large, small and other numbers: that of `factor`, to the power of exponent/2.
  Real power(int halves) const {
    auto constant = [&](int exponent) { return modulus.constant(std::ldexp(1.0, exponent * halves)); };
    return select(large, constant(-modulus.pick(34, 270)), select(small, constant(modulus.pick(40, 300)), constant(0)));
  }
  /// The exponent of two that takes the modulus back.
  Int exponent() const {
    Int zero = bits(modulus).constant(0);
    return select(large, zero + modulus.pick(68, 540), select(small, zero - modulus.pick(80, 600), zero));
  }
};
} // namespace

static Normalized normalized(Complex z) {
  Real x = abs(z.re), y = abs(z.im);
  Real larger = select(x > y, x, y);
  Normalized n = {z, z.re, larger > x.constant(0x1p60f, 0x1p500), larger < x.constant(0x1p-40f, 0x1p-480)};
  Real factor = n.power(2);
  n.z = {z.re * factor, z.im * factor};
  n.modulus = squareRoot(n.z.re * n.z.re + n.z.im * n.z.im);
  n.modulus = select(isInfinite(z), x.infinity(), n.modulus);
  return n;
}

static Real absOf(Complex z) {
  Normalized n = normalized(z);
  return n.modulus * n.power(-2);
}

static Complex signOf(Complex z) {
  Normalized n = normalized(z);
  Real divisor = select(n.modulus == 0, 1.0, n.modulus);
  return {n.z.re / divisor, n.z.im / divisor};
}

/// The root of (+-x, y), up to the sign of the imaginary part, from its larger part (Hull, Fairgrieve and Tang, 1994).
static Complex rootFrom(Real larger, Real x, Real y) {
  Real smaller = abs(y) / select(larger == 0, 1.0, 2.0 * larger);
  Bool left = x < 0;
  return {select(left, smaller, larger), select(left, larger, smaller)};
}
static Real largerPartOfRoot(const Normalized &n) { return squareRoot(0.5 * (abs(n.z.re) + n.modulus)); }

static Complex sqrtOf(Complex z) {
  Normalized n = normalized(z);
  Complex root = rootFrom(largerPartOfRoot(n) * n.power(-1), z.re, z.im);
  Bool vertical = isInfinite(z.im);
  return {select(vertical, z.re.infinity(), root.re), select(vertical, z.im, copysign(root.im, z.im))};
}

static Complex rsqrtOf(Complex z) {
  // conj(sqrt(z)) / |z|.
  Normalized n = normalized(z);
  Complex root = rootFrom(largerPartOfRoot(n), n.z.re, n.z.im);
  Real scale = n.power(1), infinity = z.re.infinity();
  Real re = select(n.modulus == 0, infinity, root.re / n.modulus * scale);
  Real im = copysign(root.im / n.modulus * scale, -z.im);
  Bool vanishes = n.modulus == infinity;
  return {select(vanishes, 0.0, re), select(vanishes, copysign(z.im.constant(0.0), -z.im), im)};
}

// Products and quotients ----------------------------------------------------------------------------------------------

static Complex operator*(Complex x, Complex y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
/// One of the two squares may be fused with the subtraction, which would leave the other's rounding error.
static Complex squareOf(Complex x) {
  Real half = x.re * x.im;
  return {(x.re - x.im) * (x.re + x.im), half + half};
}

namespace {
/// A number times 2^-exponent, where its larger part is in [2, 4).
struct Centered {
  Complex z;
  Int exponent;
};
} // namespace

/// Zero stays zero, and an infinite number keeps its direction.
static Centered centered(Complex z, Bool infinite) {
  Real like = z.re;
  Int larger = smax(magnitudeBits(z.re), magnitudeBits(z.im));
  Int exponent = shr(larger, like.fractionBits()) - (like.bias() + 1);
  exponent = smax(smin(exponent, larger.constant(like.bias() - 1)), larger.constant(-like.bias()));
  Real scale = powerOfTwo(like, larger.constant(0) - exponent);
  return {{select(infinite, boxed(z.re), z.re * scale), select(infinite, boxed(z.im), z.im * scale)}, exponent};
}

/// Scaled as in Baudin and Smith, "A robust complex division in Scilab" (2012); infinities as in C99 Annex G.
static Complex operator/(Complex x, Complex y) {
  Bool xInfinite = isInfinite(x), yInfinite = isInfinite(y);
  Centered n = centered(x, xInfinite), d = centered(y, yInfinite);
  Real square = d.z.re * d.z.re + d.z.im * d.z.im;
  Complex quotient = n.z * Complex{d.z.re, -d.z.im};
  PowerOfTwo scale = widePowerOfTwo(x.re, n.exponent - d.exponent);
  Real last = select(xInfinite, x.re.infinity(), select(yInfinite, 0.0, scale.second));
  last = select(xInfinite & yInfinite, x.re.nan(), last);
  Bool byZero = square == 0;
  Real infinity = copysign(x.re.infinity(), y.re);
  auto part = [&](Real numerator, Real product) {
    return select(byZero, numerator * infinity, product / square * scale.first * last);
  };
  return {part(n.z.re, quotient.re), part(n.z.im, quotient.im)};
}

// Exponentials and hyperbolic functions -------------------------------------------------------------------------------

namespace {
struct Angle {
  Real sin, cos;
};
/// (1 + less1) * 2^exponent; `past` the range, infinite times any normal number.
struct Modulus {
  Real less1;
  Int exponent;
  Bool past;
};
} // namespace

static Angle sinCos(Real x) { return {{{x.b, sin(*x.b, x.v)}}, {{x.b, cos(*x.b, x.v)}}}; }

/// x between plus and minus `limit`, which also stands for NaN.
static Real clamped(Real x, Real limit) {
  Real above = select(x < limit, x, limit);
  return select(above > -limit, above, -limit);
}

/// exp(x) for twice the range of the format.
static Modulus expModulus(Real x) {
  Real limit = x.constant(176.0f, 1417.0);
  Scaled e = expPartsLess1(clamped(x, limit), x.constant(0.0));
  return {select(isNan(x), x, e.significand), e.exponent, x > limit};
}

/// The number with this modulus, raised to the power x, at the angle y.
static Complex polar(Modulus modulus, Real x, Angle angle, Real y) {
  PowerOfTwo scale = widePowerOfTwo(x, modulus.exponent);
  Real first = (1.0 + modulus.less1) * scale.first, second = select(modulus.past, x.infinity(), scale.second);
  // An infinite modulus, or its inverse, determines the result even without an angle.
  Bool lost = isNan(angle.cos) & isInfinite(x);
  Real cos = select(lost, 1.0, angle.cos), sin = select(lost & (x < 0), 0.0, angle.sin);
  return {first * cos * second, orZero(y, first * sin * second)};
}

static Complex expOf(Complex z) { return polar(expModulus(z.re), z.re, sinCos(z.im), z.im); }

static Complex exp2Of(Complex z) {
  Real x = z.re, y = z.im, limit = x.constant(254.0f, 2044.0);
  Real bounded = clamped(x, limit), k = nearestInteger(bounded);
  Real less1 = exp2Around(bounded - k) - 1.0;
  // y log(2) = high + low, where the product of short parts is exact and `high` differs from it by less than an ulp.
  Real shortLog = x.constant(0x1.62ep-1f, 0x1.62e42ep-1),
       restOfLog = x.constant(0x1.0bfbe8p-15f, 0x1.efa39ef35793cp-25);
  Real shortY = top(y), product = shortY * shortLog;
  Real rest = shortY * restOfLog + (y - shortY) * (shortLog + restOfLog);
  Real high = opaque(product + rest), low = (product - high) + rest;
  // At large angles the correction is more than linear.
  low = select(abs(low) < x.constant(0x1p-10f, 0x1p-26), low, 0.0);
  Angle angle = sinCos(high);
  angle = {angle.sin + low * angle.cos, angle.cos - low * angle.sin};
  Complex power = polar({select(isNan(x), x, less1), toInt(k), x > limit}, x, angle, y);
  return {power.re, select(y == 0, y, power.im)};
}

static Complex expm1Of(Complex z) {
  // (expm1(x) cos y - (1 - cos y)) + i exp(x) sin y.
  Modulus modulus = expModulus(z.re);
  Angle angle = sinCos(z.im);
  Complex exp = polar(modulus, z.re, angle, z.im);
  Int k = modulus.exponent;
  Real power = powerOfTwo(z.re, smax(smin(k, k.constant(z.re.bias())), k.constant(-z.re.bias())));
  Real versine = select(angle.cos >= 0, angle.sin * angle.sin / (1.0 + angle.cos), 1.0 - angle.cos);
  Real near = (modulus.less1 * power + (power - 1.0)) * angle.cos - versine;
  return {select(abs(z.re) > 50, exp.re - 1.0, near), exp.im};
}

namespace {
/// sinh(x) = sinh * scale, cosh(x) = cosh * scale. Up to the range of the format, `scale` is 1/2.
struct Hyperbolic {
  Real sinh, cosh, scale;
};
} // namespace

static Hyperbolic hyperbolic(Real x) {
  Real magnitude = abs(x), limit = x.constant(177.0f, 1419.0);
  Scaled e = expPartsLess1(select(magnitude < limit, magnitude, limit), x.constant(0.0));
  Real less1 = select(isNan(x), x, e.significand);
  Int inner = smin(e.exponent, e.exponent.constant(x.bias()));
  Real power = powerOfTwo(x, inner);
  Real exp = power + less1 * power, expm1 = less1 * power + (power - 1.0), inverse = 1.0 / exp;
  return {copysign(expm1 + expm1 * inverse, x), exp + inverse, powerOfTwo(x, e.exponent - inner - 1)};
}

/// The cosine; if it is missing, an infinite real part does not become NaN.
static Real cosineAt(Real x, Angle angle) { return select(isNan(angle.cos) & isInfinite(x), 1.0, angle.cos); }

static Complex sinhOf(Complex z) {
  Hyperbolic h = hyperbolic(z.re);
  Angle angle = sinCos(z.im);
  return {orZero(z.re, h.sinh * cosineAt(z.re, angle) * h.scale), orZero(z.im, h.cosh * angle.sin * h.scale)};
}

static Complex coshOf(Complex z) {
  Hyperbolic h = hyperbolic(z.re);
  Angle angle = sinCos(z.im);
  Real im = h.sinh * angle.sin * h.scale;
  return {h.cosh * cosineAt(z.re, angle) * h.scale, orZero(z.re, orZero(z.im, im))};
}

static Complex tanhOf(Complex z) {
  // (sinh x cosh x + i sin y cos y) / (sinh(x)^2 + cos(y)^2), each part without cancellation.
  Hyperbolic h = hyperbolic(z.re);
  Angle angle = sinCos(z.im);
  Real square = h.sinh * h.sinh + 4.0 * angle.cos * angle.cos;
  Real im = 4.0 * angle.sin * angle.cos / square;
  im = select(isInfinite(z.re) & isNan(im), 0.0, orZero(z.im, im));
  // With a finite real part, only for a known angle.
  Bool saturated = (abs(z.re) > z.re.constant(20.0f, 30.0)) & (isInfinite(z.re) | (abs(angle.cos) <= 1));
  Real re = orZero(z.re, h.sinh * h.cosh / square);
  return {select(saturated, copysign(z.re.constant(1.0), z.re), re), im};
}

static Complex logisticOf(Complex z) {
  // 1 / (1 + exp(-z)), with the conjugate of the divisor to make it real. In u = exp(-|x|), 1 - u and z/2 no part
  // cancels near the poles.
  Real x = z.re, magnitude = abs(x), limit = x.constant(88.0f, 709.0);
  Scaled e = expPartsLess1(-select(magnitude < limit, magnitude, limit), x.constant(0.0));
  Real less1 = select(isNan(x), x, e.significand), power = powerOfTwo(x, e.exponent);
  Real u = power + less1 * power, lack = (1.0 - power) - less1 * power;
  Angle half = sinCos(0.5 * z.im);
  Real onePlusCos = 2.0 * half.cos * half.cos, oneLessCos = 2.0 * half.sin * half.sin;
  Real square = lack * lack + 2.0 * u * onePlusCos;
  Real left = u * select(onePlusCos < oneLessCos, onePlusCos - lack, (1.0 + u) - oneLessCos);
  Real re = select(x < 0, left, lack + u * onePlusCos) / square, im = 2.0 * u * half.sin * half.cos / square;
  // As (1 + tanh(z/2)) / 2, for an infinite real part and any angle.
  Bool infinite = isInfinite(x);
  re = select((x > x.constant(40.0f, 80.0)) & (infinite | (abs(half.cos) <= 1)), 1.0, re);
  return {select(infinite & (x < 0), 0.0, re), select(infinite, 0.0, im)};
}

// Logarithms and powers -----------------------------------------------------------------------------------------------

/// log|z|, where |z|^2 = 1 + d (d + 2) + t^2 near 1 with d and t exact (Hull, Fairgrieve and Tang, 1994).
static Real logModulus(Complex z, Real d, Real t) {
  Normalized n = normalized(z);
  Real square = n.z.re * n.z.re + n.z.im * n.z.im;
  Scaled parts = centered(bits(square));
  Int exponent = n.exponent();
  // 2d cancels the squares of the upper halves without rounding.
  Real dTop = top(d), tTop = top(t);
  Real rest = (t - tTop) * (t + tTop) + (d - dTop) * (d + dTop);
  Real excess = ((2.0 * d + tTop * tTop) + dTop * dTop) + rest;
  // Farther from 1, repeat without the upper half, for the rounding errors of the sums; near 1 they cancel exactly.
  Real high = top(excess), again = (((2.0 * d - high) + tTop * tTop) + dTop * dTop) + rest;
  Real low = select(parts.exponent == 0, excess - high, again);
  Bool near = (exponent == 0) & (parts.exponent >= -1) & (parts.exponent <= 1);
  Real scale = select(parts.exponent == 0, z.re.constant(1.0), select(parts.exponent > 0, 0.5, z.re.constant(2.0)));
  Real f = select(near, (high * scale + (scale - 1.0)) + low * scale, parts.significand - 1.0);
  Real result = 0.5 * logOf(f, toReal(parts.exponent + exponent + exponent));
  result = select(square == 0, -z.re.infinity(), select(isNan(square), square, result));
  return select(isInfinite(z), z.re.infinity(), result);
}

static Complex logOf(Complex z) {
  Real x = abs(z.re), y = abs(z.im);
  Bool flat = x > y;
  return {logModulus(z, select(flat, x, y) - 1.0, select(flat, y, x)), atan2(z.im, z.re)};
}

static Complex log1pOf(Complex z) {
  Complex shifted = {1.0 + z.re, z.im};
  // |1 + x| - 1 without rounding where it matters.
  Real d = select(z.re < -1, -2.0 - z.re, z.re);
  Real re = logModulus(shifted, d, z.im);
  return {select((z.re == 0) & (z.im == 0), z.re, re), atan2(shifted.im, shifted.re)};
}

static Complex powOf(Complex x, Complex y) {
  Complex power = expOf(y * logOf(x));
  Bool trivial = (y.re == 0) & (y.im == 0);
  return {select(trivial, 1.0, power.re), select(trivial, 0.0, power.im)};
}

// Inverse functions ---------------------------------------------------------------------------------------------------

namespace {
/// An argument in the first quadrant as z/unit. Next to a large number, which is scaled down, 1 is taken as 0; an
/// infinite number keeps its direction.
struct Quadrant {
  Real x, y, unit;
  Bool large, infinite;
  Real scale;
};
/// asin(x + iy) = atan(x / cofactor) + i log in the first quadrant.
struct ArcSine {
  Real x, cofactor, log;
};
} // namespace

static Quadrant quadrant(Complex z) {
  Real x = abs(z.re), y = abs(z.im), threshold = x.constant(0x1p50f, 0x1p400);
  Bool infinite = isInfinite(z), large = (x > threshold) | (y > threshold);
  Real scale = select(large, x.constant(0x1p-68f, 0x1p-560), x.constant(1.0));
  return {select(infinite, boxed(x), x * scale),
          select(infinite, boxed(y), y * scale),
          select(large, x.constant(0.0), x.constant(1.0)),
          large,
          infinite,
          scale};
}

/// Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using exception handling"
/// (1997), with all differences rewritten as sums: with a half the sum of the distances r and s from -1 and 1,
/// a - 1 and a - x are halves of y^2 / (r + x + 1) plus s + |x - 1| or y^2 / (s + |x - 1|). The halves come last, lest
/// they vanish.
static ArcSine arcSine(Complex z) {
  Quadrant q = quadrant(z);
  Real x = q.x, y = q.y, square = y * y;
  Real right = x + q.unit, left = abs(x - q.unit);
  Real r = squareRoot(right * right + square);
  Real s = select(left == 0, y, squareRoot(left * left + square));
  Real inverse = 1.0 / (r + right), sum = s + left;
  // y is outside of the root, as its square may vanish.
  Real thin = y * squareRoot(inverse + 1.0 / sum), wide = squareRoot(square * inverse + sum);
  Real root1 = select(x < q.unit, thin, wide), rootX = select(x > q.unit, thin, wide);
  Real twice = r + s;
  Real t = 0.5 * (root1 * (root1 + squareRoot(twice + 2.0 * q.unit)));
  // A large a is raised above 1, again by a power of two.
  Int zero = bits(x).constant(0);
  Real raised = select(q.large, t * x.constant(0x1p50f, 0x1p230), t);
  Real log = log1pOf(raised, select(q.large, zero + x.pick(18, 330), zero));
  Real cofactor = 0.5 * (rootX * squareRoot(twice + 2.0 * x));
  cofactor = select(isNan(abs(z.re) + abs(z.im)), x.nan(), cofactor);
  return {x, cofactor, select(q.infinite, x.infinity(), select(isNan(t), t, log))};
}

static Complex asinhOf(Complex z) {
  ArcSine arc = arcSine(swapped(z));
  return {copysign(arc.log, z.re), copysign(orZero(z.im, atan2(arc.x, arc.cofactor)), z.im)};
}

static Complex acosOf(Complex z) {
  ArcSine arc = arcSine(z);
  return {atan2(arc.cofactor, copysign(arc.x, z.re)), copysign(arc.log, -z.im)};
}

static Complex acoshOf(Complex z) {
  ArcSine arc = arcSine(z);
  return {arc.log, copysign(atan2(arc.cofactor, copysign(arc.x, z.re)), z.im)};
}

/// log1p(4x / ((1-x)^2 + y^2)) / 4 + i atan2(2y, (1-x)(1+x) - y^2) / 2 in the first quadrant (Kahan, 1987).
static Complex atanhOf(Complex z) {
  Quadrant q = quadrant(z);
  Real x = q.x, y = q.y, left = q.unit - x, square = y * y;
  Real scale = select(q.infinite, 0.0, q.scale);
  // Above the pole y^2 may vanish; there the real part is log(2/y) / 2.
  Bool close = (left == 0) & (y < x.constant(0x1p-30f, 0x1p-60));
  Real ratio = select(close, 2.0 / y, 4.0 * x / (left * left + square) * scale);
  Real log = log1pOf(ratio, bits(x).constant(0)) * select(close, x.constant(0.5), x.constant(0.25));
  log = select(ratio < x.infinity(), log, ratio);
  Real angle = atan2(2.0 * y * scale, left * (q.unit + x) - square);
  angle = select(isNan(z.im), z.im, angle);
  return {copysign(orZero(z.re, log), z.re), copysign(0.5 * angle, z.im)};
}

// The functions of Complex.h ------------------------------------------------------------------------------------------

Value complexMul(ScalarBuilder &b, Value x, Value y) {
  if (x == y)
    return onComplex(b, x, squareOf);
  return asValue(partsOf(b, x) * partsOf(b, y));
}
Value complexDiv(ScalarBuilder &b, Value x, Value y) { return asValue(partsOf(b, x) / partsOf(b, y)); }
Value complexPow(ScalarBuilder &b, Value x, Value y) { return asValue(powOf(partsOf(b, x), partsOf(b, y))); }

Value complexAbs(ScalarBuilder &b, Value x) { return absOf(partsOf(b, x)).v; }
Value complexSign(ScalarBuilder &b, Value x) { return onComplex(b, x, signOf); }

Value complexExp(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return expOf(z); });
}
Value complexExp2(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return exp2Of(z); });
}
Value complexExpm1(ScalarBuilder &b, Value x) { return onComplex(b, x, expm1Of); }
Value complexLog(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return logOf(z); });
}
Value complexLog1p(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return log1pOf(z); });
}
Value complexLogistic(ScalarBuilder &b, Value x) { return onComplex(b, x, logisticOf); }
Value complexSqrt(ScalarBuilder &b, Value x) { return onComplex(b, x, sqrtOf); }
Value complexRsqrt(ScalarBuilder &b, Value x) { return onComplex(b, x, rsqrtOf); }

Value complexSinh(ScalarBuilder &b, Value x) { return onComplex(b, x, sinhOf); }
Value complexCosh(ScalarBuilder &b, Value x) { return onComplex(b, x, coshOf); }
Value complexTanh(ScalarBuilder &b, Value x) { return onComplex(b, x, tanhOf); }
Value complexAsinh(ScalarBuilder &b, Value x) { return onComplex(b, x, asinhOf); }
Value complexAcosh(ScalarBuilder &b, Value x) { return onComplex(b, x, acoshOf); }
Value complexAtanh(ScalarBuilder &b, Value x) { return onComplex(b, x, atanhOf); }

Value complexSin(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return swapped(sinhOf(swapped(z))); });
}
Value complexCos(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) {
    Complex y = coshOf(swapped(z));
    return Complex{y.re, -y.im};
  });
}
Value complexTan(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return swapped(tanhOf(swapped(z))); });
}
Value complexAsin(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return swapped(asinhOf(swapped(z))); });
}
Value complexAcos(ScalarBuilder &b, Value x) { return onComplex(b, x, acosOf); }
Value complexAtan(ScalarBuilder &b, Value x) {
  return onComplex(b, x, [](Complex z) { return swapped(atanhOf(swapped(z))); });
}

} // namespace dovetail::scalar
