"""The Cauchy distribution, wrapped around the circle."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.stats.docstrings import CONTINUOUS

_PARAMETERS = """
    Args:
      c: the concentration, in (0, 1).
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, c: ArrayLike) -> Array:
    """The logarithm of the density of the Cauchy distribution, wrapped around the circle.

    Example:
      >>> logpdf(1.0, 0.5)
      Array(-1.782643, dtype=float32, weak_type=True)
    """
    x, c = reals("wrapcauchy.logpdf", x, c)
    half = ops.sin(x / 2)
    # 1 + c^2 - 2 c cos(x), whose terms cancel near 0.
    spread = (1 - c) * (1 - c) + 4 * c * (half * half)
    value = ops.log1p(-(c * c)) - math.log(2 * math.pi) - ops.log(spread)
    value = where((x >= 0) & (x <= 2 * math.pi), value, -math.inf)
    return where((c > 0) & (c < 1), value, math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, c: ArrayLike) -> Array:
    """The density of the Cauchy distribution, wrapped around the circle.

    Example:
      >>> pdf(1.0, 0.5)
      Array(0.16819303, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, c))
