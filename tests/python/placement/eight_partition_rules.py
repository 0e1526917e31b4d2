"""Functions that say what each of eight devices computes; run by `test_devices`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental.custom_partitioning import (
    BATCHING,
    SdyShardingRule,
    custom_partitioning,
)
from dovetail.sharding import Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.parts_check import check

GRID = Mesh(np.array(dt.devices()).reshape(4, 2), ("x", "y"))
LINE = Mesh(np.array(dt.devices()[:4]), ("x",))
X = np.arange(32 * 16, dtype=np.float32).reshape(32, 16) / 64
Y = np.arange(16 * 32, dtype=np.float32).reshape(16, 32) % 7


def put(x: Any, *spec: Any, mesh: Mesh = GRID) -> dt.Array:
    return dt.device_put(x, NamedSharding(mesh, P(*spec)))


def shardings(shapes: Any) -> Any:
    return dt.tree.map(lambda x: x.sharding, shapes)


def as_given(function: Callable[..., Any]) -> Callable[..., Any]:
    """A rule: the function on the parts that there are."""

    def partition(*args: Any) -> Any:
        mesh, arguments, results = args[-3:]
        return mesh, function, shardings(results), shardings(arguments)

    return partition


def text_of(function: Any, *args: Any) -> str:
    return dt.jit(function).lower(*args).as_text("shard")


def kept_but_last(sharding: NamedSharding, rank: int) -> NamedSharding:
    return NamedSharding(sharding.mesh, P(*sharding.spec[: rank - 1]))


def partition_of_fft(mesh: Mesh, arguments: Any, result: Any) -> Any:
    kept = kept_but_last(arguments[0].sharding, len(arguments[0].shape))
    return mesh, dnp.fft.fft, kept, (kept,)


@pytest.mark.parametrize(
    "rule",
    [
        "... i -> ... i",
        SdyShardingRule(operand_mappings=((BATCHING, "i"),), result_mappings=((BATCHING, "i"),)),  # pyright: ignore
    ],
    ids=["text", "object"],
)
def test_transforms_of_rows(rule: Any) -> None:
    """A transform of what all devices have, along dimensions that they need not exchange."""
    my_fft = custom_partitioning(lambda x: dnp.fft.fft(x))
    my_fft.def_partition(partition_of_fft, sharding_rule=rule)
    x = put(X.astype(np.complex64), "x", "y")
    expected = np.fft.fft(X)
    check(dt.jit(my_fft)(put(X.astype(np.complex64), "x")), expected, "x")
    assert "all_gather" not in text_of(my_fft, put(X.astype(np.complex64), "x"))
    np.testing.assert_allclose(dt.jit(my_fft)(x), expected, rtol=1e-4, atol=1e-3)
    vector = X[0].astype(np.complex64)
    np.testing.assert_allclose(dt.jit(my_fft)(put(vector, "x")), np.fft.fft(X[0]), atol=1e-3)
    assert "all_gather" in text_of(my_fft, put(vector, "x"))


def test_what_devices_compute_is_asked_for_over_a_mesh_only() -> None:
    f = custom_partitioning(lambda x: dnp.sin(x))
    f.def_partition(as_given(dnp.cos), sharding_rule="i j -> i j")
    for result in (f(X), dt.jit(f)(X), f(put(X, "x")), dt.jit(f)(put(X, mesh=ONE))):
        np.testing.assert_allclose(result, np.sin(X), rtol=1e-5, atol=1e-6)
    check(dt.jit(f)(put(X, "x", "y")), np.cos(X), "x", "y")
    parts = dt.shard_map(f, mesh=GRID, in_specs=P("x"), out_specs=P("x"))
    np.testing.assert_allclose(dt.jit(parts)(X), np.sin(X), rtol=1e-5, atol=1e-6)


ONE = Mesh(dt.devices()[:1], "x")


def test_products() -> None:
    """Terms of a contraction, of static arguments, with two results."""

    def partition(scale: float, mesh: Mesh, arguments: Any, results: Any) -> Any:
        assert [x.shape for x in arguments] == [(32, 16), (16, 32)]
        assert mesh is GRID or mesh == GRID
        given = shardings(arguments)
        assert (given[0].spec, given[1].spec) == (P("x", None), P("y", None))
        assert results[0].sharding.spec == P("x", None)

        def local(x: Any, y: Any) -> Any:
            assert (x.shape, y.shape) == ((8, 16), (8, 32))
            i = lax.axis_index("y")
            z = scale * lax.psum(lax.dynamic_slice(x, (0 * i, 8 * i), (8, 8)) @ y, "y")
            return z, z * z

        return mesh, local, (results[0].sharding,) * 2, given

    @functools.partial(custom_partitioning, static_argnums=(2,))
    def f(x: Any, y: Any, scale: float = 1) -> Any:
        z = scale * dnp.matmul(x, y)
        return z, z * z

    f.def_partition(
        partition,
        sharding_rule=SdyShardingRule((("i", "j"), ("j", "k")), (("i", "k"), ("i", "k"))),  # pyright: ignore
    )
    for result, wanted in zip(
        dt.jit(lambda x, y: f(x, y, scale=3))(put(X, "x"), put(Y, "y")),
        (3 * X @ Y, (3 * X @ Y) ** 2),
        strict=True,
    ):
        check(result, wanted, "x")
    with dt.set_mesh(GRID):
        stated = dt.jit(f, in_shardings=(P("x"), P("y")), out_shardings=P("x"), static_argnums=2)
        check(stated(put(X, "x"), put(Y, "y"), 1)[0], X @ Y, "x")


def test_other_shardings() -> None:
    """Arrays are moved to those that the rule returns."""
    f = custom_partitioning(lambda x: x)
    seen = []

    def partition(mesh: Mesh, arguments: Any, result: Any) -> Any:
        seen.append((arguments[0].sharding.spec, result.sharding.spec))
        whole = NamedSharding(mesh, P(None))
        return mesh, lambda x: x, whole, (whole,)

    f.def_partition(partition, sharding_rule="i j -> i j")
    stated = dt.jit(
        lambda x: x + f(x),
        in_shardings=NamedSharding(GRID, P(None, "x")),
        out_shardings=NamedSharding(GRID, P("x")),
    )
    check(stated(X), 2 * X, "x")
    assert seen == [(P(None, "x"), P(None, "x"))]


def test_trees_and_loops() -> None:
    f = custom_partitioning(lambda xs: {"sum": xs[0] + xs[1] + xs[2]["a"]})
    f.def_partition(
        as_given(lambda xs: {"sum": xs[0] + xs[1] + xs[2]["a"]}),
        sharding_rule="i j, i j, i j -> i j",
    )
    check(dt.jit(lambda x: x + f((x, x, {"a": x}))["sum"])(put(X, None, "x")), 4 * X, None, "x")

    def repeated(x: Any) -> Any:
        return lax.scan(lambda c, _: (f((c, x, {"a": x}))["sum"] * 0.5, c.sum()), x, None, length=3)

    for result, wanted in zip(dt.jit(repeated)(put(X, "x")), dt.jit(repeated)(X), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5)

    total = custom_partitioning(lambda x: dnp.sum(x))

    def local(xs: Any) -> Any:
        def step(carry: Any, x: Any) -> Any:
            return carry + lax.psum(dnp.sum(x), axis_name="x"), None

        return lax.scan(step, 0, xs)[0]

    total.def_partition(as_given(local), sharding_rule="i j -> ")
    check(dt.jit(total)(put(X, None, "x")), X.sum())


def test_rules_that_depend_on_types() -> None:
    def local(x: Any, y: Any) -> Any:
        i = lax.axis_index("y")
        return lax.psum(lax.dynamic_slice_in_dim(x, i * 8, 8, axis=-1) @ y, "y")

    def rule(first: int, second: int, mesh: Any, arguments: Any, results: Any) -> Any:
        assert (first, second, len(results)) == (1, 2, 1)
        lead = "".join(f" b{i}" for i in range(len(arguments[0].shape) - 2))
        return f"{lead} i j, {lead} j k -> {lead} i k", {"reduction_factors": ("j",)}

    f = custom_partitioning(lambda x, y, first=1, second=2: x @ y, static_argnums=(2, 3))
    f.def_partition(as_given(local), sharding_rule=rule)
    x, y = np.stack([X] * 2), np.stack([Y] * 2)
    args = put(x, None, "x"), put(y, None, "y")

    def partition(first: int, second: int, mesh: Mesh, arguments: Any, result: Any) -> Any:
        whole = NamedSharding(mesh, P(None, "x"))
        return mesh, local, result.sharding, (whole, arguments[1].sharding)

    f.def_partition(partition, sharding_rule=rule)
    result = dt.jit(f)(*args)
    np.testing.assert_allclose(result, x @ y, rtol=1e-4)
    assert result.sharding.is_equivalent_to(NamedSharding(GRID, P(None, "x")), 3)


def test_factors_of_one_dimension() -> None:
    mesh = Mesh(np.array(dt.devices()).reshape(2, 4), ("x", "y"))
    f = custom_partitioning(lambda x, y: x.reshape(8) + y)
    f.def_partition(
        as_given(lambda x, y: x.reshape(4) + y),
        sharding_rule="(i k) j, (i k j) -> (i k j)",
        i=2,
        k=2,
        need_replication_factors=("k",),
    )
    x, y = np.arange(8.0, dtype=np.float32).reshape(4, 2), np.arange(8, dtype=np.float32)
    check(dt.jit(f)(put(x, "x", mesh=mesh), put(y, "x", mesh=mesh)), x.reshape(8) + y, "x")


def test_transforms_are_those_of_the_function() -> None:
    f = custom_partitioning(lambda x, y: dnp.sin(x) * y)
    f.def_partition(as_given(lambda x, y: dnp.sin(x) * y), sharding_rule="... i, ... i -> ... i")
    x = put(X, "x", "y")
    check(dt.jit(dt.grad(lambda x: f(x, x).sum()))(x), np.cos(X) * X + np.sin(X), "x", "y")
    check(dt.jit(dt.vmap(f))(x, x), np.sin(X) * X, "x", "y")
    tangent = dt.jit(lambda x: dt.jvp(lambda x: f(x, x), (x,), (x,))[1])(x)
    np.testing.assert_allclose(tangent, X * (np.cos(X) * X + np.sin(X)), rtol=1e-4, atol=1e-5)


def test_what_a_function_closes_over() -> None:
    def times(w: Any) -> Any:
        f = custom_partitioning(lambda x: x * w)
        f.def_partition(as_given(lambda x: x * 2), sharding_rule="i j -> i j")
        return f

    check(dt.jit(lambda x: times(x.sum() / x.sum() * 2)(x))(put(X, "x")), 2 * X, "x")


def test_local_functions_may_use_transforms() -> None:
    f = custom_partitioning(lambda x: 2 * x)
    inner = dt.jit(lambda x: dt.grad(lambda x: (x**2).sum())(x))
    f.def_partition(as_given(inner), sharding_rule="i j -> i j")
    check(dt.jit(f)(put(X, "x")), 2 * X, "x")


def test_sizes_that_do_not_divide() -> None:
    f = custom_partitioning(lambda x: x + 1)
    f.def_partition(as_given(lambda x: x + 1), sharding_rule="i j -> i j")
    np.testing.assert_allclose(dt.jit(f)(put(X[:31], "x")), X[:31] + 1)
    np.testing.assert_allclose(
        dt.jit(lambda x: f(x * 2))(put(X[:31, :15], "x", "y")), 2 * X[:31, :15] + 1
    )


@pytest.mark.parametrize(
    ("partition", "options", "error", "message"),
    [
        (
            lambda mesh, args, result: (
                mesh,
                lambda x: x,
                NamedSharding(mesh, P(None)),
                (NamedSharding(mesh, P(None, "x")),),
            ),
            {"sharding_rule": "i j -> i j"},
            ValueError,
            "Mismatch in result shapes",
        ),
        (
            lambda mesh, args, result: (mesh, lambda x: x, P("x"), (P("x"),)),
            {"sharding_rule": "i j -> i j"},
            ValueError,
            "Custom Partitioning rules must return Sharding",
        ),
        (
            lambda *_: None,
            {"sharding_rule": "i j -> i j"},
            ValueError,
            "must return a mesh, a func",
        ),
        (as_given(lambda x: x), {"sharding_rule": "i -> i"}, ValueError, "0th operand has rank 1"),
        (
            as_given(lambda x: x),
            {"sharding_rule": "i j, k -> i"},
            ValueError,
            "rule has 2 operands",
        ),
        (
            as_given(lambda x: x),
            {"infer_sharding_from_operands": lambda *_: None},
            NotImplementedError,
            "provide sharding_rule to migrate to Shardy",
        ),
    ],
)
def test_errors(partition: Any, options: Any, error: Any, message: str) -> None:
    f = custom_partitioning(lambda x: x)
    f.def_partition(partition, **options)
    with pytest.raises(error, match=message):
        dt.jit(f)(put(X, "x"))


def test_a_wrong_option() -> None:
    f = custom_partitioning(lambda x: x)
    with pytest.raises(ValueError, match="Unknown keyword arguments"):
        f.def_partition(as_given(lambda x: x), need_replication_factors=("i",))
