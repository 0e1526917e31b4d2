"""Arrays as sets: unions, intersections, differences, and distinct elements by name."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.numpy.choice import isin, where
from dovetail.numpy.joining import concatenate
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import promote, with_dtype
from dovetail.numpy.shape import ravel
from dovetail.numpy.sorting import unique
from dovetail.numpy.taking import nonzero, take
from dovetail.ops.operands import ArrayLike, as_operand

# Distinct elements --------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """The result of `unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Array
    inverse_indices: Array


def unique_all(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueAll:
    """The distinct elements, the index of the first occurrence of each, the inverse indices, and
    the counts; NaNs are distinct.

    Args:
      x: an array of any shape.
      size, fill_value: as for `unique`.

    Returns:
      A named tuple of `values`, `indices`, `inverse_indices` and `counts`.

    Example:
      >>> unique_all(dnp.array([3, 1, 3])).counts
      Array([1, 2], dtype=int32)
    """
    return UniqueAll(
        *unique(x, True, True, True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_counts(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueCounts:
    """The distinct elements, and their counts; NaNs are distinct.

    Args:
      x: an array of any shape.
      size, fill_value: as for `unique`.

    Returns:
      A named tuple of `values` and `counts`.

    Example:
      >>> values, counts = unique_counts(dnp.array([3, 1, 3]))
      >>> counts
      Array([1, 2], dtype=int32)
    """
    return UniqueCounts(
        *unique(x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_inverse(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueInverse:
    """The distinct elements, and the inverse indices, which reconstruct the array; NaNs are
    distinct.

    Args:
      x: an array of any shape.
      size, fill_value: as for `unique`.

    Returns:
      A named tuple of `values` and `inverse_indices`, which has the shape of `x`.

    Example:
      >>> unique_inverse(dnp.array([3, 1, 3])).inverse_indices
      Array([1, 0, 1], dtype=int32)
    """
    return UniqueInverse(
        *unique(x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_values(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """The distinct elements; NaNs are distinct.

    Args:
      x: an array of any shape.
      size, fill_value: as for `unique`.

    Returns:
      A vector, in increasing order.

    Example:
      >>> unique_values(dnp.array([3, 1, 3]))
      Array([1, 3], dtype=int32)
    """
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)


# Two sets -----------------------------------------------------------------------------------------


class _Merged(NamedTuple):
    """The elements of two vectors in order; of equal ones those of the first vector are first."""

    values: Array
    is_second: Array
    # The index of each in its vector. Of equal ones, the two vectors' first elements are adjacent.
    places: Array
    # True where an element equals its predecessor.
    is_repeated: Array


def _merged(x: Array, y: Array) -> _Merged:
    which = [lax.full(v.shape, is_second, dtypes.int32) for v, is_second in ((x, 0), (y, 1))]
    # Counted down in the first vector, so that the last of equal ones has their first index.
    counts = [-lax.iota(dtypes.int32, x.size), lax.iota(dtypes.int32, y.size)]
    keys = [lax.concatenate(parts, 0) for parts in ([x, y], which, counts)]
    values, second, places = ops.sort(keys, 0, 3)
    repeated = _is_repeated(values)
    if dtypes.KINDS[values.dtype] in "fc":
        # NaNs of one vector are one element, those of two vectors are not.
        same = second[:-1] == second[1:]
        are_nan = isnan(values)
        first = lax.full((min(values.size, 1),), False, dtypes.bool_)
        repeated = repeated | lax.concatenate([first, are_nan[:-1] & are_nan[1:] & same], 0)
    return _Merged(values, second == 1, where(second == 1, places, -places), repeated)


def _is_repeated(values: Array) -> Array:
    """True where an element equals its predecessor."""
    first = lax.full((min(values.size, 1),), False, dtypes.bool_)
    return lax.concatenate([first, values[:-1] == values[1:]], 0)


def _next(mask: Array) -> Array:
    """The mask shifted by one to the left, with False at the end."""
    return lax.pad(mask, False, [(-1, 1, 0)]) if mask.size else mask


def _vectors(name: str, ar1: ArrayLike, ar2: ArrayLike) -> list[Array]:
    return [ravel(x) for x in promote(name, ar1, ar2)]


def _size(size: int | None) -> int | None:
    return None if size is None else operator.index(size)


def _chosen(
    values: Array, mask: Array, size: int | None, fill_value: ArrayLike | None
) -> tuple[Array, Array, Array | None]:
    """The values where a mask is true, their indices, and which of them are not fill values.

    By default the first value is the fill value, or 0 if there is none.
    """
    (places,) = nonzero(mask, size=size, fill_value=mask.size)
    if size and values.shape == (0,):
        fill = 0 if fill_value is None else fill_value
        return lax.full((size,), fill, values.dtype), places, places < 0
    result = take(values, places, mode="fill", fill_value=0)
    if size is None:
        return result, places, None
    is_real = places < mask.size
    fill = result[:1] if fill_value is None else with_dtype(fill_value, values.dtype)
    return (where(is_real, result, fill) if size else result), places, is_real


def union1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """The distinct elements of two arrays, in increasing order.

    Args:
      ar1, ar2: arrays of any shape.
      size: the number of elements to return, which traced arrays need: the rest is cut off, or
        filled.
      fill_value: the value to fill with, by default the smallest element.

    Returns:
      A vector.

    Example:
      >>> union1d(dnp.array([1, 2]), dnp.array([4, 2]))
      Array([1, 2, 4], dtype=int32)
    """
    joined = concatenate(_vectors("union1d", ar1, ar2))
    return unique(joined, size=_size(size), fill_value=fill_value)


def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Any:
    """The elements that are in both of two arrays, in increasing order.

    Args:
      ar1, ar2: arrays of any shape.
      assume_unique: a promise that neither array has an element twice. If it is broken, the result
        has all equal elements but one, as in NumPy.
      return_indices: whether to return also the indices of their first occurrences in the flat
        arrays.
      size: the number of elements to return, which traced arrays need: the rest is cut off, or
        filled.
      fill_value: the value to fill with, by default the smallest common element; indices are filled
        with the sizes of the arrays.

    Returns:
      A vector; with `return_indices` three.

    Example:
      >>> intersect1d(dnp.array([1, 2, 3]), dnp.array([3, 2]), return_indices=True)[1:]
      (Array([1, 2], dtype=int32), Array([1, 0], dtype=int32))
    """
    x, y = _vectors("intersect1d", ar1, ar2)
    merged = _merged(x, y)
    # Where the last of the first vector meets the first of the second.
    mask = ops.not_(merged.is_second) & _next(merged.is_second & merged.is_repeated)
    if assume_unique:
        mask = _next(_is_repeated(merged.values))
    values, places, is_real = _chosen(merged.values, mask, _size(size), fill_value)
    if not return_indices:
        return values
    indices = []
    for offset, vector in ((0, x), (1, y)):
        found = with_dtype(
            take(merged.places, places + offset, mode="clip")
            if merged.places.size
            else lax.full(places.shape, 0, dtypes.int32),
            dtypes.default_dtype("i"),
        )
        indices.append(found if is_real is None else where(is_real, found, vector.size))
    return (values, *indices)


def setdiff1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """The distinct elements of the first array that are not in the second, in increasing order.

    Args:
      ar1, ar2: arrays of any shape.
      assume_unique: whether `ar1` has no element twice; its order is then kept.
      size: the number of elements to return, which traced arrays need: the rest is cut off, or
        filled.
      fill_value: the value to fill with, by default 0.

    Returns:
      A vector with the type of `ar1`.

    Example:
      >>> setdiff1d(dnp.array([4, 2, 1]), dnp.array([2, 3]))
      Array([1, 4], dtype=int32)
    """
    kept = ravel(as_operand("setdiff1d", ar1))
    x, y = _vectors("setdiff1d", ar1, ar2)
    fill = 0 if fill_value is None else fill_value
    if assume_unique:
        return _chosen(kept, isin(x, y, invert=True), _size(size), fill)[0]
    if not kept.size:
        return lax.full((_size(size) or 0,), fill, kept.dtype)
    merged = _merged(x, y)
    mask = ops.not_(merged.is_second | _next(merged.is_repeated))
    ordered = take(kept, merged.places, mode="clip")
    return _chosen(ordered, mask, _size(size), fill)[0]


def setxor1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Array:
    """The elements that are in exactly one of two arrays, in increasing order.

    Args:
      ar1, ar2: arrays of any shape.
      assume_unique: a promise that neither array has an element twice. If it is broken, the result
        has the elements that occur once in both arrays together, as in NumPy.
      size: the number of elements to return, which traced arrays need: the rest is cut off, or
        filled.
      fill_value: the value to fill with, by default the smallest of them.

    Returns:
      A vector.

    Example:
      >>> setxor1d(dnp.array([1, 2]), dnp.array([4, 2]))
      Array([1, 4], dtype=int32)
    """
    merged = _merged(*_vectors("setxor1d", ar1, ar2))
    # Elements of the first vector without an equal successor, of the second without an equal
    # predecessor.
    only_first = ops.not_(merged.is_second | _next(merged.is_repeated))
    only_second = merged.is_second & ops.not_(merged.is_repeated)
    mask = only_first | only_second
    if assume_unique:
        is_repeated = _is_repeated(merged.values)
        mask = ops.not_(is_repeated | _next(is_repeated))
    return _chosen(merged.values, mask, _size(size), fill_value)[0]
