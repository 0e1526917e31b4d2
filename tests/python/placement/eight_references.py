"""References to arrays on eight devices: they stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import NamedSharding, P


def test_references_stay_where_they_are() -> None:
    sharding = NamedSharding(dt.make_mesh((8,), ("x",)), P("x"))
    ref = dt.new_ref(dt.device_put(np.arange(16, dtype=np.float32), sharding))
    assert ref.sharding == sharding

    @dt.jit
    def f(r: Any) -> Any:
        r[...] += 1
        r[0] += 1
        return r[...].sum()

    assert f(ref) == 137
    assert ref.sharding == sharding
    assert f(ref) == 154
    ref[0] = 0
    ref[1:3] = dnp.zeros(2)
    assert ref.sharding == sharding
    np.testing.assert_array_equal(ref[...], [0, 0, 0, *range(5, 18)])
