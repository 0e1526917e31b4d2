"""Decompositions of matrices as plain ops: evaluated, compiled, and without Python."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core
from dovetail.base.mlir_types import dtype_name
from dovetail.compiler.module_files import compile_module
from dovetail.reference import Evaluator
from dovetail.runtime import Executable
from support.breadth import at_night
from support.gpus import on_gpus

REAL = (np.float32, np.float64)
DTYPES = (*REAL, np.complex64, np.complex128)
# An op's results for its operands.
Run = Callable[..., list[np.ndarray]]


def portable(name: str, operands: Sequence[np.ndarray], attributes: dict[str, Any]) -> Any:
    """The module of one op after its decomposition."""
    types = [(x.shape, dtype_name(x.dtype)) for x in operands]
    module = _core.wrap(name, attributes, types, None)
    module.run("", "decompose")
    return module


def evaluated(name: str, *operands: np.ndarray, **attributes: Any) -> list[np.ndarray]:
    return Evaluator(portable(name, operands, attributes).program("main"))(list(operands))


def module_file(
    name: str, operands: Sequence[np.ndarray], attributes: dict[str, Any], target: str
) -> bytes:
    module = portable(name, operands, attributes)
    module.run("decompose", "lower", target)
    assert "host.f" not in module.text()
    return compile_module(module.text(), target=target)


def compiled(name: str, *operands: np.ndarray, **attributes: Any) -> list[np.ndarray]:
    data = module_file(name, operands, attributes, "cpu")
    return [x.numpy() for x in Executable(data, "main", "local-task")(list(operands))]


def on_gpu(platform: str, name: str, *operands: np.ndarray, **attributes: Any) -> list[np.ndarray]:
    data = module_file(name, operands, attributes, platform)
    return [x.numpy() for x in Executable(data, "main", platform)(list(operands))]


# ===- Matrices ---------------------------------------------------------------------------------


def random(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def adjoint(a: np.ndarray) -> np.ndarray:
    return a.conj().swapaxes(-1, -2)


def square(kind: str, n: int, dtype: Any) -> np.ndarray:
    """A difficult matrix of each kind."""
    rng = np.random.default_rng(n)
    a = random(rng, (n, n), dtype)
    q = np.linalg.qr(a)[0]
    few = max(1, n // 3)
    made = {
        "random": a,
        "zero": 0 * a,
        "identity": np.eye(n),
        "rank": a[:, :few] @ a[:few],
        "graded": (q * np.logspace(0, -20, n)) @ adjoint(q),
        "graded columns": a * np.logspace(0, -8, n),
        "graded rows": a * np.logspace(-8, 0, n)[:, None],
        "clustered": (q * (1 + 1e-9 * rng.standard_normal(n))) @ adjoint(q),
        "large": a * 1e25,
        "small": a * 1e-25,
        "jordan": np.eye(n) + np.eye(n, k=1),
        "nilpotent": np.eye(n, k=-1),
        "cyclic": np.roll(np.eye(n), 1, axis=0),
        "wilkinson": np.diag(abs(np.arange(n) - n / 2)) + np.eye(n, k=1) + np.eye(n, k=-1),
    }[kind]
    return made.astype(dtype)


KINDS = ("random", "zero", "identity", "rank", "graded", "graded columns", "graded rows")
KINDS = (*KINDS, "clustered", "large", "small", "jordan", "nilpotent", "cyclic", "wilkinson")


def assert_close(x: np.ndarray, y: Any, scale: Any = 1.0, factor: float = 10.0) -> None:
    """The difference can be explained by rounding: a multiple of the size times epsilon."""
    eps = np.finfo(x.dtype).eps
    bound = (
        factor * (x.shape[-1] + 2) * eps * max(float(scale), float(np.finfo(x.dtype).tiny) / eps)
    )
    assert np.all(np.abs(x - y) <= bound), float(np.abs(x - y).max() / bound)


def assert_unitary(q: np.ndarray) -> None:
    assert_close(adjoint(q) @ q, np.eye(q.shape[-1]))


# ===- What each decomposition must be ----------------------------------------------------------


def check_cholesky(run: Run, a: np.ndarray) -> None:
    s = (a @ adjoint(a) + max(1e-30, 3 * np.abs(a).max() ** 2) * np.eye(len(a))).astype(a.dtype)
    # Neither the upper triangle nor imaginary parts on the diagonal matter.
    read = np.tril(s)
    if read.dtype.kind == "c":
        read += np.diag(1j * np.arange(1, len(a) + 1)).astype(a.dtype)
    (lower,) = run("cholesky", read)
    assert_close(lower @ adjoint(lower), s, np.abs(s).max())
    assert np.all(np.triu(lower, 1) == 0)


def check_triangular_solve(run: Run, a: np.ndarray) -> None:
    t = a + (4 * np.sqrt(len(a)) * np.eye(len(a))).astype(a.dtype)
    b = random(np.random.default_rng(1), (len(a), 3), a.dtype)
    for lower, transpose, conjugate, unit in (
        (True, False, False, False),
        (False, False, True, False),
        (True, True, True, True),
        (False, True, False, True),
    ):
        part = (np.tril if lower else np.triu)(t)
        if unit:
            part = part / (8 * np.sqrt(len(a)))
            np.fill_diagonal(part, 1)
        part = part.astype(a.dtype)
        garbage = part + (np.triu if lower else np.tril)(a, 1 if lower else -1)
        applied = part.T if transpose else part
        applied = applied.conj() if conjugate else applied
        flags = {"lower": lower, "transpose_a": transpose, "conjugate_a": conjugate}
        (x,) = run("triangular_solve", garbage, b, left_side=True, unit_diagonal=unit, **flags)
        assert_close(applied @ x, b, np.abs(part).max() * max(np.abs(x).max(), 1))
        (x,) = run(
            "triangular_solve", garbage, b.T.copy(), left_side=False, unit_diagonal=unit, **flags
        )
        assert_close(x @ applied, b.T, np.abs(part).max() * max(np.abs(x).max(), 1))


def check_lu(run: Run, a: np.ndarray) -> None:
    lu, pivots, order = run("lu", a)
    k = min(a.shape)
    lower, u = np.tril(lu[:, :k], -1) + np.eye(len(a), k), np.triu(lu[:k])
    assert_close(lower.astype(a.dtype) @ u, a[order], np.abs(u).max())
    assert np.all(np.abs(lower) <= 1.5)
    swapped = np.arange(len(a))
    for i, p in enumerate(pivots):
        swapped[[i, p]] = swapped[[p, i]]
    np.testing.assert_array_equal(order, swapped)


def check_lu_solve(run: Run, a: np.ndarray) -> None:
    a = a + (5 * np.abs(a).max() + 1) * np.eye(len(a), dtype=a.dtype)
    b = random(np.random.default_rng(2), (len(a), 2), a.dtype)
    lu, _, order = run("lu", a)
    for transpose in (False, True):
        (x,) = run("lu_solve", a, lu, order, b, transpose_a=transpose)
        assert_close(
            (a.T if transpose else a) @ x, b, np.abs(a).max() * max(np.abs(x).max(), 1e-30)
        )


def check_det(run: Run, a: np.ndarray) -> None:
    a = (a / max(np.abs(a).max(), 1e-30)).astype(a.dtype)
    (det,) = run("det", a)
    expected = np.linalg.det(a.astype(np.complex128))
    assert_close(det[None], expected, max(np.prod(np.linalg.norm(a, axis=0) + 1e-3), 1e-6))


def check_qr(run: Run, a: np.ndarray) -> None:
    for full in (False, True):
        q, r = run("qr", a, full_matrices=full, pivoting=False)
        expected = np.linalg.qr(a, mode="complete" if full else "reduced")
        assert (q.shape, r.shape) == (expected.Q.shape, expected.R.shape)
        assert_close(q @ r, a, np.abs(a).max() * np.sqrt(len(a)))
        assert_unitary(q)
        assert np.all(np.tril(r, -1) == 0)
    q, r, order = run("qr", a, full_matrices=False, pivoting=True)
    assert_close(q @ r, a[:, order], np.abs(a).max() * np.sqrt(len(a)))
    sizes = np.abs(np.diag(r))
    assert np.all(sizes[1:] <= sizes[:-1] * (1 + 1e-3) + 1e-5 * np.abs(a).max())
    packed, taus = run("geqrf", a, pivoting=False)
    (geqrf,) = scipy.linalg.get_lapack_funcs(("geqrf",), (a,))
    assert_close(np.triu(packed), np.triu(geqrf(a)[0]), np.abs(a).max() * np.sqrt(len(a)), 1e3)
    assert taus.shape == (min(a.shape),)


def check_eigh(run: Run, a: np.ndarray) -> None:
    s = a + adjoint(a)
    w, v = run("eigh", np.tril(s), vectors=True)
    size = np.abs(w).max()
    assert_close(s @ v, v * w, size)
    assert_unitary(v)
    assert_close(w, np.linalg.eigvalsh(s), size)
    assert np.all(np.diff(w) >= 0)
    (values,) = run("eigh", np.tril(s), vectors=False)
    assert_close(values, w, size)


def check_svd(run: Run, a: np.ndarray) -> None:
    for full in (False, True):
        s, u, vh = run("svd", a, full_matrices=full, vectors=True)
        k = len(s)
        assert_close((u[:, :k] * s) @ vh[:k], a, s.max())
        assert_unitary(u)
        assert_unitary(adjoint(vh))
        assert_close(s, np.linalg.svd(a, compute_uv=False), s.max())
        assert np.all(np.diff(s) <= 0)
        assert np.all(s >= 0)
    (values,) = run("svd", a, full_matrices=False, vectors=False)
    assert_close(values, s, s.max())


def check_eig(run: Run, a: np.ndarray) -> None:
    w, vl, vr = run("eig", a, left=True, right=True)
    size = max(np.abs(a).max(), np.abs(w).max())
    assert_close(a @ vr, vr * w, size)
    assert_close(adjoint(vl) @ a, w[:, None] * adjoint(vl), size)
    for v in (vl, vr):
        assert_close(np.linalg.norm(v, axis=0), 1)
        # One of the elements that are equal up to rounding is real.
        is_most = np.abs(v) >= np.abs(v).max(axis=0) * (1 - 1e-4)
        assert_close(np.where(is_most, np.abs(np.imag(v)), 1).min(axis=0), 0)
    (values,) = run("eig", a, left=False, right=False)
    assert_close(values.sum()[None], np.trace(a), size * len(a) ** 2)


def check_schur(run: Run, a: np.ndarray) -> None:
    t, z = run("schur", a, vectors=True)
    assert_close(z @ t @ adjoint(z), a, np.abs(a).max() * np.sqrt(len(a)))
    assert_unitary(z)
    assert np.all(np.tril(t, -2) == 0)
    below, above, d = np.diag(t, -1), np.diag(t, 1), np.diag(t)
    if a.dtype.kind == "c":
        assert np.all(below == 0)
        return
    # Pairs of conjugate eigenvalues, in the standard form.
    assert np.all(below[1:] * below[:-1] == 0)
    assert np.all((below == 0) | ((d[1:] == d[:-1]) & (np.sign(below) == -np.sign(above))))
    (only,) = run("schur", a, vectors=False)
    assert_close(np.sort(np.diag(only)).sum()[None], np.trace(a), np.abs(a).max() * len(a) ** 1.5)


def reflections(vectors: np.ndarray, taus: np.ndarray) -> np.ndarray:
    """The product of 1 - tau v v^H; each v begins with a 1, followed by the column of `vectors`."""
    n = len(vectors)
    q = np.eye(n, dtype=vectors.dtype)
    for i, tau in enumerate(taus):
        v = np.tril(vectors, -(n - len(taus)) - 1)[:, i] + np.eye(n)[n - len(taus) + i]
        q = q @ (np.eye(n) - tau * np.outer(v, v.conj()))
    return q


def check_hessenberg(run: Run, a: np.ndarray) -> None:
    h, taus = run("hessenberg", a)
    q = reflections(h, taus)
    size = np.abs(a).max() * np.sqrt(len(a))
    assert_close((q @ np.triu(h, -1) @ adjoint(q)).astype(a.dtype), a, size)


def check_tridiagonal(run: Run, a: np.ndarray) -> None:
    s = a + adjoint(a)
    for lower in (True, False):
        part = (np.tril if lower else np.triu)(s)
        t, d, off, taus = run("tridiagonal", part, lower=lower)
        size = np.abs(s).max() * np.sqrt(len(a))
        tri = np.diag(d) + np.diag(off, 1) + np.diag(off, -1)
        turn = slice(None, None, 1 if lower else -1)
        q = reflections(t[turn, turn], taus[turn])[turn, turn]
        assert_close((q @ tri @ adjoint(q)).astype(a.dtype), s, size)
        assert d.dtype == off.dtype == np.finfo(a.dtype).eps.dtype


def check_tridiagonal_solve(run: Run, a: np.ndarray) -> None:
    n = len(a)
    dl, du = a[0], a[-1]
    d = a[:, n // 2] + np.asarray(0.1 + np.abs(a).max(), a.dtype) * (-1) ** np.arange(n)
    d = d.astype(a.dtype)
    b = random(np.random.default_rng(3), (n, 2), a.dtype)
    (x,) = run("tridiagonal_solve", dl, d, du, b, perturb_singular=False)
    matrix = np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1)
    assert_close(matrix @ x, b, np.abs(matrix).max() * np.abs(x).max())


CHECKS: dict[str, Callable[[Run, np.ndarray], None]] = {
    "cholesky": check_cholesky,
    "triangular_solve": check_triangular_solve,
    "lu": check_lu,
    "lu_solve": check_lu_solve,
    "det": check_det,
    "qr": check_qr,
    "eigh": check_eigh,
    "svd": check_svd,
    "eig": check_eig,
    "schur": check_schur,
    "hessenberg": check_hessenberg,
    "tridiagonal": check_tridiagonal,
    "tridiagonal_solve": check_tridiagonal_solve,
}
ITERATIVE = ("eigh", "svd", "eig", "schur")


# ===- Numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_hard_matrices(dtype: Any, kind: str) -> None:
    for n in (2, 7):
        a = square(kind, n, dtype)
        for name in ("lu", "qr", *ITERATIVE, "hessenberg", "tridiagonal"):
            CHECKS[name](evaluated, a)


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_blocks(dtype: Any, name: str) -> None:
    """Sizes of one element, one block, whole blocks, and a fraction of blocks."""
    sizes = (1, 3, 64, 70)
    if name in ITERATIVE:
        sizes = (1, 34) if dtype is np.float64 else (1, 4)
    for n in sizes:
        CHECKS[name](evaluated, square("random", n, dtype))


@pytest.mark.parametrize("name", ["lu", "qr", "svd"])
@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (5, 8), (8, 5), (36, 70), (70, 36)])
def test_rectangles(name: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    if name == "svd" and min(shape) > 8:
        shape = (shape[0] // 8, shape[1] // 8)
    for dtype in (np.float32, np.complex128):
        CHECKS[name](evaluated, random(rng, shape, dtype))


@settings(max_examples=20, deadline=None)
@given(
    name=st.sampled_from(sorted(CHECKS)),
    n=st.integers(1, 12),
    dtype=st.sampled_from(DTYPES),
    seed=st.integers(0, 2**32 - 1),
    zeros=st.floats(0, 1),
)
def test_sparse_matrices(name: str, n: int, dtype: Any, seed: int, zeros: float) -> None:
    rng = np.random.default_rng(seed)
    CHECKS[name](evaluated, random(rng, (n, n), dtype) * (rng.random((n, n)) >= zeros))


@pytest.mark.parametrize("name", CHECKS)
def test_compiled(name: str) -> None:
    CHECKS[name](compiled, square("random", 9, np.float32))


@pytest.mark.parametrize("name", ["cholesky", "lu", "qr", "eigh", "svd", "eig"])
def test_compiled_blocks(name: str) -> None:
    dtype = np.complex128 if name in ("cholesky", "eig") else np.float64
    a = square("random", 40, dtype)
    operands = {"cholesky": a @ adjoint(a) + 40 * np.eye(40), "eigh": a + adjoint(a)}.get(name, a)
    flags = {
        "qr": {"full_matrices": False, "pivoting": False},
        "eigh": {"vectors": True},
        "svd": {"full_matrices": False, "vectors": True},
        "eig": {"left": False, "right": True},
    }.get(name, {})
    for x, y in zip(
        compiled(name, operands, **flags), evaluated(name, operands, **flags), strict=True
    ):
        np.testing.assert_allclose(np.abs(x), np.abs(y), atol=1e-9)


@pytest.mark.parametrize("run", [evaluated, compiled])
def test_batch(run: Run) -> None:
    """Each matrix of a batch takes its own number of steps."""
    rng = np.random.default_rng(7)
    a = random(rng, (2, 3, 6, 6), np.float32)
    a[0, 1] = np.eye(6)
    a[1, 2] = np.nan
    s = a + adjoint(a)
    w, v = (x.copy() for x in run("eigh", s, vectors=True))
    assert np.isnan(w[1, 2]).all()
    assert np.isnan(v[1, 2]).all()
    w[1, 2] = v[1, 2] = s[1, 2] = 0
    assert_close(s @ v, v * w[..., None, :], 10)
    x = a + 9 * np.eye(6, dtype=np.float32)
    x[1, 2] = 9 * np.eye(6)
    b = random(rng, (2, 3, 6, 2), np.float32)
    lu, _, order = run("lu", x)
    (solved,) = run("lu_solve", x, lu, order, b, transpose_a=False)
    assert_close(x @ solved, b, 10)


@pytest.mark.parametrize("name", ["cholesky", "lu", "qr", "eigh", "svd", "eig", "schur"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_finite(name: str, value: float) -> None:
    a = square("random", 5, np.complex64)
    a[3, 2] = value
    flags = {"qr": {"full_matrices": False, "pivoting": False}, "eig": {"left": True}}.get(name, {})
    defaults = {"eigh": {"vectors": True}, "schur": {"vectors": True}}.get(name, {})
    if name == "svd":
        defaults = {"vectors": True, "full_matrices": False}
    if name == "eig":
        defaults = {"right": True}
    for x in evaluated(name, a, **flags, **defaults):
        assert x.dtype == np.int32 or np.isnan(x).any()


def test_not_positive_definite() -> None:
    a = np.diag(np.array([1, 2, -1, 3], np.float64))
    (lower,) = evaluated("cholesky", a)
    assert np.isnan(lower[np.tril_indices(4)]).all()
    assert np.all(lower[np.triu_indices(4, 1)] == 0)


def test_empty() -> None:
    for name, flags in (
        ("cholesky", {}),
        ("lu", {}),
        ("eigh", {"vectors": True}),
        ("svd", {"vectors": True, "full_matrices": True}),
        ("qr", {"full_matrices": True, "pivoting": False}),
    ):
        for batch in ((), (3,)):
            for x in evaluated(name, np.zeros((*batch, 0, 0), np.float32), **flags):
                assert x.size == 0
    assert evaluated("det", np.zeros((0, 0), np.float32))[0] == 1
    _, u, vh = evaluated("svd", np.zeros((3, 0), np.float32), vectors=True, full_matrices=True)
    np.testing.assert_array_equal(u, np.eye(3))
    assert vh.shape == (0, 0)


def test_perturbed_tridiagonal() -> None:
    """Where the matrix is singular, the solution is large, and as good as an eigenvector."""
    d, off = np.full(5, 2.0), np.full(5, -1.0)
    w, v = scipy.linalg.eigh_tridiagonal(d, off[1:])
    b = np.ones((5, 1))
    (x,) = evaluated("tridiagonal_solve", off, d - w[0], off, b, perturb_singular=True)
    assert np.isfinite(x).all()
    assert_close(np.abs(x[:, 0] / np.linalg.norm(x)), np.abs(v[:, 0]), 100)


# For the others, `lu_solve` covers LU and triangular systems, and `test_runs_without_python` eigh.
BY_DAY_ON_GPUS = ("cholesky", "lu_solve", "svd", "tridiagonal", "tridiagonal_solve")


# ===- Other machines -----------------------------------------------------------------------------


@on_gpus
@pytest.mark.parametrize(
    "name",
    [
        name if name in BY_DAY_ON_GPUS else pytest.param(name, marks=at_night)
        for name in CHECKS
        if name not in ("eig", "schur")
    ],
)
def test_gpus(name: str, gpu: str) -> None:
    CHECKS[name](functools.partial(on_gpu, gpu), square("random", 5, np.float32))


@pytest.mark.parametrize("target", ["cpu", "vulkan"])
def test_runs_without_python(target: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    n = 200 if target == "cpu" else 48
    if target == "vulkan":
        request.getfixturevalue("vulkan")
    a = square("random", n, np.float32)
    s = a + a.T
    spec = dt.ShapeDtypeStruct(s.shape, "float32")
    dt.export(lambda s: tuple(dnp.linalg.eigh(s)), spec, path=tmp_path / "m.vmfb", targets=target)
    np.save(tmp_path / "s.npy", s)
    program = Path(sys.executable).parent / "iree-run-module"
    device = "local-task" if target == "cpu" else "vulkan"
    command = [program, "--module=m.vmfb", f"--device={device}", "--function=main"]
    files = ["--input=@s.npy", "--output=@w.npy", "--output=@v.npy"]
    subprocess.run([*command, *files], cwd=tmp_path, check=True, timeout=300)
    w, v = np.load(tmp_path / "w.npy"), np.load(tmp_path / "v.npy")
    assert_close(s @ v, v * w, np.abs(w).max())
    assert_unitary(v)
