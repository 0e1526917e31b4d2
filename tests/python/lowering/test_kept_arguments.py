"""Arguments that are not donated are unchanged, whatever ops write over their operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "scatter": lambda x: x.at[0].set(-1.0),
    "scatter_add": lambda x: x.at[dnp.array([1, 1, 2])].add(-1.0),
    "update_slice": lambda x: dt.lax.dynamic_update_slice(x, dnp.zeros((2, 3)), (1, 0)),
    "reshaped": lambda x: x.reshape(-1).at[3].set(-1.0),
    "slice": lambda x: x[2:].at[0].set(-1.0),
    "twice": lambda x: x.at[0].set(-1.0).at[1].add(2.0),
    "sort": lambda x: dnp.sort(x, axis=0),
    "cumsum": lambda x: dnp.cumsum(x, axis=0),
    "scan": lambda x: dt.lax.scan(lambda c, i: (c.at[i].add(1.0), c[i]), x, dnp.arange(3)),
    "while": lambda x: dt.lax.while_loop(
        lambda c: c[0, 0] < 9, lambda c: c.at[0].add(1.0).at[1].mul(2.0), x
    ),
    "cond": lambda x: dt.lax.cond(x[0, 0] < 9, lambda y: y.at[0].set(-1.0), lambda y: y, x),
    "vmapped": lambda x: dt.vmap(lambda row: row.at[1].set(-1.0))(x),
    "gradient": lambda x: dt.grad(lambda y: dnp.sum(y[dnp.array([0, 0, 2])] ** 2))(x),
}


@pytest.mark.parametrize("rows", [4, 4096])
@pytest.mark.parametrize("name", PROGRAMS)
def test_argument_is_kept(name: str, rows: int) -> None:
    start = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3) / rows
    program = dt.jit(PROGRAMS[name])
    x = dt.jit(lambda a: a + 0.5)(start)
    expected = np.array(start + np.float32(0.5))
    first = dt.tree.map(np.array, program(x))
    np.testing.assert_array_equal(x, expected)
    for one, two in zip(dt.tree.leaves(first), dt.tree.leaves(program(x)), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(x, expected)


def test_closed_over_arrays_are_kept() -> None:
    table = dt.jit(lambda: dnp.arange(64.0) + 1)()
    program = dt.jit(lambda i: table.at[i].set(-1.0))
    assert float(program(3)[3]) == -1.0
    assert float(program(4)[3]) == 4.0
    np.testing.assert_array_equal(table, np.arange(64, dtype=np.float32) + 1)
