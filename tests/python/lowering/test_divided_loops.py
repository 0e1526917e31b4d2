"""Loops whose parts are workgroups of one dispatch, against evaluation op by op."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, config, lax
from dovetail.compiler.schedule import schedule_of
from dovetail.programs.stages import Compiled
from support import breadth
from support.control_programs import FORMS, PROGRAMS
from support.host_loops import compare


def divided(function: Callable[..., Any], *args: Any) -> Compiled:
    """The compiled function, in which every loop is divided that can be."""
    program = dt.jit(function).lower(*args).program
    marked = "module attributes {dovetail.divide_loops} {"
    module = _core.Module.parse(program.module.text().replace("module {", marked, 1))
    return Compiled(replace(program, module=module))


def check(function: Callable[..., Any], *args: Any, rtol: float = 1e-9) -> Compiled:
    """Compares with evaluation op by op."""
    compiled = divided(function, *args)
    compare(compiled(*args), function(*args), rtol, 1e-11)
    return compiled


def is_divided(compiled: Compiled) -> bool:
    return "dovetail.groups" in compiled.as_text()


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


@pytest.mark.parametrize("name", FORMS)
def test_programs(name: str) -> None:
    check(functools.partial(PROGRAMS[name].results, dt), *PROGRAMS[name].points)


@pytest.mark.parametrize("name", FORMS)
def test_batches(name: str) -> None:
    program = PROGRAMS[name]
    points = [np.stack([x, 0.5 * x, 0.25 * x, 2 * x]) for x in map(np.asarray, program.points)]
    points = [x.astype(np.asarray(p).dtype) for x, p in zip(points, program.points, strict=True)]
    check(dt.vmap(functools.partial(program.results, dt)), *points)


# Steps of a loop: each maps rows to rows, without or with a whole array; and some that do not.
STEPS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "scale": lambda x, w, v, i: 0.5 * x,
    "sine": lambda x, w, v, i: dnp.sin(x),
    "product": lambda x, w, v, i: dnp.tanh(x @ w),
    "bias": lambda x, w, v, i: x + v,
    "number": lambda x, w, v, i: x + 0.1 * i,
    "softmax": lambda x, w, v, i: dt.nn.softmax(x, axis=1),
    "centered": lambda x, w, v, i: x - x.mean(1, keepdims=True),
    "running": lambda x, w, v, i: 0.1 * dnp.cumsum(x, axis=1),
    "reversed": lambda x, w, v, i: x[:, ::-1],
    "rolled": lambda x, w, v, i: dnp.roll(x, 1, axis=1),
    "window": lambda x, w, v, i: x + lax.dynamic_slice_in_dim(w, i % 3, 1),
    "written": lambda x, w, v, i: x.at[:, i % 5].add(1.0),
    "taken": lambda x, w, v, i: x[:, dnp.array([4, 0, 3, 1, 2])],
    "chosen": lambda x, w, v, i: dnp.where(x > 0, x, v),
    "places": lambda x, w, v, i: x + dnp.arange(12.0)[:, None],
    "columns": lambda x, w, v, i: x + dnp.arange(5.0),
    "branch": lambda x, w, v, i: lax.cond(i > 1, lambda x: x + 1, lambda x: 2 * x, x),
    "inner": lambda x, w, v, i: lax.fori_loop(0, 3, lambda j, x: 0.5 * x + v * j, x),
    "places in inner": lambda x, w, v, i: lax.fori_loop(
        0, i, lambda j, x: 0.5 * x + dnp.arange(12.0)[:, None], x
    ),
    "whole mean": lambda x, w, v, i: x - x.mean(),
    "rows reversed": lambda x, w, v, i: x[::-1],
    "rows summed": lambda x, w, v, i: x + 0.1 * dnp.cumsum(x, axis=0),
    "sorted": lambda x, w, v, i: dnp.sort(x, axis=1),
    "gram": lambda x, w, v, i: dnp.tanh((x @ x.T) @ x),
}
ROWS = [
    name for name in STEPS if name not in ("whole mean", "rows reversed", "rows summed", "gram")
]


def loop(names: list[str], after: bool, stacks: bool) -> Callable[..., Any]:
    def f(x: Any, w: Any, v: Any) -> Any:
        def body(carry: Any, given: Any) -> Any:
            i, y = given
            for name in names:
                carry = STEPS[name](carry, w, v, i)
            return carry + 0.1 * y, (carry.sum(1), 2 * carry) if stacks else None

        x, stacked = lax.scan(body, dnp.cos(x), (dnp.arange(4), dnp.ones((4, 12, 5)) * v))
        return (dnp.exp(-x * x) + v if after else x), stacked

    return f


POINTS = [np.random.default_rng(0).normal(size=size) for size in ((12, 5), (5, 5), (5,))]


@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str) -> None:
    compiled = check(loop([name], after=True, stacks=False), *POINTS)
    if name in ("whole mean", "gram"):
        assert not is_divided(compiled)
    else:
        assert is_divided(compiled)


@settings(max_examples=100 if breadth.IS_NIGHTLY else 8, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_random_loops(names: list[str], after: bool, stacks: bool) -> None:
    check(loop(names, after, stacks), *POINTS)


@settings(max_examples=50 if breadth.IS_NIGHTLY else 4, deadline=None)
@given(st.lists(st.sampled_from(sorted(ROWS)), min_size=1, max_size=2))
def test_gradients(names: list[str]) -> None:
    def loss(*points: Any) -> Any:
        return sum(
            dnp.sum(leaf * leaf) for leaf in dt.tree.leaves(loop(names, True, True)(*points))
        )

    check(dt.grad(loss, argnums=(0, 1, 2)), *POINTS, rtol=1e-7)


def test_an_array_that_each_part_needs() -> None:
    def f(x: Any, y: Any = None) -> Any:
        y = x if y is None else y

        def body(i: Any, top: Any) -> Any:
            return dnp.maximum(top, (x @ lax.dynamic_slice_in_dim(y, 4 * i, 4).T).max(1))

        return lax.fori_loop(0, 3, body, dnp.full(12, -np.inf))

    assert not is_divided(check(f, POINTS[0]))
    assert is_divided(check(f, POINTS[0], POINTS[0] + 1))


def test_ops_in_between_stay_in_order() -> None:
    """What needs one result of a loop and is needed beside another does not become part of it."""

    def f(x: Any, v: Any) -> Any:
        a, b = lax.fori_loop(0, 3, lambda i, c: (0.5 * c[0] + v, dnp.sin(c[1])), (x, x + 1))
        return b * dnp.linalg.norm(a + 1), a + 1

    assert is_divided(check(f, POINTS[0], POINTS[2]))


def test_large_attention_is_one_dispatch() -> None:
    size, width = 1024, 16

    def f(q: Any, k: Any, v: Any) -> Any:
        def body(i: Any, carry: Any) -> Any:
            top, total, out = carry
            keys, values = (lax.dynamic_slice_in_dim(x, 128 * i, 128) for x in (k, v))
            scores = q @ keys.T
            new = dnp.maximum(top, scores.max(1))
            weights, scale = dnp.exp(scores - new[:, None]), dnp.exp(top - new)
            out = out * scale[:, None] + weights @ values
            return new, total * scale + weights.sum(1), out

        start = dnp.full(size, -1e30), dnp.zeros(size), dnp.zeros((size, width))
        _, total, out = lax.fori_loop(0, size // 128, body, start)
        return out / total[:, None]

    arrays = [np.random.default_rng(i).normal(size=(size, width)) for i in range(3)]
    compiled = dt.jit(f).lower(*arrays).compile()
    expected = dt.nn.softmax(arrays[0] @ arrays[1].T, axis=1) @ arrays[2]
    np.testing.assert_allclose(compiled(*arrays), expected, rtol=1e-7)
    assert len(schedule_of(compiled._program.compilation()).dispatches) == 1


STEPS_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "grows": lambda x: 1.5 * x + 0.1,
    "turns": lambda x: x + 2 * dnp.sin(x) ** 2 + 0.5,
    "jumps": lambda x: dnp.where(x < 3, 2 * x, x + 4),
}


@settings(max_examples=50 if breadth.IS_NIGHTLY else 6, deadline=None)
@given(
    st.lists(st.floats(0.1, 40), min_size=2, max_size=12),
    st.lists(st.sampled_from(sorted(STEPS_OF_ONE)), min_size=1, max_size=2, unique=True),
    st.booleans(),
)
def test_instances_that_end_one_by_one(
    starts: list[float], names: list[str], has_rows: bool
) -> None:
    """Of a batch of loops, each part runs as long as it has to."""

    def one(x: Any, limit: Any) -> Any:
        def body(state: Any) -> Any:
            x, count = state
            for name in names:
                x = STEPS_OF_ONE[name](x)
            return x, count + 1

        def goes_on(state: Any) -> Any:
            return (dnp.max(state[0]) < limit) & (state[1] < 20)

        start = dnp.stack([x, 0.5 * x]) if has_rows else x
        return lax.while_loop(goes_on, body, (start, 0))

    x = np.repeat(starts, 2)
    compiled = check(dt.vmap(one), x, np.linspace(1, 60, x.size))
    assert is_divided(compiled)
