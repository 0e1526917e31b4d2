"""Sums, products, quotients and signs, element by element."""

from __future__ import annotations

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy.docstrings import DIVISION, FLOATS, INEXACT, PROMOTED, REAL, SAME
from dovetail.numpy.promotion import (
    filled,
    inexact,
    numbers,
    only_values,
    pair,
    pair_inexact,
    pair_numbers,
    real_inexact,
)
from dovetail.ops.operands import ArrayLike, as_operand, check_kind, unary
from dovetail.reference.arithmetic import floor_div_rem
from dovetail.reference.checks import unwanted
from dovetail.tracing.bind import apply_all_known, is_for_host


@documented(PROMOTED)
def add(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """x + y; for bools, x or y.

    Example:
      >>> add(1, 2.5)
      Array(3.5, dtype=float32, weak_type=True)
    """
    only_values("add", out, where)
    return ops.add(*pair("add", x, y))


@documented(PROMOTED)
def subtract(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """x - y, not for bools.

    Args:
      x, y: arrays or scalars of numbers, which are promoted and broadcast.
      out, where: must be None.

    Raises:
      TypeError: both operands are bools.

    Example:
      >>> subtract(1, 2)
      Array(-1, dtype=int32, weak_type=True)
    """
    only_values("subtract", out, where)
    a, b = pair("subtract", x, y)
    return ops.sub(check_kind("subtract", a, "iufc"), b)


@documented(PROMOTED)
def multiply(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """x * y; for bools, x and y.

    Example:
      >>> multiply(2, 3)
      Array(6, dtype=int32, weak_type=True)
    """
    only_values("multiply", out, where)
    return ops.mul(*pair("multiply", x, y))


@documented(INEXACT)
def true_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 / x2 in floats.

    Example:
      >>> true_divide(1, 2)
      Array(0.5, dtype=float32, weak_type=True)
    """
    return ops.div(*pair_inexact("true_divide", x1, x2))


divide = true_divide


@documented(DIVISION)
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The largest integer not above x1 / x2, in the type of the operands.

    Example:
      >>> floor_divide(-7, 2)
      Array(-4, dtype=int32, weak_type=True)
    """
    return ops.floor_div(*_pair_reals("floor_divide", x1, x2))


def _pair_reals(name: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array]:
    x, y = pair_numbers(name, x1, x2)
    return check_kind(name, x, "iuf"), y


@documented(DIVISION)
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 - floor(x1 / x2) * x2, which has the sign of x2; 0 or NaN where x2 is 0.

    Example:
      >>> remainder(-7, 2)
      Array(1, dtype=int32, weak_type=True)
    """
    return ops.floor_rem(*_pair_reals("remainder", x1, x2))


mod = remainder


@documented(DIVISION)
def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The remainder of truncating division, which has the sign of x1; 0 or NaN where x2 is 0.

    Example:
      >>> fmod(-7, 2)
      Array(-1, dtype=int32, weak_type=True)
    """
    x, y = _pair_reals("fmod", x1, x2)
    if dtypes.KINDS[x.dtype] in "iu":
        # All divide by 1 without remainder.
        y = ops.select(ops.compare(y, filled(y, 0), "eq"), filled(y, 1), y)
    return ops.rem(x, y)


@documented(DIVISION)
def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """`floor_divide` and `remainder` at once.

    Returns:
      Two arrays of the promoted type; int32 for bools.

    Example:
      >>> divmod(-7, 2)
      (Array(-4, dtype=int32, weak_type=True), Array(1, dtype=int32, weak_type=True))
    """
    x, y = _pair_reals("divmod", x1, x2)
    if is_for_host(x, y) and not unwanted():
        weak = x.weak_type and y.weak_type
        quotient, rest = apply_all_known(floor_div_rem, x, y, count=2, weak_type=weak)
        return quotient, rest
    return ops.floor_div(x, y), ops.floor_rem(x, y)


@documented(INEXACT)
def reciprocal(x: ArrayLike, /) -> Array:
    """1 / x in floats.

    Example:
      >>> reciprocal(4)
      Array(0.25, dtype=float32, weak_type=True)
    """
    return ops.integer_pow(inexact("reciprocal", x), -1)


@documented(SAME)
def square(x: ArrayLike, /) -> Array:
    """x * x.

    Args:
      x: an array or scalar; bools become int32.

    Example:
      >>> square(3)
      Array(9, dtype=int32, weak_type=True)
    """
    return lax.square(numbers("square", x))


@documented(SAME)
def negative(x: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """-x, not for bools.

    Args:
      x: an array or scalar of numbers.
      out, where: must be None.

    Raises:
      TypeError: the operand is of bools.

    Example:
      >>> negative(1)
      Array(-1, dtype=int32, weak_type=True)
    """
    only_values("negative", out, where)
    return ops.neg(unary("negative", x, "iufc"))


@documented(SAME)
def positive(x: ArrayLike, /) -> Array:
    """x as an array.

    Example:
      >>> positive(1)
      Array(1, dtype=int32, weak_type=True)
    """
    return as_operand("positive", x)


@documented(SAME)
def absolute(x: ArrayLike, /) -> Array:
    """The absolute value; of complex numbers the modulus.

    Returns:
      An array of the operand's type; of floats for complex numbers.

    Example:
      >>> absolute(-2)
      Array(2, dtype=int32, weak_type=True)
    """
    array = as_operand("absolute", x)
    return array if dtypes.KINDS[array.dtype] in "bu" else ops.abs(array)


abs = absolute


@documented(REAL, FLOATS)
def fabs(x: ArrayLike, /) -> Array:
    """The absolute value of real numbers, as floats.

    Args:
      x: an array or scalar of real numbers; integers and bools become floats.

    Example:
      >>> fabs(-3)
      Array(3., dtype=float32, weak_type=True)
    """
    return ops.abs(real_inexact("fabs", x))


@documented(SAME)
def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 for real numbers, z / |z| for complex ones.

    Args:
      x: an array or scalar of numbers.

    Raises:
      TypeError: the operand is of bools.

    Example:
      >>> sign(-3)
      Array(-1, dtype=int32, weak_type=True)
    """
    return lax.sign(as_operand("sign", x))
