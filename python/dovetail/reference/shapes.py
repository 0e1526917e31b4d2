"""Ops that make arrays out of nothing, or move elements without computing on them.

An entry below zero of a result shape is a dynamic size: the next of the operands `sizes`.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]


def _resolved(shape: Dims, sizes: tuple[Array, ...]) -> Dims:
    if not sizes:
        return shape
    remaining = iter(sizes)
    return tuple(int(next(remaining)) if size < 0 else size for size in shape)


def constant(*, value: Array) -> Array:
    """The value."""
    return value


def iota(*sizes: Array, shape: Dims, dtype: np.dtype, dimension: int) -> Array:
    """Each element is its index along one dimension."""
    shape = _resolved(shape, sizes)
    indices = np.arange(shape[dimension]).astype(dtype)
    return broadcast(indices, shape=shape, dims=(dimension,))


def dim(x: Array, *, dimension: int) -> Array:
    """The size of one dimension."""
    return np.array(x.shape[dimension])


def from_index(size: Array, *, dtype: np.dtype) -> Array:
    """A size as a number."""
    return np.asarray(size).astype(dtype)


def assume(size: Array, *, min: int, max: int, multiple: int) -> Array:
    """The size."""
    return size


def with_sizes(x: Array, *sizes: Array) -> Array:
    """The array, whose sizes are those."""
    return x


def reshape(x: Array, *sizes: Array, shape: Dims) -> Array:
    """The same elements, in row-major order, in another shape."""
    return x.reshape(_resolved(shape, sizes))


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


def slice(x: Array, *sizes: Array, shape: Dims, starts: Dims, strides: Dims) -> Array:
    """Element i along a dimension is operand element start + i * stride."""
    shape = _resolved(shape, sizes)
    # The ellipsis keeps a 0-dimensional result an array.
    return x[*map(_range, starts, shape, strides), ...]


def _range(start: int, size: int, stride: int) -> Any:
    return builtins.slice(start, start + size * stride, stride)


def pad(x: Array, value: Array, *sizes: Array, shape: Dims, low: Dims, interior: Dims) -> Array:
    """Operand element i goes to low + i * (interior + 1), if that is within the result."""
    shape = _resolved(shape, sizes)
    source, target = [], []
    for size, n, first, gap in zip(shape, x.shape, low, interior, strict=True):
        stride = gap + 1
        begin = min(n, -(min(first, 0) // stride))
        end = max(begin, min(n, -((first - size) // stride)))
        source.append(np.s_[begin:end])
        target.append(_range(first + begin * stride, end - begin, stride))
    result = np.full(shape, value, x.dtype)
    if all(s.start < s.stop for s in source):
        result[tuple(target)] = x[tuple(source)]
    return result


def transpose(x: Array, *, permutation: Dims) -> Array:
    """Dimension i of the result is dimension `permutation[i]` of the operand."""
    return x.transpose(permutation)


def reverse(x: Array, *, dims: Dims) -> Array:
    """The elements in reverse order along some dimensions."""
    forwards, backwards = np.s_[:], np.s_[::-1]
    return x[*[backwards if i in dims else forwards for i in range(x.ndim)], ...]


def concatenate(*xs: Array, dimension: int) -> Array:
    """The operands one after the other along one dimension."""
    return np.concatenate(xs, dimension)


def name(x: Array, label: str) -> Array:
    """The operand."""
    return x


def optimization_barrier(*xs: Array) -> tuple[Array, ...]:
    """The operands."""
    return xs
