"""Special functions: computed in float64 by SciPy and rounded.

Where SciPy's conventions at poles and outside of a domain are not JAX's, JAX's hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.base.dtypes import float32, float64
from dovetail.reference.elementary import special
from dovetail.reference.op import NS, op

Array = np.ndarray[Any, Any]

# Below the negative of this the compiled code gives up, too.
_ZETA_TERMS = 4096


def _in_double(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function given by its code for float64; a narrow result is rounded from float32."""

    def apply(*operands: Array) -> Array:
        dtype = operands[0].dtype
        result = np.asarray(function(*(x.astype(float64, copy=False) for x in operands)))
        if dtype == float64:
            return result
        return result.astype(float32).astype(dtype, copy=False)

    return apply


def _is_pole(x: Array) -> Array:
    """True at the poles of the gamma function, and at -infinity."""
    return (x <= 0) & (np.floor(x) == x)


def _lgamma(x: Array) -> Array:
    # SciPy calls it infinite at subnormal numbers.
    value = np.where(abs(x) < 1e-300, -np.log(abs(x)), special().gammaln(x))
    return np.where(_is_pole(x), np.inf, value)


def _digamma(x: Array) -> Array:
    return np.where(_is_pole(x), np.nan, special().psi(x))


def _zeta(s: Array, q: Array) -> Array:
    value = special().zeta(s, q)
    # Where it gives up, the first term is all.
    value = np.where(np.isnan(value) & (q > -0.25), np.power(q, -s), value)
    value = np.where((q < -_ZETA_TERMS) | (q < 0) & (np.floor(s) != s), np.nan, value)
    value = np.where(_is_pole(q), np.inf, value)
    value = np.where(s < 1, np.nan, np.where(s == 1, np.inf, value))
    return np.where(np.isnan(s) | np.isnan(q), np.nan, value)


def _polygamma(n: Array, x: Array) -> Array:
    magnitude = special().gamma(n + 1) * _zeta(n + 1, x)
    value = np.where(np.floor(n / 2) * 2 == n, -magnitude, magnitude)
    value = np.where(n == 0, _digamma(x), value)
    return np.where((n < 0) | (np.floor(n) != n) | np.isnan(x), np.nan, value)


@op("erf_inv", cost=8 * NS)
def erf_inv(x: Array) -> Array:
    """The inverse of the error function; a narrow result is rounded from float32."""
    operand = np.ascontiguousarray(x, float64 if x.dtype == float64 else float32).reshape(-1)
    result = np.empty_like(operand)
    _core.erf_inv(operand, result)
    return result.reshape(x.shape).astype(x.dtype, copy=False)


lgamma = op("lgamma", cost=100 * NS)(_in_double(_lgamma))
digamma = op("digamma", cost=100 * NS)(_in_double(_digamma))
zeta = op("zeta", cost=1000 * NS)(_in_double(_zeta))
polygamma = op("polygamma", cost=1000 * NS)(_in_double(_polygamma))
bessel_i0e = op("bessel_i0e", cost=100 * NS)(_in_double(lambda x: special().i0e(x)))
bessel_i1e = op("bessel_i1e", cost=100 * NS)(_in_double(lambda x: np.copysign(special().i1e(x), x)))


def _of_tiny_parameter(a: Array, x: Array) -> Array:
    """The upper incomplete gamma function to first order in a, by https://dlmf.nist.gov/8.7.E1."""
    first, logarithm = special().exp1(x), np.log(x) + np.euler_gamma
    return np.where(x < 1, a * (first + logarithm) - np.expm1(a * logarithm), a * first)


def _incomplete_gamma(a: Array, x: Array) -> tuple[Array, Array]:
    """The lower and the upper function, each from the other where SciPy gets that one better."""
    lower, upper = special().gammainc(a, x), special().gammaincc(a, x)
    upper = np.where(lower < 0.9, 1 - lower, upper)
    upper = np.where(a < 1e-15, _of_tiny_parameter(a, x), upper)
    upper = np.where(x == 0, 1.0, upper)
    lower = np.where(upper < 0.01, 1 - upper, lower)
    inside = (a > 0) & (a < np.inf) & (x >= 0)
    lower, upper = np.where(inside, lower, np.nan), np.where(inside, upper, np.nan)
    limit = (a == 0) & (x > 0)
    return np.where(limit, 1.0, lower), np.where(limit, 0.0, upper)


def _betainc(a: Array, b: Array, x: Array) -> Array:
    bounded = (x >= 0) & (x <= 1)
    inside = (a > 0) & (a < np.inf) & (b > 0) & (b < np.inf) & bounded
    value = np.where(inside, special().betainc(a, b, np.where(inside, x, np.nan)), np.nan)
    # Limits for one parameter at 0 or infinity, where all mass is at one end.
    left = (a == 0) & (b > 0) | (b == np.inf) & (a >= 0) & (a < np.inf)
    right = (b == 0) & (a > 0) | (a == np.inf) & (b >= 0) & (b < np.inf)
    value = np.where(bounded & left & (x > 0), 1.0, value)
    value = np.where(bounded & left & (x == 0), 0.0, value)
    value = np.where(bounded & right & (x < 1), 0.0, value)
    return np.where(bounded & right & (x == 1), 1.0, value)


igamma = op("igamma", cost=1000 * NS)(_in_double(lambda a, x: _incomplete_gamma(a, x)[0]))
igammac = op("igammac", cost=1000 * NS)(_in_double(lambda a, x: _incomplete_gamma(a, x)[1]))
betainc = op("betainc", cost=1000 * NS)(_in_double(_betainc))


# Derivatives of gamma quantiles with respect to the parameter --------------------------------

_EPSILON = np.finfo(float64).eps / 4
_MOST_STEPS = 10**5


def _by_series(a: Array, x: Array) -> Array:
    """By https://dlmf.nist.gov/8.11.E4, differentiated term by term."""
    term = total = np.ones_like(a)
    change = slope = np.zeros_like(a)
    more = np.ones_like(a, bool)
    for n in range(1, _MOST_STEPS):
        factor = x / (a + n)
        term, change = term * factor, (change - term / (a + n)) * factor
        total, slope = total + more * term, slope + more * change
        more &= (term > _EPSILON * total) | (abs(change) > _EPSILON * abs(slope))
        if not more.any():
            break
    return -(x / a) * (total * (np.log(x) - special().psi(a) - 1 / a) + slope)


def _by_fraction(a: Array, x: Array) -> Array:
    """By https://dlmf.nist.gov/8.9.E2 in Lentz's method, differentiated step by step."""
    d = value = 1 / (x + 1 - a)
    d_slope = slope = d * d
    c, c_slope = np.full_like(a, 1e30), np.zeros_like(a)
    more = np.ones_like(a, bool)
    for n in range(1, _MOST_STEPS):
        an, bn = n * (a - n), x + 2 * n + 1 - a
        next_d = 1 / (an * d + bn)
        d_slope = -(next_d**2) * (n * d + an * d_slope - 1)
        c_slope = (n - an * c_slope / c) / c - 1
        d, c = next_d, bn + an / c
        factor, change = c * d, c_slope * d + c * d_slope
        slope = np.where(more, slope * factor + value * change, slope)
        value = np.where(more, value * factor, value)
        # A factor may stay one unit off.
        more &= (abs(factor - 1) > 4 * _EPSILON) | (abs(change) > 4 * _EPSILON)
        if not more.any():
            break
    return x * (value * (np.log(x) - special().psi(a)) + slope)


# From here on those take too many steps around x = a.
_LARGE = 1e8


def _by_limit(a: Array, x: Array) -> Array:
    """By the leading terms of https://dlmf.nist.gov/8.12.E3; the relative error is about 1/a."""
    excess = (x - a) / a
    return x / a * np.where(excess == 0, 1.0, np.log1p(excess) / excess)


def _random_gamma_grad(a: Array, x: Array) -> Array:
    result = np.where(x == 0, 0.0, np.nan)
    inside = (a > 0) & (a < np.inf) & (x > 0) & (x < np.inf)
    limit = inside & (a > _LARGE) & (abs(x - a) < a / 4)
    upper = inside & ~limit & (x > 1) & (x > a)
    for where, function in (
        (limit, _by_limit),
        (upper, _by_fraction),
        (inside & ~limit & ~upper, _by_series),
    ):
        if where.any():
            result[where] = function(a[where], x[where])
    return np.where((a > 0) & (a < np.inf), result, np.nan)


random_gamma_grad = op("random_gamma_grad", cost=1000 * NS)(_in_double(_random_gamma_grad))
