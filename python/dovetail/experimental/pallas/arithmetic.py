"""Small functions that kernels and their grids are computed with."""

from __future__ import annotations

from typing import Any

from dovetail import numpy as dnp
from dovetail.base.errors import value_error


def multiple_of(x: Any, values: int | tuple[int, ...]) -> Any:
    """The value, which is promised to be a multiple of a number; nothing depends on it here.

    Args:
      x: an integer, or an integer array.
      values: the number, or one for each dimension.

    Returns:
      The value itself.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.multiple_of(8, 4)
      8
    """
    return x


def cdiv(a: Any, b: Any) -> Any:
    """The quotient of two integers, rounded up.

    Args:
      a, b: integers, or integer arrays; `b` is positive.

    Returns:
      The smallest integer that is not below a / b.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.cdiv(7, 2), pl.cdiv(8, 2)
      (4, 4)
    """
    return (a + b - 1) // b


def align_to(a: Any, alignment: Any) -> Any:
    """An integer, rounded up to a multiple of another.

    Args:
      a, alignment: integers, or integer arrays; `alignment` is positive.

    Returns:
      The smallest multiple of `alignment` that is not below `a`.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.align_to(5, 4), pl.align_to(8, 4)
      (8, 8)
    """
    return cdiv(a, alignment) * alignment


def next_power_of_2(x: int) -> int:
    """The smallest power of two that is not below an integer.

    Args:
      x: the integer, 0 or more; of 0, it is 1.

    Returns:
      The power.

    Raises:
      ValueError: the integer is negative.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.next_power_of_2(5), pl.next_power_of_2(8)
      (8, 8)
    """
    if x < 0:
        raise value_error(f"next_power_of_2: x must be 0 or more, got: {x}")
    return 1 << max(x - 1, 0).bit_length()


def reciprocal(x: Any, *, approx: bool = False, full_range: bool = True) -> Any:
    """One over each element of an array.

    Args:
      x: an array of floats.
      approx, full_range: accepted, without effect: it is exact to rounding.

    Returns:
      An array of the same shape and dtype.

    Example:
      >>> import dovetail.numpy as dnp
      >>> from dovetail.experimental import pallas as pl
      >>> pl.reciprocal(dnp.array([2.0, 4.0]), approx=True)
      Array([0.5 , 0.25], dtype=float32)
    """
    return dnp.reciprocal(x)


def broadcast_to(a: Any, shape: tuple[int, ...]) -> Any:
    """`dovetail.numpy.broadcast_to`.

    Args:
      a: an array, or a number.
      shape: the shape of the result.

    Returns:
      An array of that shape.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.broadcast_to(1, (2,))
      Array([1, 1], dtype=int32, weak_type=True)
    """
    return dnp.broadcast_to(a, shape)
