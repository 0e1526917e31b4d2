"""Functions that JAX exports for symbolic shapes are the same here: from text and bytecode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]
from jax import export, lax  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402

A, B = export.symbolic_shape("a, b")
X = np.random.default_rng(0).normal(size=(5, 6)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(6, 3)).astype(np.float32)
I = np.array([0, 2, -1], np.int32)  # noqa: E741
Case = tuple[Any, list[Any], list[np.ndarray]]


def ones(size: int) -> Any:
    return jnp.ones((1, 1, size, size))


# By name: the function, the shapes for which it is exported, and arguments.
CASES: dict[str, Case] = {
    "dot": (lambda x, w: jnp.tanh(x @ w).sum(0), [(A, B), (B, 3)], [X, W]),
    "join": (
        lambda x: jnp.concatenate([x, x[::2], lax.iota(np.float32, x.shape[0] * 2 + 1)]),
        [(A,)],
        [X[0]],
    ),
    "slice": (lambda x: x[:, 1 : x.shape[1] // 2], [(A, B)], [X]),
    "take": (
        lambda x, i: x[i] + jnp.pad(x, ((1, x.shape[0]), (0, 0)))[i],
        [(A, 6), (B,)],
        [X, I],
    ),
    "window": (
        lambda x, i: lax.dynamic_slice(x, (i[0], 0), (x.shape[0] - 1, 2)),
        [(A, 6), (3,)],
        [X, I],
    ),
    "reshape": (
        lambda x: x.reshape(x.shape[0] * x.shape[1]) + jnp.arange(x.size),
        [(A, B)],
        [X],
    ),
    "loop": (
        lambda x: lax.fori_loop(0, x.shape[0], lambda _, c: jnp.sin(c) * 2, x),
        [(A, B)],
        [X],
    ),
    "scan": (
        lambda x: lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(x.shape[1:]), x),
        [(A, B)],
        [X],
    ),
    "branch": (
        lambda x: lax.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, x),
        [(A, B)],
        [X],
    ),
    "cumsum": (lambda x: jnp.cumsum(x, 0), [(A, B)], [X]),
    "softmax": (lambda x: jax.nn.softmax(x, -1), [(A, B)], [X]),
    "sort": (lambda x: jnp.sort(x, 0), [(A, B)], [X]),
    "argmax": (lambda x: jnp.argmax(x, 1), [(A, B)], [X]),
    "variance": (lambda x: jnp.var(x, 1), [(A, B)], [X]),
    "median": (lambda x: jnp.median(x, 0), [(A, 6)], [X]),
    "scatter": (lambda x, i: x.at[i].add(1.0), [(A, 6), (B,)], [X, I]),
    "triangle": (jnp.tril, [(A, B)], [X]),
    "convolution": (
        lambda x: lax.conv_general_dilated(x[None, None], ones(3), (1, 1), "VALID"),
        [(A, B)],
        [X],
    ),
    "padded convolution": (
        lambda x: lax.conv_general_dilated(x[None, None], ones(3), (2, 2), "SAME"),
        [(A, B)],
        [X],
    ),
    "pool": (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID"),
        [(A, B)],
        [X],
    ),
    "cholesky": (
        lambda x: jnp.linalg.cholesky(jnp.einsum("bi,bj->bij", x, x) + jnp.eye(6)),
        [(A, 6)],
        [X],
    ),
    "svd": (lambda x: jnp.linalg.svd(x, compute_uv=False), [(A, B)], [X]),
    "size as a number": (lambda x: jnp.where(x > 0, x, x.shape[0]), [(A, B)], [X]),
    "roll": (lambda x: jnp.roll(x, 2, 0), [(A, B)], [X]),
    "stack": (lambda x: jnp.stack([x, x * 2]).transpose(1, 2, 0), [(A, B)], [X]),
    "repeat": (lambda x: jnp.repeat(x, 2, axis=0), [(A, B)], [X]),
    "tile": (lambda x: jnp.tile(x, (2, 1)), [(A, B)], [X]),
    "reverse": (lambda x: x[::-1], [(A, B)], [X]),
    "fft": (lambda x: jnp.abs(jnp.fft.fft(x, axis=1)), [(A, 6)], [X]),
    "random": (lambda x: jax.random.normal(jax.random.key(0), (x.shape[0], 3)), [(A, B)], [X]),
    "gradient": (
        lambda x, w: jax.grad(lambda w: (jax.nn.softmax(x @ w) ** 2).sum())(w),
        [(A, B), (B, 3)],
        [X, W],
    ),
}


def exported_for(function: Any, shapes: list[Any], args: list[np.ndarray]) -> Any:
    specs = [jax.ShapeDtypeStruct(s, a.dtype) for s, a in zip(shapes, args, strict=True)]
    return export.export(jax.jit(function))(*specs)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", ["text", "bytecode"])
def test_symbolic_sizes(name: str, form: str) -> None:
    function, shapes, args = CASES[name]
    made = exported_for(function, shapes, args)
    source = made.mlir_module() if form == "text" else bytes(made.mlir_module_serialized)
    loaded = dt.stablehlo.load(source)
    assert isinstance(loaded, dt.stablehlo.LoadedForShapes)
    with dt.config.compile("never"):
        ours = loaded(*[args[i] for i in made.module_kept_var_idx])
    wanted = jax.tree_util.tree_leaves(jax.jit(function)(*args))
    for a, b in zip(dt.tree_util.tree_leaves(ours), wanted, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


def test_sizes_that_the_program_does_not_accept() -> None:
    function, shapes, args = CASES["dot"]
    loaded = dt.stablehlo.load(exported_for(function, shapes, args).mlir_module())
    with pytest.raises(dt.errors.TransformError, match=r"shape\[0\] \(= 5\).*'b' \(= 6\)"):
        loaded(X, W[:5])


def test_derivatives_batches_and_compilation_of_a_symbolic_program() -> None:
    function, shapes, args = CASES["dot"]
    loaded = dt.stablehlo.load(exported_for(function, shapes, args).mlir_module())
    wanted = jax.grad(lambda w: function(X, w).sum())(W)
    ours = dt.jit(dt.grad(lambda w: loaded(X, w).sum()))(W)
    np.testing.assert_allclose(ours, wanted, rtol=1e-4, atol=1e-5)
    stacked = dt.vmap(loaded, (0, None))(np.stack([X, 2 * X]), W)
    np.testing.assert_allclose(stacked[1], function(2 * X, W), rtol=1e-4, atol=1e-5)
