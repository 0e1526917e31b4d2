"""Reductions over whole dimensions, and indices of extremes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.lax.docstrings import REDUCTION
from dovetail.ops.operands import ArrayLike, canonical_axes, canonical_axis, unary
from dovetail.transforms.out_sharding import accepts_out_sharding


def _reduce(
    op: Callable[[Array, tuple[int, ...]], Array],
    name: str,
    operand: ArrayLike,
    axes: Any,
    kinds: str,
) -> Array:
    x = unary(name, operand, kinds)
    dims = tuple(sorted(reduced_axes(axes, x.ndim)))
    return op(x, dims) if dims else x


def reduced_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Distinct dimensions to reduce over."""
    return canonical_axes(tuple(axes), ndim, "axes", "duplicate value in 'axes' of reduction")


@accepts_out_sharding
@documented(REDUCTION)
def reduce_sum(operand: ArrayLike, axes: Sequence[int], *, out_sharding: Any = None) -> Array:
    """The sums of numbers over the dimensions `axes`, in their element type.

    Raises:
      ValueError: several numbers of 16 bits would be added, and `config.allow_f16_reductions` is
        off.

    Example:
      >>> reduce_sum(np.float32([1, 2]), (0,))
      Array(3., dtype=float32)
    """
    if not config.allow_f16_reductions.value:
        _refuse_16_bit_sum(operand, axes)
    return _reduce(ops.reduce_sum, "reduce_sum", operand, axes, "iufc")


def _refuse_16_bit_sum(operand: ArrayLike, axes: Sequence[int]) -> None:
    x = unary("reduce_sum", operand, "iufc")
    several = any(x.shape[d] != 1 for d in reduced_axes(axes, x.ndim))
    if several and x.dtype in (dtypes.float16, dtypes.bfloat16):
        raise value_error(
            f"reduce_sum of {x.dtype} is not allowed while allow_f16_reductions is False; convert "
            "the operand to float32, or use dovetail.numpy.sum"
        )


@documented(REDUCTION)
def reduce_prod(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """The products of numbers over the dimensions `axes`, in their element type.

    Example:
      >>> reduce_prod(np.float32([3, 2]), (0,))
      Array(6., dtype=float32)
    """
    return _reduce(ops.reduce_prod, "reduce_prod", operand, axes, "iufc")


@documented(REDUCTION)
def reduce_max(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """The largest elements over the dimensions `axes`; NaN if one is NaN.

    Example:
      >>> reduce_max(np.float32([3, 2]), (0,))
      Array(3., dtype=float32)
    """
    return _reduce(ops.reduce_max, "reduce_max", operand, axes, "biuf")


@documented(REDUCTION)
def reduce_min(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """The smallest elements over the dimensions `axes`; NaN if one is NaN.

    Example:
      >>> reduce_min(np.float32([3, 2]), (0,))
      Array(2., dtype=float32)
    """
    return _reduce(ops.reduce_min, "reduce_min", operand, axes, "biuf")


@documented(REDUCTION)
def reduce_and(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """Bitwise and of bools or integers over the dimensions `axes`.

    Args:
      operand: an array of bools or integers.

    Example:
      >>> reduce_and(np.array([True, False]), (0,))
      Array(False, dtype=bool)
    """
    return _reduce(ops.reduce_and, "reduce_and", operand, axes, "biu")


@documented(REDUCTION)
def reduce_or(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """Bitwise or of bools or integers over the dimensions `axes`.

    Args:
      operand: an array of bools or integers.

    Example:
      >>> reduce_or(np.array([True, False]), (0,))
      Array(True, dtype=bool)
    """
    return _reduce(ops.reduce_or, "reduce_or", operand, axes, "biu")


@documented(REDUCTION)
def reduce_xor(operand: ArrayLike, axes: Sequence[int]) -> Array:
    """Bitwise exclusive or of bools or integers over the dimensions `axes`.

    Args:
      operand: an array of bools or integers.

    Example:
      >>> reduce_xor(np.array([True, True]), (0,))
      Array(False, dtype=bool)
    """
    return _reduce(ops.reduce_xor, "reduce_xor", operand, axes, "biu")


def argmax(operand: ArrayLike, axis: int, index_dtype: Any) -> Array:
    """The index of the first largest element along a dimension; that of the first NaN if there is
    one.

    Args:
      operand: an array of real numbers or bools.
      axis: the dimension, which must not be empty.
      index_dtype: the integer type of the result.

    Returns:
      An array of indices, without the dimension.

    Raises:
      ValueError: the dimension has no elements.

    Example:
      >>> argmax(np.float32([1, 3, 2]), 0, np.int32)
      Array(1, dtype=int32)
    """
    return ops.argmax(*_arg_reduce("argmax", operand, axis, index_dtype))


def argmin(operand: ArrayLike, axis: int, index_dtype: Any) -> Array:
    """The index of the first smallest element along a dimension; that of the first NaN if there is
    one.

    Args:
      operand: an array of real numbers or bools.
      axis: the dimension, which must not be empty.
      index_dtype: the integer type of the result.

    Returns:
      An array of indices, without the dimension.

    Raises:
      ValueError: the dimension has no elements.

    Example:
      >>> argmin(np.float32([1, 3, 2]), 0, np.int32)
      Array(0, dtype=int32)
    """
    return ops.argmin(*_arg_reduce("argmin", operand, axis, index_dtype))


def _arg_reduce(
    name: str, operand: ArrayLike, axis: int, index_dtype: Any
) -> tuple[Array, int, Any]:
    x = unary(name, operand, "biuf")
    dimension = canonical_axis(axis, x.ndim)
    if x.shape[dimension] == 0:
        raise value_error(
            "argmin and argmax require non-empty reduced dimension, got: size 0 for dimension "
            f"{dimension} of {x.shape}"
        )
    dtype = dtypes.requested(index_dtype, name)
    if dtypes.KINDS[dtype] not in "iu":
        raise type_error(f"{name}: index_dtype must be an integer type, got: {dtype.name}")
    return x, dimension, dtype
