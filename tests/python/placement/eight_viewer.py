"""The program viewer shows shardings; run by `test_devices`."""

from __future__ import annotations

from typing import Any

import numpy as np

import dovetail as dt
from dovetail.sharding import Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.viewer_pages import data_of, ops_of, phase_of

GRID = Mesh(np.array(dt.devices()).reshape(4, 2), ("data", "model"))


def test_values_have_their_shardings() -> None:
    x = dt.device_put(np.ones((16, 8), np.float32), NamedSharding(GRID, P("data")))
    w = dt.device_put(np.ones((8, 4), np.float32), NamedSharding(GRID, P(None, "model")))

    def product(x: Any, w: Any) -> Any:
        return dt.numpy.tanh(x @ w)

    page = dt.view(dt.jit(product), x, w, profile=True)
    [program] = data_of(page.html)["programs"]
    simplified, part = phase_of(program, "simplify"), phase_of(program, "shard")
    for name in ("dovetail.dot_general", "dovetail.tanh"):
        [op] = ops_of(simplified, name)
        [value] = op.results
        assert simplified["values"][value][2] == (
            '#dovetail.sharding<#dovetail.mesh<["data" = 4, "model" = 2]>, [{"data"}, {"model"}]>'
        )
    assert "dovetail.shardings" not in simplified["text"]
    [dot] = ops_of(part, "dovetail.dot_general")
    assert part["values"][dot.results[0]][1] == "tensor<4x2xf32>"
    assert "several devices" in program["notes"][0]
