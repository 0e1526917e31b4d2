"""Functions that JAX exports for symbolic shapes are the same here: from text and bytecode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

from jax import export  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
from support.stablehlo_sizes import CASES, Case, W, X, bound, specs  # noqa: E402


def exported(case: Case) -> Any:
    return export.export(jax.jit(bound(case, jax)))(*specs(case, jax))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", ["text", "bytecode"])
def test_symbolic_sizes(name: str, form: str) -> None:
    case = CASES[name]
    made = exported(case)
    source = made.mlir_module() if form == "text" else bytes(made.mlir_module_serialized)
    loaded = dt.stablehlo.load(source)
    assert isinstance(loaded, dt.stablehlo.LoadedForShapes)
    with dt.config.compile("never"):
        ours = loaded(*[case.args[i] for i in made.module_kept_var_idx])
    wanted = jax.tree_util.tree_leaves(jax.jit(bound(case, jax))(*case.args))
    for a, b in zip(dt.tree_util.tree_leaves(ours), wanted, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


def test_sizes_that_the_program_does_not_accept() -> None:
    loaded = dt.stablehlo.load(exported(CASES["dot"]).mlir_module())
    with pytest.raises(dt.errors.TransformError, match=r"shape\[0\] \(= 5\).*'b' \(= 6\)"):
        loaded(X, W[:5])


def test_derivatives_batches_and_compilation_of_a_symbolic_program() -> None:
    function = bound(CASES["dot"], jax)
    loaded = dt.stablehlo.load(exported(CASES["dot"]).mlir_module())
    wanted = jax.grad(lambda w: function(X, w).sum())(W)
    ours = dt.jit(dt.grad(lambda w: loaded(X, w).sum()))(W)
    np.testing.assert_allclose(ours, wanted, rtol=1e-4, atol=1e-5)
    stacked = dt.vmap(loaded, (0, None))(np.stack([X, 2 * X]), W)
    np.testing.assert_allclose(stacked[1], function(2 * X, W), rtol=1e-4, atol=1e-5)
