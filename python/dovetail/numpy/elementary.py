"""Exponentials, logarithms, powers and trigonometry, element by element.

Integers and bools are computed as floats.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from dovetail import dtypes, ops
from dovetail.array import Array
from dovetail.errors import type_error
from dovetail.lax.operands import ArrayLike
from dovetail.numpy.promotion import (
    filled,
    inexact,
    numbers,
    pair_inexact,
    pair_numbers,
    real_inexact,
    strong,
)
from dovetail.tracer import Tracer

# Exponentials and logarithms ----------------------------------------------------------------------


def exp(x: ArrayLike, /) -> Array:
    """e to the power of each element.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> exp(0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.exp(inexact("exp", x))


def exp2(x: ArrayLike, /) -> Array:
    """2 to the power of each element.

    >>> exp2(3)
    Array(8., dtype=float32, weak_type=True)
    """
    return ops.exp2(inexact("exp2", x))


def expm1(x: ArrayLike, /) -> Array:
    """exp(x) - 1, accurate near zero.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> expm1(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.expm1(inexact("expm1", x))


def log(x: ArrayLike, /) -> Array:
    """The natural logarithm.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> log(1)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.log(inexact("log", x))


def log1p(x: ArrayLike, /) -> Array:
    """log(1 + x), accurate near zero.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> log1p(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.log1p(inexact("log1p", x))


def log2(x: ArrayLike, /) -> Array:
    """The logarithm to base 2.

    >>> log2(8)
    Array(3., dtype=float32)
    """
    return ops.log(strong(inexact("log2", x))) / math.log(2)


def log10(x: ArrayLike, /) -> Array:
    """The logarithm to base 10.

    >>> log10(100)
    Array(2., dtype=float32)
    """
    return ops.log(strong(inexact("log10", x))) / math.log(10)


def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """log(exp(x1) + exp(x2)) without overflow.

    >>> logaddexp(0.0, -np.inf)
    Array(0., dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("logaddexp", x1, x2)
    if dtypes.KINDS[x.dtype] == "c":
        return _complex_logaddexp(x, y)
    delta, both_infinite = _difference(x, y)
    result = ops.max(x, y) + ops.log1p(ops.exp(ops.neg(ops.abs(delta))))
    return ops.select(both_infinite, ops.add(x, y), result)


def logaddexp2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """log2(2**x1 + 2**x2) without overflow.

    >>> logaddexp2(1.0, 1.0)
    Array(2., dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("logaddexp2", x1, x2)
    if dtypes.KINDS[x.dtype] == "c":
        return _complex_logaddexp(x * math.log(2), y * math.log(2)) / math.log(2)
    delta, both_infinite = _difference(x, y)
    result = ops.max(x, y) + ops.log1p(ops.exp2(ops.neg(ops.abs(delta)))) / math.log(2)
    return ops.select(both_infinite, ops.add(x, y), result)


def _difference(x: Array, y: Array) -> tuple[Array, Array]:
    """x - y, and where it is NaN; there it is replaced by 0, so that derivatives stay free of
    NaN.
    """
    delta = ops.sub(x, y)
    undefined = ops.compare(delta, delta, "ne")
    return ops.select(undefined, filled(delta, 0), delta), undefined


def _complex_logaddexp(x: Array, y: Array) -> Array:
    first = ops.compare(ops.real(x), ops.real(y), "gt")
    high, low = ops.select(first, x, y), ops.select(first, y, x)
    delta, undefined = _difference(low, high)
    result = ops.add(high, ops.log1p(ops.exp(delta)))
    result = ops.select(undefined, ops.add(x, y), result)
    angle = ops.imag(result)
    wrapped = ops.round_even(angle / (2 * math.pi)) * (2 * math.pi)
    return ops.complex(ops.real(result), ops.sub(angle, wrapped))


# Powers -------------------------------------------------------------------------------------------


def power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 to the power x2; a known integer x2 is multiplied out, and must not be negative for
    integer x1.

    Of integers, the result for a negative x2 that is not known is the integer part of 1 / x1**-x2.

    Args:
      x1, x2: arrays or scalars, which are promoted and broadcast.

    Returns:
      An array of the promoted type.

    Raises:
      TypeError: an integer is raised to a negative Python integer.

    Example:
      >>> power(2, 3)
      Array(8, dtype=int32, weak_type=True)
    """
    exponent = _known_integer(x2)
    if exponent is not None:
        x = numbers("power", x1)
        if exponent < 0 and dtypes.KINDS[x.dtype] in "iu":
            raise type_error(
                f"power: an integer array needs an exponent of 0 or more, got {exponent}; convert "
                "it to float first"
            )
        return ops.integer_pow(x, exponent)
    return ops.pow(*pair_numbers("power", x1, x2))


pow = power


def _known_integer(x: Any) -> int | None:
    """The value of a rank-0 integer that is known while tracing, else None."""
    if isinstance(x, int):
        return None if isinstance(x, bool) else x
    # A recorded one says that it has no value to give.
    known = isinstance(x, (np.integer, np.ndarray, Array)) and type(x) is not Tracer
    if known and x.ndim == 0 and dtypes.KINDS.get(x.dtype) in ("i", "u"):
        return operator.index(x)
    return None


def float_power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 to the power x2, computed in floats.

    >>> float_power(2, -1)
    Array(0.5, dtype=float32, weak_type=True)
    """
    return ops.pow(*pair_inexact("float_power", x1, x2))


def sqrt(x: ArrayLike, /) -> Array:
    """The square root.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> sqrt(4)
      Array(2., dtype=float32, weak_type=True)
    """
    return ops.sqrt(inexact("sqrt", x))


def cbrt(x: ArrayLike, /) -> Array:
    """The cube root of real numbers.

    >>> cbrt(27)
    Array(3., dtype=float32, weak_type=True)
    """
    return ops.cbrt(real_inexact("cbrt", x))


def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """sqrt(x1**2 + x2**2) of real numbers, without overflow.

    >>> hypot(3, 4)
    Array(5., dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("hypot", x1, x2)
    x, y = ops.abs(real_inexact("hypot", x)), ops.abs(y)
    high, low = ops.max(x, y), ops.min(x, y)
    # Neither 0 / 0 nor inf / inf, in values or in derivatives.
    degenerate = ops.or_(high == 0, high == math.inf)
    ratio = ops.div(low, ops.select(degenerate, filled(high, 1), high))
    result = ops.mul(high, ops.sqrt(ops.integer_pow(ratio, 2) + 1))
    infinite = ops.or_(x == math.inf, y == math.inf)
    return ops.select(infinite, filled(high, math.inf), ops.select(high == 0, high, result))


# Trigonometry -------------------------------------------------------------------------------------


def sin(x: ArrayLike, /) -> Array:
    """The sine.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> sin(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.sin(inexact("sin", x))


def cos(x: ArrayLike, /) -> Array:
    """The cosine.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> cos(0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.cos(inexact("cos", x))


def tan(x: ArrayLike, /) -> Array:
    """The tangent.

    >>> tan(0)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.tan(inexact("tan", x))


def arcsin(x: ArrayLike, /) -> Array:
    """The inverse sine, in [-pi / 2, pi / 2].

    >>> arcsin(0)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.asin(inexact("arcsin", x))


def arccos(x: ArrayLike, /) -> Array:
    """The inverse cosine, in [0, pi].

    >>> arccos(1)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.acos(inexact("arccos", x))


def arctan(x: ArrayLike, /) -> Array:
    """The inverse tangent, in [-pi / 2, pi / 2].

    >>> arctan(0)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.atan(inexact("arctan", x))


def arctan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The angle of the point (x2, x1), in (-pi, pi]; for complex numbers its analytic continuation.

    >>> arctan2(0, 1)
    Array(0., dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("arctan2", x1, x2)
    if dtypes.KINDS[x.dtype] != "c":
        return ops.atan2(x, y)
    modulus = ops.sqrt(ops.add(ops.integer_pow(x, 2), ops.integer_pow(y, 2)))
    return ops.log((y + x * 1j) / modulus) * -1j


def sinh(x: ArrayLike, /) -> Array:
    """The hyperbolic sine.

    >>> sinh(0)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.sinh(inexact("sinh", x))


def cosh(x: ArrayLike, /) -> Array:
    """The hyperbolic cosine.

    >>> cosh(0)
    Array(1., dtype=float32, weak_type=True)
    """
    return ops.cosh(inexact("cosh", x))


def tanh(x: ArrayLike, /) -> Array:
    """The hyperbolic tangent.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> tanh(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.tanh(inexact("tanh", x))


def arcsinh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic sine.

    >>> arcsinh(0)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.asinh(inexact("arcsinh", x))


def arccosh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic cosine.

    >>> arccosh(1)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.acosh(inexact("arccosh", x))


def arctanh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic tangent.

    >>> arctanh(0)
    Array(0., dtype=float32, weak_type=True)
    """
    return ops.atanh(inexact("arctanh", x))


acos, acosh, asin, asinh = arccos, arccosh, arcsin, arcsinh
atan, atan2, atanh = arctan, arctan2, arctanh


def sinc(x: ArrayLike, /) -> Array:
    """sin(pi x) / (pi x), and 1 at 0.

    >>> sinc(0)
    Array(1., dtype=float32, weak_type=True)
    """
    z = inexact("sinc", x) * math.pi
    # Near 0 the Taylor series: it has the right derivatives too. At 0.05 the next term is below
    # 1e-16.
    small = ops.abs(z) < 0.05
    square = ops.integer_pow(z, 2)
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42))
    safe = ops.select(small, filled(z, 1), z)
    return ops.select(small, series, ops.div(ops.sin(safe), safe))


def deg2rad(x: ArrayLike, /) -> Array:
    """Degrees in radians.

    >>> deg2rad(180)
    Array(3.1415927, dtype=float32, weak_type=True)
    """
    return inexact("deg2rad", x) * (math.pi / 180)


def rad2deg(x: ArrayLike, /) -> Array:
    """Radians in degrees.

    >>> rad2deg(np.pi)
    Array(180., dtype=float32, weak_type=True)
    """
    return inexact("rad2deg", x) * (180 / math.pi)


radians, degrees = deg2rad, rad2deg
