"""Indices of stored elements: how they are laid out, made, sorted and looked up."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import needed_for, value_error
from dovetail.experimental.sparse.base import (
    CuSparseEfficiencyWarning as CuSparseEfficiencyWarning,
)
from dovetail.experimental.sparse.base import Shape
from dovetail.experimental.sparse.base import SparseEfficiencyError as SparseEfficiencyError
from dovetail.experimental.sparse.base import SparseEfficiencyWarning as SparseEfficiencyWarning
from dovetail.experimental.sparse.base import SparseInfo as SparseInfo


def split(values: Sequence[Any], *counts: int) -> list[tuple[Any, ...]]:
    """Parts of a sequence of the given lengths, and the rest."""
    parts, start = [], 0
    for count in counts:
        parts.append(tuple(values[start : start + count]))
        start += count
    return [*parts, tuple(values[start:])]


def remaining(values: Iterable[int], *taken: Iterable[int]) -> list[int]:
    """Those values that are in none of the others."""
    others = {each for some in taken for each in some}
    return [value for value in values if value not in others]


def number_of_elements(function: str, nse: Any) -> int:
    """A number of specified elements, which must be known.

    Raises:
      ConcretizationTypeError: it depends on traced values.
    """
    with needed_for(f"the nse argument of {function}, the number of stored elements"):
        return operator.index(nse)


# Places -------------------------------------------------------------------------------------------


def positions(
    sizes: Sequence[int], trailing: int = 1, of: Sequence[int] | None = None
) -> list[Any]:
    """Indices along leading dimensions that broadcast against each other.

    Args:
      sizes: the sizes of these dimensions.
      trailing: the number of dimensions of size 1 after them.
      of: the sizes of the array that is indexed, which has one element for all where that is 1.
    """
    found = []
    for i, size in enumerate(sizes):
        shape = [1] * (len(sizes) + trailing)
        if of is None or of[i] == size:
            shape[i] = size
            found.append(np.arange(size, dtype=np.int32).reshape(shape))
        else:
            found.append(np.zeros(shape, np.int32))
    return found


def columns(indices: Array) -> list[Array]:
    """The indices along each sparse dimension."""
    return [indices[..., i] for i in range(indices.shape[-1])]


def bounds(shape: Sequence[int], indices: Array) -> Any:
    """The sizes of the sparse dimensions, which are the indices of elements that do not exist."""
    n_batch, n_sparse = indices.ndim - 2, indices.shape[-1]
    return np.asarray(shape[n_batch : n_batch + n_sparse], indices.dtype)


def is_inside(shape: Sequence[int], indices: Array) -> Array:
    """Whether each stored element is within the array."""
    return dnp.all(indices < bounds(shape, indices), axis=-1)


def with_dense(mask: Array, data: Array) -> Array:
    """A mask of elements with as many dimensions as their values."""
    return lax.expand_dims(mask, tuple(range(mask.ndim, data.ndim)))


def take(array: Array, chosen: Array, n_batch: int) -> Array:
    """Elements of each batch in another order.

    Args:
      array: of shape (batch..., n, ...).
      chosen: of shape (batch..., m); batches of size 1 are broadcast.
      n_batch: the number of batch dimensions.
    """
    batch = np.broadcast_shapes(array.shape[:n_batch], chosen.shape[:n_batch])
    return array[(*positions(batch, of=array.shape[:n_batch]), chosen)]


def add_at(shape: Shape, where: Sequence[Any], data: Array) -> Array:
    """An array of the sums of the values at each place; those outside are dropped."""
    if data.dtype == bool:
        return add_at(shape, where, data.astype(np.int32)) > 0
    return dnp.zeros(shape, data.dtype).at[tuple(where)].add(data, mode="drop")


def values_at(array: Array, where: Sequence[Any]) -> Array:
    """The elements at given places, 0 outside of the array."""
    return array.at[tuple(where)].get(mode="fill", fill_value=0)


# Counting and finding -----------------------------------------------------------------------------


def stored_elements(mat: Array, n_dense: int) -> Array:
    """Where a dense array has elements to store: blocks of its dense dimensions that are not 0."""
    mask = mat != 0
    return dnp.any(mask, axis=tuple(range(mat.ndim - n_dense, mat.ndim))) if n_dense else mask


def count_per_batch(mat: Any, n_batch: int = 0, n_dense: int = 0) -> Array:
    """The number of elements to store in each batch of a dense array."""
    mask = stored_elements(dnp.asarray(mat), n_dense)
    return dnp.sum(mask, axis=tuple(range(n_batch, mask.ndim)), dtype=np.int32)


def count(mat: Any, n_batch: int = 0, n_dense: int = 0) -> Array:
    """The number of elements to store in each batch of a dense array, at most."""
    return dnp.max(count_per_batch(mat, n_batch, n_dense), initial=0)


def find(mask: Array, n_batch: int, nse: int, dtype: Any) -> Array:
    """The indices of the first true elements of each batch, in order.

    Args:
      mask: bools of shape (batch..., sparse...).
      n_batch: the number of batch dimensions.
      nse: the number of indices of each batch; those that are left over are outside.
      dtype: their type.

    Returns:
      An array of shape (batch..., nse, number of sparse dimensions).
    """
    batch, sizes = mask.shape[:n_batch], mask.shape[n_batch:]
    if not sizes:
        return dnp.zeros((*batch, nse, 0), dtype)
    total = math.prod(sizes)
    flat = mask.reshape(*batch, total)
    # An element's number among those of its batch; what is not stored goes past the end.
    number = dnp.cumsum(flat, axis=-1, dtype=np.int32) - 1
    goes_to = dnp.where(flat, number, nse)
    place = dnp.full((*batch, nse), total, np.int32)
    where = (*positions(batch), goes_to)
    place = place.at[where].set(np.arange(total, dtype=np.int32), mode="drop")
    return unraveled(place, sizes, dtype)


def unraveled(flat: Array, sizes: Sequence[int], dtype: Any) -> Array:
    """Flat indices as indices along dimensions; those outside are outside along each of them."""
    is_outside = flat >= math.prod(sizes)
    made, step = [], math.prod(sizes)
    for size in sizes:
        step //= max(size, 1)
        along = flat // max(step, 1) % max(size, 1)
        made.append(dnp.where(is_outside, size, along).astype(dtype))
    return dnp.stack(made, axis=-1)


def raveled(indices: Array, sizes: Sequence[int]) -> Array:
    """Indices along dimensions as flat indices; those outside are the number of elements."""
    flat = dnp.zeros(indices.shape[:-1], np.int32)
    for along, size in zip(columns(indices), sizes, strict=True):
        flat = flat * size + along.astype(np.int32)
    is_inside = dnp.all(indices < np.asarray(sizes, indices.dtype), axis=-1)
    return dnp.where(is_inside, flat, math.prod(sizes))


# Order --------------------------------------------------------------------------------------------


def sort(indices: Array) -> tuple[Array, Array]:
    """The indices of each batch in lexicographic order, and their positions before."""
    n_sparse = indices.shape[-1]
    before = lax.broadcasted_iota(np.int32, indices.shape[:-1], indices.ndim - 2)
    if not n_sparse:
        return indices, before
    *along, order = lax.sort((*columns(indices), before), dimension=-1, num_keys=n_sparse)
    return dnp.stack(along, axis=-1), order


def unique(indices: Array, shape: Sequence[int]) -> tuple[Array, Array, Array, Array]:
    """The distinct indices of each batch.

    Args:
      indices: of shape (batch..., nse, number of sparse dimensions).
      shape: the shape of the array.

    Returns:
      (indices, order, number, count): the distinct indices in order, as many as before, those that
      are left over outside; the positions of all elements in that order; the number of each of
      them among the distinct ones; and how many are inside. The last is of shape (batch...).
    """
    n_batch, limits = indices.ndim - 2, bounds(shape, indices)
    batch, nse = indices.shape[:n_batch], indices.shape[n_batch]
    inside = is_inside(shape, indices)
    ordered, order = sort(dnp.where(inside[..., None], indices, limits))
    differs = dnp.any(ordered[..., 1:, :] != ordered[..., :-1, :], axis=-1)
    first = dnp.ones((*batch, min(nse, 1)), bool)
    is_new = dnp.concatenate([first, differs], axis=-1)
    number = dnp.cumsum(is_new, axis=-1, dtype=np.int32) - 1
    made = dnp.broadcast_to(dnp.asarray(limits), ordered.shape)
    made = made.at[(*positions(batch), number)].set(ordered, mode="drop")
    total = dnp.sum(is_new & is_inside(shape, ordered), axis=-1, dtype=np.int32)
    return made, order, number, total


def is_first(indices: Array, shape: Sequence[int]) -> Array:
    """Whether each element is the first of its batch with its indices."""
    _, order, number, _ = unique(indices, shape)
    batch = indices.shape[:-2]
    is_new = dnp.concatenate(
        [dnp.ones_like(number[..., :1], bool), number[..., 1:] != number[..., :-1]], axis=-1
    )
    return dnp.zeros(order.shape, bool).at[(*positions(batch), order)].set(is_new)


def resized(indices: Array, shape: Sequence[int], nse: int) -> Array:
    """As many indices of each batch as wanted: the first, or more that are outside."""
    has = indices.shape[-2]
    if nse <= has:
        return indices[..., :nse, :]
    more = (*indices.shape[:-2], nse - has, indices.shape[-1])
    outside = dnp.broadcast_to(dnp.asarray(bounds(shape, indices)), more)
    return dnp.concatenate([indices, outside], axis=-2)


# Rows of compressed formats -----------------------------------------------------------------------


def rows_of(indptr: Array, nse: int) -> Array:
    """The row of each stored element; elements beyond the last row are outside.

    Args:
      indptr: the starts of rows, and the end of the last, of shape (batch..., rows + 1).
      nse: the number of stored elements.
    """
    batch = indptr.shape[:-1]
    starts = dnp.zeros((*batch, nse), indptr.dtype)
    where = (*positions(batch), indptr)
    return dnp.cumsum(starts.at[where].add(1, mode="drop"), axis=-1, dtype=indptr.dtype) - 1


def starts_of(rows: Array, n_rows: int, dtype: Any) -> Array:
    """The starts of rows, and the end of the last, from the sorted rows of elements."""
    batch = rows.shape[:-1]
    counts = dnp.zeros((*batch, n_rows), dtype)
    counts = counts.at[(*positions(batch), rows)].add(1, mode="drop")
    ends = dnp.cumsum(counts, axis=-1, dtype=dtype)
    return dnp.concatenate([dnp.zeros((*batch, 1), dtype), ends], axis=-1)


def check_two_dimensions(function: str, shape: Sequence[int]) -> None:
    """Reject arrays that are no matrices.

    Raises:
      ValueError: the array has another number of dimensions.
    """
    if len(shape) != 2:
        raise value_error(f"{function} must have ndim=2, got: shape={tuple(shape)}")
