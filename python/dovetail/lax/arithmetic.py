"""Arithmetic, rounding and parts of complex numbers, of operands of one type."""

from __future__ import annotations

import enum
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error
from dovetail.lax.docstrings import BINARY, BOOLS_OR_NUMBERS, FLOATS, INEXACT, NUMBERS, REAL, UNARY
from dovetail.lax.lexicographic import first_in_order
from dovetail.ops.operands import ArrayLike, as_operand, same, unary
from dovetail.tracing.composed import composed


class RoundingMethod(enum.IntEnum):
    """The direction in which `round` moves a number halfway between two integers.

    Example:
      >>> round(2.5, RoundingMethod.TO_NEAREST_EVEN)
      Array(2., dtype=float32, weak_type=True)
    """

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


@documented(BINARY, BOOLS_OR_NUMBERS)
def add(x: ArrayLike, y: ArrayLike) -> Array:
    """x + y; for bools, x or y.

    Example:
      >>> add(1, 2)
      Array(3, dtype=int32, weak_type=True)
    """
    return ops.add(*same("add", (x, y), "biufc"))


@documented(BINARY, NUMBERS)
def sub(x: ArrayLike, y: ArrayLike) -> Array:
    """x - y of numbers.

    Example:
      >>> sub(1, 2)
      Array(-1, dtype=int32, weak_type=True)
    """
    return ops.sub(*same("sub", (x, y), "iufc"))


@documented(BINARY, BOOLS_OR_NUMBERS)
def mul(x: ArrayLike, y: ArrayLike, *, out_dtype: Any = None) -> Array:
    """x * y; for bools, x and y.

    Args:
      out_dtype: the element type to multiply in, to which operands of any type are converted.

    Example:
      >>> mul(3, 2)
      Array(6, dtype=int32, weak_type=True)
    """
    if out_dtype is not None:
        wanted = dtypes.requested(out_dtype, "mul")
        x, y = (ops.convert(as_operand("mul", v, i), wanted) for i, v in enumerate((x, y)))
    return ops.mul(*same("mul", (x, y), "biufc"))


@documented(BINARY, NUMBERS)
def div(x: ArrayLike, y: ArrayLike) -> Array:
    """x / y of numbers; integer division truncates, and by zero it returns -1, or the largest
    unsigned integer.

    Example:
      >>> div(-7, 2)
      Array(-3, dtype=int32, weak_type=True)
    """
    return ops.div(*same("div", (x, y), "iufc"))


@documented(BINARY, REAL)
def rem(x: ArrayLike, y: ArrayLike) -> Array:
    """The remainder of truncating division of real numbers; it has the sign of x.

    Example:
      >>> rem(-7, 2)
      Array(-1, dtype=int32, weak_type=True)
    """
    return ops.rem(*same("rem", (x, y), "iuf"))


@documented(BINARY, BOOLS_OR_NUMBERS)
def max(x: ArrayLike, y: ArrayLike) -> Array:
    """The larger of x and y; NaN if either is NaN; complex numbers in lexicographic order.

    Example:
      >>> max(1, 2)
      Array(2, dtype=int32, weak_type=True)
    """
    a, b = same("max", (x, y), "biufc")
    return first_in_order(a, b, "gt") if dtypes.KINDS[a.dtype] == "c" else ops.max(a, b)


@documented(BINARY, BOOLS_OR_NUMBERS)
def min(x: ArrayLike, y: ArrayLike) -> Array:
    """The smaller of x and y; NaN if either is NaN; complex numbers in lexicographic order.

    Example:
      >>> min(1, 2)
      Array(1, dtype=int32, weak_type=True)
    """
    a, b = same("min", (x, y), "biufc")
    return first_in_order(a, b, "lt") if dtypes.KINDS[a.dtype] == "c" else ops.min(a, b)


@documented(BINARY, FLOATS)
def nextafter(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The next float after x1 in the direction of x2.

    Example:
      >>> nextafter(1.0, 2.0) > 1.0
      Array(True, dtype=bool)
    """
    return ops.nextafter(*same("nextafter", (x1, x2), "f"))


@documented(NUMBERS)
def abs(x: ArrayLike) -> Array:
    """The absolute value of numbers; for complex ones the modulus, a real array.

    Returns:
      An array like the operand; floats for complex numbers.

    Example:
      >>> abs(-2)
      Array(2, dtype=int32, weak_type=True)
    """
    array = unary("abs", x, "iufc")
    return array if dtypes.KINDS[array.dtype] == "u" else ops.abs(array)


@documented(UNARY, NUMBERS)
def sign(x: ArrayLike) -> Array:
    """-1, 0 or 1 for real numbers, z / |z| for complex ones; NaN and -0. stay.

    Example:
      >>> sign(-3.0)
      Array(-1., dtype=float32, weak_type=True)
    """
    return ops.sign(unary("sign", x, "iufc"))


@documented(UNARY, NUMBERS)
def neg(x: ArrayLike) -> Array:
    """-x of numbers.

    Example:
      >>> neg(1)
      Array(-1, dtype=int32, weak_type=True)
    """
    return ops.neg(unary("neg", x, "iufc"))


@documented(UNARY, NUMBERS)
def square(x: ArrayLike) -> Array:
    """x * x of numbers.

    Example:
      >>> square(3)
      Array(9, dtype=int32, weak_type=True)
    """
    return _square(unary("square", x, "iufc"))


@composed("square")
def _square(x: Array) -> Array:
    return ops.integer_pow(x, 2)


@documented(UNARY, INEXACT)
def reciprocal(x: ArrayLike) -> Array:
    """1 / x of a float or complex array.

    Example:
      >>> reciprocal(4.0)
      Array(0.25, dtype=float32, weak_type=True)
    """
    return ops.integer_pow(unary("reciprocal", x, "fc"), -1)


@documented(UNARY, FLOATS)
def floor(x: ArrayLike) -> Array:
    """The largest integer not above each float.

    Example:
      >>> floor(-1.5)
      Array(-2., dtype=float32, weak_type=True)
    """
    return ops.floor(unary("floor", x, "f"))


@documented(UNARY, FLOATS)
def ceil(x: ArrayLike) -> Array:
    """The smallest integer not below each float.

    Example:
      >>> ceil(-1.5)
      Array(-1., dtype=float32, weak_type=True)
    """
    return ops.ceil(unary("ceil", x, "f"))


def round(x: ArrayLike, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Array:
    """The nearest integer to each float; `rounding_method` decides ties.

    Args:
      x: an array or scalar of floats.
      rounding_method: a `RoundingMethod`.

    Returns:
      An array of the shape and the element type of `x`.

    Raises:
      TypeError: the elements are not floats.
      ValueError: there is no such method.

    Example:
      >>> round(2.5)
      Array(3., dtype=float32, weak_type=True)
    """
    array = unary("round", x, "f")
    if RoundingMethod(rounding_method) is RoundingMethod.AWAY_FROM_ZERO:
        return ops.round_away(array)
    return ops.round_even(array)


# Complex parts ------------------------------------------------------------------------------------


def real(x: ArrayLike) -> Array:
    """The real part of a complex array.

    Args:
      x: an array of complex numbers.

    Returns:
      An array of floats.

    Example:
      >>> real(1 + 2j)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.real(unary("real", x, "c"))


def imag(x: ArrayLike) -> Array:
    """The imaginary part of a complex array.

    Args:
      x: an array of complex numbers.

    Returns:
      An array of floats.

    Example:
      >>> imag(1 + 2j)
      Array(2., dtype=float32, weak_type=True)
    """
    return ops.imag(unary("imag", x, "c"))


@documented(UNARY, INEXACT)
def conj(x: ArrayLike) -> Array:
    """The conjugate of a complex array; a float array becomes complex.

    Example:
      >>> conj(1 + 2j)
      Array(1.-2.j, dtype=complex64, weak_type=True)
    """
    array = unary("conj", x, "fc")
    if dtypes.KINDS[array.dtype] == "f":
        return ops.convert(array, dtypes.to_complex_dtype(array.dtype), array.weak_type)
    return ops.conj(array)


def complex(x: ArrayLike, y: ArrayLike) -> Array:
    """x + iy of float32 or float64 arrays.

    Args:
      x, y: arrays of float32 or float64, of one type and shape: real and imaginary parts.

    Returns:
      An array of complex numbers.

    Raises:
      TypeError: the element types differ, or are not float32 or float64.

    Example:
      >>> complex(1.0, 2.0)
      Array(1.+2.j, dtype=complex64, weak_type=True)
    """
    parts = same("complex", (x, y), "f")
    if parts[0].dtype not in (dtypes.float32, dtypes.float64):
        raise type_error(
            f"complex: the element type must be float32 or float64, got: {parts[0].dtype.name}; "
            "convert it with x.astype(...)"
        )
    return ops.complex(*parts)
