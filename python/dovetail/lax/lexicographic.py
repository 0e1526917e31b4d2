"""The order of complex numbers: by real part, then by imaginary part."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array


def complex_order(x: Array, y: Array, direction: str) -> Array:
    """Complex numbers compared lexicographically."""
    real_x, real_y = ops.real(x), ops.real(y)
    return ops.select(
        ops.compare(real_x, real_y, "eq"),
        ops.compare(ops.imag(x), ops.imag(y), direction),
        ops.compare(real_x, real_y, direction),
    )


def first_in_order(x: Array, y: Array, direction: str) -> Array:
    """The first of two complex numbers in lexicographic order, or a NaN; x if both are."""
    is_nan_x, is_nan_y = ops.compare(x, x, "ne"), ops.compare(y, y, "ne")
    keep = ops.or_(is_nan_x, ops.and_(complex_order(x, y, direction), ops.not_(is_nan_y)))
    return ops.select(keep, x, y)
