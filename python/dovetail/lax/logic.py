"""Bits, comparison, choice and limits, of operands of one type."""

from __future__ import annotations

import builtins

import numpy as np

from dovetail import dtypes, ops
from dovetail.array import Array
from dovetail.errors import type_error, value_error
from dovetail.lax.operands import ArrayLike, as_operand, broadcast_to, same, unary
from dovetail.tracer import constant

# Bits and predicates ------------------------------------------------------------------------------


def bitwise_not(x: ArrayLike) -> Array:
    """All bits of integers flipped; for bools, not x.

    >>> bitwise_not(0)
    Array(-1, dtype=int32, weak_type=True)
    """
    return ops.not_(unary("bitwise_not", x, "biu"))


def bitwise_and(x: ArrayLike, y: ArrayLike) -> Array:
    """x and y, bit by bit, of integers or bools.

    >>> bitwise_and(6, 3)
    Array(2, dtype=int32, weak_type=True)
    """
    return ops.and_(*same("bitwise_and", (x, y), "biu"))


def bitwise_or(x: ArrayLike, y: ArrayLike) -> Array:
    """x or y, bit by bit, of integers or bools.

    >>> bitwise_or(6, 3)
    Array(7, dtype=int32, weak_type=True)
    """
    return ops.or_(*same("bitwise_or", (x, y), "biu"))


def bitwise_xor(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits set in one of x and y, integers or bools, but not in both.

    >>> bitwise_xor(6, 3)
    Array(5, dtype=int32, weak_type=True)
    """
    return ops.xor(*same("bitwise_xor", (x, y), "biu"))


def shift_left(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits of integers moved left by y; 0 past the width.

    >>> shift_left(3, 2)
    Array(12, dtype=int32, weak_type=True)
    """
    return ops.shift_left(*same("shift_left", (x, y), "iu"))


def shift_right_arithmetic(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits of integers moved right by y, filled with the sign bit.

    >>> shift_right_arithmetic(-8, 1)
    Array(-4, dtype=int32, weak_type=True)
    """
    return ops.shift_right_arithmetic(*same("shift_right_arithmetic", (x, y), "iu"))


def shift_right_logical(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits of integers moved right by y, filled with 0.

    >>> shift_right_logical(8, 1)
    Array(4, dtype=int32, weak_type=True)
    """
    return ops.shift_right_logical(*same("shift_right_logical", (x, y), "iu"))


def population_count(x: ArrayLike) -> Array:
    """The number of set bits of integers.

    >>> population_count(7)
    Array(3, dtype=int32, weak_type=True)
    """
    return ops.population_count(unary("population_count", x, "iu"))


def clz(x: ArrayLike) -> Array:
    """The number of leading zero bits of integers.

    >>> clz(1)
    Array(31, dtype=int32, weak_type=True)
    """
    return ops.count_leading_zeros(unary("clz", x, "iu"))


def is_finite(x: ArrayLike) -> Array:
    """Whether each float is neither infinite nor NaN.

    >>> is_finite(1.0)
    Array(True, dtype=bool)
    """
    return ops.is_finite(unary("is_finite", x, "f"))


def eq(x: ArrayLike, y: ArrayLike) -> Array:
    """x == y.

    >>> eq(1, 1)
    Array(True, dtype=bool)
    """
    a, b = same("eq", (x, y), "biufc")
    return ops.compare(a, b, "eq")


def ne(x: ArrayLike, y: ArrayLike) -> Array:
    """x != y.

    >>> ne(1, 1)
    Array(False, dtype=bool)
    """
    a, b = same("ne", (x, y), "biufc")
    return ops.compare(a, b, "ne")


def lt(x: ArrayLike, y: ArrayLike) -> Array:
    """x < y, not for complex arrays.

    >>> lt(1, 2)
    Array(True, dtype=bool)
    """
    a, b = same("lt", (x, y), "biuf")
    return ops.compare(a, b, "lt")


def le(x: ArrayLike, y: ArrayLike) -> Array:
    """x <= y, not for complex arrays.

    >>> le(1, 2)
    Array(True, dtype=bool)
    """
    a, b = same("le", (x, y), "biuf")
    return ops.compare(a, b, "le")


def gt(x: ArrayLike, y: ArrayLike) -> Array:
    """x > y, not for complex arrays.

    >>> gt(1, 2)
    Array(False, dtype=bool)
    """
    a, b = same("gt", (x, y), "biuf")
    return ops.compare(a, b, "gt")


def ge(x: ArrayLike, y: ArrayLike) -> Array:
    """x >= y, not for complex arrays.

    >>> ge(1, 2)
    Array(False, dtype=bool)
    """
    a, b = same("ge", (x, y), "biuf")
    return ops.compare(a, b, "ge")


# Choice -------------------------------------------------------------------------------------------


def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> Array:
    """Elements of `on_true` where `pred` (bool, of the same shape or rank 0) holds, else of
    `on_false`.

    >>> select(True, 1, 2)
    Array(1, dtype=int32, weak_type=True)
    """
    return select_n(pred, on_false, on_true)


def select_n(which: ArrayLike, *cases: ArrayLike) -> Array:
    """Elements of `cases[which]`; `which` is bool for at most two cases, else int32, of the same
    shape or rank 0.

    >>> select_n(np.int32(2), 5, 6, 7)
    Array(7, dtype=int32, weak_type=True)
    """
    if not cases:
        raise value_error("select_n: at least one case is needed, got none")
    which = as_operand("select_n", which)
    arrays = [as_operand("select_n", c, i + 1) for i, c in enumerate(cases)]
    first = arrays[0]
    if any(a.shape != first.shape for a in arrays):
        raise type_error(
            "select_n: cases must have equal shapes, got "
            f"{', '.join(str(a.shape) for a in arrays)}; use dovetail.numpy.where, which broadcasts"
        )
    if any(a.dtype != first.dtype for a in arrays):
        raise type_error(
            "select_n: cases must have equal element types, got "
            f"{', '.join(a.dtype.name for a in arrays)}; use dovetail.numpy.where, which promotes"
        )
    if which.shape and which.shape != first.shape:
        raise type_error(
            f"select_n: which must have rank 0 or the shape of the cases, got {which.shape} and "
            f"{first.shape}"
        )
    if which.dtype == dtypes.bool_:
        if len(arrays) > 2:
            raise type_error(
                f"select_n: a bool chooses between 2 cases at most, got {len(arrays)}; use int32"
            )
    elif dtypes.KINDS[which.dtype] in "iu":
        which = ops.convert(which, dtypes.int32)
    else:
        raise type_error(f"select_n: which must be bool or integers, got {which.dtype.name}")
    which = broadcast_to(which, first.shape)
    if len(arrays) == 1:
        return first
    if which.dtype == dtypes.bool_:
        return ops.select(which, arrays[1], arrays[0])
    return _select_by_halves(which, arrays, 0)


def _select_by_halves(which: Array, cases: builtins.list[Array], first: int) -> Array:
    """A binary tree of selections, so that their depth is the logarithm of the number of cases."""
    if len(cases) == 1:
        return cases[0]
    middle = len(cases) // 2
    bound = broadcast_to(constant(np.array(first + middle, np.int32)), which.shape)
    return ops.select(
        ops.compare(which, bound, "lt"),
        _select_by_halves(which, cases[:middle], first),
        _select_by_halves(which, cases[middle:], first + middle),
    )


def clamp(min: ArrayLike, x: ArrayLike, max: ArrayLike) -> Array:
    """x limited to [min, max], which have its element type and its shape or rank 0.

    >>> clamp(0.0, 1.5, 1.0)
    Array(1., dtype=float32, weak_type=True)
    """
    arrays = [as_operand("clamp", a, i) for i, a in enumerate((min, x, max))]
    shape = arrays[1].shape
    for bound, what in ((arrays[0], "min"), (arrays[2], "max")):
        if bound.shape not in ((), shape):
            raise type_error(
                f"clamp: {what} must have rank 0 or the shape of x, got {bound.shape} and {shape}; "
                "use dovetail.numpy.clip, which broadcasts"
            )
    return ops.clamp(*same("clamp", [broadcast_to(a, shape) for a in arrays], "biuf"))
