"""Control flow of arrays whose sizes are known only when the program runs, transformed: compiled
once, against evaluation of the function itself at two sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from support.host_loops import compare

AT = np.array([0, 2])


def check(function: Callable[..., Any], shapes: Any = "n") -> None:
    compiled = dt.jit(function, dynamic_shapes=shapes)
    with config.enable_x64(True):
        for size in (3, 6):
            args = [dnp.asarray(a) for a in np.random.default_rng(size).normal(size=(2, size))]
            compare(compiled(*args), function(*args), 1e-9, 1e-11)


# Arrays made without operands, and overwritten more than once.


def zeros(x: Any, _y: Any) -> Any:
    table = dnp.zeros(x.shape[0])
    return table.at[AT].add(x[AT]), table.at[AT].add(x[AT] * 2)


def numbers(x: Any, _y: Any) -> Any:
    table = dnp.arange(x.shape[0], dtype=x.dtype)
    return table, table.at[AT].set(9), table.at[AT].multiply(x[AT])


def slices(x: Any, _y: Any) -> Any:
    table = dnp.arange(x.shape[0], dtype=x.dtype)
    updates = [lax.dynamic_update_slice(table, x[:2], (i,)) for i in range(2)]
    return dnp.cumsum(table), *updates


def loops(x: Any, _y: Any) -> Any:
    table = dnp.ones(x.shape[0])

    def body(i: Any, c: Any) -> Any:
        return c.at[i].add(x[i])

    return lax.fori_loop(0, 3, body, table), lax.fori_loop(1, 3, body, table)


def rows(x: Any, y: Any) -> Any:
    # Each has the number of the row before its position in the row.
    table = dnp.zeros((x.shape[0], 4))
    put = dt.vmap(lambda row, at, value: row.at[at].add(value))
    places = [(dnp.abs(z) * 2).astype(dnp.int32) for z in (x, y, x * y)]
    tables = [put(table, at, x) for at in places]
    return dt.vmap(lambda row, at: row[at])(tables[0] + tables[2], places[1]), tables[1]


@pytest.mark.parametrize("function", [zeros, numbers, slices, loops, rows])
def test_arrays_made_without_operands(function: Callable[..., Any]) -> None:
    check(function)


# Branches that keep different things, whose sizes follow from different arguments.


def branches(x: Any, y: Any) -> Any:
    return lax.cond(
        dnp.sum(x) > 0.3,
        lambda x, y: dnp.sin(x * 0.5 * (y[1] + x) - 0.3),
        lambda x, y: dnp.tanh(y * 0.5 + x[0]) * 0.7,
        x,
        y,
    )


def nested(x: Any, y: Any) -> Any:
    return lax.switch(
        (dnp.sum(y) * 2).astype(dnp.int32),
        [
            lambda x, y: branches(y, x) * x,
            lambda x, y: dt.vmap(lambda s: dnp.sum(x + s) * 0.2)(y * 0.3),
            lambda x, y: y * y,
        ],
        x,
        y,
    )


def in_loop(x: Any, y: Any) -> Any:
    def body(c: Any, row: Any) -> Any:
        return dnp.tanh(branches(c, y)) * 0.9, nested(c, c * row)

    carry, stacked = lax.scan(body, x, dnp.stack([x, y, x * y]))
    return carry + dnp.sum(stacked, 0) * 0.1


def mapped_in_loop(x: Any, y: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        outs = dt.vmap(lambda s: dnp.sum(dnp.sin(carry + s) * row))(x * 0.3)
        return dnp.tanh(carry * outs) * 0.9, outs

    carry, stacked = lax.scan(step, x, dnp.stack([x, y]))
    return carry + stacked[0] * stacked[1]


def remade(x: Any, y: Any) -> Any:
    block = dt.checkpoint(lambda c: dnp.tanh(branches(c, y) + c) * 0.7)
    return lax.fori_loop(0, 3, lambda i, c: block(c) + i * 0.01, x)


def until(x: Any, y: Any) -> Any:
    def holds(s: Any) -> Any:
        return (s[0] < 4) & (dnp.sum(s[1]) < 2.5)

    return lax.while_loop(holds, lambda s: (s[0] + 1, dnp.tanh(s[1] * y) * 0.7 + x), (0, x))[1]


PROGRAMS = [branches, nested, in_loop, mapped_in_loop, remade, until]


def loss_of(program: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: dnp.sum(program(x, y) ** 2)


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program: Callable[..., Any]) -> None:
    check(dt.grad(loss_of(program), (0, 1)))


@pytest.mark.parametrize("program", PROGRAMS)
def test_batches_of_gradients(program: Callable[..., Any]) -> None:
    # The elements of the batch take their own branches and numbers of steps.
    gradient = dt.grad(loss_of(program))
    check(lambda x, y: dt.vmap(gradient, in_axes=(0, None))(dnp.stack([x, y, -x]), y))


@pytest.mark.parametrize("program", [branches, remade, until])
def test_second_derivatives(program: Callable[..., Any]) -> None:
    gradient = dt.grad(loss_of(program))
    check(lambda x, y: dt.jvp(lambda x: gradient(x, y), (x,), (y,)))
    check(lambda x, y: dt.grad(lambda x: dnp.sum(gradient(x, y) ** 2))(x))


def counted(x: Any, y: Any) -> Any:
    def chosen(x: Any, y: Any) -> Any:
        # The derivative keeps this number, which is not a count of steps.
        number = (dnp.sum(x * x) * 1e8).astype(dnp.int32)
        return lax.switch(number, [lambda x: x * y, dnp.sin], x)

    return lax.cond(dnp.sum(x * y) > 0, until, chosen, x, y)


def test_counts_of_steps_are_those_of_the_loop() -> None:
    gradient = dt.grad(loss_of(counted))
    function = dt.vmap(gradient, in_axes=(0, None))
    check(lambda x, y: function(dnp.stack([x, y, -x, -y]), y))
    x, y = np.random.default_rng(2).normal(size=(2, 4)).astype(np.float32)
    rows = np.stack([x, y, -x, -y])
    each = [gradient(dnp.asarray(row), dnp.asarray(y)) for row in rows]
    np.testing.assert_allclose(dt.jit(function)(rows, y), np.stack(each), rtol=1e-4, atol=1e-5)
