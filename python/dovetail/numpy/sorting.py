"""Sorting, and the distinct elements of an array."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax.sort import numbered
from dovetail.numpy import reductions
from dovetail.numpy.choice import where as choose
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import with_dtype
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    canonical_axis,
)
from dovetail.ops.shapes import move_dim
from dovetail.symbolic.size import max_dim, min_dim
from dovetail.tracing.bind import apply_all_known, apply_known, is_for_numpy

Axis = Any


def _row(name: str, a: ArrayLike, axis: int | None, order: Any = None) -> tuple[Array, int]:
    """The array and the dimension to sort along; None flattens."""
    if order is not None:
        raise value_error(f"{name}: arrays have no fields, so order must be None, got: {order!r}")
    x = as_operand(name, a)
    if axis is None:
        return lax.reshape(x, (x.size,)), 0
    return x, canonical_axis(axis, x.ndim)


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """The elements in increasing order along `axis`, or of the flattened array; NaN is last.

    Args:
      a: an array.
      axis: the dimension; None flattens first.
      kind: accepted.
      order: must be None.
      stable: accepted; the sort is stable.
      descending: whether to sort in decreasing order, with NaN first.

    Returns:
      An array like `a`, or a vector if `axis` is None.

    Raises:
      ValueError: `order` is given, or the axis is out of bounds.

    Example:
      >>> sort(np.float32([3, 1, 2]))
      Array([1., 2., 3.], dtype=float32)
    """
    x, dimension = _row("sort", a, axis, order)
    return ops.sort([x], dimension, 1, descending=descending)[0]


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
    dtype: Any = None,
) -> Array:
    """The indices that sort the array; equal elements keep their order.

    Args:
      a: an array.
      axis, kind, order, stable, descending: as for `sort`.
      dtype: the integer type of the result, by default the default one.

    Returns:
      An array of integers of the shape of `a`, or a vector if `axis` is None.

    Raises:
      ValueError: `order` is given, or the axis is out of bounds.

    Example:
      >>> argsort(np.float32([3, 1, 2]))
      Array([1, 2, 0], dtype=int32)
    """
    x, dimension = _row("argsort", a, axis, order)
    wanted = dtypes.requested(dtype, "argsort", dtypes.int64)
    if dtypes.KINDS[wanted] not in "iu":
        raise type_error(f"argsort: dtype must be that of integers, got: {wanted.name}")
    size = x.shape[dimension] if x.ndim else 1
    if type(size) is int and size - 1 > dtypes.iinfo(wanted).max:
        raise value_error(f"argsort: dtype must hold {size} places, got: {wanted.name}")
    if is_for_numpy(x, kinds="biuf") and not descending and x.ndim:
        order_of = functools.partial(_order, dimension=dimension, dtype=wanted)
        return apply_known(order_of, x)
    pair = [x, with_dtype(_positions(x, dimension), wanted)]
    return ops.sort(pair, dimension, 1, descending=descending)[1]


def _order(x: np.ndarray, dimension: int, dtype: np.dtype) -> np.ndarray:
    return x.argsort(dimension, kind="stable").astype(dtype)


def _positions(x: Array, dimension: int) -> Array:
    return with_dtype(numbered(x, dimension), dtypes.default_dtype("i"))


def lexsort(keys: ArrayLike | Sequence[ArrayLike], axis: int = -1) -> Array:
    """The order that sorts by the last key, where that is equal by the one before it, and so on.

    Args:
      keys: a sequence of arrays of one shape, or an array of them; the last decides first.
      axis: the dimension.

    Returns:
      An array of integers: the order of the elements.

    Example:
      >>> lexsort((np.int32([1, 0, 1]), np.int32([2, 2, 1])))
      Array([2, 1, 0], dtype=int32)
    """
    if isinstance(keys, (tuple, list)):
        xs = [as_operand("lexsort", key, i) for i, key in enumerate(keys)]
    else:
        xs = list(lax.unstack(as_operand("lexsort", keys)))
    if not xs:
        raise type_error("lexsort: there must be a key, got: none")
    if any(x.shape != xs[0].shape for x in xs):
        raise value_error(f"lexsort: shapes must be equal, got: {[x.shape for x in xs]}")
    if xs[0].ndim == 0:
        return lax.full((), 0, dtypes.default_dtype("i"))
    dimension = canonical_axis(axis, xs[0].ndim)
    if is_for_numpy(*xs, kinds="biuf"):
        order_of = functools.partial(_lexsorted, dimension, dtypes.default_dtype("i"))
        return apply_known(order_of, *xs)
    return ops.sort([*xs[::-1], _positions(xs[0], dimension)], dimension, len(xs))[-1]


def _lexsorted(dimension: int, dtype: np.dtype, *keys: np.ndarray) -> np.ndarray:
    return np.lexsort(keys, dimension).astype(dtype)


def _check_kth(name: str, kth: int, size: int) -> None:
    if not -size <= kth < size:
        raise value_error(f"{name}: kth {kth} is out of bounds for {size} elements")


def partition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """The array with the element that belongs at index `kth` there, none greater before it and none
    smaller after it: here, sorted.

    Args:
      a: an array.
      kth: an index along `axis`, known while tracing; a negative one counts from the end.
      axis: the dimension.

    Returns:
      An array like `a`.

    Raises:
      ValueError: `kth` or the axis is out of bounds.

    Example:
      >>> partition(np.float32([3, 1, 2]), 1)
      Array([1., 2., 3.], dtype=float32)
    """
    x, dimension = _row("partition", a, axis)
    _check_kth("partition", kth, x.shape[dimension])
    return ops.sort([x], dimension, 1, carried=False)[0]


def argpartition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """The indices of the elements of `partition`.

    Args:
      a: an array.
      kth, axis: as for `partition`.

    Returns:
      An array of integers of the shape of `a`.

    Raises:
      ValueError: `kth` or the axis is out of bounds.

    Example:
      >>> argpartition(np.float32([3, 1, 2]), 1)
      Array([1, 2, 0], dtype=int32)
    """
    x, dimension = _row("argpartition", a, axis)
    _check_kth("argpartition", kth, x.shape[dimension])
    if is_for_numpy(x, kinds="biuf"):
        return argsort(x, dimension)
    return ops.sort([x, _positions(x, dimension)], dimension, 1, carried=False)[1]


def sort_complex(a: ArrayLike) -> Array:
    """The elements as complex numbers, sorted along the last axis.

    Args:
      a: an array.

    Returns:
      An array of complex numbers.

    Example:
      >>> sort_complex(np.float32([2, 1]))
      Array([1.+0.j, 2.+0.j], dtype=complex64)
    """
    x = as_operand("sort_complex", a)
    return with_dtype(sort(x), dtypes.to_complex_dtype(x.dtype))


# Distinct elements --------------------------------------------------------------------------------


def _taken(x: Array, places: Array) -> Array:
    """The rows of `x` at some indices; zeros for indices out of bounds."""
    index = lax.expand_dims(places, (1,))
    return lax.reshape(ops.gather(x, index, (0,), (1,)), (places.shape[0], *x.shape[1:]))


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
    sorted: bool = True,
) -> Any:
    """The distinct elements, or slices along `axis`, in increasing order.

    Args:
      ar: an array of any shape.
      return_index: whether to return the index of the first occurrence of each.
      return_inverse: whether to return the index of each element of `ar` in the result.
      return_counts: whether to return the number of occurrences of each.
      axis: the dimension of the slices; None compares the elements.
      equal_nan: whether all NaNs count as one.
      size: the number of elements to return, which must be given while tracing: the rest is cut
        off, or filled with `fill_value`, by default the first.
      fill_value: a scalar, or a slice.
      sorted: accepted; the result is sorted.

    Returns:
      An array; or a tuple of it and the requested arrays of integers.

    Raises:
      ValueError: the axis is out of bounds.

    Example:
      >>> unique(np.int32([3, 1, 3]))
      Array([1, 3], dtype=int32)
      >>> unique(np.int32([3, 1, 3]), size=3, fill_value=0, return_counts=True)
      (Array([1, 3, 0], dtype=int32), Array([1, 2, 0], dtype=int32))
    """
    x = as_operand("unique", ar)
    if size is None and axis is None and is_for_numpy(x, kinds="biuf"):
        wanted = (return_index, return_inverse, return_counts)
        find = functools.partial(_distinct, wanted, equal_nan, dtypes.default_dtype("i"))
        found = apply_all_known(find, x, count=1 + sum(wanted), is_sized=False)
        return found[0] if len(found) == 1 else tuple(found)
    if equal_nan and dtypes.KINDS[x.dtype] == "c":
        # Complex numbers with a NaN in one part would not be adjacent after sorting.
        x = choose(isnan(x), math.nan, x)
    dimension = 0 if axis is None else canonical_axis(axis, x.ndim)
    rows = lax.reshape(x, (x.size,)) if axis is None else move_dim(x, dimension, 0)
    count = rows.shape[0]
    flat = lax.reshape(rows, (count, math.prod(rows.shape[1:])))
    integer = dtypes.default_dtype("i")
    keys = [lax.squeeze(k, (1,)) for k in lax.split(flat, [1] * flat.shape[1], 1)] if count else []
    if not keys:
        keys = [lax.full((count,), 0, dtypes.int32)]
    *ordered, origin = ops.sort([*keys, lax.iota(dtypes.int32, count)], 0, len(keys))
    differs = lax.full((max_dim(count - 1, 0),), False, dtypes.bool_)
    for key in ordered if count else []:
        before, after = lax.slice_in_dim(key, 0, count - 1), lax.slice_in_dim(key, 1, count)
        changed = before != after
        if equal_nan and dtypes.KINDS[key.dtype] in "fc":
            changed = changed & ops.not_(isnan(before) & isnan(after))
        differs = differs | changed
    is_first = lax.concatenate([lax.full((min_dim(count, 1),), True, dtypes.bool_), differs], 0)
    number = ops.cumsum(with_dtype(is_first, dtypes.int32), 0) - 1
    if size is None:
        size = int(reductions.sum(is_first)._value()) if count else 0
    # IREE's compiler crashes on a single one, so there are two; the first is returned.
    wanted, size = size, 2 if size == 1 else size
    # The first elements of all groups, in order, then all others.
    _, starts = ops.sort([with_dtype(ops.not_(is_first), dtypes.int32), numbered(number, 0)], 0, 1)
    starts = lax.slice_in_dim(starts, 0, min_dim(size + 1, count))
    starts = lax.pad(
        starts, lax.full((), count, dtypes.int32), [(0, size + 1 - starts.shape[0], 0)]
    )
    total = reductions.sum(is_first, dtype=dtypes.int32)
    starts = choose(lax.iota(dtypes.int32, size + 1) < total, starts, count)
    starts, ends = starts[:size], starts[1:]
    is_real = starts < count
    firsts = _taken(origin, starts)
    values = _taken(rows, firsts)
    if size:
        fill = lax.slice_in_dim(values, 0, 1) if fill_value is None else fill_value
        mask = lax.reshape(is_real, (size,) + (1,) * (values.ndim - 1))
        values = choose(mask, values, with_dtype(fill, values.dtype))
    values = values[:wanted]
    results = [values if axis is None else move_dim(values, 0, dimension)]
    if return_index:
        index = with_dtype(choose(is_real, firsts, firsts[:1]) if size else firsts, integer)
        results.append(index[:wanted])
    if return_inverse:
        _, inverse = ops.sort([origin, number], 0, 1)
        inverse = with_dtype(inverse, integer)
        results.append(lax.reshape(inverse, x.shape) if axis is None else inverse)
    if return_counts:
        results.append(with_dtype(choose(is_real, ends - starts, 0), integer)[:wanted])
    return results[0] if len(results) == 1 else tuple(results)


def _distinct(
    wanted: Sequence[bool], equal_nan: bool, dtype: np.dtype, x: np.ndarray
) -> tuple[np.ndarray, ...]:
    """`unique` of a NumPy array."""
    # With the index requested, NumPy sorts stably: of equal zeros, the first one is the result.
    is_asked = wanted[0] or x.dtype.kind == "f"
    find: Any = np.unique
    found = find(x, is_asked, *wanted[1:], equal_nan=equal_nan)
    if not (is_asked or any(wanted)):
        return (found,)
    return found[0], *(i.astype(dtype) for i in found[1 + (is_asked and not wanted[0]) :])
