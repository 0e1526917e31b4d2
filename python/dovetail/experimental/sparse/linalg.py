"""Linear equations and eigenvalues of large matrices that are sparse, or known by what they do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as _scipy_sparse
import scipy.sparse.linalg as _scipy_linalg

import dovetail as dt
from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy.segments import segment_sum
from dovetail.ops.operands import ArrayLike, as_operand

__all__ = ["lobpcg_standard", "spsolve"]

Action = Callable[[Array], Array]
# (iterations, vectors, directions, residuals, eigenvalues, how many have converged)
State = tuple[Any, Array, Array, Array, Array, Any]


def lobpcg_standard(
    A: ArrayLike | Action, X: ArrayLike, m: int = 100, tol: ArrayLike | None = None
) -> tuple[Array, Array, Array]:
    """The largest eigenvalues of a Hermitian matrix, with eigenvectors, by the locally optimal
    block method of conjugate gradients.

    Each iteration solves the eigenvalue problem within the span of the present vectors X, their
    residuals R, and the directions P of the last step. A. Knyazev, Toward the optimal
    preconditioned eigensolver, SIAM Journal on Scientific Computing 23(2), 2001. The basis is
    orthonormal in every iteration, by way of its Gram matrix's eigenvectors, which drop what
    depends on the rest: A. Stathopoulos and K. Wu, A block orthogonalization procedure with
    constant synchronization requirements, SIAM Journal on Scientific Computing 23(6), 2002; and P
    is orthogonal to X, as in J. A. Duersch et al., A robust and efficient implementation of LOBPCG,
    SIAM Journal on Scientific Computing 40(5), 2018. It has no derivative.

    Args:
      A: an n x n matrix, or a function that applies it to a matrix of columns.
      X: an n x k matrix of independent columns to start from, with 0 < 5k < n.
      m: the largest number of iterations.
      tol: an eigenpair has converged if its residual is below `10 n tol (theta + |A u|)`; by
        default the precision of the type.

    Returns:
      (theta, U, i): k eigenvalues in descending order, an n x k matrix of eigenvectors, and the
      number of iterations.

    Raises:
      ValueError: k is not in these bounds, or `A` has another shape or type.

    Example:
      >>> from dovetail.experimental.sparse import linalg
      >>> diagonal = dnp.arange(1.0, 31.0)[:, None]
      >>> start = dt.random.normal(dt.random.key(0), (30, 2))
      >>> theta, U, _ = linalg.lobpcg_standard(lambda x: diagonal * x, start)
      >>> theta.round(3)
      Array([30., 29.], dtype=float32)
    """
    start = as_operand("lobpcg_standard", X, 1)
    if callable(A) and not isinstance(A, (ArrayMethods, np.ndarray)):
        return _by_action(A, start, m, tol)
    return _by_matrix(as_operand("lobpcg_standard", A), start, m, tol)


@partial(dt.jit, static_argnums=2)
def _by_matrix(matrix: Array, start: Array, most: int, tol: Any) -> tuple[Array, Array, Array]:
    return _lobpcg(partial(_product, matrix), start, most, tol)


@partial(dt.jit, static_argnums=(0, 2))
def _by_action(action: Action, start: Array, most: int, tol: Any) -> tuple[Array, Array, Array]:
    return _lobpcg(action, start, most, tol)


def _lobpcg(action: Action, start: Array, most: int, tol: Any) -> tuple[Array, Array, Array]:
    n, k = start.shape
    _check(action, start)
    if tol is None:
        tol = float(dtypes.finfo(start.dtype).eps)
    vectors = _orthonormal(start)
    images = action(vectors)
    values = dnp.sum(vectors * images, 0)
    # The first directions: any that are independent of the vectors.
    others = _orthogonal_to(vectors, dnp.eye(n, k, dtype=start.dtype))

    def goes_on(state: State) -> Array:
        count, *_, converged = state
        return (count < most) & (converged < k)

    def step(state: State) -> State:
        count, vectors, directions, residuals, _, _ = state
        known = dnp.concatenate([vectors, directions], 1)
        basis = dnp.concatenate([known, _orthogonal_to(known, residuals)], 1)
        found, weights = _descending(_product(basis.T, action(basis)))
        found, chosen = found[:k], weights[:, :k]
        vectors = _unit(_product(basis, chosen))
        # What the new vectors have of the old directions and residuals, without what they are.
        rotation, _ = dnp.linalg.qr(weights[:k, k:].T)
        directions = _unit(_product(basis, _product(weights[:, k:], rotation)))
        images = action(vectors)
        residuals = images - found[None] * vectors
        bounds = 10 * n * tol * (_norms(images) + found)
        converged = dnp.sum(_norms(residuals) < bounds)
        return count + 1, vectors, directions, residuals, found, converged

    first = (0, vectors, others, images - values[None] * vectors, values, 0)
    count, vectors, _, _, values, _ = lax.while_loop(goes_on, step, first)
    return values, vectors, count


def _check(action: Action, start: Array) -> None:
    n, k = start.shape
    if k == 0:
        raise value_error(f"lobpcg_standard: must have search dim > 0, got: {k}")
    if 5 * k >= n:
        raise value_error(
            "lobpcg_standard: expected search dim * 5 < matrix dim, got: "
            f"{5 * k} and {n}; eigh computes all eigenvalues of a small matrix"
        )
    image = dt.eval_shape(action, dt.ShapeDtypeStruct((n, 1), start.dtype))
    if image.dtype != start.dtype:
        raise value_error(
            f"lobpcg_standard: A, X must have same dtypes, got: {image.dtype} and {start.dtype}"
        )
    if image.shape != (n, 1):
        raise value_error(
            f"lobpcg_standard: A must be ({n}, {n}) matrix, got: one of {image.shape[0]} rows"
        )


def _product(a: Array, b: Array) -> Array:
    return dnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def _norms(columns: Array) -> Array:
    return dnp.sqrt(dnp.sum(dnp.square(columns), 0))


def _unit(columns: Array) -> Array:
    """Columns of norm one, or zero."""
    norms = _norms(columns)
    return columns / dnp.where(norms == 0, 1, norms)[None]


def _descending(matrix: Array) -> tuple[Array, Array]:
    values, vectors = dnp.linalg.eigh(matrix)
    return values[::-1], vectors[:, ::-1]


def _orthonormal(columns: Array) -> Array:
    """An orthonormal basis of the span of columns; what depends on others becomes zero."""
    # Once is not enough where columns are almost dependent.
    for _ in range(2):
        columns = _unit(columns)
        gram = _product(columns.T, columns)
        values, vectors = _descending(gram)
        least = dtypes.finfo(columns.dtype).eps * dnp.maximum(values[0], 0)
        is_kept = values > least
        scales = dnp.where(is_kept, values, 1) ** -0.5
        rotated = _product(columns, vectors * scales[None])
        columns = _unit(dnp.where(is_kept[None], rotated, 0))
    return columns


def _orthogonal_to(basis: Array, columns: Array) -> Array:
    """An orthonormal basis of what columns have outside of the span of a basis."""
    for _ in range(2):
        columns = columns - _product(basis, _product(basis.T, columns))
        columns = _orthonormal(columns)
    # What is left of the basis is more than rounding only if nothing else was left.
    rest = columns - _product(basis, _product(basis.T, columns))
    is_outside = _norms(rest) >= 0.99
    return dnp.where(is_outside[None], columns, 0)


def spsolve(
    data: ArrayLike,
    indices: ArrayLike,
    indptr: ArrayLike,
    b: ArrayLike,
    tol: float = 1e-6,
    reorder: int = 1,
) -> Array:
    """The solution of a linear equation with a sparse matrix in the CSR format.

    SciPy's SuperLU solves it, on the host. Derivatives are solutions, too.

    Args:
      data: a vector of the nonzero elements, row by row.
      indices: a vector of their columns.
      indptr: a vector of n + 1 integers: where each row begins and ends in these.
      b: a vector of n elements.
      tol, reorder: accepted for compatibility with JAX.

    Returns:
      The vector x for which the matrix times x is `b`.

    Raises:
      ValueError: `b` is no vector, or its size is not that of the matrix.

    Example:
      >>> from dovetail.experimental.sparse import linalg
      >>> data, columns, rows = dnp.array([2.0, 1.0, 4.0]), dnp.array([0, 0, 1]), dnp.array([0, 1, 3])
      >>> linalg.spsolve(data, columns, rows, dnp.array([2.0, 9.0]))  # [[2, 0], [1, 4]]
      Array([1., 2.], dtype=float32)
    """  # noqa: E501
    elements, columns, starts, right = (
        as_operand("spsolve", x, i) for i, x in enumerate((data, indices, indptr, b))
    )
    n = starts.shape[0] - 1
    if right.shape != (n,):
        raise value_error(
            f"spsolve: b must be a vector of {n} elements, one for each row, got: shape "
            f"{right.shape}"
        )
    dtype = dnp.result_type(elements, right)
    elements, right = elements.astype(dtype), right.astype(dtype)
    places = dnp.arange(elements.shape[0])
    rows = dnp.searchsorted(starts, places, side="right") - 1

    def times(x: Array) -> Array:
        return segment_sum(elements * x[columns], rows, n)

    def solver(is_transposed: bool) -> Callable[[Action, Array], Array]:
        def host(elements: Any, columns: Any, starts: Any, right: Any) -> np.ndarray:
            parts = tuple(np.ascontiguousarray(x) for x in (elements, columns, starts))
            matrix: Any = _scipy_sparse.csr_matrix(parts, shape=(n, n))
            matrix = (matrix.T if is_transposed else matrix).tocsc()
            found: Any = _scipy_linalg.spsolve(matrix, np.asarray(right))
            return found.astype(dtype)

        def solve(_: Action, right: Array) -> Array:
            result = dt.ShapeDtypeStruct((n,), dtype)
            given = (elements, columns, starts, right)
            return dt.pure_callback(host, result, *given, vmap_method="sequential")

        return solve

    return lax.custom_linear_solve(times, right, solver(False), solver(True))
