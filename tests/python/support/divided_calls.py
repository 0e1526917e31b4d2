"""Arrays that are divided in many ways, and the check of shardings, for tables of eager calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.sharding import NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.divided import LINE, values

# A function, and the spec of its result, as JAX prints it; None on one device.
Cases = dict[str, tuple[Callable[[], Any], P | None]]

g = values((16, 8), "x", "y")
b = values((8,), "x")
w = values((16,), ("x", "y"))
t = values((8, 4, 6), "x", "y")
sq = values((8, 8), "x", "y")
r = values((16, 8), None, "x")
q = values((4, 8, 16), None, "x", "y")
d1 = values((24, 3), "d", mesh=LINE)
d2 = values((8, 16), None, "d", mesh=LINE)
iv = values((16,), "x").astype(np.int32) % 5
ib = values((16, 8), "x", "y").astype(np.int32)
bo = g > 0


def check(function: Callable[[], Any], spec: P | None) -> None:
    """Checks where the result of a call is."""
    result = function()
    if spec is None:
        assert len(result.sharding.device_set) == 1
        return
    wanted = NamedSharding(result.sharding.mesh, spec)
    assert result.sharding.is_equivalent_to(wanted, result.ndim), result.sharding.spec
