"""Changes of shape: reshaping, transposing, broadcasting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.arrays.keys import is_keys, moves_keys
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.creation import asarray, broadcast_to_shape
from dovetail.numpy.promotion import broadcast
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    broadcast_shapes,
    canonical_axes,
    canonical_axis,
    canonical_shape,
    one_or_several,
)
from dovetail.symbolic.size import as_size
from dovetail.tracing.whole import whole
from dovetail.transforms.out_sharding import accepts_out_sharding

# Reshaping ----------------------------------------------------------------------------------------


@accepts_out_sharding
def reshape(
    a: ArrayLike,
    shape: Any,
    order: str = "C",
    *,
    copy: bool | None = None,
    out_sharding: Any = None,
) -> Array:
    """The same elements in another shape; one size may be -1. Order "F" counts the first index
    fastest.

    Args:
      a: an array.
      shape: integers known while tracing, one of which may be -1.
      order: `C` or `F`.
      copy: accepted; arrays are immutable.

    Returns:
      An array of that shape.

    Raises:
      TypeError: the number of elements differs.

    Example:
      >>> reshape(np.float32([1, 2, 3, 4]), (2, -1))
      Array([[1., 2.],
             [3., 4.]], dtype=float32)
    """
    x = as_operand("reshape", a)
    sizes = _inferred(x, shape)
    if order in ("C", "A"):
        return x if sizes == x.shape else ops.reshape(x, sizes)
    if order != "F":
        raise value_error(f"reshape: order must be 'C', 'F' or 'A', got: {order!r}")
    return transpose(lax.reshape(transpose(x), sizes[::-1]))


def _inferred(x: Array, shape: Any) -> tuple[int, ...]:
    """The shape with -1 replaced by the size that is left for it."""
    given = one_or_several(shape)
    sizes = [as_size(s) for s in given]
    if sizes.count(-1) > 1:
        raise value_error(f"reshape: one size at most can be -1, got: {tuple(sizes)}")
    if -1 in sizes:
        known = math.prod(s for s in sizes if s != -1)
        sizes[sizes.index(-1)] = x.size // known if known else 0
    if math.prod(sizes) != x.size or any(s < 0 for s in sizes):
        raise type_error(
            f"reshape: the number of elements must stay the same, got: {given} for shape {x.shape} "
            f"({x.size} elements)"
        )
    return tuple(sizes)


@accepts_out_sharding
def ravel(a: ArrayLike, order: str = "C", *, out_sharding: Any = None) -> Array:
    """The elements in one dimension.

    Args:
      a: an array.
      order: "C" for rows first, "F" for columns first; "A" and "K" are like "C".

    Returns:
      A vector.

    Raises:
      ValueError: there is no such order.

    Example:
      >>> ravel(np.float32([[1, 2], [3, 4]]))
      Array([1., 2., 3., 4.], dtype=float32)
    """
    x = as_operand("ravel", a)
    return reshape(x, (x.size,), "C" if order == "K" else order)


def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> Array:
    """The array with new dimensions of size 1 at `axis` of the result.

    Args:
      a: an array.
      axis: the position or positions; negative ones count from the end of the result.

    Returns:
      An array with that many additional dimensions.

    Raises:
      ValueError: an axis repeats or is out of bounds.

    Example:
      >>> expand_dims(np.ones(3), 0).shape
      (1, 3)
    """
    return lax.expand_dims(a, one_or_several(axis))  # type: ignore[arg-type]


def squeeze(a: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """The array without dimensions of size 1: all, or those of `axis`.

    Args:
      a: an array.
      axis: dimensions of size 1; None for all of them.

    Returns:
      An array.

    Raises:
      ValueError: a dimension has another size.

    Example:
      >>> squeeze(np.ones((1, 3, 1))).shape
      (3,)
    """
    x = as_operand("squeeze", a)
    if axis is None:
        return lax.squeeze(x, [i for i, s in enumerate(x.shape) if s == 1])
    return lax.squeeze(x, canonical_axes(axis, x.ndim))


def atleast_1d(*arys: ArrayLike) -> Any:
    """Arrays of rank 1 or more, with new trailing dimensions.

    Args:
      arys: arrays of any shapes.

    Returns:
      An array; for several arguments, or none, a list.

    Example:
      >>> atleast_1d(1.0).shape
      (1,)
    """
    return _each(arys, lambda x: x if x.ndim else lax.reshape(x, (1,)))


def atleast_2d(*arys: ArrayLike) -> Any:
    """Arrays of rank 2 or more; a vector becomes a row.

    Args:
      arys: arrays of any shapes.

    Returns:
      An array; for several arguments, or none, a list.

    Example:
      >>> atleast_2d(np.ones(3)).shape
      (1, 3)
    """
    return _each(arys, lambda x: x if x.ndim >= 2 else lax.broadcast_to_rank(x, 2))


def atleast_3d(*arys: ArrayLike) -> Any:
    """Arrays of rank 3 or more; a vector becomes (1, n, 1), a matrix (m, n, 1).

    Args:
      arys: arrays of any shapes.

    Returns:
      An array; for several arguments, or none, a list.

    Example:
      >>> atleast_3d(np.ones(3)).shape
      (1, 3, 1)
    """

    def raised(x: Array) -> Array:
        if x.ndim >= 3:
            return x
        sizes = {0: (1, 1, 1), 1: (1, *x.shape, 1), 2: (*x.shape, 1)}[x.ndim]
        return lax.reshape(x, sizes)

    return _each(arys, raised)


def _each(arrays: tuple[Any, ...], change: Any) -> Any:
    results = [change(asarray(x)) for x in arrays]
    return results[0] if len(results) == 1 else results


@whole
def resize(a: ArrayLike, new_shape: Any) -> Array:
    """The elements, cut or repeated to fill another shape.

    Args:
      a: an array.
      new_shape: the sizes, known while tracing.

    Returns:
      An array of shape `new_shape`; zeros if `a` has no elements.

    Raises:
      ValueError: a size is negative.

    Example:
      >>> resize(np.int32([1, 2, 3]), (2, 2))
      Array([[1, 2],
             [3, 1]], dtype=int32)
    """
    x = ravel(a)
    sizes = canonical_shape(new_shape, "new_shape")
    count = math.prod(sizes)
    if x.size == 0:
        return lax.full(sizes, 0, x.dtype)
    repeated = lax.tile(x, (max(1, -(-count // x.size)),))
    return lax.reshape(lax.slice_in_dim(repeated, 0, count), sizes)


# Order of dimensions ------------------------------------------------------------------------------


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """The dimensions in the order `axes`, by default reversed.

    Args:
      a: an array.
      axes: all dimensions, in the new order.

    Returns:
      An array.

    Example:
      >>> transpose(np.ones((2, 3))).shape
      (3, 2)
    """
    x = as_operand("transpose", a)
    if axes is None:
        return x if x.ndim < 2 else ops.transpose(x, tuple(range(x.ndim))[::-1])
    order = canonical_axes(tuple(axes), x.ndim, "axes")
    if len(order) != x.ndim:
        raise value_error(f"transpose: axes must name all {x.ndim} dimensions, got: {tuple(axes)}")
    return lax.transpose(x, order)


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two dimensions swapped.

    Args:
      x: an array of shape (…, m, n).

    Returns:
      An array of shape (…, n, m).

    Raises:
      ValueError: `x` has rank 1 or less.

    Example:
      >>> matrix_transpose(np.ones((5, 2, 3))).shape
      (5, 3, 2)
    """
    a = as_operand("matrix_transpose", x)
    if a.ndim < 2:
        raise value_error(
            f"matrix_transpose: x must have at least 2 dimensions, got: shape {a.shape}"
        )
    return swapaxes(a, -1, -2)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """Two dimensions swapped.

    Args:
      a: an array.
      axis1, axis2: the dimensions.

    Returns:
      An array.

    Raises:
      ValueError: an axis is out of bounds.

    Example:
      >>> swapaxes(np.ones((2, 3, 4)), 0, 2).shape
      (4, 3, 2)
    """
    x = as_operand("swapaxes", a)
    order = list(range(x.ndim))
    i, j = canonical_axis(axis1, x.ndim, "axis1"), canonical_axis(axis2, x.ndim, "axis2")
    order[i], order[j] = order[j], order[i]
    return lax.transpose(x, order)


def moveaxis(a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """The dimensions `source` at the positions `destination`, the others in their order.

    Args:
      a: an array.
      source: the dimension or dimensions.
      destination: the position of each in the result.

    Returns:
      An array.

    Raises:
      ValueError: their numbers differ, or one repeats or is out of bounds.

    Example:
      >>> moveaxis(np.ones((2, 3, 4)), 0, -1).shape
      (3, 4, 2)
    """
    x = as_operand("moveaxis", a)
    origin = canonical_axes(source, x.ndim, "source")
    target = canonical_axes(destination, x.ndim, "destination")
    if len(origin) != len(target):
        raise value_error(
            f"moveaxis: source and destination must have equal lengths, got: {source} and "
            f"{destination}"
        )
    order = [i for i in range(x.ndim) if i not in origin]
    for position, i in sorted(zip(target, origin, strict=True)):
        order.insert(position, i)
    return lax.transpose(x, order)


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Array:
    """The array with dimension `axis` moved before dimension `start`.

    Args:
      a: an array.
      axis: the dimension.
      start: a dimension, or the rank, for the end.

    Returns:
      An array.

    Raises:
      ValueError: `axis` or `start` is out of bounds.

    Example:
      >>> rollaxis(np.ones((2, 3, 4)), 2).shape
      (4, 2, 3)
    """
    x = as_operand("rollaxis", a)
    origin = canonical_axis(axis, x.ndim)
    before = x.ndim if start == x.ndim else canonical_axis(start, x.ndim, "start")
    return moveaxis(x, origin, before - 1 if origin < before else before)


# Broadcasting -------------------------------------------------------------------------------------


@accepts_out_sharding
def broadcast_to(array: ArrayLike, shape: Any, *, out_sharding: Any = None) -> Array:
    """The array repeated to `shape`.

    Args:
      array: an array or scalar.
      shape: the sizes, known while tracing.

    Returns:
      An array of shape `shape`.

    Raises:
      ValueError: a size of the array is neither 1 nor that of `shape`.

    Example:
      >>> broadcast_to(1.0, (2,))
      Array([1., 1.], dtype=float32, weak_type=True)
    """
    return broadcast_to_shape("broadcast_to", asarray(array), canonical_shape(shape))


def broadcast_arrays(*args: ArrayLike) -> list[Array]:
    """The arrays repeated to one shape.

    Args:
      args: arrays of any element types.

    Returns:
      A list of arrays, each of its own element type.

    Raises:
      ValueError: the shapes do not broadcast together.

    Example:
      >>> [x.shape for x in broadcast_arrays(1, np.ones(3))]
      [(3,), (3,)]
    """
    if any(map(is_keys, args)):
        arrays: list[Any] = [x if is_keys(x) else asarray(x) for x in args]
        sizes = broadcast_shapes(*(x.shape for x in arrays), name="broadcast_arrays")
        return [moves_keys(broadcast_to, (0,))(x, sizes) for x in arrays]
    return broadcast("broadcast_arrays", *args, is_asked=True, are_results=True)
