"""The Cauchy distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.numpy.promotion import filled
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      loc, scale: the median, and half of the distance of the quartiles.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the Cauchy distribution.

    Example:
      >>> logpdf(1.0)
      Array(-1.8378772, dtype=float32, weak_type=True)
    """
    z, scale = scaled("cauchy.logpdf", x, loc, scale)
    return -ops.log1p(z * z) - ops.log(math.pi * scale)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the Cauchy distribution.

    Example:
      >>> pdf(1.0)
      Array(0.15915492, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the Cauchy distribution.

    Example:
      >>> cdf(1.0)
      Array(0.75, dtype=float32, weak_type=True)
    """
    z, _ = scaled("cauchy.cdf", x, loc, scale)
    return _upper(-z)


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the Cauchy distribution.

    Example:
      >>> logcdf(1.0)
      Array(-0.2876821, dtype=float32, weak_type=True)
    """
    z, _ = scaled("cauchy.logcdf", x, loc, scale)
    return _log_upper(-z)


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the Cauchy distribution.

    Example:
      >>> sf(1.0)
      Array(0.25, dtype=float32, weak_type=True)
    """
    z, _ = scaled("cauchy.sf", x, loc, scale)
    return _upper(z)


@documented(CONTINUOUS, _PARAMETERS)
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the Cauchy distribution.

    Example:
      >>> logsf(1.0)
      Array(-1.3862944, dtype=float32, weak_type=True)
    """
    z, _ = scaled("cauchy.logsf", x, loc, scale)
    return _log_upper(z)


@documented(CONTINUOUS, _PARAMETERS)
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the Cauchy distribution.

    Example:
      >>> ppf(0.75)
      Array(1., dtype=float32, weak_type=True)
    """
    q, loc, scale = reals("cauchy.ppf", q, loc, scale)
    return loc + scale * _quantile(q)


@documented(CONTINUOUS, _PARAMETERS)
def isf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles from above, the inverse of `sf`, of the Cauchy distribution.

    Example:
      >>> isf(0.25)
      Array(1., dtype=float32, weak_type=True)
    """
    q, loc, scale = reals("cauchy.isf", q, loc, scale)
    return loc - scale * _quantile(q)


def _upper(z: Array) -> Array:
    """The upper tail: 1/2 - atan(z) / pi, without its cancellation."""
    return ops.atan2(filled(z, 1), z) / math.pi


def _log_upper(z: Array) -> Array:
    """The logarithm of the upper tail, near 0 by the lower one."""
    low = z < -1
    near = ops.log1p(-_upper(where(low, -z, 1)))
    return where(low, near, ops.log(_upper(where(low, 1, z))))


def _quantile(q: Array) -> Array:
    """tan(pi (q - 1/2)), by the distance to 0 or 1 if that is small."""
    least = ops.min(q, 1 - q)
    central = least > 0.25
    tail = 1 / ops.tan(math.pi * where(central, 0.25, least))
    middle = ops.tan(math.pi * where(central, q - 0.5, 0))
    value = where(central, middle, where(q < 0.5, -tail, tail))
    return where((q >= 0) & (q <= 1), value, math.nan)
