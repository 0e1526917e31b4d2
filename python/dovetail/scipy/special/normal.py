"""The normal distribution's function, its logarithm and inverse, and Owen's T function."""

from __future__ import annotations

import math

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import asarray, expand_dims, sum, where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least, at_most, pointwise, rational, with_derivatives
from dovetail.scipy.special import coefficients as table
from dovetail.scipy.special.docstrings import FLOATS
from dovetail.scipy.special.error_functions import erfcx_of_size, exp_of_square, halves

SQRT_HALF = math.sqrt(0.5)
# The same number as a sum. A product of the first term and half of the digits of a float is exact.
SQRT_HALF_HEAD, SQRT_HALF_REST = 5792 / 8192, 7.55311865475244e-05
SQRT_2PI = math.sqrt(2 * math.pi)


@documented(FLOATS)
def ndtr(x: ArrayLike) -> Array:
    """The distribution function of the normal distribution.

    Returns:
      An array of floats: the probability of values below x, erfc(-x / sqrt(2)) / 2.

    Example:
      >>> ndtr(dnp.array([-1.0, 0.0, 1.0]))
      Array([0.15865526, 0.5       , 0.8413447 ], dtype=float32)
    """
    return pointwise("ndtr", ndtr_of, x)


@with_derivatives(lambda ans, x: density(x))
def ndtr_of(x: Array) -> Array:
    """The distribution function of floats: erfc(-x / sqrt(2)) / 2, to the first order in the
    rounding error of its argument, which far below 0 is that of the result times x^2.
    """
    w = x * -SQRT_HALF
    head, rest = halves(x)
    error = (-(head * SQRT_HALF_HEAD) - w) - rest * SQRT_HALF_HEAD - x * SQRT_HALF_REST
    # Below 0, the logarithm of erfc(w) has the slope -2 w, nearly; there are no tails elsewhere.
    twice = ops.erfc(w)
    return (twice - where((w > 0) & (w < 1e3), 2 * w * error, 0) * twice) / 2


def density(x: Array) -> Array:
    """exp(-x^2 / 2) / sqrt(2 pi)."""
    return ops.exp(-0.5 * (x * x)) / SQRT_2PI


@documented(FLOATS)
def log_ndtr(x: ArrayLike, series_order: int = 3) -> Array:
    """The logarithm of `ndtr`, without its underflow.

    Args:
      series_order: from 0 to 30; without effect, since below 0 `erfcx` is used instead of a series.

    Raises:
      TypeError: `series_order` is not an integer.
      ValueError: it is out of bounds.

    Example:
      >>> log_ndtr(-40.0)
      Array(-804.60846, dtype=float32, weak_type=True)
    """
    if not isinstance(series_order, int):
        raise type_error(
            f"log_ndtr: series_order must be an int, got: {type(series_order).__name__}"
        )
    if not 0 <= series_order <= 30:
        raise value_error(f"log_ndtr: series_order must be from 0 to 30, got: {series_order}")
    return pointwise("log_ndtr", log_ndtr_of, x)


@with_derivatives(lambda ans, x: _inverse_mills(x))
def log_ndtr_of(x: Array) -> Array:
    """The logarithm of the distribution function of floats."""
    below = at_most(x, 0)
    lower = ops.log(erfcx_of_size(-below * SQRT_HALF) / 2) - 0.5 * (below * below)
    upper = ops.log1p(-ndtr_of(-at_least(x, -1)))
    return where(x == -math.inf, -math.inf, where(x < -0.5, lower, upper))


def _inverse_mills(x: Array) -> Array:
    """The density divided by the distribution function."""
    below = at_most(x, 0)
    lower = (2 / SQRT_2PI) / erfcx_of_size(-below * SQRT_HALF)
    above = at_least(x, -1)
    upper = density(above) / ndtr_of(above)
    return where(x < -0.5, lower, upper)


def ndtri(p: ArrayLike) -> Array:
    """The quantiles of the normal distribution, the inverse of `ndtr`.

    Args:
      p: an array of probabilities.

    Returns:
      An array of floats, NaN outside of [0, 1].

    Example:
      >>> ndtri(dnp.array([0.025, 0.5]))
      Array([-1.9599639,  0.       ], dtype=float32)
    """
    return pointwise("ndtri", ndtri_of, p)


@with_derivatives(lambda ans, p: SQRT_2PI * ops.exp(ans * ans / 2))
def ndtri_of(p: Array) -> Array:
    """The quantiles of floats: a rational function of p - 1/2, or of z = sqrt(-2 log(p))."""
    lower = ops.min(p, 1 - p)
    central = lower > math.exp(-2)
    w = where(central, p - 0.5, 0)
    inner = w * rational(table.QUANTILE_CENTRAL, 0.180625 - w * w)
    z = ops.sqrt(-2 * ops.log(where((lower > 0) & ~central, lower, 0.1)))
    t = 1 / z
    near = rational(table.QUANTILE_TO_8, at_least(t, 1 / 8))
    far = rational(table.QUANTILE_FROM_8, at_most(t, 1 / 8))
    tail = z - ops.log(z) / z - where(z < 8, near, far) / z
    value = where(central, inner, where(p < 0.5, -tail, tail))
    value = where(p == 0, -math.inf, where(p == 1, math.inf, value))
    return where((p >= 0) & (p <= 1), value, math.nan)


@documented(FLOATS)
def owens_t(h: ArrayLike, a: ArrayLike) -> Array:
    """Owen's T function: the probability of X > h and 0 < Y < a X for normal X and Y.

    Source: D. B. Owen, Tables for Computing Bivariate Normal Probabilities, 1956.

    Example:
      >>> owens_t(1.0, 0.5)
      Array(0.04306469, dtype=float32)
    """
    return pointwise("owens_t", _owens_t, h, a)


# Gauss and Legendre's nodes on [0, 1].
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


@with_derivatives(
    lambda ans, h, a: -ops.exp(-0.5 * (h * h)) * ops.erf(a * h * SQRT_HALF) / (2 * SQRT_2PI),
    lambda ans, h, a: ops.exp(-0.5 * (1 + a * a) * (h * h)) / (2 * math.pi * (1 + a * a)),
)
def _owens_t(h: Array, a: Array) -> Array:
    """For |a| > 1 by T(h, a) = Q(h)/2 + Q(a h)/2 - Q(h) Q(a h) - T(a h, 1/a), with the upper
    tail Q.
    """
    height, slope = ops.abs(h), ops.abs(a)
    steep = slope > 1
    product = where(height == 0, 0, height * where(slope == math.inf, 3e38, slope))
    inner = _integral(where(steep, product, height), where(steep, 1 / slope, slope))
    q, q_product = ndtr_of(-height), ndtr_of(-product)
    # The same with P = 1/2 - Q, which is small near 0: 1/4 - P(h) P(a h) - T(a h, 1/a).
    p = ops.erf(height * SQRT_HALF) / 2
    p_product = ops.erf(product * SQRT_HALF) / 2
    close = 0.25 - p * p_product
    far = (q + q_product) / 2 - q * q_product
    value = where(steep, where(product < 0.67, close, far) - inner, inner)
    value = where(height == math.inf, 0, value)
    value = where(a < 0, -value, value)
    return where((a != a) | (h != h), math.nan, value)


def _integral(h: Array, a: Array) -> Array:
    """exp(-h^2 (1 + x^2) / 2) / (1 + x^2) / (2 pi), over x from 0 to a, up to where it vanishes."""
    end = ops.min(a, 9 / at_least(h, 9))
    x = expand_dims(end, -1) * asarray(_NODES.astype(h.dtype))
    square = x * x
    half = expand_dims(h * h, -1) / 2
    values = ops.exp(-half * square) / (1 + square) * asarray(_WEIGHTS.astype(h.dtype))
    return exp_of_square(h, -0.5) * end * sum(values, -1) / (2 * math.pi)
