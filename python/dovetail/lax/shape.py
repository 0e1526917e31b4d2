"""Elements moved, repeated, cut and joined, without computing on them."""

from __future__ import annotations

import builtins
import math
import operator as op
from collections.abc import Sequence
from typing import Any

from dovetail import ops
from dovetail.array import Array
from dovetail.errors import type_error, value_error
from dovetail.lax.operands import (
    ArrayLike,
    as_operand,
    broadcast_dims,
    canonical_axes,
    canonical_axis,
    canonical_shape,
)


def reshape(operand: ArrayLike, new_sizes: Any, dimensions: Sequence[int] | None = None) -> Array:
    """The elements of `operand`, its dimensions first ordered as `dimensions`, in the shape
    `new_sizes`.

    >>> reshape(lax.iota(np.int32, 4), (2, 2))
    Array([[0, 1],
           [2, 3]], dtype=int32)
    """
    x = as_operand("reshape", operand)
    shape = canonical_shape(new_sizes, "new_sizes")
    if dimensions is not None:
        x = transpose(x, dimensions)
    if math.prod(shape) != x.size:
        raise type_error(
            f"reshape: the number of elements must stay the same, got shapes {x.shape} ({x.size} "
            f"elements) and {shape} ({math.prod(shape)})"
        )
    return x if x.shape == shape else ops.reshape(x, shape)


def transpose(operand: ArrayLike, permutation: Sequence[int]) -> Array:
    """Dimension i of the result is dimension `permutation[i]` of the operand.

    >>> transpose(np.zeros((2, 3)), (1, 0)).shape
    (3, 2)
    """
    x = as_operand("transpose", operand)
    order = tuple(op.index(p) for p in permutation)
    if sorted(order) != list(range(x.ndim)):
        raise type_error(
            f"transpose: permutation must order the dimensions 0 to {x.ndim - 1}, got {order}"
        )
    return x if order == tuple(range(x.ndim)) else ops.transpose(x, order)


def broadcast(operand: ArrayLike, sizes: Sequence[int]) -> Array:
    """The operand repeated along new leading dimensions of the given sizes.

    >>> broadcast(1.0, (2,))
    Array([1., 1.], dtype=float32, weak_type=True)
    """
    x = as_operand("broadcast", operand)
    lead = canonical_shape(tuple(sizes), "sizes")
    return broadcast_dims(x, lead + x.shape, tuple(range(len(lead), len(lead) + x.ndim)))


def broadcast_in_dim(
    operand: ArrayLike, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> Array:
    """Dimension i of the operand becomes dimension `broadcast_dimensions[i]` of `shape`; size 1 is
    stretched.

    >>> broadcast_in_dim(np.zeros(3), (2, 3), (1,)).shape
    (2, 3)
    """
    x = as_operand("broadcast_in_dim", operand)
    sizes = canonical_shape(tuple(shape))
    dims = tuple(op.index(d) for d in broadcast_dimensions)
    if len(dims) != x.ndim:
        raise type_error(
            "broadcast_in_dim: broadcast_dimensions must name one dimension for each of the "
            f"operand's {x.ndim}, got {dims}"
        )
    if len(set(dims)) != len(dims) or any(not 0 <= d < len(sizes) for d in dims):
        raise type_error(
            "broadcast_in_dim: broadcast_dimensions must be distinct and within "
            f"[0, {len(sizes)}), got {dims}"
        )
    for i, d in enumerate(dims):
        if x.shape[i] not in (1, sizes[d]):
            raise type_error(
                f"broadcast_in_dim: operand sizes must be 1 or those of the shape, got {x.shape} "
                f"as dimensions {dims} of {sizes}"
            )
    order = sorted(range(x.ndim), key=dims.__getitem__)
    return broadcast_dims(transpose(x, order), sizes, tuple(sorted(dims)))


def broadcast_to_rank(x: ArrayLike, rank: int) -> Array:
    """`x` with leading dimensions of size 1, up to `rank`.

    >>> broadcast_to_rank(np.zeros(3), 2).shape
    (1, 3)
    """
    a = as_operand("broadcast_to_rank", x)
    return expand_dims(a, range(rank - a.ndim))


def broadcast_like(arr: ArrayLike, like_arr: ArrayLike) -> Array:
    """`arr` broadcast to the shape of `like_arr`.

    >>> broadcast_like(1.0, np.zeros(2))
    Array([1., 1.], dtype=float32, weak_type=True)
    """
    from dovetail import numpy

    return numpy.broadcast_to(arr, numpy.shape(like_arr))


def expand_dims(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """With new dimensions of size 1 at the positions `dimensions` of the result.

    >>> expand_dims(np.zeros(3), (0, -1)).shape
    (1, 3, 1)
    """
    x = as_operand("expand_dims", array)
    dims = canonical_axes(tuple(dimensions), x.ndim + len(tuple(dimensions)), "dimensions")
    sizes = list(x.shape)
    for d in sorted(dims):
        sizes.insert(d, 1)
    return ops.reshape(x, tuple(sizes)) if dims else x


def squeeze(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Without the given dimensions, whose sizes are 1.

    >>> squeeze(np.zeros((1, 3)), (0,)).shape
    (3,)
    """
    x = as_operand("squeeze", array)
    dims = canonical_axes(tuple(dimensions), x.ndim, "dimensions")
    if any(x.shape[d] != 1 for d in dims):
        raise value_error(
            f"squeeze: only dimensions of size 1 can go, got dimensions {dims} of shape {x.shape}"
        )
    return ops.reshape(x, tuple(s for i, s in enumerate(x.shape) if i not in dims)) if dims else x


def collapse(operand: ArrayLike, start_dimension: int, stop_dimension: int | None = None) -> Array:
    """The dimensions from `start_dimension` up to `stop_dimension` as one.

    >>> collapse(np.zeros((2, 3, 4)), 1).shape
    (2, 12)
    """
    x = as_operand("collapse", operand)
    start, stop, _ = builtins.slice(start_dimension, stop_dimension).indices(x.ndim)
    if stop < start:
        raise value_error(f"collapse: start must not be after stop, got {start} and {stop}")
    if start == stop and x.ndim:
        return x
    return reshape(x, (*x.shape[:start], math.prod(x.shape[start:stop]), *x.shape[stop:]))


def slice(
    operand: ArrayLike,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Array:
    """The elements from `start_indices` to before `limit_indices`, in steps of `strides`.

    >>> slice(lax.iota(np.int32, 6), (1,), (6,), (2,))
    Array([1, 3, 5], dtype=int32)
    """
    x = as_operand("slice", operand)
    starts, limits = _indices(start_indices), _indices(limit_indices)
    steps = (1,) * x.ndim if strides is None else _indices(strides)
    if not len(starts) == len(limits) == len(steps) == x.ndim:
        raise type_error(
            "slice: starts, limits and strides need one entry per dimension of the operand "
            f"({x.ndim}), got {starts}, {limits} and {steps}"
        )
    for i, (start, limit, step) in enumerate(zip(starts, limits, steps, strict=True)):
        if not 0 <= start <= limit <= x.shape[i] or step < 1:
            raise type_error(
                f"slice: 0 <= start <= limit <= size and stride >= 1 must hold, got start {start}, "
                f"limit {limit}, stride {step} for dimension {i} of size {x.shape[i]}"
            )
    shape = tuple(-((a - b) // c) for a, b, c in zip(starts, limits, steps, strict=True))
    return x if shape == x.shape else ops.slice(x, starts, steps, shape)


def _indices(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(op.index(v) for v in values)


def slice_in_dim(
    operand: ArrayLike,
    start_index: int | None,
    limit_index: int | None,
    stride: int = 1,
    axis: int = 0,
) -> Array:
    """`slice` along one dimension; negative indices count from the end, None means the end.

    >>> slice_in_dim(lax.iota(np.int32, 6), 1, -1)
    Array([1, 2, 3, 4], dtype=int32)
    """
    x = as_operand("slice_in_dim", operand)
    axis = canonical_axis(axis, x.ndim)
    size = x.shape[axis]
    start = 0 if start_index is None else op.index(start_index)
    limit = size if limit_index is None else op.index(limit_index)
    starts, limits, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    starts[axis] = start + size if start < 0 else start
    limits[axis] = limit + size if limit < 0 else limit
    strides[axis] = op.index(stride)
    return slice(x, starts, limits, strides)


def index_in_dim(operand: ArrayLike, index: int, axis: int = 0, keepdims: bool = True) -> Array:
    """The elements at `index` along one dimension, which is kept with size 1 or goes.

    >>> index_in_dim(lax.iota(np.int32, 3), -1, keepdims=False)
    Array(2, dtype=int32)
    """
    x = as_operand("index_in_dim", operand)
    axis = canonical_axis(axis, x.ndim)
    start = canonical_axis(index, x.shape[axis], "index")
    result = slice_in_dim(x, start, start + 1, 1, axis)
    return result if keepdims else squeeze(result, (axis,))


def pad(
    operand: ArrayLike, padding_value: ArrayLike, padding_config: Sequence[tuple[int, int, int]]
) -> Array:
    """`(low, high, interior)` paddings for each dimension; negative low and high ones crop.

    >>> pad(1 + lax.iota(np.int32, 2), 0, [(1, 0, 1)])
    Array([0, 1, 0, 2], dtype=int32)
    """
    x, value = as_operand("pad", operand), as_operand("pad", padding_value, 1)
    if value.ndim or value.dtype != x.dtype:
        raise type_error(
            f"pad: padding_value must be a scalar of the operand's type {x.dtype.name}, got "
            f"{value.aval}; convert it with astype"
        )
    config = [tuple(op.index(p) for p in entry) for entry in padding_config]
    if len(config) != x.ndim or any(len(entry) != 3 for entry in config):
        raise type_error(
            "pad: padding_config needs one (low, high, interior) per dimension of the operand "
            f"({x.ndim}), got {config}"
        )
    low, high, interior = zip(*config, strict=True) if config else ((), (), ())
    if any(i < 0 for i in interior):
        raise type_error(f"pad: interior padding must not be negative, got {interior}")
    shape = tuple(
        lo + hi + size + max(size - 1, 0) * gap
        for size, lo, hi, gap in zip(x.shape, low, high, interior, strict=True)
    )
    if any(s < 0 for s in shape):
        raise value_error(f"pad: cropping must leave sizes of 0 or more, got shape {shape}")
    if shape == x.shape and not any(low):
        return x
    if not x.size:
        return broadcast_dims(value, shape, ())
    return ops.pad(x, value, low, interior, shape)


def concatenate(operands: Sequence[ArrayLike], dimension: int) -> Array:
    """The operands, equal in type and in all other sizes, one after the other along `dimension`.

    >>> concatenate([lax.iota(np.int32, 2), lax.iota(np.int32, 1)], 0)
    Array([0, 1, 0], dtype=int32)
    """
    xs = [as_operand("concatenate", x, i) for i, x in enumerate(operands)]
    if not xs:
        raise value_error("concatenate: at least one operand is needed, got none")
    first = xs[0]
    axis = canonical_axis(dimension, first.ndim, "dimension")
    rest = [x.shape[:axis] + x.shape[axis + 1 :] for x in xs]
    if any(x.ndim != first.ndim for x in xs) or any(r != rest[0] for r in rest):
        raise type_error(
            f"concatenate: shapes must be equal but for dimension {axis}, got "
            f"{', '.join(str(x.shape) for x in xs)}"
        )
    if any(x.dtype != first.dtype for x in xs):
        raise type_error(
            f"concatenate: element types must be equal, got {', '.join(x.dtype.name for x in xs)}; "
            "use dovetail.numpy.concatenate, which promotes"
        )
    return first if len(xs) == 1 else ops.concatenate(xs, axis)


def stack(operands: Sequence[ArrayLike], axis: int = 0) -> Array:
    """The operands, equal in type and shape, along a new dimension.

    >>> stack([lax.iota(np.int32, 2), lax.iota(np.int32, 2)]).shape
    (2, 2)
    """
    xs = [as_operand("stack", x, i) for i, x in enumerate(operands)]
    if not xs:
        raise value_error("stack: at least one operand is needed, got none")
    axis = canonical_axis(axis, xs[0].ndim + 1)
    return concatenate([expand_dims(x, (axis,)) for x in xs], axis)


def unstack(x: ArrayLike, axis: int = 0) -> tuple[Array, ...]:
    """The slices along a dimension, which goes.

    >>> len(unstack(np.zeros((2, 3))))
    2
    """
    a = as_operand("unstack", x)
    axis = canonical_axis(axis, a.ndim)
    return tuple(index_in_dim(a, i, axis, keepdims=False) for i in range(a.shape[axis]))


def split(operand: ArrayLike, sizes: Sequence[int], axis: int = 0) -> list[Array]:
    """Consecutive pieces of the given sizes, which add up to that of the dimension.

    >>> [p.shape for p in split(np.zeros(5), (2, 3))]
    [(2,), (3,)]
    """
    x = as_operand("split", operand)
    axis = canonical_axis(axis, x.ndim)
    lengths = canonical_shape(tuple(sizes), "sizes")
    if sum(lengths) != x.shape[axis]:
        raise value_error(
            f"split: sizes must add up to that of dimension {axis}, {x.shape[axis]}, got {lengths}"
        )
    pieces, start = [], 0
    for length in lengths:
        pieces.append(slice_in_dim(x, start, start + length, 1, axis))
        start += length
    return pieces


def rev(operand: ArrayLike, dimensions: Sequence[int]) -> Array:
    """The elements in reverse order along the given dimensions.

    >>> rev(lax.iota(np.int32, 3), (0,))
    Array([2, 1, 0], dtype=int32)
    """
    x = as_operand("rev", operand)
    dims = canonical_axes(tuple(dimensions), x.ndim, "dimensions")
    return ops.reverse(x, tuple(sorted(dims))) if dims else x


def tile(operand: ArrayLike, reps: Sequence[int]) -> Array:
    """The operand repeated `reps[i]` times along dimension i.

    >>> tile(lax.iota(np.int32, 2), (2,))
    Array([0, 1, 0, 1], dtype=int32)
    """
    x = as_operand("tile", operand)
    counts = canonical_shape(tuple(reps), "reps")
    if len(counts) != x.ndim:
        raise value_error(f"tile: reps needs one count per dimension ({x.ndim}), got {counts}")
    sizes = tuple(s for pair in zip(counts, x.shape, strict=True) for s in pair)
    repeated = broadcast_dims(x, sizes, tuple(range(1, 2 * x.ndim, 2)))
    return reshape(repeated, tuple(c * s for c, s in zip(counts, x.shape, strict=True)))
