"""Programs on eight devices, by Dovetail or by JAX; run by `test_sharded_training`.

usage: program_sharded_training.py LIBRARY FILE

Writes the results of each program, and the axes of their dimensions, to a NumPy file.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

L = importlib.import_module(sys.argv[1])
jnp = importlib.import_module(f"{sys.argv[1]}.numpy")
lax, P, NamedSharding = L.lax, L.P, L.NamedSharding
AUTO = L.sharding.AxisType.Auto
GRID = L.make_mesh((4, 2), ("dp", "tp"), axis_types=(AUTO,) * 2)
ROW = L.make_mesh((8,), ("e",), axis_types=(AUTO,))
rng = np.random.default_rng(0)
PROGRAMS: dict[str, Callable[[], Any]] = {}


def program(function: Callable[[], Any]) -> Callable[[], Any]:
    PROGRAMS[function.__name__] = function
    return function


def normal(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def over(mesh: Any, *spec: Any) -> Any:
    return NamedSharding(mesh, P(*spec))


# A transformer whose weights are divided over both axes, its layers in a scan -----------------

D, H, F, LAYERS, WORDS, T, BATCH = 16, 4, 32, 3, 32, 8, 8
WEIGHTS = {
    "words": (normal(WORDS, D), P("tp", "dp")),
    "qkv": (normal(LAYERS, D, 3, H, D // H), P(None, "dp", None, "tp")),
    "out": (normal(LAYERS, H, D // H, D), P(None, "tp", None, "dp")),
    "up": (normal(LAYERS, D, F), P(None, "dp", "tp")),
    "down": (normal(LAYERS, F, D), P(None, "tp", "dp")),
    "logits": (normal(D, WORDS), P("dp", "tp")),
}
WHERE = {name: over(GRID, *spec) for name, (_, spec) in WEIGHTS.items()}
TOKENS = rng.integers(0, WORDS, (BATCH, T)).astype(np.int32)


def weights() -> dict[str, Any]:
    return {name: L.device_put(x / 10, WHERE[name]) for name, (x, _) in WEIGHTS.items()}


def layer(x: Any, w: dict[str, Any]) -> Any:
    h = x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)
    q, k, v = jnp.moveaxis(jnp.einsum("btd,dchk->btchk", h, w["qkv"]), 2, 0)
    scores = jnp.einsum("bthk,bshk->bhts", q, k) / 2
    scores = jnp.where(jnp.tril(jnp.ones((T, T), bool)), scores, -1e9)
    read = jnp.einsum("bhts,bshk->bthk", L.nn.softmax(scores), v)
    x = x + jnp.einsum("bthk,hkd->btd", read, w["out"])
    x = lax.with_sharding_constraint(x, over(GRID, "dp", None, None))
    return x + L.nn.gelu(x @ w["up"]) @ w["down"]


def loss(w: dict[str, Any], tokens: Any) -> Any:
    policy = L.checkpoint_policies.dots_with_no_batch_dims_saveable
    body = L.checkpoint(lambda x, each: (layer(x, each), None), policy=policy)
    each = {name: w[name] for name in ("qkv", "out", "up", "down")}
    x, _ = lax.scan(body, w["words"][tokens], each)
    logs = L.nn.log_softmax((x @ w["logits"])[:, :-1])
    return -jnp.mean(jnp.take_along_axis(logs, tokens[:, 1:, None], -1))


@program
def transformer() -> Any:
    @partial(L.jit, donate_argnums=(0, 1), out_shardings=(WHERE, WHERE, None))
    def step(w: Any, m: Any, tokens: Any) -> Any:
        value, g = L.value_and_grad(loss)(w, tokens)
        m = L.tree.map(lambda a, b: 0.9 * a + b, m, g)
        return L.tree.map(lambda a, b: a - 0.1 * b, w, m), m, value

    w, tokens = weights(), L.device_put(TOKENS, over(GRID, "dp"))
    m = L.jit(lambda w: L.tree.map(jnp.zeros_like, w), out_shardings=WHERE)(w)
    values = []
    for _ in range(3):
        w, m, value = step(w, m, tokens)
        values.append(value)
    return values, w


@program
def gradients() -> Any:
    return L.jit(L.grad(loss))(weights(), L.device_put(TOKENS, over(GRID, "dp")))


@program
def random_weights() -> Any:
    def init(key: Any) -> Any:
        keys = L.random.split(key, len(WEIGHTS))
        return {
            name: L.random.normal(each, x.shape)
            for each, (name, (x, _)) in zip(keys, WEIGHTS.items(), strict=True)
        }

    return L.jit(init, out_shardings=WHERE)(L.random.key(3))


# Functions of parts -----------------------------------------------------------------------------

mapped = partial(L.shard_map, mesh=ROW)


def varying(x: Any) -> Any:
    return lax.pcast(x, "e", to="varying")


@partial(mapped, in_specs=P("e"), out_specs=P("e"))
def ring(q: Any, k: Any, v: Any) -> Any:
    count = lax.axis_size("e")
    route = [(i, (i + 1) % count) for i in range(count)]

    def body(c: Any, _: Any) -> Any:
        k, v, m, total, out = c
        scores = q @ k.T
        new = jnp.maximum(m, scores.max(-1))
        p, a = jnp.exp(scores - new[:, None]), jnp.exp(m - new)
        k, v = (lax.ppermute(x, "e", route) for x in (k, v))
        return (k, v, new, total * a + p.sum(-1), out * a[:, None] + p @ v), None

    zeros = varying(jnp.zeros(q.shape[0]))
    start = k, v, zeros - jnp.inf, zeros, varying(jnp.zeros(q.shape))
    (_, _, _, total, out), _ = lax.scan(body, start, None, length=count)
    return out / total[:, None]


QKV = [normal(32, 8) for _ in range(3)]


@program
def attention() -> Any:
    pair = [np.stack([x, -x]) for x in QKV]
    backward = L.grad(lambda *x: (ring(*x) ** 2).sum(), (0, 1, 2))
    return L.jit(ring)(*QKV), L.jit(backward)(*QKV), L.jit(L.vmap(ring))(*pair)


@partial(mapped, in_specs=(P("e"), P()), out_specs=P())
def stages(w: Any, x: Any) -> Any:
    count, i = lax.axis_size("e"), lax.axis_index("e")

    def body(t: Any, c: Any) -> Any:
        state, outs = c
        y = jnp.tanh(jnp.where(i == 0, x[jnp.minimum(t, len(x) - 1)], state) @ w[0])
        k = t - (count - 1)
        outs = jnp.where((i == count - 1) & (k >= 0), outs.at[jnp.maximum(k, 0)].set(y), outs)
        return lax.ppermute(y, "e", [(j, j + 1) for j in range(count - 1)]), outs

    start = varying(jnp.zeros(x.shape[1:])), varying(jnp.zeros(x.shape))
    _, outs = lax.fori_loop(0, len(x) + count - 1, body, start)
    return lax.psum(jnp.where(i == count - 1, outs, 0), "e")


STAGES, BATCHES = normal(8, 4, 4) / 2, normal(4, 2, 4)


@program
def pipeline() -> Any:
    backward = L.grad(lambda w: (stages(w, BATCHES) ** 2).sum())
    return L.jit(stages)(STAGES, BATCHES), L.jit(backward)(STAGES)


@program
def products() -> Any:
    a, b = normal(8, 16), normal(16, 8)
    over_grid = partial(L.shard_map, mesh=GRID, in_specs=(P("dp", "tp"), P("tp", None)))
    summed = over_grid(lambda a, b: lax.psum(a @ b, "tp"), out_specs=P("dp"))
    scattered = over_grid(
        lambda a, b: lax.psum_scatter(a @ b, "tp", scatter_dimension=1, tiled=True),
        out_specs=P("dp", "tp"),
    )
    total = L.grad(lambda a, b: jnp.sum(jnp.tanh(summed(a, b))), (0, 1))
    return L.jit(summed)(a, b), L.jit(scattered)(a, b), L.jit(total)(a, b)


@program
def moved_elsewhere() -> Any:
    other = L.make_mesh((2, 2), ("a", "b"), devices=L.devices()[:4], axis_types=(AUTO,) * 2)
    full = np.asarray(weights()["up"])
    return L.make_array_from_callback(full.shape, over(other, None, "b", "a"), lambda i: full[i])


def axes_of(x: Any) -> str:
    spec = [*getattr(x.sharding, "spec", ())]
    each = [(e,) if isinstance(e, str) else tuple(e or ()) for e in spec]
    return str(each + [()] * (x.ndim - len(each)))


def main(path: str) -> None:
    found = {}
    for name, function in PROGRAMS.items():
        for i, x in enumerate(L.tree.leaves(function())):
            found[f"{name} {i} {axes_of(x)}"] = np.asarray(x)
    np.savez(path, **found)


main(sys.argv[2])
