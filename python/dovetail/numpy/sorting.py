"""Sorting, order statistics, and the distinct elements of an array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dovetail import dtypes, lax, ops
from dovetail.array import Array
from dovetail.errors import type_error, value_error
from dovetail.lax.operands import (
    ArrayLike,
    as_operand,
    broadcast_dims,
    canonical_axes,
    canonical_axis,
)
from dovetail.lax.sort import numbered
from dovetail.numpy import reductions
from dovetail.numpy.choice import where as choose
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import no_out, real_inexact, with_dtype

Axis = Any


def _row(name: str, a: ArrayLike, axis: int | None, order: Any = None) -> tuple[Array, int]:
    """The array and the dimension to sort along; None flattens."""
    if order is not None:
        raise value_error(f"{name}: arrays have no fields, so order must be None, got {order!r}")
    x = as_operand(name, a)
    if axis is None:
        return lax.reshape(x, (x.size,)), 0
    return x, canonical_axis(axis, x.ndim)


def _from_the_end(xs: Sequence[Array], dimension: int) -> list[Array]:
    """Sorted in decreasing order; of equal elements the first come first."""
    backwards = [ops.reverse(x, (dimension,)) for x in xs]
    return [ops.reverse(x, (dimension,)) for x in ops.sort(backwards, dimension, 1)]


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

    >>> sort(np.float32([3, 1, 2]))
    Array([1., 2., 3.], dtype=float32)
    """
    x, dimension = _row("sort", a, axis, order)
    return (_from_the_end([x], dimension) if descending else ops.sort([x], dimension, 1))[0]


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """Where the elements of `sort` are; equal ones in the order they have.

    >>> argsort(np.float32([3, 1, 2]))
    Array([1, 2, 0], dtype=int32)
    """
    x, dimension = _row("argsort", a, axis, order)
    pair = [x, _positions(x, dimension)]
    return (_from_the_end(pair, dimension) if descending else ops.sort(pair, dimension, 1))[1]


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
        raise type_error("lexsort: there must be a key, got none")
    if any(x.shape != xs[0].shape for x in xs):
        raise value_error(f"lexsort: shapes must be equal, got {[x.shape for x in xs]}")
    if xs[0].ndim == 0:
        return lax.full((), 0, dtypes.default_dtype("i"))
    dimension = canonical_axis(axis, xs[0].ndim)
    return ops.sort([*xs[::-1], _positions(xs[0], dimension)], dimension, len(xs))[-1]


def _check_kth(name: str, kth: int, size: int) -> None:
    if not -size <= kth < size:
        raise value_error(f"{name}: kth {kth} is out of bounds for {size} elements")


def partition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """The elements with the one at place `kth` of the sorted array there, none greater before it
    and none smaller behind it: here, sorted.

    >>> partition(np.float32([3, 1, 2]), 1)
    Array([1., 2., 3.], dtype=float32)
    """
    x, dimension = _row("partition", a, axis)
    _check_kth("partition", kth, x.shape[dimension])
    return sort(x, dimension)


def argpartition(a: ArrayLike, kth: int, axis: int = -1) -> Array:
    """Where the elements of `partition` are.

    >>> argpartition(np.float32([3, 1, 2]), 1)
    Array([1, 2, 0], dtype=int32)
    """
    x, dimension = _row("argpartition", a, axis)
    _check_kth("argpartition", kth, x.shape[dimension])
    return argsort(x, dimension)


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


# Order statistics ---------------------------------------------------------------------------------


def along_first(x: Array, indices: Array) -> Array:
    """The elements of x[:, ...] that `indices`, of the same rank, names for each place of the
    other dimensions.
    """
    places = [numbered(indices, d) for d in range(1, indices.ndim)]
    vectors = [lax.expand_dims(with_dtype(i, dtypes.int32), (x.ndim,)) for i in [indices, *places]]
    index = lax.concatenate(vectors, x.ndim)
    dims = tuple(range(x.ndim))
    return lax.reshape(ops.gather(x, index, dims, (1,) * x.ndim), indices.shape)


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """The values below which a part `q` of the elements over `axis` (all by default) lies; NaN if
    one is NaN.

    Args:
      q: a part, or an array of them, which become the first dimensions of the result.
      method: between two elements the `linear` interpolation, the `lower`, the `higher`, the
        `nearest` or their `midpoint`.

    >>> quantile(np.float32([1, 2, 3, 4]), 0.5)
    Array(2.5, dtype=float32)
    """
    return _quantile("quantile", a, q, axis, out, overwrite_input, method, keepdims, False)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """As `quantile`, of the elements that are not NaN; NaN if there is none.

    >>> nanquantile(np.float32([1, np.nan, 3]), 0.5)
    Array(2., dtype=float32)
    """
    return _quantile("nanquantile", a, q, axis, out, overwrite_input, method, keepdims, True)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """As `quantile`, for `q` in percent.

    >>> percentile(np.float32([1, 2, 3, 4]), 50)
    Array(2.5, dtype=float32)
    """
    part = real_inexact("percentile", q) / 100
    return _quantile("percentile", a, part, axis, out, overwrite_input, method, keepdims, False)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """As `nanquantile`, for `q` in percent.

    >>> nanpercentile(np.float32([1, np.nan, 3]), 50)
    Array(2., dtype=float32)
    """
    part = real_inexact("nanpercentile", q) / 100
    return _quantile("nanpercentile", a, part, axis, out, overwrite_input, method, keepdims, True)


def median(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle of the sorted elements over `axis`, of two the mean; NaN if one is NaN.

    Args:
      a: an array of real numbers.
      axis: the dimension or dimensions; None is all of them.
      out: must be None.
      overwrite_input: accepted.
      keepdims: whether these dimensions stay, with size 1.

    Returns:
      An array of floats without these dimensions.

    Example:
      >>> median(np.float32([3, 1, 2]))
      Array(2., dtype=float32)
    """
    return _quantile("median", a, 0.5, axis, out, overwrite_input, "midpoint", keepdims, False)


def nanmedian(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """As `median`, of the elements that are not NaN.

    Args:
      a: an array of real numbers.
      axis: the dimension or dimensions; None is all of them.
      out: must be None.
      overwrite_input: accepted.
      keepdims: whether these dimensions stay, with size 1.

    Returns:
      An array of floats without these dimensions.

    Example:
      >>> nanmedian(np.float32([3, np.nan, 2]))
      Array(2.5, dtype=float32)
    """
    return _quantile("nanmedian", a, 0.5, axis, out, overwrite_input, "midpoint", keepdims, True)


def _quantile(
    name: str,
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis,
    out: Any,
    overwrite_input: bool,
    method: str,
    keepdims: bool,
    skip_nan: bool,
) -> Array:
    no_out(name, out)
    if overwrite_input:
        raise value_error(f"{name}: arrays are immutable, so overwrite_input must be False")
    if method not in _METHODS:
        raise value_error(f"{name}: method must be one of {', '.join(_METHODS)}, got {method!r}")
    x = real_inexact(name, a)
    part = with_dtype(real_inexact(name, q), x.dtype)
    if part.ndim > 1:
        raise value_error(f"{name}: q must have rank 0 or 1, got shape {part.shape}")
    dims = canonical_axes(axis, x.ndim)
    kept = [d for d in range(x.ndim) if d not in dims]
    shape = tuple(x.shape[d] for d in kept)
    size = math.prod(x.shape[d] for d in dims)
    if not size:
        raise value_error(f"{name}: there must be an element, got shape {x.shape} and axis {axis}")
    rows = lax.reshape(lax.transpose(x, [*dims, *kept]), (size, *shape))
    # Narrow floats do not count far.
    narrow = x.dtype.itemsize < 4
    compute = dtypes.float32 if narrow else x.dtype
    (ordered,) = ops.sort([with_dtype(rows, compute)], 0, 1)
    bad = isnan(ordered)
    count = with_dtype(lax.reduce_sum(with_dtype(ops.not_(bad), dtypes.int32), (0,)), compute)
    # Of each part and each row: between which two of its elements, and how far.
    parts = lax.reshape(with_dtype(part, compute), (part.size,))
    places = (part.size, *shape)
    within = broadcast_dims(parts, places, (0,))
    last = broadcast_dims(count, places, tuple(range(1, len(places)))) - 1
    position = within * choose(last < 0, 0, last)
    low = ops.floor(position)
    weight = position - low
    below = with_dtype(low, dtypes.int32)
    above = with_dtype(ops.ceil(position), dtypes.int32)
    first, second = along_first(ordered, below), along_first(ordered, above)
    match method:
        case "linear":
            result = first * (1 - weight) + second * weight
        case "lower":
            result = first
        case "higher":
            result = second
        case "nearest":
            is_first = (weight < 0.5) | ((weight == 0.5) & (below % 2 == 0))
            result = choose(is_first, first, second)
        case _:
            result = choose(weight == 0, first, (first + second) * 0.5)
    unknown = lax.reduce_and(bad, (0,)) if skip_nan else lax.reduce_or(bad, (0,))
    everywhere = broadcast_dims(unknown, places, tuple(range(1, len(places))))
    result = with_dtype(choose(everywhere, math.nan, result), x.dtype)
    if keepdims:
        shape = tuple(1 if d in dims else s for d, s in enumerate(x.shape))
    return lax.reshape(result, part.shape + shape)


# Distinct elements --------------------------------------------------------------------------------


def _taken(x: Array, places: Array) -> Array:
    """The rows of `x` at some places; zeros for places outside."""
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
      return_index: also where each is first.
      return_inverse: also which of them each element is.
      return_counts: also how often each occurs.
      equal_nan: whether all NaNs count as one.
      size: how many to return, which must be given while tracing: the rest is cut off, or filled
        with `fill_value`, by default the first.

    >>> unique(np.int32([3, 1, 3]))
    Array([1, 3], dtype=int32)
    >>> unique(np.int32([3, 1, 3]), size=3, fill_value=0, return_counts=True)
    (Array([1, 3, 0], dtype=int32), Array([1, 2, 0], dtype=int32))
    """
    x = as_operand("unique", ar)
    dimension = 0 if axis is None else canonical_axis(axis, x.ndim)
    rows = lax.reshape(x, (x.size,)) if axis is None else _moved(x, dimension, 0)
    count = rows.shape[0]
    flat = lax.reshape(rows, (count, math.prod(rows.shape[1:])))
    integer = dtypes.default_dtype("i")
    keys = [lax.squeeze(k, (1,)) for k in lax.split(flat, [1] * flat.shape[1], 1)] if count else []
    if not keys:
        keys = [lax.full((count,), 0, dtypes.int32)]
    *ordered, origin = ops.sort([*keys, lax.iota(dtypes.int32, count)], 0, len(keys))
    differs = lax.full((max(count - 1, 0),), False, dtypes.bool_)
    for key in ordered if count else []:
        before, after = lax.slice_in_dim(key, 0, count - 1), lax.slice_in_dim(key, 1, count)
        changed = before != after
        if equal_nan and dtypes.KINDS[key.dtype] in "fc":
            changed = changed & ops.not_(isnan(before) & isnan(after))
        differs = differs | changed
    is_first = lax.concatenate([lax.full((min(count, 1),), True, dtypes.bool_), differs], 0)
    number = ops.cumsum(with_dtype(is_first, dtypes.int32), 0) - 1
    if size is None:
        size = int(reductions.sum(is_first)._value()) if count else 0
    # IREE's compiler crashes on a single one, so there are two, of which the first is returned.
    wanted, size = size, 2 if size == 1 else size
    # The first elements of all groups, in order, then all others.
    _, starts = ops.sort([with_dtype(ops.not_(is_first), dtypes.int32), numbered(number, 0)], 0, 1)
    starts = lax.slice_in_dim(starts, 0, min(size + 1, count))
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
    results = [values if axis is None else _moved(values, 0, dimension)]
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


def _moved(x: Array, source: int, target: int) -> Array:
    """`x` with one dimension moved."""
    order = [d for d in range(x.ndim) if d != source]
    order.insert(target, source)
    return lax.transpose(x, order)
