"""The beta distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least, at_most
from dovetail.scipy.special import betainc, betaln, xlog1py, xlogy
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import log_of, scaled

_PARAMETERS = """
    Args:
      a: the first parameter, positive.
      b: the second parameter, positive.
      loc, scale: the smallest value, and the length of the support.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The logarithm of the density of the beta distribution.

    Example:
      >>> logpdf(0.5, 2.0, 3.0)
      Array(0.40546513, dtype=float32, weak_type=True)
    """
    z, scale, a, b = scaled("beta.logpdf", x, loc, scale, a, b)
    outside = (z < 0) | (z > 1)
    at = where(outside, 0.5, z)
    value = xlogy(a - 1, at) + xlog1py(b - 1, -at) - betaln(a, b) - ops.log(scale)
    value = where(outside, -math.inf, value)
    return where((a > 0) & (b > 0) & (scale > 0), value, math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The density of the beta distribution.

    Example:
      >>> pdf(0.5, 2.0, 3.0)
      Array(1.5, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, a, b, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The distribution function of the beta distribution.

    Example:
      >>> cdf(0.5, 2.0, 3.0)
      Array(0.6875, dtype=float32, weak_type=True)
    """
    z, _, a, b = scaled("beta.cdf", x, loc, scale, a, b)
    return betainc(a, b, at_most(at_least(z, 0), 1))


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The logarithm of the distribution function of the beta distribution.

    Example:
      >>> logcdf(0.5, 2.0, 3.0)
      Array(-0.37469345, dtype=float32, weak_type=True)
    """
    return log_of(cdf(x, a, b, loc, scale), sf(x, a, b, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the beta distribution.

    Example:
      >>> sf(0.5, 2.0, 3.0)
      Array(0.3125, dtype=float32, weak_type=True)
    """
    z, _, a, b = scaled("beta.sf", x, loc, scale, a, b)
    return betainc(b, a, 1 - at_most(at_least(z, 0), 1))


@documented(CONTINUOUS, _PARAMETERS)
def logsf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """The logarithm of the upper tail of the beta distribution.

    Example:
      >>> logsf(0.5, 2.0, 3.0)
      Array(-1.1631508, dtype=float32, weak_type=True)
    """
    return log_of(sf(x, a, b, loc, scale), cdf(x, a, b, loc, scale))
