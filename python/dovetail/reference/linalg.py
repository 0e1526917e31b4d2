"""Factorisations of matrices and solutions of linear equations, by LAPACK.

NumPy's functions where they are the routine that is wanted, since they go through a batch
themselves; else SciPy's wrappers, matrix by matrix. Where a routine fails, or an iterative one gets
what is not finite, the results for that matrix are NaN.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from dovetail.base.dtypes import complex64, int32
from dovetail.reference.op import NS, count, of_matrices, of_systems, op

Array = np.ndarray[Any, Any]
Results = tuple[Array, ...]


@functools.cache
def _scipy(name: str) -> ModuleType:
    """A part of SciPy, imported at first use: that takes longer than importing NumPy."""
    import scipy.linalg

    return getattr(scipy.linalg, name) if name else scipy.linalg


@functools.cache
def _routine(name: str, dtype: np.dtype, part: str = "lapack") -> Callable[..., Any]:
    """A LAPACK or BLAS routine for an element type; `or` and `sy` replace `un` and `he` for real
    types.
    """
    library = _scipy(part)
    prefix = {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}[dtype.str[1:]]
    if dtype.kind == "c":
        name = name.replace("sytrd", "hetrd")
    return getattr(library, prefix + name)


# Batches ---------------------------------------------------------------------------------------


def _each(compute: Callable[..., Results], rank: int, *operands: Array) -> Results:
    """The results of `compute` on each matrix of a batch.

    Args:
      rank: number of dimensions of the first operand that are not of the batch.
    """
    batch = operands[0].shape[: operands[0].ndim - rank]
    if not batch:
        return compute(*operands)
    size = math.prod(batch)
    flat = [x.reshape(size, *x.shape[len(batch) :]) for x in operands]
    if not size:
        # Only the types of the results are left to be said. Integers are orders of rows.
        make = [np.ones if x.dtype.kind in "fc" else np.zeros for x in flat]
        one = compute(*(of(x.shape[1:], x.dtype) for of, x in zip(make, flat, strict=True)))
        return tuple(np.empty((*batch, *x.shape), x.dtype) for x in one)
    results = [compute(*(x[i] for x in flat)) for i in range(size)]
    return tuple(
        np.stack(parts).reshape(*batch, *parts[0].shape) for parts in zip(*results, strict=True)
    )


def _or_nan(compute: Callable[[Array], Results]) -> Callable[[Array], Results]:
    """`compute`, with NaN for the matrices on which it fails."""

    def one(a: Array) -> Results:
        try:
            return compute(a)
        except np.linalg.LinAlgError:
            # The identity has the types of the results.
            like = compute(np.eye(*a.shape, dtype=a.dtype))
            return tuple(np.full_like(x, np.nan) for x in like)

    def call(a: Array) -> Results:
        try:
            return compute(a)
        except np.linalg.LinAlgError:
            return _each(one, 2, a)

    return call


def _is_surely_finite(a: Array) -> bool:
    """True if all elements are finite and their sum does not overflow."""
    return math.isfinite(abs(np.add.reduce(a, None)))


def _where_finite(compute: Callable[[Array], Results]) -> Callable[[Array], Results]:
    """`compute`, with NaN for the matrices that are not finite, on which routines may not end."""

    def call(a: Array) -> Results:
        if _is_surely_finite(a):
            return compute(a)
        is_finite = np.asarray(np.isfinite(a).all((-2, -1)))
        results = compute(np.where(is_finite[..., None, None], a, 0))
        outs = []
        for x in results:
            out = np.array(x)
            out[~is_finite] = np.nan
            outs.append(out)
        return tuple(outs)

    return call


# Factorisations --------------------------------------------------------------------------------


@op("cholesky", cost=of_matrices(1))
def cholesky(a: Array) -> Array:
    """The lower triangular factor; NaN where a matrix is not positive definite."""
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return np.tril(_or_nan(lambda x: (np.linalg.cholesky(x),))(a)[0])


@op("lu", cost=of_matrices(1))
def lu(a: Array) -> Results:
    """Both factors in one matrix, the exchanges of rows, and the order of rows."""
    return _each(_lu, 2, a)


def _lu(a: Array) -> Results:
    m, n = a.shape
    if not min(m, n):
        return a, np.zeros(0, int32), np.arange(m, dtype=int32)
    packed, pivots, _ = _routine("getrf", a.dtype)(a)
    permutation = np.arange(m, dtype=int32)
    for i, pivot in enumerate(pivots.tolist()):
        if pivot != i:
            permutation[[i, pivot]] = permutation[[pivot, i]]
    return packed, pivots.astype(int32), permutation


@op("det", cost=of_matrices(1))
def det(a: Array) -> Array:
    """Determinants."""
    return np.asarray(np.linalg.det(a))


@op("geqrf", cost=of_matrices(1))
def geqrf(a: Array, pivoting: bool) -> Results:
    """R and the reflections in one matrix, their factors, and the order of columns if pivoting."""
    if pivoting:
        return _each(_geqp3, 2, a)
    return _each(_geqrf, 2, a)


def _geqrf(a: Array) -> Results:
    if not a.size:
        return a, np.zeros(0, a.dtype)
    packed, taus, _, _ = _routine("geqrf", a.dtype)(a)
    return packed, taus


def _geqp3(a: Array) -> Results:
    if not a.size:
        return a, np.zeros(0, a.dtype), np.arange(a.shape[1], dtype=int32)
    packed, order, taus, _, _ = _routine("geqp3", a.dtype)(a)
    return packed, taus, order.astype(int32) - 1


@op("qr", cost=of_matrices(4))
def qr(a: Array, full_matrices: bool, pivoting: bool) -> Results:
    """q and r, and the order of columns if pivoting."""
    if not pivoting:
        return tuple(np.linalg.qr(a, "complete" if full_matrices else "reduced"))
    return _each(lambda x: _pivoted_qr(x, full_matrices), 2, a)


def _pivoted_qr(a: Array, full_matrices: bool) -> Results:
    if not a.size:
        q, r = np.linalg.qr(a, "complete" if full_matrices else "reduced")
        return q, r, np.arange(a.shape[1], dtype=int32)
    mode = "full" if full_matrices else "economic"
    q, r, order = _scipy("").qr(a, mode=mode, pivoting=True, check_finite=False)
    return q, r, order.astype(int32)


@op("eigh", cost=of_matrices(15))
def eigh(a: Array, vectors: bool) -> Results:
    """Eigenvalues and eigenvectors of the lower triangle."""

    def compute(x: Array) -> Results:
        return tuple(np.linalg.eigh(x)) if vectors else (np.linalg.eigvalsh(x),)

    compute_or_nan = _or_nan(compute)
    if _is_surely_finite(a):
        return compute_or_nan(a)
    # Elements above the diagonal are not read, but may be infinite or NaN.
    return _where_finite(compute_or_nan)(np.tril(a))


@op("svd", cost=of_matrices(15))
def svd(a: Array, full_matrices: bool, vectors: bool) -> Results:
    """Singular values, and u and vh."""

    def compute(x: Array) -> Results:
        if not vectors:
            return (np.linalg.svd(x, compute_uv=False),)
        u, s, vh = np.linalg.svd(x, full_matrices)
        return s, u, vh

    return _where_finite(_or_nan(compute))(a)


@op("eig", cost=of_matrices(30))
def eig(a: Array, left: bool, right: bool) -> Results:
    """Eigenvalues, and left and right eigenvectors as geev normalises them."""
    complex_dtype = np.result_type(a.dtype, complex64)
    if not left:

        def compute(x: Array) -> Results:
            if not right:
                return (np.linalg.eigvals(x).astype(complex_dtype, copy=False),)
            w, v = np.linalg.eig(x)
            return w.astype(complex_dtype, copy=False), v.astype(complex_dtype, copy=False)

        return _where_finite(_or_nan(compute))(a)

    def both(x: Array) -> Results:
        if not x.size:
            return tuple(np.zeros(x.shape[i:], complex_dtype) for i in (1, *(0,) * (left + right)))
        found = _scipy("").eig(x, left=True, right=right, check_finite=False)
        return tuple(part.astype(complex_dtype, copy=False) for part in found)

    return _where_finite(lambda x: _each(_or_nan(both), 2, x))(a)


@op("schur", cost=of_matrices(30))
def schur(a: Array, vectors: bool) -> Results:
    """The triangular factor and the unitary one."""

    def one(x: Array) -> Results:
        if not x.size:
            return (x, x)[: 1 + vectors]
        found = _scipy("").schur(x, output="real", check_finite=False)
        return tuple(found[: 1 + vectors])

    return _where_finite(lambda x: _each(_or_nan(one), 2, x))(a)


@op("hessenberg", cost=of_matrices(4))
def hessenberg(a: Array) -> Results:
    """H and the reflections in one matrix, and their factors."""
    return _each(_hessenberg, 2, a)


def _hessenberg(a: Array) -> Results:
    n = len(a)
    if n < 2:
        return a, np.zeros(0, a.dtype)
    packed, taus, _ = _routine("gehrd", a.dtype)(a)
    return packed, taus


@op("tridiagonal", cost=of_matrices(4))
def tridiagonal(a: Array, lower: bool) -> Results:
    """T and the reflections in one matrix, both diagonals of T, and the factors."""
    return _each(lambda x: _tridiagonal(x, lower), 2, a)


def _tridiagonal(a: Array, lower: bool) -> Results:
    n, real = len(a), np.finfo(a.dtype).dtype
    if n < 2:
        none, t = np.zeros(0, real), np.real(a)
        return t.astype(a.dtype), np.diagonal(t), none, none.astype(a.dtype)
    packed, d, e, taus, _ = _routine("sytrd", a.dtype)(a, lower=int(lower))
    return packed, d, e, taus


# Equations -------------------------------------------------------------------------------------


@op("triangular_solve", cost=of_matrices(1))
def triangular_solve(
    a: Array,
    b: Array,
    left_side: bool,
    lower: bool,
    transpose_a: bool,
    conjugate_a: bool,
    unit_diagonal: bool,
) -> Array:
    """The solution of op(a) x = b or x op(a) = b."""
    if conjugate_a and not transpose_a:
        a = a.conj()

    def one(x: Array, y: Array) -> Results:
        mode = (2 if conjugate_a else 1) if transpose_a else 0
        return (_trsm(x, y, left_side, lower, mode, unit_diagonal),)

    return _each(one, 2, a, b)[0]


def _trsm(a: Array, b: Array, left: bool, lower: bool, mode: int, unit_diagonal: bool) -> Array:
    """x of op(a) x = b or x op(a) = b; `mode` transposes for 1, and conjugates too for 2."""
    if not b.size:
        return np.zeros_like(b)
    # BLAS is column-major: it gets the transposes of all arrays, so the transposed equation.
    trsm = _routine("trsm", a.dtype, "blas")
    return trsm(1, a.T, b.T, left, not lower, mode, unit_diagonal).T


@op("lu_solve", cost=of_matrices(1))
def lu_solve(a: Array, lu: Array, permutation: Array, b: Array, transpose_a: bool) -> Array:
    """The solution of a x = b, or of the transpose, by the factors."""
    del a

    def one(packed: Array, order: Array, y: Array) -> Results:
        if not transpose_a:
            y = _trsm(packed, y[order], True, True, 0, True)
            return (_trsm(packed, y, True, False, 0, False),)
        y = _trsm(packed, y, True, False, 1, False)
        x = np.empty_like(y)
        x[order] = _trsm(packed, y, True, True, 1, True)
        return (x,)

    return _each(one, 2, lu, permutation, b)[0]


@op("lu_log_det", cost=lambda call: 20 * NS * count(call.operands[2]))
def lu_log_det(a: Array, lu: Array, permutation: Array) -> Array:
    """The sum of the logarithms on the diagonal of U, or of their magnitudes' if they are real."""
    del a, permutation
    diagonal = np.diagonal(lu, axis1=-2, axis2=-1)
    values = diagonal if lu.dtype.kind == "c" else np.abs(diagonal)
    return np.asarray(np.add.reduce(np.log(values), -1))


@op("tridiagonal_solve", cost=of_systems(20))
def tridiagonal_solve(dl: Array, d: Array, du: Array, b: Array, perturb_singular: bool) -> Array:
    """The solution; NaN for singular matrices, if these are not perturbed."""
    if perturb_singular:
        return _solve_perturbed(dl, d, du, b)
    return _each(_gtsv, 1, d, dl, du, b)[0]


def _gtsv(d: Array, dl: Array, du: Array, b: Array) -> Results:
    if not b.size:
        return (np.zeros_like(b),)
    if len(d) == 1:
        # The wrapper refuses off-diagonals without elements.
        return (b / d[:, None] if d[0] else np.full_like(b, np.nan),)
    *_, x, info = _routine("gtsv", d.dtype)(dl[1:], d, du[:-1], b)
    return (x if info == 0 else np.full_like(b, np.nan),)


def _solve_perturbed(dl: Array, d: Array, du: Array, b: Array) -> Array:
    """Elimination with partial pivoting; pivots that are tiny next to the greatest element are
    perturbed.

    All matrices of the batch at once: inverse iteration has one for each eigenvalue. Rows of U are
    `first`, `second` and `third`, from its diagonal on.
    """
    n, x = d.shape[-1], np.array(b)
    if not x.size:
        return x
    first, second, third = np.array(d), np.array(du), np.zeros_like(du)
    second[..., -1] = 0
    for i in range(n - 1):
        below = dl[..., i + 1]
        swap = np.abs(below) > np.abs(first[..., i])

        def rows(here: Array, there: Array, swap: Array = swap) -> tuple[Array, Array]:
            mask = swap[..., None] if here.ndim > swap.ndim else swap
            return np.where(mask, there, here), np.where(mask, here, there)

        first[..., i], left = rows(first[..., i], below)
        factor = np.divide(left, first[..., i], out=np.zeros_like(left), where=first[..., i] != 0)
        second[..., i], right = rows(second[..., i], first[..., i + 1])
        first[..., i + 1] = right - factor * second[..., i]
        third[..., i], right = rows(third[..., i], second[..., i + 1])
        second[..., i + 1] = right - factor * third[..., i]
        x[..., i, :], rest = rows(x[..., i, :], x[..., i + 1, :])
        x[..., i + 1, :] = rest - factor[..., None] * x[..., i, :]
    greatest: Array = np.abs(np.stack([first, second, third])).max((0, -1))
    least = np.finfo(d.dtype).eps * np.where(greatest == 0, 1, greatest)[..., None]
    size = np.abs(first)
    sign = np.where(size == 0, 1, first / np.where(size == 0, 1, size))
    first = np.where(size < least, sign * least, first).astype(d.dtype)
    for i in reversed(range(n)):
        rest = x[..., i, :]
        for row, place in ((second, i + 1), (third, i + 2)):
            if place < n:
                rest = rest - row[..., i, None] * x[..., place, :]
        x[..., i, :] = rest / first[..., i, None]
    return x
