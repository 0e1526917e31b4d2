"""The zeta functions and Bernoulli numbers."""

from __future__ import annotations

import functools
import math
import operator
from fractions import Fraction
from typing import Any

import numpy as np

from dovetail import jvp, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import asarray, where
from dovetail.numpy.promotion import filled, static
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import pointwise, sin_pi, with_derivatives
from dovetail.scipy.special.gamma_functions import gamma_of

# Terms of the sum and of the correction in the Euler-Maclaurin formula.
_TERMS = 12
# From the number after this one on, the ratio of two neighbours is exact in float64.
_EXACT = 60


def zeta(x: ArrayLike, q: ArrayLike | None = None) -> Array:
    """The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ...

    Args:
      x: an array of real numbers.
      q: an array of real numbers; by default 1, and then x may be less than 1: Riemann's zeta
        function.

    Returns:
      An array of floats. https://dlmf.nist.gov/25.11#E1, https://dlmf.nist.gov/25.2#E1

    Example:
      >>> zeta(2.0, 1.0)
      Array(1.644934, dtype=float32, weak_type=True)
    """
    if q is None:
        return pointwise("zeta", _riemann, x)
    return pointwise("zeta", _hurwitz, x, q)


def _series(s: Array, q: Array) -> Array:
    """By the Euler-Maclaurin formula, https://dlmf.nist.gov/25.11#E7, for s != 1 and q > 0."""
    total = ops.pow(q, -s)
    for k in range(1, _TERMS):
        total = total + ops.pow(q + k, -s)
    end = q + _TERMS
    power = ops.pow(end, -s)
    total = total + power * (end / (s - 1) + 0.5)
    factor = s / end
    numbers = _even_bernoulli()
    for j in range(1, _TERMS + 1):
        total = total + power * factor * numbers[j - 1]
        factor = factor * ((s + (2 * j - 1)) / end) * ((s + 2 * j) / end)
    return total


def _even_bernoulli() -> list[float]:
    """B(2j) / (2j)! for j = 1, 2, ..."""
    numbers = _bernoulli_numbers(2 * _TERMS)
    return [float(numbers[2 * j]) / math.factorial(2 * j) for j in range(1, _TERMS + 1)]


def _by_exponent(ans: Array, s: Array, q: Array) -> Array:
    safe = where(s == 1, 2, s)
    return jvp(lambda s: _series(s, q), (safe,), (ops.div(safe, safe),))[1]


def _by_start(ans: Array, s: Array, q: Array) -> Array:
    return -s * _hurwitz(s + 1, q)


@with_derivatives(_by_exponent, _by_start)
def _hurwitz(s: Array, q: Array) -> Array:
    return ops.zeta(s, q)


def _riemann(s: Array) -> Array:
    """Right of 0 by the series; left by reflection, https://dlmf.nist.gov/25.4#E1."""
    right = where(s == 1, 2, where(s < 0, 1 - s, s))
    one = filled(right, 1)
    value = where(right > 1, _hurwitz(where(right > 1, right, 2), one), _series(right, one))
    value = where(right > 60, 1, value)
    mirrored = 2 * ops.pow(one * (2 * math.pi), -right) * sin_pi(s / 2) * gamma_of(right) * value
    return where(s == 1, math.inf, where(s < 0, mirrored, value))


def bernoulli(n: int) -> Array:
    """The Bernoulli numbers B(0), ..., B(n), with B(1) = -1/2.

    Args:
      n: an integer that is known while tracing, 0 or more.

    Returns:
      An array of default floats of shape (n + 1,).

    Source: https://dlmf.nist.gov/24.2#E1

    Raises:
      ValueError: `n` is negative.

    Example:
      >>> bernoulli(4)
      Array([ 1.        , -0.5       ,  0.16666667,  0.        , -0.03333334],
            dtype=float32)
    """
    count = operator.index(static(n, "the bernoulli argument 'n'"))
    if count < 0:
        raise value_error(f"bernoulli: n must not be negative, got: {count}")
    with np.errstate(over="ignore"):
        return asarray(_bernoulli_numbers(count).astype(dtypes.default_dtype("f")))


@functools.lru_cache(64)
def _bernoulli_numbers(n: int) -> np.ndarray[Any, Any]:
    """In float64, by the recurrence in which the sum of comb(m + 1, k) B(k) over k <= m is 0."""
    exact = [Fraction(1), Fraction(-1, 2)]
    for m in range(2, min(n, _EXACT) + 1):
        terms = sum(math.comb(m + 1, k) * exact[k] for k in range(m)) if m % 2 == 0 else 0
        exact.append(Fraction(-terms, m + 1))
    values = np.zeros(n + 1)
    known = exact[: n + 1]
    values[: len(known)] = [float(b) for b in known]
    # https://dlmf.nist.gov/24.2#E7, where zeta is 1.
    for m in range(_EXACT + 2, n + 1, 2):
        values[m] = -values[m - 2] * (m * (m - 1) / (2 * math.pi) ** 2)
    return values
