"""Rounding to integers and decimals, element by element."""

from __future__ import annotations

import builtins

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy.arithmetic import divmod
from dovetail.numpy.docstrings import INEXACT, REAL, SAME
from dovetail.numpy.promotion import default_float, filled, no_out, with_dtype
from dovetail.ops.operands import ArrayLike, as_operand, unary


@documented(SAME, REAL)
def floor(x: ArrayLike, /) -> Array:
    """The largest integer not above x.

    Example:
      >>> floor(-1.5)
      Array(-2., dtype=float32, weak_type=True)
    """
    array = as_operand("floor", x)
    return array if dtypes.KINDS[array.dtype] in "biu" else lax.floor(array)


@documented(SAME, REAL)
def ceil(x: ArrayLike, /) -> Array:
    """The smallest integer not below x.

    Example:
      >>> ceil(-1.5)
      Array(-1., dtype=float32, weak_type=True)
    """
    array = as_operand("ceil", x)
    return array if dtypes.KINDS[array.dtype] in "biu" else lax.ceil(array)


@documented(SAME, REAL)
def trunc(x: ArrayLike) -> Array:
    """The nearest integer towards 0.

    Example:
      >>> trunc(-1.5)
      Array(-1., dtype=float32, weak_type=True)
    """
    array = unary("trunc", x, "biuf")
    if dtypes.KINDS[array.dtype] in "biu":
        return array
    return ops.trunc(array)


@documented(INEXACT)
def rint(x: ArrayLike, /) -> Array:
    """The nearest integer, ties to even, as a float.

    Args:
      x: an array or scalar; integers and bools become floats. Both parts of complex numbers are
        rounded.

    Example:
      >>> rint(np.float32(2.5))
      Array(2., dtype=float32)
    """
    array = default_float("rint", x)
    if dtypes.KINDS[array.dtype] == "c":
        return ops.complex(ops.round_even(ops.real(array)), ops.round_even(ops.imag(array)))
    return ops.round_even(array)


@documented(SAME)
def round(a: ArrayLike, decimals: int = 0, out: None = None) -> Array:
    """The elements rounded to a number of decimals, ties to even.

    Args:
      a: an array or scalar of numbers; both parts of complex ones are rounded.
      decimals: the number of digits to keep after the point; if negative, the number to clear
        before it.
      out: must be None.

    Raises:
      TypeError: the operand is of bools.
      NotImplementedError: `out` is given.

    Example:
      >>> round(2.567, 1)
      Array(2.6, dtype=float32, weak_type=True)
    """
    no_out("round", out)
    array = unary("round", a, "iufc")
    kind = dtypes.KINDS[array.dtype]
    if kind in "iu":
        return array if decimals >= 0 else _round_integer(array, 10**-decimals)
    if kind == "c":
        return ops.complex(round(ops.real(array), decimals), round(ops.imag(array), decimals))
    if decimals == 0:
        return ops.round_even(array)
    wide = with_dtype(array, dtypes.float32, array.weak_type) if array.dtype.itemsize < 4 else array
    factor = filled(wide, 10.0 ** builtins.abs(decimals))
    if decimals > 0:
        result = ops.div(ops.round_even(ops.mul(wide, factor)), factor)
    else:
        result = ops.mul(ops.round_even(ops.div(wide, factor)), factor)
    return with_dtype(result, array.dtype, array.weak_type)


around = round


def _round_integer(x: Array, unit: int) -> Array:
    """The nearest multiple of `unit`, ties to even multiples."""
    quotient, rest = divmod(x, unit)
    up = (rest > unit - rest) | ((rest == unit - rest) & (quotient % 2 == 1))
    return (quotient + up.astype(x.dtype)) * unit
