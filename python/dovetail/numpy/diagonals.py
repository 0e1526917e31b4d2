"""Diagonals taken from matrices and put into them.

The diagonal of a square matrix in row-major order is each (n + 1)-th element: a slice takes it, a
padding puts it back. If sizes are not known while tracing, it is taken by its indices.
"""

from __future__ import annotations

import operator
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import reductions
from dovetail.numpy.choice import where
from dovetail.numpy.creation import asarray
from dovetail.numpy.padding import pad
from dovetail.numpy.promotion import no_out
from dovetail.numpy.shape import moveaxis, ravel, resize, squeeze
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes
from dovetail.symbolic.size import is_symbolic_dim, max_dim, min_dim
from dovetail.tracing.whole import applies_singly


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The diagonals along two dimensions, as the last dimension.

    Args:
      a: an array of rank 2 or more.
      offset: the diagonal, counted from the main one to the right.
      axis1, axis2: the two dimensions.

    Returns:
      An array whose last dimension is the diagonal.

    Example:
      >>> diagonal(np.int32([[1, 2], [3, 4]]))
      Array([1, 4], dtype=int32)
    """
    x = as_operand("diagonal", a)
    if x.ndim < 2:
        raise value_error(
            f"diagonal: the array must have at least 2 dimensions, got: shape {x.shape}"
        )
    axes = canonical_axes((axis1, axis2), x.ndim, "axis", "axis1 and axis2 can not be same")
    x = moveaxis(x, axes, (-2, -1))
    k = operator.index(offset)
    rows, columns = x.shape[-2:]
    first_row, first_column = max(-k, 0), max(k, 0)
    n = max_dim(0, min_dim(rows - first_row, columns - first_column))
    # From one part or another, as in JAX.
    if is_symbolic_dim(n) or (n and applies_singly(x)):
        places = ops.iota(0, (n,), dtypes.int32)
        return x[..., places + first_row, places + first_column]
    if n == 0:
        return lax.slice_in_dim(lax.reshape(x, (*x.shape[:-2], rows * columns)), 0, 0, 1, -1)
    x = lax.slice_in_dim(x, first_row, first_row + n, 1, -2)
    x = lax.slice_in_dim(x, first_column, first_column + n, 1, -1)
    return lax.slice_in_dim(lax.reshape(x, (*x.shape[:-2], n * n)), 0, None, n + 1, -1)


def embedded(v: Array, k: int = 0) -> Array:
    """Matrices with the last dimension of `v` on diagonal `k`, and zeros elsewhere."""
    n = v.shape[-1]
    zero = lax.full((), 0, v.dtype)
    lead = [(0, 0, 0)] * (v.ndim - 1)
    if is_symbolic_dim(n):
        shape = (*v.shape, n)
        row, column = (ops.iota(v.ndim + i, shape, dtypes.int32) for i in (-1, 0))
        repeated = ops.broadcast(v, tuple(range(v.ndim)), shape)
        square = ops.select(row == column, repeated, lax.full_like(repeated, 0))
    else:
        square = lax.reshape(lax.pad(v, zero, [*lead, (0, 0, n)]), (*v.shape, n))
    rows = (0, k, 0) if k >= 0 else (-k, 0, 0)
    columns = (k, 0, 0) if k >= 0 else (0, -k, 0)
    return lax.pad(square, zero, [*lead, rows, columns])


def diag(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with a vector on diagonal `k`, or the diagonal `k` of a matrix.

    Args:
      v: a vector or a matrix.
      k: the diagonal, counted from the main one to the right.

    Returns:
      A square matrix for a vector, a vector for a matrix.

    Raises:
      ValueError: the rank is another.

    Example:
      >>> diag(np.int32([1, 2]))
      Array([[1, 0],
             [0, 2]], dtype=int32)
    """
    x = as_operand("diag", v)
    if x.ndim == 1:
        return embedded(x, operator.index(k))
    if x.ndim == 2:
        return diagonal(x, k)
    raise value_error(f"diag: v must be a vector or a matrix, got: shape {x.shape}")


def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """A matrix with all elements of `v` on diagonal `k`.

    Args:
      v: an array, which is flattened.
      k: the diagonal, counted from the main one to the right.

    Returns:
      A square matrix.

    Example:
      >>> diagflat(np.int32([[1, 2]]))
      Array([[1, 0],
             [0, 2]], dtype=int32)
    """
    x = ravel(v)
    if applies_singly(x) and x.size:
        # Every device gets all of it, as in JAX, which scatters the elements.
        x = x[ops.iota(0, x.shape, dtypes.int32)]
    return embedded(x, operator.index(k))


def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: None = None,
) -> Array:
    """The sums of the diagonals along two dimensions.

    Args:
      a: an array of rank 2 or more.
      offset: the diagonal, counted from the main one to the right.
      axis1, axis2: the two dimensions.
      dtype: the element type of the sum.
      out: must be None.

    Returns:
      An array without these two dimensions.

    Example:
      >>> trace(np.float32([[1, 2], [3, 4]]))
      Array(5., dtype=float32)
    """
    no_out("trace", out)
    return reductions.sum(diagonal(a, offset, axis1, axis2), -1, dtype)


def fill_diagonal(
    a: ArrayLike, val: ArrayLike, wrap: bool = False, *, inplace: bool = True
) -> Array:
    """The array with `val`, a scalar or a vector, on its main diagonal; `inplace` must be False.

    Args:
      a: a matrix, or an array of more dimensions whose sizes are equal.
      val: an array or scalar, which is flattened and converted to the type of `a`; it is repeated,
        or cut, to fit the diagonal.
      wrap: must be False.
      inplace: must be False.

    Returns:
      An array like `a`.

    Raises:
      NotImplementedError: `wrap` or `inplace` is True.
      ValueError: the shape is another.

    Example:
      >>> fill_diagonal(np.zeros((2, 2), np.float32), 1, inplace=False)
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    if inplace:
        raise NotImplementedError(
            "fill_diagonal: arrays are immutable, so inplace must be False, got: True"
        )
    if wrap:
        raise NotImplementedError(
            "fill_diagonal: wrap must be False, got: True; fill parts of the matrix"
        )
    x = as_operand("fill_diagonal", a)
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        raise value_error(
            f"fill_diagonal: the array must be a matrix, or have equal sizes, got: {x.shape}"
        )
    indices = [lax.broadcasted_iota("int32", x.shape, i) for i in range(x.ndim)]
    on_diagonal = indices[0] == indices[1]
    for index in indices[2:]:
        on_diagonal = on_diagonal & (indices[0] == index)
    n = min(x.shape)
    values = ravel(asarray(val)).astype(x.dtype)
    if values.size != 1:
        values = resize(values, (n,))
        values = pad(values, (0, x.shape[0] - n))
        values = lax.reshape(values, (x.shape[0], *(1 for _ in x.shape[1:])))
    return where(on_diagonal, squeeze(values) if values.size == 1 else values, x)
