"""Loops that fill large tables: each is one dispatch, in which the tables are changed in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.programs.stages import Compiled
from support.host_loops import compare

# More elements than a step of one dispatch may process.
ROWS, COLUMNS = 1100, 1024
TABLE = dnp.sin(dnp.arange(ROWS * COLUMNS, dtype=dnp.float32)).reshape(ROWS, COLUMNS)
ROW = dnp.cos(dnp.arange(COLUMNS, dtype=dnp.float32))
SMALL = TABLE[:6, :40]


def steps(table: Any) -> int:
    return min(table.shape[0], 30)


def recurrence(table: Any, row: Any) -> Any:
    return lax.fori_loop(
        1, steps(table), lambda i, t: t.at[i].set(dnp.sin(t[i - 1]) * t[i] + row), table
    )


def repeated(table: Any, row: Any) -> Any:
    return lax.while_loop(
        lambda c: c[0] < steps(c[1]),
        lambda c: (c[0] + 1, c[1].at[c[0]].add(c[1][c[0] - 1] * row)),
        (1, table),
    )


def several(table: Any, row: Any) -> Any:
    def step(tables: tuple[Any, Any, Any], i: Any) -> tuple[Any, Any]:
        a, b, c = tables
        a = a.at[i].set(dnp.cos(a[i - 1]) + row)
        b = b.at[i].set(b[i - 1] * 3 + i)
        c = c.at[i].set((b[i] % 4 > 1) ^ c[i - 1])
        return (a, b, c), a[i] * 2

    start = (table, (table * 9).astype(dnp.int32), table > 0)
    return lax.scan(step, start, dnp.arange(1, steps(table)))


def columns(table: Any, row: Any) -> Any:
    """A window that is not along the rows, and one that is truncated at the end."""

    def step(i: Any, t: Any) -> Any:
        part = lax.dynamic_slice(t, (0, i * 3), (t.shape[0], 4))
        t = lax.dynamic_update_slice(t, part * 0.5 + row[i], (0, i * 3 + 2))
        return lax.dynamic_update_slice(t, t[:2, :5], (i, t.shape[1] - 3))

    return lax.fori_loop(0, 7, step, table)


def chosen(table: Any, row: Any) -> Any:
    def step(i: Any, t: Any) -> Any:
        changed = lax.cond(t[i - 1, 0] > 0, lambda t: t.at[i].add(row), lambda t: t, t)
        return lax.switch(
            i % 3,
            [lambda t: t, lambda t: t.at[i, 1].set(7.0), lambda t: t.at[0].mul(0.5)],
            changed,
        )

    return lax.fori_loop(1, steps(table), step, table)


def read_behind(table: Any, row: Any) -> Any:
    def step(i: Any, carry: tuple[Any, Any]) -> tuple[Any, Any]:
        t, total = carry
        changed = t.at[i].set(t[i - 1] + row)
        return changed, total + t[i] + t[0]

    return lax.fori_loop(1, steps(table), step, (table, row))


def many_places(table: Any, row: Any) -> Any:
    """Overlapping windows, and some out of bounds."""
    places = dnp.asarray([0, 3, 3, 20, -1])

    def step(i: Any, t: Any) -> Any:
        rows = t.at[places + i].get(mode="fill", fill_value=2.0)
        return t.at[places + i].add(rows * row, mode="drop").at[i, places].max(row[:5])

    return lax.fori_loop(0, 4, step, table)


LOOPS = [recurrence, repeated, several, columns, chosen, read_behind, many_places]


def scalar_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of the floats among the results."""

    def total(*args: Any) -> Any:
        leaves = dt.tree.leaves(function(*args))
        return sum(dnp.sum(leaf) for leaf in leaves if dnp.issubdtype(leaf.dtype, dnp.floating))

    return total


def check(function: Callable[..., Any], *args: Any, rtol: float = 1e-4, atol: float = 1e-4) -> None:
    """Compares with evaluation op by op. No loop or branch runs on the host."""
    lowered = dt.jit(function).lower(*args)
    main = lowered.as_text("lower").split("func.func @main")[-1]
    assert "flow.dispatch" in main
    assert "scf." not in main
    compare(Compiled(lowered._program)(*args), function(*args), rtol, atol)


@pytest.mark.parametrize("function", LOOPS, ids=lambda function: function.__name__)
def test_large_tables(function: Callable[..., Any]) -> None:
    check(function, TABLE, ROW)


def test_gradients() -> None:
    differentiable = [f for f in LOOPS if f not in (repeated, many_places)]

    def gradients(table: Any, row: Any) -> Any:
        return [dt.grad(scalar_of(f), (0, 1))(table, row) for f in differentiable]

    check(gradients, SMALL, ROW[:40])


def test_gradient_of_a_large_table() -> None:
    check(dt.grad(scalar_of(recurrence), (0, 1)), TABLE, ROW)


def test_batches() -> None:
    tables = dnp.stack([SMALL, SMALL + 1, SMALL * 2])
    rows = dnp.stack([ROW[:40], ROW[40:80], ROW[80:120]])

    def batched(tables: Any, rows: Any) -> Any:
        return [dt.vmap(f)(tables, rows) for f in LOOPS if f is not chosen]

    check(batched, tables, rows)


def test_batch_of_large_tables() -> None:
    check(dt.vmap(recurrence, in_axes=(0, None)), TABLE[:1098].reshape(3, 366, COLUMNS), ROW)
