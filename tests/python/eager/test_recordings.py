"""Recordings of eager calls are traces: simplified, with bodies, and with steps of the host."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, lax
from dovetail.eager.cache import remembered
from dovetail.eager.recording import Recorded, record
from dovetail.ops.operands import ArrayLike
from dovetail.tracing import bind

X = dnp.array([1.5, -2.0, 0.0], "float32")


def recorded(function: Callable[..., Any], *args: Any, by_value: bool = False) -> Recorded:
    return record(function, args, {}, [True] * len(args), by_value)


def calls_of(function: Callable[..., Any], *args: Any) -> list[str]:
    executor = recorded(function, *args).executor
    assert executor is not None
    return [getattr(call, "__name__", str(call)) for call in executor.functions]


def cached(function: Callable[..., Any]) -> Any:
    """The function as a public one, all of whose parameters are operands."""
    function.__annotations__ = dict.fromkeys(inspect.signature(function).parameters, ArrayLike)
    return remembered(function, __name__, "function")  # type: ignore[arg-type]


def check(function: Callable[..., Any], *args: Any) -> None:
    """Checks that calls are replayed, with the function's results."""
    assert recorded(function, *args).executor is not None
    fast, expected = cached(lambda *given: function(*given)), function(*args)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for _ in range(4):
        result = fast(*args)
        for x, y in zip(result if isinstance(result, tuple) else (result,), expected, strict=True):
            assert (x.dtype, x.weak_type) == (y.dtype, y.weak_type)
            np.testing.assert_array_equal(x, y)


# Simplification -----------------------------------------------------------------------------------


def test_recordings_are_simplified() -> None:
    assert calls_of(lambda x: dnp.sin(dnp.transpose(dnp.transpose(x))), dnp.ones((2, 3))) == [
        "sin",
        "astype",
    ]
    assert calls_of(lambda x: dnp.negative(x) * dnp.negative(x), X) == ["negative", "multiply"]
    assert calls_of(lambda x: (dnp.cos(x), -x)[1], X) == ["negative"]


def test_results_simplified_to_an_argument_are_copies() -> None:
    x = X + 1.0
    function = cached(lambda x: (dnp.reshape(dnp.reshape(x, (1, -1)), x.shape), x))
    results = [function(x) for _ in range(4)]
    for result, same in results:
        assert same is x
        assert result is not x
    x.delete()
    for result, _ in results:
        assert result.tolist() == [2.5, -1.0, 1.0]


def test_results_that_are_equal_are_two_arrays() -> None:
    function = cached(lambda x: (-x, -x))
    for _ in range(4):
        one, two = function(X)
        assert not np.shares_memory(one._value(), two._value())


def test_an_array_returned_twice_is_one() -> None:
    def twice(x: Any) -> tuple[Any, Any]:
        y = -x
        return y, y

    assert calls_of(twice, X) == ["negative"]


def test_types_may_change_without_steps() -> None:
    weak = dnp.asarray(2.0)
    assert weak.weak_type
    function = cached(lambda x: dnp.asarray(x, "float32"))
    for _ in range(4):
        assert not function(weak).weak_type
    assert weak.weak_type


# Scalars ------------------------------------------------------------------------------------------


def test_a_scalar_is_converted_once_for_each_type() -> None:
    assert calls_of(lambda x, y: (x + y) * y, X, 2.0) == ["python_value", "add", "multiply"]
    calls = calls_of(lambda x, y: (x + y, dnp.add(dnp.arange(3), y)), X, 2)
    assert calls.count("python_value") == 2


def test_a_scalar_that_does_not_fit_is_rejected_in_each_call() -> None:
    n = dnp.arange(3)
    assert recorded(lambda x, y: x + y, n, 2**40).result is None
    for value in (1, 2**40, 2, 2**40, 3, 2**40):
        if value > 3:
            with pytest.raises(OverflowError, match="enable_x64"):
                dnp.add(n, value)
        else:
            assert dnp.add(n, value).tolist() == [value, value + 1, value + 2]


# Bodies and requests ------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "loop": lambda x: lax.fori_loop(0, 3, lambda i, y: y * 2 + x, x),
    "scan": lambda x: lax.scan(lambda c, y: (c + y, c * y), dnp.sum(x), x)[1],
    "while": lambda x: lax.while_loop(lambda y: dnp.sum(y) < 9, lambda y: y + 1, x),
    "branch": lambda x: lax.cond(x[0] > 0, lambda y: y + x, lambda y: y - x, dnp.sin(x)),
    "gradient": lambda x: dt.grad(lambda y: dnp.sum(dnp.sin(y) * x))(x),
    "batch": lambda x: dt.vmap(lambda y: y * x)(x),
    "jit": lambda x: dt.jit(lambda y: dnp.sin(y) + x)(x),
    "jvp": lambda x: dt.jvp(dnp.tanh, (x,), (x,)),
    "constants": lambda x: x + dnp.asarray(np.arange(90, dtype=np.float32))[:3],
    "host step in a branch": lambda x: lax.cond(x[0] > 0, lambda: dnp.sort(x), lambda: x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_with_bodies_are_replayed(name: str) -> None:
    check(FUNCTIONS[name], X)


def test_a_value_requested_in_a_body_is_not_a_cache_key() -> None:
    def function(x: Any) -> Any:
        return dt.grad(lambda y: dnp.sum(y) if x[0] > 0 else -dnp.sum(y))(x)

    assert recorded(function, X) == Recorded(None, None, False)
    fast = cached(function)
    for x in (X, -X, X, -X, X, -X):
        assert fast(x).tolist() == function(x).tolist()


def test_callbacks_are_called_each_time() -> None:
    called: list[int] = []

    def function(x: Any) -> Any:
        dt.debug.callback(lambda: called.append(1))
        return x + 1

    fast = cached(function)
    for count in range(1, 5):
        fast(X)
        assert len(called) == count


# Steps of the host --------------------------------------------------------------------------------


def test_a_shape_that_values_decide_on_goes_on() -> None:
    check(lambda x: -dnp.nonzero(x)[0].astype("float32"), X)
    check(lambda x: dnp.argwhere(x), X)
    check(lambda x: dnp.unique(x), X)
    for function in (lambda x: dnp.unique(x)[::-1], lambda x: dnp.nonzero(x)[0].size + x):
        assert recorded(function, X).executor is None


def test_the_same_step_is_done_once() -> None:
    find = functools.partial(np.flatnonzero)

    def function(x: Any) -> Any:
        twice = [bind.apply_known(find, x, is_sized=False) for _ in range(2)]
        return dnp.negative(twice[0]), dnp.bitwise_not(twice[1])

    executor = recorded(function, X).executor
    assert executor is not None
    assert executor.functions.count(find) == 1


def test_steps_of_the_host_are_of_the_call_alone() -> None:
    """The effect of a step is not part of the trace."""

    def step(x: np.ndarray) -> np.ndarray:
        return (dnp.asarray(x) + 1)._value()

    check(lambda x: bind.apply_known(step, x) * 2, X)


# State --------------------------------------------------------------------------------------------


def test_recordings_leak_nothing() -> None:
    from dovetail.base.trace_stack import stack

    def fails(x: Any) -> Any:
        raise KeyError(float(x[0]))

    for function in (fails, lambda x: float(x[0]), dnp.sin, lambda x: "no array"):
        recorded(function, X)
        assert not stack.traces


def test_recordings_within_constant_evaluation() -> None:
    def function(x: Any) -> Any:
        with dt.ensure_compile_time_eval():
            scale = sum(float(dnp.sum(X * 2.0)) for _ in range(4))
        return x * scale

    _core.clear_eager_cache()
    assert dt.jit(function)(X).tolist() == [-6.0, 8.0, 0.0]
