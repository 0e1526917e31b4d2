"""The error function, its scaled complement, inverse and imaginary part; Fresnel's integrals."""

from __future__ import annotations

import functools
import math

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.numpy.promotion import filled, with_dtype
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import (
    at_least,
    at_most,
    inexacts,
    pointwise,
    polynomial,
    rational,
    with_derivatives,
)
from dovetail.scipy.special import coefficients as table
from dovetail.scipy.special.docstrings import FLOATS, INEXACT

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


@documented(FLOATS)
def erf(x: ArrayLike) -> Array:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    Source: https://dlmf.nist.gov/7.2#E1

    Example:
      >>> erf(0.5)
      Array(0.5204999, dtype=float32, weak_type=True)
    """
    return pointwise("erf", ops.erf, x)


@documented(FLOATS)
def erfc(x: ArrayLike) -> Array:
    """The complement of the error function, 1 - erf(x), without its cancellation.

    Source: https://dlmf.nist.gov/7.2#E2

    Example:
      >>> erfc(5.0)
      Array(1.5374598e-12, dtype=float32, weak_type=True)
    """
    return pointwise("erfc", ops.erfc, x)


@documented(FLOATS)
def erfinv(x: ArrayLike) -> Array:
    """The inverse of `erf`.

    Returns:
      An array of floats, NaN outside of [-1, 1].

    Source: https://dlmf.nist.gov/7.17#E1

    Example:
      >>> erfinv(0.5)
      Array(0.47693628, dtype=float32, weak_type=True)
    """
    return pointwise("erfinv", ops.erf_inv, x)


@documented(INEXACT)
def erfcx(x: ArrayLike) -> Array:
    """The scaled complement of the error function, exp(x^2) erfc(x).

    Source: https://dlmf.nist.gov/7.2#E3

    Example:
      >>> erfcx(10.0)
      Array(0.056141, dtype=float32, weak_type=True)
    """
    (at,) = inexacts("erfcx", x)
    if dtypes.KINDS[at.dtype] == "c":
        return _wofz(ops.complex(-ops.imag(at), ops.real(at)))
    return pointwise("erfcx", erfcx_of, at)


@with_derivatives(lambda ans, x: _slope_of_erfcx(x, ans))
def erfcx_of(x: Array) -> Array:
    """exp(x^2) erfc(x) of floats."""
    value = erfcx_of_size(ops.abs(x))
    return where(x < 0, 2 * exp_of_square(at_most(x, 0)) - value, value)


def erfcx_of_size(size: Array) -> Array:
    """exp(x^2) erfc(x) of floats that are not negative."""
    near = rational(table.ERFCX_TO_2, at_most(size, 2))
    far = at_least(size, 2)
    value = where(size < 2, near, rational(table.ERFCX_FROM_2, 1 / (far * far)) / far)
    return where(size == math.inf, 0, value)


def _slope_of_erfcx(x: Array, ans: Array) -> Array:
    """2 x erfcx(x) - 2 / sqrt(pi), which cancel for large x."""
    far = at_least(x, 2)
    t = 1 / (far * far)
    return where(x < 2, 2 * x * ans - TWO_OVER_SQRT_PI, -t * rational(table.ERFCX_SLOPE, t))


def exp_of_square(x: Array, factor: float = 1) -> Array:
    """exp(factor x^2), without the error caused by rounding x^2."""
    head, rest = halves(x)
    tame = ops.abs(x) < 1e3
    rest = where(tame, rest * (x + head), 0)
    return ops.exp(factor * (head * head)) * ops.exp(factor * rest)


def halves(x: Array) -> tuple[Array, Array]:
    """Two floats whose sum is `x` and whose products have no rounding errors."""
    single = x.dtype == dtypes.float32
    head = ops.reduce_precision(x, 8 if single else 11, 10 if single else 24)
    return head, x - head


def wofz(z: ArrayLike) -> Array:
    """The Faddeeva function, exp(-z^2) erfc(-i z).

    Args:
      z: an array; real numbers become complex.

    Returns:
      An array of complex numbers, by Weideman's method, Computation of the Complex Error Function,
      1994, and far from 0 by Laplace's continued fraction. https://dlmf.nist.gov/7.2#E3

    Example:
      >>> wofz(1j)
      Array(0.42758363+0.j, dtype=complex64, weak_type=True)
    """
    (at,) = inexacts("wofz", z)
    return _wofz(with_dtype(at, dtypes.to_complex_dtype(at.dtype), at.weak_type))


@with_derivatives(lambda ans, z: 1j * TWO_OVER_SQRT_PI - 2 * z * ans)
def _wofz(z: Array) -> Array:
    upper = ops.imag(z) >= 0
    value = _upper(where(upper, z, -z))
    return where(upper, value, 2 * ops.exp(-z * z) - value)


# Terms of Weideman's sum, as many as help in float64; of the continued fraction, from |z| = 8 on.
_TERMS = 48
_FRACTION = 10


@functools.cache
def _weideman() -> tuple[float, list[float]]:
    """The width L of the map and the coefficients of the sum, from the constant term on."""
    count = 2 * _TERMS
    width = math.sqrt(_TERMS / math.sqrt(2))
    theta = np.arange(-count + 1, count) * np.pi / count
    t = width * np.tan(theta / 2)
    samples = np.concatenate([[0], np.exp(-(t**2)) * (width**2 + t**2)])
    series = np.real(np.fft.fft(np.fft.fftshift(samples))) / (2 * count)
    return width, [float(c) for c in series[1 : _TERMS + 1]]


def _upper(z: Array) -> Array:
    """In the upper half plane."""
    width, series = _weideman()
    far = ops.abs(z) > 8
    near = where(far, 1j, z)
    below = width - 1j * near
    around = (width + 1j * near) / below
    inner = 2 * polynomial(series, around) / (below * below) + 1 / math.sqrt(math.pi) / below
    outer = where(far, z, 8j)
    tail = outer
    for k in range(_FRACTION, 0, -1):
        tail = outer - k / 2 / tail
    return where(far, 1j / math.sqrt(math.pi) / tail, inner)


@documented(FLOATS)
def dawsn(x: ArrayLike) -> Array:
    """Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x.

    Source: https://dlmf.nist.gov/7.2#E5

    Example:
      >>> dawsn(1.0)
      Array(0.5380795, dtype=float32, weak_type=True)
    """
    return pointwise("dawsn", _dawsn, x)


@with_derivatives(lambda ans, x: 1 - 2 * x * ans)
def _dawsn(x: Array) -> Array:
    size = ops.abs(x)
    near = at_most(size, 3)
    far = at_least(size, 3)
    t = 1 / (far * far)
    outer = rational(table.DAWSON_FROM_6, at_most(t, 1 / 36))
    middle = rational(table.DAWSON_TO_6, at_least(t - 1 / 36, 0))
    value = where(size < 6, middle, outer) / (2 * far)
    value = where(size < 3, near * rational(table.DAWSON_TO_3, near * near), value)
    return where(x < 0, -value, where(x == 0, x, value))


@documented(FLOATS)
def fresnel(x: ArrayLike) -> tuple[Array, Array]:
    """Fresnel's integrals S and C of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x.

    Returns:
      S and C, arrays of floats.

    Source: https://dlmf.nist.gov/7.2#iii

    Example:
      >>> fresnel(1.0)[0]
      Array(0.43825915, dtype=float32, weak_type=True)
    """
    return pointwise("fresnel", _fresnel, x)


@with_derivatives(lambda ans, x: _waves(x))
def _fresnel(x: Array) -> tuple[Array, Array]:
    size = ops.abs(x)
    near = at_most(size, 1.6)
    s = ops.integer_pow(near, 4)
    inner_s = near * near * near * rational(table.FRESNEL_S, s)
    inner_c = near * rational(table.FRESNEL_C, s)
    far = at_least(size, 1.6)
    inverse = 1 / (math.pi * far)
    t = ops.integer_pow(1 / far, 4)
    close, distant = at_least(t, 1 / 33), at_most(t, 1 / 33)
    split = t > 1 / 33
    f = where(split, rational(table.FRESNEL_F_NEAR, close), rational(table.FRESNEL_F, distant))
    g = where(split, rational(table.FRESNEL_G_NEAR, close), rational(table.FRESNEL_G, distant))
    f, g = f * inverse, g * inverse * (inverse / far)
    sine, cosine = _waves(where(far == math.inf, 0, far))
    outer_s = 0.5 - f * cosine - g * sine
    outer_c = 0.5 + f * sine - g * cosine
    parts = where(size < 1.6, inner_s, outer_s), where(size < 1.6, inner_c, outer_c)
    return tuple(where(x < 0, -part, where(x == 0, x, part)) for part in parts)  # type: ignore[return-value]


def _waves(x: Array) -> tuple[Array, Array]:
    """sin(pi x^2 / 2) and cos(pi x^2 / 2), exact in the period."""
    # Larger ones are even numbers.
    largest = 2.0**24 if x.dtype == dtypes.float32 else 2.0**53
    size = at_most(ops.abs(x), largest)
    head, rest = halves(size)
    four = filled(x, 4)
    # x^2 modulo 4: each product is exact.
    turns = ops.rem(head * head, four) + ops.rem(2 * head * rest, four) + rest * rest
    turns = turns - 4 * ops.round_even(turns / 4)
    turns = where(ops.abs(x) < math.inf, turns, x - x)
    angle = turns * (math.pi / 2)
    return ops.sin(angle), ops.cos(angle)
