"""The negative binomial distribution, of failures before the n-th success."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import betaln, xlog1py, xlogy
from dovetail.scipy.stats.docstrings import DISCRETE

_PARAMETERS = """
    Args:
      n: the number of successes.
      p: the probability of a success.
"""


@documented(DISCRETE, _PARAMETERS)
def logpmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The logarithm of the probability of the negative binomial distribution.

    Example:
      >>> logpmf(2, 5, 0.3)
      Array(-4.0251637, dtype=float32, weak_type=True)
    """
    k, n, p, loc = reals("nbinom.logpmf", k, n, p, loc)
    events = k - loc
    inside = events >= 0
    at = where(inside, events, 0)
    choices = where(at == 0, 0, -betaln(n, at + 1) - ops.log(n + at))
    return where(inside, choices + xlogy(n, p) + xlog1py(at, -p), -math.inf)


@documented(DISCRETE, _PARAMETERS)
def pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The probability of the negative binomial distribution.

    Example:
      >>> pmf(2, 5, 0.3)
      Array(0.0178605, dtype=float32, weak_type=True)
    """
    return ops.exp(logpmf(k, n, p, loc))
