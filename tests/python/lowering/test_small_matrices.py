"""Batches of small matrices, one in each lane of vectors: also in programs without Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, runtime

RNG = np.random.default_rng(0)
REAL = (np.float32, np.float64)
SIZES = (1, 2, 3, 5, 8)


def _matrices(dtype: Any, *shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(dtype)


def _tolerance(dtype: Any) -> float:
    return 2e-5 if dtype == np.float32 else 1e-13


def _definite(dtype: Any, *shape: int) -> np.ndarray:
    a = _matrices(dtype, *shape)
    return a @ a.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1], dtype=dtype)


def _compiled(function: Callable[..., Any], *arguments: Any) -> Any:
    return dt.jit(function, compile="now")(*arguments)


@pytest.mark.parametrize("dtype", REAL, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("n", SIZES)
def test_factors(dtype: Any, n: int) -> None:
    """The lanes of the last vectors are not full; both factorizations are in one program."""
    a, positive = _matrices(dtype, 7, 3, n, n), _definite(dtype, 21, n, n)
    with dt.enable_x64():
        lower, lu, pivots, permutation = _compiled(
            lambda p, a: (dnp.linalg.cholesky(p), *lax.linalg.lu(a)), positive, a
        )
        expected = lax.linalg.lu(a)
    np.testing.assert_allclose(lower, np.linalg.cholesky(positive), atol=_tolerance(dtype) * n)
    np.testing.assert_array_equal(pivots, expected[1])
    np.testing.assert_array_equal(permutation, expected[2])
    factor = np.tril(lu, -1) + np.eye(n)
    rows = np.take_along_axis(a, np.asarray(permutation)[..., None], -2)
    np.testing.assert_allclose(factor @ np.triu(lu), rows, atol=_tolerance(dtype))


@pytest.mark.parametrize("shape", [(9, 5, 3), (9, 3, 7)])
def test_factors_of_rectangles(shape: tuple[int, ...]) -> None:
    a = _matrices(np.float32, *shape)
    for found, expected in zip(_compiled(lax.linalg.lu, a), lax.linalg.lu(a), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("dtype", REAL, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("n", SIZES)
def test_equations(dtype: Any, n: int) -> None:
    """Also with the transpose, by which derivatives solve."""
    a, b = _matrices(dtype, 33, n, n) + 2 * n * np.eye(n, dtype=dtype), _matrices(dtype, 33, n, 3)

    def program(a: Any, b: Any) -> Any:
        x, pull = dt.vjp(lambda b: dnp.linalg.solve(a, b), b)
        return x, *pull(b), dnp.linalg.inv(a)

    with dt.enable_x64():
        x, ct, inverse = _compiled(program, a, b)
    atol = _tolerance(dtype) * 10
    np.testing.assert_allclose(a @ np.asarray(x), b, atol=atol)
    np.testing.assert_allclose(a.swapaxes(-1, -2) @ np.asarray(ct), b, atol=atol)
    np.testing.assert_allclose(a @ np.asarray(inverse), np.tile(np.eye(n), (33, 1, 1)), atol=atol)


@pytest.mark.parametrize("dtype", REAL, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("n", SIZES)
def test_determinants(dtype: Any, n: int) -> None:
    """Also their derivatives, which have the factors."""
    a = _matrices(dtype, 5, 7, n, n)
    with dt.enable_x64():
        found = _compiled(dt.ops.det, a)
        gradient = _compiled(dt.grad(lambda a: dt.ops.det(a).sum()), a)
    np.testing.assert_allclose(found, np.linalg.det(a), rtol=1e-3, atol=_tolerance(dtype) * 10)
    adjugates = np.linalg.det(a)[..., None, None] * np.linalg.inv(a)
    scale = np.abs(adjugates).max()
    np.testing.assert_allclose(
        np.asarray(gradient).swapaxes(-1, -2), adjugates, atol=scale * 50 * _tolerance(dtype)
    )


def test_rows_are_exchanged() -> None:
    """Every order of rows, for which the pivots are those of LAPACK."""
    orders = np.array(list(itertools.permutations(range(4))))
    a = np.eye(4, dtype=np.float32)[orders] * np.array([2, 3, 5, 7], np.float32)
    b = _matrices(np.float32, len(orders), 4, 1)
    np.testing.assert_allclose(_compiled(dnp.linalg.solve, a, b), np.linalg.solve(a, b), rtol=1e-6)
    for found, expected in zip(_compiled(lax.linalg.lu, a), lax.linalg.lu(a), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", REAL, ids=lambda dtype: dtype.__name__)
def test_triangles(dtype: Any) -> None:
    flags = [*itertools.product([False, True], repeat=4)]
    a = _matrices(dtype, 18, 5, 5) + 8 * np.eye(5, dtype=dtype)
    b = {True: _matrices(dtype, 18, 5, 3), False: _matrices(dtype, 18, 3, 5)}

    def program(a: Any, b: Any) -> list[Any]:
        return [
            lax.linalg.triangular_solve(
                a, b[left], left_side=left, lower=lower, transpose_a=turned, unit_diagonal=unit
            )
            for left, lower, turned, unit in flags
        ]

    with dt.enable_x64():
        results = _compiled(program, a, b)
        expected = program(a, b)
    for found, other in zip(results, expected, strict=True):
        scale = np.abs(other).max()
        np.testing.assert_allclose(found, other, atol=_tolerance(dtype) * scale)


@pytest.mark.parametrize("dtype", REAL, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("n", SIZES)
def test_eigenvalues(dtype: Any, n: int) -> None:
    """Only the lower triangle is read; equal values, zeros, and numbers of every size."""
    a = _matrices(dtype, 40, n, n)
    a[0], a[1], a[2] = 0, np.eye(n), 1
    a[3:9] *= np.finfo(dtype).max / 64
    a[9:15] *= np.finfo(dtype).tiny * 2**40
    lower = np.tril(a, -1)
    symmetric = lower + lower.swapaxes(-1, -2) + np.eye(n) * a
    with dt.enable_x64():
        w = np.asarray(
            _compiled(lambda a: dnp.linalg.eigvalsh(a, symmetrize_input=False), a + np.triu(a, 1))
        )
    assert w.dtype == dtype
    expected = np.linalg.eigvalsh(symmetric.astype(np.float64))
    scale = np.abs(expected).max(-1, keepdims=True)
    assert (np.abs(w - expected) <= 4 * n * np.finfo(dtype).eps * scale).all()
    assert (np.diff(w) >= 0).all()


def test_what_has_no_result() -> None:
    """NaN, for these matrices alone: neither definite, nor finite."""
    a = _definite(np.float32, 20, 3, 3)
    a[3], a[5, 1, 0], a[17, 2, 2] = -np.eye(3), np.nan, np.inf
    factor = np.asarray(_compiled(dnp.linalg.cholesky, a))
    w = np.asarray(_compiled(lambda a: dnp.linalg.eigvalsh(a, symmetrize_input=False), a))
    lower = np.tril_indices(3)
    assert np.isnan(factor[3][lower]).all()
    assert np.isnan(factor[5][lower]).all()
    assert np.isnan(w[[5, 17]]).all()
    others = np.setdiff1d(np.arange(20), [3, 5, 17])
    np.testing.assert_allclose(factor[others], np.linalg.cholesky(a[others]), rtol=1e-5)
    np.testing.assert_allclose(w[others], np.linalg.eigvalsh(a[others]), rtol=1e-5)
    assert not np.triu(factor, 1).any()


def test_singular_matrices() -> None:
    a = np.zeros((6, 3, 3), np.float32)
    a[1] = [[1, 2, 3], [2, 4, 6], [1, 0, 1]]
    a[2] = np.eye(3)
    for found, expected in zip(_compiled(lax.linalg.lu, a), lax.linalg.lu(a), strict=True):
        np.testing.assert_array_equal(found, expected)
    x = np.asarray(_compiled(dnp.linalg.inv, a))
    np.testing.assert_array_equal(_compiled(dt.ops.det, a), [0, 0, 1, 0, 0, 0])
    assert not np.isfinite(x[[0, 1, 3]]).all((-2, -1)).any()
    np.testing.assert_array_equal(x[2], np.eye(3))


def test_any_number_of_matrices() -> None:
    """One program for all of them."""

    @dt.jit(dynamic_shapes="b, ...", compile="now")
    def program(a: Any, b: Any) -> Any:
        return dnp.linalg.cholesky(a), dnp.linalg.solve(a, b), lax.linalg.lu(a)[2]

    for count in 1, 4, 37:
        a, b = _definite(np.float32, count, 4, 4), _matrices(np.float32, count, 4, 2)
        lower, x, permutation = program(a, b)
        np.testing.assert_allclose(lower, np.linalg.cholesky(a), atol=1e-5)
        np.testing.assert_allclose(x, np.linalg.solve(a, b), atol=1e-4)
        np.testing.assert_array_equal(permutation, lax.linalg.lu(a)[2])


def test_no_matrices() -> None:
    a = np.zeros((0, 3, 3), np.float32)
    for function in dnp.linalg.cholesky, dnp.linalg.inv, dnp.linalg.eigvalsh:
        assert _compiled(function, a).shape == function(a).shape


@pytest.mark.parametrize("platform", ["cpu", "cpu-generic"])
def test_exported(tmp_path: Path, platform: str) -> None:
    """Programs for other processes have the same kernels, and need no library."""
    a, b = _definite(np.float32, 50, 6, 6), _matrices(np.float32, 50, 6, 2)

    def program(a: Any, b: Any) -> Any:
        return dnp.linalg.cholesky(a), dnp.linalg.solve(a, b), dnp.linalg.eigvalsh(a)

    path = tmp_path / "program.vmfb"
    dt.export(program, a, b, path=path, targets=[platform])
    assert b"dovetail_blas_" not in path.read_bytes()
    lower, x, w = runtime.load(path).main(a, b)
    np.testing.assert_allclose(lower, np.linalg.cholesky(a), atol=1e-4)
    np.testing.assert_allclose(a @ np.asarray(x), b, atol=1e-4)
    np.testing.assert_allclose(w, np.linalg.eigvalsh(a), rtol=1e-4)
