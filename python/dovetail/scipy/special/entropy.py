"""Products with logarithms that are 0 where a factor is 0, entropies, and power transformations."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import inexacts, pointwise, polynomial, with_derivatives
from dovetail.scipy.special.docstrings import FLOATS, INEXACT


@documented(FLOATS)
def logit(x: ArrayLike) -> Array:
    """log(x / (1 - x)), the inverse of `expit`.

    Returns:
      An array of floats, NaN outside of [0, 1].

    Example:
      >>> logit(0.25)
      Array(-1.0986123, dtype=float32, weak_type=True)
    """
    return pointwise("logit", _logit, x)


@with_derivatives(lambda ans, x: 1 / (x * (1 - x)))
def _logit(x: Array) -> Array:
    # Near 1/2, where the logarithm is 0, by a difference that is exact.
    near = (x > 0.3) & (x < 0.65)
    double = where(near, 2 * (x - 0.5), 0)
    return where(near, ops.log1p(double) - ops.log1p(-double), ops.log(x / (1 - x)))


@documented(INEXACT)
def expit(x: ArrayLike) -> Array:
    """The logistic function, 1 / (1 + exp(-x)).

    Example:
      >>> expit(0.0)
      Array(0.5, dtype=float32, weak_type=True)
    """
    return ops.logistic(*inexacts("expit", x))


@documented(INEXACT)
def xlogy(x: ArrayLike, y: ArrayLike) -> Array:
    """x log(y), and 0 where x is 0 and y is not NaN.

    Example:
      >>> xlogy(0.0, 0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return _xlogy(*inexacts("xlogy", x, y))


def _unless_zero(x: Array, y: Array, value: Array) -> Array:
    return where((x != 0) | (y != y), value, 0)


def _slope(x: Array, y: Array) -> Array:
    """x / y, whose derivative with respect to x is 1 / y even where x is 0; 0 where both are."""
    return where((x == 0) & (y == 0), 0, x / y)


@with_derivatives(lambda ans, x, y: ops.log(y), lambda ans, x, y: _slope(x, y))
def _xlogy(x: Array, y: Array) -> Array:
    return _unless_zero(x, y, x * ops.log(y))


@documented(INEXACT)
def xlog1py(x: ArrayLike, y: ArrayLike) -> Array:
    """x log(1 + y), and 0 where x is 0 and y is not NaN.

    Example:
      >>> xlog1py(0.0, -1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return _xlog1py(*inexacts("xlog1py", x, y))


@with_derivatives(lambda ans, x, y: ops.log1p(y), lambda ans, x, y: _slope(x, 1 + y))
def _xlog1py(x: Array, y: Array) -> Array:
    return _unless_zero(x, y, x * ops.log1p(y))


@documented(FLOATS)
def entr(x: ArrayLike) -> Array:
    """Elementwise entropy: -x log(x), 0 at 0, and -infinity below.

    Example:
      >>> entr(0.5)
      Array(0.3465736, dtype=float32, weak_type=True)
    """
    return pointwise("entr", _entr, x)


@with_derivatives(lambda ans, x: -(ops.log(x) + 1))
def _entr(x: Array) -> Array:
    return where(x < 0, -math.inf, -_xlogy(x, x))


@documented(FLOATS)
def rel_entr(p: ArrayLike, q: ArrayLike) -> Array:
    """Elementwise relative entropy: p log(p / q), 0 where p is 0 and q is not negative, otherwise
    infinity.

    Example:
      >>> rel_entr(0.5, 0.25)
      Array(0.3465736, dtype=float32, weak_type=True)
    """
    return pointwise("rel_entr", _rel_entr, p, q)


def _rel_entr(p: Array, q: Array) -> Array:
    inside = (p > 0) & (q > 0)
    value = _p_log_ratio(where(inside, p, 1), where(inside, q, 1))
    value = where(inside, value, where((p == 0) & (q >= 0), 0, math.inf))
    return where((p != p) | (q != q), math.nan, value)


def _log_ratio(p: Array, q: Array) -> Array:
    """log(p / q), without a loss of digits if they are close, and without overflow."""
    ratio = p / q
    close = ops.abs(ratio - 1) < 0.5
    near = ops.log1p(where(close, p - q, 0) / q)
    limits = dtypes.finfo(p.dtype)
    tame = (ratio > float(limits.tiny)) & (ratio < float(limits.max))
    far = where(tame, ops.log(where(tame, ratio, 1)), ops.log(p) - ops.log(q))
    return where(close, near, far)


@with_derivatives(lambda ans, p, q: _log_ratio(p, q) + 1, lambda ans, p, q: -p / q)
def _p_log_ratio(p: Array, q: Array) -> Array:
    return p * _log_ratio(p, q)


@documented(FLOATS)
def kl_div(p: ArrayLike, q: ArrayLike) -> Array:
    """The elementwise Kullback-Leibler divergence: p log(p / q) - p + q, with the limits of
    `rel_entr`.

    Example:
      >>> kl_div(0.5, 0.25)
      Array(0.09657359, dtype=float32, weak_type=True)
    """
    return pointwise("kl_div", _kl_div, p, q)


def _kl_div(p: Array, q: Array) -> Array:
    inside = (p > 0) & (q > 0)
    value = _divergence(where(inside, p, 1), where(inside, q, 1))
    value = where(inside, value, where((p == 0) & (q >= 0), q, math.inf))
    return where((p != p) | (q != q), math.nan, value)


@with_derivatives(lambda ans, p, q: _log_ratio(p, q), lambda ans, p, q: (q - p) / q)
def _divergence(p: Array, q: Array) -> Array:
    """Near q = p, where the terms cancel, p (d - log(1 + d)) by https://dlmf.nist.gov/4.6#E4."""
    excess = (q - p) / p
    near = ops.abs(excess) < 0.5
    d = where(near, excess, 0)
    s = d / (2 + d)
    series = s * (d - 2 * s * s * polynomial([1 / (2 * k + 3) for k in range(16)], s * s))
    return where(near, p * series, _p_log_ratio(p, q) - p + q)


@documented(FLOATS)
def boxcox(x: ArrayLike, lmbda: ArrayLike) -> Array:
    """The Box-Cox transformation: (x^lmbda - 1) / lmbda, and log(x) where lmbda is 0.

    Source: G. E. P. Box and D. R. Cox, An Analysis of Transformations, 1964.

    Example:
      >>> boxcox(2.0, 0.5)
      Array(0.82842714, dtype=float32, weak_type=True)
    """
    return pointwise("boxcox", lambda x, power: _transformed(ops.log(x), power), x, lmbda)


@documented(FLOATS)
def boxcox1p(x: ArrayLike, lmbda: ArrayLike) -> Array:
    """`boxcox` of 1 + x.

    Example:
      >>> boxcox1p(1.0, 0.5)
      Array(0.82842714, dtype=float32, weak_type=True)
    """
    return pointwise("boxcox1p", lambda x, power: _transformed(ops.log1p(x), power), x, lmbda)


def _transformed(logarithm: Array, power: Array) -> Array:
    """expm1(power log) / power, near 0 by its series, whose derivatives are right too."""
    exponent = power * logarithm
    near = ops.abs(exponent) < 0.05
    series = polynomial([1 / math.factorial(k + 1) for k in range(10)], where(near, exponent, 0))
    safe = where(near | (power == 0), 1, power)
    far = ops.expm1(safe * where(near, 1, logarithm)) / safe
    return where(near | (power == 0), logarithm * series, far)
