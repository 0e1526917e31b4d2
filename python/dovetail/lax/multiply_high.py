"""The high half of a product of integers."""

from __future__ import annotations

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.ops.operands import ArrayLike, same
from dovetail.tracing.bind import constant
from dovetail.tracing.composed import composed


def mulhi(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The high bits of the double-width product: for N-bit integers, x y / 2^N rounded down.

    Args:
      x, y: arrays of integers of one type.

    Returns:
      An array of that type.

    Example:
      >>> mulhi(np.int8(100), np.int8(100))
      Array(39, dtype=int8)
    """
    return _high(*same("mulhi", (x, y), "iu"))


@composed("mulhi")
def _high(left: Array, right: Array) -> Array:
    dtype = left.dtype
    bits = dtypes.itemsize_bits(dtype)
    kind = dtypes.KINDS[dtype]
    if bits < 64:
        wide = dtypes.int64 if kind == "i" else dtypes.uint64
        product = ops.mul(ops.convert(left, wide), ops.convert(right, wide))
        return ops.convert(_shifted(product, bits), dtype)
    # From halves: (a 2^32 + b) (c 2^32 + d), with b and d read as unsigned.
    low = constant(np.array(2**32 - 1, dtype))
    a, b = _shifted(left, 32), ops.and_(left, _like(low, left))
    c, d = _shifted(right, 32), ops.and_(right, _like(low, right))
    # The product of the low halves fills all bits, so its high half is shifted as unsigned.
    carried = ops.shift_right_logical(ops.mul(b, d), _like(constant(np.array(32, dtype)), left))
    middle = ops.add(ops.mul(a, d), carried)
    other = ops.add(ops.mul(b, c), ops.and_(middle, _like(low, left)))
    return ops.add(ops.mul(a, c), ops.add(_shifted(middle, 32), _shifted(other, 32)))


def _like(scalar: Array, x: Array) -> Array:
    return ops.broadcast(scalar, (), x.shape) if x.shape else scalar


def _shifted(x: Array, amount: int) -> Array:
    """x / 2^amount, rounded down."""
    by = _like(constant(np.array(amount, x.dtype)), x)
    signed = dtypes.KINDS[x.dtype] == "i"
    return ops.shift_right_arithmetic(x, by) if signed else ops.shift_right_logical(x, by)
