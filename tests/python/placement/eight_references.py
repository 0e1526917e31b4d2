"""References to arrays on eight devices: they stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import NamedSharding, P, lax
from dovetail.errors import ShardingTypeError
from dovetail.sharding import AxisType


def test_references_stay_where_they_are() -> None:
    mesh = dt.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    sharding = NamedSharding(mesh, P("x"))
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


def test_references_over_explicit_axes() -> None:
    sharding = NamedSharding(dt.make_mesh((8,), ("x",)), P("x"))
    ref = dt.new_ref(dt.device_put(np.arange(16, dtype=np.float32), sharding))

    @dt.jit
    def f(r: Any) -> Any:
        r[...] += 1
        assert dt.typeof(r[...]).sharding.spec == P("x")
        return r[...].sum()

    assert f(ref) == 136
    assert ref.sharding == sharding

    @dt.jit
    def g(r: Any) -> Any:
        r[0] += 1

    with pytest.raises(ShardingTypeError, match="not divisible by mesh axes"):
        g(ref)


@pytest.mark.parametrize("jitted", [False, True])
def test_parts_of_references(jitted: bool) -> None:
    """Functions of parts take references, and windows of them, like the arrays that they hold."""
    mesh = dt.make_mesh((8,), ("x",))

    def step(total: Any, row: Any, scale: Any) -> Any:
        row[...] *= scale[...]
        total[...] += lax.psum(row[...].sum(), "x")
        return row[...][:1]

    specs = (P(), P("x"), P())
    mapped = dt.shard_map(step, mesh=mesh, in_specs=specs, out_specs=P("x"))
    total, table, scale = (
        dt.new_ref(0.0),
        dt.new_ref(dnp.arange(32.0).reshape(2, 16)),
        dt.new_ref(2.0),
    )
    f = dt.jit(lambda *refs: mapped(refs[0], refs[1].at[1], refs[2])) if jitted else None
    first = f(total, table, scale) if f else mapped(total, table.at[1], scale)
    row = 2 * np.arange(16, 32)
    np.testing.assert_array_equal(first, row[::2])
    np.testing.assert_array_equal(table[...], [np.arange(16), row])
    assert total[...] == row.sum()
    assert scale[...] == 2


def test_a_reference_is_one_argument_of_a_function_of_parts() -> None:
    ref = dt.new_ref(dnp.zeros(8))
    f = dt.shard_map(
        lambda a, b: a[...] + b[...],
        mesh=dt.make_mesh((8,), ("x",)),
        in_specs=P("x"),
        out_specs=P("x"),
    )
    with pytest.raises(ValueError, match="only one reference to a mutable array may be passed"):
        f(ref, ref.at[:])
