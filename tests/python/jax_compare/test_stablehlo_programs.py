"""Programs of all kinds go from JAX to here and back with the same values and gradients.

Every function is exported by JAX and loaded here, and the StableHLO of ours is compiled by JAX's
client. With the table of calls in test_stablehlo.py these are more than 300, and as many
gradients.
"""

from __future__ import annotations

import importlib
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]
from jax import export  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from support import exported_arrays, exported_numbers, exported_programs  # noqa: E402, F401
from support.breadth import some  # noqa: E402
from support.exported_functions import FUNCTIONS, Function  # noqa: E402
from support.stablehlo_programs import compiled_by_jax, leaves  # noqa: E402

for library in ("jax", "dovetail"):
    for module in ("image", "lax.linalg", "scipy.linalg", "scipy.ndimage", "scipy.special"):
        importlib.import_module(f"{library}.{module}")
THEIRS = types.SimpleNamespace(jax=jax, np=jnp, lax=jax.lax, nn=jax.nn, random=jax.random)
OURS = types.SimpleNamespace(jax=dt, np=dnp, lax=dt.lax, nn=dt.nn, random=dt.random)
# Functions of LAPACK that JAX does not promise to keep.
CHANGING = [
    export.DisabledSafetyCheck.custom_call(f"lapack_{name}_ffi")
    for name in ("sormqr", "cunmqr", "sgeqp3", "cgeqp3", "sgesvd", "cgesvd")
]


def check(ours: list[Any], theirs: list[Any], what: str, rtol: float) -> None:
    assert len(ours) == len(theirs), what
    for a, b in zip(map(np.asarray, ours), map(np.asarray, theirs), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), what
        if a.dtype.kind in "fcV":
            if a.dtype.kind == "V":
                a, b = a.astype(np.float32), b.astype(np.float32)
            largest = np.max(np.abs(np.where(np.isfinite(b), b, 0)), initial=1e-30)
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * largest, err_msg=what)
        else:
            np.testing.assert_array_equal(a, b, err_msg=what)


def weighted(xp: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of all components of the results with different weights, to be differentiated."""

    def scalar(*args: Any) -> Any:
        total = 0.0
        for out in jax.tree_util.tree_leaves(function(*args)):
            weights = np.cos(np.arange(out.size, dtype=np.float32)).reshape(out.shape)
            if xp.issubdtype(out.dtype, np.complexfloating):
                total = total + (out.real * weights + out.imag * (weights / 2)).sum()
            elif xp.issubdtype(out.dtype, np.floating):
                total = total + (out * weights).sum()
        return total

    return scalar


def exported(function: Function) -> tuple[Callable[..., Any], str, list[int]]:
    """JAX's function of the arrays, its program, and the arguments that this has."""

    def call(*args: Any) -> Any:
        return function.call(THEIRS, *args)

    made = export.export(jax.jit(call), disabled_checks=CHANGING)(*function.args)
    return call, made.mlir_module(), list(made.module_kept_var_idx)


CHOSEN = some(FUNCTIONS, 20)
WRITTEN = [function for function in CHOSEN if function.is_written]


@pytest.mark.parametrize("function", CHOSEN, ids=lambda function: function.name)
def test_from_jax(function: Function) -> None:
    theirs, text, kept = exported(function)
    loaded, args = dt.stablehlo.load(text), [function.args[i] for i in kept]
    is_compiled = len(function.name) % 2 == 1
    with dt.config.compile("now" if is_compiled else "never"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = dt.tree_util.tree_leaves(loaded(*args))
    wanted = leaves(jax.jit(theirs)(*function.args))
    check(ours, wanted, function.name, function.rtol)
    numbers = [i for i in kept if function.args[i].dtype.kind in "fc"]
    if not function.has_gradient or not numbers:
        return
    try:
        wanted = leaves(jax.grad(weighted(jnp, theirs), numbers)(*function.args))
    except (NotImplementedError, ValueError):
        return  # JAX has no derivative of it, such as of loops whose length is computed
    with dt.config.compile("never" if is_compiled else "now"):
        found = dt.grad(weighted(dnp, loaded), [kept.index(i) for i in numbers])(*args)
    check(list(found), wanted, function.name, 10 * function.rtol)


@pytest.mark.parametrize("function", WRITTEN, ids=lambda function: function.name)
def test_to_jax(function: Function) -> None:
    lowered = dt.jit(lambda *args: function.call(OURS, *args)).lower(*function.args)
    ours = compiled_by_jax(lowered.as_text("stablehlo"), function.args)
    theirs = leaves(jax.jit(lambda *args: function.call(THEIRS, *args))(*function.args))
    check(ours, theirs, function.name, function.rtol)
