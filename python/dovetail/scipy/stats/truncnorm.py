"""The normal distribution, truncated to [loc + a scale, loc + b scale]."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.nn import log1mexp
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.special import log_ndtr, ndtr
from dovetail.scipy.special.stirling import HALF_LOG_2PI
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      a: the smallest value, in units of `scale` from `loc`.
      b: the largest value, likewise.
      loc, scale: the mean and the standard deviation before truncation.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The logarithm of the density of the truncated normal distribution.

    Example:
      >>> logpdf(0.5, -1.0, 2.0)
      Array(-0.84377223, dtype=float32, weak_type=True)
    """
    z, scale, a, b = scaled("truncnorm.logpdf", x, loc, scale, a, b)
    outside = (z < a) | (z > b)
    at = where(outside, 0, z)
    value = -0.5 * (at * at) - (ops.log(scale) + HALF_LOG_2PI) - _log_mass(a, b)
    return where(a < b, where(outside, -math.inf, value), math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The density of the truncated normal distribution.

    Example:
      >>> pdf(0.5, -1.0, 2.0)
      Array(0.4300851, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, a, b, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The logarithm of the distribution function of the truncated normal distribution.

    Example:
      >>> logcdf(0.5, -1.0, 2.0)
      Array(-0.42942935, dtype=float32, weak_type=True)
    """
    z, _, a, b = scaled("truncnorm.logcdf", x, loc, scale, a, b)
    return _log_share(z, a, b)


@documented(CONTINUOUS, _PARAMETERS)
def cdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The distribution function of the truncated normal distribution.

    Example:
      >>> cdf(0.5, -1.0, 2.0)
      Array(0.6508804, dtype=float32, weak_type=True)
    """
    return ops.exp(logcdf(x, a, b, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def logsf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The logarithm of the upper tail of the truncated normal distribution.

    Example:
      >>> logsf(0.5, -1.0, 2.0)
      Array(-1.0523407, dtype=float32, weak_type=True)
    """
    z, _, a, b = scaled("truncnorm.logsf", x, loc, scale, a, b)
    return _log_share(-z, -b, -a)


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the truncated normal distribution.

    Example:
      >>> sf(0.5, -1.0, 2.0)
      Array(0.3491196, dtype=float32, weak_type=True)
    """
    return ops.exp(logsf(x, a, b, loc, scale))


def _log_mass(a: Array, b: Array) -> Array:
    """log(ndtr(b) - ndtr(a)): in the tails by logarithms, with the right tail mirrored to the
    left.
    """
    right = a > 0
    central = (a <= 0) & (b > 0)
    low, high = where(right, -b, a), where(right, -a, b)
    low, high = where(central | (low >= high), -2, low), where(central | (low >= high), -1, high)
    of_high = log_ndtr(high)
    tail = of_high + log1mexp(of_high - log_ndtr(low))
    rest = where(central, ndtr(a) + ndtr(-b), 0)
    return where(central, ops.log1p(-rest), tail)


def _log_share(z: Array, a: Array, b: Array) -> Array:
    """The logarithm of the fraction of the mass on [a, b] that is below z, near 0 by the other
    fraction.
    """
    inside = (z > a) & (z < b)
    # A point within, for branches that are not taken.
    at = where(inside, z, where(ops.abs(a) < math.inf, a + 1, where(b < math.inf, b - 1, 0)))
    total = _log_mass(a, b)
    below = _log_mass(a, at) - total
    large = below > -0.1
    above = where(large & inside, _log_mass(at, b) - total, -1)
    value = where(large, log1mexp(-above), below)
    value = where(z >= b, 0, where(z <= a, -math.inf, value))
    return where((a < b) & (z == z), value, math.nan)
