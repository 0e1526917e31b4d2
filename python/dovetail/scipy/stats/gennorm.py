"""The generalized normal distribution."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.stats.docstrings import CONTINUOUS

_PARAMETERS = """
    Args:
      beta: the exponent, positive.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, beta: ArrayLike) -> Array:
    """The logarithm of the density of the generalized normal distribution.

    Example:
      >>> logpdf(1.0, 1.5)
      Array(-1.5908324, dtype=float32, weak_type=True)
    """
    x, beta = reals("gennorm.logpdf", x, beta)
    return ops.log(beta / 2) - ops.lgamma(1 / beta) - ops.pow(ops.abs(x), beta)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, beta: ArrayLike) -> Array:
    """The density of the generalized normal distribution.

    Example:
      >>> pdf(1.0, 1.5)
      Array(0.20375594, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, beta))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, beta: ArrayLike) -> Array:
    """The distribution function of the generalized normal distribution.

    Example:
      >>> cdf(1.0, 1.5)
      Array(0.88759124, dtype=float32, weak_type=True)
    """
    x, beta = reals("gennorm.cdf", x, beta)
    power = ops.pow(ops.abs(x), beta)
    upper = ops.igammac(1 / beta, power) / 2
    return where(x < 0, upper, 1 - upper)
