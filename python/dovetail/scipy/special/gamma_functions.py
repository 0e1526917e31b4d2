"""The gamma function, its logarithm and derivatives, and quotients of gamma functions."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error
from dovetail.numpy import arange, expand_dims, sum, where
from dovetail.numpy.promotion import filled, real_inexact, static
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.scipy.operands import (
    at_least,
    at_most,
    inexacts,
    is_whole,
    pointwise,
    polynomial,
    rational,
    sin_pi,
    with_derivatives,
)
from dovetail.scipy.special import complex_gamma
from dovetail.scipy.special.coefficients import GAMMA, STIRLING
from dovetail.scipy.special.docstrings import FLOATS, INEXACT
from dovetail.scipy.special.stirling import START, clamped, log_ratio

SQRT_2PI = math.sqrt(2 * math.pi)


@documented(FLOATS)
def gammaln(x: ArrayLike) -> Array:
    """The logarithm of the absolute value of the gamma function.

    Returns:
      An array of floats, infinite at 0, -1, -2, ...

    Example:
      >>> gammaln(3.0)
      Array(0.6931472, dtype=float32, weak_type=True)
    """
    return ops.lgamma(real_inexact("gammaln", x))


@documented(FLOATS)
def gammasgn(x: ArrayLike) -> Array:
    """The sign of the gamma function.

    Returns:
      An array of floats: 1 or -1, NaN at -1, -2, ..., and at 0 the sign of the zero.

    Example:
      >>> gammasgn(dnp.array([2.5, -0.5, -1.5]))
      Array([ 1., -1.,  1.], dtype=float32)
    """
    at = real_inexact("gammasgn", x)
    floor = ops.floor(at)
    negative = at < 0
    odd = ~is_whole(floor / 2)
    value = where((negative & odd) | ((at == 0) & (1 / at < 0)), filled(at, -1), 1)
    value = where(ops.abs(at) == math.inf, 1, value)
    return where((negative & (at == floor)) | (at != at), math.nan, value)


@documented(INEXACT)
def loggamma(x: ArrayLike) -> Array:
    """The principal branch of the logarithm of the gamma function.

    Returns:
      An array of that inexact type. For real numbers it is NaN below 0; for complex numbers it is
      analytic except for a cut along the negative real axis. D. E. G. Hare, Computing the Principal
      Branch of log-Gamma, 1997.

    Example:
      >>> loggamma(3.0)
      Array(0.6931472, dtype=float32, weak_type=True)
    """
    (at,) = inexacts("loggamma", x)
    if dtypes.KINDS[at.dtype] == "c":
        return complex_gamma.loggamma(at)
    return where(at >= 0, ops.lgamma(at), math.nan)


@documented(INEXACT)
def gamma(x: ArrayLike) -> Array:
    """The gamma function.

    Returns:
      An array of that inexact type, NaN at -1, -2, ...

    Source: https://dlmf.nist.gov/5.2#E1

    Example:
      >>> gamma(dnp.array([0.5, 5.0]))
      Array([ 1.7724538, 24.       ], dtype=float32)
    """
    (at,) = inexacts("gamma", x)
    if dtypes.KINDS[at.dtype] == "c":
        return complex_gamma.gamma(at)
    return pointwise("gamma", gamma_of, at)


@with_derivatives(lambda ans, x: ans * ops.digamma(x))
def gamma_of(x: Array) -> Array:
    """The gamma function of floats, by 5.5.1 and 5.5.3 of https://dlmf.nist.gov from [2, 3]."""
    size = ops.abs(x)
    value = where(size < START, _small(at_most(size, START)), _large(size))
    # At a negative x: -pi / (x sin(pi x) gamma(-x)).
    mirrored = (math.pi / (size * sin_pi(size))) / -value
    value = where(x < 0, mirrored, value)
    pole = (x < 0) & is_whole(x)
    return where(pole, math.nan, where(x == 0, 1 / x, value))


def _small(x: Array) -> Array:
    """For 0 < x <= 8."""
    top = bottom = filled(x, 1)
    # Steps down are exact.
    for _ in range(START - 3):
        above = x >= 3
        x = where(above, x - 1, x)
        top = where(above, top * x, top)
    for _ in range(2):
        below = x < 2
        bottom = where(below, bottom * x, bottom)
        x = where(below, x + 1, x)
    return top * rational(GAMMA, x - 2) / bottom


def _large(x: Array) -> Array:
    """For x >= 8, by Stirling's series; the power is split since it overflows before the result."""
    x = at_most(at_least(x, START), 200 if x.dtype == dtypes.float64 else 45)
    t = 1 / x
    root = ops.pow(x, x * 0.5 - 0.25)
    series = 1 + t * polynomial(STIRLING[0], t)
    return SQRT_2PI * root * ops.exp(-x) * series * root


@documented(FLOATS)
def factorial(n: ArrayLike, exact: bool = False) -> Array:
    """The factorial, gamma(n + 1), and 0 for negative numbers.

    Args:
      n: an array of real numbers; integers and bools become floats.
      exact: must be False: there is no element type for integers of any size.

    Raises:
      NotImplementedError: `exact` is True.

    Example:
      >>> factorial(5)
      Array(120., dtype=float32, weak_type=True)
    """
    if exact:
        raise NotImplementedError(
            "factorial: exact must be False: arrays have no integers of any size; use "
            "math.factorial for one number"
        )
    return pointwise("factorial", _factorial, n)


def _factorial(n: Array) -> Array:
    # n + 1 would be rounded.
    large = n > 2
    value = gamma_of(where(large, n, n + 1))
    return where(n < 0, 0, where(large, n, 1) * value)


@documented(FLOATS)
def poch(z: ArrayLike, m: ArrayLike) -> Array:
    """The rising factorial gamma(z + m) / gamma(z), Pochhammer's symbol.

    Source: https://dlmf.nist.gov/5.2#E5

    Example:
      >>> poch(2.0, 3.0)
      Array(24., dtype=float32, weak_type=True)
    """
    return pointwise("poch", _poch, z, m)


@with_derivatives(
    lambda ans, z, m: ans * (ops.digamma(z + m) - ops.digamma(z)),
    lambda ans, z, m: ans * ops.digamma(z + m),
)
def _poch(z: Array, m: Array) -> Array:
    end = z + m
    most = 170 if z.dtype == dtypes.float64 else 34
    low, high = ops.min(z, end), ops.max(z, end)
    by_series = where(
        low >= START, ops.exp(log_ratio(at_least(z, START), where(low >= START, m, 0))), 1
    )
    by_logarithms = gammasgn(z) * gammasgn(end) * ops.exp(ops.lgamma(end) - ops.lgamma(z))
    tame = (high < most) & (low > -most)
    # Two poles: by 5.5.3 the quotient is finite.
    mirror = where(is_whole(m / 2), filled(z, 1), -1)
    at_pole = (z <= 0) & is_whole(z)
    end_at_pole = (end <= 0) & is_whole(end)
    both = at_pole & end_at_pole
    first = where(tame, clamped(where(both, 1 - z, end), -most, most), 1)
    second = where(tame, clamped(where(both, 1 - end, z), -most, most), 1)
    by_functions = gamma_of(first) / gamma_of(second) * where(both, mirror, 1)
    # Correct for the rounding of z + m, by digamma(z + m).
    back = end - z
    lost = (z - (end - back)) + (m - back)
    slope = ops.log(at_least(end - 0.5, START))
    by_functions = by_functions + where(end < START, 0, by_functions * lost * slope)
    value = where(tame, by_functions, where(low >= START, by_series, by_logarithms))
    value = where(at_pole & ~end_at_pole, 0, value)
    return where(m == 0, 1, value)


@documented(FLOATS)
def digamma(x: ArrayLike) -> Array:
    """The derivative of `gammaln`.

    Returns:
      An array of floats, NaN at 0, -1, -2, ...

    Source: https://dlmf.nist.gov/5.2#E2

    Example:
      >>> digamma(1.0)
      Array(-0.5772157, dtype=float32, weak_type=True)
    """
    return ops.digamma(real_inexact("digamma", x))


@documented(FLOATS)
def polygamma(n: ArrayLike, x: ArrayLike) -> Array:
    """The derivative of `digamma` of order n.

    Args:
      n: an array of integers, 0 or positive.
      x: an array of real numbers.

    Raises:
      TypeError: `n` is not an array of integers.

    Source: https://dlmf.nist.gov/5.15#E1

    Example:
      >>> polygamma(1, 1.0)
      Array(1.644934, dtype=float32, weak_type=True)
    """
    order = as_operand("polygamma", n)
    if dtypes.KINDS[order.dtype] not in "iu":
        raise type_error(
            f"polygamma: n must be integers, got: {order.dtype.name}; convert with n.astype(int)"
        )
    return pointwise("polygamma", ops.polygamma, n, x)


@documented(FLOATS)
def multigammaln(a: ArrayLike, d: ArrayLike) -> Array:
    """The logarithm of the multivariate gamma function of dimension d.

    Args:
      a: an array of real numbers above (d - 1) / 2.
      d: an integer that is known while tracing.

    Source: https://dlmf.nist.gov/35.3#E1

    Example:
      >>> multigammaln(5.0, 2)
      Array(6.204155, dtype=float32)
    """
    size = int(static(d, "the multigammaln argument 'd'"))
    at = real_inexact("multigammaln", a)
    halves = arange(size, dtype=at.dtype) / 2
    terms = ops.lgamma(inexacts("multigammaln", expand_dims(at, -1) - halves)[0])
    return sum(terms, -1) + size * (size - 1) / 4 * math.log(math.pi)


@documented(FLOATS)
def gammainc(a: ArrayLike, x: ArrayLike) -> Array:
    """The regularized lower incomplete gamma function.

    Returns:
      An array of floats, NaN for a <= 0, infinite a and x < 0.

    Source: https://dlmf.nist.gov/8.2#E4

    Example:
      >>> gammainc(1.0, 0.5)
      Array(0.39346933, dtype=float32, weak_type=True)
    """
    return pointwise("gammainc", ops.igamma, a, x)


@documented(FLOATS)
def gammaincc(a: ArrayLike, x: ArrayLike) -> Array:
    """The regularized upper incomplete gamma function, 1 - gammainc(a, x).

    Returns:
      An array of floats, NaN for a <= 0, infinite a and x < 0.

    Source: https://dlmf.nist.gov/8.2#E4

    Example:
      >>> gammaincc(1.0, 0.5)
      Array(0.60653067, dtype=float32, weak_type=True)
    """
    return pointwise("gammaincc", ops.igammac, a, x)
