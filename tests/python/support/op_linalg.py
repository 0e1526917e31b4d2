"""Rows of the op table for linear algebra.

If a factor is unique, it is compared with that of an algorithm in long doubles; for factors that
are not, their common properties are: their product, which is the operand, and unitarity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import dtypes, ops
from dovetail import numpy as dnp
from support.op_row import COMPLEX, WIDE, Array, Case, Row
from support.op_samplers import Listed, Sampler, Shape, between

Parts = Sequence[Any]

ROWS: list[Row] = []
ANY = between(-1, 1)
NO_RULE = "LAPACK's packed form has no rule"


def row(name: str, *cases: Case, **rest: Any) -> None:
    """Adds a row."""
    rest = {"samples": (ANY,), "ulps": 32, "normwise": True, "pointwise": False} | rest
    ROWS.append(Row(name, WIDE + COMPLEX, cases=cases, **rest))


def of(*shapes: Shape, **attributes: Any) -> Case:
    """A case of operands of these shapes."""
    return Case(attributes, shapes)


def flat(*parts: Any) -> Any:
    """The elements of arrays, one array after the other; no zero is negative."""
    joined = dnp.concatenate([dnp.ravel(x) for x in parts])
    return dnp.where(joined == 0, 0, joined)


def dominant(sample: Sampler) -> Sampler:
    """Matrices with larger elements on the diagonal than elsewhere, so that they are regular."""

    def dominated(rng: np.random.Generator, shape: Shape) -> Array:
        x = sample(rng, shape)
        # A batch may be anywhere: the diagonal is of the dimensions with the same size.
        same = [d for d, n in enumerate(shape) if shape.count(n) > 1][-2:]
        if len(same) == 2:
            places: list[Any] = [slice(None)] * len(shape)
            places[same[0]] = places[same[1]] = np.arange(shape[same[0]])
            x[tuple(places)] += 3
        return x

    return dominated


class Fixed(Listed):
    """One matrix, or these in a batch, along any dimension, in order."""

    def __init__(self, *arrays: Any) -> None:
        super().__init__(*arrays)

    def __call__(self, rng: np.random.Generator, shape: Shape) -> Array:
        """The first one, or a stack of them."""
        natural = self.values.shape[1:]
        if shape == natural:
            return self.values[0]
        axis = next(d for d in range(len(shape)) if (*shape[:d], *shape[d + 1 :]) == natural)
        numbers = np.arange(shape[axis]) % len(self.values)
        return np.moveaxis(self.values[numbers], 0, axis)


# Algorithms in long doubles --------------------------------------------------------------------


def adjoint(x: Any) -> Any:
    """The conjugate of the transpose."""
    return x.conj().swapaxes(-1, -2)


def hermitian(a: Array, lower: bool = True) -> Array:
    """The matrix that is read from a triangle, with real parts on the diagonal."""
    below = np.tril(a, -1) if lower else adjoint(np.triu(a, 1))
    return below + adjoint(below) + np.diag(np.real(np.diagonal(a)))


def each(algorithm: Callable[..., Any]) -> Callable[..., Array]:
    """An oracle from one for a single matrix, with results one after the other."""

    def oracle(*operands: Array, **attributes: Any) -> Array:
        rank = 1 if algorithm is _tridiagonal_solve else 2
        batch = operands[0].shape[: operands[0].ndim - rank]
        found = [algorithm(*(x[i] for x in operands), **attributes) for i in np.ndindex(*batch)]
        if not isinstance(found[0], tuple):
            return np.array(found).reshape((*batch, *found[0].shape))
        parts = [np.stack(part).ravel() for part in zip(*found, strict=True)]
        return np.concatenate(parts) + 0

    return oracle


def _cholesky(a: Array) -> Array:
    a, factor = hermitian(a), np.zeros_like(a)
    for j in range(len(a)):
        rest = a[j:, j] - factor[j:, :j] @ factor[j, :j].conj()
        factor[j:, j] = rest / np.sqrt(rest[0].real)
    return factor


def _lu(a: Array) -> tuple[Array, Array, Array]:
    a, order, pivots = a.copy(), np.arange(len(a)), []
    for j in range(min(a.shape)):
        sizes = np.abs(a[j:, j].real) + np.abs(a[j:, j].imag)
        pivots.append(j + int(np.argmax(sizes)))
        for x in (a, order):
            x[[j, pivots[-1]]] = x[[pivots[-1], j]]
        a[j + 1 :, j] /= a[j, j]
        a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return a, np.array(pivots), order


def _det(a: Array) -> Array:
    packed, pivots, _ = _lu(a)
    sign = (-1) ** np.count_nonzero(pivots != np.arange(len(a)))
    return np.asarray(np.prod(np.diagonal(packed)) * sign)


def _reflection(x: Array) -> tuple[Array, Any, Any]:
    """v, tau and beta: the adjoint of 1 - tau v v^H takes x to beta e_0, and v begins with 1."""
    size = np.sqrt(np.sum(np.abs(x) ** 2))
    if np.all(x[1:] == 0) and x[0].imag == 0:
        return np.eye(1, len(x), dtype=x.dtype)[0], x.dtype.type(0), x[0].real
    beta = -np.copysign(size, x[0].real)
    v = x / (x[0] - beta)
    v[0] = 1
    return v, (beta - x[0]) / beta, beta


def _geqrf(a: Array, pivoting: bool = False) -> tuple[Array, ...]:
    a, taus, order = a.copy(), [], np.arange(a.shape[1])
    for j in range(min(a.shape)):
        if pivoting:
            best = j + int(np.argmax(np.sum(np.abs(a[j:, j:]) ** 2, 0)))
            a[:, [j, best]], order[[j, best]] = a[:, [best, j]], order[[best, j]]
        v, tau, beta = _reflection(a[j:, j])
        a[j:, j:] -= np.conj(tau) * np.outer(v, v.conj() @ a[j:, j:])
        a[j, j], a[j + 1 :, j] = beta, v[1:]
        taus.append(tau)
    return (a, np.array(taus), order) if pivoting else (a, np.array(taus))


def _reflected(packed: Array, taus: Array, x: Array, offset: int = 0) -> Array:
    """The product of reflections, whose vectors are below a diagonal, times x."""
    for j in reversed(range(len(taus))):
        v = packed[j + offset :, j].copy()
        v[0] = 1
        x[j + offset :] -= taus[j] * np.outer(v, v.conj() @ x[j + offset :])
    return x


def _qr(a: Array, full_matrices: bool = False, pivoting: bool = False) -> tuple[Array, ...]:
    packed, taus, *order = _geqrf(a, pivoting)
    columns = len(a) if full_matrices else min(a.shape)
    q = _reflected(packed, taus, np.eye(len(a), columns, dtype=a.dtype))
    return (q, np.triu(packed)[:columns], *order)


def _hessenberg(a: Array) -> tuple[Array, Array]:
    a, taus = a.copy(), np.zeros(max(len(a) - 1, 0), a.dtype)
    for j in range(len(taus)):
        v, taus[j], beta = _reflection(a[j + 1 :, j])
        a[j + 1 :, j:] -= np.conj(taus[j]) * np.outer(v, v.conj() @ a[j + 1 :, j:])
        a[:, j + 1 :] -= taus[j] * np.outer(a[:, j + 1 :] @ v, v.conj())
        a[j + 1, j], a[j + 2 :, j] = beta, v[1:]
    return a, taus


def _tridiagonal(a: Array, lower: bool = True) -> tuple[Array, ...]:
    if not lower:
        # The upper triangle is what the lower one is from the other end.
        t, d, off, taus = _tridiagonal(a[::-1, ::-1])
        return t[::-1, ::-1], d[::-1], off[::-1], taus[::-1]
    packed, taus = _hessenberg(hermitian(a))
    d, off = np.real(np.diagonal(packed)), np.real(np.diagonal(packed, -1))
    # Elsewhere are the operand's elements.
    return np.tril(packed, -1) + np.diag(d) + np.triu(a, 1), d, off, taus


def _eigenvalues(a: Array) -> Array:
    """Eigenvalues of a Hermitian matrix in increasing order, by Jacobi's rotations."""
    a = a.copy()
    for _ in range(12):
        for p, q in zip(*np.triu_indices(len(a), 1), strict=True):
            if a[p, q] == 0:
                continue
            phase = a[p, q] / np.abs(a[p, q])
            theta = (a[q, q].real - a[p, p].real) / (2 * np.abs(a[p, q]))
            t = np.copysign(1, theta) / (np.abs(theta) + np.sqrt(theta * theta + 1))
            c = 1 / np.sqrt(t * t + 1)
            turn = np.array([[c, t * c * phase], [-t * c * np.conj(phase), c]])
            a[:, [p, q]] = a[:, [p, q]] @ turn
            a[[p, q]] = adjoint(turn) @ a[[p, q]]
    return np.sort(np.real(np.diagonal(a)))


def _gauss(a: Array, b: Array) -> Array:
    """x of a x = b by elimination."""
    packed, _, order = _lu(a)
    x = b[order]
    for i in range(len(a)):
        x[i] -= packed[i, :i] @ x[:i]
    for i in reversed(range(len(a))):
        x[i] = (x[i] - packed[i, i + 1 :] @ x[i + 1 :]) / packed[i, i]
    return x


# Factorizations --------------------------------------------------------------------------------


def unique(_: Parts, results: Parts, **attributes: Any) -> Any:
    """All results, where these are unique."""
    del attributes
    return flat(*results)


row(
    "cholesky",
    of((3, 3)),
    of((1, 1)),
    of((2, 4, 4)),
    samples=(dominant(ANY),),
    oracle=each(_cholesky),
)
_RECTANGLES = ((3, 3), (4, 3), (3, 5), (1, 1), (2, 3, 2))
row("lu", *map(of, _RECTANGLES), oracle=each(_lu), compared=unique)
row("det", of((3, 3)), of((1, 1)), of((2, 4, 4)), oracle=each(_det))
row(
    "geqrf",
    *map(of, _RECTANGLES),
    of((4, 3), pivoting=True),
    of((2, 3, 4), pivoting=True),
    oracle=each(_geqrf),
    compared=unique,
)
row(
    "qr",
    *map(of, _RECTANGLES),
    of((4, 3), pivoting=True),
    of((4, 2), full_matrices=True),
    of((2, 3, 4), full_matrices=True, pivoting=True),
    oracle=each(_qr),
    compared=unique,
)
row(
    "hessenberg",
    *(of((n, n)) for n in (1, 2, 4)),
    of((2, 3, 3)),
    oracle=each(_hessenberg),
    compared=unique,
    no_derivative=NO_RULE,
)
row(
    "tridiagonal",
    *(of((n, n)) for n in (1, 2, 4)),
    of((4, 4), lower=False),
    of((2, 3, 3)),
    oracle=each(_tridiagonal),
    compared=unique,
    no_derivative=NO_RULE,
)


# Spectra ---------------------------------------------------------------------------------------


def _eigh_compared(_: Parts, results: Parts, vectors: bool = True) -> Any:
    if not vectors:
        return results[0]
    w, v = results
    return flat(w, (v * w[..., None, :]) @ adjoint(v), adjoint(v) @ v)


def _eigh(a: Array, vectors: bool = True) -> Any:
    w = _eigenvalues(hermitian(a))
    return (w, hermitian(a), np.eye(len(a))) if vectors else w


def _svd_compared(
    _: Parts, results: Parts, full_matrices: bool = False, vectors: bool = True
) -> Any:
    del full_matrices
    if not vectors:
        return results[0]
    s, u, vh = results
    k = s.shape[-1]
    product = (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]
    return flat(s, product, adjoint(u) @ u, vh @ adjoint(vh))


def _svd(a: Array, full_matrices: bool = False, vectors: bool = True) -> Any:
    (m, n), k = a.shape, min(a.shape)
    tall = a if m >= n else adjoint(a)
    s = np.sqrt(_eigenvalues(adjoint(tall) @ tall))[::-1]
    left, right = (m, n) if full_matrices else (k, k)
    return (s, a, np.eye(left), np.eye(right)) if vectors else s


# Where the characteristic polynomial is compared.
_POINTS = np.array([-2, 0.5, 1j, 1 - 1j, 3])


def _eig_compared(operands: Parts, results: Parts, left: bool = False, right: bool = True) -> Any:
    (a,), (w, *vectors) = operands, results
    n = w.shape[-1]
    parts = [dnp.prod(_POINTS[:n].astype(w.dtype) - w[..., None, :].mT, -2)]
    if left:
        vl = vectors.pop(0)
        parts.append(adjoint(vl) @ a - w[..., None] * adjoint(vl))
        parts += _gauge(vl)
    if right:
        vr = vectors.pop(0)
        parts.append(a @ vr - vr * w[..., None, :])
        parts += _gauge(vr)
    return flat(*parts)


def _gauge(v: Any) -> list[Any]:
    """The squared norms of columns, and the imaginary parts of their largest elements."""
    greatest = dnp.argmax(abs(v), -2, keepdims=True)
    return [(abs(v) ** 2).sum(-2), dnp.take_along_axis(v, greatest, -2).imag]


def _eig(a: Array, left: bool = False, right: bool = True) -> tuple[Array, ...]:
    n, parts = len(a), []
    parts.append(np.array([_det(x * np.eye(n) - a) for x in _POINTS[:n]]))
    for _ in range(left + right):
        parts += [np.zeros((n, n)), np.ones(n), np.zeros(n)]
    return tuple(parts)


def _schur_compared(_: Parts, results: Parts, vectors: bool = True) -> Any:
    t, *z = results
    below, above = (dnp.diagonal(t, o, -2, -1) for o in (-1, 1))
    d = dnp.diagonal(t, 0, -2, -1)
    # Blocks do not touch, and have equal elements on the diagonal and ones of opposite sign off it.
    form = [dnp.tril(t, -2), below[..., 1:] * below[..., :-1], below * (d[..., 1:] - d[..., :-1])]
    form.append(below if dtypes.kind(t.dtype) == "c" else dnp.maximum(below * above, 0))
    moments = [dnp.trace(t, 0, -2, -1), dnp.trace(t @ t, 0, -2, -1)]
    if vectors:
        form += [z[0] @ t @ adjoint(z[0]), adjoint(z[0]) @ z[0]]
    return flat(*form, *moments)


def _schur(a: Array, vectors: bool = True) -> tuple[Array, ...]:
    n = len(a)
    sizes = ((n, n), (max(n - 2, 0),), (n - 1,), (n - 1,))
    rest = (a, np.eye(n)) if vectors else ()
    return (*map(np.zeros, sizes), *rest, np.trace(a), np.trace(a @ a))


def _real_without_vectors(dtype: np.dtype, attributes: dict[str, Any]) -> np.dtype:
    """The type of the compared part of `eigh` and `svd`."""
    return dtype if attributes.get("vectors", True) else dtypes.to_real_dtype(dtype)


_SQUARES = (of((3, 3)), of((1, 1)), of((2, 4, 4)))
row(
    "eigh",
    *_SQUARES,
    of((4, 4), vectors=False),
    oracle=each(_eigh),
    compared=_eigh_compared,
    result_type=_real_without_vectors,
)
row(
    "svd",
    *map(of, _RECTANGLES),
    of((4, 2), full_matrices=True),
    of((2, 2, 3), full_matrices=True),
    of((3, 4), vectors=False),
    oracle=each(_svd),
    compared=_svd_compared,
    result_type=_real_without_vectors,
)
row(
    "eig",
    *_SQUARES,
    of((3, 3), left=True),
    of((3, 3), left=True, right=False),
    of((4, 4), right=False),
    oracle=each(_eig),
    compared=_eig_compared,
    result_type=lambda dtype, _: dtypes.to_complex_dtype(dtype),
)
row(
    "schur",
    *_SQUARES,
    of((5, 5)),
    of((4, 4), vectors=False),
    oracle=each(_schur),
    compared=_schur_compared,
    no_derivative="it has no rule, nor has JAX's",
)


# Equations -------------------------------------------------------------------------------------


def _triangular_solve(
    a: Array,
    b: Array,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    a = np.tril(a) if lower else np.triu(a)
    if unit_diagonal:
        a = a - np.diag(np.diagonal(a)) + np.eye(len(a))
    a = a.T if transpose_a else a
    a = a.conj() if conjugate_a else a
    return _gauss(a, b) if left_side else _gauss(a.T, b.T).T


row(
    "triangular_solve",
    of((3, 3), (3, 2), left_side=True, lower=True),
    of((3, 3), (2, 3)),
    of((2, 3, 3), (2, 3, 1), left_side=True, transpose_a=True, unit_diagonal=True),
    of((3, 3), (2, 3), lower=True, transpose_a=True, conjugate_a=True),
    of((3, 3), (3, 2), left_side=True, conjugate_a=True),
    samples=(dominant(ANY), ANY),
    oracle=each(_triangular_solve),
)

# Factors of that many matrices, all of which are exact in each type.
_L = [
    np.array([[1, 0, 0, 0], [0.5, 1, 0, 0], [-0.5, 0.25, 1, 0], [0, k / 4, -0.5, 1]])
    for k in (1, 2, 3)
]
_U = [np.array([[2, 1, -1, k], [0, -3, 1, 2], [0, 0, 4, -1], [0, 0, 0, k]]) for k in (1, 2, 3)]
_ORDERS = np.array([[2, 0, 3, 1], [0, 1, 2, 3], [3, 2, 0, 1]])


def _factored(phase: complex) -> tuple[Sampler, ...]:
    """A matrix, its factors and a right-hand side."""
    upper = [u.astype(type(phase)) * phase for u in _U]
    packed = [np.tril(low, -1) + u for low, u in zip(_L, upper, strict=True)]
    whole = [(low @ u)[np.argsort(o)] for low, u, o in zip(_L, upper, _ORDERS, strict=True)]
    return Fixed(*whole), Fixed(*packed), Fixed(*_ORDERS), ANY


def _lu_solve(a: Array, lu: Array, order: Array, b: Array, transpose_a: bool = False) -> Array:
    return _gauss(a.T if transpose_a else a, b)


def _solve_anew(a: Any, lu: Any, order: Any, b: Any, transpose_a: bool = False) -> Any:
    """Factors the matrix again, since it determines the tangents of its factors."""
    del lu, order
    lu, _, order = ops.lu(a)
    return ops.lu_solve(a, lu, order, b, transpose_a=transpose_a)


def _solved(transpose_a: bool, types: tuple[np.dtype, ...], phase: complex) -> Case:
    shapes = ((4, 4), (4, 4), (4,), (4, 2))
    return Case({"transpose_a": transpose_a}, shapes, types, _factored(phase), wrt=(0, 3))


row(
    "lu_solve",
    _solved(False, WIDE + COMPLEX, 1.0),
    _solved(True, WIDE, 1.0),
    _solved(True, COMPLEX, 1 - 0.5j),
    operand_types=lambda dtype: (dtype, dtype, dtypes.int32, dtype),
    oracle=each(_lu_solve),
    call=_solve_anew,
)


def _lu_log_det(a: Array, lu: Array, order: Array) -> Array:
    diagonal = np.diagonal(lu)
    return np.log(diagonal if lu.dtype.kind == "c" else abs(diagonal)).sum()


def _log_det_anew(a: Any, lu: Any, order: Any) -> Any:
    """Factors the matrix again, since it determines the tangents of its factors."""
    del lu, order
    lu, _, order = ops.lu(a)
    return ops.lu_log_det(a, lu, order)


def _log_det_of(types: tuple[np.dtype, ...], phase: complex) -> Case:
    return Case({}, ((4, 4), (4, 4), (4,)), types, _factored(phase)[:3], wrt=(0,))


row(
    "lu_log_det",
    # On the negative half of the axis, the argument of a complex number is not continuous.
    _log_det_of(WIDE, 1.0),
    _log_det_of(COMPLEX, 1 - 0.5j),
    operand_types=lambda dtype: (dtype, dtype, dtypes.int32),
    oracle=each(_lu_log_det),
    call=_log_det_anew,
)


def _tridiagonal_solve(
    dl: Array, d: Array, du: Array, b: Array, perturb_singular: bool = False
) -> Array:
    del perturb_singular
    return _gauss(np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1), b)


row(
    "tridiagonal_solve",
    of((4,), (4,), (4,), (4, 2)),
    of((1,), (1,), (1,), (1, 2)),
    of((2, 3), (2, 3), (2, 3), (2, 3, 1)),
    of((4,), (4,), (4,), (4, 2), perturb_singular=True),
    samples=(ANY, between(2, 3), ANY, ANY),
    oracle=each(_tridiagonal_solve),
)
