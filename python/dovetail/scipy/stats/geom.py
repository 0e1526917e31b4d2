"""The geometric distribution, of trials up to the first success."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import xlog1py
from dovetail.scipy.stats.docstrings import DISCRETE

_PARAMETERS = """
    Args:
      p: the probability of a success.
"""


@documented(DISCRETE, _PARAMETERS)
def logpmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The logarithm of the probability of the geometric distribution.

    Example:
      >>> logpmf(2, 0.3)
      Array(-1.5606477, dtype=float32, weak_type=True)
    """
    k, p, loc = reals("geom.logpmf", k, p, loc)
    trials = k - loc
    inside = trials > 0
    value = xlog1py(where(inside, trials, 1) - 1, -p) + ops.log(p)
    return where(inside, value, -math.inf)


@documented(DISCRETE, _PARAMETERS)
def pmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The probability of the geometric distribution.

    Example:
      >>> pmf(2, 0.3)
      Array(0.21000001, dtype=float32, weak_type=True)
    """
    return ops.exp(logpmf(k, p, loc))
