"""The exponential distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.nn import log1mexp
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least, reals
from dovetail.scipy.stats.scaled import scaled


def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the exponential distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the least value, and the mean of the distances from it.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> logpdf(1.0)
      Array(-1., dtype=float32, weak_type=True)
    """
    z, scale = scaled("expon.logpdf", x, loc, scale)
    return where(z < 0, -math.inf, -(z + ops.log(scale)))


def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the exponential distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the least value, and the mean of the distances from it.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> pdf(1.0)
      Array(0.36787945, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the exponential distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the least value, and the mean of the distances from it.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> cdf(1.0)
      Array(0.63212055, dtype=float32, weak_type=True)
    """
    z, _ = scaled("expon.cdf", x, loc, scale)
    return -ops.expm1(-at_least(z, 0))


def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the exponential distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the least value, and the mean of the distances from it.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> logcdf(1.0)
      Array(-0.45867515, dtype=float32, weak_type=True)
    """
    z, _ = scaled("expon.logcdf", x, loc, scale)
    positive = z > 0
    return where(positive, log1mexp(where(positive, z, 1)), where(z == z, -math.inf, z))


def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the exponential distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the least value, and the mean of the distances from it.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> logsf(1.0)
      Array(-1., dtype=float32, weak_type=True)
    """
    z, _ = scaled("expon.logsf", x, loc, scale)
    return -at_least(z, 0)


def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the exponential distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the least value, and the mean of the distances from it.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> sf(1.0)
      Array(0.36787945, dtype=float32, weak_type=True)
    """
    return ops.exp(logsf(x, loc, scale))


def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the exponential distribution.

    Args:
      q: an array of probabilities.
      loc, scale: the least value, and the mean of the distances from it.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> ppf(0.5)
      Array(0.6931472, dtype=float32, weak_type=True)
    """
    q, loc, scale = reals("expon.ppf", q, loc, scale)
    return where((q >= 0) & (q <= 1), loc - scale * ops.log1p(-q), math.nan)
