"""On GPUs, where most algorithms on matrices are loops of the host, results are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from support import breadth
from support.gpus import on_gpus, run_on


def lower_times_upper(a: Any) -> Any:
    """The matrix of its factors, and the size of the factors, which pivoting keeps small."""
    lu, _, order = lax.linalg.lu(a)
    lower = dnp.tril(lu, -1) + dnp.eye(a.shape[-1], dtype=a.dtype)
    rows = dnp.argsort(order, axis=-1)
    return dnp.take_along_axis(lower @ dnp.triu(lu), rows[..., None], -2), dnp.max(abs(lower))


def of_spectrum(a: Any) -> Any:
    values, vectors = dnp.linalg.eigh(a + dnp.swapaxes(a, -1, -2))
    return (vectors * values[..., None, :]) @ dnp.swapaxes(vectors, -1, -2)


def of_qr(a: Any) -> Any:
    q, r = dnp.linalg.qr(a)
    return q @ r


# What is computed, and what it is, of a matrix.
PROGRAMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "lu": (lower_times_upper, lambda a: (a, 1.0)),
    "solve": (lambda a: dnp.linalg.solve(a, a @ a), lambda a: a),
    "qr": (of_qr, lambda a: a),
    "inverse": (
        lambda a: dnp.linalg.inv(a) @ a,
        lambda a: np.broadcast_to(np.eye(len(a.T)), a.shape),
    ),
    "cholesky": (
        lambda a: dnp.linalg.cholesky(a @ dnp.swapaxes(a, -1, -2)),
        lambda a: np.linalg.cholesky(a @ np.swapaxes(a, -1, -2)),
    ),
    "eigh": (of_spectrum, lambda a: a + np.swapaxes(a, -1, -2)),
}
SHAPES = [(5, 5), (3, 8, 8), (33, 33)]
# In several blocks, whole ones or not.
LARGE = [(64, 64), (96, 96), (100, 100), (112, 112), (300, 300)]
BY_DAY = ("lu", "solve", "qr")


# Code for CUDA differs from Vulkan's: in slices of whole blocks, and in views of shared memory.
@pytest.mark.parametrize(("name", "size"), [("solve", 96), ("eigh", 20)])
@pytest.mark.parametrize("gpu", ["cuda", "rocm"], indirect=True)
def test_matrices_in_whole_blocks(name: str, size: int, gpu: str, tmp_path: Path) -> None:
    test_matrices(name, (size, size), gpu, tmp_path)


@pytest.mark.parametrize("shape", SHAPES + LARGE * breadth.IS_NIGHTLY, ids=str)
@pytest.mark.parametrize("name", PROGRAMS if breadth.IS_NIGHTLY else BY_DAY)
@on_gpus
def test_matrices(name: str, shape: tuple[int, ...], gpu: str, tmp_path: Path) -> None:
    a = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    a += 2 * np.sqrt(shape[-1], dtype=np.float32) * np.eye(shape[-1], dtype=np.float32)[::-1]
    function, expected = PROGRAMS[name]
    actual = run_on(gpu, tmp_path, function, a)
    dt.tree.map(
        lambda x, y: np.testing.assert_allclose(np.asarray(x), y, rtol=2e-4, atol=2e-4),
        actual if isinstance(actual, tuple) else (actual,),
        expected(a) if isinstance(expected(a), tuple) else (expected(a),),
    )
