"""Memory that jitted functions keep for calls that are never repeated is bounded."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import dovetail as dt
from dovetail.base import bounded
from dovetail.base.bounded import Bounded


def test_those_used_last_are_kept() -> None:
    kept = Bounded[int, str](3)
    for number in range(3):
        kept[number] = str(number)
    assert kept.get(0) == "0"
    kept[3] = "3"
    assert list(kept) == [2, 0, 3]
    assert kept.get(1) is None
    assert 1 not in kept
    kept[2] = "two"
    assert (len(kept), kept.get(2)) == (3, "two")
    kept.clear()
    assert len(kept) == 0


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit that tests can reach."""
    monkeypatch.setattr(Bounded.__init__, "__defaults__", (8,))
    return 8


@pytest.mark.parametrize("compile", ["never", "auto"])
def test_programs_of_one_function_are_bounded(few: int, compile: str) -> None:
    traced = []

    def function(x: dt.Array, power: int) -> dt.Array:
        traced.append(power)
        return x**power

    by_value = dt.jit(function, static_argnums=1, compile=compile)
    by_shape = dt.jit(lambda x: x + 1, compile=compile)
    two = np.full(1, 2, np.float32)
    for number in range(3 * few):
        np.testing.assert_array_equal(by_value(two, number), [2.0**number])
        assert by_shape(np.zeros(number, np.float32)).shape == (number,)
    assert len(by_value._executions) == len(by_shape._executions) == few
    # A dropped one is made again, and means the same.
    assert traced.count(0) == 1
    np.testing.assert_array_equal(by_value(two, 0), [1])
    np.testing.assert_array_equal(by_value(two, 3 * few - 1), [2.0 ** (3 * few - 1)])


def test_symbolic_shapes_are_bounded(few: int) -> None:
    doubled = dt.jit(lambda x, y: x.sum() * y, dynamic_shapes=("n", None), compile="never")
    for number in range(3 * few):
        assert doubled(np.ones(number + 1, np.float32), np.ones(number)).shape == (number,)
    assert len(doubled._executions) == few
    assert len(doubled._solutions) == few


def test_memory_is_released(few: int) -> None:
    """Captured arrays are released with the program."""
    import weakref

    held = []

    def function(x: dt.Array, number: int) -> dt.Array:
        constant = np.full(100, number, np.float32)
        array = dt.numpy.asarray(constant)
        held.append(weakref.ref(array))
        return x + array.sum()

    jitted = dt.jit(function, static_argnums=1, compile="never")
    for number in range(3 * few):
        jitted(1.0, number)
    gc.collect()
    assert sum(ref() is not None for ref in held) <= few


def test_the_limit_is_that_of_remembered_calls() -> None:
    assert bounded.MOST_PROGRAMS == 2048
