"""Solutions of linear equations, exact and by least squares, and inverses."""

from __future__ import annotations

import math
import operator
from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax.linalg import equations, operands
from dovetail.lax.linalg.operands import (
    adjoint,
    conj,
    identity,
    square,
    transposed,
)
from dovetail.numpy.linalg.decompositions import svd
from dovetail.numpy.products import matmul
from dovetail.numpy.promotion import inexact, promote
from dovetail.numpy.shape import moveaxis
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.tracing.whole import whole
from dovetail.transforms import custom_derivatives


def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """The solutions x of a x = b, by LU factorization.

    Args:
      a: square matrices, of shape (…, n, n).
      b: matrices, of shape (…, n, k), or one vector; batches are broadcast.

    Returns:
      An inexact array, of shape (…, n, k), or (…, n) for a vector. If a is singular, elements are
      infinite or NaN.

    Raises:
      ValueError: the shapes do not match.

    Example:
      >>> solve(np.float32([[2, 0], [1, 1]]), np.float32([2, 3]))
      Array([1., 2.], dtype=float32)
    """
    x, y = promote("solve", a, b, to=dtypes.to_inexact_dtype)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise value_error(f"solve: matrices must be square, got: shape {x.shape}")
    is_vector = y.ndim == 1
    if is_vector:
        y = lax.expand_dims(y, (-1,))
    if y.ndim < 2 or y.shape[-2] != x.shape[-1]:
        raise value_error(
            "solve: b must be one vector or matrices with as many rows as a, got: shapes "
            f"{x.shape} "
            f"and {as_operand('solve', b).shape}; for a batch of vectors, solve(a, b[..., None])"
        )
    result = equations.over_batches("solve", equations.solve, y, (x, 2))
    return lax.squeeze(result, (-1,)) if is_vector else result


def inv(a: ArrayLike) -> Array:
    """Inverses of matrices.

    Args:
      a: square matrices, of shape (…, n, n).

    Returns:
      An inexact array of that shape. If a is singular, elements are infinite or NaN.

    Raises:
      ValueError: the matrices are not square.

    Example:
      >>> inv(np.float32([[2, 0], [0, 4]]))
      Array([[0.5 , 0.  ],
             [0.  , 0.25]], dtype=float32)
    """
    array = inexact("inv", a)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise value_error(f"inv: matrices must be square, got: shape {array.shape}")
    return equations.solve(array, identity(array, array.shape[-1]))


def pinv(
    a: ArrayLike,
    rtol: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rcond: ArrayLike | None = None,
) -> Array:
    """Pseudo-inverses of matrices, by singular values.

    Args:
      a: matrices, of shape (…, m, n).
      rtol: singular values up to this fraction of the largest count as 0; by default 10 max(m, n)
        times the machine epsilon of the element type.
      hermitian: whether a is Hermitian, which is faster.
      rcond: another name for rtol.

    Returns:
      An inexact array, of shape (…, n, m). Its derivative is the one at constant rank (Golub and
      Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose
      variables separate", 1973).

    Raises:
      ValueError: both rtol and rcond are given.

    Example:
      >>> pinv(np.float32([[2], [0]]))
      Array([[0.5, 0. ]], dtype=float32)
    """
    if rcond is not None:
        if rtol is not None:
            raise value_error("pinv: only one of rtol and rcond may be specified, got: both")
        rtol = rcond
    array = inexact("pinv", a)
    if array.ndim < 2:
        raise type_error(f"pinv: the argument must be matrices, got: shape {array.shape}")
    if 0 in array.shape[-2:]:
        return transposed(array)
    if rtol is None:
        rtol = 10.0 * max(array.shape[-2:]) * float(dtypes.finfo(array.dtype).eps)
    bound = as_operand("pinv", rtol, 1)
    bound = lax.convert_element_type(bound, dtypes.to_real_dtype(array.dtype))
    return _pinv(hermitian, array, lax.stop_gradient(bound))


def _pseudo_inverse(is_hermitian: bool, a: Array, rtol: Array) -> Array:
    u, s, vh = svd(a, full_matrices=False, hermitian=is_hermitian)
    rtol = lax.expand_dims(rtol, (-1,))
    greatest = s[..., :1]
    is_kept = s > rtol * greatest
    inverse = lax.select(is_kept, 1 / lax.select(is_kept, s, lax.full_like(s, 1)), s * 0)
    weights = lax.convert_element_type(lax.expand_dims(inverse, (-1,)), a.dtype)
    return matmul(adjoint(vh), weights * adjoint(u))


_pinv = custom_derivatives.custom_jvp(_pseudo_inverse, nondiff_argnums=(0,))


@_pinv.defjvp
def _pinv_rule(is_hermitian: bool, primals: Any, tangents: Any) -> Any:
    """dp = -p da p + p p^H da^H (1 - a p) + (1 - p a) da^H p^H p."""
    (a, rtol), da = primals, tangents[0]
    p = _pinv(is_hermitian, a, rtol)
    if is_hermitian:
        a, da = operands.hermitian(a), operands.hermitian(da)
    turned, ph = adjoint(da), adjoint(p)
    left, right = _product(p, ph, turned), _product(turned, ph, p)
    tangent = left - _product(left, a, p) - _product(p, da, p)
    return p, tangent + right - _product(p, a, right)


def _product(x: Array, y: Array, z: Array) -> Array:
    """x y z, where x and z are like y^H, through the smaller of the two squares."""
    rows, columns = y.shape[-2:]
    if rows <= columns:
        return matmul(x, matmul(y, z))
    return matmul(matmul(x, y), z)


@whole
def lstsq(
    a: ArrayLike, b: ArrayLike, rcond: float | None = None, *, numpy_resid: bool = False
) -> tuple[Array, Array, Array, Array]:
    """The vectors x of least norm for which a x - b has the least norm.

    Args:
      a: a matrix, of shape (m, n).
      b: a vector, of shape (m,), or a matrix, of shape (m, k).
      rcond: singular values below this fraction of the largest count as 0; by default max(m, n)
        times the machine epsilon of the element type.
      numpy_resid: whether residuals are empty where NumPy's are, which requires the rank to be
        known.

    Returns:
      (x, residuals, rank, s): of shape (n,) or (n, k); squared norms, of shape (1,) or (k,); an
      integer; the singular values of a.

    Raises:
      TypeError, ValueError: the shapes do not match.

    Example:
      >>> lstsq(np.float32([[3], [4]]), np.float32([5, 5]))[0]
      Array([1.4], dtype=float32)
    """
    x, y = promote("lstsq", a, b, to=dtypes.to_inexact_dtype)
    if x.ndim != 2 or y.ndim not in (1, 2):
        raise type_error(
            f"lstsq: a must be a matrix, and b a vector or a matrix, got: shapes {x.shape} and "
            f"{y.shape}"
        )
    if x.shape[0] != y.shape[0]:
        raise value_error(
            f"lstsq: b must have as many rows as a, got: shapes {x.shape} and {y.shape}"
        )
    is_vector = y.ndim == 1
    if is_vector:
        y = lax.expand_dims(y, (-1,))
    m, n = x.shape
    if not x.size:
        s = lax.full((0,), 0, dtypes.to_real_dtype(x.dtype))
        rank, result = (
            lax.full((), 0, dtypes.default_dtype("i")),
            lax.full((n, y.shape[1]), 0, x.dtype),
        )
    else:
        result, rank, s = _least_squares(x, y, rcond)
    if numpy_resid and (int(rank) < n or m <= n):
        residuals = lax.full((0,), 0, s.dtype)
    else:
        rest = y - matmul(x, result)
        residuals = lax.reduce_sum(
            lax.real(rest * conj(rest)) if _is_complex(rest) else rest * rest, (0,)
        )
    return (lax.squeeze(result, (-1,)) if is_vector else result), residuals, rank, s


def _is_complex(x: Array) -> bool:
    return dtypes.KINDS[x.dtype] == "c"


def _least_squares(a: Array, b: Array, rcond: float | None) -> tuple[Array, Array, Array]:
    u, s, vh = svd(a, full_matrices=False)
    eps = float(dtypes.finfo(a.dtype).eps)
    bound: Any = eps * max(a.shape) if rcond is None else as_operand("lstsq", rcond, 2)
    if rcond is not None:
        bound = lax.convert_element_type(
            lax.select(bound < 0, lax.full_like(bound, eps), bound), s.dtype
        )
    is_kept = (s > 0) & (s >= bound * s[0])
    inverse = lax.select(is_kept, 1 / lax.select(is_kept, s, lax.full_like(s, 1)), s * 0)
    weights = lax.convert_element_type(lax.expand_dims(inverse, (-1,)), a.dtype)
    x = matmul(adjoint(vh), weights * matmul(adjoint(u), b))
    return x, is_kept.sum(), s


def tensorinv(a: ArrayLike, ind: int = 2) -> Array:
    """The inverse of `tensordot` with an array.

    Args:
      a: an array whose first `ind` dimensions have as many elements as the others.
      ind: the number of its dimensions that represent rows.

    Returns:
      An array with both groups of dimensions swapped.

    Raises:
      ValueError: ind is not positive, or the groups differ in size.

    Example:
      >>> tensorinv(2 * np.eye(2).reshape(2, 1, 2), 2).shape
      (2, 2, 1)
    """
    array = as_operand("tensorinv", a)
    count = operator.index(ind)
    if count <= 0:
        raise value_error(f"tensorinv: ind must be positive, got: {ind}")
    rows, columns = array.shape[:count], array.shape[count:]
    sizes = math.prod(rows), math.prod(columns)
    if sizes[0] != sizes[1]:
        raise value_error(
            f"tensorinv: the first ind dimensions must have as many elements as the others, got: "
            f"shape {array.shape} and ind {ind}"
        )
    return lax.reshape(inv(lax.reshape(array, sizes)), (*columns, *rows))


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: tuple[int, ...] | None = None) -> Array:
    """The array x with tensordot(a, x, x.ndim) = b.

    Args:
      a: an array whose first dimensions are those of b, and whose others have as many elements.
      b: an array.
      axes: dimensions of a to move to its end first.

    Returns:
      An array with those other dimensions.

    Raises:
      ValueError: the shapes do not match.

    Example:
      >>> tensorsolve(2 * np.eye(4).reshape(2, 2, 4), np.ones((2, 2)))
      Array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """
    x, y = as_operand("tensorsolve", a), as_operand("tensorsolve", b, 1)
    if axes is not None:
        x = moveaxis(x, axes, tuple(range(x.ndim - len(axes), x.ndim)))
    shape = x.shape[y.ndim :]
    if x.shape[: y.ndim] != y.shape or y.size != math.prod(shape):
        raise value_error(
            "tensorsolve: a must have the dimensions of b, then others with as many elements, "
            f"got: shapes {x.shape} and {y.shape}"
        )
    matrix = lax.reshape(x, (y.size, math.prod(shape)))
    return lax.reshape(
        solve(square("tensorsolve", inexact("tensorsolve", matrix)), y.ravel()), shape
    )
