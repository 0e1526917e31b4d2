"""Matrices of fixed patterns, and grids."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy.bounds import clip
from dovetail.numpy.creation import placed, zeros
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to, concrete_sizes
from dovetail.symbolic.size import as_size, max_dim, min_dim
from dovetail.tracing.tracer import AnyTracer


def eye(
    N: int, M: int | None = None, k: int | Array = 0, dtype: Any = None, *, device: Any = None
) -> Array:
    """A matrix with ones on diagonal `k`, counted from the main one to the right.

    Args:
      N, M: the numbers of rows and columns; M is N by default.
      k: the diagonal; it may be traced.
      dtype: the element type.
      device: the device of the result.

    Returns:
      A matrix.

    Example:
      >>> eye(2)
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    element = dtypes.requested(dtype, "eye", dtypes.float64)
    rows, columns = _shifted_row_and_column((N, N if M is None else M), k)
    return placed(ops.convert(rows == columns, element), device)


def identity(n: int, dtype: Any = None) -> Array:
    """The square matrix with ones on the main diagonal.

    Args:
      n: the number of rows and columns.
      dtype: the element type; by default the default float.

    Returns:
      An array of shape (n, n).

    Raises:
      ValueError: `n` is negative.

    Example:
      >>> identity(2)
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int | Array = 0, dtype: Any = None) -> Array:
    """A matrix with ones on diagonal `k` and below, by default of float32.

    Args:
      N, M: the numbers of rows and columns; M is N by default.
      k: the diagonal, counted from the main one to the right; it may be traced.
      dtype: the element type.

    Returns:
      An array of shape (N, M).

    Raises:
      ValueError: a number is negative.

    Example:
      >>> tri(2)
      Array([[1., 0.],
             [1., 1.]], dtype=float32)
    """
    element = dtypes.requested(dtype, "tri", dtypes.float32)
    mask = _lower_triangle((N, N if M is None else M), k)
    return mask if element == dtypes.bool_ else ops.convert(mask, element)


def _shifted_row_and_column(shape: Any, k: Any) -> tuple[Array, Array]:
    """Each element's row plus `k`, and its column: on diagonal `k` they are equal."""
    sizes = concrete_sizes(shape)
    if any(size < 0 for size in sizes):
        raise value_error(f"the numbers of rows and columns must be 0 or more, got: {sizes}")
    # Diagonals outside of the matrix are all alike, and their numbers may be out of range.
    if isinstance(k, AnyTracer):
        wide = k if k.dtype.itemsize >= 4 else ops.convert(k, dtypes.int32)
        least = 0 if dtypes.KINDS[wide.dtype] == "u" else -sizes[0]
        offset = ops.convert(clip(wide, least, sizes[1]), dtypes.int32)  # type: ignore[arg-type]
    else:
        offset = max_dim(-sizes[0], min_dim(as_size(k), sizes[1]))
    return ops.iota(0, sizes, dtypes.int32) + offset, ops.iota(1, sizes, dtypes.int32)


def _lower_triangle(shape: Sequence[int], k: Any) -> Array:
    rows, columns = _shifted_row_and_column(shape, k)
    return rows >= columns


def tril(m: ArrayLike, k: int | Array = 0) -> Array:
    """The elements on diagonal `k` of matrices and below; the others are 0.

    Args:
      m: an array of shape (…, r, c).
      k: the diagonal, counted from the main one to the right; it may be traced.

    Returns:
      An array like `m`.

    Raises:
      ValueError: `m` has rank 1 or less.

    Example:
      >>> tril(np.ones((2, 2), np.int32))
      Array([[1, 0],
             [1, 1]], dtype=int32)
    """
    x = _matrices("tril", m)
    mask = broadcast_to(_lower_triangle(x.shape[-2:], k), x.shape)
    return ops.select(mask, x, lax.full_like(x, 0))


def triu(m: ArrayLike, k: int | Array = 0) -> Array:
    """The elements on diagonal `k` of matrices and above; the others are 0.

    Args:
      m: an array of shape (…, r, c).
      k: the diagonal, counted from the main one to the right; it may be traced.

    Returns:
      An array like `m`.

    Raises:
      ValueError: `m` has rank 1 or less.

    Example:
      >>> triu(np.ones((2, 2), np.int32))
      Array([[1, 1],
             [0, 1]], dtype=int32)
    """
    x = _matrices("triu", m)
    rows, columns = _shifted_row_and_column(x.shape[-2:], k)
    return ops.select(broadcast_to(rows <= columns, x.shape), x, lax.full_like(x, 0))


def _matrices(name: str, x: ArrayLike) -> Array:
    a = as_operand(name, x)
    if a.ndim < 2:
        raise value_error(
            f"{name}: the array must have at least 2 dimensions, got: shape {a.shape}"
        )
    return a


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:
    """The powers of a vector's elements as columns, the highest first unless `increasing`.

    Args:
      x: a vector of n elements.
      N: the number of columns, by default n.
      increasing: whether the powers increase from 0.

    Returns:
      An array of shape (n, N) and the element type of `x`.

    Raises:
      ValueError: `x` is not a vector, or `N` is negative.

    Example:
      >>> vander(np.int32([2, 3]), 3)
      Array([[4, 2, 1],
             [9, 3, 1]], dtype=int32)
    """
    a = as_operand("vander", x)
    if a.ndim != 1:
        raise value_error(f"vander: x must have 1 dimension, got: shape {a.shape}")
    count = a.shape[0] if N is None else operator.index(N)
    if count < 0:
        raise value_error(f"vander: N must be 0 or more, got: {N}")
    if count == 0:
        return zeros((a.shape[0], 0), a.dtype)
    powers = range(count) if increasing else range(count - 1, -1, -1)
    return lax.stack([a**p for p in powers], 1)


def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> list[Array]:
    """Vectors as arrays over the grid that they span; with "xy" the first two dimensions are
    swapped.

    Args:
      xi: vectors or scalars, of any element types.
      copy: accepted; arrays are immutable.
      sparse: whether to keep size 1 along all dimensions except a vector's own.
      indexing: `xy` or `ij`.

    Returns:
      A list with an array for each vector, of rank `len(xi)`.

    Raises:
      ValueError: there is no such indexing, or an argument has rank 2 or more.

    Example:
      >>> [g.shape for g in meshgrid(np.ones(2), np.ones(3))]
      [(3, 2), (3, 2)]
    """
    if indexing not in ("xy", "ij"):
        raise value_error(f"meshgrid: indexing must be 'xy' or 'ij', got: {indexing!r}")
    vectors = [as_operand("meshgrid", x, i) for i, x in enumerate(xi)]
    if any(v.ndim > 1 for v in vectors):
        raise value_error(
            f"meshgrid: arguments must be vectors, got: ranks {[v.ndim for v in vectors]}"
        )
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    sizes = [0] * len(order)
    for v, d in zip(vectors, order, strict=True):
        sizes[d] = v.size
    result = []
    for v, d in zip(vectors, order, strict=True):
        shape = [1] * len(order)
        shape[d] = v.size
        x = lax.reshape(v, shape)
        result.append(x if sparse else broadcast_to(x, tuple(sizes)))
    return result
