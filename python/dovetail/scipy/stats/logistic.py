"""The logistic distribution."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import expit, logit
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      loc, scale: the mean, and the unit of `x`.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the logistic distribution.

    Example:
      >>> logpdf(1.0)
      Array(-1.6265234, dtype=float32, weak_type=True)
    """
    z, scale = scaled("logistic.logpdf", x, loc, scale)
    size = ops.abs(z)
    return -(size + 2 * ops.log1p(ops.exp(-size)) + ops.log(scale))


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the logistic distribution.

    Example:
      >>> pdf(1.0)
      Array(0.19661193, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the logistic distribution.

    Example:
      >>> cdf(1.0)
      Array(0.7310586, dtype=float32, weak_type=True)
    """
    return expit(scaled("logistic.cdf", x, loc, scale)[0])


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the logistic distribution.

    Example:
      >>> sf(1.0)
      Array(0.26894143, dtype=float32, weak_type=True)
    """
    return expit(-scaled("logistic.sf", x, loc, scale)[0])


@documented(CONTINUOUS, _PARAMETERS)
def ppf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the logistic distribution.

    Example:
      >>> ppf(0.75)
      Array(1.0986123, dtype=float32, weak_type=True)
    """
    q, loc, scale = reals("logistic.ppf", x, loc, scale)
    return loc + scale * logit(q)


@documented(CONTINUOUS, _PARAMETERS)
def isf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles from above, the inverse of `sf`, of the logistic distribution.

    Example:
      >>> isf(0.75)
      Array(-1.0986123, dtype=float32, weak_type=True)
    """
    q, loc, scale = reals("logistic.isf", x, loc, scale)
    return loc - scale * logit(q)
