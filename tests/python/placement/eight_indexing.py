"""Indexing of sharded arrays moves no more than it must; run by `test_devices`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AxisType, Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.breadth import IS_NIGHTLY

AXES = ("x", "y")
MESH = Mesh(np.array(dt.devices()).reshape(4, 2), AXES)
EXPLICIT = Mesh(MESH.devices, AXES, axis_types=(AxisType.Explicit,) * 2)
RNG = np.random.default_rng(0)
CACHE = RNG.normal(size=(8, 4, 16, 6)).astype(np.float32)
ROWS = RNG.normal(size=(8, 16)).astype(np.float32)
AT = RNG.integers(-16, 16, 8).astype(np.int32)


def put(x: Any, *spec: Any, mesh: Mesh = MESH) -> dt.Array:
    return dt.device_put(x, NamedSharding(mesh, P(*spec)))


def moved(f: Callable[..., Any], *arguments: Any) -> int:
    """The number of collectives of a program."""
    text = dt.jit(f).lower(*arguments).as_text("shard")
    return sum(text.count(f"dovetail.{name}") for name in ("all_", "reduce_scatter", "permute"))


def updated(cache: Any, new: Any, at: Any) -> Any:
    """One step of decoding: new keys, and those of the last four positions."""
    zero = dnp.int32(0)
    cache = lax.dynamic_update_slice(cache, new, (zero, zero, at, zero))
    return cache, lax.dynamic_slice(cache, (zero, zero, at, zero), (8, 4, 4, 6))


@pytest.mark.parametrize("spec", [("x", "y"), ("x",), (("x", "y"),), (None, "x", None, "y")])
def test_a_cache_is_updated_where_it_is(spec: Any) -> None:
    new = CACHE[:, :, :1] + 1
    given = put(CACHE, *spec), put(new, *spec), dnp.int32(5)
    assert moved(updated, *given) == 0
    cache, read = dt.jit(updated, donate_argnums=0)(*given)
    expected = CACHE.copy()
    expected[:, :, 5:6] = new
    np.testing.assert_array_equal(cache, expected)
    np.testing.assert_array_equal(read, expected[:, :, 5:9])
    assert tuple(cache.sharding.spec)[: len(spec)] == spec
    assert tuple(read.sharding.spec)[: len(spec)] == spec


def test_starts_of_whole_dimensions_are_clamped() -> None:
    f = dt.jit(lambda x, i: lax.dynamic_update_slice(x, x[:, :4] * 2, (i, i)))
    expected = ROWS.copy()
    expected[:, 3:7] = 2 * ROWS[:, :4]
    np.testing.assert_array_equal(f(put(ROWS, "x"), 3), expected)


BATCHES: dict[str, Callable[..., Any]] = {
    "along": lambda x, i: dnp.take_along_axis(x, i[:, None], 1),
    "promised": lambda x, i: dnp.take_along_axis(x, i[:, None], 1, mode="promise_in_bounds"),
    "put along": lambda x, i: dnp.put_along_axis(x, i[:, None], 3.0, 1, inplace=False),
    "element": dt.vmap(lambda x, i: x[i]),
    "set": dt.vmap(lambda x, i: x.at[i].set(x[0])),
    "add": dt.vmap(lambda x, i: x.at[i].add(2.0)),
    "slice": dt.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (3,))),
    "update": dt.vmap(lambda x, i: lax.dynamic_update_slice(x, x[:2] * 2, (i,))),
    "numbered": lambda x, i: x[dnp.arange(8), i],
    "numbered set": lambda x, i: x.at[dnp.arange(8), i].max(0.5),
    "derivative": lambda x, i: dt.grad(
        lambda x: dnp.sum(dnp.take_along_axis(dnp.sin(x), i[:, None], 1))
    )(x),
}


@pytest.mark.parametrize("name", BATCHES)
def test_elements_of_a_batch_stay_where_they_are(name: str) -> None:
    f = BATCHES[name]
    index = np.abs(AT) if name == "promised" else AT
    expected = np.asarray(dt.jit(f)(ROWS, index))
    for spec in ("x", ("y", "x")):
        operands = put(ROWS, spec), put(index, spec)
        constrained = dt.jit(f, out_shardings=NamedSharding(MESH, P(spec)))
        assert moved(constrained, *operands) == 0
        np.testing.assert_allclose(constrained(*operands), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32"])
def test_numbers_that_wrap_around_are_not_those_of_a_batch(dtype: str) -> None:
    x = RNG.normal(size=(200, 4)).astype(np.float32)
    column = RNG.integers(0, 4, 200).astype(np.int32)

    @dt.jit
    def f(x: Any, column: Any) -> Any:
        # Of int8, from 128 on they are negative, and count from the end.
        return x[lax.iota(dtype, 200), column]

    rows = np.arange(200).astype(dtype)
    assert moved(f, put(x, "x"), put(column, "x")) == 0 or dtype == "int8"
    np.testing.assert_array_equal(f(put(x, "x"), put(column, "x")), x[rows, column])


def test_types_over_explicit_axes() -> None:
    """What the shardings of a batch and of whole windows say of results."""
    x, i = put(ROWS, "x", mesh=EXPLICIT), put(AT, "x", mesh=EXPLICIT)
    with dt.set_mesh(EXPLICIT):
        for name in ("element", "set", "add", "slice", "update"):
            result = dt.jit(BATCHES[name])(x, i)
            assert next(iter(result.sharding.spec)) == "x", name
            np.testing.assert_allclose(result, dt.jit(BATCHES[name])(ROWS, AT), rtol=1e-6)


def test_the_gradient_of_a_table_is_a_sum_over_devices() -> None:
    tokens = RNG.integers(0, 16, (64, 32)).astype(np.int32)
    table = RNG.normal(size=(16, 4)).astype(np.float32)
    f = dt.grad(lambda t, i: dnp.sum(dnp.tanh(t[i])))
    operands = put(table), put(tokens, "x")
    text = dt.jit(f).lower(*operands).as_text("shard")
    assert "all_gather" not in text
    assert text.count("all_reduce_sum") == 1
    np.testing.assert_allclose(dt.jit(f)(*operands), dt.jit(f)(table, tokens), rtol=1e-4)


def test_what_is_added_to_counts_once() -> None:
    tokens = RNG.integers(0, 16, 4096).astype(np.int32)
    rows = RNG.normal(size=(4096, 4)).astype(np.float32)
    table = RNG.normal(size=(16, 4)).astype(np.float32)
    steps: list[Callable[..., Any]] = [
        lambda t, i, x: t.at[i].add(x),
        lambda t, i, x: t.at[i].max(x),
        lambda t, i, x: t.at[i].min(x),
        lambda t, i, x: t.at[i].set(x[0]),
        lambda t, i, x: t.at[i].multiply(dnp.sign(x)),
    ]
    for f, spec in itertools.product(steps, ("x", ("x", "y"))):
        result = dt.jit(f)(put(table), put(tokens, spec), put(rows, spec))
        np.testing.assert_allclose(result, dt.jit(f)(table, tokens, rows), rtol=1e-4, atol=1e-4)


SPECS = [None, "x", "y", ("x", "y"), ("y", "x")]


@st.composite
def sharded_calls(draw: st.DrawFn) -> tuple[str, tuple[int, int], list[Any]]:
    """A function, the shape of its array, which devices need not divide evenly, and the specs."""
    name = draw(st.sampled_from([name for name in BATCHES if "numbered" not in name]))
    shape = draw(st.integers(1, 11)), draw(st.integers(3, 9))
    first = draw(st.sampled_from(SPECS))
    others = [None] if first not in ("x", "y") else [None, "y" if first == "x" else "x"]
    second = draw(st.sampled_from(SPECS if first is None else others))
    return name, shape, [(first, second), (draw(st.sampled_from(SPECS)),)]


@settings(max_examples=200 if IS_NIGHTLY else 8, deadline=None, derandomize=not IS_NIGHTLY)
@given(sharded_calls())
def test_sharded_as_unsharded(call: tuple[str, tuple[int, int], list[Any]]) -> None:
    name, shape, specs = call
    rng = np.random.default_rng(1)
    x = rng.normal(size=shape).astype(np.float32)
    at = rng.integers(0 if name == "promised" else -shape[1], shape[1], shape[0]).astype(np.int32)
    sharded = tuple(NamedSharding(MESH, P(*spec)) for spec in specs)
    result = dt.jit(BATCHES[name], in_shardings=sharded)(x, at)
    np.testing.assert_allclose(result, dt.jit(BATCHES[name])(x, at), rtol=1e-5, atol=1e-6)
