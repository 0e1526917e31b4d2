"""Programs with functions of parts along some axes only, on eight devices; run by `test_devices`.

Each is compared with its meaning on whole arrays, which calls outside of `jit` compute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AxisType, Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P

MESH = Mesh(np.array(dt.devices()).reshape(4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


class Program(NamedTuple):
    """A function of parts along "x".

    Attributes:
      function: the function.
      in_specs: its arguments' parts.
      out_specs: its results'.
      shapes: the whole arguments.
      placed: how these are sharded.
    """

    function: Callable[..., Any]
    in_specs: tuple[P, ...]
    out_specs: Any
    shapes: tuple[tuple[int, ...], ...]
    placed: tuple[P, ...]


def attention(q: Any, k: Any, v: Any) -> Any:
    """Sequences in parts, passed on in a ring; the heads are divided by the compiler."""
    n = lax.axis_size("x")
    batch, length, heads, size = q.shape

    def body(carry: Any, _: Any) -> Any:
        k, v, highest, total, out = carry
        scores = dnp.einsum("bqhd,bkhd->bhqk", q, k)
        new = dnp.maximum(highest, scores.max(-1))
        weights, scale = dnp.exp(scores - new[..., None]), dnp.exp(highest - new)
        total = total * scale + weights.sum(-1)
        out = out * scale[..., None] + dnp.einsum("bhqk,bkhd->bhqd", weights, v)
        k, v = (lax.ppermute(each, "x", [(i, (i + 1) % n) for i in range(n)]) for each in (k, v))
        return (k, v, new, total, out), None

    start = dnp.full((batch, heads, length), -dnp.inf), dnp.zeros((batch, heads, length))
    zeros = dnp.zeros((batch, heads, length, size))
    carry = (k, v, *lax.pcast((*start, zeros), "x", to="varying"))
    (_, _, _, total, out), _ = lax.scan(body, carry, None, length=n)
    return (out / total[..., None]).transpose(0, 2, 1, 3)


def pipeline(w: Any, xs: Any) -> Any:
    """Stages along the axis; the weights of each are divided by the compiler."""
    count, stage, steps = lax.axis_size("x"), lax.axis_index("x"), len(xs)

    def body(carry: Any, t: Any) -> Any:
        held, outs = carry
        given = dnp.where(stage == 0, xs[dnp.clip(t, 0, steps - 1)], held)
        y = dnp.tanh(given @ w[0])
        is_out = (stage == count - 1) & (t >= count - 1)
        outs = dnp.where(is_out, outs.at[dnp.clip(t - count + 1, 0, steps - 1)].set(y), outs)
        return (lax.ppermute(y, "x", [(i, (i + 1) % count) for i in range(count)]), outs), None

    start = lax.pcast((dnp.zeros_like(xs[0]), dnp.zeros_like(xs)), "x", to="varying")
    (_, outs), _ = lax.scan(body, start, dnp.arange(steps + count - 1))
    return lax.psum(dnp.where(stage == count - 1, outs, 0), "x")


def matrices(a: Any) -> Any:
    s = dnp.einsum("bij,bkj->bik", a, a) + 3 * dnp.eye(4, dtype=a.dtype)
    return dnp.linalg.cholesky(s), dnp.linalg.solve(s, a), dnp.linalg.slogdet(s)[1]


def convolution(x: Any, kernel: Any) -> Any:
    y = lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return lax.reduce_window(y, -dnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def table(t: Any, x: Any) -> Any:
    i = dnp.asarray(dnp.abs(x[:, 0]) * 4, dnp.int32) % 8
    return t[i], dnp.zeros((4, 6), x.dtype).at[i % 4].add(t[i]), dt.ops.segment_sum(t[i], i % 3, 3)


@dt.checkpoint
def layer(x: Any, w: Any) -> Any:
    return dnp.tanh(x @ w)


def recomputed(x: Any, ws: Any) -> Any:
    out, means = lax.scan(lambda c, w: (layer(c, w), lax.pmean(dnp.sum(c), "x")), x, ws)
    return lax.psum(dnp.sum(out, 0), "x"), means


def ordered(x: Any) -> Any:
    parts = lax.all_gather(x, "x", tiled=True)
    return dnp.sort(x, 1), dnp.cumsum(x, 1), x[:, ::-1], lax.psum_scatter(parts, "x", tiled=True)


X, W = P("x"), P(None, "y")
PROGRAMS = {
    "attention": Program(
        attention, (P(None, "x"),) * 3, P(None, "x"), ((2, 8, 4, 6),) * 3, (P(None, "x", "y"),) * 3
    ),
    "pipeline": Program(pipeline, (X, P()), P(), ((4, 6, 6), (5, 3, 6)), (P("x", None, "y"), P())),
    "matrices": Program(matrices, (X,), X, ((8, 4, 4),), (P("x", "y"),)),
    "convolution": Program(
        convolution,
        (X, P()),
        X,
        ((8, 8, 8, 4), (3, 3, 4, 6)),
        (P("x", "y"), P(None, None, None, "y")),
    ),
    "table": Program(table, (P(), X), X, ((8, 6), (32, 2)), (P("y"), P(("x", "y")))),
    "recomputed": Program(recomputed, (X, P()), P(), ((8, 6), (4, 6, 6)), (X, P("y"))),
    "ordered": Program(ordered, (X,), X, ((16, 6),), (P("x", "y"),)),
}


@pytest.mark.parametrize("is_derived", [False, True], ids=["values", "gradients"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_mean_the_same_on_devices(name: str, is_derived: bool) -> None:
    program, rng = PROGRAMS[name], np.random.default_rng(0)
    values = [rng.normal(size=shape).astype(np.float32) for shape in program.shapes]
    arrays = [
        dt.device_put(x, NamedSharding(MESH, spec))
        for x, spec in zip(values, program.placed, strict=True)
    ]
    function: Any = dt.shard_map(
        program.function,
        mesh=MESH,
        in_specs=program.in_specs,
        out_specs=program.out_specs,
        axis_names={"x"},
    )
    if is_derived:
        mapped = function

        def total(*args: Any) -> Any:
            return sum(dnp.sum(dnp.sin(leaf)) for leaf in dt.tree.leaves(mapped(*args)))

        function = dt.grad(total, tuple(range(len(values))))
    expected = dt.tree.leaves(function(*values))
    results = dt.tree.leaves(dt.jit(function)(*arrays))
    for result, wanted in zip(results, expected, strict=True):
        scale = np.abs(np.asarray(wanted)).max()
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=2e-5 * max(1.0, float(scale)))
