"""The exponential distribution."""

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
      loc, scale: the smallest value, and the mean of the distances from it.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the exponential distribution.

    Example:
      >>> logpdf(1.0)
      Array(-1., dtype=float32, weak_type=True)
    """
    z, scale = scaled("expon.logpdf", x, loc, scale)
    return where(z < 0, -math.inf, -(z + ops.log(scale)))


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the exponential distribution.

    Example:
      >>> pdf(1.0)
      Array(0.36787945, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the exponential distribution.

    Example:
      >>> cdf(1.0)
      Array(0.63212055, dtype=float32, weak_type=True)
    """
    z, _ = scaled("expon.cdf", x, loc, scale)
    return -ops.expm1(-at_least(z, 0))


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the exponential distribution.

    Example:
      >>> logcdf(1.0)
      Array(-0.45867515, dtype=float32, weak_type=True)
    """
    z, _ = scaled("expon.logcdf", x, loc, scale)
    positive = z > 0
    return where(positive, log1mexp(where(positive, z, 1)), where(z == z, -math.inf, z))


@documented(CONTINUOUS, _PARAMETERS)
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the exponential distribution.

    Example:
      >>> logsf(1.0)
      Array(-1., dtype=float32, weak_type=True)
    """
    z, _ = scaled("expon.logsf", x, loc, scale)
    return -at_least(z, 0)


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the exponential distribution.

    Example:
      >>> sf(1.0)
      Array(0.36787945, dtype=float32, weak_type=True)
    """
    return ops.exp(logsf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the exponential distribution.

    Example:
      >>> ppf(0.5)
      Array(0.6931472, dtype=float32, weak_type=True)
    """
    q, loc, scale = reals("expon.ppf", q, loc, scale)
    return where((q >= 0) & (q <= 1), loc - scale * ops.log1p(-q), math.nan)
