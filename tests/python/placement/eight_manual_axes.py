"""Functions of parts along some axes are divided over the others; run by `test_devices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import TransformError
from dovetail.experimental import io_callback
from dovetail.experimental.custom_partitioning import custom_partitioning
from dovetail.sharding import AxisType, Mesh, NamedSharding, get_abstract_mesh
from dovetail.sharding import PartitionSpec as P
from support.parts_check import check

GRID = Mesh(np.array(dt.devices()).reshape(4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
CUBE = Mesh(
    np.array(dt.devices()).reshape(2, 2, 2), ("a", "b", "c"), axis_types=(AxisType.Auto,) * 3
)
EXPLICIT = Mesh(GRID.devices, GRID.axis_names, axis_types=(AxisType.Explicit,) * 2)
RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(8, 6)).astype(np.float32), RNG.normal(size=(6, 6)).astype(np.float32)


def put(x: Any, *spec: Any, mesh: Mesh = GRID) -> dt.Array:
    return dt.device_put(x, NamedSharding(mesh, P(*spec)))


def over_x(f: Callable[..., Any], *in_specs: P, out: Any, **options: Any) -> Any:
    return dt.shard_map(f, mesh=GRID, in_specs=in_specs, out_specs=out, axis_names={"x"}, **options)


def layers(x: Any, w: Any) -> Any:
    """Two products, of which one device computes a part along both axes."""
    hidden = dnp.tanh(x @ w)
    return lax.psum(dnp.sum(hidden @ w.T, 0), "x")


def whole_layers(x: Any, w: Any) -> Any:
    return dnp.sum(dnp.tanh(x @ w) @ w.T, 0)


LAYERS = over_x(layers, P("x"), P(), out=P())


def test_weights_stay_divided() -> None:
    x, w = put(X, "x"), put(W, None, "y")
    text = dt.jit(LAYERS).lower(x, w).as_text("shard")
    assert "all_gather" not in text
    assert text.count("all_reduce_sum") == 2
    check(dt.jit(LAYERS)(x, w), whole_layers(X, W))


@pytest.mark.parametrize("is_checked", [True, False])
def test_derivatives(is_checked: bool) -> None:
    mapped = over_x(layers, P("x"), P(), out=P(), check_vma=is_checked)

    def grads(f: Any) -> Any:
        return dt.jit(dt.grad(lambda x, w: dnp.sum(f(x, w) ** 2), (0, 1)))

    x, w = put(X, "x"), put(W, None, "y")
    lowered = grads(mapped).lower(x, w).as_text("shard")
    assert "all_gather" not in lowered
    expected = grads(whole_layers)(X, W)
    dx, dw = grads(mapped)(x, w)
    check(dx, expected[0], "x")
    check(dw, expected[1], None, "y")


def test_an_argument_takes_the_memory_of_its_part() -> None:
    f = dt.jit(over_x(lambda x: dnp.tanh(x) * lax.axis_index("x"), P("x"), out=P("x")))
    x = put(np.ones((512, 512), np.float32), "x", "y")
    stats = f.lower(x).compile().memory_analysis()
    assert stats.argument_size_in_bytes == stats.output_size_in_bytes == 512 * 512 * 4 // 8
    check(f(x), np.tanh(1.0) * np.repeat(np.arange(4.0), 128)[:, None] * np.ones(512), "x", "y")


def test_constraints_within() -> None:
    def f(x: Any) -> Any:
        y = lax.with_sharding_constraint(dnp.sin(x), P(None, "y"))
        return y, lax.with_sharding_constraint(y, NamedSharding(get_abstract_mesh(), P("y")))

    with dt.set_mesh(GRID):
        mapped = dt.jit(dt.shard_map(f, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}))
        a, b = mapped(put(X, "x"))
    check(a, np.sin(X), "x", "y")
    check(b, np.sin(X), ("x", "y"))


def test_what_is_wanted_of_results_divides_the_function() -> None:
    f = over_x(dnp.tanh, P("x"), out=P("x"))
    jitted = dt.jit(f, out_shardings=NamedSharding(GRID, P("x", "y")))
    assert "tensor<2x3xf32>" in jitted.lower(put(X, "x")).as_text("shard")
    check(jitted(X), np.tanh(X), "x", "y")


def test_batches_and_loops() -> None:
    def step(c: Any, w: Any) -> Any:
        return dnp.tanh(lax.ppermute(c, "x", [(i, (i + 1) % 4) for i in range(4)]) @ w)

    one = over_x(step, P("x"), P(), out=P("x"))
    ws = RNG.normal(size=(3, 6, 6)).astype(np.float32)

    def expected_step(c: Any, w: Any) -> Any:
        return np.tanh(np.roll(c, 2, 0) @ w)

    def whole_scan(c: Any) -> Any:
        for w in ws:
            c = expected_step(c, w)
        return c

    scanned = dt.jit(lambda c, ws: lax.scan(lambda c, w: (one(c, w), None), c, ws)[0])
    check(scanned(put(X, "x"), put(ws, None, None, "y")), whole_scan(X), "x", "y")
    inside = over_x(
        lambda c, ws: lax.scan(lambda c, w: (step(c, w), None), c, ws)[0],
        P("x"),
        P(),
        out=P("x"),
    )
    check(dt.jit(inside)(put(X, "x"), put(ws, None, None, "y")), whole_scan(X), "x", "y")
    xs = RNG.normal(size=(4, 8, 6)).astype(np.float32)
    batched = dt.jit(dt.vmap(one, in_axes=(0, None)))
    expected = np.stack([expected_step(x, W) for x in xs])
    check(batched(put(xs, "y", "x"), W), expected, "y", "x")


def test_branches_and_loops_that_differ_between_devices() -> None:
    def f(x: Any) -> Any:
        is_even = lax.axis_index("x") % 2 == 0
        branch = lax.cond(is_even, lambda v: dnp.sum(v @ v.T, 1), lambda v: dnp.sum(v, 1), x)

        def body(state: Any) -> Any:
            count, v = state
            return count + 1, dnp.tanh(v @ dnp.sum(v, 0))[:, None] * v

        count = lax.axis_index("x") + 1
        return branch, lax.while_loop(lambda s: s[0] < count, body, (0, x))[1]

    mapped = dt.jit(over_x(f, P("x"), out=P("x"), check_vma=False))
    branches, loops = mapped(put(X, "x", "y"))
    expected = []
    for i, part in enumerate(np.split(X, 4)):
        branch = np.sum(part @ part.T, 1) if i % 2 == 0 else np.sum(part, 1)
        for _ in range(i + 1):
            part = np.tanh(part @ np.sum(part, 0))[:, None] * part
        expected.append((branch, part))
    check(branches, np.concatenate([branch for branch, _ in expected]), "x")
    check(loops, np.concatenate([part for _, part in expected]), "x", "y")


def test_functions_within_functions() -> None:
    def inner(x: Any) -> Any:
        return lax.psum(x, "b") * (1 + lax.axis_index("a"))

    def outer(x: Any) -> Any:
        rows = dt.shard_map(inner, in_specs=P(None, "b"), out_specs=P(), axis_names={"b"})(x)
        return dnp.sin(rows)

    with dt.set_mesh(CUBE):
        f = dt.jit(dt.shard_map(outer, in_specs=P("a"), out_specs=P("a"), axis_names={"a"}))
        x = put(np.arange(64.0, dtype=np.float32).reshape(4, 4, 4), "a", "b", "c", mesh=CUBE)
        # Its parts along the third axis are nowhere gathered.
        assert "all_gather" not in f.lower(x).as_text("shard")
        whole = np.asarray(x)
        sums = whole[:, :2] + whole[:, 2:]
        check(f(x), np.sin(sums * np.repeat([1, 2], 2)[:, None, None]), "a", None, "c")


def test_one_function_applied_to_several_arrays() -> None:
    f = over_x(lambda x: dnp.tanh(x) + lax.psum(x, "x"), P("x"), out=P("x"))
    a, b = dt.jit(lambda x, y: (f(x), f(y)))(put(X, "x", "y"), put(X, "x"))
    expected = np.tanh(X) + np.tile(X.reshape(4, 2, 6).sum(0), (4, 1))
    check(a, expected, "x", "y")
    check(b, expected, "x")


@pytest.mark.parametrize("axis", ["y", "x"])
def test_rules_for_the_partition_are_asked_within(axis: str) -> None:
    seen = []

    def partition(mesh: Any, args: Any, result: Any) -> Any:
        chosen = NamedSharding(mesh, P(None, axis))
        seen.append((args[0].shape, args[0].sharding.spec, result.sharding.spec))
        return mesh, lambda part: dnp.tanh(part), chosen, (chosen,)

    rule = custom_partitioning(dnp.tanh)
    rule.def_partition(partition, sharding_rule="i j -> i j")
    f = dt.jit(over_x(lambda x: rule(x) * lax.psum(1, "x"), P("x"), out=P("x")))
    if axis == "x":
        with pytest.raises(TransformError, match=r"over the automatic axes only, got: .*\"x\""):
            f.lower(put(X, "x", "y")).compile()
        return
    check(f.lower(put(X, "x", "y")).compile()(put(X, "x", "y")), np.tanh(X) * 4, "x", "y")
    assert seen == [((2, 6), P(None, "y"), P(None, "y"))]


def test_parts_of_sizes_that_do_not_divide() -> None:
    """A part of three rows is not divided over two devices; seven columns are, with padding."""
    rows = RNG.normal(size=(12, 7)).astype(np.float32)

    def f(x: Any) -> Any:
        x = lax.with_sharding_constraint(x, P("y", None))
        return x - dnp.max(x, 0, keepdims=True), lax.with_sharding_constraint(x, P(None, "y")) * 2

    with dt.set_mesh(GRID):
        mapped = dt.shard_map(f, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
        a, b = dt.jit(mapped)(put(rows, "x"))
    blocks = rows.reshape(4, 3, 7)
    check(a, (blocks - blocks.max(1, keepdims=True)).reshape(12, 7), "x")
    np.testing.assert_array_equal(b, rows * 2)


@pytest.mark.parametrize("axes", [{"x"}, {"x", "y"}], ids=str)
def test_the_host_is_called_for_each_part_along_the_manual_axes(axes: set[str]) -> None:
    """Along the other axes, once with what is whole there, as JAX calls functions for debugging."""
    seen = []

    def f(x: Any) -> Any:
        i = lax.axis_index("x")
        dt.debug.callback(lambda i, x: seen.append((int(i), np.array(x))), i, x)
        same = dt.pure_callback(lambda x: 2 * x, dt.ShapeDtypeStruct(x.shape, x.dtype), x)
        return lax.cond(i > 1, lambda: same, lambda: -same)

    mapped = dt.shard_map(f, mesh=GRID, in_specs=P("x"), out_specs=P("x"), axis_names=axes)
    given = put(X, "x", "y")
    for way in (mapped, dt.jit(mapped)):
        seen.clear()
        result = way(given)
        dt.effects_barrier()
        np.testing.assert_array_equal(result, 2 * X * np.repeat([-1, 1], 4)[:, None])
        copies = 1 if axes == {"x"} else 2
        assert sorted(i for i, _ in seen) == sorted([*range(4)] * copies)
        for i, part in seen:
            np.testing.assert_array_equal(part, X[2 * i : 2 * i + 2])


@pytest.mark.parametrize("axes", [{"x"}, {"x", "y"}], ids=str)
def test_ordered_calls_have_the_order_of_each_device(axes: set[str]) -> None:
    seen: list[tuple[int, ...]] = []

    def f(x: Any) -> Any:
        def step(k: Any, x: Any) -> Any:
            at = [lax.axis_index(a) if a in axes else 0 for a in ("x", "y")]
            io_callback(lambda *a: seen.append(tuple(map(int, a))), None, *at, k, ordered=True)
            return dnp.tanh(x)

        return lax.fori_loop(0, 3, step, x)

    mapped = dt.shard_map(f, mesh=GRID, in_specs=P("x"), out_specs=P("x"), axis_names=axes)
    for jitted in (dt.jit(mapped), dt.jit(mapped, compile="never")):
        seen.clear()
        check(jitted(put(X, "x")), np.tanh(np.tanh(np.tanh(X))), "x")
        dt.effects_barrier()
        devices = {at[:2] for at in seen}
        assert len(devices) == 4 * (2 if "y" in axes else 1)
        for device in devices:
            assert [k for *at, k in seen if tuple(at) == device] == [0, 1, 2]


def test_over_explicit_axes() -> None:
    def f(x: Any, w: Any) -> Any:
        assert dt.typeof(x).sharding.spec == P(None, None)
        assert dt.typeof(w).sharding.spec == P(None, "y")
        return dnp.tanh(x @ w)

    with dt.set_mesh(EXPLICIT):
        mapped = dt.shard_map(f, in_specs=(P("x"), P()), out_specs=P("x"), axis_names={"x"})
        x, w = put(X, "x", mesh=EXPLICIT), put(W, None, "y", mesh=EXPLICIT)
        assert "all_gather" not in dt.jit(mapped).lower(x, w).as_text("shard")
        for result in (dt.jit(mapped)(x, w), mapped(x, w)):
            check(result, np.tanh(X @ W), "x", "y")


def test_outside_of_jit_results_are_divided_as_the_arguments_say() -> None:
    check(LAYERS(put(X, "x"), put(W, "y")), whole_layers(X, W), "y")
    f = over_x(lambda x: x * 2, P("x"), out=P("x"))
    check(f(put(X, "x", "y")), X * 2, "x", "y")
    check(f(X), X * 2, "x")
