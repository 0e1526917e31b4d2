"""Creation of arrays."""

from __future__ import annotations

import operator as op
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.lax.convert import convert
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    broadcast_to,
    canonical_axis,
    canonical_shape,
)
from dovetail.placement.shardings import Sharding
from dovetail.programs.transfers import beside, put
from dovetail.symbolic.size import Size, has_sizes
from dovetail.tracing.bind import constant
from dovetail.tracing.composed import composed
from dovetail.transforms.out_sharding import accepts_out_sharding


def full(
    shape: Any, fill_value: ArrayLike, dtype: Any = None, *, sharding: Sharding | None = None
) -> Array:
    """An array of `shape` with every element `fill_value`, which has rank 0.

    Args:
      shape: an integer, or integers that are not negative.
      fill_value: a scalar.
      dtype: the element type; by default that of the scalar.
      sharding: the devices that the array is committed to; None for none.

    Returns:
      An array.

    Raises:
      TypeError: `fill_value` is not a scalar.
      ValueError: the sharding is for arrays of a higher rank.

    Example:
      >>> full(2, 1.5)
      Array([1.5, 1.5], dtype=float32, weak_type=True)
    """
    sizes = canonical_shape(shape)
    value = as_operand("full", fill_value, 1)
    if value.ndim:
        raise type_error(
            f"full: fill_value must be a scalar, got: shape {value.shape}; use "
            "dovetail.numpy.full, which broadcasts"
        )
    if dtype is not None:
        value = convert(fill_value, dtypes.requested(dtype, "full"))
    result = broadcast_to(value, sizes)
    return result if sharding is None else put(result, sharding, name="full")


def full_like(
    x: Any,
    fill_value: ArrayLike,
    dtype: Any = None,
    shape: Any = None,
    sharding: Sharding | None = None,
) -> Array:
    """Like `full`, with the shape and the element type of `x` unless others are given.

    Args:
      x: an array or a scalar.
      fill_value: a scalar.
      dtype: another element type.
      shape: another shape.
      sharding: the devices that the array is committed to; None for those of `x`.

    Returns:
      An array.

    Raises:
      TypeError: `fill_value` is not a scalar.
      ValueError: the sharding is for arrays of a higher rank.

    Example:
      >>> full_like(np.zeros(2, np.int8), 7)
      Array([7, 7], dtype=int8)
    """
    sizes = np.shape(x) if shape is None else canonical_shape(shape)
    if dtype is not None or np.ndim(fill_value):
        result = full(sizes, fill_value, dtype)
    else:
        element, weak = dtypes.dtype_and_weakness(x)
        result = broadcast_to(convert(fill_value, element, weak), sizes)
    return beside(result, x) if sharding is None else put(result, sharding, name="full_like")


def iota(dtype: Any, size: int) -> Array:
    """0, 1, … size - 1.

    Args:
      dtype: a type of numbers.
      size: the number of elements.

    Returns:
      A vector.

    Example:
      >>> iota(np.int32, 3)
      Array([0, 1, 2], dtype=int32)
    """
    return broadcasted_iota(dtype, (size,), 0)


@accepts_out_sharding
def broadcasted_iota(dtype: Any, shape: Any, dimension: int, *, out_sharding: Any = None) -> Array:
    """An array of `shape` whose elements are their index along `dimension`.

    Args:
      dtype: a type of numbers.
      shape: integers that are not negative.
      dimension: the dimension along which the elements increase.

    Returns:
      An array.

    Example:
      >>> broadcasted_iota(np.int32, (2, 2), 0)
      Array([[0, 0],
             [1, 1]], dtype=int32)
    """
    sizes = canonical_shape(shape)
    element = dtypes.requested(dtype, "iota")
    if dtypes.KINDS[element] == "b":
        raise type_error("iota: the element type must be integer, float or complex, got: bool")
    return ops.iota(canonical_axis(dimension, len(sizes), "dimension"), sizes, element)


@accepts_out_sharding
def empty(shape: Any, dtype: Any, *, out_sharding: Any = None) -> Array:
    """An array of `shape` with unspecified elements, which are zero.

    Args:
      shape: an integer, or integers that are not negative.
      dtype: the element type.

    Returns:
      An array.

    Example:
      >>> empty((2,), np.int32).shape
      (2,)
    """
    element = dtypes.requested(dtype, "empty")
    return _empty(shape=canonical_shape(shape), dtype=element, out_sharding=None)


@composed("copy")
def copied(x: Array) -> Array:
    """The array, as an equation of what `make_jaxpr` makes."""
    return x


@composed("empty")
def _empty(*, shape: Any, dtype: np.dtype, out_sharding: Any = None) -> Array:
    return broadcast_to(constant(np.zeros((), dtype)), shape)


def shape_as_value(shape: Any) -> Array:
    """A shape as an integer array.

    Args:
      shape: integers.

    Returns:
      A vector of int32, or of the default integer type if a size needs more bits.

    Example:
      >>> shape_as_value((2, 3))
      Array([2, 3], dtype=int32)
    """
    return vector_of_sizes(shape, dtypes.dtype_of_sizes(shape))


def vector_of_sizes(sizes: Sequence[Any], dtype: np.dtype) -> Array:
    """Sizes, which may be symbolic, as a vector."""
    if not has_sizes(sizes):
        return constant(np.array([op.index(s) for s in sizes]).astype(dtype))
    parts = [as_operand("shape", s if type(s) is Size else np.array(s, dtype)) for s in sizes]
    return ops.concatenate([ops.reshape(ops.convert(part, dtype), (1,)) for part in parts], 0)
