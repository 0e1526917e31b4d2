"""Linear algebra: residuals, orthogonality, NumPy and SciPy, special matrices, derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, ops
from dovetail.scipy import linalg as sla
from dovetail.test_util import check_grads

pytestmark = pytest.mark.usefixtures("in_64_bits")

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
L = dnp.linalg


def draw(*shape: int, dtype: Any = np.float64, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def adjoint(x: Any) -> np.ndarray:
    return np.asarray(x).conj().swapaxes(-1, -2)


def with_values(values: np.ndarray, dtype: Any, rows: int, columns: int) -> np.ndarray:
    """A matrix with these singular values."""
    u = np.linalg.qr(draw(rows, len(values), dtype=dtype, seed=1))[0]
    v = np.linalg.qr(draw(columns, len(values), dtype=dtype, seed=2))[0]
    return ((u * values) @ adjoint(v)).astype(dtype)


def matrices(dtype: Any) -> Iterator[np.ndarray]:
    """Random, graded, rank-deficient, clustered and ill-conditioned ones."""
    for shape in ((8, 8), (9, 5), (5, 9)):
        k = min(shape)
        yield draw(*shape, dtype=dtype)
        for values in (
            10.0 ** -np.arange(k),
            np.r_[np.ones(k - 2), 0, 0],
            1 + 1e-12 * np.arange(k),
            np.r_[1, np.full(k - 1, 1e-6)],
        ):
            yield with_values(values, dtype, *shape)
    yield np.zeros((4, 4), dtype)
    yield np.eye(5, dtype=dtype)
    yield draw(3, 6, 4, dtype=dtype)


def assert_small(residual: Any, scale: Any, dtype: Any) -> None:
    """Within a small multiple of n eps of the scale."""
    residual = np.asarray(residual)
    eps = np.finfo(dtype).eps
    assert np.abs(residual).max(initial=0) <= 100 * eps * max(
        float(np.abs(scale).max(initial=0)), 1e-30
    )


def assert_unitary(q: Any, dtype: Any) -> None:
    q = np.asarray(q)
    assert_small(adjoint(q) @ q - np.eye(q.shape[-1]), 1.0, dtype)


def compiled(function: Callable[..., Any], *args: Any) -> Any:
    return dt.jit(function)(*args)


@pytest.mark.parametrize("dtype", TYPES)
def test_factorizations(dtype: Any) -> None:
    for a in matrices(dtype):
        for full in (False, True):
            q, r = lax.linalg.qr(a, full_matrices=full)
            assert_unitary(q, dtype)
            assert_small(q @ r - a, a, dtype)
            q, r, p = lax.linalg.qr(a, full_matrices=full, pivoting=True)
            assert_small(q @ r - np.take_along_axis(a, np.asarray(p)[..., None, :], -1), a, dtype)
            size = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
            assert (np.diff(size) <= 1e-4 * size.max(initial=0)).all()
            u, s, vh = lax.linalg.svd(a, full_matrices=full)
            assert_unitary(u, dtype)
            assert_unitary(adjoint(vh), dtype)
            k = s.shape[-1]
            assert_small(
                (u[..., :k] * s[..., None, :].astype(dtype)) @ vh[..., :k, :] - a, a, dtype
            )
        expected = np.linalg.svd(a, compute_uv=False)
        assert_small(L.svdvals(a) - expected, expected, dtype)
        lu, _, permutation = lax.linalg.lu(a)
        k = min(a.shape[-2:])
        lower = np.tril(lu, -1)[..., :k] + np.eye(a.shape[-2], k, dtype=dtype)
        rows = np.take_along_axis(a, np.asarray(permutation)[..., None], -2)
        assert_small(lower @ np.triu(lu)[..., :k, :] - rows, a, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_eigenvalues(dtype: Any) -> None:
    for a in matrices(dtype):
        if a.shape[-1] != a.shape[-2]:
            continue
        h = a + adjoint(a)
        w, v = L.eigh(h)
        assert_unitary(v, dtype)
        assert_small(h @ v - v * w[..., None, :].astype(dtype), h, dtype)
        assert_small(L.eigvalsh(h) - w, h, dtype)
        w, v = L.eig(a)
        assert_small(a @ v - v * w[..., None, :], a, dtype)
        w, vl = lax.linalg.eig(a, compute_right_eigenvectors=False)
        assert_small(adjoint(vl) @ a - np.asarray(w)[..., None] * adjoint(vl), a, dtype)
        for output in ("real", "complex"):
            t, z = sla.schur(a, output)
            assert_unitary(z, dtype)
            assert_small(z @ t @ adjoint(z) - a, a, dtype)
        t, z = sla.rsf2csf(*sla.schur(a))
        assert not np.tril(t, -1).any()
        assert_small(z @ t @ adjoint(z) - a, a, dtype)
        h, q = sla.hessenberg(a, calc_q=True)
        assert not np.tril(h, -2).any()
        assert_small(q @ h @ adjoint(q) - a, a, dtype)
        packed, d, e, _ = lax.linalg.tridiagonal(a + adjoint(a))
        del packed
        middle = np.zeros(a.shape, np.finfo(dtype).dtype)
        n = a.shape[-1]
        middle[..., np.arange(n), np.arange(n)] = d
        middle[..., np.arange(n - 1), np.arange(1, n)] = e
        middle = middle + np.triu(middle, 1).swapaxes(-1, -2)
        values = np.linalg.eigvalsh(a + adjoint(a))
        assert_small(np.linalg.eigvalsh(middle) - values, values, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.float64, np.complex128])
def test_rotations_of_matrices_not_in_schur_form(dtype: Any) -> None:
    rng = np.random.default_rng(5)
    t, z = rng.normal(size=(2, 2, 7, 7)).astype(np.float32).astype(dtype)
    if np.iscomplexobj(t):
        t = t + 1j * t[..., ::-1]
    # Where there is no coupling in one direction, eigenvalues are on the diagonal.
    t[0, 4, 3] = t[1, 2, 3] = 0
    with config.enable_x64():
        for run in (lambda f: f, dt.jit):
            result = run(sla.rsf2csf)(t, z)
            tolerance = 1e-3 if dtype in (np.float32, np.complex64) else 1e-10
            for got, expected in zip(result, scipy.linalg.rsf2csf(t, z), strict=True):
                np.testing.assert_allclose(got, expected, tolerance, tolerance)


@pytest.mark.parametrize("dtype", TYPES)
def test_equations(dtype: Any) -> None:
    for batch in ((), (3,), (2, 0)):
        a, b = (
            draw(*batch, 5, 5, dtype=dtype) + 4 * np.eye(5, dtype=dtype),
            draw(*batch, 5, 2, dtype=dtype),
        )
        pd = a @ adjoint(a)
        assert_small(a @ L.solve(a, b) - b, 10 * b, dtype)
        assert_small(a @ L.inv(a) - np.eye(5), 10, dtype)
        assert_small(pd @ sla.cho_solve(sla.cho_factor(pd), b) - b, 100, dtype)
        assert_small(
            sla.cholesky(pd, lower=True) @ adjoint(sla.cholesky(pd, lower=True)) - pd, pd, dtype
        )
        for trans, op in enumerate((lambda x: x, lambda x: x.swapaxes(-1, -2), adjoint)):
            x = sla.lu_solve(sla.lu_factor(a), b, trans)
            assert_small(op(a) @ x - b, 10, dtype)
            x = sla.solve_triangular(a, b, trans, lower=True)
            assert_small(op(np.tril(a)) @ x - b, 100, dtype)
        one = lax.linalg.triangular_solve(a, adjoint(b), left_side=False, unit_diagonal=True)
        unit = np.triu(a, 1) + np.eye(5)
        assert_small(
            one @ unit - adjoint(b), 1e3 * (1 + np.abs(np.asarray(one)).max(initial=0)), dtype
        )


def test_one_matrix_is_factored_once() -> None:
    a, b = draw(4, 4), draw(3, 2, 4, 5)
    assert_small(a @ L.solve(a, b) - b, 10, np.float64)
    text = dt.jit(L.solve).lower(a, b).as_text("simplify")
    assert "tensor<4x30xf64>" in text
    batched = dt.jit(dt.vmap(L.solve, (None, 0))).lower(a, b[0]).as_text("simplify")
    assert "dovetail.lu %arg0 : tensor<4x4xf64>" in batched


@pytest.mark.parametrize("dtype", TYPES)
def test_tridiagonal_solve(dtype: Any) -> None:
    dl, d, du, b = (draw(2, 7, dtype=dtype, seed=i) for i in range(4))
    a = np.zeros((2, 7, 7), dtype)
    i = np.arange(7)
    a[:, i, i], a[:, i[1:], i[:-1]], a[:, i[:-1], i[1:]] = d, dl[:, 1:], du[:, :-1]
    for perturb in (False, True):
        x = lax.linalg.tridiagonal_solve(dl, d, du, b[..., None], perturb_singular=perturb)
        assert_small(a @ x - b[..., None], 1e3, dtype)
    zero = np.zeros((3,), dtype)
    singular = lax.linalg.tridiagonal_solve(zero, zero, zero, np.ones((3, 1), dtype))
    assert np.isnan(np.asarray(singular)).all()
    finite = lax.linalg.tridiagonal_solve(
        zero, zero, zero, np.ones((3, 1), dtype), perturb_singular=True
    )
    assert np.isfinite(np.asarray(finite)).all()


def test_values_that_are_not_finite() -> None:
    bad, good = np.full((3, 3), np.nan), draw(3, 3) @ draw(3, 3).T + np.eye(3)
    both = np.stack([bad, good])
    for function in (L.eigvalsh, L.svdvals, L.eigvals, lambda a: sla.schur(a)[0]):
        results = np.asarray(function(both))
        assert np.isnan(results[0]).all()
        assert np.isfinite(results[1]).all()
    factor = np.asarray(L.cholesky(np.stack([bad, -good, good])))
    assert np.isnan(factor[:2][:, [0, 1, 1], [0, 0, 1]]).all()
    assert not np.triu(factor, 1).any()
    assert np.isfinite(factor[2]).all()
    assert not np.isfinite(np.asarray(L.inv(np.zeros((2, 2))))).any()


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_functions_of_matrices(dtype: Any) -> None:
    a = draw(5, 5, dtype=dtype)
    for scale in (1e-3, 1.0, 30.0):
        expected = scipy.linalg.expm(scale * a)
        assert_small(sla.expm(scale * a) - expected, 1e3 * np.abs(expected).max(), dtype)
    x = sla.sqrtm(a)
    assert_small(x @ x - a, 1e2, dtype)
    np.testing.assert_allclose(sla.sqrtm(np.zeros((2, 2))), 0)
    assert_small(sla.funm(a, dnp.exp) - scipy.linalg.expm(a), 1e4, dtype)
    x = sla.solve_sylvester(a, a[:3, :3], a[:, :3])
    assert_small(a @ x + x @ a[:3, :3] - a[:, :3], 1e3, dtype)
    for method in ("qdwh", "svd"):
        u, p = sla.polar(a, method=method)
        assert_unitary(u, dtype)
        assert_small(u @ p - a, 10, dtype)
    d, e = draw(6), draw(5, dtype=dtype)
    w, v = sla.eigh_tridiagonal(d.astype(dtype), e)
    t = np.diag(d).astype(dtype) + np.diag(e, 1) + np.diag(e.conj(), -1)
    assert_small(t @ v - v * w, 10, dtype)


GRADS: dict[str, tuple[Callable[..., Any], Callable[[Any], tuple[Any, ...]]]] = {
    "cholesky": (L.cholesky, lambda t: (draw(2, 3, 3, dtype=t) @ np.eye(3) * 0.1 + 2 * np.eye(3),)),
    "lower triangle only": (ops.cholesky, lambda t: (draw(3, 3, dtype=t) * 0.1 + 2 * np.eye(3),)),
    "lu": (lambda a: ops.lu(a)[0], lambda t: (draw(2, 4, 3, dtype=t),)),
    "wide lu": (lambda a: ops.lu(a)[0], lambda t: (draw(3, 4, dtype=t),)),
    "det": (L.det, lambda t: (draw(2, 4, 4, dtype=t),)),
    "slogdet": (lambda a: tuple(L.slogdet(a)), lambda t: (draw(2, 4, 4, dtype=t),)),
    "qr": (lambda a: tuple(L.qr(a)), lambda t: (draw(2, 4, 3, dtype=t),)),
    "wide qr": (lambda a: tuple(L.qr(a)), lambda t: (draw(3, 4, dtype=t),)),
    "whole qr": (lambda a: tuple(L.qr(a, "complete")), lambda t: (draw(4, 2, dtype=t),)),
    "pivoted qr": (lambda a: tuple(ops.qr(a, True, True)[:2]), lambda t: (draw(4, 3, dtype=t),)),
    "singular values": (L.svdvals, lambda t: (draw(2, 4, 3, dtype=t),)),
    "svd": (lambda a: _invariants(ops.svd(a)), lambda t: (draw(4, 3, dtype=t),)),
    "whole svd": (lambda a: _invariants(ops.svd(a, True)), lambda t: (draw(2, 4, dtype=t),)),
    "eigh": (lambda a: _projections(*ops.eigh(a)), lambda t: (draw(2, 3, 3, dtype=t),)),
    "eigvals": (L.eigvals, lambda t: (draw(2, 3, 3, dtype=t),)),
    "eig": (lambda a: abs(L.eig(a).eigenvectors), lambda t: (draw(3, 3, dtype=t),)),
    "left eig": (lambda a: abs(ops.eig(a, True, False)[1]), lambda t: (draw(3, 3, dtype=t),)),
    "solve": (L.solve, lambda t: (draw(2, 3, 3, dtype=t), draw(2, 3, 2, dtype=t, seed=1))),
    "triangular": (
        lambda a, b: ops.triangular_solve(a, b, True, True, True, True),
        lambda t: (draw(2, 3, 3, dtype=t) + 3 * np.eye(3), draw(2, 3, 2, dtype=t, seed=1)),
    ),
    "tridiagonal": (
        ops.tridiagonal_solve,
        lambda t: (
            *(draw(3, dtype=t, seed=i) + 3 * (i == 1) for i in range(3)),
            draw(3, 2, dtype=t),
        ),
    ),
    "pinv": (L.pinv, lambda t: (draw(4, 3, dtype=t),)),
    "pinv of equal values": (L.pinv, lambda t: (np.eye(4, 3).astype(t),)),
    "expm": (sla.expm, lambda t: (3 * draw(3, 3, dtype=t),)),
    "sqrtm": (sla.sqrtm, lambda t: (draw(3, 3, dtype=t) + 4 * np.eye(3),)),
    "polar": (lambda a: sla.polar(a)[0], lambda t: (draw(4, 3, dtype=t),)),
}


def _invariants(parts: Any) -> Any:
    """Values that do not depend on the phases of singular vectors."""
    s, u, vh = parts
    k = s.shape[-1]
    u, v = u[..., :k], vh[..., :k, :]
    return s, abs(u), abs(v), (u * (s * s)[..., None, :]) @ v


def _projections(w: Any, v: Any) -> Any:
    return w, abs(v), (v * (w * w)[..., None, :]) @ v.conj().mT


@pytest.mark.parametrize("dtype", [np.float64, np.complex128], ids=["real", "complex"])
@pytest.mark.parametrize("name", GRADS)
def test_derivatives(name: str, dtype: Any) -> None:
    function, arguments = GRADS[name]
    check_grads(function, tuple(dnp.array(x) for x in arguments(dtype)), order=2)


def test_derivatives_at_singular_matrices() -> None:
    for a in (with_values(np.r_[np.ones(4), 0], np.float64, 5, 5), np.diag([0.0, 1, 2, 3, 4])):
        h, expected = 1e-3, np.zeros((5, 5))
        for place in np.ndindex(5, 5):
            step = np.zeros((5, 5))
            step[place] = h
            expected[place] = (np.linalg.det(a + step) - np.linalg.det(a - step)) / (2 * h)
        np.testing.assert_allclose(dt.grad(L.det)(a), expected, atol=1e-9)
    np.testing.assert_array_equal(dt.grad(L.det)(np.zeros((5, 5))), 0)


def test_derivatives_of_equal_values_are_not_nan() -> None:
    eye = np.eye(4)
    np.testing.assert_allclose(dt.grad(lambda a: L.eigh(a).eigenvalues.sum())(eye), eye)
    np.testing.assert_allclose(dt.grad(lambda a: L.svd(a).S.sum())(eye), eye)
    np.testing.assert_allclose(dt.hessian(lambda a: L.eigvalsh(a).sum())(eye), 0, atol=1e-12)
    assert np.isfinite(np.asarray(dt.grad(lambda a: L.eigh(a).eigenvectors.sum())(eye))).all()


@pytest.mark.parametrize(
    "function",
    [
        lambda a: L.cholesky(a @ a.mT + dnp.eye(3)),
        L.det,
        L.inv,
        L.eigvalsh,
        L.svdvals,
        lambda a: sla.schur(a)[0],
        lambda a: L.qr(a).R,
        lambda a: sla.expm(a),
        lambda a: L.solve(a, dnp.ones((3, 2))),
    ],
)
def test_batches_and_compiled_programs(function: Callable[..., Any]) -> None:
    a = dnp.array(draw(4, 3, 3))
    expected = np.stack([np.asarray(function(x)) for x in a])
    np.testing.assert_allclose(function(a), expected, rtol=1e-10, atol=1e-12)
    swapped = dt.vmap(function, 1)(a.swapaxes(0, 1))
    np.testing.assert_allclose(swapped, expected, rtol=1e-10, atol=1e-12)
    results = compiled(dt.vmap(function), a)
    np.testing.assert_allclose(results, expected, rtol=1e-9, atol=1e-11)


def test_compiled_derivative() -> None:
    a = dnp.array(draw(4, 4))
    gradient = dt.grad(lambda a: L.slogdet(a @ a.mT + dnp.eye(4)).logabsdet + L.norm(L.inv(a), 2))
    np.testing.assert_allclose(compiled(gradient, a), gradient(a), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: lax.linalg.cholesky(np.ones((2, 3))), ValueError, "square, got: shape"),
        (lambda: lax.linalg.cholesky(np.ones(2)), TypeError, "rank 2 or more"),
        (lambda: lax.linalg.lu(np.ones((2, 2), int)), TypeError, "lu does not accept dtype int64"),
        (lambda: L.inv(np.ones((2, 3))), ValueError, "square, got: shape"),
        (lambda: L.solve(np.ones((2, 2)), np.ones(3)), ValueError, "as many rows as a"),
        (lambda: L.norm(np.ones((2, 2)), "bad"), ValueError, "Invalid order .bad. for matrix norm"),
        (lambda: L.matrix_power(np.ones((2, 3)), 2), TypeError, "square, got: shape"),
        (lambda: sla.toeplitz(np.ones(2), np.ones((2, 3, 4))), None, ""),
        (lambda: sla.hadamard(3), ValueError, "power of 2, got: 3"),
        (lambda: sla.polar(np.ones((2, 3))), NotImplementedError, "use method='svd'"),
        (lambda: dt.grad(lambda a: sla.schur(a)[0].sum())(np.eye(2)), ValueError, "no jvp rule"),
    ],
)
def test_errors(call: Callable[[], Any], error: Any, message: str) -> None:
    if error is None:
        call()
        return
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("size", [2, 12])
def test_small_matrices_in_loops(size: int) -> None:
    """They are decomposed, whereas large ones are LAPACK's."""

    def filtered(matrices: Any) -> Any:
        def step(x: Any, matrix: Any) -> Any:
            root = dnp.linalg.cholesky(matrix @ matrix.T)
            x = dnp.linalg.solve(matrix, x) / 4 + root[:, 0]
            return x, dnp.linalg.eigvalsh(matrix + matrix.T)[0]

        return lax.scan(step, dnp.ones(size), matrices)

    def loss(matrices: Any) -> Any:
        x, least = filtered(matrices)
        return dnp.sum(x**2) + dnp.sum(least)

    rng = np.random.default_rng(size)
    matrices = (rng.normal(size=(3, 5, size, size)) + 3 * np.eye(size)).astype(np.float32)
    for function, argument in (
        (filtered, matrices[0]),
        (dt.grad(loss), matrices[0]),
        (dt.vmap(filtered), matrices),
    ):
        expected = dt.tree_util.tree_leaves(function(argument))
        for got, want in zip(
            dt.tree_util.tree_leaves(dt.jit(function)(argument)), expected, strict=True
        ):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


@pytest.mark.parametrize("shape", [(2, 20000), (20000, 2)])
def test_pinv_of_long_matrices(shape: tuple[int, int]) -> None:
    """Through squares of the shorter side only: those of the longer side would take gigabytes."""
    a = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    p, pull = dt.vjp(dnp.linalg.pinv, a)
    (gradient,) = pull(dnp.ones_like(p))
    # d tr(pinv(t a)) = -tr(pinv(a)) at t = 1, as for any linear function of it.
    np.testing.assert_allclose(np.sum(gradient * a), -np.sum(p), rtol=1e-2, atol=1e-4)
