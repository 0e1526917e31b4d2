"""The Laplace distribution."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      loc, scale: the mean, and the mean of the distances from it.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the Laplace distribution.

    Example:
      >>> logpdf(1.0)
      Array(-1.6931472, dtype=float32, weak_type=True)
    """
    z, scale = scaled("laplace.logpdf", x, loc, scale)
    return -(ops.abs(z) + ops.log(2 * scale))


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the Laplace distribution.

    Example:
      >>> pdf(1.0)
      Array(0.18393973, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the Laplace distribution.

    Example:
      >>> cdf(1.0)
      Array(0.8160603, dtype=float32, weak_type=True)
    """
    z, _ = scaled("laplace.cdf", x, loc, scale)
    tail = ops.exp(-ops.abs(z)) / 2
    return where(z <= 0, tail, 1 - tail)
