"""Reductions of the rows of an array that share a segment number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.element_types import limit
from dovetail.base.errors import ConcretizationTypeError, type_error, value_error
from dovetail.eager import cache
from dovetail.lax.indexing import GatherScatterMode
from dovetail.numpy import reductions
from dovetail.numpy.places import At
from dovetail.ops.operands import ArrayLike, as_operand, check_kind
from dovetail.symbolic.size import as_size
from dovetail.transforms.out_sharding import accepts_out_sharding

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]

Mode = str | GatherScatterMode | None


@accepts_out_sharding
def segment_sum(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The sum of each segment of an array: the rows with the same number.

    Args:
      data: an array of numbers; its first dimension is that of `segment_ids`.
      segment_ids: integers, the segment of each row, in any order; rows with negative numbers are
        dropped.
      num_segments: the number of segments; by default one more than the largest of `segment_ids`,
        which then must be known while tracing.
      indices_are_sorted: accepted.
      unique_indices: promises that no segment has two rows.
      bucket_size: the number of rows to sum at once, before their results are summed, which rounds
        less; None for all at once.
      mode: what happens to rows without a segment: `drop` (the default) drops them, `clip` assigns
        them to the nearest segment, `promise_in_bounds` states that there are none.

    Returns:
      An array of shape (num_segments, …) and of the type of `data`; 0 for segments without rows.

    Raises:
      TypeError: `data` is of bools, or `segment_ids` not of integers.
      ValueError: `num_segments` is negative, or not given where there are no rows.

    Example:
      >>> segment_sum(np.arange(5), np.array([0, 0, 1, 1, 3]))
      Array([1, 5, 0, 4], dtype=int32)
    """
    options = (num_segments, unique_indices, bucket_size, mode)
    return _segments("sum", data, segment_ids, *options)


@accepts_out_sharding
def segment_prod(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The product of each segment of an array: the rows with the same number.

    Args:
      data: an array of numbers; its first dimension is that of `segment_ids`.
      segment_ids, num_segments, indices_are_sorted, unique_indices, mode: as for `segment_sum`. The
        derivative requires `unique_indices`.
      bucket_size: the number of rows to multiply at once, before their results are multiplied; None
        for all at once.

    Returns:
      An array of shape (num_segments, …) and of the type of `data`; 1 for segments without rows.

    Raises:
      TypeError, ValueError: as for `segment_sum`.

    Example:
      >>> segment_prod(np.arange(1, 6), np.array([0, 0, 1, 1, 3]))
      Array([ 2, 12,  1,  5], dtype=int32)
    """
    options = (num_segments, unique_indices, bucket_size, mode)
    return _segments("prod", data, segment_ids, *options)


@accepts_out_sharding
def segment_max(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The largest element of each segment of an array: the rows with the same number.

    Args:
      data: an array of numbers or bools, complex ones in lexicographic order; its first dimension
        is that of `segment_ids`.
      segment_ids, num_segments, indices_are_sorted, unique_indices, mode: as for `segment_sum`.
      bucket_size: accepted.

    Returns:
      An array of shape (num_segments, …) and of the type of `data`; for segments without rows the
      smallest value: -inf, the smallest integer, or False.

    Raises:
      TypeError: `data` is complex, or `segment_ids` not of integers.
      ValueError: as for `segment_sum`.

    Example:
      >>> segment_max(np.float32([1, 4, 2, 0, 5]), np.array([0, 0, 1, 1, 3]))
      Array([  4.,   2., -inf,   5.], dtype=float32)
    """
    options = (num_segments, unique_indices, None, mode)
    return _segments("max", data, segment_ids, *options)


@accepts_out_sharding
def segment_min(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The smallest element of each segment of an array: the rows with the same number.

    Args:
      data: an array of numbers or bools, complex ones in lexicographic order; its first dimension
        is that of `segment_ids`.
      segment_ids, num_segments, indices_are_sorted, unique_indices, mode: as for `segment_sum`.
      bucket_size: accepted.

    Returns:
      An array of shape (num_segments, …) and of the type of `data`; for segments without rows the
      largest value: inf, the largest integer, or True.

    Raises:
      TypeError: `data` is complex, or `segment_ids` not of integers.
      ValueError: as for `segment_sum`.

    Example:
      >>> segment_min(np.float32([1, 4, 2, 0, 5]), np.array([0, 0, 1, 1, 3]))
      Array([ 1.,  0., inf,  5.], dtype=float32)
    """
    options = (num_segments, unique_indices, None, mode)
    return _segments("min", data, segment_ids, *options)


class _Reduction(NamedTuple):
    """A segment reduction: a method of `x.at[...]`, the element kinds it supports, its initial
    value, and the reduction of buckets.
    """

    method: str
    kinds: str
    neutral: Callable[[np.dtype], Any]
    total: Callable[..., Array]


_REDUCTIONS = {
    "sum": _Reduction("add", "iufc", lambda dtype: 0, reductions.sum),
    "prod": _Reduction("multiply", "iufc", lambda dtype: 1, reductions.prod),
    "max": _Reduction("max", "biufc", lambda dtype: limit(dtype, False), reductions.max),
    "min": _Reduction("min", "biufc", lambda dtype: limit(dtype, True), reductions.min),
}


def _segments(
    name: str,
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: Any,
    unique: bool,
    bucket_size: int | None,
    mode: Mode,
) -> Array:
    """`segment_sum` and the others."""
    function, way = f"segment_{name}", _REDUCTIONS[name]
    rows = check_kind(function, as_operand(function, data), way.kinds)
    ids = as_operand(function, segment_ids, 1)
    if dtypes.KINDS[ids.dtype] not in "iu":
        raise type_error(f"{function}: segment_ids must be integers, got: {ids.dtype.name}")
    if ids.ndim == 1 and rows.shape[:1] not in ((), (1,), ids.shape):
        raise value_error(
            f"{function}: segment_ids must have a number for each row of data, got: shapes "
            f"{ids.shape} and {rows.shape}"
        )
    count = _count(function, ids, num_segments)
    options = {"unique_indices": unique, "mode": mode, "wrap_negative_indices": False}
    shape, start = (count, *rows.shape[1:]), way.neutral(rows.dtype)
    if bucket_size is None:
        empty = lax.full(shape, start, rows.dtype)
        return getattr(At(empty)[ids], way.method)(rows, **options)
    if ids.ndim != 1 or bucket_size < 1:
        raise value_error(
            f"{function}: buckets must have at least one row, and segment_ids be a vector, got: "
            f"bucket_size {bucket_size} and segment_ids of shape {ids.shape}"
        )
    size = ids.shape[0]
    buckets = np.arange(size, dtype=np.int32) // bucket_size
    empty = lax.full((-(-size // bucket_size), *shape), start, rows.dtype)
    filled = getattr(At(empty)[buckets, ids], way.method)(rows, **options)
    return lax.convert_element_type(way.total(filled, 0), rows.dtype)


def _count(function: str, ids: Array, num_segments: Any) -> Any:
    """The number of segments."""
    if num_segments is None:
        if not ids.size:
            raise value_error(f"{function}: num_segments must be given where there are no rows")
        try:
            num_segments = int(reductions.max(ids)) + 1
        except ConcretizationTypeError as error:
            raise type(error)(
                f"{error}; {function} makes an array with so many rows, so give it num_segments"
            ) from None
    count = as_size(num_segments)
    if isinstance(count, int) and count < 0:
        raise value_error(f"{function}: num_segments must not be negative, got: {count}")
    return count


cache.remember(globals())
