"""Sums, products, quotients and signs, element by element."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from dovetail import dtypes, lax, ops
from dovetail.array import Array
from dovetail.lax.operands import ArrayLike, as_operand, check_kind, unary
from dovetail.numpy.promotion import (
    filled,
    inexact,
    numbers,
    pair,
    pair_inexact,
    pair_numbers,
    real_inexact,
)
from dovetail.tracer import apply_known, current


def add(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x + y; for bools, x or y.

    Args:
      x, y: arrays or scalars, which are promoted and broadcast.

    Returns:
      An array of the promoted type.

    Example:
      >>> add(1, 2.5)
      Array(3.5, dtype=float32, weak_type=True)
    """
    return ops.add(*pair("add", x, y))


def subtract(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x - y, not for bools.

    Args:
      x, y: arrays or scalars of numbers, which are promoted and broadcast.

    Returns:
      An array of the promoted type.

    Raises:
      TypeError: both operands are bools.

    Example:
      >>> subtract(1, 2)
      Array(-1, dtype=int32, weak_type=True)
    """
    a, b = pair("subtract", x, y)
    return ops.sub(check_kind("subtract", a, "iufc"), b)


def multiply(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x * y; for bools, x and y.

    Args:
      x, y: arrays or scalars, which are promoted and broadcast.

    Returns:
      An array of the promoted type.

    Example:
      >>> multiply(2, 3)
      Array(6, dtype=int32, weak_type=True)
    """
    return ops.mul(*pair("multiply", x, y))


def true_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 / x2 in floats.

    Args:
      x1, x2: arrays or scalars, which are promoted and broadcast; integers and bools become
        floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> true_divide(1, 2)
      Array(0.5, dtype=float32, weak_type=True)
    """
    return ops.div(*pair_inexact("true_divide", x1, x2))


divide = true_divide


def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The greatest integer not above x1 / x2, in the type of the operands.

    Args:
      x1, x2: arrays or scalars of real numbers, which are promoted and broadcast.

    Returns:
      An array of the promoted type; int32 for bools.

    Raises:
      TypeError: the operands are complex.

    Example:
      >>> floor_divide(-7, 2)
      Array(-4, dtype=int32, weak_type=True)
    """
    x, y = _pair_reals("floor_divide", x1, x2)
    kind = dtypes.KINDS[x.dtype]
    if kind == "u":
        return ops.div(x, y)
    if kind == "i":
        return _of_integers(np.floor_divide, _floor_quotient, x, y)
    return _float_divmod(x, y)[0]


def _pair_reals(name: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array]:
    x, y = pair_numbers(name, x1, x2)
    return check_kind(name, x, "iuf"), y


def _floor_quotient(x: Array, y: Array) -> Array:
    quotient = ops.div(x, y)
    inexact_and_negative = ops.and_(
        ops.compare(ops.sign(x), ops.sign(y), "ne"),
        ops.compare(ops.rem(x, y), filled(x, 0), "ne"),
    )
    return ops.select(inexact_and_negative, ops.sub(quotient, filled(x, 1)), quotient)


def _of_integers(
    ufunc: np.ufunc, general: Callable[[Array, Array], Array], x: Array, y: Array
) -> Array:
    """`general` of integers; of known ones NumPy's function, which differs in divisions by 0."""
    if current() is not None:
        return general(x, y)
    way = functools.partial(_unless_by_zero, ufunc, general)
    return apply_known(way, x, y, weak_type=x.weak_type)


def _unless_by_zero(
    ufunc: np.ufunc, general: Callable[[Array, Array], Array], x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    if x.dtype.isbuiltin == 1 and np.count_nonzero(y) == y.size:
        return ufunc(x, y)
    return general(Array(x), Array(y))._value()


def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 - floor(x1 / x2) * x2, which has the sign of x2; 0 or NaN where x2 is 0.

    Args:
      x1, x2: arrays or scalars of real numbers, which are promoted and broadcast.

    Returns:
      An array of the promoted type; int32 for bools.

    Raises:
      TypeError: the operands are complex.

    Example:
      >>> remainder(-7, 2)
      Array(1, dtype=int32, weak_type=True)
    """
    x, y = _pair_reals("remainder", x1, x2)
    if dtypes.KINDS[x.dtype] in "iu":
        return _of_integers(np.remainder, _floor_remainder, x, y)
    return _floor_remainder(x, y)


def _floor_remainder(x: Array, y: Array) -> Array:
    zero = filled(x, 0)
    y = _without_zeros(y)
    rest = ops.rem(x, y)
    if dtypes.KINDS[x.dtype] == "u":
        return rest
    other_sign = ops.compare(ops.compare(rest, zero, "lt"), ops.compare(y, zero, "lt"), "ne")
    return ops.select(ops.and_(other_sign, ops.compare(rest, zero, "ne")), ops.add(rest, y), rest)


mod = remainder


def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The remainder of truncating division, which has the sign of x1; 0 or NaN where x2 is 0.

    Args:
      x1, x2: arrays or scalars of real numbers, which are promoted and broadcast.

    Returns:
      An array of the promoted type; int32 for bools.

    Raises:
      TypeError: the operands are complex.

    Example:
      >>> fmod(-7, 2)
      Array(-1, dtype=int32, weak_type=True)
    """
    x, y = _pair_reals("fmod", x1, x2)
    return ops.rem(x, _without_zeros(y))


def _without_zeros(y: Array) -> Array:
    """Divisors, of which integers that are 0 become 1, by which all divide without rest."""
    if dtypes.KINDS[y.dtype] not in "iu":
        return y
    return ops.select(ops.compare(y, filled(y, 0), "eq"), filled(y, 1), y)


def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """`floor_divide` and `remainder` at once.

    Args:
      x1, x2: arrays or scalars of real numbers, which are promoted and broadcast.

    Returns:
      Two arrays of the promoted type; int32 for bools.

    Raises:
      TypeError: the operands are complex.

    Example:
      >>> divmod(-7, 2)
      (Array(-4, dtype=int32, weak_type=True), Array(1, dtype=int32, weak_type=True))
    """
    x, y = _pair_reals("divmod", x1, x2)
    if dtypes.KINDS[x.dtype] == "f":
        return _float_divmod(x, y)
    return floor_divide(x, y), remainder(x, y)


def _float_divmod(x: Array, y: Array) -> tuple[Array, Array]:
    """The quotient comes from the exact remainder: floor(x / y) alone is one too large when x / y
    rounds up.
    """
    zero = filled(x, 0)
    rest = ops.rem(x, y)
    quotient = ops.div(ops.sub(x, rest), y)
    negative = ops.and_(
        ops.compare(ops.sign(y), ops.sign(rest), "ne"), ops.compare(rest, zero, "ne")
    )
    quotient = ops.round_even(ops.select(negative, ops.sub(quotient, filled(x, 1)), quotient))
    # Infinite and undefined quotients keep the value of the division.
    quotient = ops.select(ops.compare(y, zero, "eq"), ops.div(x, y), quotient)
    return quotient, ops.select(negative, ops.add(rest, y), rest)


def reciprocal(x: ArrayLike, /) -> Array:
    """1 / x in floats.

    Args:
      x: an array or scalar; integers and bools become floats.

    Returns:
      An array of floats or complex numbers.

    Example:
      >>> reciprocal(4)
      Array(0.25, dtype=float32, weak_type=True)
    """
    return ops.integer_pow(inexact("reciprocal", x), -1)


def square(x: ArrayLike, /) -> Array:
    """x * x.

    Args:
      x: an array or scalar; bools become int32.

    Returns:
      An array of the operand's type and shape.

    Example:
      >>> square(3)
      Array(9, dtype=int32, weak_type=True)
    """
    return ops.integer_pow(numbers("square", x), 2)


def negative(x: ArrayLike, /) -> Array:
    """-x, not for bools.

    Args:
      x: an array or scalar of numbers.

    Returns:
      An array of the operand's type and shape.

    Raises:
      TypeError: the operand is of bools.

    Example:
      >>> negative(1)
      Array(-1, dtype=int32, weak_type=True)
    """
    return ops.neg(unary("negative", x, "iufc"))


def positive(x: ArrayLike, /) -> Array:
    """x as an array.

    Args:
      x: an array or scalar.

    Returns:
      An array of the operand's type and shape.

    Example:
      >>> positive(1)
      Array(1, dtype=int32, weak_type=True)
    """
    return as_operand("positive", x)


def absolute(x: ArrayLike, /) -> Array:
    """The absolute value; of complex numbers the modulus.

    Args:
      x: an array or scalar.

    Returns:
      An array of the operand's type; of floats for complex numbers.

    Example:
      >>> absolute(-2)
      Array(2, dtype=int32, weak_type=True)
    """
    array = as_operand("absolute", x)
    return array if dtypes.KINDS[array.dtype] in "bu" else ops.abs(array)


abs = absolute


def fabs(x: ArrayLike, /) -> Array:
    """The absolute value of real numbers, as floats.

    Args:
      x: an array or scalar of real numbers; integers and bools become floats.

    Returns:
      An array of floats.

    Raises:
      TypeError: the operand is complex.

    Example:
      >>> fabs(-3)
      Array(3., dtype=float32, weak_type=True)
    """
    return ops.abs(real_inexact("fabs", x))


def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 for real numbers, z / |z| for complex ones.

    Args:
      x: an array or scalar of numbers.

    Returns:
      An array of the operand's type and shape.

    Raises:
      TypeError: the operand is of bools.

    Example:
      >>> sign(-3)
      Array(-1, dtype=int32, weak_type=True)
    """
    return lax.sign(as_operand("sign", x))
