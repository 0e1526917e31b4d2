"""Elements reversed, moved around and repeated."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base.errors import value_error
from dovetail.numpy.bisection import searchsorted
from dovetail.numpy.creation import asarray
from dovetail.numpy.shape import ravel, swapaxes
from dovetail.numpy.taking import take
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    broadcast_dims,
    broadcast_to,
    canonical_axes,
    canonical_axis,
    canonical_shape,
    one_or_several,
)
from dovetail.symbolic.size import Size, as_size
from dovetail.tracing.tracer import AnyTracer
from dovetail.transforms.out_sharding import accepts_out_sharding


def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """The elements in reverse order along `axis`, by default all.

    Args:
      m: an array.
      axis: one or more dimensions; None for all.

    Returns:
      An array like `m`.

    Raises:
      ValueError: an axis repeats or is out of bounds.

    Example:
      >>> flip(np.float32([1, 2]))
      Array([2., 1.], dtype=float32)
    """
    x = as_operand("flip", m)
    return lax.rev(x, canonical_axes(axis, x.ndim))


def fliplr(m: ArrayLike) -> Array:
    """The columns in reverse order.

    Args:
      m: an array of rank 2 or more.

    Returns:
      An array like `m`.

    Raises:
      ValueError: `m` has rank 1 or less.

    Example:
      >>> fliplr(np.float32([[1, 2]]))
      Array([[2., 1.]], dtype=float32)
    """
    return flip(m, 1)


def flipud(m: ArrayLike) -> Array:
    """The rows in reverse order.

    Args:
      m: an array of rank 1 or more.

    Returns:
      An array like `m`.

    Raises:
      ValueError: `m` is a scalar.

    Example:
      >>> flipud(np.float32([1, 2]))
      Array([2., 1.], dtype=float32)
    """
    return flip(m, 0)


def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """The array turned by `k` right angles in the plane of `axes`, from the first to the second.

    Args:
      m: an array of rank 2 or more.
      k: an integer; a negative one turns the other way.
      axes: two dimensions.

    Returns:
      An array, with the two sizes swapped for an odd `k`.

    Raises:
      ValueError: the axes are equal or out of bounds.

    Example:
      >>> rot90(np.int32([[1, 2], [3, 4]]))
      Array([[2, 4],
             [1, 3]], dtype=int32)
    """
    x = as_operand("rot90", m)
    if x.ndim < 2:
        raise value_error(
            "rot90 requires its first argument to have ndim at least two, but got first argument "
            f"of shape {x.shape}"
        )
    i, j = canonical_axes(tuple(axes), x.ndim, "axes")
    turns = operator.index(k) % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, (i, j))
    return swapaxes(flip(x, j), i, j) if turns == 1 else flip(swapaxes(x, i, j), j)


def roll(
    a: ArrayLike, shift: ArrayLike | Sequence[int], axis: int | Sequence[int] | None = None
) -> Array:
    """Roll elements by `shift` along `axis`; elements that leave at one end re-enter at the other.

    Args:
      a: an array.
      shift: an integer, or one for each axis.
      axis: the dimension or dimensions; None for the array in row-major order.

    Returns:
      An array like `a`.

    Raises:
      ValueError: the number of shifts differs from that of axes, or an axis is out of bounds.

    Example:
      >>> roll(np.int32([1, 2, 3]), 1)
      Array([3, 1, 2], dtype=int32)
    """
    x = as_operand("roll", a)
    if axis is None:
        return lax.reshape(roll(ravel(x), shift, 0), x.shape)
    axes, shifts = one_or_several(axis), one_or_several(shift)
    if not axes:
        return x
    length = max(len(axes), len(shifts))
    if {len(axes), len(shifts)} - {1, length}:
        raise value_error(f"roll: shift and axis must have equal lengths, got: {shift} and {axis}")
    axes, shifts = (t * (length // len(t)) for t in (axes, shifts))
    for amount, d in zip(shifts, axes, strict=True):
        axis = canonical_axis(d, x.ndim)
        if isinstance(amount, AnyTracer):
            x = _rolled_by(x, amount, axis)
        else:
            x = _rolled(x, as_size(amount), axis)
    return x


def _rolled(x: Array, shift: Any, axis: int) -> Array:
    size = x.shape[axis]
    cut = 0 if size == 0 else -shift % size
    if cut == 0:
        return x
    if isinstance(cut, int):
        return ops.roll(x, axis, size - cut)
    parts = [lax.slice_in_dim(x, cut, None, 1, axis), lax.slice_in_dim(x, 0, cut, 1, axis)]
    return lax.concatenate(parts, axis)


def _rolled_by(x: Array, shift: AnyTracer, axis: int) -> Array:
    size = x.shape[axis]
    if not size:
        return x
    twice = lax.concatenate([x, x], axis)
    start = -shift % size
    return lax.dynamic_slice_in_dim(twice, start, size, axis)


def tile(A: ArrayLike, reps: int | Sequence[int]) -> Array:
    """The array repeated `reps` times along its last dimensions.

    Args:
      A: an array.
      reps: a count of 0 or more, or one for each of the last dimensions.

    Returns:
      An array with the sizes of `A` times the counts; whichever of the two is shorter is filled up
      with 1 in front.

    Raises:
      ValueError: a count is negative.

    Example:
      >>> tile(np.int32([1, 2]), 2)
      Array([1, 2, 1, 2], dtype=int32)
    """
    x = asarray(A)
    counts = canonical_shape(reps, "reps")
    rank = max(x.ndim, len(counts))
    return lax.tile(lax.broadcast_to_rank(x, rank), (1,) * (rank - len(counts)) + counts)


@accepts_out_sharding
def repeat(
    a: ArrayLike,
    repeats: Any,
    axis: int | None = None,
    *,
    total_repeat_length: int | None = None,
    out_sharding: Any = None,
) -> Array:
    """Each element `repeats` times along `axis`, or in row-major order; the counts are known while
    tracing, unless their sum is given.

    Args:
      a: an array.
      repeats: a count of 0 or more, or a vector with one for each element along `axis`.
      axis: the dimension; None flattens first.
      total_repeat_length: the size along `axis`: a longer result is cut off, a shorter one is
        filled with the last element.

    Returns:
      An array whose size along `axis` is the sum of the counts.

    Raises:
      ValueError: the counts are negative, or differ in number from the elements.

    Example:
      >>> repeat(np.int32([1, 2]), 2)
      Array([1, 1, 2, 2], dtype=int32)
    """
    x = as_operand("repeat", a)
    if axis is None:
        x, axis = ravel(x), 0
    dim = canonical_axis(axis, x.ndim)
    if type(repeats) is Size:
        return _with_length(_spread(x, repeats, dim), x, total_repeat_length, dim)
    if isinstance(repeats, AnyTracer) and total_repeat_length is not None:
        return _repeated_by(x, repeats, dim, as_size(total_repeat_length))
    counts = repeats._value() if isinstance(repeats, ArrayMethods) else np.asarray(repeats)
    if counts.ndim > 1 or counts.dtype.kind not in "biu" or (counts < 0).any():
        raise value_error(
            "repeat: repeats must be one count of 0 or more, or one for each element, got: "
            f"{repeats!r}"
        )
    return _with_length(_repeated(x, counts, dim), x, total_repeat_length, dim)


def _repeated(x: Array, counts: np.ndarray, dim: int) -> Array:
    size = x.shape[dim]
    if counts.size == 1:
        return _spread(x, int(counts.reshape(())), dim)
    if counts.shape != (size,):
        raise value_error(
            f"repeat: there must be one count, or one for each of the {size} elements, got: "
            f"{counts.shape}"
        )
    pieces = []
    for i, count in enumerate(counts.tolist()):
        piece = lax.slice_in_dim(x, i, i + 1, 1, dim)
        pieces.append(broadcast_to(piece, (*x.shape[:dim], count, *x.shape[dim + 1 :])))
    return lax.concatenate(pieces, dim) if pieces else x


def _spread(x: Array, count: Any, dim: int) -> Array:
    """Repeat each element `count` times."""
    sizes = (*x.shape[: dim + 1], count, *x.shape[dim + 1 :])
    dims = tuple(i for i in range(x.ndim + 1) if i != dim + 1)
    spread = broadcast_dims(x, sizes, dims)
    return lax.reshape(spread, (*x.shape[:dim], x.shape[dim] * count, *x.shape[dim + 1 :]))


def _repeated_by(x: Array, counts: Any, dim: int, length: Any) -> Array:
    """Repeat elements by their counts: result i is the first element whose last copy is not before
    i.
    """
    size = x.shape[dim]
    if type(size) is int and size == 0:
        return x
    if counts.shape != (size,):
        if counts.size != 1:
            raise value_error(
                f"repeat: there must be one count, or one for each of the {size} elements, got: "
                f"{counts.shape}"
            )
        counts = broadcast_to(lax.reshape(counts, (1,)), (size,))
    ends = ops.cumsum(lax.convert_element_type(counts, np.int32), 0)
    places = searchsorted(ends, ops.iota(0, (length,), np.dtype(np.int32)), "right")
    return take(x, places, dim, mode="clip")


def _with_length(repeated: Array, x: Array, total: Any, dim: int) -> Array:
    """Truncate the result, or pad it with the last element of `x`, if a total size is given."""
    size, available = repeated.shape[dim], x.shape[dim]
    if total is None or size == total or (type(available) is int and available == 0):
        return repeated
    length = as_size(total)
    if length <= size:
        return lax.slice_in_dim(repeated, 0, length, 1, dim)
    last = lax.slice_in_dim(x, available - 1, available, 1, dim)
    more = broadcast_to(last, (*x.shape[:dim], length - size, *x.shape[dim + 1 :]))
    return lax.concatenate([repeated, more], dim)
