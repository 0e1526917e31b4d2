"""The multinomial distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import sum, where
from dovetail.numpy.promotion import promote, real_inexact, with_dtype
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.special import gammaln, xlogy


def logpmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
    """The logarithm of the probability of the multinomial distribution.

    Args:
      x: an array of integers of shape (..., k), the number of occurrences of each of k outcomes.
      n: an array of integers, the number of trials.
      p: an array of shape (..., k), the probabilities of the outcomes.

    Returns:
      An array of floats of shape (...), -infinity if the sum of x is not n.

    Raises:
      ValueError: x or n is not an array of integers.

    Example:
      >>> logpmf(dnp.array([1, 2]), 3, dnp.array([0.4, 0.6]))
      Array(-0.8393295, dtype=float32)
    """
    chances = real_inexact("multinomial.logpmf", p)
    counts, trials = promote("multinomial.logpmf", x, n)
    if dtypes.KINDS[counts.dtype] not in "iu":
        raise value_error(
            f"multinomial.logpmf: x and n must be integers, got: {counts.dtype.name}; convert with "
            "x.astype(int)"
        )
    fits = sum(counts, -1) == trials
    counts, trials = (with_dtype(c, chances.dtype) for c in (counts, trials))
    value = gammaln(trials + 1) + sum(xlogy(counts, chances) - gammaln(counts + 1), -1)
    return where(fits, value, -math.inf)


def pmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Array:
    """The probability of the multinomial distribution.

    Args:
      x: an array of integers of shape (..., k), the number of occurrences of each of k outcomes.
      n: an array of integers, the number of trials.
      p: an array of shape (..., k), the probabilities of the outcomes.

    Returns:
      An array of floats of shape (...), 0 if the sum of x is not n.

    Raises:
      ValueError: x or n is not an array of integers.

    Example:
      >>> pmf(dnp.array([1, 2]), 3, dnp.array([0.4, 0.6]))
      Array(0.4320001, dtype=float32)
    """
    return ops.exp(logpmf(x, n, p))
