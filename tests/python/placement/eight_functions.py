"""Functions of `dovetail.numpy` and `dovetail.lax` on arrays that are sharded over eight devices of
one CPU; run by `test_devices`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.sharding import Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P
from dovetail.tree_util import tree_leaves
from support.jax_table import LAX, NUMPY, Call
from support.table_arguments import arguments

DEVICES = dt.devices()
GRID = Mesh(np.array(DEVICES).reshape(4, 2), ("x", "y"))
# Results are not arrays.
LEFT_OUT = {"iinfo", "vectorize"}


def outcome(library: Any, call: Call, names: dict[str, Any]) -> list[Any]:
    """The leaves of a call's result, or its error."""
    try:
        return tree_leaves(eval(f"lib.{call.text}", {"lib": library, **names}))
    except Exception as error:
        return [type(error)]


def sharded(names: dict[str, Any]) -> dict[str, Any]:
    """The arrays among arguments, cut in one of several ways."""
    specs = [P("x"), P("y"), P(), P(("y", "x")), P("y", "x"), P(None, "x")]
    placed = {}
    for number, (name, value) in enumerate(names.items()):
        if type(value) is Array:
            spec = specs[number % len(specs)]
            where = NamedSharding(GRID, spec if len(spec) <= value.ndim else P())
            placed[name] = dt.device_put(value, where)
    return names | placed


@pytest.mark.parametrize(("library", "table"), [(dnp, NUMPY), (lax, LAX)], ids=["numpy", "lax"])
@dt.config.compile("never")
def test_functions(library: Any, table: dict[str, list[Call]]) -> None:
    names = arguments("float32", dnp)
    others = sharded(names)
    wrong, count = [], 0
    for call in (call for name in sorted({*table} - LEFT_OUT) for call in table[name]):
        expected, got = outcome(library, call, names), outcome(library, call, others)
        count += any(type(leaf) is Array for leaf in got)
        if not all(map(same, expected, got)) or len(expected) != len(got):
            wrong.append(f"{call.text}: {expected} and {got}")
        elif any(type(leaf) is Array and len(leaf.devices()) not in (1, 8) for leaf in got):
            wrong.append(f"{call.text}: on {got[0].devices()}")
    assert not wrong, "\n".join(wrong)
    assert count > 0.7 * sum(map(len, table.values()))


def same(one: Any, other: Any) -> bool:
    """True if two leaves are equal, in their bits if they are arrays."""
    if not isinstance(one, (Array, np.ndarray)):
        return type(one) is type(other) and (one == other or one != one)
    if not isinstance(other, (Array, np.ndarray)) or one.dtype != other.dtype:
        return False
    return one.shape == other.shape and np.asarray(one).tobytes() == np.asarray(other).tobytes()
