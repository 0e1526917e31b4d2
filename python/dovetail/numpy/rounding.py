"""Rounding to integers and decimals, element by element."""

from __future__ import annotations

import builtins

from dovetail import dtypes, lax, ops
from dovetail.array import Array
from dovetail.lax.operands import ArrayLike, as_operand, check_kind
from dovetail.numpy.arithmetic import divmod
from dovetail.numpy.promotion import default_float, filled, no_out, with_dtype


def floor(x: ArrayLike, /) -> Array:
    """The greatest integer not above x.

    >>> floor(-1.5)
    Array(-2., dtype=float32, weak_type=True)
    """
    array = as_operand("floor", x)
    return array if dtypes.KINDS[array.dtype] in "biu" else lax.floor(array)


def ceil(x: ArrayLike, /) -> Array:
    """The least integer not below x.

    >>> ceil(-1.5)
    Array(-1., dtype=float32, weak_type=True)
    """
    array = as_operand("ceil", x)
    return array if dtypes.KINDS[array.dtype] in "biu" else lax.ceil(array)


def trunc(x: ArrayLike) -> Array:
    """The nearest integer in the direction of 0.

    >>> trunc(-1.5)
    Array(-1., dtype=float32, weak_type=True)
    """
    array = as_operand("trunc", x)
    if dtypes.KINDS[array.dtype] in "biu":
        return array
    return ops.select(array < 0, lax.ceil(array), ops.floor(array))


def rint(x: ArrayLike, /) -> Array:
    """The nearest integer, ties to even, as a float.

    >>> rint(np.float32(2.5))
    Array(2., dtype=float32)
    """
    array = default_float("rint", x)
    if dtypes.KINDS[array.dtype] == "c":
        return ops.complex(ops.round_even(ops.real(array)), ops.round_even(ops.imag(array)))
    return ops.round_even(array)


def round(a: ArrayLike, decimals: int = 0, out: None = None) -> Array:
    """Rounded to a number of decimals, ties to even.

    >>> round(2.567, 1)
    Array(2.6, dtype=float32, weak_type=True)
    """
    no_out("round", out)
    array = check_kind("round", as_operand("round", a), "iufc")
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
