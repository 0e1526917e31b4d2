"""Hypergeometric functions of real numbers.

Methods and their choice: J. W. Pearson, S. Olver and M. A. Porter, Numerical Methods for the
Computation of the Confluent and Gauss Hypergeometric Functions, 2014.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from dovetail import jvp, lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy import any, stack, unstack, where
from dovetail.numpy.promotion import filled
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least, is_whole, pointwise, with_derivatives
from dovetail.scipy.special.docstrings import FLOATS
from dovetail.scipy.special.gamma_functions import gamma_of, gammasgn

# The largest number of terms of a series, and the power of 2 above which its sums are scaled.
_TERMS = 2000
_POWER = 64.0


def _total(
    ratio: Callable[[Array], Array],
    like: Array,
    bound: Callable[[Array], Array] | None = None,
    asymptotic: bool = False,
) -> Array:
    """1 + t(0) + t(0) t(1) + ..., each term the previous one times `ratio` of its number.

    Args:
      ratio: takes k, returns t(k).
      like: an array of the type and shape of the terms.
      bound: decides, instead of `ratio`, whether terms still matter: the tangents of a series that
        ends do not.
      asymptotic: whether to stop when terms grow.
    """
    total, power = _scaled_total(ratio, like, bound, asymptotic)
    return total * ops.exp2(power)


def _scaled_total(
    ratio: Callable[[Array], Array],
    like: Array,
    bound: Callable[[Array], Array] | None = None,
    asymptotic: bool = False,
) -> tuple[Array, Array]:
    """The same as a number and the power of 2 to multiply it by: sums may have any size."""
    accuracy = float(dtypes.finfo(like.dtype).eps) / 4

    def more(state: Any) -> Array:
        k, size, total, growing = state[0], state[2], state[3], state[4]
        return (k < _TERMS) & any((size > accuracy * ops.abs(total)) & ~growing)

    def step(state: Any) -> Any:
        k, term, size, total, growing, power = state
        is_large = ops.abs(total) > 2.0**_POWER
        scale = where(is_large, 2.0**-_POWER, 1)
        factor = ratio(k)
        following = term * scale * factor
        size = size * scale * ops.abs(factor if bound is None else bound(k))
        if asymptotic:
            growing = growing | (ops.abs(following) > ops.abs(term * scale))
            following = where(growing, 0, following)
        power = power + where(is_large, _POWER, 0)
        return k + 1, following, size, total * scale + following, growing, power

    first = where(like == like, 1, like)
    zero = lax.full((), 0, like.dtype)
    start = zero, first, ops.abs(first), first, like != like, filled(like, 0)
    final = lax.while_loop(more, step, start)
    return final[3], final[5]


def _over(numerator: Array, denominator: Array) -> Array:
    """A quotient, 0 if the numerator is: the series ended before the denominator was 0."""
    ended = (numerator == 0) | (denominator == 0)
    return where(ended, numerator, numerator / where(ended, 1, denominator))


def _by(argument: int, function: Callable[..., Array]) -> Callable[..., Array]:
    """The partial derivative of a function whose loops are differentiated."""

    def derivative(ans: Array, *operands: Array) -> Array:
        def of_one(x: Array) -> Array:
            return function(*operands[:argument], x, *operands[argument + 1 :], slopes=True)

        return jvp(of_one, (operands[argument],), (filled(ans, 1),))[1]

    return derivative


def _is_end(x: Array) -> Array:
    """True if a series with this parameter in its numerators terminates."""
    return (x <= 0) & is_whole(x)


def _gammas(xs: Sequence[Array]) -> list[Array]:
    """The gamma function of several arrays at once, so that only one loop is compiled."""
    return list(unstack(gamma_of(stack(xs))))


def _reciprocal_gammas(xs: Sequence[Array]) -> list[Array]:
    """1 / gamma(x), 0 at the poles."""
    poles = [_is_end(x) for x in xs]
    values = _gammas([where(pole, 1, x) for pole, x in zip(poles, xs, strict=True)])
    return [where(pole, 0, 1 / value) for pole, value in zip(poles, values, strict=True)]


@documented(FLOATS)
def hyp1f1(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """The confluent hypergeometric function, Kummer's M(a, b, x).

    Returns:
      An array of floats, infinite where b is 0 or a negative integer, unless the series ends
      before. https://dlmf.nist.gov/13.2#E2. For x < 0 it is that of b - a and -x times exp(x), by
      Kummer's transformation, https://dlmf.nist.gov/13.2#E39. If x > 0 and a is far below 0, a
      recurrence leads there from about a = -x / 4, where the series loses a factor exp(0.15 x) of
      accuracy, more if b is large: at x = 60 no digits are left in float32, and six in float64. The
      same holds for x < 0 and b - a far below 0. For a below -2000 - x / 4 no digits are left.

    Example:
      >>> hyp1f1(1.0, 2.0, 1.0)
      Array(1.7182816, dtype=float32)
    """
    return pointwise("hyp1f1", _hyp1f1, a, b, x)


def _logarithm_of_kummer(a: Array, b: Array, x: Array) -> Array:
    """The logarithm of M(a, b, x) exp(-x) for large x: https://dlmf.nist.gov/13.7#E1."""
    return ops.lgamma(b) - ops.lgamma(a) + (a - b) * ops.log(x)


def _steps_down(a: Array, b: Array, x: Array) -> Array:
    """The number of steps down to `a` from a parameter at which the series cancels little."""
    steps = ops.floor(-a - x / 4)
    return where((steps > 0) & (x > 0) & (b > 0), ops.min(steps, filled(x, _TERMS)), 0)


def _down(a: Array, b: Array, x: Array, steps: Array, value: Array, above: Array) -> Array:
    """M(a, b, x) from M(a + steps, b, x) and M(a + steps + 1, b, x).

    For x < -4 a all solutions of the recurrence oscillate, so that it is stable:
    https://dlmf.nist.gov/13.3#E1.
    """

    def more(state: Any) -> Array:
        return any(state[0] < steps)

    def step(state: Any) -> Any:
        k, value, above = state
        at = a + steps - k
        below = (at * above - (2 * at - b + x) * value) / where(b == at, 1, b - at)
        goes_on = k < steps
        return k + 1, where(goes_on, below, value), where(goes_on, value, above)

    return lax.while_loop(more, step, (lax.full((), 0, x.dtype), value, above))[1]


def _kummer(a: Array, b: Array, x: Array, slopes: bool = False) -> Array:
    # Below 0 the terms alternate: https://dlmf.nist.gov/13.2#E39.
    mirror = (x < 0) & ~_is_end(a)
    first, at = where(mirror, b - a, a), where(mirror, -x, x)
    # The tangents of an asymptotic series that ends form a series that does not.
    many = (500 if x.dtype == dtypes.float64 else 80) if slopes else 80
    # https://dlmf.nist.gov/13.7#E1
    far = (at > many) & (ops.abs(b - first) * ops.abs(1 - first) < at) & ~_is_end(first)
    near = where(far, 1, at)

    steps = where(far, 0, _steps_down(first, b, near))
    # The series of a parameter that is not far below 0, and of the next one.
    low = first + steps
    starts = stack([low, low + 1])

    def ratio(k: Array) -> Array:
        return _over(starts + k, b + k) * (near / (k + 1))

    def bound(k: Array) -> Array:
        return at_least(ops.abs(starts + k), 1) / ops.abs(b + k) * (near / (k + 1))

    sums, powers = map(
        unstack, _scaled_total(ratio, stack([near, near]), bound if slopes else None)
    )
    value = _down(first, b, near, steps, sums[0], sums[1] * ops.exp2(powers[1] - powers[0]))
    value = value * ops.exp(where(mirror, x, 0) + powers[0] * math.log(2))
    distant = where(far, at, 100)
    series = _total(
        lambda k: (b - first + k) * (1 - first + k) / ((k + 1) * distant), distant, asymptotic=True
    )
    # gamma(b) / gamma(a) exp(x) x^(a - b), without the exponential if it cancels.
    logarithm = _logarithm_of_kummer(first, b, distant) + where(mirror, 0, distant)
    limit = gammasgn(b) * gammasgn(first) * ops.exp(where(far, logarithm, 0)) * series
    return where(far, limit, value)


def _hyp1f1_slope(ans: Array, a: Array, b: Array, x: Array) -> Array:
    return a / b * _hyp1f1(a + 1, b + 1, x)


@with_derivatives(_by(0, _kummer), _by(1, _kummer), _hyp1f1_slope)
def _hyp1f1(a: Array, b: Array, x: Array) -> Array:
    ends = _is_end(a)
    pole = _is_end(b) & ~(ends & (a >= b))
    value = _kummer(a, where(pole, 1, b), x)
    value = where((a == b) & ~pole, ops.exp(x), value)
    value = where((a == 0) | (x == 0), 1, where(pole, math.inf, value))
    return where((a != a) | (b != b) | (x != x), math.nan, value)


@documented(FLOATS)
def hyp2f1(a: ArrayLike, b: ArrayLike, c: ArrayLike, x: ArrayLike) -> Array:
    """Gauss' hypergeometric function F(a, b; c; x).

    Returns:
      An array of floats, infinite where c is 0 or a negative integer and for x > 1, unless the
      series ends. https://dlmf.nist.gov/15.2#E1

    Example:
      >>> hyp2f1(1.0, 1.0, 2.0, 0.5)
      Array(1.3862946, dtype=float32)
    """
    return pointwise("hyp2f1", _hyp2f1, a, b, c, x)


def _gauss_series(a: Array, b: Array, c: Array, x: Array, slopes: bool = False) -> Array:
    def ratio(k: Array) -> Array:
        return _over((a + k) * (b + k), (c + k) * (k + 1)) * x

    def bound(k: Array) -> Array:
        top = at_least(ops.abs(a + k), 1) * at_least(ops.abs(b + k), 1)
        return top / (ops.abs(c + k) * (k + 1)) * ops.abs(x)

    return _total(ratio, x, bound if slopes else None)


# Left of this the series converges fast enough.
_NEAR = 0.9


def _gauss(a: Array, b: Array, c: Array, x: Array, slopes: bool = False) -> Array:
    """For x < 1: below 0 by Pfaff's, and where 1 - x has a large negative power by Euler's
    transformation, https://dlmf.nist.gov/15.8#E1.
    """
    ends = _is_end(a) | _is_end(b)
    mirror = (x < 0) & ~ends
    # The one whose series may end.
    swap = mirror & _is_end(c - a)
    a, b = where(swap, b, a), where(swap, a, b)
    second = where(mirror, c - b, b)
    at = where(mirror, x / (x - 1), x)
    euler = (c - a - second < -0.5) & ~ends & ~_is_end(second) & (at < 1)
    power = where(euler, c - a - second, 0)
    first, second = where(euler, c - a, a), where(euler, c - second, second)
    if slopes:
        # The limits of the other formulas where c - a - b is an integer have other slopes.
        value = _gauss_series(first, second, c, at, slopes)
    else:
        value = _right_gauss(first, second, c, at)
    remaining = where(euler, 1 - at, 1)
    outer = where(mirror, ops.pow(where(mirror, 1 - x, 1), -a), 1)
    return outer * where(euler, ops.pow(remaining, power), 1) * value


def _right_gauss(a: Array, b: Array, c: Array, x: Array) -> Array:
    """For 0 <= x < 1, and ends of series: near 1 by https://dlmf.nist.gov/15.8#E4 and E10."""
    ends = _is_end(a) | _is_end(b)
    d = c - a - b
    whole = ops.round_even(d)
    close = (x > _NEAR) & (x < 1) & ~ends
    # Close to an integer, but not at it, the two terms cancel.
    apart = ops.abs(d - whole) > (1e-3 if x.dtype == dtypes.float64 else 0.02)
    direct = ~close | (~apart & (d != whole))
    s = where(close, 1 - x, 0.5)
    safe_d = where(apart, d, 0.5)
    value = _gauss_series(a, b, where(direct, c, 1 - safe_d), where(direct, x, s))
    split = close & apart
    other = _gauss_series(c - a, c - b, 1 + safe_d, where(split, s, 0))
    m = at_least(whole, 0)
    logarithmic = close & (d == whole)
    finite, infinite = _with_logarithm(a, b, where(logarithmic, s, 0), m)
    of_c, of_d, of_minus_d = _gammas([where(_is_end(c), 1, c), safe_d, -safe_d])
    first, second, third, fourth = _reciprocal_gammas(
        [where(split, c - a, a + m), where(split, c - b, b + m), a, b]
    )
    linear = (
        of_d * first * second * value + ops.pow(s, safe_d) * of_minus_d * third * fourth * other
    )
    by_logarithm = finite * first * second - infinite * third * fourth
    return where(direct, value, of_c * where(apart, linear, by_logarithm))


def _with_logarithm(a: Array, b: Array, s: Array, m: Array) -> tuple[Array, Array]:
    """The sums for c = a + b + m, m = 0, 1, ..., of s = 1 - x: https://dlmf.nist.gov/15.8#E10."""
    some = where(m > 0, m, 1)

    def ratio(k: Array) -> Array:
        left = some - k - 1
        return where(left > 0, (a + k) * (b + k) / ((k + 1) * where(left > 0, left, 1)) * -s, 0)

    of_some, of_next = _gammas([some, m + 1])
    finite = where(m > 0, of_some * _total(ratio, s), 0)
    safe = where(s > 0, s, 1)
    one, next, at_a, at_b = unstack(ops.digamma(stack([filled(s, 1), m + 1, a + m, b + m])))
    bracket = ops.log(safe) - one - next + at_a + at_b
    accuracy = float(dtypes.finfo(s.dtype).eps) / 4

    def more(state: Any) -> Array:
        k, factor, bracket, total = state
        return (k < _TERMS) & any(ops.abs(factor * bracket) > accuracy * ops.abs(total))

    def step(state: Any) -> Any:
        k, factor, bracket, total = state
        x, y = a + m + k, b + m + k
        total = total + factor * bracket
        bracket = bracket - 1 / (k + 1) - 1 / (k + m + 1) + 1 / x + 1 / y
        return k + 1, factor * (x * y / ((k + 1) * (k + m + 1)) * s), bracket, total

    start = lax.full((), 0, s.dtype), 1 / of_next, bracket, filled(s, 0)
    total = lax.while_loop(more, step, start)[3]
    power = where(is_whole(m / 2), filled(s, 1), -1) * ops.pow(safe, m)
    return finite, power * total


def _hyp2f1_slope(ans: Array, a: Array, b: Array, c: Array, x: Array) -> Array:
    return a * b / c * _hyp2f1(a + 1, b + 1, c + 1, x)


@with_derivatives(_by(0, _gauss), _by(1, _gauss), _by(2, _gauss), _hyp2f1_slope)
def _hyp2f1(a: Array, b: Array, c: Array, x: Array) -> Array:
    ends = _is_end(a) | _is_end(b)
    last = ops.max(where(_is_end(a), a, -math.inf), where(_is_end(b), b, -math.inf))
    pole = _is_end(c) & ~(ends & (last >= c))
    inside = (x < 1) | ends
    value = _gauss(a, b, where(pole, 1, c), where(inside, x, 0))
    d = c - a - b
    of_d, of_c = _gammas([where(d > 0, d, 1), where(pole | _is_end(c), 1, c)])
    first, second = _reciprocal_gammas([c - a, c - b])
    at_1 = of_d * of_c * first * second
    value = where((x == 1) & ~ends, where(d > 0, at_1, math.inf), value)
    value = where((x > 1) & ~ends | pole, math.inf, value)
    value = where((x == 0) | (((a == 0) | (b == 0)) & (c != 0)), 1, value)
    return where((a != a) | (b != b) | (c != c) | (x != x), math.nan, value)
