"""Estimates of programs on meshes that need not exist."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AbstractMesh, estimate
from dovetail.sharding import PartitionSpec as P

MESH = AbstractMesh((4, 2), ("data", "model"))
OTHER = AbstractMesh((2,), ("z",))


def described(*shape: int) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, "float32")


def layer(x: Any, w: Any, v: Any) -> Any:
    return dnp.tanh(x @ w) @ v


def test_volumes_and_times_of_a_layer() -> None:
    found = estimate(
        layer,
        MESH,
        *(described(*shape) for shape in ((64, 16), (16, 32), (32, 16))),
        in_shardings=(P("data"), P(None, "model"), P("model")),
        flops=1e9,
        memory_bandwidth=1e9,
        link_bandwidth=1e6,
        latency=1e-3,
    )
    [total] = found.collectives
    assert (total.op, total.axes, total.devices, total.runs) == ("all_reduce_sum", ("model",), 2, 1)
    # Each device has 16 rows; two devices exchange half of them, twice.
    assert total.operand_bytes == 16 * 16 * 4
    assert total.received_bytes == 16 * 16 * 4
    assert total.seconds == pytest.approx(total.received_bytes / 1e6 + 1e-3)
    assert "test_estimates.py" in total.line
    products = 2 * 2 * 16 * 16 * 16
    assert found.flops == pytest.approx(products, rel=0.1)
    assert found.argument_bytes == 4 * (16 * 16 + 16 * 16 + 16 * 16)
    assert found.argument_bytes < found.peak_bytes < 3 * found.argument_bytes
    assert found.out_specs == (P("data"),)
    assert found.seconds == pytest.approx(found.compute_seconds + found.communication_seconds)
    assert "all_reduce_sum" in str(found)
    assert "8 devices" in str(found)


def test_loops_run_their_collectives_each_time() -> None:
    def layers(x: Any, ws: Any, vs: Any) -> Any:
        return lax.scan(lambda x, each: (layer(x, *each), None), x, (ws, vs))[0]

    shapes = (64, 16), (5, 16, 32), (5, 32, 16)
    specs = P("data"), P(None, None, "model"), P(None, "model")
    found = estimate(layers, MESH, *(described(*s) for s in shapes), in_shardings=specs)
    assert [each.runs for each in found.collectives] == [5]


@pytest.mark.parametrize("size", [2, 1000, 10_000])
def test_volumes_of_each_collective(size: int) -> None:
    mesh = AbstractMesh((size,), ("i",))
    rows, columns = P("i"), P(None, "i")

    def moved(x: Any) -> Any:
        whole = dt.lax.with_sharding_constraint(x * 2, dt.NamedSharding(mesh, P()))
        across = dt.lax.with_sharding_constraint(x + 1, dt.NamedSharding(mesh, columns))
        return whole, across, dnp.max(x, 0)

    n = 4 * size
    found = estimate(moved, mesh, described(n, n), in_shardings=rows)
    received = {each.op: each.received_bytes for each in found.collectives}
    part = 4 * n * n / size
    assert received["all_gather"] == pytest.approx(part * (size - 1))
    assert received["all_to_all"] == pytest.approx(part * (size - 1) / size)
    assert received["all_reduce_max"] == pytest.approx(2 * 4 * n * (size - 1) / size)


def test_arguments_without_a_spec_and_trees() -> None:
    params = {"w": described(16, 32), "v": described(32, 16)}
    specs = P("data"), {"w": P(None, "model"), "v": None}
    found = estimate(
        lambda x, p: layer(x, p["w"], p["v"]), MESH, described(64, 16), params, in_shardings=specs
    )
    assert [each.op for each in found.collectives] == ["all_reduce_sum"]
    assert estimate(layer, MESH, *map(np.ones, ((4, 4),) * 3)).collectives == ()


def test_bad_input() -> None:
    x = described(4, 4)
    with pytest.raises(ValueError, match="link_bandwidth must be positive, got: 0"):
        estimate(dnp.sin, MESH, x, link_bandwidth=0)
    with pytest.raises(ValueError, match="must be one that can be partitioned"):
        estimate(dt.shard_map(dnp.sin, mesh=OTHER, in_specs=P("z"), out_specs=P("z")), MESH, x)
    with pytest.raises(ValueError, match="estimate in_shardings"):
        estimate(layer, MESH, x, x, x, in_shardings=(P("data"), P()))
