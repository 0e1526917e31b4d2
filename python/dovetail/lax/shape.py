"""Elements moved, repeated, cut and joined, without computing on them."""

from __future__ import annotations

import builtins
import math
import operator as op
from collections.abc import Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    broadcast_dims,
    broadcast_shapes,
    broadcast_to,
    canonical_axes,
    canonical_shape,
)
from dovetail.programs.transfers import beside
from dovetail.tracing.composed import composed, makes_equations
from dovetail.transforms.out_sharding import accepts_out_sharding


@accepts_out_sharding
def reshape(
    operand: ArrayLike,
    new_sizes: Any,
    dimensions: Sequence[int] | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The elements of `operand`, its dimensions first ordered as in `dimensions`, in the shape
    `new_sizes`.

    Args:
      operand: an array or scalar.
      new_sizes: the sizes, known while tracing.
      dimensions: all dimensions of the operand, in the order in which its elements are read.

    Returns:
      An array of shape `new_sizes`.

    Raises:
      TypeError: the number of elements differs, or `dimensions` is not an order of the dimensions.

    Example:
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
            f"cannot reshape array of shape {x.shape} (size {x.size}) into shape {shape} (size "
            f"{math.prod(shape)})"
        )
    return x if x.shape == shape else ops.reshape(x, shape)


def transpose(operand: ArrayLike, permutation: Sequence[int]) -> Array:
    """Dimension i of the result is dimension `permutation[i]` of the operand.

    Args:
      operand: an array or scalar.
      permutation: all dimensions of the operand, in the new order.

    Returns:
      An array with the sizes in that order.

    Raises:
      TypeError: `permutation` is not an order of the dimensions.

    Example:
      >>> transpose(np.zeros((2, 3)), (1, 0)).shape
      (3, 2)
    """
    x = as_operand("transpose", operand)
    order = tuple(op.index(p) for p in permutation)
    if sorted(order) != list(range(x.ndim)):
        raise type_error(
            "transpose permutation isn't a permutation of operand dimensions, got: permutation "
            f"{order} for operand shape {x.shape}"
        )
    return x if order == tuple(range(x.ndim)) else ops.transpose(x, order)


@accepts_out_sharding
def broadcast(operand: ArrayLike, sizes: Sequence[int], *, out_sharding: Any = None) -> Array:
    """The operand repeated along new leading dimensions of the given sizes.

    Args:
      operand: an array or scalar.
      sizes: the sizes of the new dimensions.

    Returns:
      An array of shape (*sizes, *operand.shape).

    Raises:
      ValueError: a size is negative.

    Example:
      >>> broadcast(1.0, (2,))
      Array([1., 1.], dtype=float32, weak_type=True)
    """
    x = as_operand("broadcast", operand)
    lead = canonical_shape(tuple(sizes), "sizes")
    return broadcast_dims(x, lead + x.shape, tuple(range(len(lead), len(lead) + x.ndim)))


@accepts_out_sharding
def broadcast_in_dim(
    operand: ArrayLike,
    shape: Sequence[int],
    broadcast_dimensions: Sequence[int],
    *,
    out_sharding: Any = None,
) -> Array:
    """Dimension i of the operand becomes dimension `broadcast_dimensions[i]` of `shape`; size 1 is
    stretched.

    Args:
      operand: an array or scalar.
      shape: the sizes of the result.
      broadcast_dimensions: a distinct dimension of the result for each of the operand's, in any
        order.

    Returns:
      An array of shape `shape`.

    Raises:
      TypeError: dimensions repeat or are out of bounds, or sizes are neither 1 nor those of
        `shape`.

    Example:
      >>> broadcast_in_dim(np.zeros(3), (2, 3), (1,)).shape
      (2, 3)
    """
    x = as_operand("broadcast_in_dim", operand)
    sizes = canonical_shape(tuple(shape))
    dims = tuple(op.index(d) for d in broadcast_dimensions)
    if len(dims) != x.ndim:
        raise type_error(
            "broadcast_in_dim broadcast_dimensions must have length equal to operand ndim; got: "
            f"broadcast_dimensions {dims} for operand ndim {x.ndim}"
        )
    if len(sizes) < x.ndim:
        raise type_error(
            "broadcast_in_dim target broadcast shape must have equal or higher rank to the operand "
            f"shape; got: operand ndim {x.ndim} and target broadcast ndim {len(sizes)}"
        )
    if any(not 0 <= d < len(sizes) for d in dims):
        raise type_error(
            "broadcast_in_dim broadcast_dimensions must be a subset of output dimensions, got: "
            f"{dims} for operand ndim {x.ndim} and shape {sizes}"
        )
    if any(n not in (1, sizes[d]) for n, d in zip(x.shape, dims, strict=True)):
        raise type_error(
            "broadcast_in_dim operand dimension sizes must either be 1, or be equal to their "
            "corresponding dimensions in the target broadcast shape; got: operand of shape "
            f"{x.shape}, target broadcast shape {sizes}, broadcast_dimensions {dims}"
        )
    if len(set(dims)) != len(dims):
        raise type_error(
            "broadcast_in_dim broadcast_dimensions must not contain duplicates, got: "
            f"broadcast_dimensions {dims}"
        )
    order = sorted(range(x.ndim), key=dims.__getitem__)
    return broadcast_dims(transpose(x, order), sizes, tuple(sorted(dims)))


def broadcast_to_rank(x: ArrayLike, rank: int) -> Array:
    """`x` with leading dimensions of size 1, up to `rank`.

    Args:
      x: an array or scalar.
      rank: the number of dimensions; if `x` already has as many, it is returned unchanged.

    Returns:
      An array of shape (1, …, *x.shape).

    Example:
      >>> broadcast_to_rank(np.zeros(3), 2).shape
      (1, 3)
    """
    a = as_operand("broadcast_to_rank", x)
    return expand_dims(a, range(rank - a.ndim))


def broadcast_like(arr: ArrayLike, like_arr: ArrayLike) -> Array:
    """`arr` broadcast to the shape of `like_arr`.

    Args:
      arr: an array or scalar.
      like_arr: an array or scalar, of which only the shape matters, and the sharding in its type.

    Returns:
      An array of the shape of `like_arr`, sharded like it over explicit axes, and of the element
      type of `arr`.

    Raises:
      ValueError: `arr` does not broadcast to that shape, or its type states another sharding.

    Example:
      >>> broadcast_like(1.0, np.zeros(2))
      Array([1., 1.], dtype=float32, weak_type=True)
    """
    x, like = as_operand("broadcast_like", arr), as_operand("broadcast_like", like_arr, 1)
    if broadcast_shapes(x.shape, like.shape) != like.shape:
        raise value_error(
            f"broadcast_like: an array of shape {x.shape} does not broadcast to {like.shape}"
        )
    result, wanted = broadcast_to(x, like.shape), like.aval.explicit
    if wanted is None:
        return result
    entries = result.aval.sharding.spec.partitions
    pairs = zip(entries, wanted.spec.partitions, strict=True)
    if any(has not in (None, other) for has, other in pairs):
        raise value_error(
            f"broadcast_like: Incompatible shardings for broadcasting, got: {x.aval} and "
            f"{like.aval}; reshard one of them"
        )
    return beside(result, like)


def expand_dims(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """With new dimensions of size 1 at the positions `dimensions` of the result.

    Args:
      array: an array or scalar.
      dimensions: distinct dimensions of the result; negative ones count from its end.

    Returns:
      An array with that many more dimensions.

    Raises:
      ValueError: a dimension repeats or is out of bounds.

    Example:
      >>> expand_dims(np.zeros(3), (0, -1)).shape
      (1, 3, 1)
    """
    x = as_operand("expand_dims", array)
    dims = tuple(dimensions)
    dims = canonical_axes(dims, x.ndim + len(dims), "dimensions", "repeated axis in expand_dims")
    sizes = list(x.shape)
    for d in sorted(dims):
        sizes.insert(d, 1)
    if dims and makes_equations():
        kept = tuple(d for d in range(len(sizes)) if d not in dims)
        return ops.broadcast(x, kept, tuple(sizes))
    return ops.reshape(x, tuple(sizes)) if dims else x


def squeeze(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Without the given dimensions, whose sizes are 1.

    Args:
      array: an array or scalar.
      dimensions: distinct dimensions of size 1; negative ones count from the end.

    Returns:
      An array with that many fewer dimensions.

    Raises:
      ValueError: a dimension has another size, repeats or is out of bounds.

    Example:
      >>> squeeze(np.zeros((1, 3)), (0,)).shape
      (3,)
    """
    x = as_operand("squeeze", array)
    dims = canonical_axes(tuple(dimensions), x.ndim, "dimensions", "{name} are not unique")
    if any(x.shape[d] != 1 for d in dims):
        raise value_error(
            "squeeze: cannot select an axis to squeeze out which has size not equal to one, got "
            f"shape={x.shape} and dimensions={dims}"
        )
    return squeezed(x, dimensions=tuple(sorted(dims))) if dims else x


@composed("squeeze")
def squeezed(x: Array, *, dimensions: tuple[int, ...]) -> Array:
    """The array without dimensions of size 1, which were checked."""
    return ops.reshape(x, tuple(s for i, s in enumerate(x.shape) if i not in dimensions))


def collapse(operand: ArrayLike, start_dimension: int, stop_dimension: int | None = None) -> Array:
    """The dimensions from `start_dimension` up to `stop_dimension` as one.

    Args:
      operand: an array.
      start_dimension: the first of the collapsed dimensions.
      stop_dimension: the dimension after the last; None is the rank.

    Returns:
      An array with the product of their sizes in their place.

    Raises:
      ValueError: `stop_dimension` is before `start_dimension`.

    Example:
      >>> collapse(np.zeros((2, 3, 4)), 1).shape
      (2, 12)
    """
    x = as_operand("collapse", operand)
    start, stop, _ = builtins.slice(start_dimension, stop_dimension).indices(x.ndim)
    if stop < start:
        raise value_error(f"collapse: start must not be after stop, got: {start} and {stop}")
    if start == stop and x.ndim:
        return x
    return reshape(x, (*x.shape[:start], math.prod(x.shape[start:stop]), *x.shape[stop:]))


def rev(operand: ArrayLike, dimensions: Sequence[int]) -> Array:
    """The elements in reverse order along the given dimensions.

    Args:
      operand: an array.
      dimensions: distinct dimensions; negative ones count from the end.

    Returns:
      An array like the operand.

    Raises:
      ValueError: a dimension repeats or is out of bounds.

    Example:
      >>> rev(lax.iota(np.int32, 3), (0,))
      Array([2, 1, 0], dtype=int32)
    """
    x = as_operand("rev", operand)
    dims = canonical_axes(tuple(dimensions), x.ndim, "dimensions")
    return ops.reverse(x, tuple(sorted(dims))) if dims else x


def tile(operand: ArrayLike, reps: Sequence[int]) -> Array:
    """The operand repeated `reps[i]` times along dimension i.

    Args:
      operand: an array.
      reps: a count of 0 or more for each dimension.

    Returns:
      An array whose sizes are those of the operand times `reps`.

    Raises:
      ValueError: the number of counts is not the rank, or one is negative.

    Example:
      >>> tile(lax.iota(np.int32, 2), (2,))
      Array([0, 1, 0, 1], dtype=int32)
    """
    x = as_operand("tile", operand)
    counts = canonical_shape(tuple(reps), "reps")
    if len(counts) != x.ndim:
        raise value_error(f"tile: reps needs one count per dimension ({x.ndim}), got: {counts}")
    return _tiled(x, reps=counts)


@composed("tile")
def _tiled(x: Array, *, reps: tuple[int, ...]) -> Array:
    counts = reps
    sizes = tuple(s for pair in zip(counts, x.shape, strict=True) for s in pair)
    repeated = broadcast_dims(x, sizes, tuple(range(1, 2 * x.ndim, 2)))
    return reshape(repeated, tuple(c * s for c, s in zip(counts, x.shape, strict=True)))
