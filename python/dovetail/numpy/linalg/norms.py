"""Norms of vectors and matrices, conditions and ranks."""

from __future__ import annotations

import math
from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy.linalg.decompositions import svd, svdvals
from dovetail.numpy.linalg.equations import inv
from dovetail.numpy.parts import conjugate, real
from dovetail.numpy.promotion import filled, inexact
from dovetail.numpy.reductions import amax, amin, any, sum
from dovetail.numpy.shape import expand_dims, moveaxis
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis, one_or_several

Axes = int | tuple[int, ...] | None


def norm(
    x: ArrayLike, ord: int | float | str | None = None, axis: Axes = None, keepdims: bool = False
) -> Array:
    """Norms of vectors or matrices.

    Args:
      x: an array.
      ord: for vectors any number, inf and -inf; for matrices 1, -1, 2, -2, inf, -inf, `fro` and
        `nuc`; by default the root of the sum of squares.
      axis: one dimension for vectors, two for matrices; by default all.
      keepdims: whether to keep these, with size 1.

    Returns:
      A real array.

    Raises:
      ValueError: there is no such norm, or there are too many dimensions.

    Example:
      >>> norm(np.float32([3, 4]))
      Array(5., dtype=float32)
    """
    array = inexact("norm", x)
    if axis is None and ord is None:
        return _root_of_squares(array, None, keepdims)
    given = range(array.ndim) if axis is None else one_or_several(axis)
    axes = tuple(canonical_axis(i, array.ndim) for i in given)
    if len(axes) == 1:
        return vector_norm(array, ord=2 if ord is None else ord, axis=axes, keepdims=keepdims)
    if len(axes) == 2:
        return _matrix_norm(array, ord, axes, keepdims)
    raise value_error(
        f"norm: axis must be one dimension for vectors or two for matrices, got: {axes}"
    )


def _root_of_squares(x: Array, axis: Axes, keepdims: bool) -> Array:
    return lax.sqrt(sum(real(x * conjugate(x)), axis=axis, keepdims=keepdims))


def _matrix_norm(x: Array, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Array:
    if ord in (None, "f", "fro"):
        return _root_of_squares(x, axes, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        rows, columns = axes if abs(ord) == 1 else axes[::-1]
        sums = sum(abs(x), axis=rows, keepdims=True)
        # The norm of a matrix without elements is 0.
        result = (
            amax(sums, axis=columns, keepdims=True, initial=0)
            if ord > 0
            else amin(sums, axis=columns, keepdims=True)
        )
        return result if keepdims else lax.squeeze(result, axes)
    if ord in ("nuc", 2, -2):
        s = svdvals(moveaxis(x, axes, (-2, -1)))
        if ord == "nuc":
            result = sum(s, axis=-1)
        else:
            result = amax(s, axis=-1, initial=0) if ord == 2 else amin(s, axis=-1)
        return expand_dims(result, axes) if keepdims else result
    raise value_error(
        f"Invalid order '{ord}' for matrix norm. It must be 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc'"
    )


def vector_norm(
    x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: int | float | str = 2
) -> Array:
    """Norms of vectors.

    Args:
      x: an array.
      axis: the dimensions over which elements belong to one vector; by default all.
      keepdims: whether to keep these, with size 1.
      ord: any number, inf or -inf; 0 counts elements that are not 0.

    Returns:
      A real array; of integers if ord is 1, inf or -inf and x has integers.

    Raises:
      ValueError: there is no such norm.

    Example:
      >>> vector_norm(np.float32([3, -4]), ord=1)
      Array(7., dtype=float32)
    """
    array = as_operand("vector_norm", x)
    where: Any = {"axis": axis, "keepdims": keepdims}
    if isinstance(ord, str):
        raise value_error(
            f"Invalid order {ord!r} for vector norm. It must be a number; write "
            "dovetail.numpy.inf for infinity"
        )
    if ord is None or ord == 2:
        return _root_of_squares(array, axis, keepdims)
    if ord == math.inf:
        return amax(abs(array), initial=0, **where)
    if ord == -math.inf:
        return amin(abs(array), **where)
    if ord == 0:
        real_dtype = dtypes.to_real_dtype(dtypes.to_inexact_dtype(array.dtype))
        return sum(array != 0, dtype=real_dtype, **where)
    if ord == 1:
        return sum(abs(array), **where)
    total = sum(abs(array) ** ord, **where)
    return total ** (1 / ord)


def matrix_norm(
    x: ArrayLike, /, *, keepdims: bool = False, ord: str | int | float = "fro"
) -> Array:
    """Norms of matrices.

    Args:
      x: matrices, of shape (…, m, n).
      keepdims: whether to keep the dimensions of the matrices, with size 1.
      ord: 1, -1, 2, -2, inf, -inf, `fro` or `nuc`.

    Returns:
      A real array, of shape (…).

    Example:
      >>> matrix_norm(np.float32([[3, 4]]), ord="nuc")
      Array(5., dtype=float32)
    """
    return norm(x, ord=ord, keepdims=keepdims, axis=(-2, -1))


def matrix_rank(
    M: ArrayLike,
    rtol: ArrayLike | None = None,
    *,
    hermitian: bool = False,
    tol: ArrayLike | None = None,
) -> Array:
    """Ranks of matrices: the numbers of singular values that are not nearly 0.

    Args:
      M: matrices, of shape (…, m, n), or a vector.
      rtol: values up to this count as 0; by default max(m, n) times the largest one times the
        machine epsilon of the element type.
      hermitian: whether M is Hermitian, which is faster.
      tol: another name for rtol.

    Returns:
      Integers, of shape (…).

    Raises:
      ValueError: both rtol and tol are given.

    Example:
      >>> matrix_rank(np.float32([[1, 2], [2, 4]]))
      Array(1, dtype=int32)
    """
    if tol is not None:
        if rtol is not None:
            raise value_error("matrix_rank: only one of tol or rtol may be specified, got: both")
        rtol = tol
    array = inexact("matrix_rank", M)
    if array.ndim < 2:
        return lax.convert_element_type(any(array != 0), dtypes.int32)
    s = svd(array, full_matrices=False, compute_uv=False, hermitian=hermitian)
    if rtol is None:
        precision = float(dtypes.finfo(array.dtype).eps) * max(array.shape[-2:])
        bound = amax(s, axis=-1, initial=0) * precision
    else:
        bound = as_operand("matrix_rank", rtol, 1)
    return sum(s > expand_dims(bound, bound.ndim), axis=-1)


def cond(x: ArrayLike, p: Any = None) -> Array:
    """Condition numbers of matrices: the norm times that of the inverse.

    Args:
      x: matrices, of shape (…, m, n); square unless p is None, 2 or -2.
      p: the norm, as for `norm`; None is 2.

    Returns:
      A real array, of shape (…); infinite for singular matrices.

    Raises:
      ValueError: the matrices are empty, or not square.

    Example:
      >>> cond(np.float32([[4, 0], [0, 2]]))
      Array(2., dtype=float32)
    """
    array = inexact("cond", x)
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise value_error(f"cond: the argument must be matrices with elements, got: {array.shape}")
    if p is None or p == 2:
        s = svdvals(array)
        return s[..., 0] / s[..., -1]
    if p == -2:
        s = svdvals(array)
        result = s[..., -1] / s[..., 0]
    else:
        if array.shape[-2] != array.shape[-1]:
            raise value_error(f"cond: for p={p!r} matrices must be square, got: {array.shape}")
        result = matrix_norm(array, ord=p) * matrix_norm(inv(array), ord=p)
    is_given = any(lax.ne(array, array), axis=(-2, -1))
    return lax.select((result != result) & ~is_given, filled(result, math.inf), result)
