"""Calls made by C++ with arrays that stay on a device, that are donated, or that have any size."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.runtime.devices import SHARE_BYTES
from support.call_path_tools import longer_calls

# Compiled at the first call, so that the second one is made by C++.
jit = functools.partial(dt.jit, compile="now")

# Large enough for its own dispatch, which writes over a donated array.
N = 1 << 14


@functools.cache
def maker() -> Any:
    return jit(lambda x, value: x + value)


def computed(value: float = 1.0, size: int = N) -> Any:
    """An array that a compiled program made."""
    return maker()(np.zeros(size, np.float32), value)


def address(x: Any) -> int:
    """The address of a buffer, without a view of it that others might keep."""
    return int(x.buffer.view.map().asarray(x.shape, x.dtype).ctypes.data)


# Arrays on a device -------------------------------------------------------------------------------


def test_committed_arrays() -> None:
    device = dt.devices()[0]
    jitted = jit(lambda x, y: {"sum": x + y, "first": x})
    made = longer_calls(jitted)
    free, committed = dnp.ones(3), dt.device_put(np.arange(3.0, dtype=np.float32), device)
    for count in range(3):
        for x, y, is_committed in (
            (committed, committed, True),
            (committed, free, True),
            (free, committed, True),
            (free, free, False),
        ):
            result = jitted(x, y)
            assert [part.committed for part in result.values()] == [is_committed] * 2
            assert {part.device for part in result.values()} == {device}
            np.testing.assert_array_equal(result["sum"], np.asarray(x) + np.asarray(y))
        assert len(made) == 4, count
    # Results are arguments.
    again = jitted(jitted(committed, 2.0)["sum"], jitted(free, 2.0)["sum"])
    assert again["sum"].committed


def test_default_devices() -> None:
    device = dt.devices()[0]
    jitted = jit(lambda x: x + 1)
    made = longer_calls(jitted)
    for _ in range(3):
        assert jitted(1.0)._place is None
        with config.default_device(device):
            x = jitted(1.0)
        assert x._place.device is device
        assert not x.committed
        # For an array that need not stay on a device, its device does not matter to the program.
        assert jitted(x)._place is None
    assert len(made) == 3
    assert len(jitted._executions) == 2


def test_functions_for_a_device() -> None:
    with pytest.warns(DeprecationWarning, match="device_put"):
        jitted = jit(lambda x: x + 1, device=dt.devices()[0])
    made = longer_calls(jitted)
    assert all(jitted(dnp.ones(2)).committed for _ in range(3))
    assert len(made) == 1


# Donated arrays -----------------------------------------------------------------------------------


def test_donated_arrays() -> None:
    step = jit(lambda w, g: w - 0.5 * g, donate_argnums=0)
    made = longer_calls(step)
    g = computed(2.0)
    for k in range(4):
        w = computed(k)
        new = step(w, g)
        assert w.is_deleted()
        assert not g.is_deleted()
        np.testing.assert_array_equal(new, np.full(N, k - 1.0, np.float32))
    assert len(made) == 1


def test_memory_of_donated_arrays_is_used_again() -> None:
    step = jit(lambda w: w + 1, donate_argnums=0)
    made = longer_calls(step)
    w = step(computed())
    place = address(w)
    for _ in range(5):
        w = step(w)
        assert address(w) == place
    assert len(made) == 1
    np.testing.assert_array_equal(w, np.full(N, 7.0, np.float32))


@pytest.mark.parametrize("donates", [True, False])
def test_steps_on_donated_arrays_allocate_nothing(donates: bool) -> None:
    def axpy(w: Any, g: Any) -> Any:
        return w - 0.5 * g

    step = jit(axpy, donate_argnums=0) if donates else jit(axpy)
    w, g = computed(1.0), computed(3.0)
    # The first call takes the longer path, the others are in C++.
    w = step(w, g)
    [execution] = step._executions.values()
    device = execution.executable().device
    # The other device of the host has a memory pool, and does not count it.
    assert device.name == "local-sync"
    before = device.hal.allocator.statistics
    for _ in range(5):
        w = step(w, g)
    after = device.hal.allocator.statistics
    allocated = sum(after[kind] - before[kind] for kind in after if kind.endswith("_allocated"))
    assert allocated == (0 if donates else 5 * 4 * N)


@pytest.mark.parametrize("size", [4, N])
def test_donated_memory_with_other_users_is_copied(size: int) -> None:
    step = jit(lambda w: w * 2 + 1, donate_argnums=0)
    made = longer_calls(step)
    host = np.ones(size + 1, np.float32)[1:]
    for k in range(3):
        w = computed(1.0, size)
        seen, twin = np.asarray(w), w.clone()
        np.testing.assert_array_equal(step(w), np.full(size, 3.0))
        assert w.is_deleted()
        assert not twin.is_deleted()
        eager, row = (x := dnp.ones((2, size)))[0], x[0]
        for given in (host, host.copy(), eager, maker()(host, 0.0)):
            np.testing.assert_array_equal(step(given), np.full(size, 3.0))
        for kept in (seen, twin, host, row):
            np.testing.assert_array_equal(kept, np.ones(size))
        assert eager.is_deleted()
        assert len(made) <= 2, k
    assert float(step(1.0)) == float(step(np.float32(1))) == 3


def test_use_after_donation() -> None:
    step = jit(lambda w, g: w + g, donate_argnums=0)
    other = jit(lambda x: x + 1)
    w, g = computed(), computed()
    for _ in range(3):
        w = step(w, g)
        other(w)
    step(w, g)
    for use in (lambda: step(w, g), lambda: other(w), lambda: np.asarray(w), lambda: w + 1):
        with pytest.raises(RuntimeError, match="after a call that it was donated to"):
            use()
    # A call that fails before it runs does not consume its arguments.
    kept = computed()
    with pytest.raises(RuntimeError, match="donated"):
        step(kept, w)
    np.testing.assert_array_equal(kept, np.ones(N))
    assert not g.is_deleted()


def test_an_array_in_two_places_is_rejected() -> None:
    step = jit(lambda v, w, x: (v + w + x, v * w), donate_argnums=(0, 1))
    for _ in range(2):
        step(computed(), computed(), computed())
    x, y = computed(), computed()
    for args in ((x, x, y), (x, y, x), (y, x, x)):
        with pytest.raises(ValueError, match="got: the same array 2 times"):
            step(*args)
        assert not x.is_deleted()
        assert not y.is_deleted()
    # NumPy's arrays are copied.
    host = np.ones(N, np.float32)
    np.testing.assert_array_equal(step(host, host, host)[0], np.full(N, 3.0))


def test_donated_trees_of_committed_arrays() -> None:
    def update(state: Any, g: Any, *, rate: float) -> Any:
        m = {name: 0.5 * state["m"][name] + g[name] for name in g}
        return {"m": m, "w": {name: state["w"][name] - rate * m[name] for name in g}}

    step = jit(update, donate_argnums=0, static_argnames="rate")
    made = longer_calls(step)
    device = dt.devices()[0]
    g = {name: dt.device_put(computed(k), device) for k, name in enumerate("ab")}
    state: Any = {"m": {name: dt.device_put(computed(0.0), device) for name in "ab"}}
    state["w"] = {name: dt.device_put(computed(1.0), device) for name in "ab"}
    expected = {
        part: {name: np.asarray(x).copy() for name, x in state[part].items()} for part in state
    }
    for _ in range(4):
        before = dt.tree.leaves(state)
        state = step(state, g, rate=0.25)
        expected = update(expected, {name: np.float32(k) for k, name in enumerate("ab")}, rate=0.25)
        assert all(x.is_deleted() for x in before)
        assert all(x.committed for x in dt.tree.leaves(state))
    assert len(made) == 1
    for got, wanted in zip(dt.tree.leaves(state), dt.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_calls_that_fail_as_they_run_use_arrays_up() -> None:
    class Refused(Exception):
        pass

    def check(x: np.ndarray) -> np.ndarray:
        if x > 2:
            raise Refused
        return x

    shape = dt.ShapeDtypeStruct((), "float32")
    step = jit(lambda w: w + dt.pure_callback(check, shape, w[0]), donate_argnums=0)
    for _ in range(2):
        step(computed(1.0))
        w = computed(3.0)
        with pytest.raises(Refused):
            step(w)
        assert w.is_deleted()


def test_programs_that_cannot_be_compiled_use_nothing_up() -> None:
    def refuse(x: Any) -> Any:
        raise ZeroDivisionError

    step = jit(refuse, donate_argnums=0)
    w = computed()
    with pytest.raises(ZeroDivisionError):
        step(w)
    np.testing.assert_array_equal(w, np.ones(N))


@pytest.mark.parametrize("compile", ["now", "never"])
def test_one_of_several_threads_gets_a_donated_array(compile: str) -> None:
    step = dt.jit(lambda w: w * 2, donate_argnums=0, compile=compile)
    step(computed())
    count = 4
    outcomes: list[Any] = []
    ready = threading.Barrier(count)

    def run(arrays: list[Any]) -> None:
        for w in arrays:
            ready.wait()
            try:
                outcomes.append(step(w))
            except RuntimeError as error:
                outcomes.append(str(error))

    arrays = [computed(k) for k in range(20)]
    threads = [threading.Thread(target=run, args=(arrays,)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results = [outcome for outcome in outcomes if not isinstance(outcome, str)]
    messages = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert len(results) == len(arrays)
    assert len(messages) == (count - 1) * len(arrays)
    assert all("donated" in message for message in messages)
    assert sorted(float(result[0]) for result in results) == [2.0 * k for k in range(20)]
    assert all(np.ptp(np.asarray(result)) == 0 for result in results)


def test_arrays_that_other_threads_read_are_not_written() -> None:
    """While some calls read an array, it is donated to another: they see its old value."""
    size = 1 << 18
    read = jit(lambda w: (dnp.min(w), dnp.max(w)))
    step = jit(lambda w: w + 1, donate_argnums=0)
    read(step(computed(0.0, size)))
    ready = threading.Barrier(4)
    wrong: list[Any] = []

    def run(arrays: list[Any]) -> None:
        for k, w in enumerate(arrays):
            ready.wait()
            try:
                low, high = read(w)
            except RuntimeError:
                continue
            if float(low) != k or float(high) != k:
                wrong.append((k, float(low), float(high)))

    arrays = [computed(float(k), size) for k in range(30)]
    threads = [threading.Thread(target=run, args=(arrays,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for k, w in enumerate(arrays):
        ready.wait()
        np.testing.assert_array_equal(step(w)[:2], [k + 1, k + 1])
    for thread in threads:
        thread.join()
    assert not wrong


# Symbolic shapes ----------------------------------------------------------------------------------


def test_sizes_that_were_seen_before() -> None:
    jitted = jit(
        lambda x, y: {"outer": x[:, None] * y, "x": x * 2},
        dynamic_shapes=("n", "m"),
        dynamic_constraints="n <= 4",
    )
    made = longer_calls(jitted)
    sizes = [(2, 3), (4, 1), (1, 5)]
    for _ in range(3):
        for n, m in sizes:
            x, y = np.arange(n, dtype=np.float32), np.arange(m, dtype=np.float32)
            for put in (dnp.array, lambda v: v, lambda v: maker()(v, 0.0)):
                result = jitted(put(x), put(y))
                assert result["outer"].shape == (n, m)
                np.testing.assert_array_equal(result["outer"], x[:, None] * y)
                np.testing.assert_array_equal(jitted(result["x"], y)["x"], x * 4)
    assert len(jitted._executions) == 1
    assert len(made) == jitted._cached_count() < 20
    for _ in range(2):
        with pytest.raises(ValueError, match="n <= 4"):
            jitted(np.ones(5, np.float32), np.ones(5, np.float32))


def test_large_and_small_arrays_of_one_program() -> None:
    jitted = jit(lambda x: x + 1, dynamic_shapes="n")
    for _ in range(3):
        for size in (3, SHARE_BYTES, SHARE_BYTES + 1):
            host = np.full(size, 2.0, np.float32)
            result = jitted(host)
            assert result.shape == (size,)
            host[:] = 9
            assert float(result[0]) == float(result[-1]) == 3


def test_symbolic_shapes_and_donation() -> None:
    step = jit(lambda w, g: w - g, dynamic_shapes=("n", "n"), donate_argnums=0)
    made = longer_calls(step)
    for size in (4, N, 4, N):
        w, g = computed(3.0, size), computed(1.0, size)
        for _ in range(2):
            old, w = w, step(w, g)
            assert old.is_deleted()
        np.testing.assert_array_equal(w, np.ones(size))
    assert len(made) == 2


CHANGES: dict[str, Callable[[Any], Any]] = {
    "cleared": lambda jitted: jitted.clear_cache(),
    "described again": lambda jitted: jitted.__init__(lambda x: x + 1, jitted._options),
}


@pytest.mark.parametrize("name", CHANGES)
def test_dropped_programs(name: str) -> None:
    jitted = jit(lambda x: x + 1)
    for _ in range(3):
        jitted(1.0)
    CHANGES[name](jitted)
    assert jitted._cached_count() == 0
    assert float(jitted(1.0)) == 2
