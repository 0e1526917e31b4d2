"""The Bernoulli distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.numpy.promotion import filled
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import xlog1py, xlogy
from dovetail.scipy.stats.docstrings import CONTINUOUS, DISCRETE

_PARAMETERS = """
    Args:
      p: the probability of 1.
"""


@documented(DISCRETE, _PARAMETERS)
def logpmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The logarithm of the probability of the Bernoulli distribution.

    Example:
      >>> logpmf(1, 0.3)
      Array(-1.2039728, dtype=float32, weak_type=True)
    """
    k, p, loc = reals("bernoulli.logpmf", k, p, loc)
    events = k - loc
    value = xlogy(events, p) + xlog1py(1 - events, -p)
    return where((events < 0) | (events > 1), -math.inf, value)


@documented(DISCRETE, _PARAMETERS)
def pmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The probability of the Bernoulli distribution.

    Example:
      >>> pmf(1, 0.3)
      Array(0.29999998, dtype=float32, weak_type=True)
    """
    return ops.exp(logpmf(k, p, loc))


@documented(DISCRETE, _PARAMETERS)
def cdf(k: ArrayLike, p: ArrayLike) -> Array:
    """The distribution function of the Bernoulli distribution.

    Example:
      >>> cdf(0, 0.3)
      Array(0.7, dtype=float32, weak_type=True)
    """
    k, p = reals("bernoulli.cdf", k, p)
    value = where(k < 0, 0, where(k < 1, 1 - p, 1))
    return where((p >= 0) & (p <= 1) & (k == k), value, math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def ppf(q: ArrayLike, p: ArrayLike) -> Array:
    """The quantiles, the inverse of `cdf`, of the Bernoulli distribution.

    Example:
      >>> ppf(0.8, 0.3)
      Array(1., dtype=float32, weak_type=True)
    """
    q, p = reals("bernoulli.ppf", q, p)
    valid = (p >= 0) & (p <= 1) & (q >= 0) & (q <= 1)
    return where(valid, where(q <= 1 - p, filled(q, 0), 1), math.nan)
