"""dovetail.experimental.sparse.linalg against SciPy and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental.sparse.linalg import lobpcg_standard, spsolve
from dovetail.test_util import check_grads

SPARSE: Any = scipy.sparse
RNG = np.random.default_rng(0)


def symmetric(n: int) -> np.ndarray[Any, Any]:
    x = RNG.normal(size=(n, n))
    return x @ x.T / n


@pytest.mark.usefixtures("in_64_bits")
@pytest.mark.parametrize("way", ["matrix", "function"])
def test_eigenvalues(way: str) -> None:
    n, k = 60, 4
    a, start = symmetric(n), RNG.normal(size=(n, k))
    expected = np.linalg.eigvalsh(a)[::-1][:k]
    theta, vectors, count = lobpcg_standard(
        a if way == "matrix" else lambda x: dnp.asarray(a) @ x, start
    )
    np.testing.assert_allclose(theta, expected, rtol=1e-10)
    np.testing.assert_allclose(a @ vectors, np.asarray(vectors) * np.asarray(theta), atol=1e-8)
    np.testing.assert_allclose(np.asarray(vectors).T @ vectors, np.eye(k), atol=1e-10)
    assert 0 < count < 100


def test_repeated_eigenvalues_and_single_precision() -> None:
    diagonal = np.array([1000.0] * 4 + [1.0] * 96, np.float32)
    start = np.random.default_rng(0).normal(size=(100, 8)).astype(np.float32)
    theta, vectors, _ = dt.jit(lambda a, x: lobpcg_standard(a, x, 20, 2e-6))(
        np.diag(diagonal), start
    )
    # Errors are relative to the largest one: those of an eigenproblem of 24 rows in each step.
    np.testing.assert_allclose(
        theta, diagonal[:8], atol=float(16 * np.finfo(np.float32).eps * 1000)
    )
    assert theta.dtype == vectors.dtype == np.float32


def test_arguments_of_eigenvalues() -> None:
    x = np.ones((20, 2), np.float32)
    for a, start, message in (
        (np.eye(20, dtype=np.float32), x[:, :0], "search dim > 0, got: 0"),
        (np.eye(10, dtype=np.float32), x[:10], r"search dim \* 5 < matrix dim, got: 10 and 10"),
        (np.eye(9, 20, dtype=np.float32), x, r"A must be \(20, 20\) matrix, got: one of 9 rows"),
        (lambda x: x.astype(np.float16), x, "A, X must have same dtypes, got: float16"),
    ):
        with pytest.raises(ValueError, match=message):
            lobpcg_standard(a, start)


def equation(n: int) -> Any:
    matrix = SPARSE.random(n, n, 0.3, "csr", random_state=0) + 4 * SPARSE.eye(n)
    matrix = matrix.tocsr()
    return matrix, (matrix.data, matrix.indices, matrix.indptr), RNG.normal(size=n)


@pytest.mark.usefixtures("in_64_bits")
@pytest.mark.parametrize("way", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
def test_solutions(way: Any) -> None:
    matrix, parts, b = equation(8)
    found = way(spsolve)(*parts, b)
    np.testing.assert_allclose(matrix @ found, b, atol=1e-12)
    batch = way(dt.vmap(lambda b: spsolve(parts[0], parts[1], parts[2], b)))(np.stack([b, 2 * b]))
    np.testing.assert_allclose(batch, [found, 2 * found], rtol=1e-12)


@pytest.mark.usefixtures("in_64_bits")
def test_derivatives_of_solutions() -> None:
    _, (data, columns, rows), b = equation(6)
    check_grads(lambda data, b: spsolve(data, columns, rows, b), (data, b), 2)


def test_arguments_of_solutions() -> None:
    _, parts, _ = equation(6)
    with pytest.raises(ValueError, match=r"b must be a vector of 6 elements.*shape \(5,\)"):
        spsolve(parts[0], parts[1], parts[2], np.ones(5))
