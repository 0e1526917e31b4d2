"""Arrays with elements removed or inserted."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.arrays.protocols import array_meant
from dovetail.base import dtypes
from dovetail.base.errors import ConcretizationTypeError, index_error, value_error
from dovetail.numpy.bounds import clip
from dovetail.numpy.choice import where
from dovetail.numpy.creation import asarray, broadcast_to_shape
from dovetail.numpy.cumulative import cumsum
from dovetail.numpy.data import as_dtype
from dovetail.numpy.places import Places
from dovetail.numpy.shape import moveaxis, ravel
from dovetail.numpy.sorting import argsort
from dovetail.numpy.taking import take
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.tracer import AnyTracer


def delete(
    arr: ArrayLike, obj: Any, axis: int | None = None, *, assume_unique_indices: bool = False
) -> Array:
    """The array without the elements at the indices `obj`.

    Args:
      arr: an array.
      obj: the elements to delete: an integer, integers, a mask or a slice, known while tracing.
      axis: the dimension; None flattens the array first.
      assume_unique_indices: a promise that integers differ, for which they may be traced.

    Returns:
      A shorter array.

    Raises:
      IndexError: an index is out of bounds.

    Example:
      >>> delete(np.int32([1, 2, 3]), 1)
      Array([1, 3], dtype=int32)
    """
    x = as_operand("delete", arr)
    if axis is None:
        x, axis = ravel(x), 0
    dim = canonical_axis(axis, x.ndim)
    obj = array_meant(obj)
    if isinstance(obj, AnyTracer) and assume_unique_indices and obj.dtype != dtypes.bool_:
        return take(x, _rest(ravel(obj), x.shape[dim]), dim)  # type: ignore[arg-type]
    if isinstance(obj, AnyTracer):
        obj = obj.concrete(ConcretizationTypeError)
    chosen = obj if isinstance(obj, slice) else np.asarray(obj)
    if is_symbolic_dim(x.shape[dim]) and isinstance(chosen, np.ndarray) and not chosen.ndim:
        before, after = _parts(x, _place(int(chosen), x.shape[dim], x.shape[dim] - 1), 1, dim)
        return lax.concatenate([before, after], dim)
    rest = np.delete(np.arange(x.shape[dim]), chosen)
    return _runs(x, rest.tolist(), dim)


def _rest(left_out: Array, size: int) -> Array:
    """The other indices below a size, for indices that differ."""
    there = clip(_from_start(left_out, size), 0, size)
    count = lax.full(there.shape, 1, np.int32)
    gone = Places(lax.full((size,), 0, np.int32), there).add(count)
    # A sort by whether an index is deleted keeps the order of those that stay.
    return argsort(gone)[: size - there.size]


def _from_start(indices: Array, size: int) -> Array:
    """Indices as counted from the start: negative ones count from the end."""
    return where(indices < 0, indices + size, indices)


def _place(index: int, size: Any, last: Any) -> Any:
    """An index from the start of a dimension whose size is not known, no more than the last.

    Raises:
      InconclusiveDimensionOperation: it may be out of bounds.
      IndexError: it is.
    """
    place = index if index >= 0 else index + size
    if place < 0 or place > last:
        raise index_error(f"an index must be within [0, {last}], got: {index}")
    return place


def _parts(x: Array, place: Any, left_out: int, dim: int) -> tuple[Array, Array]:
    """The part before a place, and the part that starts `left_out` elements after it."""
    before = lax.slice_in_dim(x, 0, place, 1, dim)
    return before, lax.slice_in_dim(x, place + left_out, None, 1, dim)


def _runs(x: Array, indices: list[int], dim: int) -> Array:
    """The elements at increasing indices, taken in contiguous runs."""
    pieces: list[Array] = []
    start = 0
    for i in range(1, len(indices) + 1):
        if i == len(indices) or indices[i] != indices[i - 1] + 1:
            pieces.append(lax.slice_in_dim(x, indices[start], indices[i - 1] + 1, 1, dim))
            start = i
    return lax.concatenate(pieces, dim) if pieces else lax.slice_in_dim(x, 0, 0, 1, dim)


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> Array:
    """The array with `values` inserted before one or more places.

    Args:
      arr: an array.
      obj: the elements before which to insert: an integer, integers or a slice. Traced ones that
        are out of bounds are moved to the nearest end.
      values: the inserted elements, converted to the element type of `arr`: along `axis` one for
        each place, or any number for a single integer, for which the first dimension is that.
      axis: the dimension; None flattens the array first.

    Returns:
      A longer array of the element type of `arr`.

    Raises:
      IndexError: a place is out of bounds.

    Example:
      >>> insert(np.int32([1, 3]), 1, 2)
      Array([1, 2, 3], dtype=int32)
      >>> insert(np.int32([1, 3]), [0, 2], [0, 4])
      Array([0, 1, 3, 4], dtype=int32)
    """
    x, new = asarray(arr), asarray(values)
    if axis is None:
        x, axis = ravel(x), 0
    dim = canonical_axis(axis, x.ndim)
    obj = array_meant(obj)
    is_kept = isinstance(obj, (slice, AnyTracer))
    places: Any = obj if is_kept else np.asarray(obj)
    if getattr(places, "ndim", 1) > 1:
        raise value_error(
            f"insert: places must be a slice, an integer or a vector, got: shape {places.shape}"
        )
    new = lax.reshape(new, (1,) * (x.ndim - new.ndim) + new.shape)
    if not getattr(places, "ndim", 1):
        new = moveaxis(new, 0, dim)
    size, count = x.shape[dim], new.shape[dim]
    shape = (*x.shape[:dim], count, *x.shape[dim + 1 :])
    new = broadcast_to_shape("insert", as_dtype(new, x.dtype), shape)
    if is_symbolic_dim(size) and isinstance(places, np.ndarray) and not places.ndim:
        before, after = _parts(x, _place(int(places), size, size), 0, dim)
        return lax.concatenate([before, new, after], dim)
    both = lax.concatenate([x, new], dim)
    # Where each element of the result is in the array followed by the values.
    if isinstance(places, AnyTracer):
        return take(both, _source(ravel(places), size, count), dim)  # type: ignore[arg-type]
    try:
        source = np.insert(np.arange(size), places, size + np.arange(count))
    except IndexError:
        raise index_error(
            f"insert: places must be within dimension {dim} of shape {x.shape}, got: {obj}"
        ) from None
    return both[(slice(None),) * dim + (source,)]


def _source(places: Array, size: int, count: int) -> Array:
    """As of `numpy.insert(arange(size), places, size + arange(count))`."""
    (total,) = lax.broadcast_shapes(places.shape, (count,))
    before = clip(_from_start(broadcast_to_shape("insert", places, (total,)), size), 0, size)
    numbers = lax.iota(np.int32, total)
    new = Places(before.astype(np.int32), argsort(before)).add(numbers)
    nothing = lax.full((size + total,), 0, np.int32)
    is_new = Places(nothing, new).set(1)
    of_new = Places(nothing, new).set(size + numbers % count)
    return where(is_new == 1, of_new, lax.iota(np.int32, size + total) - cumsum(is_new))
