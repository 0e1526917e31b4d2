"""Programs of several processes: `python rank_programs.py PROGRAM …`, started by `ranks.py`."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax
from dovetail.experimental import io_callback
from dovetail.experimental import multihost_utils as hosts
from dovetail.runtime import CollectiveError
from dovetail.saving import together
from dovetail.sharding import AxisType, Mesh, NamedSharding

Program = Callable[..., None]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


def initialize(**options: Any) -> None:
    """Connect the processes, unless an earlier program has; under `mpiexec`, it is known how."""
    if dt.distributed.is_initialized():
        return
    if "RANK" in os.environ:
        options |= {
            "num_processes": int(os.environ["RANKS"]),
            "process_id": int(os.environ["RANK"]),
        }
    dt.distributed.initialize(**options)


def say(*words: object) -> None:
    """Print a line at once: `mpiexec` brings the lines of all together."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def auto_mesh(*sizes: int, names: tuple[str, ...] = ("data", "model")) -> Mesh:
    names = names[: len(sizes)]
    return dt.make_mesh(sizes, names, (AxisType.Auto,) * len(sizes))


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """The same numbers in all processes."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def check(array: Any, expected: np.ndarray, tolerance: float = 1e-5) -> None:
    """Compare an array with its value: the parts here, and then all of it."""
    assert array.shape == expected.shape
    for shard in array.addressable_shards:
        part = np.asarray(shard.data)
        np.testing.assert_allclose(part, expected[shard.index], tolerance, tolerance)
    whole = hosts.process_allgather(array, tiled=True) if array.devices() - local() else array
    np.testing.assert_allclose(np.asarray(whole), expected, tolerance, tolerance)


def local() -> set[Any]:
    return {*dt.local_devices()}


# Programs -----------------------------------------------------------------------------------------


@program
def devices() -> None:
    """What is listed where."""
    assert not dt.distributed.is_initialized()
    initialize()
    assert dt.distributed.is_initialized()
    here, count, own = dt.process_index(), dt.process_count(), dt.local_device_count()
    assert dt.device_count() == count * own == len(dt.devices())
    assert [d.id for d in dt.devices()] == list(range(count * own))
    assert [d.process_index for d in dt.devices()] == [i // own for i in range(count * own)]
    assert [d.local_hardware_id for d in dt.devices()] == [*range(own)] * count
    assert dt.local_devices() == dt.devices()[here * own :][:own]
    assert dt.local_devices(process_index=count - 1) == dt.devices()[-own:]
    assert dt.process_indices() == list(range(count))
    assert dnp.zeros(3).device == dt.local_devices()[0]
    assert dt.jit(lambda x: x + 1)(dnp.zeros(3)).device == dt.local_devices()[0]
    assert dt.device_put(1.0, "cpu").device == dt.local_devices()[0]
    last = dt.device_put(1.0, dt.local_devices()[-1])
    assert float(dt.jit(lambda x: x + 1)(last)) == 2.0
    mesh = auto_mesh(count * own)
    assert mesh.is_multi_process
    assert mesh.local_mesh.size == own
    with pytest.raises(RuntimeError, match="initialize should only be called once"):
        dt.distributed.initialize()


@program
def shutdown() -> None:
    """The end of the connections."""
    initialize()
    dt.distributed.shutdown()
    assert not dt.distributed.is_initialized()


@program
def arrays() -> None:
    """Arrays over all processes: made, moved, and asked for their values."""
    initialize()
    count, total = dt.process_count(), dt.device_count()
    mesh = auto_mesh(total // 2, 2)
    x = normal(4 * total, 6)
    rows = NamedSharding(mesh, P(("data", "model")))
    own = x.shape[0] // count
    mine = x[dt.process_index() * own :][:own]
    a = dt.make_array_from_process_local_data(rows, mine)
    b = dt.make_array_from_callback(x.shape, rows, lambda index: x[index])
    c = dt.device_put(x, rows)
    d = dt.make_array_from_process_local_data(rows, x, x.shape)
    for array in (a, b, c, d):
        check(array, x)
        assert (array.sharding, array.is_fully_addressable) == (rows, False)
        assert len(array.addressable_shards) == dt.local_device_count()
        assert len(array.global_shards) == total
        assert sum(shard.data is None for shard in array.global_shards) == total - len(local())
        assert repr(array) == f"Array(shape={x.shape}, dtype=float32)"
        for value in (array.__array__, array.tolist):
            with pytest.raises(RuntimeError, match="spans non-addressable"):
                value()
    # Every other sharding, over the same devices and others.
    backward = Mesh(np.array(dt.devices()[::-1]).reshape(2, -1), ("data", "model"))
    for other in (
        NamedSharding(mesh, P("model", "data")),
        NamedSharding(mesh, P(None, ("data", "model"))),
        NamedSharding(backward, P("data")),
        NamedSharding(backward, P()),
        NamedSharding(auto_mesh(2), P("data")),
    ):
        moved = dt.device_put(a, other)
        for shard in moved.addressable_shards:
            np.testing.assert_array_equal(np.asarray(shard.data), x[shard.index])
    check(dt.device_put(dt.device_put(a, NamedSharding(backward, P())), rows), x)
    # Outside of jit, every process computes all, and keeps its parts.
    check(a * 2 + 1, x * 2 + 1)
    check(dnp.sum(a, axis=1), x.sum(1))
    check(a[1:3], x[1:3])
    np.testing.assert_allclose(float(dnp.sum(a)), x.sum(), 1e-4)
    whole = dt.device_put(a, NamedSharding(mesh, P()))
    assert whole.is_fully_replicated
    np.testing.assert_array_equal(np.asarray(whole), x)
    tree = hosts.host_local_array_to_global_array({"x": mine}, mesh, rows.spec)
    check(tree["x"], x)
    back = hosts.global_array_to_host_local_array(tree, mesh, rows.spec)["x"]
    np.testing.assert_array_equal(np.asarray(back), mine)
    with pytest.raises(ValueError, match="must have the same values in each"):
        dt.device_put(x + dt.process_index(), rows)
    with pytest.raises(
        ValueError, match="each dimension should match either global or process shape"
    ):
        dt.make_array_from_process_local_data(rows, mine[1:], x.shape)


# Mapped before the processes are connected.
tripled = dt.pmap(lambda v: v * 3)


@program
def utilities() -> None:
    """`multihost_utils`."""
    initialize()
    here, count = dt.process_index(), dt.process_count()
    everyone = list(range(count))
    assert hosts.process_allgather(np.int32(here)).tolist() == everyone
    assert hosts.process_allgather(np.array([here]), tiled=True).tolist() == everyone
    assert hosts.process_allgather(np.array([here])).tolist() == [[i] for i in everyone]
    sent = hosts.broadcast_one_to_all({"a": np.array([here, 7]), "b": np.float32(here)})
    assert (sent["a"].tolist(), float(sent["b"])) == ([0, 7], 0.0)
    assert int(hosts.broadcast_one_to_all(here, is_source=here == count - 1)) == count - 1
    hosts.sync_global_devices("here")
    own = dt.local_device_count()
    assert np.asarray(tripled(np.arange(own))).tolist() == [3 * i for i in range(own)]
    doubled = dt.pmap(lambda v: v * 2, devices=dt.local_devices())(np.arange(own))
    assert np.asarray(doubled).tolist() == [2 * i for i in range(own)]
    summed, scaled = dt.pmap(
        lambda v, w, k: (dt.lax.psum(v, "i"), k * v * w["w"]),
        axis_name="i",
        in_axes=(1, None),
        out_axes=(None, -1),
    )(np.arange(2.0 * own).reshape(2, own) + here, {"w": np.ones(3)[:2]}, k=np.full(own, 2.0))
    mine = [np.arange(2.0 * own).reshape(2, own) + i for i in everyone]
    np.testing.assert_allclose(summed, np.sum([each.sum(1) for each in mine], 0))
    np.testing.assert_allclose(scaled, 2 * mine[here])
    with pytest.raises(ValueError, match=rf"devices of this process, {own}, got: {own + 1}"):
        dt.pmap(lambda v: v)(np.arange(own + 1))
    hosts.assert_equal({"seed": np.arange(3)})
    with pytest.raises(
        AssertionError,
        match=r"seeds differ\. All processes must have the same values, got",
    ):
        hosts.assert_equal(here, "seeds differ")
    everywhere = NamedSharding(auto_mesh(dt.device_count()), P("data"))
    with pytest.raises(ValueError, match="only supports tiled=True"):
        hosts.process_allgather(dt.device_put(np.arange(8), everywhere))


@program
def programs() -> None:
    """A training step on data of each process, a product of matrices, and a ring."""
    initialize()
    count, total = dt.process_count(), dt.device_count()
    line, grid = auto_mesh(total), auto_mesh(total // 2, 2)
    x, y = normal(8 * total, 5), normal(8 * total, 1, seed=1)
    own = len(x) // count
    mine = slice(dt.process_index() * own, (dt.process_index() + 1) * own)
    everywhere = NamedSharding(line, P())
    params = {"w": normal(5, 1, seed=2), "b": np.zeros(1, np.float32)}
    shared = dt.device_put(params, everywhere)

    def loss(params: Any, x: Any, y: Any) -> Any:
        return dnp.mean((dnp.tanh(x @ params["w"] + params["b"]) - y) ** 2)

    def step(params: Any, x: Any, y: Any) -> Any:
        value, gradient = dt.value_and_grad(loss)(params, x, y)
        return dt.tree.map(lambda p, g: p - 0.1 * g, params, gradient), value

    rows = NamedSharding(line, P("data"))
    batch = dt.make_array_from_process_local_data(rows, (x[mine], y[mine]))
    train, alone = dt.jit(step), dt.jit(step)
    for _ in range(3):
        shared, value = train(shared, *batch)
        params, expected = alone(params, x, y)
        assert value.is_fully_replicated
        np.testing.assert_allclose(float(value), float(expected), 1e-5)
    check(shared["w"], np.asarray(params["w"]))

    def product(a: Any, b: Any) -> Any:
        return lax.psum(a @ b, "model")

    specs = {"in_specs": (P("data", "model"), P("model", None)), "out_specs": P("data")}
    matmul = dt.jit(dt.shard_map(product, mesh=grid, **specs))
    a, b = normal(2 * total, 8), normal(8, 3, seed=3)
    check(matmul(a, b), a @ b)
    sharded = [
        dt.device_put(value, NamedSharding(grid, spec))
        for value, spec in zip((a, b), specs["in_specs"], strict=True)
    ]
    check(matmul(*sharded), a @ b)
    # The devices in another order: neighbours are in different processes.
    mixed = np.array(dt.devices()).reshape(count, -1).T.reshape(-1)
    for devices in (np.array(dt.devices()), mixed):
        ring = Mesh(devices, ("data",), (AxisType.Auto,))
        pairs = [(i, (i + 1) % total) for i in range(total)]
        around = dt.jit(
            dt.shard_map(
                lambda part, pairs=pairs: lax.ppermute(part, "data", pairs),
                mesh=ring,
                in_specs=P("data"),
                out_specs=P("data"),
            )
        )
        check(around(dt.device_put(x, NamedSharding(ring, P("data")))), np.roll(x, 8, 0))
    # Large enough for each process to reduce a part.
    big = normal(total, 1 << 15)
    summed = dt.jit(lambda v: dnp.sum(v, 0))(dt.device_put(big, rows))
    np.testing.assert_allclose(np.asarray(summed), big.sum(0), 1e-4, 1e-4)
    # Only some of the processes.
    pair = auto_mesh(2)
    if local() & {*pair.flat_devices}:
        part = dt.device_put(x, NamedSharding(pair, P("data")))
        check(dt.jit(lambda v: v * 2)(part), x * 2)
    else:
        with pytest.raises(ValueError, match="must run on devices of this process, among others"):
            dt.jit(lambda v: v * 2)(dt.device_put(x, NamedSharding(pair, P("data"))))
    # A process may end before another one does what needs nothing of it.
    twice = dt.jit(lambda v: v * 2)
    twice(batch[0])
    if dt.process_index() > 0:
        time.sleep(1)
    twice(batch[0])


@program
def callbacks() -> None:
    """Functions of the host: one process calls them with whole arrays, or each with its parts."""
    initialize()
    mesh = auto_mesh(len(dt.devices()), names=("data",))
    x = normal(len(dt.devices()), 3)
    given = dt.device_put(x, NamedSharding(mesh, P("data")))
    seen: list[Any] = []

    def doubled(a: Any) -> Any:
        seen.append(np.array(a))
        return np.asarray(a) * 2

    def whole(x: Any) -> Any:
        return io_callback(doubled, dt.ShapeDtypeStruct(x.shape, x.dtype), x) + 1

    check(dt.jit(whole)(given), 2 * x + 1)
    assert [a.shape for a in seen] == [x.shape] * (dt.process_index() == 0)
    seen.clear()
    of_parts = dt.shard_map(whole, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
    check(dt.jit(of_parts)(given), 2 * x + 1)
    assert [a.shape for a in seen] == [(1, 3)] * len(dt.local_devices())
    # Along some axes of a mesh: the first device along the others calls, wherever that is.
    rows = len(dt.devices()) // 2
    grid = auto_mesh(rows, 2, names=("rows", "columns"))
    for axis, shape in (("rows", (2, 3)), ("columns", (rows, 3))):
        seen.clear()
        options: dict[str, Any] = {"mesh": grid, "axis_names": {axis}}
        of_parts = dt.shard_map(whole, in_specs=P(axis), out_specs=P(axis), **options)
        check(dt.jit(of_parts)(dt.device_put(x, NamedSharding(grid, P(axis)))), 2 * x + 1)
        calling = grid.devices[:, 0] if axis == "rows" else grid.devices[0]
        assert [a.shape for a in seen] == [shape] * len({*calling} & local())


def tree_of(mesh: Mesh) -> dict[str, Any]:
    """Arrays that are sharded in several ways, of several types, and what is not sharded."""

    def put(values: np.ndarray, *spec: Any) -> Any:
        return dt.device_put(values, NamedSharding(mesh, P(*spec)))

    x = normal(16, 8, 3)
    return {
        "rows": put(x, "data"),
        "grid": put(x, "model", "data"),
        "last": put(x[:, 0, :2], None, ("model",)),
        "uneven": put(x[:7], "data"),
        "replicated": put(x[0]),
        "complex": put(x[..., 0] + 1j * x[..., 1], "data"),
        "narrow": put(x.astype(dt.dtypes.int4), "data"),
        "half": put(x.astype(dt.dtypes.bfloat16), None, "data"),
        "step": 7,
        "host": x[1],
    }


def expected_tree() -> dict[str, Any]:
    x = normal(16, 8, 3)
    return {
        "rows": x,
        "grid": x,
        "last": x[:, 0, :2],
        "uneven": x[:7],
        "replicated": x[0],
        "complex": x[..., 0] + 1j * x[..., 1],
        "narrow": x.astype(dt.dtypes.int4),
        "half": x.astype(dt.dtypes.bfloat16),
        "step": 7,
        "host": x[1],
    }


def check_tree(tree: Any) -> None:
    """Compare a tree with what was saved: the parts that are here."""
    for name, expected in expected_tree().items():
        value = tree[name]
        if not isinstance(value, dt.Array):
            np.testing.assert_array_equal(value, expected)
            continue
        assert (value.shape, value.dtype) == (expected.shape, expected.dtype)
        for shard in value.addressable_shards:
            np.testing.assert_array_equal(np.asarray(shard.data), expected[shard.index])


@program
def saves(path: str) -> None:
    """A checkpoint of arrays that all processes have parts of."""
    initialize()
    total = dt.device_count()
    dt.checkpoint.save(path, tree_of(auto_mesh(total // 2, 2)))
    # Another mesh, and everything in each process.
    other = tree_of(auto_mesh(2, total // 2))
    check_tree(dt.checkpoint.load(path, like=other))
    check_tree(dt.checkpoint.load(path))


@program
def loads(path: str) -> None:
    """A checkpoint that other processes have written."""
    initialize()
    total = dt.device_count()
    wanted = tree_of(auto_mesh(total // 2, 2))
    loaded = dt.checkpoint.load(path, like=wanted)
    check_tree(loaded)
    assert loaded["grid"].sharding == wanted["grid"].sharding


def exported_step(params: Any, x: Any) -> Any:
    y = dnp.tanh(x @ params["w"])
    return {"w": params["w"] - 0.1 * dnp.mean(y, 0)}, dnp.mean(y), y


@program
def exports(path: str) -> None:
    """A training step for eight devices, in a file."""
    mesh = auto_mesh(8)
    x = dt.ShapeDtypeStruct((15, 3), np.float32, sharding=NamedSharding(mesh, P("data")))
    w = dt.ShapeDtypeStruct((3, 4), np.float32, sharding=NamedSharding(mesh, P()))
    dt.export(exported_step, {"w": w}, x, path=path)
    dt.jit(exported_step).lower({"w": w}, x).compile().save(f"{path}.saved")
    with pytest.raises(ValueError, match="must be the only one in its file"):
        dt.export({"a": (exported_step, {"w": w}, x), "b": (dnp.sin, 1.0)}, path=path)
    with pytest.raises(ValueError, match="must be for CPUs, got: target vulkan"):
        dt.export(exported_step, {"w": w}, x, path=path, targets="vulkan")


@program
def cannot_save(path: str, fault: str) -> None:
    """A checkpoint that one process cannot write, or during which it is killed."""
    initialize()
    mesh = auto_mesh(dt.device_count())
    x = dt.device_put(normal(3 << 10, 64), NamedSharding(mesh, P("data")))
    dt.checkpoint.save(path, {"x": x})
    y = dt.jit(lambda v: v + 1)(x)
    if dt.process_index() == 1:
        if fault == "killed":
            together._write_parts = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        else:
            # As a full disk.
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    if fault == "killed":
        with pytest.raises(CollectiveError, match="process 1 must take part"):
            dt.checkpoint.save(path, {"x": y})
    else:
        with pytest.raises(OSError, match=f"File too large in process 1: '{path}'") as caught:
            dt.checkpoint.save(path, {"x": y})
        assert caught.value.errno == errno.EFBIG
    # The older one is still there.
    loaded = dt.checkpoint.load(path, like={"x": x})["x"]
    for shard in loaded.addressable_shards:
        np.testing.assert_array_equal(np.asarray(shard.data), normal(3 << 10, 64)[shard.index])


def main() -> None:
    names, *arguments = sys.argv[1:]
    for name in names.split(","):
        PROGRAMS[name](*arguments)
    number = next(
        os.environ[name]
        for name in ("RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
        if name in os.environ
    )
    say("done", number)


if __name__ == "__main__":
    main()
