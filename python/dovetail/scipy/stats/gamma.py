"""The gamma distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least
from dovetail.scipy.special import gammainc, gammaincc, gammaln, xlogy
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import log_of, scaled

_PARAMETERS = """
    Args:
      a: the shape, positive.
      loc, scale: the smallest value, and the unit of `x`.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the gamma distribution.

    Example:
      >>> logpdf(1.5, 2.0)
      Array(-1.0945349, dtype=float32, weak_type=True)
    """
    z, scale, a = scaled("gamma.logpdf", x, loc, scale, a)
    inside = z >= 0
    at = where(inside, z, 1)
    value = xlogy(a - 1, at) - at - (gammaln(a) + ops.log(scale))
    return where(inside, value, where(z == z, -math.inf, z))


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the gamma distribution.

    Example:
      >>> pdf(1.5, 2.0)
      Array(0.33469525, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, a, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the gamma distribution.

    Example:
      >>> cdf(1.5, 2.0)
      Array(0.4421746, dtype=float32, weak_type=True)
    """
    z, _, a = scaled("gamma.cdf", x, loc, scale, a)
    return gammainc(a, at_least(z, 0))


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the gamma distribution.

    Example:
      >>> logcdf(1.5, 2.0)
      Array(-0.8160504, dtype=float32, weak_type=True)
    """
    return log_of(cdf(x, a, loc, scale), sf(x, a, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the gamma distribution.

    Example:
      >>> sf(1.5, 2.0)
      Array(0.5578254, dtype=float32, weak_type=True)
    """
    z, _, a = scaled("gamma.sf", x, loc, scale, a)
    return gammaincc(a, at_least(z, 0))


@documented(CONTINUOUS, _PARAMETERS)
def logsf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the gamma distribution.

    Example:
      >>> logsf(1.5, 2.0)
      Array(-0.5837093, dtype=float32, weak_type=True)
    """
    return log_of(sf(x, a, loc, scale), cdf(x, a, loc, scale))
