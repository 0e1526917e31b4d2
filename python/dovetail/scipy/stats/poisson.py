"""The Poisson distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import arange, expand_dims, sum, where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import is_whole, reals
from dovetail.scipy.special import entr, gammaincc, gammaln, xlogy
from dovetail.scipy.stats.docstrings import DISCRETE

_PARAMETERS = """
    Args:
      mu: the mean.
"""


@documented(DISCRETE, _PARAMETERS)
def logpmf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The logarithm of the probability of the Poisson distribution.

    Example:
      >>> logpmf(2, 1.5)
      Array(-1.3822169, dtype=float32, weak_type=True)
    """
    k, mu, loc = reals("poisson.logpmf", k, mu, loc)
    events = k - loc
    inside = (events >= 0) & is_whole(k)
    at = where(inside, events, 0)
    return where(inside, xlogy(at, mu) - gammaln(at + 1) - mu, -math.inf)


@documented(DISCRETE, _PARAMETERS)
def pmf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The probability of the Poisson distribution.

    Example:
      >>> pmf(2, 1.5)
      Array(0.25102144, dtype=float32, weak_type=True)
    """
    return ops.exp(logpmf(k, mu, loc))


@documented(DISCRETE, _PARAMETERS)
def cdf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The distribution function of the Poisson distribution.

    Example:
      >>> cdf(2, 1.5)
      Array(0.80884683, dtype=float32, weak_type=True)
    """
    k, mu, loc = reals("poisson.cdf", k, mu, loc)
    events = k - loc
    inside = events >= 0
    return where(inside, gammaincc(ops.floor(where(inside, events, 0)) + 1, mu), 0)


# From this mean on a series is as accurate as the sum, which below it needs no more terms than
# these.
_LARGE, _TERMS = 100, 250


def entropy(mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """The entropy of the Poisson distribution.

    Args:
      mu: the mean.
      loc: an offset added to the number of events; it has no effect.

    Returns:
      An array of floats, of the shape that the arguments broadcast to: a sum, or for large means
      the series of R. J. Evans and J. Boersma, The Entropy of a Poisson Distribution, 1988.

    Example:
      >>> entropy(1.5)
      Array(1.5394046, dtype=float32)
    """
    mean, _ = reals("poisson.entropy", mu, loc)
    near = where(mean < _LARGE, mean, 1)
    events = arange(_TERMS, dtype=mean.dtype)
    exact = sum(entr(pmf(events, expand_dims(near, -1))), -1)
    t = 1 / where(mean < _LARGE, _LARGE, mean)
    series = -ops.log(t / (2 * math.pi * math.e)) / 2
    series = series - t * (1 / 12 + t * (1 / 24 + t * (19 / 360)))
    return where(mean == 0, 0, where(mean < _LARGE, exact, series))
