"""Calls of LAPACK in programs that JAX exports for CPUs, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]
import jax.scipy.linalg as jsl  # noqa: E402  # pyright: ignore[reportMissingImports]
from jax import export  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from support.stablehlo_programs import leaves, weighted  # noqa: E402

# Calls of which JAX does not promise that their names stay.
UNSTABLE = [f"lapack_{t}{f}_ffi" for t in "sdcz" for f in ("ormqr", "unmqr", "geqp3", "gesvd")]
UNSTABLE.append("tridiagonal_solve_perturbed_ffi")
L = SimpleNamespace(lax=jax.lax.linalg, scipy=jsl, np=jnp.linalg)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "cholesky": lambda a: L.np.cholesky(a @ a.conj().mT + 4 * jnp.eye(4)),
    "upper cholesky": lambda a: L.scipy.cholesky(a @ a.conj().mT + 4 * jnp.eye(4)),
    "lu": lambda a: L.scipy.lu_solve(L.scipy.lu_factor(a[0]), a[0, 0]),
    "qr": lambda a: L.np.qr(a),
    "pivoted qr": lambda a: L.scipy.qr(a[0], pivoting=True),
    "product from the left": lambda a: L.lax.ormqr(a, a[..., 0], a, transpose=True),
    "product from the right": lambda a: L.lax.ormqr(a, a[..., 0], a, left=False),
    "adjoint from the right": lambda a: L.lax.ormqr(a, a[..., 0], a, left=False, transpose=True),
    "triangular": lambda a: L.scipy.solve_triangular(a[0], a[0], trans=2, lower=True),
    "tridiagonal equations": lambda a: L.lax.tridiagonal_solve(a[0, 0], a[0, 1], a[0, 2], a[0]),
    "eigh": lambda a: L.np.eigh(a + a.conj().mT)[0],
    "eigh of the upper part": lambda a: L.np.eigh(a + a.conj().mT, UPLO="U")[0],
    "tridiagonal": lambda a: L.lax.tridiagonal(a + a.conj().mT),
    "tridiagonal, upper": lambda a: L.lax.tridiagonal(a + a.conj().mT, lower=False),
    "svd": lambda a: L.np.svd(a, compute_uv=False),
    "svd by qr": lambda a: L.lax.svd(a, algorithm=L.lax.SvdAlgorithm.QR, compute_uv=False),
    "eig": lambda a: L.np.eigvals(a[0]),
    "schur": lambda a: abs(L.lax.schur(a[0])[0]),
    "hessenberg": lambda a: L.lax.hessenberg(a),
    "hessenberg and q": lambda a: L.scipy.hessenberg(a[0], calc_q=True),
}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(name: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(2, 4, 4)) + 2 * np.eye(4)
    if dtype == "complex64":
        a = a + 1j * rng.normal(size=a.shape)
    a = a.astype(dtype)
    function = FUNCTIONS[name]
    promises = [export.DisabledSafetyCheck.custom_call(target) for target in UNSTABLE]
    made = export.export(jax.jit(function), disabled_checks=promises)(a)
    loaded = dt.stablehlo.load(made.mlir_module())
    found, wanted = dt.tree_util.tree_leaves(loaded(a)), leaves(jax.jit(function)(a))
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        if np.iscomplexobj(theirs) and name == "eig":
            ours, theirs = np.sort(ours), np.sort(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
    if dtype == "complex64":
        return
    try:
        gradient = leaves(jax.grad(weighted(jnp, function))(a))
    except NotImplementedError:
        return  # JAX has no derivative of it
    ours = leaves(dt.grad(weighted(dnp, loaded))(a))
    np.testing.assert_allclose(ours, gradient, rtol=2e-3, atol=2e-3)
