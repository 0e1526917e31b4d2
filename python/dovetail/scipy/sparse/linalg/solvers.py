"""Iterative solutions of linear equations, for matrices given as functions.

Derivatives are those of the solution, not of the iteration: `lax.custom_linear_solve`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from dovetail import lax, ops
from dovetail import numpy as dnp
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import as_operand
from dovetail.trees.util import tree_flatten, tree_unflatten

# A map from vectors to vectors.
Map = Callable[[Array], Array]


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: Any = 1e-5,
    atol: Any = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, None]:
    """Solve A x = b by conjugate gradients, for a Hermitian and positive definite A.

    Args:
      A: a matrix, or a linear function of trees like `b`.
      b: the right-hand side, a tree of arrays.
      x0: the starting point, a tree like `b`; zero by default.
      tol, atol: the residual's norm is at most the larger of tol times that of b, and atol.
      maxiter: the largest number of steps; ten times the size of `b` by default.
      M: an approximate inverse of A, a matrix or a function.

    Returns:
      The solution, a tree like `b`, and None. M. R. Hestenes and E. Stiefel, Methods of Conjugate
      Gradients for Solving Linear Systems, 1952.

    Raises:
      ValueError: a matrix is not square, or `x0` and `b` differ in structure or shapes.
      TypeError: `A` or `M` is neither an array nor a function.

    Example:
      >>> cg(dnp.array([[2.0, 0.0], [0.0, 4.0]]), dnp.array([2.0, 8.0]))[0]
      Array([1., 2.], dtype=float32)
    """
    problem = _Problem("cg", A, b, x0, M, maxiter)
    hermitian = dtypes.KINDS[problem.b.dtype] != "c"
    return problem.solved(
        lambda a, b: _conjugate_gradients(problem, a, b, tol, atol), hermitian
    ), None


def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: Any = 1e-5,
    atol: Any = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, None]:
    """Solve A x = b by stabilized biconjugate gradients.

    Args:
      A: a matrix, or a linear function of trees like `b`.
      b: the right-hand side, a tree of arrays.
      x0: the starting point, a tree like `b`; zero by default.
      tol, atol: the residual's norm is at most the larger of tol times that of b, and atol.
      maxiter: the largest number of steps; ten times the size of `b` by default.
      M: an approximate inverse of A, a matrix or a function.

    Returns:
      The solution, a tree like `b`, and None. H. A. van der Vorst, Bi-CGSTAB, 1992.

    Raises:
      ValueError: a matrix is not square, or `x0` and `b` differ in structure or shapes.
      TypeError: `A` or `M` is neither an array nor a function.

    Example:
      >>> bicgstab(dnp.array([[2.0, 1.0], [0.0, 4.0]]), dnp.array([4.0, 8.0]))[0]
      Array([1., 2.], dtype=float32)
    """
    problem = _Problem("bicgstab", A, b, x0, M, maxiter)
    return problem.solved(lambda a, b: _stabilized(problem, a, b, tol, atol)), None


def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: Any = 1e-5,
    atol: Any = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Any = None,
    solve_method: str = "batched",
) -> tuple[Any, Array]:
    """Solve A x = b by minimal residuals in Krylov spaces.

    Args:
      A: a matrix, or a linear function of trees like `b`.
      b: the right-hand side, a tree of arrays.
      x0: the starting point, a tree like `b`; zero by default.
      tol, atol: the residual's norm is at most the larger of tol times that of b, and atol.
      restart: the dimension of the space, after which it is rebuilt.
      maxiter: the largest number of spaces; ten times the size of `b` by default.
      M: an approximate inverse of A, a matrix or a function, applied from the left.
      solve_method: `batched` or `incremental`; it has no effect: the residual is checked after each
        space.

    Returns:
      The solution, a tree like `b`, and 0, or -1 if it is NaN. Y. Saad and M. H. Schultz, GMRES,
      1986.

    Raises:
      ValueError: a matrix is not square, `x0` and `b` differ in structure or shapes, or there is no
        such method.
      TypeError: `A` or `M` is neither an array nor a function.

    Example:
      >>> gmres(dnp.array([[2.0, 1.0], [0.0, 4.0]]), dnp.array([4.0, 8.0]))[0]
      Array([1., 2.], dtype=float32)
    """
    if solve_method not in ("batched", "incremental"):
        raise value_error(
            f"gmres: solve_method must be 'batched' or 'incremental', got: {solve_method!r}"
        )
    problem = _Problem("gmres", A, b, x0, M, maxiter)
    size = min(operator.index(restart), problem.b.size)
    x = problem.solved(lambda a, b: _minimal_residuals(problem, a, b, tol, atol, size))
    failed = dnp.any(dnp.isnan(problem.flat(x)))
    return x, dnp.where(failed, -1, 0)


class _Problem:
    """A linear equation, in vectors of the concatenated leaves of trees."""

    def __init__(self, name: str, a: Any, b: Any, x0: Any, m: Any, maxiter: int | None) -> None:
        leaves, self.spec = tree_flatten(b)
        arrays = [as_operand(name, leaf, i) for i, leaf in enumerate(leaves)]
        dtype = dtypes.to_inexact_dtype(dtypes.result_type(*arrays))
        self.name, self.dtype, self.shapes = name, dtype, [x.shape for x in arrays]
        self.b = self.flat(b)
        self.matvec = self._map("A", a)
        self.precondition = (lambda v: v) if m is None else self._map("M", m)
        if x0 is None:
            self.start = dnp.zeros_like(self.b)
        else:
            others, spec = tree_flatten(x0)
            if spec != self.spec:
                raise value_error(
                    f"{name}: x0 and b must have matching tree structure, got: {spec} and "
                    f"{self.spec}"
                )
            shapes = [dnp.shape(x) for x in others]
            if shapes != self.shapes:
                raise value_error(
                    f"{name}: arrays in x0 and b must have matching shapes, got: {shapes} and "
                    f"{self.shapes}"
                )
            self.start = self.flat(x0)
        self.maxiter = 10 * self.b.size if maxiter is None else maxiter

    def flat(self, tree: Any) -> Array:
        """The vector for a tree."""
        leaves = tree_flatten(tree)[0]
        return dnp.concatenate([dnp.ravel(dnp.asarray(x)).astype(self.dtype) for x in leaves])

    def tree(self, vector: Array) -> Any:
        """The tree for a vector."""
        leaves, offset = [], 0
        for shape in self.shapes:
            size = 1
            for n in shape:
                size *= n
            leaves.append(vector[offset : offset + size].reshape(shape))
            offset += size
        return tree_unflatten(self.spec, leaves)

    def _map(self, what: str, a: Any) -> Map:
        if callable(a):
            return lambda v: self.flat(a(self.tree(v)))
        if not isinstance(a, ArrayMethods) and not hasattr(a, "__matmul__"):
            raise type_error(
                f"{self.name}: linear operator must be either a function or ndarray, got: "
                f"{type(a).__name__} as {what}"
            )
        shape = getattr(a, "shape", None)
        if shape is not None and (len(shape) != 2 or shape[0] != shape[1]):
            raise value_error(f"{self.name}: {what} must be a square matrix, got: shape {shape}")
        return lambda v: self.flat(a @ self.tree(v))

    def solved(self, solver: Callable[[Map, Array], Array], symmetric: bool = False) -> Any:
        """The solution by a solver, with the derivatives of the solution."""
        x = lax.custom_linear_solve(
            self.matvec, self.b, solver, transpose_solve=solver, symmetric=symmetric
        )
        return self.tree(x)


def _squared(x: Array) -> Array:
    return ops.real(dnp.vdot(x, x)) if dtypes.KINDS[x.dtype] == "c" else dnp.vdot(x, x)


def _bound(b: Array, tol: Any, atol: Any) -> Array:
    """The square of the largest permitted norm of a residual."""
    return dnp.maximum(dnp.square(tol) * _squared(b), dnp.square(atol)).astype(_squared(b).dtype)


def _conjugate_gradients(problem: _Problem, a: Map, b: Array, tol: Any, atol: Any) -> Array:
    bound = _bound(b, tol, atol)

    def more(state: Any) -> Array:
        k, r = state[0], state[2]
        return (_squared(r) > bound) & (k < problem.maxiter)

    def step(state: Any) -> Any:
        k, x, r, p, gamma = state
        ap = a(p)
        alpha = gamma / dnp.vdot(p, ap)
        x, r = x + alpha * p, r - alpha * ap
        z = problem.precondition(r)
        following = dnp.vdot(r, z)
        return k + 1, x, r, z + following / gamma * p, following

    r = b - a(problem.start)
    z = problem.precondition(r)
    return lax.while_loop(more, step, (0, problem.start, r, z, dnp.vdot(r, z)))[1]


def _stabilized(problem: _Problem, a: Map, b: Array, tol: Any, atol: Any) -> Array:
    bound = _bound(b, tol, atol)
    shadow = b - a(problem.start)
    precondition = problem.precondition

    def more(state: Any) -> Array:
        k, r = state[0], state[2]
        return (_squared(r) > bound) & (k < problem.maxiter) & (k >= 0)

    def step(state: Any) -> Any:
        k, x, r, p, q, rho, alpha, omega = state
        following = dnp.vdot(shadow, r)
        p = r + following / rho * (alpha / omega) * (p - omega * q)
        p_hat = precondition(p)
        q = a(p_hat)
        alpha = following / dnp.vdot(shadow, q)
        s = r - alpha * q
        s_hat = precondition(s)
        t = a(s_hat)
        early = _squared(s) < bound
        omega = dnp.where(early, 0, dnp.vdot(t, s) / dnp.vdot(t, t))
        x = x + alpha * p_hat + dnp.where(early, 0, omega * s_hat)
        r = dnp.where(early, s, s - omega * t)
        # It broke down: the residual does not decrease any more.
        broken = ((omega == 0) | (alpha == 0)) & ~early
        return dnp.where(broken, -11, k + 1), x, r, p, q, following, alpha, omega

    one = lax.full((), 1, b.dtype)
    zero = dnp.zeros_like(b)
    count = lax.full((), 0, dtypes.int32)
    start = count, problem.start, shadow, zero, zero, one, one, one
    return lax.while_loop(more, step, start)[1]


def _minimal_residuals(
    problem: _Problem, a: Map, b: Array, tol: Any, atol: Any, size: int
) -> Array:
    norm = ops.sqrt(_squared(b))
    bound = ops.sqrt(_bound(b, tol, atol))
    of_b = ops.sqrt(_squared(problem.precondition(b)))
    bound = of_b * dnp.minimum(1, bound / dnp.where(norm > 0, norm, 1))

    def residual(x: Array) -> Array:
        return problem.precondition(b - a(x))

    def more(state: Any) -> Array:
        k, _, r = state
        return (ops.sqrt(_squared(r)) > bound) & (k < problem.maxiter)

    def step(state: Any) -> Any:
        k, x, r = state
        x = x + _krylov(lambda v: problem.precondition(a(v)), r, size)
        return k + 1, x, residual(x)

    return lax.while_loop(more, step, (0, problem.start, residual(problem.start)))[1]


def _krylov(a: Map, r: Array, size: int) -> Array:
    """The vector of the Krylov space of r that reduces r the most, by Arnoldi's process."""
    norm = ops.sqrt(_squared(r))
    tiny = float(dtypes.finfo(r.dtype).eps)
    first = r / dnp.where(norm > 0, norm, 1).astype(r.dtype)
    basis = dnp.zeros((size + 1, r.size), r.dtype).at[0].set(first)
    table = dnp.zeros((size + 1, size), r.dtype)

    def expand(k: Any, state: tuple[Array, Array]) -> tuple[Array, Array]:
        basis, table = state
        w = a(basis[k])
        before = ops.sqrt(_squared(w))
        # Twice is enough: the second time removes what rounding left.
        parts = dnp.conj(basis) @ w
        w = w - parts @ basis
        again = dnp.conj(basis) @ w
        w = w - again @ basis
        length = ops.sqrt(_squared(w))
        ended = length <= tiny * before
        following = dnp.where(ended, 0, w / dnp.where(ended, 1, length).astype(w.dtype))
        column = (parts + again).at[k + 1].set(dnp.where(ended, 0, length).astype(w.dtype))
        return basis.at[k + 1].set(following), table.at[:, k].set(column)

    basis, table = lax.fori_loop(0, size, expand, (basis, table))
    right = dnp.zeros(size + 1, r.dtype).at[0].set(norm.astype(r.dtype))
    return _least_squares(table, right, size) @ basis[:-1]


def _least_squares(table: Array, right: Array, size: int) -> Array:
    """The y for which a Hessenberg matrix times y is closest to a vector, by Givens rotations."""

    def rotate(k: Any, state: tuple[Array, Array]) -> tuple[Array, Array]:
        table, right = state
        x, y = table[k, k], table[k + 1, k]
        length = ops.sqrt(_squared(dnp.stack([x, y])))
        safe = dnp.where(length > 0, length, 1).astype(x.dtype)
        c, s = dnp.where(length > 0, x, 1) / safe, y / safe
        upper, lower = table[k], table[k + 1]
        table = table.at[k].set(dnp.conj(c) * upper + dnp.conj(s) * lower)
        table = table.at[k + 1].set(c * lower - s * upper)
        top, bottom = right[k], right[k + 1]
        right = right.at[k].set(dnp.conj(c) * top + dnp.conj(s) * bottom)
        return table, right.at[k + 1].set(c * bottom - s * top)

    table, right = lax.fori_loop(0, size, rotate, (table, right))

    def back(i: Any, y: Array) -> Array:
        k = size - 1 - i
        pivot = table[k, k]
        rest = right[k] - table[k] @ y
        return y.at[k].set(dnp.where(pivot == 0, 0, rest / dnp.where(pivot == 0, 1, pivot)))

    return lax.fori_loop(0, size, back, dnp.zeros(size, right.dtype))
