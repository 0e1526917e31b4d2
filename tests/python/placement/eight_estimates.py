"""The volumes of estimates are those that eight devices exchange; run by `test_devices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.programs.partitions import participants_of
from dovetail.sharding import AxisType, Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P

AUTO = (AxisType.Auto,) * 2
LINE = dt.make_mesh((8,), ("i",), axis_types=AUTO[:1])
GRID = dt.make_mesh((4, 2), ("data", "model"), axis_types=AUTO)


def as_columns(x: Any) -> Any:
    return lax.with_sharding_constraint(dnp.sin(x), NamedSharding(LINE, P(None, "i")))


def whole(x: Any) -> Any:
    return lax.with_sharding_constraint(dnp.sin(x), NamedSharding(LINE, P()))


def column_sums(x: Any) -> Any:
    return dnp.sum(x, 0)


def divided_sums(x: Any) -> Any:
    return lax.with_sharding_constraint(dnp.sum(x, 0), NamedSharding(LINE, P("i")))


def shifted(x: Any) -> Any:
    def part(x: Any) -> Any:
        return lax.ppermute(x, "i", [(i, (i + 1) % 8) for i in range(8)])

    return dt.shard_map(part, mesh=LINE, in_specs=P("i"), out_specs=P("i"))(x)


def layers(x: Any, ws: Any, vs: Any) -> Any:
    def layer(x: Any, weights: Any) -> Any:
        w, v = weights
        return dnp.tanh(x @ w) @ v, None

    return lax.scan(layer, x, (ws, vs))[0]


ROWS = [((512, 512), P("i"))]
LAYERS = [
    ((64, 512), P("data")),
    ((3, 512, 64), P(None, None, "model")),
    ((3, 64, 512), P(None, "model")),
]


@pytest.mark.parametrize(
    ("function", "mesh", "arguments", "ops"),
    [
        (as_columns, LINE, ROWS, {"all_to_all"}),
        (whole, LINE, ROWS, {"all_gather"}),
        (column_sums, LINE, [((64, 16384), P("i"))], {"all_reduce_sum"}),
        (divided_sums, LINE, [((64, 16384), P("i"))], {"reduce_scatter"}),
        (shifted, LINE, ROWS, {"permute"}),
        (layers, GRID, LAYERS, {"all_reduce_sum"}),
        (
            dt.grad(lambda *args: dnp.sum(layers(*args)), (0, 1, 2)),
            GRID,
            LAYERS,
            {"all_reduce_sum"},
        ),
    ],
)
def test_volumes(
    function: Callable[..., Any],
    mesh: Mesh,
    arguments: list[tuple[tuple[int, ...], P]],
    ops: set[str],
) -> None:
    arrays = [
        dt.device_put(np.ones(shape, np.float32) / 64, NamedSharding(mesh, spec))
        for shape, spec in arguments
    ]
    specs = tuple(spec for _, spec in arguments)
    predicted = dt.sharding.estimate(function, mesh, *arrays, in_shardings=specs).collectives
    assert ops <= {each.op for each in predicted}
    compiled = dt.jit(function).lower(*arrays).compile()
    participants = participants_of(mesh)
    before = participants.received_bytes
    dt.block_until_ready(compiled(*arrays))
    received = participants.received_bytes - before
    expected = 8 * sum(each.runs * each.received_bytes for each in predicted)
    # Parts of a reduction begin at cache lines.
    assert expected <= received <= 1.01 * expected
