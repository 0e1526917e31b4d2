"""The binomial distribution."""

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
      n: the number of trials.
      p: the probability of an event.
"""


@documented(DISCRETE, _PARAMETERS)
def logpmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The logarithm of the probability of the binomial distribution.

    Example:
      >>> logpmf(2, 5, 0.3)
      Array(-1.1753855, dtype=float32, weak_type=True)
    """
    k, n, p, loc = reals("binom.logpmf", k, n, p, loc)
    events = k - loc
    inside = (events >= 0) & (events < n + 1)
    at = where(inside, events, 0)
    total = where(n >= 0, n, 0)
    choices = -ops.log1p(total) - betaln(total - at + 1, at + 1)
    rest = xlogy(at, p) + xlog1py(total - at, -p)
    # Keep certain outcomes free of rounding errors.
    value = where((rest == 0) | ((at == 0) & (total == 0)), 0, choices + rest)
    return where(inside, value, -math.inf)


@documented(DISCRETE, _PARAMETERS)
def pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The probability of the binomial distribution.

    Example:
      >>> pmf(2, 5, 0.3)
      Array(0.30869997, dtype=float32, weak_type=True)
    """
    return ops.exp(logpmf(k, n, p, loc))
