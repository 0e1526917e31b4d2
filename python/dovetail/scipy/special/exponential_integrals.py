"""Exponential, sine and cosine integrals, and the dilogarithm."""

from __future__ import annotations

import math

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.numpy.promotion import filled
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import (
    at_least,
    at_most,
    is_whole,
    pointwise,
    polynomial,
    rational,
    with_derivatives,
)
from dovetail.scipy.special import coefficients as table
from dovetail.scipy.special.docstrings import FLOATS
from dovetail.scipy.special.gamma_functions import gamma_of

# Terms of a series at 1 in float64.
_TERMS = 20
# Steps of a continued fraction at 1.
_STEPS = {dtypes.float32: 24, dtypes.float64: 88}


@documented(FLOATS)
def exp1(x: ArrayLike) -> Array:
    """The exponential integral E1, the integral of exp(-t) / t from x to infinity.

    Returns:
      An array of floats, NaN below 0.

    Source: https://dlmf.nist.gov/6.2#E1

    Example:
      >>> exp1(1.0)
      Array(0.21938393, dtype=float32, weak_type=True)
    """
    return pointwise("exp1", _exp1, x)


@with_derivatives(lambda ans, x: -ops.exp(-x) / x)
def _exp1(x: Array) -> Array:
    near = at_most(x, 1)
    value = rational(table.E1_TO_1, near) - ops.log(near)
    t = 1 / at_least(x, 1)
    middle = rational(table.E1_TO_4, at_least(t, 1 / 4))
    far = rational(table.E1_FROM_4, at_most(t, 1 / 4))
    tail = where(x < 4, middle, far) * t * ops.exp(-x)
    return where(x < 1, value, tail)


@documented(FLOATS)
def expi(x: ArrayLike) -> Array:
    """The exponential integral Ei, the principal value of the integral of exp(t) / t up to x.

    Source: https://dlmf.nist.gov/6.2#E5

    Example:
      >>> expi(1.0)
      Array(1.8951178, dtype=float32, weak_type=True)
    """
    return pointwise("expi", _expi, x)


@with_derivatives(lambda ans, x: ops.exp(x) / x)
def _expi(x: Array) -> Array:
    near = where((x > 0) & (x < 6), x, 1)
    difference, logarithm = _from_root(near, table.EI_ROOT)
    value = logarithm + difference * rational(table.EI_TO_6, near)
    t = 1 / at_least(x, 6)
    tail = rational(table.EI_TO_10, at_least(t, 1 / 10))
    to_20 = at_most(at_least(t - 1 / 20, 0), 1 / 20)
    to_48 = at_most(at_least(t - 1 / 48, 0), 7 / 240)
    tail = where(x < 10, tail, rational(table.EI_TO_20, to_20))
    tail = where(x < 20, tail, rational(table.EI_TO_48, to_48))
    tail = where(x < 48, tail, rational(table.EI_FROM_48, at_most(t, 1 / 48)))
    # Two factors: exp overflows before the quotient.
    half = ops.exp(at_most(at_least(x, 6), 2000) / 2)
    value = where(x < 6, value, half * (t * tail) * half)
    value = where(x == math.inf, math.inf, value)
    value = where(x < 0, -_exp1(where(x < 0, -x, 1)), value)
    return where(x == 0, -math.inf, where(x == x, value, x))


def _from_root(x: Array, root: tuple[float, float]) -> tuple[Array, Array]:
    """x minus a root, and log(x / root); neither loses digits near the root."""
    value = sum(root)
    head = float(np.float32(value)) if x.dtype == dtypes.float32 else root[0]
    difference = (x - head) - (root[1] if head == root[0] else value - head)
    near = ops.abs(difference) < value / 2
    by_difference = ops.log1p(where(near, difference, 0) / value)
    return difference, where(near, by_difference, ops.log(x / value))


def expn(n: ArrayLike, x: ArrayLike) -> Array:
    """The generalized exponential integral, the integral of exp(-x t) / t^n from 1 to infinity.

    Args:
      n: an array of numbers, 0 or positive.
      x: an array of real numbers.

    Returns:
      An array of floats, NaN if one is negative. There is no derivative with respect to n.
      https://dlmf.nist.gov/8.19#E3

    Example:
      >>> expn(2, 1.0)
      Array(0.14849555, dtype=float32)
    """
    return pointwise("expn", lambda n, x: _expn(lax.stop_gradient(n), x), n, x)


def _expn_slope(ans: Array, n: Array, x: Array) -> Array:
    lower = _expn(at_least(n - 1, 0), x)
    return where(n >= 1, -lower, -ops.exp(-x) * (1 + x) / (x * x))


@with_derivatives(lambda ans, n, x: filled(ans, 0), _expn_slope)
def _expn(n: Array, x: Array) -> Array:
    near = x <= 1
    value = where(near, _expn_series(n, where(near & (x > 0), x, 1)), _expn_fraction(n, x))
    value = where(n == 1, _exp1(x), where(n == 0, ops.exp(-x) / x, value))
    value = where(x == 0, where(n > 1, 1 / (n - 1), math.inf), value)
    value = where(x == math.inf, 0, value)
    return where((n >= 0) & (x >= 0), value, math.nan)


def _expn_series(n: Array, x: Array) -> Array:
    """For 0 < x <= 1, by https://dlmf.nist.gov/8.19#E8 and, for n that are not integers, E10."""
    whole = is_whole(n)
    total, term = filled(x, 0), filled(x, 1)
    for m in range(_TERMS):
        # The term of m = n - 1 is the logarithm's.
        gap = m - n + 1
        total = total + where(gap == 0, 0, term / where(gap == 0, 1, gap))
        term = term * (-x / (m + 1))
    power = ops.pow(x, n - 1)
    factorial = gamma_of(at_least(n, 1))
    odd = ~is_whole((n - 1) / 2)
    logarithm = (ops.digamma(at_least(n, 1)) - ops.log(x)) * power / factorial
    singular = where(odd, -logarithm, logarithm)
    other = gamma_of(where(whole, 0.5, 1 - n)) * power
    return where(whole, singular, other) - total


def _expn_fraction(n: Array, x: Array) -> Array:
    """For x > 1, by the even part of https://dlmf.nist.gov/8.19#E17, from its end, so that rounding
    errors decay.
    """
    x = at_most(at_least(x, 1), 1e4)
    steps = _STEPS[x.dtype]
    b = x + n

    def step(i: Array, rest: Array) -> Array:
        k = lax.convert_element_type(steps - i, x.dtype)
        return k * (n + k - 1) / (b + 2 * k - rest)

    return ops.exp(-x) / (b - lax.fori_loop(0, steps, step, filled(x, 0)))


@documented(FLOATS)
def sici(x: ArrayLike) -> tuple[Array, Array]:
    """The sine and cosine integrals.

    Returns:
      Si(x), and Ci(|x|), arrays of floats.

    Source: https://dlmf.nist.gov/6.2#ii

    Example:
      >>> sici(1.0)[0]
      Array(0.94608307, dtype=float32, weak_type=True)
    """
    return pointwise("sici", _sici, x)


def _sici_slopes(ans: tuple[Array, Array], x: Array) -> tuple[Array, Array]:
    # Near 0 the series, whose derivatives are right too.
    square = x * x
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42))
    small = ops.abs(x) < 0.05
    safe = where(small, 1, x)
    return where(small, series, ops.sin(safe) / safe), ops.cos(x) / x


@with_derivatives(_sici_slopes)
def _sici(x: Array) -> tuple[Array, Array]:
    size = ops.abs(x)
    near = where((size > 0) & (size < 4), size, 1)
    square = near * near
    inner_si = near * rational(table.SI, square)
    difference, logarithm = _from_root(near, table.CI_ROOT)
    rest = difference * (near + table.CI_ROOT[0]) * rational(table.CI, square)
    inner_ci = logarithm + rest
    far = where(size < math.inf, at_least(size, 4), 4)
    t = 1 / (far * far)
    close, distant = at_least(t, 1 / 64), at_most(t, 1 / 64)
    f = where(size < 8, rational(table.SICI_F_TO_8, close), rational(table.SICI_F_FROM_8, distant))
    g = where(size < 8, rational(table.SICI_G_TO_8, close), rational(table.SICI_G_FROM_8, distant))
    f, g = f / far, g * t
    sine, cosine = ops.sin(far), ops.cos(far)
    si = where(size < 4, where(x == 0, 0, inner_si), math.pi / 2 - f * cosine - g * sine)
    ci = where(size < 4, where(x == 0, -math.inf, inner_ci), f * sine - g * cosine)
    si = where(size == math.inf, math.pi / 2, si)
    ci = where(x == math.inf, 0, where(x == -math.inf, math.nan, ci))
    return where(x != x, x, where(x < 0, -si, si)), where(x != x, x, ci)


@documented(FLOATS)
def spence(x: ArrayLike) -> Array:
    """The dilogarithm of 1 - x, the integral of log(t) / (1 - t) from 1 to x.

    Returns:
      An array of floats, NaN below 0.

    Source: https://dlmf.nist.gov/25.12#E1

    Example:
      >>> spence(0.0)
      Array(1.644934, dtype=float32, weak_type=True)
    """
    return pointwise("spence", _spence, x)


def _spence_slope(ans: Array, x: Array) -> Array:
    """log(x) / (1 - x), near 1 by its series, whose derivatives are right too."""
    w = x - 1
    near = ops.abs(w) < 0.05
    series = polynomial([(-1) ** (k + 1) / (k + 1) for k in range(13)], where(near, w, 0))
    safe = where(near, 2, x)
    return where(near, series, ops.log(safe) / (1 - safe))


@with_derivatives(_spence_slope)
def _spence(x: Array) -> Array:
    """From [1/2, 3/2] by https://dlmf.nist.gov/25.12#E6 and the inversion E4."""
    large = x > 1.5
    at = where((x > 0) & (x < math.inf), where(large, 1 / x, x), 1)
    mirrored = at < 0.5
    w = where(mirrored, -at, at - 1)
    value = -w * rational(table.SPENCE, w + 0.5)
    safe = where(mirrored, at, 0.25)
    value = where(mirrored, math.pi**2 / 6 - ops.log(safe) * ops.log1p(-safe) - value, value)
    logarithm = ops.log(where(large, x, 1))
    value = where(large, -0.5 * logarithm * logarithm - value, value)
    value = where(x == 0, math.pi**2 / 6, value)
    return where(x >= 0, value, math.nan)
