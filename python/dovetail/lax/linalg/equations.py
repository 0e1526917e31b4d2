"""Solutions of linear equations."""

from __future__ import annotations

import math
from collections.abc import Callable

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.linalg.operands import alike, conj, matrices, natively, square
from dovetail.ops.operands import ArrayLike, broadcast_shapes, broadcast_to


def triangular_solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """The solutions x of op(a) x = b, or of x op(a) = b, for triangular a.

    Args:
      a: square matrices, of shape (…, m, m), floats or complex.
      b: matrices, of shape (…, m, n) if left_side, else (…, n, m); or vectors, of shape (…, m).
      left_side: whether a is on the left of x.
      lower: the triangle of a that is read.
      transpose_a, conjugate_a: the operation op.
      unit_diagonal: whether the diagonal is assumed to be 1, and not read.

    Returns:
      An array like b. If there is a 0 on the diagonal, elements are infinite or NaN.

    Raises:
      TypeError, ValueError: the shapes do not match.

    Example:
      >>> a, b = np.float32([[2, 0], [1, 1]]), np.float32([2, 3])
      >>> triangular_solve(a, b, left_side=True, lower=True)
      Array([1., 2.], dtype=float32)
    """
    name = "triangular_solve"
    matrix, other = square(name, a), matrices(name, b, 1, rank=1)
    alike(name, matrix, other)
    is_vector = other.ndim == matrix.ndim - 1
    if is_vector:
        other = lax.expand_dims(other, (-1 if left_side else -2,))
    size = other.shape[-2 if left_side else -1] if other.ndim == matrix.ndim else -1
    if size != matrix.shape[-1] or other.shape[:-2] != matrix.shape[:-2]:
        raise value_error(
            f"{name}: b must have as many {'rows' if left_side else 'columns'} as a, in the same "
            f"batch, got: shapes {matrix.shape} and {other.shape}"
        )
    is_conjugated = conjugate_a and dtypes.KINDS[matrix.dtype] == "c"
    x = natively(
        lambda m, y: ops.triangular_solve(
            m, y, left_side, lower, transpose_a, is_conjugated, unit_diagonal
        ),
        matrix,
        other,
    )
    return lax.squeeze(x, (-1 if left_side else -2,)) if is_vector else x


def tridiagonal_solve(
    dl: ArrayLike,
    d: ArrayLike,
    du: ArrayLike,
    b: ArrayLike,
    *,
    perturb_singular: bool = False,
) -> Array:
    """The solutions x of a x = b for tridiagonal a, by elimination with partial pivoting.

    Args:
      dl, d, du: the diagonals, floats or complex of shape (…, m): dl[i] = a[i, i - 1],
        d[i] = a[i, i], du[i] = a[i, i + 1]; dl[0] and du[m - 1] are not read.
      b: matrices, of shape (…, m, n).
      perturb_singular: whether to increase pivots close to 0 slightly, so that x is finite, as
        required by inverse iteration.

    Returns:
      An array like b; NaN where a is singular.

    Raises:
      TypeError: the shapes or types do not match.

    Example:
      >>> one = np.float32([1, 1])
      >>> tridiagonal_solve(one, 2 * one, one, np.float32([[3], [3]]))
      Array([[1.],
             [1.]], dtype=float32)
    """
    name = "tridiagonal_solve"
    below, middle, above = (matrices(name, x, i, rank=1) for i, x in enumerate((dl, d, du)))
    other = matrices(name, b, 3)
    alike(name, middle, below, above, other)
    if not below.shape == middle.shape == above.shape == other.shape[:-1]:
        raise type_error(
            f"{name}: the diagonals must have one shape, that of b without its last dimension, "
            f"got: {below.shape}, {middle.shape}, {above.shape} and {other.shape}"
        )
    return natively(
        lambda *xs: ops.tridiagonal_solve(*xs, perturb_singular=perturb_singular),
        *(below, middle, above, other),
    )


def in_one_batch(name: str, *arrays: Array, rank: int = 2) -> list[Array]:
    """Arrays with their batches, the dimensions before the last ones, broadcast."""
    batch = broadcast_shapes(*(x.shape[: x.ndim - rank] for x in arrays), name=name)
    return [broadcast_to(x, (*batch, *x.shape[x.ndim - rank :])) for x in arrays]


def over_batches(
    name: str, compute: Callable[..., Array], b: Array, *matrices: tuple[Array, int]
) -> Array:
    """`compute` on matrices and right-hand sides b, whose batches are broadcast.

    A batch of right-hand sides of one matrix is more right-hand sides of it.

    Args:
      matrices: arrays with their ranks without the batch.
    """
    batches = [x.shape[: x.ndim - rank] for x, rank in matrices]
    batch = broadcast_shapes(b.shape[:-2], *batches, name=name)
    if b.ndim > 2 and not any(batches):
        rows, columns = b.shape[-2:]
        front = lax.transpose(b, (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1))
        flat = lax.reshape(front, (rows, math.prod(batch) * columns))
        x = compute(*(x for x, _ in matrices), flat)
        x = lax.reshape(x, (rows, *batch, columns))
        return lax.transpose(x, (*range(1, b.ndim - 1), 0, b.ndim - 1))
    arrays = [broadcast_to(x, (*batch, *x.shape[x.ndim - rank :])) for x, rank in matrices]
    return compute(*arrays, broadcast_to(b, (*batch, *b.shape[-2:])))


def solve(a: Array, b: Array) -> Array:
    """The solutions of a x = b; both are matrices in one batch."""

    def compute(a: Array, b: Array) -> Array:
        packed, _, permutation = ops.lu(a)
        return ops.lu_solve(a, packed, permutation, b)

    return natively(compute, a, b)


def solve_by_factors(packed: Array, permutation: Array, b: Array, trans: int) -> Array:
    """The solutions of op(a) x = b from the results of `lu` for a; all in one batch.

    Args:
      trans: op: 0 for a itself, 1 for the transpose, 2 for the conjugate transpose.
    """

    def compute(packed: Array, b: Array) -> Array:
        if trans == 2:
            return conj(solve_by_factors(packed, permutation, conj(b), 1))
        if trans == 0:
            y = ops.triangular_solve(
                packed, rows_at(b, permutation), True, True, unit_diagonal=True
            )
            return ops.triangular_solve(packed, y, True, False)
        y = ops.triangular_solve(packed, b, True, False, True)
        y = ops.triangular_solve(packed, y, True, True, True, unit_diagonal=True)
        places = lax.broadcasted_iota(dtypes.int32, permutation.shape, permutation.ndim - 1)
        _, inverse = lax.sort((permutation, places), dimension=-1, num_keys=1)
        return rows_at(y, inverse)

    if trans not in (0, 1, 2):
        raise value_error(f"lu_solve: trans must be 0, 1 or 2, got: {trans!r}")
    return natively(compute, packed, b)


def rows_at(x: Array, order: Array) -> Array:
    """Rows of matrices in the order of a permutation in the same batch."""
    batch = order.ndim - 1
    column = (*order.shape, 1)
    places = [lax.broadcasted_iota(dtypes.int32, column, i) for i in range(batch)]
    indices = lax.concatenate([*places, lax.reshape(order, column)], batch + 1)
    rows = ops.gather(x, indices, tuple(range(batch + 1)), (1,) * (batch + 1))
    return lax.reshape(rows, (*order.shape, x.shape[-1]))
