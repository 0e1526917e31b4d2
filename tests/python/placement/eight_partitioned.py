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
from dovetail.errors import TransformError
from dovetail.experimental import io_callback
from dovetail.programs import jitted
from dovetail.programs.partitions import PartitionedExecutable
from dovetail.runtime import get_device
from dovetail.runtime.communicator import CollectiveError
from dovetail.sharding import AxisType, Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.parts_check import check

DEVICES = dt.devices()
GRID = Mesh(np.array(DEVICES).reshape(4, 2), ("data", "model"))
GRID_AUTO = Mesh(GRID.devices, GRID.axis_names, axis_types=(AxisType.Auto,) * 2)
LINE = Mesh(DEVICES, "i")
RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def put(x: Any, *spec: Any, mesh: Mesh = GRID) -> dt.Array:
    return dt.device_put(x, NamedSharding(mesh, P(*spec)))


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


def test_loops_compute_on_parts() -> None:
    x, w = normal(8, 4), normal(3, 4, 4)

    @dt.jit
    def many(x: Any, w: Any) -> Any:
        return lax.scan(lambda x, w: (dnp.tanh(x @ w), dnp.sum(x, 1)), x * 2, w)

    whole = many(x, w)
    last, sums = many(put(x, "data"), put(w, None, "model"))
    check(last, whole[0], "data", "model")
    check(sums, whole[1], None, "data")
    # What an iteration needs is exchanged in it, not before.
    text = many.lower(put(x, "data"), put(w, None, "model")).as_text("shard")
    assert text.index("dovetail.scan") < text.index("dovetail.all_")


def test_gradients_that_loops_add_up_are_summed_over_devices_once() -> None:
    x, w, u = normal(6, 16, 4), normal(4, 4), normal(4, 4) / 4

    def recurrent(w: Any, u: Any, x: Any) -> Any:
        state = lax.scan(lambda h, x: (dnp.tanh(x @ w + h @ u), None), dnp.zeros((16, 4)), x)[0]
        return dnp.sum(state**2)

    def accumulated(w: Any, u: Any, x: Any) -> Any:
        def step(sums: Any, x: Any) -> Any:
            gradient = dt.grad(lambda w: dnp.sum(dnp.tanh(x @ w @ u) ** 2))(w)
            return sums + gradient, None

        return (lax.scan(step, dnp.zeros_like(w), x)[0],)

    for f in (dt.grad(recurrent, (0, 1)), accumulated):
        given = put(w), put(u), put(x, None, "data")
        for result, expected in zip(dt.jit(f)(*given), f(w, u, x), strict=True):
            check(result, expected)
        text = dt.jit(f).lower(*given).as_text("shard")
        assert "all_reduce" in text.split("dovetail.scan")[-1].split("\n    }")[-1]
        assert "all_reduce" not in text[: text.rindex("\n    }")]


def test_gradients_of_dynamic_loops() -> None:
    def total(x: Any) -> Any:
        return dnp.sum(lax.while_loop(lambda x: dnp.sum(x**2) < 100, lambda x: x * 1.5, x) ** 2)

    x = normal(8, 2)
    result = dt.jit(dt.grad(total))(put(x, "data"))
    check(result, dt.grad(total)(x), "data")


@pytest.mark.parametrize(
    "spec", [("data",), (None, "data"), ("model", "data"), (("data", "model"),)]
)
def test_sizes_that_do_not_divide(spec: tuple[Any, ...]) -> None:
    x, w = normal(10, 7), normal(7, 3)

    def f(x: Any, w: Any) -> Any:
        return dnp.tanh(x @ w), dnp.max(x, 0), dnp.mean(x, 1), dnp.cumsum(x * 2, 0), x[::-1] / x

    expected = f(x, w)
    given = put(x, *spec)
    for result, value in zip(dt.jit(f)(given, w), expected, strict=True):
        assert isinstance(result.sharding, NamedSharding)
        check(result, value, *result.sharding.spec)
    first = dt.jit(f)(given, w)[0]
    assert first.sharding.spec == (P() if spec[0] is None else P(spec[0]))
    # Results are arguments.
    again = dt.jit(lambda x: dnp.sum(x, 0))(first)
    np.testing.assert_allclose(again, np.asarray(expected[0]).sum(0), rtol=1e-4)


def test_heads_of_attention_are_divided() -> None:
    x, w = normal(8, 6, 16), normal(16, 32)

    @dt.jit
    def heads(x: Any, w: Any) -> Any:
        q = (x @ w).reshape(8, 6, 4, 8).transpose(0, 2, 1, 3)
        return dnp.sum(q * q, -1).transpose(0, 2, 1).reshape(8, 24)

    given = put(x, "data"), put(w, None, "model")
    result = heads(*given)
    assert "all_gather" not in heads.lower(*given).as_text("shard").split("reduce_sum")[0]
    np.testing.assert_allclose(result, heads(x, w), rtol=1e-4)


def test_random_numbers_are_those_of_one_device() -> None:
    key = dt.random.key(3)
    f = dt.jit(lambda key, x: x + dt.random.normal(key, x.shape))
    x = normal(8, 4)
    given = put(x, "data", "model")
    np.testing.assert_array_equal(f(key, given), f(key, x))
    # Each device makes its own.
    text = f.lower(key, given).as_text("shard")
    assert "tensor<2x2xui32>" in text
    assert "tensor<8x4x" not in text


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


def test_donated_memory_is_reused() -> None:
    f = dt.jit(lambda x: x * 2 + 1, donate_argnums=0)
    value = normal(1024, 256)
    allocator = get_device("local-sync:3").hal.allocator
    x = f(put(value, "data"))
    before = allocator.statistics["device_bytes_allocated"]
    x = f(x)
    assert allocator.statistics["device_bytes_allocated"] - before < value.nbytes // 8
    check(x, 4 * value + 3, "data")
    # Not if others have it.
    part = x.addressable_shards[3].data
    kept = np.array(part)
    check(f(x), 8 * value + 7, "data")
    np.testing.assert_array_equal(part, kept)


def test_memory_is_that_of_one_device() -> None:
    x, w = put(normal(64, 32), "data"), put(normal(32, 16), None, "model")
    stats = dt.jit(lambda x, w: x @ w).lower(x, w).compile().memory_analysis()
    assert stats.argument_size_in_bytes == 4 * (16 * 32 + 32 * 8)
    assert stats.output_size_in_bytes == 4 * 16 * 8


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


def test_the_host_is_called_once_with_whole_arrays() -> None:
    x, seen = normal(16, 4), []

    def scaled(a: Any, b: Any) -> Any:
        seen.append((np.array(a), np.array(b)))
        return a * 2, np.full(a.shape[0], b)

    @dt.jit
    def f(x: Any) -> Any:
        y = x + 1
        types = dt.ShapeDtypeStruct(y.shape, y.dtype), dt.ShapeDtypeStruct((16,), dnp.float32)
        doubled, sums = io_callback(scaled, types, y, dnp.sum(y))
        total = lax.fori_loop(0, 3, lambda i, c: c + counted(i), 0.0)
        return doubled + dnp.tanh(x), sums, total

    def counted(i: Any) -> Any:
        return dt.pure_callback(np.float32, dt.ShapeDtypeStruct((), dnp.float32), i)

    given = put(x, "data", "model")
    assert "all_gather" in f.lower(given).as_text("shard")
    for count in (1, 2):
        doubled, sums, total = f(given)
        check(doubled, 2 * (x + 1) + np.tanh(x), "data", "model")
        np.testing.assert_allclose(sums, np.full(16, (x + 1).sum()), 1e-5)
        assert float(total) == 3
        assert len(seen) == count
        np.testing.assert_allclose(seen[-1][0], x + 1, 1e-6)


def test_each_device_calls_the_host_with_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    x, seen = normal(16), []

    def part(x: Any) -> Any:
        io_callback(lambda: seen.append(None), None)
        dt.debug.print("sum {}", dnp.round(lax.psum(x, "i")).astype(int)[0])
        return x + dt.pure_callback(lambda a: a * 2, dt.ShapeDtypeStruct(x.shape, x.dtype), x)

    f = dt.shard_map(part, mesh=LINE, in_specs=P("i"), out_specs=P("i"))
    ways = (f, dt.jit(f), dt.jit(f, compile="never"), lambda x: dt.pmap(part, "i")(x.reshape(8, 2)))
    for way in ways:
        seen.clear()
        np.testing.assert_allclose(np.reshape(way(x), 16), 3 * x, 1e-6)
        assert len(seen) == 8
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 8
        assert len(set(lines)) == 1


@pytest.mark.parametrize("number", [0, 5])
def test_errors_of_the_host_reach_the_caller(number: int) -> None:
    class Odd(Exception):
        pass

    def fail(number_here: Any, x: Any) -> Any:
        if number_here == number:
            raise Odd("no")
        return x

    def part(x: Any) -> Any:
        shape = dt.ShapeDtypeStruct(x.shape, x.dtype)
        return lax.psum(dt.pure_callback(fail, shape, lax.axis_index("i"), x), "i")

    f = dt.jit(dt.shard_map(part, mesh=LINE, in_specs=P("i"), out_specs=P()))
    with pytest.raises(Odd, match="no"):
        f(normal(16))

    @dt.jit
    def whole(x: Any) -> Any:
        return dt.pure_callback(fail, dt.ShapeDtypeStruct(x.shape, x.dtype), number, x) + 1

    with pytest.raises(Odd, match="no"):
        whole(put(normal(16), "data"))


def test_functions_without_effects_are_called() -> None:
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
    with pytest.raises(ValueError, match="does not support kwargs when in_shardings is specified"):
        f(x, y={"a": x})
    with pytest.raises(
        ValueError, match="axis 0 is partitioned 4 times, but the dimension size is 10"
    ):
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


def test_what_is_not_computed_in_parts_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    x = put(normal(8, 4), "data", "model")

    def lines(function: Any) -> list[str]:
        caplog.clear()
        with dt.explain_sharding(True):
            np.testing.assert_allclose(dt.jit(function)(x), function(np.asarray(x)), rtol=1e-6)
        return [record.getMessage() for record in caplog.records]

    def sorted_rows(x: Any) -> Any:
        return dnp.sort(dnp.tanh(x), 1)

    (line,) = lines(sorted_rows)
    assert line.startswith(
        "`sorted_rows`: every device computes `sort` on the whole of dimension 1 of operand 0, "
        f"which is sharded over 'model': the op has no rule for parts along it, at {__file__}:"
    )
    assert lines(dnp.tanh) == []

    def over_both(x: Any) -> Any:
        y = dt.shard_map(dnp.tanh, mesh=GRID, in_specs=P("data"), out_specs=P("data"))(x)
        return dt.shard_map(dnp.tanh, mesh=LINE, in_specs=P("i"), out_specs=P("i"))(y)

    line, *_ = lines(over_both)
    assert line.startswith("`over_both`: the program runs on one device instead of 8: it has an op")


def test_calls_make_no_names_of_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are for messages; to make one takes as long as there are arguments."""
    spec = NamedSharding(GRID, P("data"))
    f = dt.jit(lambda n, xs: [x * n for x in xs], static_argnums=0, in_shardings=(spec,))
    xs = [put(normal(4, 2), "data") for _ in range(3)]
    f(2, xs)
    with monkeypatch.context() as patched:
        patched.setattr(jitted, "LeafNames", None)
        np.testing.assert_allclose(f(2, xs)[2], 2 * np.asarray(xs[2]))
    with pytest.raises(ValueError, match=r"arg shape: float32\[4,2\], `xs\[1\]` of"):
        f(2, [xs[0], put(normal(4, 2), None, "model"), xs[2]])


def test_repeated_calls_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """If arguments are where the program needs them, calls run nothing but `partitioned_calls`."""
    table = normal(16, 4)
    f = dt.jit(lambda x, y: {"sum": x * 2 + y @ table, "total": dnp.sum(x)})
    x, y = put(normal(8, 4), "data"), put(normal(8, 16), "data", "model")
    # An equal sharding over another mesh object, and what another program returned.
    again = Mesh(GRID.devices, GRID.axis_names)
    other = dt.device_put(np.asarray(x), NamedSharding(again, P("data")))
    returned = dt.jit(lambda x: x + 0)(x)
    results = [f(each, y) for each in (x, other, returned)]
    monkeypatch.setattr(PartitionedExecutable, "__call__", None)
    results += [f(each, y) for each in (x, returned, other, x)]
    for result in results:
        check(result["sum"], np.asarray(x) * 2 + np.asarray(y) @ table, "data")
        assert float(result["total"]) == pytest.approx(float(np.asarray(x).sum()), rel=1e-5)
    with pytest.raises(TypeError, match="not callable"):
        f(put(np.asarray(x), None, "model"), y)
    with pytest.raises(TypeError, match="not callable"):
        f(put(normal(9, 4), "data"), put(normal(9, 16), "data", "model"))


def test_a_program_without_results() -> None:
    assert dt.jit(lambda x: ())(put(normal(8), "data")) == ()


def test_threads_call_one_program() -> None:
    x = normal(8, 8)
    f = dt.jit(lambda x: dnp.sum(dnp.sin(x @ x)))
    given, expected = put(x, "data", "model"), float(np.sin(x @ x).sum())
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: float(f(given)), range(40)))
    np.testing.assert_allclose(results, [expected] * 40, rtol=1e-3, atol=1e-3)


def test_device_put_in_a_program_is_a_constraint() -> None:
    x, columns = normal(8, 4), NamedSharding(GRID_AUTO, P(None, "model"))
    moved = dt.jit(lambda x: dt.device_put(x + 1, columns))
    for given in (x, dt.device_put(x, NamedSharding(GRID_AUTO, P("data")))):
        check(moved(given), x + 1, None, "model")
    check(dt.jit(lambda x: x.to_device(columns))(x), x, None, "model")
    check(dt.jit(lambda: dnp.ones((8, 4), device=columns))(), np.ones((8, 4)), None, "model")
    # The cotangent of a sharded array is sharded alike.
    gradient = dt.jit(dt.grad(lambda x: dnp.sum(dt.device_put(x, columns) ** 2)))
    check(gradient(x), 2 * x, None, "model")
    with pytest.raises(ValueError, match="incompatible devices for jitted computation"):
        moved(dt.device_put(x, DEVICES[1]))
    with pytest.raises(ValueError, match="rank at least 2"):
        dt.jit(lambda x: dt.device_put(x[0], columns))(x)


def test_device_put_to_one_device_in_a_program_has_no_effect() -> None:
    x = dt.device_put(normal(3), DEVICES[1])
    assert dt.jit(lambda x: dt.device_put(x, DEVICES[2]))(x).device == DEVICES[1]


@pytest.mark.parametrize("check_vma", [True, False])
def test_collectives_that_only_some_devices_come_to(check_vma: bool) -> None:
    """An error of the compiler if it can tell, and otherwise of the run, which ends at once."""

    def branch(x: Any) -> Any:
        return lax.cond(
            lax.axis_index("data") == 1, lambda x: x + lax.psum(x, "data"), lambda x: x, x
        )

    def branch_by_values(x: Any) -> Any:
        return lax.cond(x[0] == 1, lambda x: x + lax.psum(x, "data"), lambda x: x, x)

    def loop(x: Any) -> Any:
        def step(_: Any, y: Any) -> Any:
            return x + lax.pmax(y, "data")

        return lax.fori_loop(0, lax.axis_index("data"), step, x)

    def jitted(program: Any) -> Any:
        return dt.jit(
            dt.shard_map(
                program, mesh=GRID, in_specs=P("data"), out_specs=P("data"), check_vma=check_vma
            )
        )

    values = np.arange(4, dtype=np.float32)
    message = (
        r"all_reduce_sum over .* in a branch that 2 takes and 0 does not; .*at .*partitioned.py:"
    )
    with pytest.raises(TransformError, match=message):
        jitted(branch).lower(values).as_text("shard")
    with pytest.raises(TransformError, match=message):
        jitted(branch)(values)
    for program, op in (branch_by_values, "all_reduce_sum"), (loop, "all_reduce_max"):
        message = f"in {op} over data, .*eight_partitioned.py:[0-9]+ .*(has|have) finished"
        with pytest.raises(CollectiveError, match=message):
            jitted(program)(values)
