"""The beta-binomial distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import betaln
from dovetail.scipy.stats.docstrings import DISCRETE

_PARAMETERS = """
    Args:
      n: the number of trials.
      a: the first parameter of the distribution of the probability of an event.
      b: the second one.
"""


@documented(DISCRETE, _PARAMETERS)
def logpmf(k: ArrayLike, n: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The logarithm of the probability of the beta-binomial distribution.

    Example:
      >>> logpmf(2, 5, 1.0, 2.0)
      Array(-1.6582279, dtype=float32, weak_type=True)
    """
    k, n, a, b, loc = reals("betabinom.logpmf", k, n, a, b, loc)
    events = ops.floor(k) - loc
    inside = (events >= 0) & (events <= n)
    at = where(inside, events, 0)
    total = where(n >= 0, n, 0)
    choices = -ops.log1p(total) - betaln(total - at + 1, at + 1)
    value = where(total == 0, 0, choices + betaln(at + a, total - at + b) - betaln(a, b))
    value = where(inside, value, -math.inf)
    return where((n >= 0) & (a > 0) & (b > 0), value, math.nan)


@documented(DISCRETE, _PARAMETERS)
def pmf(k: ArrayLike, n: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The probability of the beta-binomial distribution.

    Example:
      >>> pmf(2, 5, 1.0, 2.0)
      Array(0.19047622, dtype=float32, weak_type=True)
    """
    return ops.exp(logpmf(k, n, a, b, loc))
