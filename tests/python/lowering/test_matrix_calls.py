"""Factorizations and solutions by the library: all element types, kinds of matrices, batches."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import lax

RNG = np.random.default_rng(0)
DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


def _matrices(dtype: Any, *shape: int) -> np.ndarray:
    values = RNG.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RNG.normal(size=shape)
    return values.astype(dtype)


def _tolerance(dtype: Any) -> float:
    return 1e-3 if np.finfo(dtype).eps > 1e-10 else 1e-10


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_factors(dtype: Any) -> None:
    """Small ones in a batch, which threads divide, and large ones."""
    with dt.enable_x64():
        for batch, n in ((), 150), ((7, 3), 5), ((2,), 0):
            a = _matrices(dtype, *batch, n, n)
            positive = a @ a.conj().swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)

            lower = dt.jit(lax.linalg.cholesky, compile="now")(positive)
            lu, pivots, permutation = dt.jit(lax.linalg.lu, compile="now")(a)
            atol = _tolerance(dtype) * max(n, 1)
            assert lower.dtype == lu.dtype == dtype
            np.testing.assert_allclose(lower @ lower.conj().mT, positive, atol=atol)
            assert not np.triu(lower, 1).any()
            factor = np.tril(lu, -1) + np.eye(n, dtype=dtype)
            rows = np.take_along_axis(a, np.asarray(permutation)[..., None], -2)
            np.testing.assert_allclose(factor @ np.triu(lu), rows, atol=atol)
            assert pivots.shape == (*batch, n)


def test_large_matrices() -> None:
    """Routines use threads of their own for these, and much of the stack."""
    a = _matrices(np.float32, 700, 700)
    positive = a @ a.T + 700 * np.eye(700, dtype=np.float32)
    lu, _, permutation = dt.jit(lax.linalg.lu, compile="now")(a)
    factor = np.tril(lu, -1) + np.eye(700, dtype=np.float32)
    np.testing.assert_allclose(factor @ np.triu(lu), a[np.asarray(permutation)], atol=1e-2)
    lower = np.asarray(dt.jit(lax.linalg.cholesky, compile="now")(positive))
    np.testing.assert_allclose(lower @ lower.T, positive, rtol=1e-3, atol=1e-1)
    x = dt.jit(
        lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True), compile="now"
    )(lower, a)
    np.testing.assert_allclose(lower @ np.asarray(x), a, atol=1e-2)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (300, 20)])
def test_factors_of_rectangles(shape: tuple[int, int]) -> None:
    a = _matrices(np.float32, 3, *shape)
    evaluated = lax.linalg.lu(a)
    compiled = dt.jit(lax.linalg.lu, compile="now")(a)
    for one, other in zip(compiled, evaluated, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)


def test_no_factor() -> None:
    """NaN for the matrices that have none, and the others as ever."""
    a = np.stack([np.eye(3), -np.eye(3), np.full((3, 3), np.nan), 4 * np.eye(3)]).astype(np.float32)
    compiled = dt.jit(lax.linalg.cholesky, compile="now")(a)
    np.testing.assert_array_equal(compiled, lax.linalg.cholesky(a))
    np.testing.assert_array_equal(compiled[3], 2 * np.eye(3))
    assert np.isnan(compiled[1][np.tril_indices(3)]).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_triangles(dtype: Any) -> None:
    flags = [*itertools.product([False, True], repeat=5)]
    a = _matrices(dtype, 6, 5, 5) + 8 * np.eye(5, dtype=dtype)
    b = {True: _matrices(dtype, 6, 5, 3), False: _matrices(dtype, 6, 3, 5)}

    def program(a: Any, b: Any) -> list[Any]:
        return [
            lax.linalg.triangular_solve(
                a,
                b[left],
                left_side=left,
                lower=lower,
                transpose_a=transpose,
                conjugate_a=conjugate,
                unit_diagonal=unit,
            )
            for left, lower, transpose, conjugate, unit in flags
        ]

    with dt.enable_x64():
        results = dt.jit(program, compile="now")(a, b)
    for x, (left, lower, transpose, conjugate, unit) in zip(results, flags, strict=True):
        matrix = np.tril(a) if lower else np.triu(a)
        if unit:
            matrix = matrix - matrix * np.eye(5, dtype=dtype) + np.eye(5, dtype=dtype)
        matrix = matrix.conj() if conjugate else matrix
        matrix = matrix.swapaxes(-1, -2) if transpose else matrix
        product = matrix @ np.asarray(x) if left else np.asarray(x) @ matrix
        # Without a dominant diagonal, solutions are large.
        scale = 1 + np.abs(x).max()
        np.testing.assert_allclose(product, b[left], atol=_tolerance(dtype) * scale)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("transpose", [False, True])
def test_equations(dtype: Any, transpose: bool) -> None:
    a = _matrices(dtype, 40, 8, 8) + 8 * np.eye(8, dtype=dtype)
    b = _matrices(dtype, 40, 8, 3)

    with dt.enable_x64():
        matrix = a.swapaxes(-1, -2) if transpose else a
        x = dt.jit(lambda a, b: dt.numpy.linalg.solve(a, b), compile="now")(matrix, b)
        # The derivative solves with the transpose.
        ct = dt.jit(
            lambda a, b: dt.vjp(lambda b: dt.numpy.linalg.solve(a, b), b)[1](b)[0], compile="now"
        )(matrix, b)
    np.testing.assert_allclose(matrix @ np.asarray(x), b, atol=_tolerance(dtype))
    np.testing.assert_allclose(matrix.swapaxes(-1, -2) @ np.asarray(ct), b, atol=_tolerance(dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize(
    "shape", [(150, 70), (70, 150), (7, 3, 5, 4), (2, 3, 6), (2, 5, 0), (0, 4, 4)]
)
def test_decompositions(dtype: Any, shape: tuple[int, ...]) -> None:
    """Those of rectangles, with all vectors or with as many as there are singular values."""
    a = _matrices(dtype, *shape)
    atol = _tolerance(dtype) * max(*shape[-2:], 1)

    def program(a: Any) -> Any:
        return [
            (*dt.numpy.linalg.qr(a, mode), *dt.numpy.linalg.svd(a, mode == "complete"))
            for mode in ("complete", "reduced")
        ], dt.numpy.linalg.svd(a, compute_uv=False)

    with dt.enable_x64():
        both, values = dt.jit(program, compile="now")(a)
        for q, r, u, s, vh in both:
            assert q.dtype == r.dtype == u.dtype == vh.dtype == dtype
            assert s.dtype == values.dtype == np.finfo(dtype).dtype
            np.testing.assert_allclose(q @ r, a, atol=atol)
            assert not np.tril(r, -1).any()
            k = s.shape[-1]
            np.testing.assert_allclose(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, atol=atol)
            np.testing.assert_allclose(s, values, atol=atol)
            assert (np.diff(s) <= 0).all()
            for vectors in q, u, vh.conj().mT:
                gram = np.asarray(vectors.conj().mT @ vectors)
                np.testing.assert_allclose(gram, gram * 0 + np.eye(gram.shape[-1]), atol=atol)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", [(90, 90), (7, 3, 5, 5), (2, 1, 1), (2, 0, 0)])
def test_eigenvectors(dtype: Any, shape: tuple[int, ...]) -> None:
    """Only the lower triangle is read, and the real part of the diagonal."""
    a = _matrices(dtype, *shape)
    lower = np.tril(a, -1)
    hermitian = lower + lower.conj().swapaxes(-1, -2) + np.eye(shape[-1]) * np.real(a)
    a = a + np.triu(np.full_like(a, np.nan), 1)
    with dt.enable_x64():
        w, v = dt.jit(lambda a: lax.linalg.eigh(a, symmetrize_input=False)[::-1], compile="now")(a)
        values = dt.jit(
            lambda a: dt.numpy.linalg.eigvalsh(a, symmetrize_input=False), compile="now"
        )(a)
    atol = _tolerance(dtype) * max(shape[-1], 1)
    assert v.dtype == dtype
    assert w.dtype == values.dtype == np.finfo(dtype).dtype
    np.testing.assert_allclose(hermitian @ np.asarray(v), v * w[..., None, :], atol=atol)
    np.testing.assert_allclose(w, values, atol=atol)
    gram = np.asarray(v.conj().mT @ v)
    np.testing.assert_allclose(gram, gram * 0 + np.eye(gram.shape[-1]), atol=atol)


def test_what_is_not_finite_has_no_decomposition() -> None:
    """NaN for it, and the others as ever."""
    a = _matrices(np.float32, 4, 3, 3)
    a[1, 2, 0] = np.inf
    a[2, 1, 1] = np.nan

    def program(a: Any) -> Any:
        return *dt.numpy.linalg.svd(a), *lax.linalg.eigh(a, symmetrize_input=False)

    results = dt.jit(program, compile="now")(a)
    finite = dt.jit(program, compile="now")(a[::3].copy())
    for result, same in zip(results, finite, strict=True):
        assert np.isnan(result[1:3]).all()
        np.testing.assert_array_equal(result[::3], same)


def test_reflections() -> None:
    a = _matrices(np.complex64, 3, 9, 6)
    packed, taus = dt.jit(lambda x: dt.ops.geqrf(x), compile="now")(a)
    q = dt.jit(lax.linalg.householder_product, compile="now")(packed, taus)
    np.testing.assert_allclose(np.asarray(q) @ np.triu(packed)[:, :6], a, atol=1e-4)
