"""The Bernoulli distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.numpy import where
from dovetail.numpy.promotion import filled
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import xlog1py, xlogy


def logpmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The logarithm of the probability of the Bernoulli distribution.

    Args:
      k: an array of numbers of events.
      p: the probability of 1.
      loc: what is added to the number of events.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> logpmf(1, 0.3)
      Array(-1.2039728, dtype=float32, weak_type=True)
    """
    k, p, loc = reals("bernoulli.logpmf", k, p, loc)
    events = k - loc
    value = xlogy(events, p) + xlog1py(1 - events, -p)
    return where((events < 0) | (events > 1), -math.inf, value)


def pmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The probability of the Bernoulli distribution.

    Args:
      k: an array of numbers of events.
      p: the probability of 1.
      loc: what is added to the number of events.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> pmf(1, 0.3)
      Array(0.29999998, dtype=float32, weak_type=True)
    """
    return ops.exp(logpmf(k, p, loc))


def cdf(k: ArrayLike, p: ArrayLike) -> Array:
    """The distribution function of the Bernoulli distribution.

    Args:
      k: an array of numbers of events.
      p: the probability of 1.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> cdf(0, 0.3)
      Array(0.7, dtype=float32, weak_type=True)
    """
    k, p = reals("bernoulli.cdf", k, p)
    value = where(k < 0, 0, where(k < 1, 1 - p, 1))
    return where((p >= 0) & (p <= 1) & (k == k), value, math.nan)


def ppf(q: ArrayLike, p: ArrayLike) -> Array:
    """The quantiles, the inverse of `cdf`, of the Bernoulli distribution.

    Args:
      q: an array of probabilities.
      p: the probability of 1.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.

    Example:
      >>> ppf(0.8, 0.3)
      Array(1., dtype=float32, weak_type=True)
    """
    q, p = reals("bernoulli.ppf", q, p)
    valid = (p >= 0) & (p <= 1) & (q >= 0) & (q <= 1)
    return where(valid, where(q <= 1 - p, filled(q, 0), 1), math.nan)
