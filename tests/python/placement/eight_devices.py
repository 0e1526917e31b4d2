"""Tests on eight devices of one CPU, which `test_devices` runs in a separate process."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, runtime
from dovetail.placement.shardings import Shard
from dovetail.sharding import SingleDeviceSharding
from dovetail.tree_util import tree_leaves
from support import device_programs as programs

DEVICES = dt.devices()
X = np.arange(3, dtype=np.float32)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return programs.names_of(dt, dnp)


@pytest.mark.parametrize(("expression", "expected"), programs.ROWS)
def test_places(expression: str, expected: str, names: dict[str, Any]) -> None:
    assert programs.outcome(expression, names, tree_leaves) == expected


def test_devices() -> None:
    assert [str(device) for device in DEVICES] == [f"cpu:{i}" for i in range(8)]
    assert repr(DEVICES[3]) == "CpuDevice(id=3)"
    assert dt.device_count() == dt.local_device_count() == len(dt.local_devices()) == 8
    assert dt.device_count("cpu") == 8
    assert dt.default_backend() == "cpu"
    device = DEVICES[5]
    assert (device.id, device.platform, device.device_kind) == (5, "cpu", "cpu")
    assert (device.process_index, device.local_hardware_id, device.host_id) == (0, 5, 0)
    assert device.memory_stats() is None
    assert device.client.devices() == DEVICES
    assert (device.client.platform, device.client.device_count()) == ("cpu", 8)
    assert device.client.platform_version.startswith("IREE ")
    assert pickle.loads(pickle.dumps(device)) == device
    assert len({*DEVICES, *DEVICES}) == 8
    # They are leaves of trees.
    assert tree_leaves({"device": device, "sharding": SingleDeviceSharding(device)}) == [
        *(device, SingleDeviceSharding(device))
    ]
    # Each has its own IREE device, for small programs and for large ones.
    hals = {id(runtime.get_device(f"local-{kind}:{i}").hal) for i in range(8) for kind in KINDS}
    assert len(hals) == 16
    assert runtime.get_device("local-sync:0") is runtime.get_device("local-sync")


KINDS = ("sync", "task")


def test_each_device_runs_programs() -> None:
    f = dt.jit(lambda w, x: dnp.tanh(w @ x))
    rows = [dnp.arange(9.0).reshape(3, 3) / (i + 1) for i in range(8)]
    arrays = [dt.device_put(row, device) for row, device in zip(rows, DEVICES, strict=True)]
    results = [f(array, X) for array in arrays]
    assert [result.device for result in results] == DEVICES
    assert all(result.committed for result in results)
    for row, result in zip(rows, results, strict=True):
        np.testing.assert_allclose(result, np.tanh(np.asarray(row) @ X), rtol=1e-6)
    # Results are arguments of the next call on the same device, without a copy.
    again = [dt.jit(lambda y: y + 1)(result) for result in results]
    assert [result.device for result in again] == DEVICES
    total: Any = sum(dt.device_put(result, DEVICES[0]) for result in again)
    assert total.devices() == {DEVICES[0]}
    np.testing.assert_allclose(total, sum(np.asarray(r) for r in again), rtol=1e-6)


def test_programs_are_compiled_once_for_all_cpus() -> None:
    traced = []

    @dt.jit
    def f(x: Any) -> Any:
        traced.append(x)
        return x * 2

    for _ in range(2):
        for device in DEVICES[:2]:
            assert f(dt.device_put(X, device)).device == device
    assert len(traced) == 2


def test_messages_name_both() -> None:
    a, b = dt.device_put(X, DEVICES[1]), dt.device_put(X, DEVICES[2])
    with pytest.raises(
        ValueError,
        match=r"computation. Got argument of add with shape float32\[3\] and device ids \[1\] on "
        r"platform CPU and argument of add with .* ids \[2\] on platform CPU; move one of them "
        r"with dovetail\.device_put, at .*eight_dev",
    ):
        dnp.add(a, b)

    @dt.jit
    def f(tree: Any, other: Any) -> Any:
        return tree["a"] + other

    with pytest.raises(
        ValueError,
        match=r"Got argument tree\['a'\] of f with shape float32\[3\] and device ids \[1\] on "
        r"platform CPU and argument other of f with shape float32\[3\] and device ids \[2\] on",
    ):
        f({"a": a}, b)
    compiled = dt.jit(lambda v: v + 1).lower(a).compile()
    with pytest.raises(ValueError, match="must not be committed to another device than cpu:1, for"):
        compiled(b)
    with pytest.raises(ValueError, match=r"device must be one of cpu:0, .*cpu:7, .*got: 'cpu:8'"):
        a.to_device("cpu:8")
    with pytest.raises(
        RuntimeError, match="num_cpu_devices config should be updated before backends are init"
    ):
        config.update("num_cpu_devices", 2)
    config.update("num_cpu_devices", 8)
    with pytest.raises(TypeError, match="num_cpu_devices is a setting of the whole process"):
        config.num_cpu_devices(3)
    with pytest.warns(DeprecationWarning, match="device_put"):
        dt.jit(lambda v: v, backend="cpu")


def test_memories_of_the_host() -> None:
    mesh = dt.make_mesh((8,), ("x",))
    on_device = dt.NamedSharding(mesh, dt.P("x"))
    on_host = on_device.with_memory_kind("pinned_host")
    assert on_host != on_device
    x = dt.device_put(np.arange(16.0, dtype=np.float32), on_host)
    assert x.sharding == on_host

    def f(x: dt.Array) -> dt.Array:
        return dt.device_put(x, on_device) * 2

    for sharding in (on_device, on_host):
        result = dt.jit(f, out_shardings=sharding)(x)
        assert result.sharding == sharding
        np.testing.assert_array_equal(result, np.arange(16) * 2)
    assert dt.device_put(x, on_device).sharding == on_device


def test_attributes_of_arrays() -> None:
    x = dt.device_put(X, DEVICES[2])
    whole = (slice(None),)
    assert x.device == DEVICES[2]
    assert x.devices() == {DEVICES[2]}
    sharding = x.sharding
    assert sharding == SingleDeviceSharding(DEVICES[2])
    assert repr(sharding) == "SingleDeviceSharding(device=CpuDevice(id=2), memory_kind=device)"
    assert sharding.device_set == sharding.addressable_devices == {DEVICES[2]}
    assert sharding.devices_indices_map((3,)) == {DEVICES[2]: whole}
    assert sharding.shard_shape((3, 4)) == (3, 4)
    assert sharding.is_equivalent_to(SingleDeviceSharding(DEVICES[2]), 1)
    assert not sharding.is_equivalent_to(SingleDeviceSharding(DEVICES[3]), 1)
    assert sharding.with_memory_kind("device") == sharding
    with pytest.raises(ValueError, match=r"'device' or 'pinned_host' or .*, got: 'other'"):
        sharding.with_memory_kind("other")
    assert x.addressable_shards == x.global_shards == [Shard(DEVICES[2], whole, 0, x)]
    assert x.addressable_data(0) is x
    assert dt.device_put(x, DEVICES[2]) is x
    assert np.from_dlpack(x).tolist() == X.tolist()
    assert dnp.from_dlpack(X, device=DEVICES[4]).device == DEVICES[4]
    assert not pickle.loads(pickle.dumps(x)).committed
    assert [a for a in dt.live_arrays() if a is x] == [x]
    key = dt.device_put(dt.random.key(0), DEVICES[1])
    assert (key.device, key.committed) == (DEVICES[1], True)
    struct = dt.ShapeDtypeStruct((3,), "float32", sharding=sharding)
    assert struct.update(shape=(4,)).sharding == sharding
    assert struct != dt.ShapeDtypeStruct((3,), "float32")
    assert repr(struct).endswith(f"sharding={sharding!r})")
    with pytest.raises(ValueError, match="sharding of a ShapeDtypeStruct must be a"):
        dt.ShapeDtypeStruct((3,), "float32", sharding=DEVICES[0])  # type: ignore[arg-type]


def test_memory_of_its_own() -> None:
    source = dnp.arange(1 << 14)
    shared = dt.device_put(source, DEVICES[1])
    copied = dt.device_put(source, DEVICES[1], may_alias=False)
    assert shared.unsafe_buffer_pointer() == source.unsafe_buffer_pointer()
    assert copied.unsafe_buffer_pointer() != source.unsafe_buffer_pointer()
    source.delete()
    assert shared[5] == copied[5] == 5


def test_remembered_calls() -> None:
    """The second call of a function with arguments of the same types is recorded, the third
    replayed: the placement of arrays is part of the key.
    """
    x, x1 = dnp.asarray(X), dt.device_put(X, DEVICES[1])
    for _ in range(4):
        assert not dnp.sin(x).committed
        assert dnp.sin(x1).device == DEVICES[1]
        with dt.default_device(DEVICES[3]):
            assert dnp.sin(x).device == DEVICES[3]
            assert dnp.sin(x1).device == DEVICES[1]
            assert dt.jit(dnp.cos)(x).device == DEVICES[3]
        assert dnp.sin(x).device == DEVICES[0]


def test_calls_of_a_program() -> None:
    x, x1 = dnp.asarray(X), dt.device_put(X, DEVICES[1])
    f = dt.jit(lambda a: {"y": a + 1, "z": (a * 2,)})
    for _ in range(4):
        results = [f(x)["y"], f(x1)["y"]]
        assert [r.committed for r in results] == [False, True]
        with dt.default_device(DEVICES[3]):
            results.append(f(x)["z"][0])
        assert [r.device for r in results] == [DEVICES[0], DEVICES[1], DEVICES[3]]


def test_default_of_the_process() -> None:
    config.update("default_device", DEVICES[6])
    x = dnp.ones(3) + 1
    assert (x.device, x.committed) == (DEVICES[6], False)
    with dt.default_device(None):
        assert (dnp.ones(3) + 1).device == DEVICES[0]
    config.update("default_device", "cpu")
    assert (dnp.ones(3) + 1).device == DEVICES[0]
    config.update("default_device", None)


def test_large_programs_and_donation() -> None:
    f = dt.jit(lambda a: a @ a, donate_argnums=0)
    a = dt.device_put(np.eye(300, dtype=np.float32), DEVICES[2])
    result = f(a)
    assert a.is_deleted()
    assert result.device == DEVICES[2]
    np.testing.assert_array_equal(result, np.eye(300))
    gc.collect()


def test_device_loops() -> None:
    """Data parallelism by hand: a gradient on each device, averaged on one."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(16, 3)).astype("f"), rng.normal(size=16).astype("f")

    def loss(w: Any, x: Any, y: Any) -> Any:
        return dnp.mean((x @ w - y) ** 2)

    gradient = dt.jit(dt.grad(loss))
    w = dnp.zeros(3)
    parts = []
    for i, device in enumerate(DEVICES):
        batch = dt.device_put((x[2 * i : 2 * i + 2], y[2 * i : 2 * i + 2]), device)
        parts.append(gradient(dt.device_put(w, device), *batch))
    assert [part.device for part in parts] == DEVICES
    mean = sum(dt.device_put(part, DEVICES[0]) for part in parts) / 8
    np.testing.assert_allclose(mean, gradient(w, x, y), rtol=1e-5, atol=1e-6)
