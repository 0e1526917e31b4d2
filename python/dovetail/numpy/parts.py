"""Parts of numbers: real and imaginary, sign and magnitude, fraction and exponent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy.docstrings import FLOATS, PREDICATE, SAME
from dovetail.numpy.promotion import (
    broadcast,
    default_float,
    filled,
    no_out,
    pair_inexact,
    real_inexact,
    strong,
    with_dtype,
)
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to, check_kind


def real(val: ArrayLike, /) -> Array:
    """The real part.

    Args:
      val: an array or scalar.

    Returns:
      An array of real numbers.

    Example:
      >>> real(1 + 2j)
      Array(1., dtype=float32, weak_type=True)
    """
    array = as_operand("real", val)
    return ops.real(array) if dtypes.KINDS[array.dtype] == "c" else array


def imag(val: ArrayLike, /) -> Array:
    """The imaginary part, 0 for real numbers.

    Args:
      val: an array or scalar.

    Returns:
      An array of real numbers.

    Example:
      >>> imag(1 + 2j)
      Array(2., dtype=float32, weak_type=True)
    """
    array = as_operand("imag", val)
    return ops.imag(array) if dtypes.KINDS[array.dtype] == "c" else filled(array, 0)


@documented(SAME)
def conjugate(x: ArrayLike, /) -> Array:
    """The complex conjugate.

    Returns:
      An array like `x`.

    Example:
      >>> conjugate(1 + 2j)
      Array(1.-2.j, dtype=complex64, weak_type=True)
    """
    array = as_operand("conjugate", x)
    return ops.conj(array) if dtypes.KINDS[array.dtype] == "c" else array


conj = conjugate


@documented(FLOATS)
def angle(z: ArrayLike, deg: bool = False) -> Array:
    """The angle of complex numbers, in (-pi, pi], or in degrees.

    Args:
      z: an array or scalar.
      deg: whether to return degrees.

    Example:
      >>> angle(1j, deg=True)
      Array(90., dtype=float32, weak_type=True)
    """
    array = default_float("angle", z)
    if dtypes.KINDS[array.dtype] == "f":
        array = strong(array)
    result = ops.atan2(imag(array), real(array))
    return result * (180 / math.pi) if deg else result


@documented(FLOATS)
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The magnitude of x1 with the sign of x2, as floats.

    Example:
      >>> copysign(1.0, -0.0)
      Array(-1., dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("copysign", x1, x2)
    real_inexact("copysign", x)
    return ops.copysign(x, y)


@documented(PREDICATE)
def signbit(x: ArrayLike, /) -> Array:
    """Test whether the sign bit is set: for negative numbers, -0. and some NaNs.

    Args:
      x: an array of real numbers.

    Example:
      >>> signbit(-0.0)
      Array(True, dtype=bool)
    """
    array = check_kind("signbit", as_operand("signbit", x), "biuf")
    kind = dtypes.KINDS[array.dtype]
    if kind == "f":
        array = ops.bitcast(array, np.dtype(f"int{8 * array.dtype.itemsize}"))
    if kind in "bu":
        return filled(array != array, False)
    return ops.compare(array, filled(array, 0), "lt")


@documented(FLOATS)
def heaviside(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """0 where x1 < 0, x2 where x1 = 0, 1 where x1 > 0.

    Example:
      >>> heaviside(0.0, 0.5)
      Array(0.5, dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("heaviside", x1, x2)
    real_inexact("heaviside", x)
    return ops.heaviside(x, y)


@documented(FLOATS)
def nextafter(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The next float after x in the direction of y.

    Example:
      >>> nextafter(1, 2) > 1
      Array(True, dtype=bool)
    """
    return lax.nextafter(*pair_inexact("nextafter", x, y))


@documented(FLOATS)
def spacing(x: ArrayLike, /) -> Array:
    """The distance to the next float away from 0, with the sign of x; for float16, as in NumPy, to
    the next larger one.

    Example:
      >>> spacing(1)
      Array(1.1920929e-07, dtype=float32)
    """
    array = strong(real_inexact("spacing", x))
    towards = filled(array, math.inf)
    if array.dtype == dtypes.float16:
        return ops.sub(ops.nextafter(array, towards), array)
    distance = ops.sub(ops.nextafter(array, ops.copysign(towards, array)), array)
    # Processors may treat subnormal numbers as zeros.
    least = filled(array, float(dtypes.finfo(array.dtype).smallest_subnormal))
    is_zero = ops.compare(distance, filled(distance, 0), "eq")
    return ops.select(is_zero, ops.copysign(least, array), distance)


@documented(FLOATS)
def modf(x: ArrayLike, /, out: None = None) -> tuple[Array, Array]:
    """The fractional and the integral part, both with the sign of x.

    Args:
      out: must be None.

    Returns:
      The fractions and the whole parts, as floats.

    Example:
      >>> modf(3.5)
      (Array(0.5, dtype=float32, weak_type=True), Array(3., dtype=float32, weak_type=True))
    """
    no_out("modf", out)
    array = real_inexact("modf", x)
    return ops.fraction(array), ops.trunc(array)


@documented(FLOATS)
def ldexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 * 2**x2 for integer x2, as floats.

    Args:
      x1: an array of real numbers.
      x2: an array of integers.

    Raises:
      TypeError: `x2` is not of integers.

    Example:
      >>> ldexp(np.float32(1.5), 3)
      Array(12., dtype=float32)
    """
    x = strong(real_inexact("ldexp", x1))
    exponent = check_kind("ldexp", as_operand("ldexp", x2, 1), "biu")
    return ops.ldexp(*broadcast("ldexp", x, with_dtype(exponent, dtypes.int32)))


@documented(FLOATS)
def frexp(x: ArrayLike, /) -> tuple[Array, Array]:
    """A fraction in [0.5, 1) and an integer exponent with x = fraction * 2**exponent.

    Returns:
      The fractions, and the exponents as int32.

    Example:
      >>> frexp(np.float32(12))
      (Array(0.75, dtype=float32), Array(4, dtype=int32))
    """
    array = strong(real_inexact("frexp", x))
    exponent = ops.exponent(array)
    return ops.ldexp(array, ops.neg(exponent)), exponent


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Array:
    """NaN replaced by `nan`, and infinities by the largest finite numbers or the given values.

    Args:
      x: an array.
      copy: accepted.
      nan: the value that replaces NaN.
      posinf, neginf: the values that replace infinities; by default the largest and the smallest
        number.

    Returns:
      An array like `x`.

    Example:
      >>> nan_to_num(np.array([np.nan, 1.0], np.float32))
      Array([0., 1.], dtype=float32)
    """
    array = as_operand("nan_to_num", x)
    kind = dtypes.KINDS[array.dtype]
    if kind in "biu":
        return array
    array = strong(array)
    if kind == "c":
        parts = [
            nan_to_num(p, nan=nan, posinf=posinf, neginf=neginf)
            for p in (ops.real(array), ops.imag(array))
        ]
        return ops.complex(*parts)
    limits = dtypes.finfo(array.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    result = _replaced(ops.compare(array, array, "ne"), nan, array)
    result = _replaced(array == math.inf, high, result)
    return _replaced(array == -math.inf, low, result)


def _replaced(condition: Array, value: Any, otherwise: Array) -> Array:
    """`value`, a scalar or an array of lower rank, where `condition` holds."""
    value = broadcast_to(with_dtype(value, otherwise.dtype), otherwise.shape)
    return value if 0 in otherwise.shape else ops.select(condition, value, otherwise)
