"""Operations on bits: logic, shifts, counts, and bits packed into bytes and unpacked."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import reductions
from dovetail.numpy.data import as_dtype
from dovetail.numpy.docstrings import BITS, SAME
from dovetail.numpy.logic import truth
from dovetail.numpy.promotion import only_values, pair
from dovetail.numpy.shape import moveaxis, ravel
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    broadcast_to,
    canonical_axis,
    check_kind,
)
from dovetail.tracing.bind import apply_known, constant, is_for_numpy

# Element by element -------------------------------------------------------------------------------


@documented(BITS)
def bitwise_and(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """x and y, bit by bit, of integers or bools.

    Example:
      >>> bitwise_and(6, 3)
      Array(2, dtype=int32, weak_type=True)
    """
    only_values("bitwise_and", out, where)
    return lax.bitwise_and(*pair("bitwise_and", x, y))


@documented(BITS)
def bitwise_or(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """x or y, bit by bit, of integers or bools.

    Example:
      >>> bitwise_or(6, 3)
      Array(7, dtype=int32, weak_type=True)
    """
    only_values("bitwise_or", out, where)
    return lax.bitwise_or(*pair("bitwise_or", x, y))


@documented(BITS)
def bitwise_xor(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """The bits set in exactly one of x and y, integers or bools.

    Example:
      >>> bitwise_xor(6, 3)
      Array(5, dtype=int32, weak_type=True)
    """
    only_values("bitwise_xor", out, where)
    return lax.bitwise_xor(*pair("bitwise_xor", x, y))


@documented(SAME)
def bitwise_not(x: ArrayLike, /) -> Array:
    """All bits of integers flipped; for bools, not x.

    Args:
      x: an array or scalar of integers or bools.

    Raises:
      TypeError: the operand is of floats or complex numbers.

    Example:
      >>> bitwise_not(0)
      Array(-1, dtype=int32, weak_type=True)
    """
    return lax.bitwise_not(x)


invert = bitwise_invert = bitwise_not


@documented(BITS)
def left_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The bits of integers moved left by y.

    Args:
      x: an array or scalar of integers; bools become int32.
      y: the number of bits, likewise; both are promoted and broadcast. If it is the width of the
        type or more, the result is 0.

    Example:
      >>> left_shift(1, 3)
      Array(8, dtype=int32, weak_type=True)
    """
    return ops.shift_left(*_shifted("left_shift", x, y))


@documented(BITS)
def right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The bits of integers moved right by x2; the sign bit of signed ones moves in.

    Args:
      x1: an array or scalar of integers; bools become int32.
      x2: the number of bits, likewise; both are promoted and broadcast.

    Example:
      >>> right_shift(-8, 1)
      Array(-4, dtype=int32, weak_type=True)
    """
    x, y = _shifted("right_shift", x1, x2)
    if dtypes.KINDS[x.dtype] == "u":
        return ops.shift_right_logical(x, y)
    return ops.shift_right_arithmetic(x, y)


def _shifted(name: str, x: ArrayLike, y: ArrayLike) -> list[Array]:
    a, b = pair(name, x, y)
    if a.dtype == dtypes.bool_:
        return [ops.convert(v, dtypes.int32) for v in (a, b)]
    return [check_kind(name, a, "iu"), b]


bitwise_left_shift, bitwise_right_shift = left_shift, right_shift


def bitwise_count(x: ArrayLike, /) -> Array:
    """The number of set bits of the absolute value, as uint8.

    Args:
      x: an array or scalar of integers or bools.

    Returns:
      An array of uint8.

    Raises:
      TypeError: the operand is of floats or complex numbers.

    Example:
      >>> bitwise_count(7)
      Array(3, dtype=uint8)
    """
    array = check_kind("bitwise_count", as_operand("bitwise_count", x), "biu")
    kind = dtypes.KINDS[array.dtype]
    if kind == "b":
        return ops.convert(array, dtypes.uint8)
    magnitude = ops.abs(array) if kind == "i" else array
    return ops.convert(ops.population_count(magnitude), dtypes.uint8)


# Bits and bytes -----------------------------------------------------------------------------------


def _shifts(bitorder: str) -> Array:
    if bitorder not in ("big", "little"):
        raise value_error(f"bitorder must be 'big' or 'little', got: {bitorder!r}")
    shifts = np.arange(8, dtype=np.uint8)
    return constant(shifts[::-1].copy() if bitorder == "big" else shifts)


def packbits(a: ArrayLike, axis: int | None = None, bitorder: str = "big") -> Array:
    """Groups of 8 elements as the bits of bytes, set where they are not 0; the last group is filled
    with 0.

    Args:
      a: an array, true where it is not 0.
      axis: the dimension; None flattens the array first.
      bitorder: whether the first element is the highest bit (`big`) or the lowest (`little`).

    Returns:
      An array of uint8.

    Example:
      >>> packbits(np.array([1, 0, 0, 0, 0, 0, 0, 1]))
      Array([129], dtype=uint8)
    """
    shifts = _shifts(bitorder)
    x = truth("packbits", a)
    if axis is None:
        x, axis = ravel(x), 0
    dim = canonical_axis(axis, x.ndim)
    if is_for_numpy(x):
        pack: Any = np.packbits
        return apply_known(functools.partial(pack, axis=dim, bitorder=bitorder), x)
    bits = moveaxis(ops.convert(x, dtypes.uint8), dim, -1)
    count = -(-bits.shape[-1] // 8)
    config = [(0, 0, 0)] * (bits.ndim - 1) + [(0, 8 * count - bits.shape[-1], 0)]
    bits = lax.pad(bits, np.uint8(0), config)
    groups = lax.reshape(bits, (*bits.shape[:-1], count, 8))
    placed = ops.shift_left(groups, broadcast_to(shifts, groups.shape))
    return moveaxis(reductions.sum(placed, -1, np.uint8), -1, dim)


def unpackbits(
    a: ArrayLike, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Array:
    """Unpack the bits of bytes into elements 0 and 1. `count` limits their number; if negative,
    that many are dropped from the end.

    Args:
      a: an array of uint8.
      axis: the dimension; None flattens the array first.
      count: the number of bits.
      bitorder: as in `packbits`.

    Returns:
      An array of uint8.

    Raises:
      TypeError: the element type is another.

    Example:
      >>> unpackbits(np.uint8([129]))
      Array([1, 0, 0, 0, 0, 0, 0, 1], dtype=uint8)
    """
    shifts = _shifts(bitorder)
    x = as_operand("unpackbits", a)
    if x.dtype != dtypes.uint8:
        raise type_error(
            f"unpackbits: the element type must be uint8, got: {x.dtype.name}; convert it with "
            "x.astype('uint8')"
        )
    if axis is None:
        x, axis = ravel(x), 0
    dim = canonical_axis(axis, x.ndim)
    count = None if count is None else operator.index(count)
    if is_for_numpy(x) and (count is None or count >= 0):
        unpack: Any = np.unpackbits
        by_numpy = functools.partial(unpack, axis=dim, count=count, bitorder=bitorder)
        return apply_known(by_numpy, x)
    x = moveaxis(x, dim, -1)
    shape = (*x.shape, 8)
    spread = ops.broadcast(x, tuple(range(x.ndim)), shape)
    bits = ops.shift_right_logical(spread, broadcast_to(shifts, shape)) & np.uint8(1)
    bits = lax.reshape(bits, (*x.shape[:-1], 8 * x.shape[-1]))
    if count is not None:
        bits = _counted(bits, count)
    return moveaxis(bits, -1, dim)


def _counted(bits: Array, count: int) -> Array:
    size = bits.shape[-1]
    length = count if count >= 0 else max(size + count, 0)
    if length <= size:
        return lax.slice_in_dim(bits, 0, length, 1, -1)
    config = [(0, 0, 0)] * (bits.ndim - 1) + [(0, length - size, 0)]
    return lax.pad(bits, np.uint8(0), config)


def view(x: Array, dtype: Any) -> Array:
    """Reinterpret the bits of an array as another element type; a different width resizes the last
    dimension.

    Bools are bytes 0 and 1, complex numbers their real and imaginary parts.

    >>> view(lax.iota("int32", 2), "int16")
    Array([0, 0, 1, 0], dtype=int16)
    """
    wanted = dtypes.requested(dtype, "view")
    given, width = dtypes.itemsize_bits(x.dtype), dtypes.itemsize_bits(wanted)
    if given % width and width % given:
        raise type_error(
            "view: the width of one type must divide the other's, got: "
            f"{x.dtype.name} and {wanted.name}"
        )
    if given != width and not x.ndim:
        raise value_error(
            "view: an array of rank 0 can be viewed as a type of the same width only, got: "
            f"{x.dtype.name} and {wanted.name}"
        )
    if x.ndim and x.shape[-1] * given % width:
        raise value_error(
            f"view: the last dimension must be a whole number of elements of {wanted.name}, got: "
            f"shape {x.shape} of {x.dtype.name}"
        )
    if x.dtype == wanted:
        return as_dtype(x, wanted)
    if x.dtype == dtypes.bool_:
        return view(ops.convert(x, dtypes.uint8), wanted)
    if wanted == dtypes.bool_:
        return view(x, dtypes.uint8) != 0
    shape = (*x.shape[:-1], x.shape[-1] * given // width) if x.ndim else ()
    real = dtypes.to_real_dtype(wanted)
    if dtypes.KINDS[x.dtype] == "c":
        x = lax.stack([ops.real(x), ops.imag(x)], x.ndim)
    pair = (2,) if real != wanted else ()
    ratio = dtypes.itemsize_bits(real) // dtypes.itemsize_bits(x.dtype)
    parts = (ratio,) if ratio > 1 else ()
    if ratio:
        x = lax.reshape(x, (*shape, *pair, *parts))
    result = lax.reshape(lax.bitcast_convert_type(x, real), (*shape, *pair))
    return ops.complex(*lax.unstack(result, -1)) if pair else result


def byteswap(x: Array) -> Array:
    """The elements, or the parts of complex ones, with their bytes in reverse order.

    >>> byteswap(lax.full((), 1, "int32"))
    Array(16777216, dtype=int32)
    """
    if dtypes.KINDS[x.dtype] == "c":
        return ops.complex(byteswap(ops.real(x)), byteswap(ops.imag(x)))
    if x.dtype.itemsize == 1:
        return x
    swapped = lax.rev(lax.bitcast_convert_type(x, dtypes.uint8), (x.ndim,))
    return lax.bitcast_convert_type(swapped, x.dtype)
