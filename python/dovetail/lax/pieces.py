"""Arrays cut into pieces, padded, and joined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.errors import index_error, type_error, value_error
from dovetail.lax.shape import expand_dims, squeeze
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    canonical_axis,
)
from dovetail.symbolic.size import Size, as_size, min_dim
from dovetail.tracing.bind import constant
from dovetail.tracing.composed import composed
from dovetail.tracing.whole import applies_singly


def slice(
    operand: ArrayLike,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Array:
    """The elements from `start_indices` to before `limit_indices`, in steps of `strides`.

    Args:
      operand: an array.
      start_indices: the first index along each dimension.
      limit_indices: the index after the last along each dimension, at most the size.
      strides: a step of 1 or more for each dimension, by default 1.

    Returns:
      An array of size ceil((limit - start) / stride) along each dimension.

    Raises:
      TypeError: the number of indices is not the rank, or indices are out of bounds.

    Example:
      >>> slice(lax.iota(np.int32, 6), (1,), (6,), (2,))
      Array([1, 3, 5], dtype=int32)
    """
    x = as_operand("slice", operand)
    starts, limits = _indices(start_indices), _indices(limit_indices)
    steps = (1,) * x.ndim if strides is None else _indices(strides)
    if not len(starts) == len(limits) == len(steps) == x.ndim:
        raise type_error(
            "slice: starts, limits and strides need one entry per dimension of the operand "
            f"({x.ndim}), got: {starts}, {limits} and {steps}"
        )
    for i, (start, limit, step) in enumerate(zip(starts, limits, steps, strict=True)):
        if not 0 <= start <= limit <= x.shape[i] or step < 1:
            raise type_error(
                "slice: 0 <= start <= limit <= size and stride >= 1 must hold, got: start "
                f"{start}, limit {limit}, stride {step} for dimension {i} of size {x.shape[i]}"
            )
    shape = tuple(-((a - b) // c) for a, b, c in zip(starts, limits, steps, strict=True))
    if shape == x.shape:
        return x
    return (
        cut_anywhere(x, starts, steps, shape) if strides is None else cut(x, starts, steps, shape)
    )


def _indices(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(as_size(v) for v in values)


def cut(
    x: Array, starts: tuple[int, ...], strides: tuple[int, ...], shape: tuple[int, ...]
) -> Array:
    """The op `slice`, whose starts may be symbolic sizes.

    A symbolic start is a number of elements to drop at the end of the reversed array.
    """
    moved = tuple(i for i, start in enumerate(starts) if type(start) is Size)
    if moved:
        ends, left = list(x.shape), list(x.shape)
        for i in moved:
            # One element past the last requested one, if there are any.
            ends[i] = min_dim(starts[i] + shape[i] * strides[i], x.shape[i])
            left[i] = ends[i] - starts[i]
        none, ones = (0,) * x.ndim, (1,) * x.ndim
        if tuple(ends) != x.shape:
            x = ops.slice(x, none, ones, tuple(ends))
        x = ops.slice(ops.reverse(x, moved), none, ones, tuple(left))
        x = ops.reverse(x, moved)
        starts = tuple(0 if i in moved else start for i, start in enumerate(starts))
    return x if shape == x.shape else ops.slice(x, starts, strides, shape)


def cut_anywhere(
    x: Array, starts: tuple[int, ...], strides: tuple[int, ...], shape: tuple[int, ...]
) -> Array:
    """Like `cut`. Outside of programs, the starts on several devices are operands, as in JAX, and
    each device has all of the dimensions that are cut.
    """
    if applies_singly(x) and 0 not in shape:
        extents = tuple((n - 1) * step + 1 for n, step in zip(shape, strides, strict=True))
        dims = tuple(i for i, n in enumerate(extents) if n != x.shape[i])
        if dims:
            places = constant(np.array([starts[i] for i in dims], np.int32))
            x = ops.gather(x, places, dims, tuple(extents[i] for i in dims))
            starts = tuple(0 if i in dims else start for i, start in enumerate(starts))
        if extents == shape:
            return x
    return cut(x, starts, strides, shape)


def slice_in_dim(
    operand: ArrayLike,
    start_index: int | None,
    limit_index: int | None,
    stride: int = 1,
    axis: int = 0,
) -> Array:
    """`slice` along one dimension; negative indices count from the end, None means the end.

    Args:
      operand: an array.
      start_index: the first index; None is 0.
      limit_index: the index after the last; None is the size.
      stride: a step of 1 or more.
      axis: the dimension.

    Returns:
      An array of the operand's sizes except along `axis`.

    Raises:
      TypeError: indices are out of bounds.
      ValueError: the axis is out of bounds.

    Example:
      >>> slice_in_dim(lax.iota(np.int32, 6), 1, -1)
      Array([1, 2, 3, 4], dtype=int32)
    """
    x = as_operand("slice_in_dim", operand)
    axis = canonical_axis(axis, x.ndim)
    size = x.shape[axis]
    start = 0 if start_index is None else as_size(start_index)
    limit = size if limit_index is None else as_size(limit_index)
    starts, limits, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    starts[axis] = start + size if start < 0 else start
    limits[axis] = limit + size if limit < 0 else limit
    strides[axis] = as_size(stride)
    return slice(x, starts, limits, strides)


def index_in_dim(operand: ArrayLike, index: int, axis: int = 0, keepdims: bool = True) -> Array:
    """The elements at `index` along one dimension, which is kept with size 1 or dropped.

    Args:
      operand: an array.
      index: an integer; a negative one counts from the end.
      axis: the dimension.
      keepdims: whether the result has it, with size 1.

    Returns:
      An array.

    Raises:
      IndexError: the index is out of bounds.
      ValueError: the axis is out of bounds.

    Example:
      >>> index_in_dim(lax.iota(np.int32, 3), -1, keepdims=False)
      Array(2, dtype=int32)
    """
    x = as_operand("index_in_dim", operand)
    axis = canonical_axis(axis, x.ndim)
    start, size = as_size(index), x.shape[axis]
    if not -size <= start < size:
        raise index_error(
            f"index_in_dim: index {start} is out of bounds for axis {axis} with size {size}"
        )
    start += size if start < 0 else 0
    result = slice_in_dim(x, start, start + 1, 1, axis)
    return result if keepdims else squeeze(result, (axis,))


def pad(
    operand: ArrayLike, padding_value: ArrayLike, padding_config: Sequence[tuple[int, int, int]]
) -> Array:
    """`(low, high, interior)` paddings for each dimension; negative low and high ones crop.

    Args:
      operand: an array.
      padding_value: a scalar of the operand's element type.
      padding_config: a triple for each dimension: the numbers of elements before the first, after
        the last, and between any two. The last number is at least 0.

    Returns:
      An array of size low + high + size + (size - 1) * interior along each dimension.

    Raises:
      TypeError: the value has another element type.
      ValueError: the value is not a scalar, the triples do not match the operand, or a size would
        be negative.

    Example:
      >>> pad(1 + lax.iota(np.int32, 2), 0, [(1, 0, 1)])
      Array([0, 1, 0, 2], dtype=int32)
    """
    x, value = as_operand("pad", operand), as_operand("pad", padding_value, 1)
    if value.ndim:
        raise value_error(f"pad: padding_value must be a scalar, got: {value.aval}")
    if value.dtype != x.dtype:
        raise type_error(
            f"pad: padding_value must have the operand's type {x.dtype.name}, got: {value.aval}; "
            "convert it with astype"
        )
    config = [tuple(as_size(p) for p in entry) for entry in padding_config]
    if len(config) != x.ndim or any(len(entry) != 3 for entry in config):
        raise value_error(
            "pad: padding_config needs one (low, high, interior) per dimension of the operand "
            f"({x.ndim}), got: {config}"
        )
    low, high, interior = zip(*config, strict=True) if config else ((), (), ())
    if any(i < 0 for i in interior):
        raise value_error(
            "interior padding in padding_config must be nonnegative, got: padding_config "
            f"{padding_config}"
        )
    shape = tuple(
        lo + hi + size + max(size - 1, 0) * gap
        for size, lo, hi, gap in zip(x.shape, low, high, interior, strict=True)
    )
    if any(s < 0 for s in shape):
        raise value_error(
            f"pad: Dimension size after padding is not at least 0, got: result shape {shape}, for "
            f"padding_config {padding_config} and operand shape {x.shape}"
        )
    if all(p == 0 for p in (*low, *high)) and shape == x.shape:
        return x
    return _padded(x, value, low, interior, shape)


def _padded(
    x: Array,
    value: Array,
    low: tuple[int, ...],
    interior: tuple[int, ...],
    shape: tuple[int, ...],
) -> Array:
    """The op `pad`, where `low` may contain symbolic sizes: the high padding of the reversed
    array.
    """
    moved = tuple(i for i, size in enumerate(low) if type(size) is Size)
    if not moved:
        return ops.pad(x, value, low, interior, shape)
    sizes = tuple(size - low[i] if i in moved else size for i, size in enumerate(shape))
    x = ops.pad(x, value, tuple(0 if i in moved else s for i, s in enumerate(low)), interior, sizes)
    none = (0,) * x.ndim
    return ops.reverse(ops.pad(ops.reverse(x, moved), value, none, none, shape), moved)


def concatenate(operands: Sequence[ArrayLike], dimension: int) -> Array:
    """The operands, equal in type and in all other sizes, one after the other along `dimension`.

    Args:
      operands: arrays of one element type and rank.
      dimension: the dimension along which their sizes may differ.

    Returns:
      An array of the sum of their sizes along `dimension`.

    Raises:
      TypeError: element types, ranks or other sizes differ.
      ValueError: there is no operand, or the dimension is out of bounds.

    Example:
      >>> concatenate([lax.iota(np.int32, 2), lax.iota(np.int32, 1)], 0)
      Array([0, 1, 0], dtype=int32)
    """
    xs = [as_operand("concatenate", x, i) for i, x in enumerate(operands)]
    if not xs:
        raise value_error("concatenate: at least one operand is needed, got: none")
    first = xs[0]
    axis = canonical_axis(dimension, first.ndim, "dimension")
    rest = [x.shape[:axis] + x.shape[axis + 1 :] for x in xs]
    if any(x.ndim != first.ndim for x in xs) or any(r != rest[0] for r in rest):
        raise type_error(
            "Cannot concatenate arrays with shapes that differ in dimensions other than the one "
            f"being concatenated: concatenating along dimension {axis} for shapes "
            f"{', '.join(str(x.shape) for x in xs)}"
        )
    if any(x.dtype != first.dtype for x in xs):
        raise type_error(
            "concatenate requires arguments to have the same dtypes, got: "
            f"{', '.join(x.dtype.name for x in xs)}; use dovetail.numpy.concatenate, which promotes"
        )
    return first if len(xs) == 1 else ops.concatenate(xs, axis)


def stack(operands: Sequence[ArrayLike], axis: int = 0) -> Array:
    """The operands, equal in type and shape, along a new dimension.

    Args:
      operands: arrays of one element type and shape.
      axis: the dimension of the result that indexes them.

    Returns:
      An array with one additional dimension.

    Raises:
      TypeError: element types or shapes differ.
      ValueError: there is no operand, or the axis is out of bounds.

    Example:
      >>> stack([lax.iota(np.int32, 2), lax.iota(np.int32, 2)]).shape
      (2, 2)
    """
    xs = [as_operand("stack", x, i) for i, x in enumerate(operands)]
    if not xs:
        raise value_error("stack: at least one operand is needed, got: none")
    return _stacked(*xs, axis=canonical_axis(axis, xs[0].ndim + 1))


@composed("stack")
def _stacked(*xs: Array, axis: int) -> Array:
    return concatenate([expand_dims(x, (axis,)) for x in xs], axis)


def unstack(x: ArrayLike, axis: int = 0) -> tuple[Array, ...]:
    """The slices along a dimension, which is dropped.

    Args:
      x: an array.
      axis: the dimension.

    Returns:
      As many arrays as the dimension is long.

    Raises:
      ValueError: the axis is out of bounds.

    Example:
      >>> len(unstack(np.zeros((2, 3))))
      2
    """
    a = as_operand("unstack", x)
    return tuple(_unstacked(a, axis=canonical_axis(axis, a.ndim)))


@composed("unstack", multiple_results=True)
def _unstacked(x: Array, *, axis: int) -> list[Array]:
    return [index_in_dim(x, i, axis, keepdims=False) for i in range(x.shape[axis])]


def split(operand: ArrayLike, sizes: Sequence[int], axis: int = 0) -> list[Array]:
    """Consecutive pieces of the given sizes, which must add up to that of the dimension.

    Args:
      operand: an array.
      sizes: the size of each piece along `axis`.
      axis: the dimension.

    Returns:
      As many arrays.

    Raises:
      ValueError: a size is negative, they do not add up to that of the dimension, or the axis is
        out of bounds.

    Example:
      >>> [p.shape for p in split(np.zeros(5), (2, 3))]
      [(2,), (3,)]
    """
    x = as_operand("split", operand)
    axis = canonical_axis(axis, x.ndim)
    lengths = tuple(as_size(size) for size in sizes)
    if any(length < 0 for length in lengths):
        raise value_error(f"Sizes passed to split must be nonnegative, got: {list(lengths)}")
    if sum(lengths) != x.shape[axis]:
        raise value_error(
            f"split: Sum of sizes {sum(lengths)} must be equal to dimension {axis} of the operand "
            f"shape {list(x.shape)}"
        )
    return list(_split(x, sizes=lengths, axis=axis))


@composed("split", multiple_results=True)
def _split(x: Array, *, sizes: tuple[int, ...], axis: int) -> list[Array]:
    pieces, start = [], 0
    for length in sizes:
        pieces.append(slice_in_dim(x, start, start + length, 1, axis))
        start += length
    return pieces
