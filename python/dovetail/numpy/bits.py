"""Bits of bytes packed and unpacked."""

from __future__ import annotations

import operator

import numpy as np

from dovetail import dtypes, lax, ops
from dovetail.array import Array
from dovetail.errors import type_error, value_error
from dovetail.lax.operands import ArrayLike, as_operand, broadcast_to, canonical_axis
from dovetail.numpy import reductions
from dovetail.numpy.logic import truth
from dovetail.numpy.shape import moveaxis, ravel
from dovetail.tracer import constant


def _shifts(bitorder: str) -> Array:
    if bitorder not in ("big", "little"):
        raise value_error(f"bitorder must be 'big' or 'little', got {bitorder!r}")
    shifts = np.arange(8, dtype=np.uint8)
    return constant(shifts[::-1].copy() if bitorder == "big" else shifts)


def packbits(a: ArrayLike, axis: int | None = None, bitorder: str = "big") -> Array:
    """Groups of 8 elements as the bits of bytes, set where they are not 0; the last group is filled
    with 0.

    >>> packbits(np.array([1, 0, 0, 0, 0, 0, 0, 1]))
    Array([129], dtype=uint8)
    """
    shifts = _shifts(bitorder)
    x = truth("packbits", a)
    if axis is None:
        x, axis = ravel(x), 0
    dim = canonical_axis(axis, x.ndim)
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
    """The bits of bytes as elements 0 and 1; `count` of them, or all but so many if it is negative.

    >>> unpackbits(np.uint8([129]))
    Array([1, 0, 0, 0, 0, 0, 0, 1], dtype=uint8)
    """
    shifts = _shifts(bitorder)
    x = as_operand("unpackbits", a)
    if x.dtype != dtypes.uint8:
        raise type_error(
            f"unpackbits: the element type must be uint8, got {x.dtype.name}; convert it with "
            "x.astype('uint8')"
        )
    if axis is None:
        x, axis = ravel(x), 0
    dim = canonical_axis(axis, x.ndim)
    x = moveaxis(x, dim, -1)
    shape = (*x.shape, 8)
    spread = ops.broadcast(x, shape, tuple(range(x.ndim)))
    bits = ops.shift_right_logical(spread, broadcast_to(shifts, shape)) & np.uint8(1)
    bits = lax.reshape(bits, (*x.shape[:-1], 8 * x.shape[-1]))
    if count is not None:
        bits = _counted(bits, operator.index(count))
    return moveaxis(bits, -1, dim)


def _counted(bits: Array, count: int) -> Array:
    size = bits.shape[-1]
    length = count if count >= 0 else max(size + count, 0)
    if length <= size:
        return lax.slice_in_dim(bits, 0, length, 1, -1)
    config = [(0, 0, 0)] * (bits.ndim - 1) + [(0, length - size, 0)]
    return lax.pad(bits, np.uint8(0), config)
