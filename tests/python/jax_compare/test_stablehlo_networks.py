"""Networks and their gradients as StableHLO: from JAX, and to its compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

from jax import export  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
from support.stablehlo_programs import compiled_by_jax  # noqa: E402


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def residual_block(lib: Any, params: Any, x: Any) -> Any:
    """Two convolutions with batch norm, a shortcut, and a maximum over windows."""
    dims = ("NHWC", "HWIO", "NHWC")

    def convolved(x: Any, w: Any, stride: int = 1) -> Any:
        strides = (stride, stride)
        return lib.lax.conv_general_dilated(x, w, strides, "SAME", dimension_numbers=dims)

    def normed(x: Any, scale: Any, shift: Any) -> Any:
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return (x - mean) * lib.lax.rsqrt(variance + 1e-5) * scale + shift

    h = lib.nn.relu(normed(convolved(x, params["w"][0], 2), *params["norm"][0]))
    h = normed(convolved(h, params["w"][1]), *params["norm"][1])
    h = lib.nn.relu(h + convolved(x, params["shortcut"], 2))
    window = (1, 2, 2, 1)
    return lib.lax.reduce_window(h, -np.inf, lib.lax.max, window, window, "SAME")


def lstm(lib: Any, params: Any, xs: Any) -> Any:
    """The hidden states of a recurrent network, by scan."""
    sigmoid, tanh = lib.nn.sigmoid, lib.numpy.tanh

    def step(carry: Any, x: Any) -> Any:
        h, c = carry
        gates = lib.numpy.concatenate([x, h], -1) @ params["w"] + params["b"]
        i, f, g, o = lib.numpy.split(gates, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        h = sigmoid(o) * tanh(c)
        return (h, c), h

    zeros = lib.numpy.zeros((xs.shape[1], params["b"].shape[0] // 4))
    return lib.lax.scan(step, (zeros, zeros), xs)[1]


def attention(lib: Any, params: Any, x: Any) -> Any:
    """Causal self-attention of two heads."""
    jnp = lib.numpy
    q, k, v = (jnp.einsum("btd,dhk->bhtk", x, params[name]) for name in "qkv")
    scores = jnp.einsum("bhtk,bhsk->bhts", q, k) / 2
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    weights = lib.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bhts,bhsk,hkd->btd", weights, v, params["out"])


NETWORKS: dict[str, tuple[Callable[..., Any], Any, np.ndarray]] = {
    "residual": (
        residual_block,
        {
            "w": [0.2 * normal(3, 3, 4, 8), 0.2 * normal(3, 3, 8, 8)],
            "norm": [(normal(8), normal(8)), (1 + normal(8), normal(8))],
            "shortcut": normal(1, 1, 4, 8),
        },
        normal(2, 8, 8, 4),
    ),
    "lstm": (lstm, {"w": 0.3 * normal(8, 20), "b": normal(20)}, normal(7, 2, 3)),
    "attention": (
        attention,
        {name: normal(6, 2, 4) for name in "qkv"} | {"out": normal(2, 4, 6)},
        normal(3, 5, 6),
    ),
}


def program(lib: Any, name: str, how: str) -> Callable[..., Any]:
    network = NETWORKS[name][0]
    if how == "values":
        return lambda params, x: network(lib, params, x)
    return lib.grad(lambda params, x: (network(lib, params, x) ** 2).mean(), argnums=(0, 1))


def check(got: Any, wanted: Any) -> None:
    got, wanted = dt.tree.leaves(got), jax.tree.leaves(wanted)
    assert len(got) == len(wanted)
    for ours, theirs in zip(got, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("how", ["values", "gradients"])
@pytest.mark.parametrize("name", NETWORKS)
def test_both_ways(name: str, how: str) -> None:
    _, params, x = NETWORKS[name]
    args = [np.asarray(leaf) for leaf in jax.tree.leaves((params, x))]
    theirs = jax.jit(program(jax, name, how))
    wanted = theirs(params, x)
    loaded = dt.stablehlo.load(str(export.export(theirs)(params, x).mlir_module()))
    check(loaded(*args), wanted)
    text = dt.jit(program(dt, name, how)).lower(params, x).as_text("stablehlo")
    check(compiled_by_jax(text, args), wanted)


@pytest.mark.parametrize("how", ["values", "gradients"])
def test_attention_of_any_size(how: str) -> None:
    function, params = program(jax, "attention", how), NETWORKS["attention"][1]
    batch, time = export.symbolic_shape("batch, time")
    x = jax.ShapeDtypeStruct((batch, time, 6), np.float32)
    loaded = dt.stablehlo.load(str(export.export(jax.jit(function))(params, x).mlir_module()))
    for shape in ((3, 5, 6), (2, 4, 6)):
        x = normal(*shape)
        check(loaded(*jax.tree.leaves(params), x), function(params, x))
