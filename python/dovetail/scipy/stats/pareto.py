"""The Pareto distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.nn import log1mexp
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least, reals
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      b: the exponent, positive.
      loc, scale: an offset added to values, and the smallest value before that.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the Pareto distribution.

    Example:
      >>> logpdf(2.0, 1.5)
      Array(-1.3274028, dtype=float32, weak_type=True)
    """
    z, scale, b = scaled("pareto.logpdf", x, loc, scale, b)
    value = -(ops.log(scale / b) + (b + 1) * ops.log(at_least(z, 1)))
    return where(z < 1, -math.inf, value)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the Pareto distribution.

    Example:
      >>> pdf(2.0, 1.5)
      Array(0.26516506, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, b, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the Pareto distribution.

    Example:
      >>> cdf(2.0, 1.5)
      Array(0.6464466, dtype=float32, weak_type=True)
    """
    z, _, b = scaled("pareto.cdf", x, loc, scale, b)
    return -ops.expm1(-b * ops.log(at_least(z, 1)))


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the Pareto distribution.

    Example:
      >>> logcdf(2.0, 1.5)
      Array(-0.43626466, dtype=float32, weak_type=True)
    """
    z, _, b = scaled("pareto.logcdf", x, loc, scale, b)
    above = z > 1
    value = log1mexp(b * ops.log(where(above, z, 2)))
    return where(above, value, where(z == z, -math.inf, z))


@documented(CONTINUOUS, _PARAMETERS)
def logsf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the Pareto distribution.

    Example:
      >>> logsf(2.0, 1.5)
      Array(-1.0397208, dtype=float32, weak_type=True)
    """
    z, _, b = scaled("pareto.logsf", x, loc, scale, b)
    return -b * ops.log(at_least(z, 1))


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the Pareto distribution.

    Example:
      >>> sf(2.0, 1.5)
      Array(0.35355338, dtype=float32, weak_type=True)
    """
    return ops.exp(logsf(x, b, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def ppf(q: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the Pareto distribution.

    Example:
      >>> ppf(0.5, 1.5)
      Array(1.587401, dtype=float32, weak_type=True)
    """
    q, b, loc, scale = reals("pareto.ppf", q, b, loc, scale)
    value = loc + scale * ops.exp(-ops.log1p(-q) / b)
    return where((q >= 0) & (q <= 1), value, math.nan)
