"""The polar factors of matrices."""

from __future__ import annotations

from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.lax import basics as lax
from dovetail.lax.control.loops import while_loop
from dovetail.lax.linalg.operands import adjoint, identity, matmul, matrices, natively
from dovetail.ops.operands import ArrayLike

# Steps whose weight is greater lose too much in the squares of a product u^H u.
_GREATEST_FOR_CHOLESKY = 100.0


def qdwh(
    x: ArrayLike,
    *,
    is_hermitian: bool = False,
    max_iterations: int | None = None,
    eps: float | None = None,
    dynamic_shape: tuple[int, int] | None = None,
) -> tuple[Array, Array, Array, Array]:
    """The polar factors x = u h, by dynamically weighted Halley iterations (Nakatsukasa, Bai and
    Gygi, "Optimizing Halley's iteration for computing the matrix polar decomposition", 2010).

    Args:
      x: a matrix, of shape (m, n) with m >= n, floats or complex.
      is_hermitian: accepted for compatibility with JAX.
      max_iterations: the maximum number of iterations, by default 10.
      eps: the precision, by default that of the element type.
      dynamic_shape: the shape of the part of x to use; the rest is assumed to be 0.

    Returns:
      (u, h, iterations, converged): the factor with orthonormal columns, like x; the Hermitian
      factor, of shape (n, n); the number of iterations; whether the last one changed nothing.

    Raises:
      ValueError: x is not a matrix, or has more columns than rows.

    Example:
      >>> qdwh(np.float32([[-2]]))[:2]
      (Array([[-1.]], dtype=float32), Array([[2.]], dtype=float32))
    """
    del is_hermitian
    array = matrices("qdwh", x)
    if array.ndim != 2 or array.shape[0] < array.shape[1]:
        raise value_error(
            f"qdwh: the matrix must have no more columns than rows, got: shape {array.shape}"
        )
    if dynamic_shape is not None:
        rows = lax.broadcasted_iota(dtypes.int32, array.shape, 0) < dynamic_shape[0]
        columns = lax.broadcasted_iota(dtypes.int32, array.shape, 1) < dynamic_shape[1]
        array = ops.select(rows & columns, array, lax.full_like(array, 0))
    most = 10 if max_iterations is None else max_iterations
    u, h, iterations, converged = natively(lambda a: _qdwh(a, most, eps), array)
    return u, h, iterations, converged


def _weights(least: float, most: int, tolerance: float) -> list[tuple[float, float, float]]:
    """The weights (a, b, c) of the iterations that take singular values from [least, 1] to 1."""
    weights = []
    while least + tolerance < 1 and len(weights) < most:
        square = least * least
        d = (4 * (1 / square - 1) / square) ** (1 / 3)
        root = (1 + d) ** 0.5
        a = root + (2 - d + 2 * (2 - square) / (square * root)) ** 0.5
        b = (a - 1) ** 2 / 4
        c = a + b - 1
        weights.append((a, b, c))
        least = least * (a + b * square) / (1 + c * square)
    return weights


def _qdwh(x: Array, most: int, eps: float | None) -> list[Any]:
    precision = float(dtypes.finfo(x.dtype).eps) if eps is None else eps
    tolerance = 5.0 * precision
    magnitudes = abs(x)
    # An upper bound of the largest singular value: the geometric mean of both norms.
    columns = lax.reduce_max(lax.reduce_sum(magnitudes, (0,)), (0,)) if x.size else abs(x).sum()
    rows = lax.reduce_max(lax.reduce_sum(magnitudes, (1,)), (0,)) if x.size else columns
    scale = ops.select(
        columns == 0, lax.full_like(columns, 1), lax.rsqrt(columns) * lax.rsqrt(rows)
    )
    u = x * lax.convert_element_type(scale, x.dtype)
    weights = _weights(precision, most, tolerance)
    before = u
    for a, b, c in weights:
        before, u = u, _step(u, a, b, c)

    def change(u: Array, before: Array) -> Array:
        moved = abs(u - before)
        return lax.sqrt(lax.reduce_sum(moved * moved, (0, 1))) > tolerance ** (1 / 3)

    def goes_on(state: Any) -> Array:
        k, _, is_changing = state
        return is_changing & (k < most)

    def again(state: Any) -> Any:
        k, u, _ = state
        following = _step(u, 3.0, 1.0, 3.0)
        return k + 1, following, change(following, u)

    start = lax.full((), len(weights), dtypes.int32)
    iterations, u, is_changing = while_loop(goes_on, again, (start, u, change(u, before)))
    # One Newton-Schulz step makes the columns orthonormal.
    u = 1.5 * u - 0.5 * matmul(u, matmul(adjoint(u), u))
    h = matmul(adjoint(u), x)
    return [u, (h + adjoint(h)) / 2, iterations, ~is_changing]


def _step(u: Array, a: float, b: float, c: float) -> Array:
    """b/c u + (a - b/c) u (1 + c u^H u)^-1, by a QR factorization if c is large."""
    n, ratio = u.shape[1], b / c
    if c > _GREATEST_FOR_CHOLESKY:
        stacked = lax.concatenate([c**0.5 * u, identity(u, n)], 0)
        q, _ = ops.qr(stacked)
        product = matmul(q[: u.shape[0]], adjoint(q[u.shape[0] :]))
        return ratio * u + ((a - ratio) / c**0.5) * product
    lower = ops.cholesky(c * matmul(adjoint(u), u) + identity(u, n))
    solved = ops.triangular_solve(lower, u, False, True, True, True)
    solved = ops.triangular_solve(lower, solved, False, True)
    return ratio * u + (a - ratio) * solved
