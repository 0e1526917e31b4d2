"""Functions of `dovetail.numpy` with the array API standard's restrictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.lax.linalg.operands import transposed
from dovetail.numpy import diagonals, products
from dovetail.ops.operands import ArrayLike, as_operand


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """The cross products of vectors of three elements.

    Args:
      x1, x2: arrays, broadcast, of size 3 along `axis`.
      axis: the dimension of the vectors.

    Returns:
      An array of the broadcast shape.

    Raises:
      ValueError: the vectors have another size.

    Example:
      >>> cross(np.float32([1, 0, 0]), np.float32([0, 1, 0]))
      Array([0., 0., 1.], dtype=float32)
    """
    a, b = as_operand("cross", x1), as_operand("cross", x2, 1)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise value_error(
            f"cross: vectors must have three elements, got: shapes {a.shape} and {b.shape}, axis "
            f"{axis}"
        )
    return products.cross(a, b, axis=axis)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The products of all pairs of elements of two vectors.

    Args:
      x1, x2: vectors.

    Returns:
      A matrix with a row for each element of x1.

    Raises:
      ValueError: an argument is not a vector.

    Example:
      >>> outer(np.int32([1, 2]), np.int32([3, 4]))
      Array([[3, 4],
             [6, 8]], dtype=int32)
    """
    a, b = as_operand("outer", x1), as_operand("outer", x2, 1)
    if a.ndim != 1 or b.ndim != 1:
        raise value_error(f"outer: arguments must be vectors, got: shapes {a.shape} and {b.shape}")
    return products.outer(a, b)


def matrix_transpose(x: ArrayLike, /) -> Array:
    """Matrices with rows and columns swapped.

    Args:
      x: matrices, of shape (…, m, n).

    Returns:
      An array of shape (…, n, m).

    Raises:
      ValueError: the rank is less than 2.

    Example:
      >>> matrix_transpose(np.int32([[1, 2]]))
      Array([[1],
             [2]], dtype=int32)
    """
    array = as_operand("matrix_transpose", x)
    if array.ndim < 2:
        raise value_error(f"matrix_transpose: the rank must be 2 or more, got: shape {array.shape}")
    return transposed(array)


def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axis: int = -1,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The sums of conj(x1) * x2 over `axis`.

    Args:
      x1, x2, axis, precision, preferred_element_type: as for `dovetail.numpy.vecdot`.

    Returns:
      An array of the broadcast shape without `axis`.

    Example:
      >>> vecdot(np.float32([1, 2]), np.float32([3, 4]))
      Array(11., dtype=float32)
    """
    return products.vecdot(
        x1, x2, axis=axis, precision=precision, preferred_element_type=preferred_element_type
    )


def matmul(
    x1: ArrayLike, x2: ArrayLike, /, *, precision: Any = None, preferred_element_type: Any = None
) -> Array:
    """Matrix products over the last two dimensions.

    Args:
      x1, x2, precision, preferred_element_type: as for `dovetail.numpy.matmul`.

    Returns:
      An array of matrices; without the row or column that a vector represents.

    Example:
      >>> matmul(np.float32([[1, 2], [3, 4]]), np.float32([1, 1]))
      Array([3., 7.], dtype=float32)
    """
    return products.matmul(
        x1, x2, precision=precision, preferred_element_type=preferred_element_type
    )


def tensordot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axes: int | tuple[Sequence[int], Sequence[int]] = 2,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The sums of products over the last dimensions of x1 and the first of x2, or over pairs.

    Args:
      x1, x2, axes, precision, preferred_element_type: as for `dovetail.numpy.tensordot`.
      out_sharding: must be None.

    Returns:
      An array with the other dimensions of x1, then those of x2.

    Example:
      >>> tensordot(np.ones((2, 3)), np.ones((3, 2)), axes=1).shape
      (2, 2)
    """
    if out_sharding is not None:
        raise NotImplementedError("tensordot: out_sharding must be None")
    return products.tensordot(
        x1, x2, axes, precision=precision, preferred_element_type=preferred_element_type
    )


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """Diagonals of matrices.

    Args:
      x: matrices, of shape (…, m, n).
      offset: the diagonal, counted from the main one to the right.

    Returns:
      An array of shape (…, k).

    Example:
      >>> diagonal(np.int32([[1, 2], [3, 4]]))
      Array([1, 4], dtype=int32)
    """
    return diagonals.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Sums along diagonals of matrices.

    Args:
      x: matrices, of shape (…, m, n).
      offset: the diagonal, counted from the main one to the right.
      dtype: the element type of the sums.

    Returns:
      An array of shape (…).

    Example:
      >>> trace(np.int32([[1, 2], [3, 4]]))
      Array(5, dtype=int32)
    """
    return diagonals.trace(x, offset=offset, axis1=-2, axis2=-1, dtype=dtype)
