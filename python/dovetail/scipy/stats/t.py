"""Student's t distribution."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.special import betaln
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      df: the degrees of freedom, positive.
      loc, scale: the median, and the unit of `x`.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the Student's t distribution.

    Example:
      >>> logpdf(1.0, 3.0)
      Array(-1.5762529, dtype=float32, weak_type=True)
    """
    z, scale, df = scaled("t.logpdf", x, loc, scale, df)
    normalizer = betaln(0.5, df / 2) + ops.log(df) / 2 + ops.log(scale)
    return -(normalizer + (df + 1) / 2 * ops.log1p(z * z / df))


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the Student's t distribution.

    Example:
      >>> pdf(1.0, 3.0)
      Array(0.20674835, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, df, loc, scale))
