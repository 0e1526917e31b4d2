"""Repeated calls of programs on parts, which C++ makes; run by `test_devices`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core
from dovetail.sharding import NamedSharding
from dovetail.sharding import PartitionSpec as P

jit = functools.partial(dt.jit, compile="now")
MESH = dt.make_mesh((8,), ("x",))
# Large enough for its own dispatch, which writes over a donated array.
N = 1 << 14
SPECS = {"divided": P("x"), "replicated": P()}


def put(value: float, spec: Any = SPECS["divided"]) -> dt.Array:
    return dt.device_put(np.full((8, N), value, np.float32), NamedSharding(MESH, spec))


def computed(value: float, spec: Any = SPECS["divided"]) -> dt.Array:
    """An array that a program made, of which every device has its own part."""
    return jit(lambda x: x + 1, out_shardings=NamedSharding(MESH, spec))(put(value - 1, spec))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call that reaches C++ is made there, for programs from now on."""
    made: list[bool] = []

    class Watched:
        """Calls of a program, counted."""

        def __init__(self, **description: Any) -> None:
            self._calls = _Calls(**description)
            self.end = self._calls.end

        def begin(self, leaves: list[Any]) -> Any:
            begun = self._calls.begin(leaves)
            made.append(begun is not None)
            return begun

    _Calls = _core.PartCalls
    monkeypatch.setattr(_core, "PartCalls", Watched)
    return made


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_states_that_are_donated(calls: list[bool], spec: P) -> None:
    """Steps of a training loop, whose states are the results of the steps before."""

    def step(state: dict[str, Any], rate: Any) -> tuple[dict[str, Any], Any]:
        return {"w": state["w"] * rate, "m": state["m"] + state["w"]}, state["w"].sum()

    jitted, plain = jit(step, donate_argnums=0), jit(step)
    state = {"w": computed(2.0, spec), "m": computed(0.0, spec)}
    expected: Any = {name: np.array(value) for name, value in state.items()}
    rate = dt.device_put(np.float32(0.5), NamedSharding(MESH, P()))
    for _ in range(4):
        former = state
        state, total = jitted(state, rate)
        expected, expected_total = plain(expected, np.float32(0.5))
        assert all(value.is_deleted() for value in former.values())
        np.testing.assert_allclose(total, expected_total)
        assert state["w"].sharding.is_equivalent_to(NamedSharding(MESH, spec), 2)
    dt.tree.map(np.testing.assert_array_equal, state, expected)
    assert calls[-2:] == [True, True]


# What else may see the memory of a donated array, given the array; returns what reads it.
OTHERS: dict[str, Callable[[dt.Array], Callable[[], Any]]] = {
    "a view": lambda x: functools.partial(np.asarray, np.asarray(x)),
    "a view of a part": lambda x: functools.partial(
        np.asarray, np.asarray(x.addressable_shards[0].data)
    ),
    "a part": lambda x: functools.partial(np.asarray, x.addressable_shards[3].data),
    "a copy": lambda x: functools.partial(np.asarray, dnp.array(x)),
    "a result that is the array": lambda x: functools.partial(np.asarray, jit(lambda x: x)(x)),
    "another array of the parts": lambda x: functools.partial(
        np.asarray,
        dt.make_array_from_single_device_arrays(
            x.shape, x.sharding, [shard.data for shard in x.addressable_shards]
        ),
    ),
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_what_others_see_is_not_overwritten(other: Callable[..., Any], spec: P) -> None:
    jitted = jit(lambda x: x * 3, donate_argnums=0)
    x = computed(1.0, spec)
    for n in range(4):
        read = other(x)
        before = np.array(read())
        result = jitted(x)
        assert x.is_deleted()
        np.testing.assert_array_equal(read(), before)
        np.testing.assert_array_equal(result, np.full((8, N), 3.0 ** (n + 1)))
        del read
        x = result


def test_one_array_twice(calls: list[bool]) -> None:
    jitted = jit(lambda x, y: x + y, donate_argnums=0)
    jitted(computed(1.0), computed(2.0))
    jitted(computed(1.0), computed(2.0))
    x = computed(1.0)
    with pytest.raises(ValueError, match="must be only one"):
        jitted(x, x)
    assert not x.is_deleted()
    gone, y = computed(1.0), computed(2.0)
    jitted(gone, y)
    with pytest.raises(RuntimeError, match="deleted"):
        jitted(gone, y)
    # Nothing is taken by a call that fails.
    with pytest.raises(RuntimeError, match="deleted"):
        jitted(y, gone)
    assert not y.is_deleted()
    assert True in calls
    assert False in calls


def test_threads_that_donate_one_array() -> None:
    """One of them gets it, and the others find it deleted."""
    jitted = jit(lambda x: x * 2, donate_argnums=0)
    jitted(computed(1.0))
    for _ in range(20):
        x, results, errors = computed(4.0), [], []
        start = threading.Barrier(4)

        def donate(x: Any = x, start: Any = start, to: Any = (results, errors)) -> None:
            start.wait()
            try:
                to[0].append(np.asarray(jitted(x)))
            except RuntimeError as caught:
                to[1].append(str(caught))

        threads = [threading.Thread(target=donate) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        [result] = results
        np.testing.assert_array_equal(result, np.full((8, N), 8.0))
        assert all("deleted" in message for message in errors)
        assert len(errors) == 3


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_parts_of_results(spec: P) -> None:
    """Buffers that are made when something needs them, by several threads at once."""
    double = jit(lambda x: x * 2)
    for _ in range(10):
        x, found = computed(3.0, spec), []
        start = threading.Barrier(4)

        def look(x: Any = x, start: Any = start, to: Any = found) -> None:
            start.wait()
            to.append([shard.data for shard in x.addressable_shards])

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        places = {tuple(np.asarray(part).ctypes.data for part in parts) for parts in found}
        assert len(places) == 1
        for part in found[0]:
            assert part.shape == NamedSharding(MESH, spec).shard_shape((8, N))
            np.testing.assert_array_equal(double(part), np.full(part.shape, 6.0))
        np.testing.assert_array_equal(double(x), np.full((8, N), 6.0))


def test_results_of_other_meshes() -> None:
    """Parts of the same memory, whose devices are others, or in another order."""
    backward = dt.sharding.Mesh(np.array(dt.devices()[::-1]), ("x",))
    x = jit(lambda: dnp.arange(8.0), out_shardings=NamedSharding(backward, P("x")))()
    shift = jit(lambda x: x + 1)
    for _ in range(3):
        forward = dt.device_put(x, NamedSharding(MESH, P("x")))
        np.testing.assert_array_equal(shift(forward), np.arange(8.0) + 1)
        np.testing.assert_array_equal(shift(x), np.arange(8.0) + 1)
    few = dt.make_mesh((4,), ("x",), devices=dt.devices()[4:])
    y = jit(lambda: dnp.arange(8.0), out_shardings=NamedSharding(few, P("x")))()
    onward = jit(lambda y: y * 2)
    for _ in range(3):
        y = onward(y)
        assert [shard.device for shard in y.addressable_shards] == dt.devices()[4:]
    np.testing.assert_array_equal(y, np.arange(8.0) * 8)


def test_equivalent_shardings_and_other_places(calls: list[bool]) -> None:
    """Arguments that are sharded alike by other objects need no move; others are moved."""
    jitted = jit(lambda x: x + 1, in_shardings=NamedSharding(MESH, P("x")))
    specs: list[Any] = [P("x"), P("x", None), P(("x",)), P("x")]
    for spec in specs:
        np.testing.assert_array_equal(jitted(computed(1.0, spec)), np.full((8, N), 2.0))
    assert calls[-1]
    np.testing.assert_array_equal(jitted(np.full((8, N), 2.0, np.float32)), np.full((8, N), 3.0))


def test_descriptions_that_are_not_complete() -> None:
    with pytest.raises(TypeError, match="missing required argument"):
        _core.PartCalls()  # type: ignore[call-arg]
    made = _core.PartCalls.__new__(_core.PartCalls)
    assert made.begin([]) is None
    with pytest.raises(ValueError, match="still there"):
        made.end([])
    wrong: Any = ()
    with pytest.raises(TypeError, match="must be a list"):
        made.begin(wrong)
