"""Stirling's series, and quotients of gamma functions by it."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.numpy import where
from dovetail.scipy.operands import at_least, polynomial
from dovetail.scipy.special.coefficients import LOG_STIRLING

# From here on the series is as accurate as float64.
START = 8
HALF_LOG_2PI = math.log(2 * math.pi) / 2


def correction(x: Array) -> Array:
    """log gamma(x) minus (x - 1/2) log(x) - x + log(2 pi)/2, for x from `START` on.

    https://dlmf.nist.gov/5.11#E1
    """
    t = 1 / at_least(x, START)
    return t * polynomial(LOG_STIRLING[0], t * t)


def log_ratio(x: Array, by: Array) -> Array:
    """log(gamma(x + by) / gamma(x)), for x and x + by from `START` on."""
    end = x + by
    main = (x - 0.5) * ops.log1p(by / x) + by * (ops.log(end) - 1)
    return main + (correction(end) - correction(x))


def log_beta(a: Array, b: Array) -> Array:
    """log(gamma(a) gamma(b) / gamma(a + b)) for a and b from `START` on; no terms cancel."""
    low, high = ops.min(a, b), ops.max(a, b)
    main = (low - 0.5) * ops.log1p(high / low) + high * ops.log1p(low / high)
    rest = correction(low) + correction(high) - correction(low + high)
    return HALF_LOG_2PI - ops.log(high) / 2 - main + rest


def clamped(x: Array, low: float, high: float) -> Array:
    """`x` if it is within bounds, otherwise 1: for branches that are not taken."""
    return where((x >= low) & (x <= high), x, 1)
