"""Bits, comparison, choice and limits, of operands of one type."""

from __future__ import annotations

import builtins

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.lax.docstrings import (
    BINARY,
    BITS,
    BOOLS_OR_NUMBERS,
    BOOLS_OR_REAL,
    COMPARISON,
    FLOATS,
    INTEGERS,
    UNARY,
)
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to, same, unary
from dovetail.tracing.bind import constant

# Bits and predicates ------------------------------------------------------------------------------


@documented(UNARY, BITS)
def bitwise_not(x: ArrayLike) -> Array:
    """All bits of integers flipped; for bools, not x.

    Example:
      >>> bitwise_not(0)
      Array(-1, dtype=int32, weak_type=True)
    """
    return ops.not_(unary("bitwise_not", x, "biu"))


@documented(BINARY, BITS)
def bitwise_and(x: ArrayLike, y: ArrayLike) -> Array:
    """x and y, bit by bit, of integers or bools.

    Example:
      >>> bitwise_and(6, 3)
      Array(2, dtype=int32, weak_type=True)
    """
    return ops.and_(*same("bitwise_and", (x, y), "biu"))


@documented(BINARY, BITS)
def bitwise_or(x: ArrayLike, y: ArrayLike) -> Array:
    """x or y, bit by bit, of integers or bools.

    Example:
      >>> bitwise_or(6, 3)
      Array(7, dtype=int32, weak_type=True)
    """
    return ops.or_(*same("bitwise_or", (x, y), "biu"))


@documented(BINARY, BITS)
def bitwise_xor(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits set in one of x and y, integers or bools, but not in both.

    Example:
      >>> bitwise_xor(6, 3)
      Array(5, dtype=int32, weak_type=True)
    """
    return ops.xor(*same("bitwise_xor", (x, y), "biu"))


@documented(BINARY, INTEGERS)
def shift_left(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits of integers shifted left by y; 0 if y is the width or more.

    Example:
      >>> shift_left(3, 2)
      Array(12, dtype=int32, weak_type=True)
    """
    return ops.shift_left(*same("shift_left", (x, y), "iu"))


@documented(BINARY, INTEGERS)
def shift_right_arithmetic(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits of integers shifted right by y, filled with the sign bit.

    Example:
      >>> shift_right_arithmetic(-8, 1)
      Array(-4, dtype=int32, weak_type=True)
    """
    return ops.shift_right_arithmetic(*same("shift_right_arithmetic", (x, y), "iu"))


@documented(BINARY, INTEGERS)
def shift_right_logical(x: ArrayLike, y: ArrayLike) -> Array:
    """The bits of integers shifted right by y, filled with 0.

    Example:
      >>> shift_right_logical(8, 1)
      Array(4, dtype=int32, weak_type=True)
    """
    return ops.shift_right_logical(*same("shift_right_logical", (x, y), "iu"))


@documented(UNARY, INTEGERS)
def population_count(x: ArrayLike) -> Array:
    """The number of set bits of integers.

    Example:
      >>> population_count(7)
      Array(3, dtype=int32, weak_type=True)
    """
    return ops.population_count(unary("population_count", x, "iu"))


@documented(UNARY, INTEGERS)
def clz(x: ArrayLike) -> Array:
    """The number of leading zero bits of integers.

    Example:
      >>> clz(1)
      Array(31, dtype=int32, weak_type=True)
    """
    return ops.count_leading_zeros(unary("clz", x, "iu"))


@documented(FLOATS)
def is_finite(x: ArrayLike) -> Array:
    """True for each element that is neither infinite nor NaN.

    Returns:
      An array of bools.

    Example:
      >>> is_finite(1.0)
      Array(True, dtype=bool)
    """
    return ops.is_finite(unary("is_finite", x, "f"))


@documented(COMPARISON, BOOLS_OR_NUMBERS)
def eq(x: ArrayLike, y: ArrayLike) -> Array:
    """x == y.

    Example:
      >>> eq(1, 1)
      Array(True, dtype=bool)
    """
    a, b = same("eq", (x, y), "biufc")
    return ops.compare(a, b, "eq")


@documented(COMPARISON, BOOLS_OR_NUMBERS)
def ne(x: ArrayLike, y: ArrayLike) -> Array:
    """x != y.

    Example:
      >>> ne(1, 1)
      Array(False, dtype=bool)
    """
    a, b = same("ne", (x, y), "biufc")
    return ops.compare(a, b, "ne")


@documented(COMPARISON, BOOLS_OR_REAL)
def lt(x: ArrayLike, y: ArrayLike) -> Array:
    """x < y; not for complex arrays.

    Example:
      >>> lt(1, 2)
      Array(True, dtype=bool)
    """
    a, b = same("lt", (x, y), "biuf")
    return ops.compare(a, b, "lt")


@documented(COMPARISON, BOOLS_OR_REAL)
def le(x: ArrayLike, y: ArrayLike) -> Array:
    """x <= y; not for complex arrays.

    Example:
      >>> le(1, 2)
      Array(True, dtype=bool)
    """
    a, b = same("le", (x, y), "biuf")
    return ops.compare(a, b, "le")


@documented(COMPARISON, BOOLS_OR_REAL)
def gt(x: ArrayLike, y: ArrayLike) -> Array:
    """x > y; not for complex arrays.

    Example:
      >>> gt(1, 2)
      Array(False, dtype=bool)
    """
    a, b = same("gt", (x, y), "biuf")
    return ops.compare(a, b, "gt")


@documented(COMPARISON, BOOLS_OR_REAL)
def ge(x: ArrayLike, y: ArrayLike) -> Array:
    """x >= y; not for complex arrays.

    Example:
      >>> ge(1, 2)
      Array(False, dtype=bool)
    """
    a, b = same("ge", (x, y), "biuf")
    return ops.compare(a, b, "ge")


# Choice -------------------------------------------------------------------------------------------


@documented(BINARY)
def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> Array:
    """Elements of `on_true` where `pred` (bool, of the same shape or rank 0) holds, otherwise of
    `on_false`.

    Args:
      pred: bools, of the shape of the others or of rank 0.
      on_true, on_false: arrays of one type and shape.

    Raises:
      TypeError: the types or shapes differ.

    Example:
      >>> select(True, 1, 2)
      Array(1, dtype=int32, weak_type=True)
    """
    return select_n(pred, on_false, on_true)


@documented(BINARY)
def select_n(which: ArrayLike, *cases: ArrayLike) -> Array:
    """Elements of `cases[which]`; `which` is bool for at most two cases, otherwise int32, of the
    same shape or rank 0.

    Args:
      which: bools, or integers from 0, of the shape of the cases or of rank 0.
      cases: arrays of one type and shape.

    Raises:
      TypeError: the types or shapes of the cases differ, or bools choose among more than two.

    Example:
      >>> select_n(np.int32(2), 5, 6, 7)
      Array(7, dtype=int32, weak_type=True)
    """
    if not cases:
        raise value_error("select_n: at least one case is needed, got: none")
    choice = as_operand("select_n", which)
    arrays = [as_operand("select_n", c, i + 1) for i, c in enumerate(cases)]
    first = arrays[0]
    if any(a.shape != first.shape for a in arrays):
        raise type_error(
            "select_n: cases must have equal shapes, got: "
            f"{', '.join(str(a.shape) for a in arrays)}; use dovetail.numpy.where, which broadcasts"
        )
    if any(a.dtype != first.dtype for a in arrays):
        raise type_error(
            "select_n: cases must have equal element types, got: "
            f"{', '.join(a.dtype.name for a in arrays)}; use dovetail.numpy.where, which promotes"
        )
    if choice.shape and choice.shape != first.shape:
        raise type_error(
            f"select_n: which must have rank 0 or the shape of the cases, got: {choice.shape} and "
            f"{first.shape}"
        )
    if choice.dtype == dtypes.bool_:
        if len(arrays) > 2:
            raise type_error(
                f"select_n: a bool chooses between 2 cases at most, got: {len(arrays)}; use int32"
            )
    elif dtypes.KINDS[choice.dtype] in "iu":
        choice = ops.convert(choice, dtypes.int32)
    else:
        raise type_error(f"select_n: which must be bool or integers, got: {choice.dtype.name}")
    choice = broadcast_to(choice, first.shape)
    if len(arrays) == 1:
        return first
    if choice.dtype == dtypes.bool_:
        return ops.select(choice, arrays[1], arrays[0])
    return _select_by_halves(choice, arrays, 0)


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

    Args:
      min, max: of the type of `x`, and of its shape or rank 0.
      x: an array of bools or real numbers.

    Returns:
      An array like `x`.

    Raises:
      TypeError: the element types or shapes differ.

    Example:
      >>> clamp(0.0, 1.5, 1.0)
      Array(1., dtype=float32, weak_type=True)
    """
    arrays = [as_operand("clamp", a, i) for i, a in enumerate((min, x, max))]
    shape = arrays[1].shape
    for bound, what in ((arrays[0], "min"), (arrays[2], "max")):
        if bound.shape not in ((), shape):
            raise type_error(
                f"clamp: {what} must have rank 0 or the shape of x, got: {bound.shape} and "
                f"{shape}; use dovetail.numpy.clip, which broadcasts"
            )
    return ops.clamp(*same("clamp", [broadcast_to(a, shape) for a in arrays], "biuf"))
