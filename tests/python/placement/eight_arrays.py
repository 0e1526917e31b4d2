"""Sharded arrays on eight devices of one CPU; run by `test_devices`."""

from __future__ import annotations

import gc
import itertools
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, sharding
from dovetail.arrays.array import Array
from dovetail.arrays.shards import Shards, moved
from dovetail.placement.shardings import SingleDeviceSharding, place_of
from dovetail.sharding import Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support import sharding_programs as programs
from support.sharded_array_programs import ARRAYS

DEVICES = dt.devices()
NAMES = programs.names_of(dt, sharding, dnp)
GRID = Mesh(np.array(DEVICES).reshape(4, 2), ("x", "y"))
CUBE = Mesh(np.array(DEVICES[::-1]).reshape(2, 2, 2), ("a", "b", "c"))
FEW = Mesh(DEVICES[2:5], "few")
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("expression", "expected"), ARRAYS)
def test_arrays(expression: str, expected: str) -> None:
    assert programs.mismatch(expression, expected, NAMES) is None


SHARDINGS = [
    *(
        NamedSharding(GRID, P(*spec))
        for spec in [(), ("x",), (None, "y"), ("y", "x"), (("y", "x"),)]
    ),
    *(NamedSharding(CUBE, P(*spec)) for spec in [("b",), ("c", ("b", "a")), (None, "a")]),
    *(NamedSharding(FEW, P(*spec)) for spec in [("few",), (), (None, "few")]),
    *(SingleDeviceSharding(device) for device in DEVICES[:2]),
]


def check_shards(array: Any, value: np.ndarray) -> None:
    """The shards of an array match its sharding."""
    where = array.sharding
    assert array.shape == value.shape
    assert {shard.device for shard in array.addressable_shards} == where.device_set
    replicas: dict[Any, list[int]] = {}
    for shard in array.addressable_shards:
        assert shard.data.device == shard.device
        assert shard.data.committed or where.num_devices == 1
        np.testing.assert_array_equal(shard.data, value[shard.index])
        bounds = (part.indices(size) for part, size in zip(shard.index, value.shape, strict=True))
        replicas.setdefault(tuple(bounds), []).append(shard.replica_id)
    if value.size and min(value.shape, default=8) >= 8:
        assert all(numbers == [*range(len(numbers))] for numbers in replicas.values())
    np.testing.assert_array_equal(array, value)


@pytest.mark.parametrize("shape", [(8, 8), (5, 7), (1, 3), (0, 4), (17, 2)])
def test_every_sharding_to_every_other(shape: tuple[int, ...]) -> None:
    value = RNG.normal(size=shape).astype("f")
    for first, second in itertools.product(SHARDINGS, SHARDINGS):
        array = dt.device_put(value, first)
        check_shards(array, value)
        other = dt.device_put(array, second)
        assert (other.sharding, other.committed) == (second, True)
        check_shards(other, value)
        copied = dt.device_put(array, second, may_alias=False)
        check_shards(copied, value)
        if value.size:
            parts = [shard.data.buffer for shard in copied.addressable_shards]
            assert not any(np.may_share_memory(part, array.buffer) for part in parts)


def test_moves_only_needed_parts() -> None:
    value = RNG.normal(size=(8, 4)).astype("f")
    source = dt.device_put(value, NamedSharding(GRID, P("x", "y")))
    held = {shard.device: shard.data.buffer for shard in source.addressable_shards}
    # The same parts on other devices of the host are the same memory.
    swapped = GRID.update(devices=GRID.devices[::-1])
    moved_ = dt.device_put(source, NamedSharding(swapped, P("x", "y")))
    assert {id(shard.data.buffer) for shard in moved_.addressable_shards} == set(
        map(id, held.values())
    )
    # Rows of one part are views of it; rows spanning two parts are copied.
    rows = dt.device_put(dt.device_put(value, NamedSharding(GRID, P("x"))), DEVICES[3])
    assert rows.device == DEVICES[3]
    whole = dnp.asarray(value)
    cut = dt.device_put(whole, NamedSharding(GRID, P("x")))
    assert all(
        np.may_share_memory(shard.data.buffer, whole.buffer) for shard in cut.addressable_shards
    )
    everywhere = dt.device_put(whole, NamedSharding(GRID, P()))
    assert everywhere.buffer is whole.buffer
    # Gathered once.
    assert source._value() is source._value()


def test_numpy_arrays_are_copied() -> None:
    value = np.zeros((8, 2), np.float32)
    for where in SHARDINGS:
        array = dt.device_put(value, where)
        made = dt.make_array_from_callback((8, 2), where, lambda index: value[index])
        value[:] += 1
        for result in (array, made):
            np.testing.assert_array_equal(result, value - 1)


def test_assembly() -> None:
    value = np.arange(15, dtype=np.float32).reshape(5, 3)
    for where in SHARDINGS:
        calls: list[Any] = []

        def part(index: Any, calls: list[Any] = calls) -> Any:
            calls.append(index)
            return value[index]

        array = dt.make_array_from_callback(value.shape, where, part)
        check_shards(array, value)
        different = {str(index) for index in where.devices_indices_map(value.shape).values()}
        assert len(calls) == len(different)
        parts = [shard.data for shard in array.addressable_shards]
        again = dt.make_array_from_single_device_arrays(value.shape, where, parts[::-1])
        check_shards(again, value)
        assert (again.sharding, again.committed) == (where, True)
    # Padded at the end.
    where = NamedSharding(GRID, P("x"))
    padded = np.pad(value, ((0, 3), (0, 0)), constant_values=np.nan)
    parts = [
        dt.device_put(padded[2 * i : 2 * i + 2], device)
        for i, row in enumerate(GRID.devices)
        for device in row
    ]
    check_shards(dt.make_array_from_single_device_arrays((5, 3), where, parts), value)
    types = [np.float32] * 7 + [np.int32]
    mixed = [
        dt.device_put(np.zeros((1, 3), kind), device)
        for kind, device in zip(types, DEVICES, strict=True)
    ]
    with pytest.raises(ValueError, match="must have matching dtypes, got: int32 and float32"):
        dt.make_array_from_single_device_arrays((4, 3), where, mixed)


def test_attributes() -> None:
    array = dt.device_put(np.arange(10), NamedSharding(GRID, P("x")))
    assert [shard.data.shape for shard in array.addressable_shards[::2]] == [(3,), (3,), (3,), (1,)]
    assert array.on_device_size_in_bytes() == 8 * 3 * 4
    assert array.global_shards == array.addressable_shards
    assert repr(array) == "Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], dtype=int32)"
    assert repr(array.addressable_shards[7]) == (
        "Shard(device=CpuDevice(id=7), index=(slice(9, 10, None),), replica_id=1, data=[9])"
    )
    assert array.clone().sharding == array.sharding
    assert [int(row) for row in array] == list(range(10))
    assert array.addressable_data(0).sharding == SingleDeviceSharding(DEVICES[0])
    assert [a for a in dt.live_arrays() if a is array] == [array]
    struct = dt.ShapeDtypeStruct.like(array)
    assert struct.sharding == array.sharding
    array.delete()
    assert array.is_deleted()
    assert array.sharding == struct.sharding
    assert repr(array) == "Array(deleted, int32[10])"
    for use in (
        lambda: array.addressable_shards,
        lambda: array + 1,
        lambda: array.addressable_data(0),
    ):
        with pytest.raises(RuntimeError, match="Array has been deleted"):
            use()


def test_copies_have_memory_of_their_own() -> None:
    array = dt.device_put(np.arange(16.0).reshape(8, 2), NamedSharding(GRID, P("x")))
    other = array.copy()
    assert other.sharding == array.sharding
    for old, new in zip(array.addressable_shards, other.addressable_shards, strict=True):
        assert not np.may_share_memory(old.data.buffer, new.data.buffer)
    np.testing.assert_array_equal(other, array)


# Ops ----------------------------------------------------------------------------------------------

OPS = [
    *(lambda x, y: x + y, lambda x, y: x @ y.T, lambda x, y: x[2:5, ::2] * y[0, 0]),
    *(lambda x, y: dnp.sort(x, 0), lambda x, y: dnp.concatenate([x, y], 1), lambda x, y: x.sum(0)),
    *(lambda x, y: dnp.where(x > y, x, 3), lambda x, y: x.at[1].set(y[2]), lambda x, y: x.mean()),
    *(lambda x, y: dnp.cumsum(x, 0), lambda x, y: dnp.linalg.svd(x)[1], lambda x, y: dnp.argmax(x)),
    *(lambda x, y: dnp.unique(x > 0), lambda x, y: x[x > 0], lambda x, y: dnp.zeros_like(x) + 1),
    *(lambda x, y: dt.lax.scan(lambda c, r: (c + r, c * r), y[0], x)[1], lambda x, y: x.T),
    *(dt.grad(lambda x, y: dnp.sum(dnp.sin(x) * y)), dt.vmap(lambda x, y: x @ y)),
    *(lambda x, y: dt.jvp(dnp.tanh, (x,), (y,))[1], dt.jacfwd(lambda x, y: x.sum(0) * y[0])),
    lambda x, y: dt.pure_callback(np.sin, dt.ShapeDtypeStruct(x.shape, x.dtype), x),
    lambda x, y: dt.lax.while_loop(lambda c: c.sum() < 9, lambda c: c + y**2 + 1, x),
]  # fmt: skip


@pytest.mark.parametrize("op", OPS)
@config.compile("never")
def test_ops(op: Any) -> None:
    """Every op computes the same on sharded arrays as on others."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 6, 4)).astype("f")
    expected = op(dnp.asarray(x), dnp.asarray(y))
    specs = [P("x"), P("x", "y"), P(), P(None, "x")]
    for first, second in zip(specs, specs[1:] + specs[:1], strict=True):
        arrays = [
            dt.device_put(value, NamedSharding(GRID, spec))
            for value, spec in ((x, first), (y, second))
        ]
        for operands in (arrays, [arrays[0], dnp.asarray(y)], [dnp.asarray(x), arrays[1]]):
            result = op(*operands)
            np.testing.assert_allclose(result, expected, rtol=2e-5, atol=1e-6)
            assert len(result.devices()) in (1, 8)
        assert op(*arrays).devices() == {*DEVICES}


@pytest.mark.parametrize("compile", ["now", "never", "auto"])
def test_programs(compile: str) -> None:
    x = RNG.normal(size=(7, 3)).astype("f")
    traced = []

    @dt.jit
    def f(x: Any, scale: Any) -> Any:
        traced.append(x)
        return {"y": dnp.tanh(x) * scale, "sum": x.sum()}

    where = NamedSharding(GRID, P("y"))
    with config.compile(compile):
        for _ in range(4):
            for array in (dt.device_put(x, where), dt.device_put(x, DEVICES[3]), dnp.asarray(x)):
                result = f(array, 2.0)
                np.testing.assert_allclose(result["y"], 2 * np.tanh(x), rtol=1e-5)
                np.testing.assert_allclose(result["sum"], x.sum(), rtol=1e-5)
                assert result["y"].devices() == array.devices()
                assert result["sum"].committed == array.committed
                if array.sharding == where:
                    check_shards(result["y"], np.asarray(result["y"]))
    assert len(traced) == 3


def test_large_arrays_in_programs() -> None:
    """Memory that programs share with the host."""
    x = RNG.normal(size=(300, 300)).astype("f")
    where = NamedSharding(GRID, P("x", "y"))
    array = dt.device_put(x, where)
    f = dt.jit(lambda a: a @ a)
    result = f(array)
    for _ in range(3):
        result = f(array)
        np.testing.assert_allclose(result, x @ x, rtol=1e-3, atol=1e-3)
        assert array.sharding == where
        check_shards(array, x)
    g = dt.jit(lambda a: a + array)
    np.testing.assert_allclose(g(result), x @ x + x, rtol=1e-3, atol=1e-3)
    again = dt.device_put(result, where)
    check_shards(again, np.asarray(result))


def test_donation() -> None:
    x = RNG.normal(size=(16, 16)).astype("f")
    f = dt.jit(lambda a: a * 2, donate_argnums=0)
    for spec in (P("x"), P()):
        for _ in range(3):
            array = dt.device_put(x, NamedSharding(GRID, spec))
            shard = array.addressable_shards[3]
            result = f(array)
            assert array.is_deleted()
            np.testing.assert_array_equal(result, 2 * x)
            # A shard that is held is not overwritten.
            np.testing.assert_array_equal(shard.data, x[shard.index])
    gc.collect()


def test_equal_results_outlive_each_other() -> None:
    """Results that are equal may share memory: to donate or delete one leaves the other."""
    x = RNG.normal(size=(16, 16)).astype("f")
    updated = dt.jit(lambda a: a.at[0].set(-5.0), donate_argnums=0)
    for spec in (P("x"), P()):
        for equal in (dt.jit(lambda a: (a + 1, a + 1)), dt.jit(lambda a: (a, a), donate_argnums=0)):
            array = dt.device_put(x, NamedSharding(GRID, spec))
            first, second = equal(array)
            expected = np.array(second)
            result = updated(first)
            assert first.is_deleted()
            np.testing.assert_array_equal(second, expected)
            np.testing.assert_array_equal(result[1:], expected[1:])
            first, second = dt.jit(lambda a: (a, a))(second)
            first.delete()
            gc.collect()
            np.testing.assert_array_equal(second, expected)


def test_constraints() -> None:
    x = np.arange(8.0, dtype=np.float32)
    where = NamedSharding(GRID, P("x"))

    @dt.jit
    def f(x: Any) -> Any:
        return dt.lax.with_sharding_constraint(x * 2, where) + 1

    for array in (dnp.asarray(x), dt.device_put(x, where)):
        result = f(array)
        assert result.devices() == {*DEVICES}
        np.testing.assert_array_equal(result, 2 * x + 1)
    with pytest.raises(
        ValueError,
        match=r"Got arguments of f with device ids \[0\] on platform CPU and constraints",
    ):
        f(dt.device_put(x, DEVICES[0]))
    with pytest.raises(ValueError, match="rank at least 1, but was applied to a value of rank 0"):
        dt.jit(lambda x: dt.lax.with_sharding_constraint(x.sum(), where))(x)


def test_compiled_programs_check_devices() -> None:
    where = NamedSharding(GRID, P("x"))
    x = dt.device_put(np.zeros(8, np.float32), where)
    compiled = (
        dt.jit(lambda x: x + 1)
        .lower(dt.ShapeDtypeStruct((8,), "float32", sharding=where))
        .compile()
    )
    assert compiled(x).devices() == {*DEVICES}
    with pytest.raises(
        ValueError, match="must not be committed to another device than cpu:0, cpu:1,"
    ):
        compiled(dt.device_put(x, DEVICES[0]))
    abstract = NamedSharding(GRID.abstract_mesh, P("x"))
    struct = dt.ShapeDtypeStruct((8,), "float32", sharding=abstract)
    assert struct.sharding == abstract
    assert dt.jit(lambda x: x + 1).lower(struct).compile()(np.zeros(8, np.float32)).shape == (8,)


def test_transfer_guards() -> None:
    x = dt.device_put(np.arange(8.0), NamedSharding(GRID, P("x")))
    with dt.transfer_guard("disallow"):
        assert dt.device_put(x, NamedSharding(CUBE, P("a"))).tolist() == x.tolist()
        with pytest.raises(RuntimeError, match="device-to-device transfers must not be made here"):
            x.to_device(DEVICES[0])
        assert (x + x).tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_random_keys() -> None:
    keys = dt.random.split(dt.random.key(0), 8)
    where = NamedSharding(GRID, P("x"))
    sharded = dt.device_put(keys, where)
    assert (sharded.sharding, sharded.shape) == (where, (8,))
    expected = dt.vmap(dt.random.normal)(keys)
    np.testing.assert_array_equal(dt.vmap(dt.random.normal)(sharded), expected)


def test_trees_of_shardings() -> None:
    tree = {"w": np.zeros((8, 2)), "b": [np.zeros(8), np.zeros(4)]}
    rows, whole = NamedSharding(GRID, P("x")), NamedSharding(GRID, P())
    placed = dt.device_put(tree, {"w": rows, "b": [None, whole]})
    assert [leaf.sharding for leaf in dt.tree.leaves(placed["b"])][1] == whole
    assert not placed["b"][0].committed
    with pytest.raises(ValueError, match="a sharding must have devices"):
        dt.device_put(np.zeros(8), NamedSharding(Mesh(np.empty((), object), ()), P()))


def test_places_are_shared() -> None:
    one, other = NamedSharding(GRID, P("x")), NamedSharding(GRID.update(), P("x"))
    assert place_of(one) is place_of(other)
    assert place_of(one).of_results() is place_of(NamedSharding(GRID, P()))
    assert str(place_of(NamedSharding(FEW, P()))) == "cpu:2, cpu:3, cpu:4"
    whole = dnp.zeros(4)
    assert moved(whole.buffer, NamedSharding(FEW, P())) is whole.buffer
    assert isinstance(moved(whole.buffer, NamedSharding(FEW, P("few"))), Shards)
    assert Array(whole.buffer, place=place_of(NamedSharding(FEW, P()))).is_fully_replicated
