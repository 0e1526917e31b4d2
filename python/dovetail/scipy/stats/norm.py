"""The normal distribution."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import log_ndtr, ndtr, ndtri
from dovetail.scipy.special.stirling import HALF_LOG_2PI
from dovetail.scipy.stats.scaled import scaled


def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the normal distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> logpdf(0.5)
      Array(-1.0439385, dtype=float32, weak_type=True)
    """
    z, scale = scaled("norm.logpdf", x, loc, scale)
    return -0.5 * (z * z) - (ops.log(scale) + HALF_LOG_2PI)


def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the normal distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> pdf(0.5)
      Array(0.35206532, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the normal distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> cdf(0.5)
      Array(0.69146246, dtype=float32, weak_type=True)
    """
    return ndtr(scaled("norm.cdf", x, loc, scale)[0])


def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the normal distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> logcdf(0.5)
      Array(-0.36894643, dtype=float32, weak_type=True)
    """
    return log_ndtr(scaled("norm.logcdf", x, loc, scale)[0])


def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the normal distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> sf(0.5)
      Array(0.30853754, dtype=float32, weak_type=True)
    """
    return ndtr(-scaled("norm.sf", x, loc, scale)[0])


def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the normal distribution.

    Args:
      x: an array of real numbers.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> logsf(0.5)
      Array(-1.1759118, dtype=float32, weak_type=True)
    """
    return log_ndtr(-scaled("norm.logsf", x, loc, scale)[0])


def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the normal distribution.

    Args:
      q: an array of probabilities.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of the default float type, of the shape that the arguments broadcast to.

    Example:
      >>> ppf(0.975)
      Array(1.9599645, dtype=float32)
    """
    q, loc, scale = _quantile_operands("norm.ppf", q, loc, scale)
    return ndtri(q) * scale + loc


def isf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles from above, the inverse of `sf`, of the normal distribution.

    Args:
      q: an array of probabilities.
      loc, scale: the mean and the standard deviation.

    Returns:
      An array of the default float type, of the shape that the arguments broadcast to.

    Example:
      >>> isf(0.025)
      Array(1.9599639, dtype=float32)
    """
    q, loc, scale = _quantile_operands("norm.isf", q, loc, scale)
    return loc - ndtri(q) * scale


def _quantile_operands(name: str, *xs: ArrayLike) -> list[Array]:
    """Convert operands to the default float type, the type of quantiles for all operands."""
    return [ops.convert(x, dtypes.default_dtype("f")) for x in reals(name, *xs)]
