"""Solutions of linear equations, and the factors used to find them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail import lax, numpy
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error, warn
from dovetail.lax.linalg import equations, factorizations, spectra
from dovetail.lax.linalg.operands import adjoint, identity, matmul, part, transposed
from dovetail.numpy.promotion import inexact, promote
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.linalg.triangles import solve_sylvester_triangular


def _solved(
    name: str, compute: Callable[..., Array], b: Array, matrix: Array, *more: Array
) -> Array:
    """Run `compute` on matrices, their companions, and right-hand sides: vectors or matrices, with
    broadcast batches.
    """
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise value_error(f"{name}: matrices must be square, got: shape {matrix.shape}")
    is_vector = b.ndim == 1
    if matrix.ndim == b.ndim + 1 and matrix.shape[-1] == b.shape[-1] and b.ndim > 1:
        warn(
            f"{name}: batches of vectors will be taken for matrices, got: shapes {matrix.shape} "
            f"and {b.shape}; write b[..., None], and [..., 0] after the result",
            3,
        )
        is_vector = True
    if is_vector:
        b = lax.expand_dims(b, (-1,))
    if b.ndim < 2 or b.shape[-2] != matrix.shape[-1]:
        raise value_error(
            f"{name}: b must have as many rows as the matrices, got: shapes {matrix.shape} and "
            f"{b.shape}"
        )
    result = equations.over_batches(name, compute, b, (matrix, 2), *((x, 1) for x in more))
    return lax.squeeze(result, (-1,)) if is_vector else result


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    debug: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> Array:
    """The solutions x of a x = b.

    Args:
      a: square matrices, of shape (…, n, n).
      b: matrices, of shape (…, n, k), or vectors, of shape (…, n).
      lower: whether the lower triangle is read if a is positive definite.
      assume_a: `gen`, `sym`, `her` or `pos`: the kind of matrix.
      overwrite_a, overwrite_b, debug, check_finite: accepted for compatibility with SciPy.

    Returns:
      An inexact array like b.

    Raises:
      ValueError: the shapes do not match, or there is no such kind of matrix.

    Example:
      >>> solve(np.float32([[2, 0], [1, 1]]), np.float32([2, 3]))
      Array([1., 2.], dtype=float32)
    """
    del overwrite_a, overwrite_b, debug, check_finite
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise value_error(
            f"solve: assume_a must be 'gen', 'sym', 'her' or 'pos', got: {assume_a!r}"
        )
    if assume_a != "pos":
        return numpy.linalg.solve(a, b)
    return cho_solve(cho_factor(a, lower), b)


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Array:
    """The solutions x of op(a) x = b for triangular a.

    Args:
      a: square matrices, of shape (…, n, n).
      b: matrices, of shape (…, n, k), or a vector, of shape (n,).
      trans: op: 0 or `N` for a itself, 1 or `T` for the transpose, 2 or `C` for the conjugate
        transpose.
      lower: whether the lower triangle of a is read.
      unit_diagonal: whether the diagonal is assumed to be 1, and not read.
      overwrite_b, debug, check_finite: accepted for compatibility with SciPy.

    Returns:
      An inexact array like b.

    Raises:
      ValueError: the shapes do not match, or there is no such op.

    Example:
      >>> solve_triangular(np.float32([[2, 0], [1, 1]]), np.float32([2, 3]), lower=True)
      Array([1., 2.], dtype=float32)
    """
    del overwrite_b, debug, check_finite
    modes: dict[Any, int] = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
    if trans not in modes:
        raise value_error(
            f"solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C', got: {trans!r}"
        )
    mode = modes[trans]
    x, y = promote("solve_triangular", a, b, to=dtypes.to_inexact_dtype)

    def compute(matrix: Array, sides: Array) -> Array:
        return equations.triangular_solve(
            matrix,
            sides,
            left_side=True,
            lower=lower,
            transpose_a=mode > 0,
            conjugate_a=mode == 2,
            unit_diagonal=unit_diagonal,
        )

    return _solved("solve_triangular", compute, y, x)


def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, bool]:
    """The triangular factors of positive definite matrices, for `cho_solve`.

    Args:
      a: Hermitian matrices, of shape (…, n, n); only one triangle is read.
      lower: whether it is the lower one.
      overwrite_a, check_finite: accepted for compatibility with SciPy.

    Returns:
      (factor, lower).

    Example:
      >>> cho_factor(np.float32([[4]]))
      (Array([[2.]], dtype=float32), False)
    """
    del overwrite_a, check_finite
    array = inexact("cho_factor", a)
    if lower:
        return factorizations.cholesky(array, symmetrize_input=False), lower
    return adjoint(factorizations.cholesky(adjoint(array), symmetrize_input=False)), lower


def cho_solve(
    c_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """The solutions x of a x = b for positive definite a.

    Args:
      c_and_lower: the result of `cho_factor` for a, of shape (…, n, n).
      b: matrices, of shape (…, n, k), or a vector, of shape (n,).
      overwrite_b, check_finite: accepted for compatibility with SciPy.

    Returns:
      An inexact array like b.

    Raises:
      ValueError: the shapes do not match.

    Example:
      >>> cho_solve(cho_factor(np.float32([[4]])), np.float32([8]))
      Array([2.], dtype=float32)
    """
    del overwrite_b, check_finite
    factor, lower = c_and_lower
    c, y = promote("cho_solve", factor, b, to=dtypes.to_inexact_dtype)

    def compute(matrix: Array, sides: Array) -> Array:
        for is_adjoint in (not lower, lower):
            sides = equations.triangular_solve(
                matrix,
                sides,
                left_side=True,
                lower=lower,
                transpose_a=is_adjoint,
                conjugate_a=is_adjoint,
            )
        return sides

    return _solved("cho_solve", compute, y, c)


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, Array]:
    """The factors of matrices with partial pivoting, for `lu_solve`.

    Args:
      a: matrices, of shape (…, m, n).
      overwrite_a, check_finite: accepted for compatibility with SciPy.

    Returns:
      (lu, pivots): both factors in one matrix, and the row interchanges, int32 of shape (…, min(m,
      n)).

    Example:
      >>> lu_factor(np.float32([[0, 1], [2, 3]]))[1]
      Array([1, 1], dtype=int32)
    """
    del overwrite_a, check_finite
    packed, pivots, _ = factorizations.lu(inexact("lu_factor", a))
    return packed, pivots


def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """The solutions x of op(a) x = b.

    Args:
      lu_and_piv: the result of `lu_factor` for a, of shape (…, n, n).
      b: matrices, of shape (…, n, k), or a vector, of shape (n,).
      trans: op: 0 for a itself, 1 for the transpose, 2 for the conjugate transpose.
      overwrite_b, check_finite: accepted for compatibility with SciPy.

    Returns:
      An inexact array like b.

    Raises:
      ValueError: the shapes do not match, or there is no such op.

    Example:
      >>> lu_solve(lu_factor(np.float32([[2, 0], [1, 1]])), np.float32([2, 3]))
      Array([1., 2.], dtype=float32)
    """
    del overwrite_b, check_finite
    packed, pivots = lu_and_piv
    x, y = promote("lu_solve", packed, b, to=dtypes.to_inexact_dtype)
    order = factorizations.lu_pivots_to_permutation(pivots, x.shape[-1])

    def compute(matrix: Array, permutation: Array, sides: Array) -> Array:
        return equations.solve_by_factors(matrix, permutation, sides, trans)

    return _solved("lu_solve", compute, y, x, order)


def lu(
    a: ArrayLike, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, ...]:
    """The factors a = p l u of matrices with partial pivoting.

    Args:
      a: matrices, of shape (…, m, n).
      permute_l: whether to return the product of p and l.
      overwrite_a, check_finite: accepted for compatibility with SciPy.

    Returns:
      (p, l, u), with k = min(m, n) of shapes (…, m, m), (…, m, k) and (…, k, n); or (p l, u).

    Example:
      >>> lu(np.float32([[0, 1], [2, 3]]))[2]
      Array([[2., 3.],
             [0., 1.]], dtype=float32)
    """
    del overwrite_a, check_finite
    packed, _, permutation = factorizations.lu(inexact("lu", a))
    m, n = packed.shape[-2:]
    k = min(m, n)
    lower = part(packed[..., :k], True, -1) + identity(packed, m, k)
    u = part(packed[..., :k, :], False)
    places = lax.broadcasted_iota(
        dtypes.int32, (*permutation.shape[:-1], m, m), permutation.ndim - 1
    )
    is_there = lax.broadcast_in_dim(
        permutation, places.shape, (*range(permutation.ndim - 1), permutation.ndim)
    )
    p = lax.convert_element_type(places == is_there, dtypes.to_real_dtype(packed.dtype))
    if permute_l:
        return matmul(lax.convert_element_type(p, lower.dtype), lower), u
    return p, lower, u


def inv(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Inverses of matrices.

    Args:
      a: square matrices, of shape (…, n, n).
      overwrite_a, check_finite: accepted for compatibility with SciPy.

    Returns:
      An inexact array of that shape.

    Example:
      >>> inv(np.float32([[2]]))
      Array([[0.5]], dtype=float32)
    """
    del overwrite_a, check_finite
    return numpy.linalg.inv(a)


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Determinants.

    Args:
      a: square matrices, of shape (…, n, n).
      overwrite_a, check_finite: accepted for compatibility with SciPy.

    Returns:
      An inexact array, of shape (…).

    Example:
      >>> det(np.float32([[2]]))
      Array(2., dtype=float32)
    """
    del overwrite_a, check_finite
    return numpy.linalg.det(a)


def solve_sylvester(
    A: ArrayLike, B: ArrayLike, C: ArrayLike, *, method: str = "schur", tol: float = 1e-8
) -> Array:
    """The solutions x of A x + x B = C.

    Args:
      A, B: square matrices, of shapes (…, m, m) and (…, n, n).
      C: matrices, of shape (…, m, n).
      method: `schur` (Bartels and Stewart, "Solution of the matrix equation AX + XB = C", 1972), or
        `eigen`, by eigenvalues.
      tol: there is no solution if an eigenvalue of A is this close to one of -B.

    Returns:
      An inexact array like C; NaN if there is no solution. Its derivatives are solutions of the
      same equation.

    Raises:
      ValueError: the shapes do not match, or there is no such method.

    Example:
      >>> solve_sylvester(np.float32([[1]]), np.float32([[2]]), np.float32([[6]]))
      Array([[2.]], dtype=float32)
    """
    a, b, c = promote("solve_sylvester", A, B, C, to=dtypes.to_inexact_dtype)
    if method not in ("schur", "eigen"):
        raise value_error(f"solve_sylvester: method must be 'schur' or 'eigen', got: {method!r}")
    if min(a.ndim, b.ndim, c.ndim) < 2 or (*a.shape[-2:], *b.shape[-2:]) != tuple(
        size for size in c.shape[-2:] for _ in range(2)
    ):
        raise value_error(
            f"solve_sylvester: A and B must be square, with the rows and columns of C, got: shapes "
            f"{a.shape}, {b.shape} and {c.shape}"
        )
    a, b, c = equations.in_one_batch("solve_sylvester", a, b, c)
    # The factors need no derivatives: those of x are solutions of the same equation.
    left, right = lax.stop_gradient(a), lax.stop_gradient(b)

    def image(x: Array) -> Array:
        return matmul(a, x) + matmul(x, b)

    def solve(_: Any, y: Array) -> Array:
        return _solve_sylvester(method, tol, left, right, y)

    def transpose_solve(_: Any, y: Array) -> Array:
        return _solve_sylvester(method, tol, transposed(left), transposed(right), y)

    return lax.custom_linear_solve(image, c, solve, transpose_solve)


def _solve_sylvester(method: str, tol: float, a: Array, b: Array, c: Array) -> Array:
    wide = dtypes.to_complex_dtype(c.dtype)
    left, right, rest = (lax.convert_element_type(x, wide) for x in (a, b, c))
    if method == "schur":
        r, u = spectra.schur(left)
        s, v = spectra.schur(right)
        inner = matmul(matmul(adjoint(u), rest), v)
        x = matmul(matmul(u, solve_sylvester_triangular(r, s, inner)), adjoint(v))
    else:
        first, u = spectra.eig(left, compute_left_eigenvectors=False)
        second, v = spectra.eig(right, compute_left_eigenvectors=False)
        inner = equations.solve(u, matmul(rest, v))
        x = matmul(matmul(u, inner / _sums(first, second)), numpy.linalg.inv(v))
    if dtypes.KINDS[c.dtype] != "c":
        x = lax.real(x)
    if not tol:
        return x
    sums = _sums(numpy.linalg.eigvals(a), numpy.linalg.eigvals(b))
    has_none = lax.reduce_or(abs(sums) < tol, (x.ndim - 2, x.ndim - 1))
    has_none = lax.broadcast_in_dim(has_none, x.shape, range(has_none.ndim))
    return lax.select(has_none, lax.full_like(x, float("nan")), x)


def _sums(first: Array, second: Array) -> Array:
    """first[i] + second[j]."""
    return lax.expand_dims(first, (-1,)) + lax.expand_dims(second, (-2,))
