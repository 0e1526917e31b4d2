"""Ops that make arrays out of nothing, or move elements without computing on them.

An entry below zero of a result shape is a dynamic size: the next of the operands `sizes`.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from dovetail.reference.op import op

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]


def _resolved(shape: Dims, sizes: tuple[Array, ...]) -> Dims:
    if not sizes:
        return shape
    remaining = iter(sizes)
    return tuple(int(next(remaining)) if size < 0 else size for size in shape)


@op("constant", "arith.constant", cost=0.0, only_moves=True)
def constant(*, value: Array) -> Array:
    """The value."""
    return value


@op("iota", only_moves=True)
def iota(*sizes: Array, shape: Dims, dtype: np.dtype, dimension: int) -> Array:
    """Each element is its index along one dimension."""
    shape = _resolved(shape, sizes)
    indices = np.arange(shape[dimension]).astype(dtype)
    return broadcast(indices, shape=shape, dims=(dimension,))


@op("reshape", cost=0.0, only_moves=True)
def reshape(x: Array, *sizes: Array, shape: Dims) -> Array:
    """The same elements, in row-major order, in another shape."""
    return x.reshape(_resolved(shape, sizes))


@op("broadcast", cost=0.0, only_moves=True)
def broadcast(x: Array, *sizes: Array, shape: Dims, dims: Dims) -> Array:
    """Operand dimension i becomes result dimension `dims[i]`; along others it is repeated."""
    shape = _resolved(shape, sizes)
    if not x.ndim:
        return np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    if not x.flags.c_contiguous:
        kept = [1] * len(shape)
        for i, size in zip(dims, x.shape, strict=True):
            kept[i] = size
        return np.broadcast_to(x.reshape(kept), shape)
    strides = [0] * len(shape)
    for i, stride in zip(dims, x.strides, strict=True):
        strides[i] = stride
    # The view that np.broadcast_to gives, in an eighth of the time.
    return np.ndarray(shape, x.dtype, x, 0, strides)


@op("slice", cost=0.0, only_moves=True)
def slice(x: Array, *sizes: Array, shape: Dims, starts: Dims, strides: Dims) -> Array:
    """Element i along a dimension is operand element start + i * stride."""
    shape = _resolved(shape, sizes)
    return x[slice_index(starts, shape, strides)]


def slice_index(starts: Dims, shape: Dims, strides: Dims) -> tuple[Any, ...]:
    """The index of a slice of such a shape."""
    # The ellipsis keeps a 0-dimensional result an array.
    return (*map(_range, starts, shape, strides), ...)


def _range(start: int, size: int, stride: int) -> Any:
    return builtins.slice(start, start + size * stride, stride)


@op("pad", only_moves=True)
def pad(x: Array, value: Array, *sizes: Array, shape: Dims, low: Dims, interior: Dims) -> Array:
    """Operand element i goes to low + i * (interior + 1), if that is within the result."""
    shape = _resolved(shape, sizes)
    places = pad_places(shape, x.shape, low, interior)
    result = np.full(shape, value, x.dtype)
    if places is not None:
        source, target = places
        result[target] = x[source]
    return result


def pad_places(
    shape: Dims, operand: Dims, low: Dims, interior: Dims
) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Indices of the operand elements that padding keeps, and their places in the result; None if
    there are none.
    """
    source, target = [], []
    for size, n, first, gap in zip(shape, operand, low, interior, strict=True):
        stride = gap + 1
        begin = min(n, -(min(first, 0) // stride))
        end = max(begin, min(n, -((first - size) // stride)))
        source.append(np.s_[begin:end])
        target.append(_range(first + begin * stride, end - begin, stride))
    is_any = all(s.start < s.stop for s in source)
    return (tuple(source), tuple(target)) if is_any else None


@op("transpose", cost=0.0, only_moves=True)
def transpose(x: Array, *, permutation: Dims) -> Array:
    """Dimension i of the result is dimension `permutation[i]` of the operand."""
    return x.transpose(permutation)


@op("reverse", cost=0.0, only_moves=True)
def reverse(x: Array, *, dims: Dims) -> Array:
    """The elements in reverse order along some dimensions."""
    return x[reverse_index(x.ndim, dims)]


def reverse_index(rank: int, dims: Dims) -> tuple[Any, ...]:
    """The index that turns some dimensions round."""
    forwards, backwards = np.s_[:], np.s_[::-1]
    return (*[backwards if i in dims else forwards for i in range(rank)], ...)


@op("roll", only_moves=True)
def roll(x: Array, *, dimension: int, shift: int) -> Array:
    """Element i along a dimension is operand element i - shift, counted round."""
    return np.roll(x, shift, dimension)


@op("concatenate", only_moves=True)
def concatenate(*xs: Array, dimension: int) -> Array:
    """The operands one after the other along one dimension."""
    return np.concatenate(xs, dimension)


@op("name", cost=0.0, only_moves=True)
def name(x: Array, label: str) -> Array:
    """The operand."""
    return x


@op("reshard", cost=0.0, only_moves=True)
def reshard(x: Array, sharding: Any, closed: Any = None, memory: Any = None) -> Array:
    """The operand: where its elements are does not change them."""
    return x


@op("optimization_barrier", cost=0.0, only_moves=True)
def optimization_barrier(*xs: Array) -> tuple[Array, ...]:
    """The operands."""
    return xs
