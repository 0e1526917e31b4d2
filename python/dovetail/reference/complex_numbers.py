"""Functions of complex128 as compiled code has them, where NumPy's differ.

Infinities, NaN and signed zeros are those of C99's Annex G, and of functions that it does not list
those that follow from the ones it does. What is finite is left to NumPy and SciPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def of_parts(real: Any, imag: Any) -> Array:
    """Complex numbers from their parts. A sum with 1j would turn infinities to NaN."""
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), np.complex128)
    result.real, result.imag = real, imag
    return result


def _is_finite(x: Array) -> bool:
    return bool(np.isfinite(x).all())


def _is_infinite(z: Array) -> Array:
    return np.isinf(z.real) | np.isinf(z.imag)


def _boxed(z: Array) -> Array:
    """The direction of an infinite number."""
    parts = (np.copysign(np.where(np.isinf(part), 1.0, 0.0), part) for part in (z.real, z.imag))
    return of_parts(*parts)


def _scaled(z: Array, factor: Any) -> Array:
    return of_parts(z.real * factor, z.imag * factor)


def divide(x: Array, y: Array) -> Array:
    """An infinite number by a finite one is infinite, a finite one by an infinite one 0."""
    quotient = np.divide(x, y)
    if _is_finite(quotient):
        return quotient
    x_infinite, y_infinite = _is_infinite(x), _is_infinite(y)
    n: Array = np.where(x_infinite, _boxed(x), x)
    d: Array = np.where(y_infinite, _boxed(y), y)
    numerator = of_parts(
        n.real * d.real + n.imag * d.imag,
        n.imag * d.real - n.real * d.imag,
    )
    both = x_infinite & y_infinite
    limit = _scaled(numerator, np.where(both, np.nan, np.where(x_infinite, np.inf, 0.0)))
    quotient = np.where(x_infinite | y_infinite, limit, quotient)
    return np.where(y == 0, _scaled(n, np.copysign(np.inf, y.real)), quotient)


def sign(z: Array) -> Array:
    """z / |z|, part by part; zeros are kept."""
    largest = np.maximum(abs(z.real), abs(z.imag))
    exponent = np.where(np.isfinite(largest), -np.frexp(largest)[1], 0)
    near = of_parts(np.ldexp(z.real, exponent), np.ldexp(z.imag, exponent))
    size = np.where(z == 0, 1.0, np.hypot(near.real, near.imag))
    return of_parts(near.real / size, near.imag / size)


def rsqrt(z: Array) -> Array:
    """1 / sqrt(z)."""
    root = divide(np.ones_like(z), np.sqrt(z))
    infinite = _is_infinite(z)
    vanishing = of_parts(np.zeros(z.shape), np.copysign(0.0, -z.imag))
    return np.where(infinite, vanishing, root) if infinite.any() else root


def exp2(z: Array) -> Array:
    """2**z."""
    angle, power = z.imag * np.log(2), np.exp2(z.real)
    near = of_parts(power * np.cos(angle), power * np.sin(angle))
    if _is_finite(near):
        return near
    return np.where(np.isfinite(near), near, np.exp(of_parts(z.real * np.log(2), angle)))


# From here on, exp(x) - 1 is exp(x) or -1.
_FAR = 50


def expm1(z: Array, near: Array) -> Array:
    """exp(z) - 1, where `near` is its value for moderate z."""
    far = abs(z.real) > _FAR
    if not far.any():
        return near
    power: Array = np.exp(z)
    return np.where(far, of_parts(power.real - 1, power.imag), near)


def log1p(z: Array, near: Array) -> Array:
    """log(1 + z), where `near` has its real part for finite z."""
    real = np.where(_is_infinite(z), np.inf, near.real)
    return of_parts(real, np.arctan2(z.imag, 1 + z.real))


def logistic(z: Array) -> Array:
    """1 / (1 + exp(-z)), which is (1 + tanh(z / 2)) / 2."""
    # Exponentials of numbers without positive real part cannot overflow.
    negative = z.real < 0
    small = np.exp(np.where(negative, z, -z))
    value = np.where(negative, small, 1.0) / (1.0 + small)
    infinite = np.isinf(z.real)
    if not infinite.any():
        return value
    return np.where(infinite, of_parts(np.where(negative, 0.0, 1.0), np.zeros(z.shape)), value)


def power(x: Array, y: Array) -> Array:
    """exp(y log(x)); 1 for y = 0."""
    value = np.power(x, y)
    if _is_finite(value) and _is_finite(x) and _is_finite(y):
        return value
    known = np.isfinite(value) & np.isfinite(x) & np.isfinite(y) | (y == 0)
    return np.where(known, value, np.exp(np.multiply(y, np.log(x))))
