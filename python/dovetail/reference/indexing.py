"""Ops that read and write windows at places that are known only at run time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.reference.op import NS, op

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]


def _elements(shape: Dims, indices: Array, dims: Dims, window: Dims) -> tuple[Array, ...] | None:
    """A NumPy index of the leading dimensions, for windows of size 1 that are all within the
    operand; else None.
    """
    if not dims or dims != tuple(range(len(dims))) or any(size != 1 for size in window):
        return None
    starts = indices.reshape(-1, len(dims)).astype(np.int64, copy=False)
    # Without signs, negative ones are too great.
    inside = starts.view(np.uint64) < np.array(shape[: len(dims)], np.uint64)
    if np.count_nonzero(inside) != starts.size:
        return None
    return tuple([starts[:, i] for i in range(len(dims))])


def _places(
    shape: Dims, indices: Array, dims: Dims, window: Dims
) -> tuple[tuple[Array, ...], Array]:
    """Index arrays (windows x elements of a window) of an operand, and which windows are in it."""
    starts = indices.reshape(math.prod(indices.shape[:-1]), len(dims)).astype(np.int64)
    last = np.array([shape[dim] - size for dim, size in zip(dims, window, strict=True)], np.int64)
    inside = np.all((starts >= 0) & (starts <= last), axis=1)
    rank = len(shape)
    places = []
    for d in range(rank):
        along = [1] * (rank + 1)
        if d in dims:
            i = dims.index(d)
            along[d + 1] = window[i]
            place = starts[:, i].reshape(-1, *(1,) * rank) + np.arange(window[i]).reshape(along)
        else:
            along[d + 1] = shape[d]
            place = np.arange(shape[d]).reshape(along)
        places.append(place)
    return tuple(places), inside


@op("gather", cost=20 * NS, checked="never")
def gather(x: Array, indices: Array, *, dims: Dims, window: Dims) -> Array:
    """Windows of `x`; those that are not wholly within it are zeros."""
    sizes = list(x.shape)
    for i, dim in enumerate(dims):
        sizes[dim] = window[i]
    if dims and indices.size == len(dims):
        place = list(map(slice, sizes))
        for i, start in enumerate(indices.ravel().tolist()):
            dim, stop = dims[i], start + window[i]
            if start < 0 or stop > x.shape[dim]:
                break
            place[dim] = slice(start, stop)
        else:
            # One window, within `x`: a slice.
            return x[*place, ...].reshape(indices.shape[:-1] + tuple(sizes))
    elements = _elements(x.shape, indices, dims, window)
    if elements is not None:
        return x[elements].reshape(indices.shape[:-1] + tuple(sizes))
    places, inside = _places(x.shape, indices, dims, window)
    result = np.zeros((inside.size, *sizes), x.dtype)
    result[inside] = x[tuple(p[inside] if p.shape[0] == inside.size else p for p in places)]
    return result.reshape(indices.shape[:-1] + tuple(sizes))


def _scattered(combine: np.ufunc | None) -> Callable[..., Array]:
    """A scatter that combines elements with updates one after the other, or replaces them."""

    def function(
        x: Array,
        indices: Array,
        updates: Array,
        *,
        dims: Dims,
        window: Dims,
        unique: bool = False,
    ) -> Array:
        elements = _elements(x.shape, indices, dims, window)
        if elements is not None and x.dtype.isbuiltin == 1:
            result = np.array(x)
            rows = updates.reshape(elements[0].shape + x.shape[len(dims) :])
            if combine is None:
                result[elements] = rows
            else:
                combine.at(result, elements, rows)
            return result
        sizes = updates.shape[indices.ndim - 1 :]
        places, inside = _places(x.shape, indices, dims, window)
        count = int(inside.sum())
        rows = updates.reshape(inside.size, *sizes)[inside]
        places = tuple(p[inside] if p.shape[0] == inside.size else p for p in places)
        result = np.array(x)
        if dims and combine is None:
            result[places] = rows
        elif dims and x.dtype.isbuiltin == 1:
            combine.at(result, places, rows)  # type: ignore[union-attr]
        else:
            # NumPy's unbuffered operations know its own types only.
            for i, row in enumerate(rows):
                place = tuple(p[i] if p.shape[0] == count else p[0] for p in places)
                result[place] = row if combine is None else combine(result[place], row)
        return result

    return function


scatter = op("scatter", cost=20 * NS, checked="never")(_scattered(None))
scatter_add = op("scatter_add", cost=60 * NS)(_scattered(np.add))
scatter_mul = op("scatter_mul", cost=60 * NS)(_scattered(np.multiply))
scatter_min = op("scatter_min", cost=60 * NS, checked="never")(_scattered(np.minimum))
scatter_max = op("scatter_max", cost=60 * NS, checked="never")(_scattered(np.maximum))
