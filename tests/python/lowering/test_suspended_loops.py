"""Loops that call the host in few iterations: they are a dispatch until then.

Random programs of nested loops and branches call functions in some of them; their results, and what
is called in which order, are compared with those of the evaluator.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.compiler import forms
from dovetail.compiler.errors import CompileError
from dovetail.experimental import io_callback
from support import breadth
from support.callback_tools import RUNS, Log, Refusal, debug, io, sine

State = tuple[Any, Any]
Step = Callable[[State], State]


def mixed(draw: Random) -> Step:
    """The next numbers, by which branches and lengths are chosen."""
    factor, shift, to, of = draw.choice([3, 5, 7]), draw.randrange(9), *draw.choices(range(3), k=2)

    def step(state: State) -> State:
        n, x = state
        n = n.at[to].set((n[of] * factor + n[to] + shift) % 31)
        return n, x * 0.5 + n[to]

    return step


def called(draw: Random, log: Log) -> Step:
    """A call of the host with some of the state, whose result may be part of the next."""
    name, kind = draw.randrange(100), draw.choice(["debug", "io", "result", "pure"])

    def step(state: State) -> State:
        n, x = state
        if kind == "debug":
            debug(log, name, n)
        elif kind == "io":
            io(log, name, n)
        elif kind == "result":

            def answer(k: Any) -> Any:
                log(name, k)
                return np.asarray(k[0] * 2 % 31, np.int32)

            n = n.at[1].set(io_callback(answer, dt.ShapeDtypeStruct((), np.int32), n, ordered=True))
        else:
            x = x + sine(x)
        return n, x

    return step


def sequence(draw: Random, log: Log, depth: int) -> Step:
    kinds = [mixed, *[branch] * 2, *[loop] * (depth > 0)]
    steps = [mixed(draw)]
    for _ in range(draw.randint(1, 3)):
        kind = draw.choice(kinds)
        steps.append(kind(draw) if kind is mixed else kind(draw, log, depth - 1))
    return lambda state: functools.reduce(lambda state, step: step(state), steps, state)


def branch(draw: Random, log: Log, depth: int) -> Step:
    at, divisor = draw.randrange(3), draw.choice([2, 4, 9])
    taken = [called(draw, log)]
    if depth > 0:
        taken.insert(draw.randrange(2), sequence(draw, log, depth - 1))
    other = draw.choice([mixed(draw), lambda state: state])

    def step(state: State) -> State:
        return lax.cond(
            state[0][at] % divisor == 1,
            lambda state: functools.reduce(lambda state, step: step(state), taken, state),
            other,
            state,
        )

    return step


def loop(draw: Random, log: Log, depth: int) -> Step:
    body, kind, count = (
        sequence(draw, log, depth),
        draw.choice(["for", "while", "scan"]),
        draw.randint(1, 6),
    )
    if draw.random() < 0.1:
        # Each iteration calls the host.
        call, inner = called(draw, log), body
        body = lambda state: call(inner(state))  # noqa: E731
    reverse = draw.random() < 0.5

    def step(state: State) -> State:
        if kind == "for":
            return lax.fori_loop(0, count, lambda i, state: body(state), state)
        if kind == "while":
            return lax.while_loop(
                lambda carry: (carry[0] < 2 * count) & (carry[1][0][0] != 3),
                lambda carry: (carry[0] + 1, body(carry[1])),
                (0, state),
            )[1]

        def each(state: State, y: Any) -> tuple[State, Any]:
            n, x = body(state)
            return (n, x + y), (n[2], x * y)

        ys = dnp.linspace(0.0, 1.0, count * 2).reshape(count, 2)
        (n, x), (ns, xs) = lax.scan(lambda c, y: each(c, y.sum()), state, ys, reverse=reverse)
        return (n + ns.sum()) % 31, x + xs[0]

    return step


def check(seed: int) -> None:
    draw = Random(seed)
    log = Log()
    step = loop(draw, log, draw.randint(0, 2))
    if draw.random() < 0.3:
        first, second = step, loop(draw, log, 0)
        step = lambda state: second(first(state))  # noqa: E731
    state = np.array([draw.randrange(31) for _ in range(3)], np.int32), np.float32(draw.random())
    # One program for both ways, which calls the host's functions only through them.
    evaluated, compiled = (RUNS[way](step) for way in ("evaluated", "compiled"))
    expected = [np.asarray(part) for part in evaluated(state)]
    calls = log.take()
    for _ in range(2):
        n, x = compiled(state)
        dt.effects_barrier()
        np.testing.assert_array_equal(n, expected[0])
        np.testing.assert_allclose(x, expected[1], rtol=1e-5)
        assert log.take() == calls


@pytest.mark.parametrize("seed", [0, 9, 17, 33, 35, 37])
def test_random_programs(seed: int) -> None:
    check(seed)


@breadth.at_night
@settings(max_examples=300, deadline=None)
@given(st.integers(100, 2**40))
def test_more_random_programs(seed: int) -> None:
    check(seed)


def reports(log: Log, divisor: int) -> Callable[[Any], Any]:
    """A loop of 100 iterations that reports every `divisor`-th."""

    def step(i: Any, x: Any) -> Any:
        x = dnp.sin(x) * 1.01 + 0.01 * i
        lax.cond(i % divisor == divisor - 1, lambda: debug(log, i, x[0]), lambda: None)
        return x

    return lambda x: lax.fori_loop(0, 100, step, x)


@pytest.mark.parametrize("divisor", [1, 2, 10, 50, 1000])
def test_reports_of_progress(divisor: int) -> None:
    log = Log()
    f, x = reports(log, divisor), dnp.arange(3.0)
    expected = np.asarray(dt.jit(f, compile="never")(x))
    calls = log.take()
    assert len(calls) == 100 // divisor
    np.testing.assert_allclose(dt.jit(f)(x), expected, rtol=1e-5)
    dt.effects_barrier()
    for (i, value), (j, other) in zip(log.take(), calls, strict=True):
        assert i == j
        assert value == pytest.approx(other, rel=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [0, 1, 5])
def test_scans_of_few_steps(length: int, reverse: bool) -> None:
    log = Log()

    def step(total: Any, y: Any) -> Any:
        total = total + y
        lax.cond(total > 3, lambda: debug(log, total), lambda: None)
        return total, total

    ys = np.arange(length, dtype=np.float32)
    total, totals = dt.jit(lambda ys: lax.scan(step, 1.0, ys, reverse=reverse))(ys)
    dt.effects_barrier()
    expected = 1 + np.cumsum(ys[::-1] if reverse else ys)
    np.testing.assert_array_equal(totals, expected[::-1] if reverse else expected)
    assert total == 1 + ys.sum()
    assert log.take() == [each for each in expected if each > 3]


def test_it_is_one_dispatch() -> None:
    text = dt.jit(reports(Log(), 50)).lower(dnp.arange(3.0)).as_text("lower")
    assert text.count('"flow.dispatch"') == 1
    assert "dovetail.late_call" in dt.jit(reports(Log(), 50)).lower(dnp.arange(3.0)).as_text(
        "decompose"
    )


def test_exceptions_come_out_of_branches() -> None:
    def refuse(i: Any) -> None:
        raise Refusal(f"step {int(i)}")

    def f(x: Any) -> Any:
        def step(i: Any, x: Any) -> Any:
            lax.cond(x > 5, lambda: dt.debug.callback(refuse, i), lambda: None)
            return x + 1

        return lax.fori_loop(0, 10, step, x)

    program = dt.jit(f)
    assert program(-20.0) == -10
    for _ in range(2):
        with pytest.raises(Refusal, match="step 6"):
            dt.block_until_ready(program(0.0))
    assert program(-20.0) == -10


def test_gradients_of_loops_that_check() -> None:
    def f(x: Any) -> Any:
        def step(x: Any, y: Any) -> Any:
            x = dnp.sin(x) * y
            bad = dt.pure_callback(
                lambda x: np.asarray(x > 10), dt.ShapeDtypeStruct((), np.bool_), x
            )
            return lax.cond(x > 9, lambda: dnp.where(bad, dnp.nan, x), lambda: x), x

        x, xs = lax.scan(dt.checkpoint(step), x, dnp.linspace(0.5, 1.5, 9))
        return x + xs.sum()

    x = np.float32(0.7)
    got = dt.jit(dt.value_and_grad(f))(x)
    want = dt.jit(dt.value_and_grad(f), compile="never")(x)
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_iterations_that_cannot_be_compiled_are_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    log, x = Log(), dnp.arange(3.0)
    f = reports(log, 50)
    program = dt.jit(f).lower(x).compile()

    def refuse(*_: Any, **__: Any) -> None:
        raise CompileError("refused", [], Path())

    monkeypatch.setattr(forms, "compilation", refuse)
    with pytest.warns(RuntimeWarning, match="an iteration of a loop could not be compiled"):
        results = np.asarray(program(x))
    dt.effects_barrier()
    assert [i for i, _ in log.take()] == [49, 99]
    np.testing.assert_allclose(results, dt.jit(f, compile="never")(x), rtol=1e-5)
