"""Number and order of callbacks' calls, and the lifetime of their functions."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from dovetail.experimental import io_callback
from support.callback_tools import SCALAR, Log, Transform, debug, io, sine

# Effects: once, and in order -------------------------------------------------------------------


def test_unused_and_equal_calls(run: Transform, log: Log) -> None:
    @run
    def program(x: Any) -> Any:
        for _ in range(2):
            io_callback(lambda x: (log(x), x)[1], SCALAR, x)
            debug(log, x)
        return x

    program(3.0)
    assert log.take() == [3.0] * 4
    program(4.0)
    assert log.take() == [4.0] * 4


def test_unneeded_pure_calls_are_dropped() -> None:
    calls: list[Any] = []

    def host(x: Any) -> Any:
        calls.append(x)
        return x

    @dt.jit
    def program(x: Any) -> Any:
        dt.pure_callback(host, SCALAR, x)
        return x

    program(1.0)
    assert not calls


def scanning(log: Log, note: Callable[..., None]) -> Callable[..., Any]:
    """A loop in a loop, with a call, and steps before and after."""
    inner = dt.jit(lambda x: (note(log, 300, x), x + 1)[1])

    def step(carry: Any, i: Any) -> Any:
        note(log, 100 + i, carry)
        carry = lax.fori_loop(0, 2, lambda j, c: (note(log, 200 + j, c), c * 2)[1], carry)
        return inner(carry), carry

    def program(x: Any, n: Any) -> Any:
        note(log, 1, x)
        x, ys = lax.scan(step, x, dnp.arange(3))
        note(log, 2, ys)
        return inner(x)

    return program


def choosing(log: Log, note: Callable[..., None]) -> Callable[..., Any]:
    """A loop over branches, then one of unknown length, and one for its effects."""

    def step(carry: Any, i: Any) -> Any:
        yes = lambda c: (note(log, 10, c), c + 1)[1]  # noqa: E731
        no = lambda c: (note(log, 20, i), c)[1]  # noqa: E731
        return lax.cond(i % 2 == 0, yes, no, carry), None

    def program(x: Any, n: Any) -> Any:
        x, _ = lax.scan(step, x, dnp.arange(3))
        note(log, 1, x)
        _, x = lax.while_loop(
            lambda c: c[0] < n,
            lambda c: (note(log, 30, c[0]), (c[0] + 1, c[1] + 1.0))[1],
            (dnp.int32(0), x),
        )
        lax.fori_loop(0, n, lambda i, _: (note(log, 40, i), 0)[1], 0)
        note(log, 2, x)
        return x

    return program


@pytest.mark.parametrize("note", [debug, io], ids=["debug", "io"])
@pytest.mark.parametrize("make", [scanning, choosing])
def test_order(make: Callable[..., Any], note: Callable[..., None], log: Log) -> None:
    program = make(log, note)
    with config.disable_jit(True):
        expected_result = program(1.5, 3)
    expected = log.take()
    assert len(expected) > 10
    jitted = dt.jit(program)
    for compute in (program, jitted, jitted):
        result = compute(1.5, 3)
        assert log.take() == expected
        np.testing.assert_allclose(result, expected_result)


def test_effects_decide_on_loops(run: Transform) -> None:
    items = iter([3, 1, 4, 0, 5])

    @run
    def program() -> Any:
        def step(total: Any) -> Any:
            return total[0] + total[1], io_callback(lambda: next(items), np_int())

        first = io_callback(lambda: next(items), np_int())
        return lax.while_loop(lambda c: c[1] != 0, step, (dnp.int32(0), first))[0]

    assert int(program()) == 8
    assert list(items) == [5]


def np_int() -> Any:
    return dt.ShapeDtypeStruct((), np.int32)


def test_effects_with_large_work_between(log: Log) -> None:
    @dt.jit
    def program(x: Any) -> Any:
        for i in range(3):
            x = dnp.tanh(x @ x)
            io(log, dnp.int32(i), x[0, 0])
        return x

    x = dnp.eye(300) * 0.5
    program(x)
    expected = [(i, np.float32(v)) for i, v in enumerate(_towers(3))]
    seen = log.take()
    assert [i for i, _ in seen] == [0, 1, 2]
    np.testing.assert_allclose([v for _, v in seen], [v for _, v in expected], rtol=1e-6)


def _towers(count: int) -> list[float]:
    values, x = [], 0.5
    for _ in range(count):
        x = np.tanh(x * x)
        values.append(float(x))
    return values


def test_disabled_jit_and_nested_jit(log: Log) -> None:
    inner = dt.jit(lambda x: (debug(log, x), x * 2)[1])
    outer = dt.jit(lambda x: inner(inner(x)))
    assert float(outer(1.0)) == 4.0
    assert log.take() == [1.0, 2.0]
    with config.disable_jit(True):
        outer(1.0)
    assert log.take() == [1.0, 2.0]


def test_programs_state_whether_they_have_effects() -> None:
    def has(function: Callable[..., Any]) -> bool:
        return dt.jit(function).lower(1.0)._program.module.has_effects()

    assert not has(lambda x: x + 1)
    assert not has(sine_of_scalar)
    assert has(lambda x: dt.debug.print("{}", x))
    assert has(dt.grad(dt.jit(lambda x: (dt.debug.print("{}", x), x)[1])))
    assert has(lambda x: lax.fori_loop(0, 3, lambda i, x: (debug(Log(), i), x)[1], x))


def sine_of_scalar(x: Any) -> Any:
    return sine(x)


def test_effects_barrier(log: Log) -> None:
    dt.jit(lambda x: debug(log, x))(1.0)
    dt.effects_barrier()
    assert log.take() == [1.0]


# Lifetime of functions ----------------------------------------------------------------------------


class Owner:
    """Owns a program that calls one of its methods, which refers back to it."""

    def __init__(self, transform: Transform) -> None:
        self.calls = 0
        self.program = transform(self.step)

    def step(self, x: Any) -> Any:
        dt.debug.callback(self.count, x)
        return x

    def count(self, x: Any) -> None:
        self.calls += 1


def test_functions_live_as_long_as_their_programs() -> None:
    owner = Owner(dt.jit)
    program, alive = owner.program, weakref.ref(owner)
    del owner
    gc.collect()
    for _ in range(3):
        program(1.0)
    owner = alive()
    assert owner is not None
    assert owner.calls == 3
    del owner, program
    # First the tracer of the program, then its caller.
    gc.collect()
    gc.collect()
    assert alive() is None


def test_functions_live_as_long_as_calls(run: Transform, log: Log) -> None:
    def host(x: Any) -> Any:
        dt.clear_caches()
        gc.collect()
        log(x)
        return x

    program = run(lambda x: sine(dt.pure_callback(host, SCALAR, x)))
    for x in (0.5, 1.0, 1.5):
        np.testing.assert_allclose(program(x), np.sin(x), rtol=1e-6)
    assert log.take() == [0.5, 1.0, 1.5]


def test_functions_of_pullbacks_live_with_them(log: Log) -> None:
    @dt.custom_vjp
    def f(x: Any) -> Any:
        return x

    def backward(_: Any, ct: Any) -> Any:
        dt.debug.callback(lambda ct: log(ct), ct)
        return (ct,)

    f.defvjp(lambda x: (x, None), backward)
    pullback = dt.vjp(f, 1.0)[1]
    gc.collect()
    program = dt.jit(lambda ct: pullback(ct)[0])
    program(2.0)
    gc.collect()
    program(3.0)
    assert log.take() == [2.0, 3.0]


def test_compiled_text_does_not_depend_on_the_process() -> None:
    def text() -> str:
        program = dt.jit(lambda x: (debug(Log(), x), sine(x))[1]).lower(1.0)._program
        module = program.after("lower")
        module.take_host_imports()
        return module.text()

    assert text() == text()
    assert text().count("func.func private @host.") == 2


def test_module_names_functions() -> None:
    text = dt.jit(lambda x: sine(x)).lower(1.0).as_text()
    assert 'dovetail.callback "sin.' in text
