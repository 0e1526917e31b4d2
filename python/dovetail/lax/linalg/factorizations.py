"""Triangular, orthogonal and condensed factors of matrices."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.control.loops import fori_loop
from dovetail.lax.dynamic_slices import (
    dynamic_index_in_dim,
    dynamic_slice_in_dim,
    dynamic_update_index_in_dim,
    dynamic_update_slice_in_dim,
)
from dovetail.lax.linalg.operands import (
    adjoint,
    alike,
    conj,
    hermitian,
    identity,
    matmul,
    matrices,
    natively,
    part,
    square,
    transposed,
)
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.tracing.composed import composed


def cholesky(x: ArrayLike, *, symmetrize_input: bool = True) -> Array:
    """The lower triangular factors l of positive definite matrices x = l l^H.

    Args:
      x: Hermitian matrices, of shape (…, n, n), floats or complex.
      symmetrize_input: whether to use (x + x^H) / 2 for x; otherwise only the lower triangle is
        read.

    Returns:
      An array like x; NaN in the lower triangle where a matrix is not positive definite.

    Raises:
      TypeError, ValueError: x is not an array of square matrices.

    Example:
      >>> cholesky(np.float32([[4, 2], [2, 2]]))
      Array([[2., 0.],
             [1., 1.]], dtype=float32)
    """
    array = square("cholesky", x)
    return natively(ops.cholesky, hermitian(array) if symmetrize_input else array)


def cholesky_update(r_matrix: ArrayLike, w_vector: ArrayLike) -> Array:
    """The upper triangular factor of r^T r + w w^T, by rotations (Gill, Golub, Murray and Saunders,
    "Methods for modifying matrix factorizations", 1974).

    Args:
      r_matrix: an upper triangular matrix, of shape (n, n), floats.
      w_vector: a vector, of shape (n,).

    Returns:
      A matrix like r_matrix.

    Raises:
      TypeError, ValueError: the shapes have another form.

    Example:
      >>> cholesky_update(np.float32([[3]]), np.float32([4]))
      Array([[5.]], dtype=float32)
    """
    name = "cholesky_update"
    r, w = matrices(name, r_matrix), matrices(name, w_vector, 1, rank=1)
    alike(name, r, w)
    if r.ndim != 2 or w.ndim != 1 or not r.shape[0] == r.shape[1] == w.shape[0]:
        raise value_error(
            f"{name}: arguments must be a square matrix and a vector of its size, got: shapes "
            f"{r.shape} and {w.shape}"
        )
    columns = lax.iota(dtypes.int32, r.shape[0])

    def rotated(k: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        r, w = state
        row = dynamic_index_in_dim(r, k, keepdims=False)
        first, second = row[k], w[k]
        size = lax.max(abs(first), abs(second))
        safe = ops.select(size == 0, lax.full_like(size, 1), size)
        scaled = first / safe, second / safe
        length = lax.sqrt(scaled[0] * scaled[0] + scaled[1] * scaled[1])
        is_zero = second == 0
        length = ops.select(is_zero, lax.full_like(length, 1), length)
        c = ops.select(is_zero, lax.full_like(length, 1), scaled[0] / length)
        s = ops.select(is_zero, lax.full_like(length, 0), scaled[1] / length)
        rest = ops.select(columns > k, c * w - s * row, lax.full_like(w, 0))
        return dynamic_update_index_in_dim(r, c * row + s * w, k, 0), rest

    return fori_loop(0, r.shape[0], rotated, (r, w))[0]


def lu(x: ArrayLike) -> tuple[Array, Array, Array]:
    """The factors x[permutation] = l u, with partial pivoting.

    Args:
      x: matrices, of shape (…, m, n), floats or complex.

    Returns:
      (lu, pivots, permutation): u and, below the diagonal, l, whose own diagonal is 1, like x; the
      row with which row i was exchanged, int32 of shape (…, min(m, n)); the order of rows, int32 of
      shape (…, m).

    Example:
      >>> lu(np.float32([[0, 1], [2, 3]]))[0]
      Array([[2., 3.],
             [0., 1.]], dtype=float32)
    """
    packed, pivots, permutation = natively(ops.lu, matrices("lu", x))
    return packed, pivots, permutation


def lu_pivots_to_permutation(pivots: ArrayLike, permutation_size: int) -> Array:
    """The order of rows after the row exchanges of `lu`.

    Args:
      pivots: int32, of shape (…, k).
      permutation_size: the number of rows, k or more.

    Returns:
      int32, of shape (…, permutation_size).

    Raises:
      TypeError, ValueError: pivots are not int32, or more than the rows.

    Example:
      >>> lu_pivots_to_permutation(np.int32([2, 2]), 3)
      Array([2, 0, 1], dtype=int32)
    """
    name = "lu_pivots_to_permutation"
    array = as_operand(name, pivots)
    if array.dtype != dtypes.int32 or array.ndim < 1:
        raise type_error(
            f"{name}: pivots must be int32 of rank 1 or more, got: {array.dtype.name} of shape "
            f"{array.shape}"
        )
    if array.shape[-1] > permutation_size:
        raise value_error(
            f"{name}: there must not be more pivots than rows, got: {array.shape[-1]} pivots and "
            f"permutation_size {permutation_size}"
        )
    shape = (*array.shape[:-1], permutation_size)
    last = len(shape) - 1
    order = lax.broadcasted_iota(dtypes.int32, shape, last)
    if not permutation_size or not array.shape[-1]:
        return order
    places = order

    def exchanged(i: Array, order: Array) -> Array:
        j = dynamic_slice_in_dim(array, i, 1, last)
        is_there = places == j
        here = dynamic_slice_in_dim(order, i, 1, last)
        there = lax.reduce_sum(ops.select(is_there, order, lax.full_like(order, 0)), (last,))
        there = lax.expand_dims(there, (last,))
        moved = lax.select(is_there, lax.broadcast_in_dim(here, shape, range(last + 1)), order)
        return dynamic_update_slice_in_dim(moved, there, i, last)

    return fori_loop(0, array.shape[-1], exchanged, order)


def qr(
    x: ArrayLike,
    *,
    pivoting: bool = False,
    full_matrices: bool = True,
    use_magma: bool | None = None,
) -> tuple[Array, ...]:
    """The factors x = q r, q with orthonormal columns and r upper triangular.

    Args:
      x: matrices, of shape (…, m, n), floats or complex.
      pivoting: whether to order columns so that the magnitudes on the diagonal of r do not
        increase.
      full_matrices: whether q is square.
      use_magma: accepted for compatibility with JAX.

    Returns:
      (q, r), of shapes (…, m, m) and (…, m, n), or with k = min(m, n) (…, m, k) and (…, k, n); with
      pivoting also the order p of the columns, int32 of shape (…, n), for which x[:, p] = q r.

    Example:
      >>> qr(np.float32([[3], [4]]), full_matrices=False)[1]
      Array([[-5.]], dtype=float32)
    """
    array = matrices("qr", x)
    return tuple(natively(lambda a: ops.qr(a, full_matrices, pivoting), array))


def geqrf(a: ArrayLike) -> tuple[Array, Array]:
    """The QR factorization by Householder reflections, packed as in LAPACK's geqrf.

    Args:
      a: matrices, of shape (…, m, n), floats or complex.

    Returns:
      (packed, taus): r and, below its diagonal, the vectors of the reflections, like a; their
      factors, of shape (…, min(m, n)).

    Example:
      >>> geqrf(np.float32([[3], [4]]))[0][0]
      Array([-5.], dtype=float32)
    """
    packed, taus = natively(ops.geqrf, matrices("geqrf", a))
    return packed, taus


def geqp3(a: ArrayLike) -> tuple[Array, Array, Array]:
    """The same of a[:, p], for an order p of columns in which the magnitudes on the diagonal of r
    do not increase.

    Args:
      a: matrices, of shape (…, m, n), floats or complex.

    Returns:
      (packed, p, taus), with p int32 of shape (…, n).

    Example:
      >>> geqp3(np.float32([[1, 2]]))[1]
      Array([1, 0], dtype=int32)
    """
    packed, taus, order = natively(lambda x: ops.geqrf(x, True), matrices("geqp3", a))
    return packed, order, taus


def householder_product(a: ArrayLike, taus: ArrayLike) -> Array:
    """The first columns of the product of Householder reflections 1 - tau v v^H.

    Args:
      a: matrices, of shape (…, m, n), with the vectors v below the diagonal.
      taus: the factors, of shape (…, k) with k <= min(m, n).

    Returns:
      An array like a, with orthonormal columns.

    Raises:
      TypeError, ValueError: the shapes have another form.

    Example:
      >>> householder_product(np.float32([[-5], [0.5]]), np.float32([1.6]))
      Array([[-0.6],
             [-0.8]], dtype=float32)
    """
    name = "householder_product"
    array, factors = matrices(name, a), matrices(name, taus, 1, rank=1)
    _check_reflections(name, array, factors)
    return _householder_product(array, factors)


@composed("householder_product")
def _householder_product(array: Array, factors: Array) -> Array:
    eye = identity(array, *array.shape[-2:])
    return natively(lambda x, t, c: _reflected(x, t, c, False), array, factors, eye)


def ormqr(
    a: ArrayLike, taus: ArrayLike, c: ArrayLike, *, left: bool = True, transpose: bool = False
) -> Array:
    """The product of the matrix q of a QR factorization with another one, without forming q.

    Args:
      a, taus: the results of `geqrf`, of shapes (…, m, n) and (…, k).
      c: matrices, of shape (…, m, p), or (…, p, m) unless `left`.
      left: whether q is on the left of c.
      transpose: whether to take the conjugate transpose of q.

    Returns:
      An array like c.

    Raises:
      TypeError, ValueError: the shapes do not match.

    Example:
      >>> ormqr(np.float32([[-5], [0.5]]), np.float32([1.6]), np.float32([[5], [0]]))
      Array([[-3.],
             [-4.]], dtype=float32)
    """
    array, factors, other = (
        matrices("ormqr", a),
        matrices("ormqr", taus, 1, 1),
        matrices("ormqr", c, 2),
    )
    _check_reflections("ormqr", array, factors)
    alike("ormqr", array, other)
    size = other.shape[-2 if left else -1]
    if size != array.shape[-2] or other.shape[:-2] != array.shape[:-2]:
        raise value_error(
            f"ormqr: c must have as many {'rows' if left else 'columns'} as a has rows, in the "
            f"same batch, got: shapes {array.shape} and {other.shape}"
        )
    if left:
        return natively(lambda x, t, y: _reflected(x, t, y, transpose), array, factors, other)
    turned = natively(
        lambda x, t, y: _reflected(x, t, y, not transpose), array, factors, adjoint(other)
    )
    return adjoint(turned)


def _check_reflections(name: str, a: Array, taus: Array) -> None:
    alike(name, a, taus)
    if taus.shape[:-1] != a.shape[:-2] or taus.shape[-1] > min(a.shape[-2:]):
        raise value_error(
            f"{name}: there must be one factor for each of the first columns of a, got: shapes "
            f"{a.shape} and {taus.shape}"
        )


def _reflected(a: Array, taus: Array, c: Array, transpose: bool) -> Array:
    """q c or q^H c. The product of reflections is 1 - v t v^H, where t^-1 has 1 / tau on its
    diagonal and v^H v above it (Puglisi, "Modification of the Householder method based on the
    compact WY representation", 1992), so that it consists of matrix products.
    """
    k, m = taus.shape[-1], a.shape[-2]
    if not k:
        return c
    v = part(a[..., :k], True, -1) + identity(a, m, k)
    factors = lax.broadcast_in_dim(taus, (*taus.shape, 1), range(taus.ndim))
    inner = factors * part(matmul(adjoint(v), v), False, 1)
    image = matmul(adjoint(v), c)
    if transpose:
        solved = ops.triangular_solve(inner, image, True, False, True, True, True)
        return c - matmul(v, conj(factors) * solved)
    return c - matmul(v, ops.triangular_solve(inner, factors * image, True, unit_diagonal=True))


def hessenberg(a: ArrayLike) -> tuple[Array, Array]:
    """The factors a = q h q^H with h zero below its first subdiagonal, packed as in LAPACK's gehrd.

    Args:
      a: square matrices, of shape (…, n, n), floats or complex.

    Returns:
      (packed, taus): h and, below its subdiagonal, the vectors of the reflections, like a; their
      factors, of shape (…, n - 1).

    Example:
      >>> hessenberg(np.float32([[1, 2], [3, 4]]))[0]
      Array([[1., 2.],
             [3., 4.]], dtype=float32)
    """
    packed, taus = natively(ops.hessenberg, square("hessenberg", a))
    return packed, taus


def tridiagonal(a: ArrayLike, *, lower: bool = True) -> tuple[Array, Array, Array, Array]:
    """The factors a = q t q^H with tridiagonal real t, of Hermitian matrices, packed as in LAPACK's
    sytrd.

    Args:
      a: Hermitian matrices, of shape (…, n, n), floats or complex.
      lower: the triangle of a that is read, and holds the reflections.

    Returns:
      (packed, d, e, taus): t and the vectors of the reflections, like a; the diagonal and the
      off-diagonal of t, real of shapes (…, n) and (…, n - 1); the factors, of shape (…, n - 1).

    Example:
      >>> tridiagonal(np.float32([[1, 2], [2, 3]]))[1]
      Array([1., 3.], dtype=float32)
    """
    packed, d, e, taus = natively(lambda x: ops.tridiagonal(x, lower), square("tridiagonal", a))
    return packed, d, e, taus


def symmetric_product(
    a_matrix: ArrayLike,
    c_matrix: ArrayLike,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    symmetrize_output: bool = False,
) -> Array:
    """alpha a a^T + beta c.

    Args:
      a_matrix: matrices, of shape (…, m, n), floats.
      c_matrix: symmetric matrices, of shape (…, m, m).
      alpha, beta: numbers.
      symmetrize_output: whether to mirror the lower triangle into the upper one.

    Returns:
      An array like c_matrix.

    Raises:
      TypeError, ValueError: the shapes do not match.

    Example:
      >>> symmetric_product(np.float32([[1, 2]]), np.float32([[1]]), beta=2.0)
      Array([[7.]], dtype=float32)
    """
    name = "symmetric_product"
    a, c = matrices(name, a_matrix), matrices(name, c_matrix, 1)
    alike(name, a, c)
    if c.shape != (*a.shape[:-1], a.shape[-2]):
        raise value_error(
            f"{name}: c must be square, with the batch and the rows of a, got: shapes {a.shape} "
            f"and {c.shape}"
        )
    result = alpha * matmul(a, transposed(a)) + beta * c
    if not symmetrize_output:
        return result
    return part(result, True) + transposed(part(result, True, -1))
