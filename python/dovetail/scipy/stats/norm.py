"""The normal distribution."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import log_ndtr, ndtr, ndtri
from dovetail.scipy.special.stirling import HALF_LOG_2PI
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      loc, scale: the mean and the standard deviation.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the normal distribution.

    Example:
      >>> logpdf(0.5)
      Array(-1.0439385, dtype=float32, weak_type=True)
    """
    z, scale = scaled("norm.logpdf", x, loc, scale)
    return -0.5 * (z * z) - (ops.log(scale) + HALF_LOG_2PI)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the normal distribution.

    Example:
      >>> pdf(0.5)
      Array(0.35206532, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the normal distribution.

    Example:
      >>> cdf(0.5)
      Array(0.69146246, dtype=float32, weak_type=True)
    """
    return ndtr(scaled("norm.cdf", x, loc, scale)[0])


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the normal distribution.

    Example:
      >>> logcdf(0.5)
      Array(-0.36894643, dtype=float32, weak_type=True)
    """
    return log_ndtr(scaled("norm.logcdf", x, loc, scale)[0])


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the normal distribution.

    Example:
      >>> sf(0.5)
      Array(0.30853754, dtype=float32, weak_type=True)
    """
    return ndtr(-scaled("norm.sf", x, loc, scale)[0])


@documented(CONTINUOUS, _PARAMETERS)
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the normal distribution.

    Example:
      >>> logsf(0.5)
      Array(-1.1759118, dtype=float32, weak_type=True)
    """
    return log_ndtr(-scaled("norm.logsf", x, loc, scale)[0])


@documented(CONTINUOUS, _PARAMETERS)
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the normal distribution.

    Returns:
      An array of the default float type, of the shape that the arguments broadcast to.

    Example:
      >>> ppf(0.975)
      Array(1.9599645, dtype=float32)
    """
    q, loc, scale = _quantile_operands("norm.ppf", q, loc, scale)
    return ndtri(q) * scale + loc


@documented(CONTINUOUS, _PARAMETERS)
def isf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles from above, the inverse of `sf`, of the normal distribution.

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
