"""Jitted functions of sharded arrays are partitioned over eight devices; run by `test_devices`."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.shards import Shards
from dovetail.sharding import AxisType, Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P

DEVICES = dt.devices()
GRID = Mesh(np.array(DEVICES).reshape(4, 2), ("data", "model"))
GRID_AUTO = Mesh(GRID.devices, GRID.axis_names, axis_types=(AxisType.Auto,) * 2)
LINE = Mesh(DEVICES, "i")
RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def put(x: Any, *spec: Any, mesh: Mesh = GRID) -> dt.Array:
    return dt.device_put(x, NamedSharding(mesh, P(*spec)))


def check(result: dt.Array, expected: Any, *spec: Any) -> None:
    """The values, and the sharding, of which each device has its part."""
    assert isinstance(result.sharding, NamedSharding)
    assert result.sharding.spec == P(*spec)
    for shard in result.addressable_shards:
        np.testing.assert_allclose(
            shard.data, np.asarray(expected)[shard.index], rtol=1e-4, atol=1e-5
        )


def test_shard_map_runs_on_the_devices() -> None:
    a, b = normal(8, 16), normal(16, 4)

    @dt.jit
    def product(a: Any, b: Any) -> Any:
        def part(a: Any, b: Any) -> Any:
            assert (a.shape, b.shape) == ((2, 8), (8, 4))
            return lax.psum(a @ b, "model")

        specs = (P("data", "model"), P("model", None))
        return dt.shard_map(part, mesh=GRID, in_specs=specs, out_specs=P("data"))(a, b)

    for _ in range(2):
        check(product(a, b), a @ b, "data")
    check(product(put(a, "data", "model"), put(b, "model")), a @ b, "data")
    # Moved first: sharded in another way.
    check(product(put(a, None, "data"), put(b)), a @ b, "data")


def test_results_of_shard_map_outside_of_jit_are_sharded() -> None:
    x = normal(8, 4)
    f = dt.shard_map(
        lambda x: (x + 1, lax.pmean(x, "data")),
        mesh=GRID,
        in_specs=P("data"),
        out_specs=(P("data"), P()),
    )
    first, second = f(x)
    check(first, x + 1, "data")
    check(second, x.reshape(4, 2, 4).mean(0))
    np.testing.assert_allclose(dt.grad(lambda x: dnp.sum(f(x)[0] ** 2))(x), 2 * (x + 1), 1e-5)


def test_shardings_follow_from_the_arguments() -> None:
    x, w, v = normal(64, 8), normal(8, 64), normal(64, 8)

    @dt.jit
    def block(x: Any, w: Any, v: Any) -> Any:
        return x + dnp.tanh(x @ w) @ v

    expected = x + np.tanh(x @ w) @ v
    given = put(x, "data"), put(w, None, "model"), put(v, "model")
    check(block(*given), expected, "data")
    # One all-reduce, as in the Megatron pattern.
    text = block.lower(*given).as_text("shard")
    assert text.count("all_reduce") == 1
    assert "all_gather" not in text
    # An argument that is on no devices in particular gets any sharding.
    check(block(given[0], w, v), expected, "data")
    assert not block(x, w, v).committed


def test_weights_that_are_sharded_over_the_data_axis_are_gathered() -> None:
    x, w = normal(64, 8), normal(8, 8)
    f = dt.jit(lambda x, w: dnp.tanh(x @ w))
    given = put(x, "data"), put(w, "data")
    check(f(*given), np.tanh(x @ w), "data")
    assert f.lower(*given).as_text("shard").count("all_gather") == 1


@pytest.mark.parametrize("spec", [*itertools.product([None, "data", "model"], repeat=2)])
def test_gradients(spec: tuple[Any, Any]) -> None:
    if spec[0] is not None and spec[0] == spec[1]:
        return

    def loss(w: Any, x: Any) -> Any:
        return dnp.mean((dnp.tanh(x @ w) - 1) ** 2)

    w, x = normal(4, 4), normal(8, 4)
    expected = dt.grad(loss)(w, x)
    result = dt.jit(dt.grad(loss))(put(w, *spec), put(x, "data"))
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-6)


def test_training_gives_the_losses_of_one_device() -> None:
    x, y = normal(32, 8), normal(32, 1)
    initial = {"in": normal(8, 16), "out": normal(16, 1)}

    def loss(params: Any, x: Any, y: Any) -> Any:
        return dnp.mean((dnp.tanh(x @ params["in"]) @ params["out"] - y) ** 2)

    @dt.jit
    def step(params: Any, x: Any, y: Any) -> Any:
        value, gradient = dt.value_and_grad(loss)(params, x, y)
        return dt.tree.map(lambda p, g: p - 0.1 * g, params, gradient), value

    def train(params: Any, x: Any, y: Any) -> list[float]:
        losses = []
        for _ in range(5):
            params, value = step(params, x, y)
            losses.append(float(value))
        return losses

    expected = train(initial, x, y)
    replicated = {name: put(value) for name, value in initial.items()}
    np.testing.assert_allclose(train(replicated, put(x, "data"), put(y, "data")), expected, 1e-5)
    tensor = {"in": put(initial["in"], None, "model"), "out": put(initial["out"], "model")}
    np.testing.assert_allclose(train(tensor, put(x, "data"), put(y, "data")), expected, 1e-5)
    sharded = {name: put(value, "data") for name, value in initial.items()}
    np.testing.assert_allclose(train(sharded, put(x, "data"), put(y, "data")), expected, 1e-5)


def test_loops_compute_on_every_device() -> None:
    x = normal(8)

    @dt.jit
    def many(x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda _, x: dnp.sin(x), x * 2)

    np.testing.assert_allclose(many(put(x, "data")), np.sin(np.sin(np.sin(2 * x))), rtol=1e-5)


def test_sizes_that_do_not_divide_are_not_sharded() -> None:
    x = normal(10, 3)
    result = dt.jit(lambda x: dnp.cumsum(x * 2, axis=0))(put(x, "data"))
    np.testing.assert_allclose(result, np.cumsum(x * 2, 0), rtol=1e-5)


def test_random_numbers_are_those_of_one_device() -> None:
    key = dt.random.key(3)
    f = dt.jit(lambda key, x: x + dt.random.normal(key, x.shape))
    x = normal(8, 4)
    np.testing.assert_array_equal(f(key, put(x, "data", "model")), f(key, x))


def test_pmap_gives_sharded_results() -> None:
    x = normal(8, 3)
    result = dt.pmap(lambda x: x / lax.psum(dnp.sum(x), "i"), axis_name="i")(x)
    assert isinstance(result._data, Shards)
    np.testing.assert_allclose(result, x / x.sum(), rtol=1e-4)


def test_captured_arrays_and_donated_arguments() -> None:
    weights = put(normal(4, 4), None, "model")
    f = dt.jit(lambda x: x @ weights, donate_argnums=0)
    value = normal(8, 4)
    x = put(value, "data")
    check(f(x), value @ np.asarray(weights), "data", "model")
    assert x.is_deleted()


def test_effects_run_once_on_whole_arrays() -> None:
    seen = []

    @dt.jit
    def f(x: Any) -> Any:
        dt.debug.callback(lambda value: seen.append(np.asarray(value)), x)
        return x + 1

    x = normal(8)
    np.testing.assert_allclose(f(put(x, "data")), x + 1)
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0], x)


def test_callbacks_without_effects_run_on_whole_arrays() -> None:
    x = normal(8)

    def double(v: Any) -> Any:
        return dt.pure_callback(
            lambda a: np.asarray(a) * 2,
            dt.ShapeDtypeStruct(v.shape, v.dtype),
            v,
            vmap_method="sequential",
        )

    np.testing.assert_allclose(dt.jit(lambda v: double(v) + 1)(put(x, "data")), 2 * x + 1, 1e-6)
    parts = dt.shard_map(double, mesh=LINE, in_specs=P("i"), out_specs=P("i"))
    np.testing.assert_allclose(dt.jit(parts)(x), 2 * x, 1e-6)
    np.testing.assert_allclose(dt.pmap(double)(x), 2 * x, 1e-6)


def test_a_program_is_made_for_each_sharding() -> None:
    f = dt.jit(lambda x: dnp.sum(x, axis=1))
    x = normal(8, 8)
    check(f(put(x, "data")), x.sum(1), "data")
    check(f(put(x, None, "data")), x.sum(1))
    check(f(put(x, "i", mesh=LINE)), x.sum(1), "i")


def test_constraints_within_programs() -> None:
    x = normal(8, 4)

    @dt.jit
    def f(x: Any) -> Any:
        y = lax.with_sharding_constraint(dnp.sin(x), NamedSharding(GRID, P(None, "data")))
        return y, y * 2

    for given in (x, put(x, "data"), put(x)):
        first, second = f(given)
        check(first, np.sin(x), None, "data")
        check(second, 2 * np.sin(x), None, "data")

    def total(x: Any) -> Any:
        sharding = NamedSharding(GRID, P("data"))
        return dnp.sum(lax.with_sharding_constraint(x, sharding) ** 2)

    check(dt.jit(dt.grad(total))(x), 2 * x, "data")
    both = dt.jit(dt.vmap(total))(x)
    np.testing.assert_allclose(both, (x**2).sum(1), rtol=1e-5)


def test_dimensions_without_a_constraint() -> None:
    x = normal(8, 4)

    @dt.jit
    def f(x: Any) -> Any:
        sharding = NamedSharding(GRID_AUTO, P(P.UNCONSTRAINED, "model"))
        return lax.with_sharding_constraint(x, sharding)

    check(f(put(x, "data", mesh=GRID_AUTO)), x, "data", "model")


def test_shardings_of_arguments_and_results_are_stated() -> None:
    x = normal(8, 4)
    rows, columns = NamedSharding(GRID, P("data")), NamedSharding(GRID, P(None, "model"))
    f = dt.jit(lambda x, y: (x + y["a"], x), in_shardings=(rows, None), out_shardings=columns)
    for given in (x, put(x, "data")):
        first, second = f(given, {"a": x})
        check(first, 2 * x, None, "model")
        check(second, x, None, "model")
    with pytest.raises(ValueError, match="does not match the sharding on the respective arg"):
        f(put(x, None, "data"), {"a": x})
    with pytest.raises(ValueError, match="no keyword arguments"):
        f(x, y={"a": x})
    with pytest.raises(ValueError, match="should be divisible by 4, but it is equal to 10"):
        dt.jit(lambda x: x, out_shardings=rows)(normal(10))
    # Static arguments have no entry.
    power = dt.jit(lambda x, n: x**n, static_argnums=1, in_shardings=(rows,))
    check(power(x, 2), x**2, "data")
    # Within another program it is a constraint.
    outer = dt.jit(lambda x: f(x * 2, {"a": x})[0] * 3)
    check(outer(x), 9 * x, None, "model")
    only = dt.jit(lambda x: {"a": x, "b": -x}, out_shardings={"a": rows, "b": None})(x)
    check(only["a"], x, "data")


FUNCTIONS = [
    lambda x: dnp.linalg.cholesky(x @ x.T + 8 * np.eye(8, dtype=np.float32)),
    lambda x: dnp.linalg.svd(x)[1],
    lambda x: dnp.sort(x, 0),
    dnp.fft.fft,
    lambda x: dnp.any(x > 0, axis=0),
    lambda x: dnp.argmax(x, axis=0),
    lambda x: x[np.array([1, 5, 2])],
    lambda x: x.at[np.array([1, 5, 2])].add(1.0),
    lambda x: lax.scan(lambda c, row: (c + row, c * row), x[0], x)[1],
    lambda x: lax.while_loop(lambda c: dnp.sum(c) < 1e3, lambda c: c * 2 + 1, abs(x)),
    lambda x: lax.cond(x[0, 0] > 0, dnp.sin, dnp.cos, x),
]


@pytest.mark.parametrize("spec", [("data",), (None, "model"), ("model", "data")], ids=str)
def test_any_function_of_a_sharded_array(spec: tuple[str | None, ...]) -> None:
    """All in one program."""
    x, empty = dnp.asarray(normal(8, 8)), np.zeros((0, 4), np.float32)
    results = dt.jit(lambda x: [function(x) for function in FUNCTIONS])(put(x, *spec))
    for number, (function, result) in enumerate(zip(FUNCTIONS, results, strict=True)):
        np.testing.assert_allclose(result, function(x), 1e-4, 1e-4, err_msg=f"function {number}")
    np.testing.assert_array_equal(dt.jit(lambda x: x + 1)(put(empty, *spec)), empty)


def test_a_program_without_results() -> None:
    assert dt.jit(lambda x: ())(put(normal(8), "data")) == ()


def test_threads_call_one_program() -> None:
    x = normal(8, 8)
    f = dt.jit(lambda x: dnp.sum(dnp.sin(x @ x)))
    given, expected = put(x, "data", "model"), float(np.sin(x @ x).sum())
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: float(f(given)), range(40)))
    np.testing.assert_allclose(results, [expected] * 40, rtol=1e-3, atol=1e-3)
