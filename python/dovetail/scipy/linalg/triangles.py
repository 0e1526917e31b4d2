"""Recurrences on upper triangular matrices, one column after the other."""

from __future__ import annotations

from collections.abc import Callable

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.lax.linalg.operands import identity, matmul


def _column(x: Array, j: Array) -> Array:
    """Column j, as matrices with one column."""
    return lax.dynamic_slice_in_dim(x, j, 1, x.ndim - 1)


def _number(x: Array, j: Array) -> Array:
    """Element j of the diagonal, as matrices with one element."""
    return lax.dynamic_slice_in_dim(_column(x, j), j, 1, x.ndim - 2)


def _like(x: Array, shape: tuple[int, ...]) -> Array:
    """A matrix with one row, one column or both of size 1, repeated to a shape."""
    kept = [d for d in range(x.ndim) if x.shape[d] == shape[d]]
    squeezed = lax.squeeze(x, tuple(d for d in range(x.ndim) if d not in kept))
    return lax.broadcast_in_dim(squeezed, shape, kept)


def _before(x: Array, j: Array, dimension: int) -> Array:
    """The rows, or columns, before number j; zero for others."""
    is_before = lax.broadcasted_iota(dtypes.int32, x.shape, dimension) < j
    return ops.select(is_before, x, lax.full_like(x, 0))


def _shifted_solve(t: Array, shift: Array, b: Array) -> tuple[Array, Array]:
    """The solution of (t + shift) x = b, with 1 in place of zeros on the diagonal, and a mask
    of these.
    """
    eye = identity(t, t.shape[-1])
    shifted = t + _like(shift, t.shape) * eye
    diagonal = lax.reduce_sum(shifted * eye, (t.ndim - 1,))
    is_zero = lax.expand_dims(diagonal == 0, (-1,))
    marks = lax.convert_element_type(is_zero, t.dtype)
    return ops.triangular_solve(shifted + eye * _like(marks, t.shape), b, True), is_zero


def _infinite_where(condition: Array, like: Array) -> Array:
    """A factor for values and derivatives: infinite if no solution exists, 1 otherwise."""
    infinite = lax.full_like(like, float("inf"))
    return ops.select(condition, infinite, lax.full_like(like, 1))


def _by_columns(start: Array, step: Callable[[Array, Array], Array]) -> Array:
    """`start` with column j replaced by the result of `step` for j and the columns before."""

    def body(j: Array, x: Array) -> Array:
        return lax.dynamic_update_slice_in_dim(x, step(j, x), j, x.ndim - 1)

    return lax.fori_loop(0, start.shape[-1], body, start)


def solve_sylvester_triangular(r: Array, s: Array, c: Array) -> Array:
    """The solutions of r x + x s = c, for upper triangular r and s."""

    def step(j: Array, x: Array) -> Array:
        rest = _column(c, j) - matmul(x, _before(_column(s, j), j, s.ndim - 2))
        column, is_zero = _shifted_solve(r, _number(s, j), rest)
        return column * _infinite_where(is_zero, column)

    return _by_columns(lax.full_like(c, 0), step) if c.size else c


def square_root(t: Array) -> Array:
    """The upper triangular square roots (Bjorck and Hammarling, "A Schur method for the square root
    of a matrix", 1983).
    """
    roots = lax.sqrt(t) * identity(t, t.shape[-1])

    def step(j: Array, u: Array) -> Array:
        root = _number(u, j)
        # Rows from j on are those of the identity, with 0 on the right.
        known = _before(u, j, u.ndim - 2)
        inside = _before(known, j, u.ndim - 1)
        outside = identity(u, u.shape[-1]) - _before(identity(u, u.shape[-1]), j, u.ndim - 2)
        shifted = inside + outside
        column, is_zero = _shifted_solve(shifted, root, _before(_column(t, j), j, t.ndim - 2))
        # If both are 0, as for a matrix of zeros, so is the root.
        column = column * _infinite_where(is_zero & (column != 0), column)
        return _before(column, j, t.ndim - 2) + _column(roots, j)

    return _by_columns(roots, step) if t.size else t


def function_of(t: Array, diagonal: Array) -> tuple[Array, Array]:
    """The function of upper triangular matrices with these values at the eigenvalues (Parlett,
    "A recurrence among the elements of functions of triangular matrices", 1976).

    Returns:
      The function, and the smallest distance between two eigenvalues.
    """
    eye = identity(t, t.shape[-1])
    start = _like(lax.expand_dims(diagonal, (-2,)), t.shape) * eye

    def step(j: Array, f: Array) -> Array:
        above = _before(_column(t, j), j, t.ndim - 2)
        value = _number(f, j)
        rest = matmul(f, above) - _like(value, above.shape) * above
        shift = -_number(t, j)
        inside = _before(_before(t, j, t.ndim - 2), j, t.ndim - 1)
        outside = eye - _before(eye, j, t.ndim - 2)
        # Beyond j the matrix is anything that is not singular, and the right-hand side 0.
        shifted = inside + (outside * (1 - _like(shift, t.shape)))
        column, _ = _shifted_solve(shifted, shift, _before(rest, j, t.ndim - 2))
        return _before(column, j, t.ndim - 2) + _column(start, j)

    values = lax.reduce_sum(t * eye, (t.ndim - 1,))
    apart = abs(lax.expand_dims(values, (-1,)) - lax.expand_dims(values, (-2,)))
    others = ops.select(eye != 0, lax.full_like(apart, float("inf")), apart)
    least = lax.reduce_min(others, (t.ndim - 2, t.ndim - 1))
    return _by_columns(start, step), least
