"""References: reads and writes, functions that take them or close over them, transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

F32 = np.float32


def zeros(*shape: int) -> Any:
    return dt.new_ref(dnp.zeros(shape))


# Indices of an array of shape (4, 5), each with the shape of a value that is written there.
INDICES: list[tuple[Any, tuple[int, ...]]] = [
    (..., (4, 5)),
    ((), (4, 5)),
    (2, (5,)),
    (-1, (5,)),
    ((1, 2), ()),
    (slice(1, 3), (2, 5)),
    ((slice(None), slice(4, None, -2)), (4, 3)),
    ((..., 0), (4,)),
    (np.array([0, 2]), (2, 5)),
    ((np.array([0, 3]), np.array([1, 1])), (2,)),
    ((slice(None, None, 2), np.array([4, 0, 1])), (2, 3)),
    (np.array([True, False, True, False]), (2, 5)),
]


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize(("index", "shape"), INDICES)
def test_indices_are_those_of_arrays(index: Any, shape: tuple[int, ...], jitted: bool) -> None:
    start = np.arange(20, dtype=F32).reshape(4, 5)
    value = np.arange(1, 1 + np.prod(shape), dtype=F32).reshape(shape)
    ref = dt.new_ref(start)

    def run(value: Any) -> Any:
        before = ref[index]
        ref[index] = value
        ref[index] += 2 * value
        ref.at[index][...] *= 2
        return before, ref.swap(ref[index] - 1, index)

    before, swapped = (dt.jit(run) if jitted else run)(value)
    expected = start.copy()
    expected[index] = 6 * value - 1
    np.testing.assert_array_equal(before, start[index])
    np.testing.assert_array_equal(swapped, 6 * value)
    np.testing.assert_array_equal(ref[...], expected)


@pytest.mark.parametrize("jitted", [False, True])
def test_dynamic_indices(jitted: bool) -> None:
    ref = zeros(4)

    def run(i: Any) -> Any:
        ref[i] += 1
        ref.at[1:][i - 1] += 1
        return ref[i]

    run = dt.jit(run) if jitted else run
    assert run(dnp.int32(2)) == 2
    assert run(dnp.int32(3)) == 2
    np.testing.assert_array_equal(ref[...], [0, 0, 2, 2])


def test_addupdate_adds_each_time() -> None:
    ref = zeros(3)
    ref.addupdate(1.0, np.array([0, 0, 2]))
    ref[np.array([1, 1])] += 1
    np.testing.assert_array_equal(ref[...], [2, 1, 1])


def test_windows_of_windows() -> None:
    ref = dt.new_ref(np.arange(24).reshape(2, 3, 4))
    window = ref.at[1].at[:, 1:3]
    assert window.shape == (3, 2)
    assert window.ndim == 2
    assert window.size == 6
    window[0] = 0
    dt.ref.addupdate(window, (2, 1), 100)
    expected = np.arange(24).reshape(2, 3, 4)
    expected[1, 0, 1:3] = 0
    expected[1, 2, 2] += 100
    np.testing.assert_array_equal(ref[...], expected)


def test_properties() -> None:
    ref = dt.new_ref(np.ones((2, 3), F32))
    assert (ref.shape, ref.ndim, ref.size, ref.dtype, len(ref)) == ((2, 3), 2, 6, F32, 2)
    assert isinstance(ref, dt.Ref)
    assert not isinstance(ref, dt.Array)
    assert str(dt.typeof(ref)) == "Ref{float32[2,3]}"
    assert repr(dt.new_ref(1)) == "Ref(1, dtype=int32)"
    assert ref.sharding == dnp.ones(1).sharding


def test_values_that_were_read_stay() -> None:
    x = dnp.zeros(3)
    ref = dt.new_ref(x)
    before = ref[...]

    @dt.jit
    def add() -> None:
        ref[...] += 1

    add()
    middle = ref[...]
    add()
    np.testing.assert_array_equal(x, np.zeros(3))
    np.testing.assert_array_equal(before, np.zeros(3))
    np.testing.assert_array_equal(middle, np.ones(3))
    np.testing.assert_array_equal(ref[...], np.full(3, 2))


def test_written_values_stay() -> None:
    x, ref = dnp.ones(3), zeros(3)
    ref[...] = x

    @dt.jit
    def add() -> None:
        ref[...] += 1

    add()
    np.testing.assert_array_equal(x, np.ones(3))
    np.testing.assert_array_equal(ref[...], np.full(3, 2))


def test_numpy_arrays_are_copied() -> None:
    x = np.zeros(3, F32)
    ref = dt.new_ref(x)
    x[0] = 1
    np.testing.assert_array_equal(ref[...], np.zeros(3))


# Jitted functions ---------------------------------------------------------------------------------


def test_arguments_and_results() -> None:
    @dt.jit
    def f(x_ref: Any, y: Any, *, rest: dict[str, Any]) -> Any:
        x_ref[...] += 1
        rest["z"][...] += x_ref[0]
        return y + rest["w"], {"sum": x_ref[...] + rest["z"][...]}

    x, z = zeros(3), zeros(2, 3)
    for i in range(1, 4):
        out, tree = f(x, dnp.ones(2), rest={"z": z, "w": 2})
        np.testing.assert_array_equal(out, np.full(2, 3))
        np.testing.assert_array_equal(x[...], np.full(3, i))
        np.testing.assert_array_equal(tree["sum"], x[...] + z[...])
    np.testing.assert_array_equal(z[...], np.full((2, 3), 6))


@pytest.mark.parametrize("mode", ["never", "now", "auto"])
def test_modes_of_compilation(mode: str) -> None:
    ref = zeros(3)

    def f(x: Any) -> Any:
        ref[...] += x
        return ref[0]

    jitted = dt.jit(f, compile=mode)
    for i in range(1, 5):
        assert jitted(1.0) == i
    np.testing.assert_array_equal(ref[...], np.full(3, 4))


def test_read_only_references() -> None:
    ref = dt.new_ref(dnp.arange(3.0))
    f = dt.jit(lambda r, x: r[...] * x)
    np.testing.assert_array_equal(f(ref, 2.0), [0, 2, 4])
    np.testing.assert_array_equal(f(ref, 3.0), [0, 3, 6])
    assert "donated" not in f.lower(ref, 2.0).as_text()


def test_nested_functions_share_a_reference() -> None:
    ref = zeros(2)

    @dt.jit
    def inner(r: Any, x: Any) -> None:
        r[0] += x
        r[1] = 2 * r[0]

    @dt.jit
    def outer() -> Any:
        own = dt.new_ref(ref[...])
        inner(own, 10.0)
        inner(ref, 1.0)
        inner(ref, 2.0)
        return dt.freeze(own)

    np.testing.assert_array_equal(outer(), [10, 20])
    np.testing.assert_array_equal(ref[...], [3, 6])
    np.testing.assert_array_equal(outer(), [13, 26])
    np.testing.assert_array_equal(ref[...], [6, 12])


def test_stages() -> None:
    ref, other = zeros(3), zeros(3)

    @dt.jit
    def f(r: Any) -> Any:
        r[...] += 1
        other[0] += r[0]
        return r[0]

    lowered = f.lower(ref)
    assert lowered.out_info.shape == ()
    compiled = lowered.compile()
    assert compiled(ref) == 1
    assert compiled(ref) == 2
    np.testing.assert_array_equal(ref[...], np.full(3, 2))
    np.testing.assert_array_equal(other[...], [3, 0, 0])
    assert f.eval_shape(ref).shape == ()
    with pytest.raises(TypeError, match="compiled with"):
        compiled(zeros(4))


def test_without_jit() -> None:
    ref = zeros(3)

    @dt.jit
    def f() -> None:
        ref[0] += 1

    with dt.disable_jit():
        f()
    np.testing.assert_array_equal(ref[...], [1, 0, 0])


def test_updates_are_in_place() -> None:
    ref = zeros(1 << 14)

    def add(i: Any) -> None:
        ref[i] += 1

    f = dt.jit(add, compile="now")

    def address() -> int:
        # Reading the reference would make a view.
        view = ref._known().buffer.view
        return int(view.map().asarray(ref.shape, ref.dtype).ctypes.data)

    f(0)
    before = address()
    for i in range(5):
        f(i)
    assert address() == before
    assert ref[...].sum() == 6


def repeated(update: Callable[[Any, Any], None]) -> Callable[[Any], None]:
    """The function that updates a reference in three iterations."""

    def run(ref: Any) -> None:
        lax.fori_loop(1, 4, lambda i, c: (update(ref, i), c)[1], 0)

    return run


def assign(ref: Any, index: Any, value: Any) -> None:
    ref[index] = value


WINDOWS: dict[str, Callable[[Any], None]] = {
    "row": lambda ref: assign(ref, 3, ref[3] + 1),
    "element": lambda ref: assign(ref, (3, 4), ref[3, 4] + 1),
    "column": lambda ref: assign(ref, (slice(2, 9), 5), ref[2:9, 5] * 2),
    "strides": lambda ref: assign(ref, slice(3, 30, 7), 2),
    "places": lambda ref: assign(ref, np.array([3, 7, 3]), ref[7]),
    "mask": lambda ref: assign(ref, np.arange(256) % 50 == 1, 5),
    "another row": lambda ref: assign(ref, 3, ref[4] * 2),
    "two windows": lambda ref: (assign(ref, 3, ref[3] + 1), assign(ref, slice(7, 9), ref[3]))[0],
    "rows in a loop": repeated(lambda ref, i: assign(ref, i, ref[i] + 1)),
    "one row in a loop": repeated(lambda ref, i: assign(ref, 3, ref[3] + i)),
    "other rows in a loop": repeated(lambda ref, i: assign(ref, i, ref[i - 1] * 2)),
    "windows in a loop": repeated(lambda ref, i: assign(ref, (i, slice(2, 6)), ref[i, 3:7])),
    "places in a loop": repeated(lambda ref, i: assign(ref, np.array([3, 7]) + i, ref[i])),
    "rows of a scan": lambda ref: lax.scan(
        lambda c, i: (assign(ref, i, ref[i] + 1), (c, None))[1], 0, np.array([4, 2, 4])
    )[0],
    "a branch": lambda ref: lax.cond(
        ref[0, 0] < 5, lambda: assign(ref, 3, ref[3] + 1), lambda: assign(ref, 4, 2)
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_are_updated_in_place(name: str) -> None:
    """The results of two calls, and that these write where the reference is."""
    start = np.random.default_rng(0).normal(size=(256, 128)).astype(np.float32)
    expected, ref = dt.new_ref(start), dt.new_ref(start)
    f = dt.jit(WINDOWS[name], compile="now")

    def address() -> int:
        return int(ref._known().buffer.view.map().asarray(ref.shape, ref.dtype).ctypes.data)

    with dt.config.compile("never"):
        for _ in range(3):
            WINDOWS[name](expected)
    f(ref)
    before = address()
    for _ in range(2):
        f(ref)
        assert address() == before
    np.testing.assert_allclose(ref[...], expected[...], rtol=1e-6)


# Loops and branches -------------------------------------------------------------------------------


@pytest.mark.parametrize("jitted", [False, True])
def test_scan(jitted: bool) -> None:
    total, count = dt.new_ref(F32(0)), dt.new_ref(0)

    def step(carry: Any, x: Any) -> Any:
        own = dt.new_ref(x)
        own[...] *= 2
        total[...] += own[...]
        count[...] += 1
        return carry + total[...], count[...]

    def run() -> Any:
        return lax.scan(step, F32(0), dnp.arange(4.0))

    carry, counts = (dt.jit(run) if jitted else run)()
    assert carry == 0 + 2 + 6 + 12
    np.testing.assert_array_equal(counts, [1, 2, 3, 4])
    assert total[...] == 12
    assert count[...] == 4


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("unroll", [1, 2])
@pytest.mark.parametrize("jitted", [False, True])
def test_scan_over_a_reference(jitted: bool, unroll: int, reverse: bool) -> None:
    ref = dt.new_ref(dnp.arange(6.0).reshape(3, 2))

    def step(carry: Any, element: Any) -> Any:
        window, y = element
        window[...] += carry
        return window[0] + y, window[1]

    def run() -> Any:
        return lax.scan(step, F32(1), (ref, dnp.ones(3)), reverse=reverse, unroll=unroll)

    carry, ys = (dt.jit(run) if jitted else run)()
    expected, now = np.arange(6.0).reshape(3, 2), 1.0
    for i in reversed(range(3)) if reverse else range(3):
        expected[i] += now
        now = expected[i, 0] + 1
    assert carry == now
    np.testing.assert_array_equal(ys, expected[:, 1])
    np.testing.assert_array_equal(ref[...], expected)


@pytest.mark.parametrize("jitted", [False, True])
def test_loops_and_branches(jitted: bool) -> None:
    ref, seen = dt.new_ref(F32(0)), zeros(4)

    def body(i: Any, carry: Any) -> Any:
        def write(r: Any, x: Any) -> Any:
            r[i] = x
            return x

        return carry + lax.cond(i % 2 == 1, write, lambda r, x: -x, seen, ref[...])

    def run() -> Any:
        lax.while_loop(lambda c: ref[...] < 5, lambda c: (ref.addupdate(2.0), c + 1)[1], 0)
        first = lax.fori_loop(0, 4, body, F32(0))
        return first, lax.fori_loop(0, dnp.int32(3), body, F32(0))

    first, second = (dt.jit(run) if jitted else run)()
    assert ref[...] == 6
    assert first == 0
    assert second == -6
    np.testing.assert_array_equal(seen[...], [0, 6, 0, 6])


@pytest.mark.parametrize("jitted", [False, True])
def test_switch(jitted: bool) -> None:
    ref = dt.new_ref(0)
    branches = [lambda: ref.set(1), lambda: ref.addupdate(5), lambda: None]

    def run(i: Any) -> None:
        lax.switch(i, branches)

    run = dt.jit(run) if jitted else run
    for i, expected in ((0, 1), (1, 6), (2, 6), (1, 11)):
        run(i)
        assert ref[...] == expected


# Transforms ---------------------------------------------------------------------------------------


def _sin_three_times(x: Any) -> Any:
    ref = dt.new_ref(x)

    @dt.jit
    def step() -> None:
        ref[...] = dnp.sin(ref[...])

    lax.fori_loop(0, 2, lambda i, c: (step(), c)[1], 0)
    lax.cond(x.sum() > -100, step, lambda: None)
    return dt.freeze(ref)


def _pure(x: Any) -> Any:
    return dnp.sin(dnp.sin(dnp.sin(x)))


def test_derivatives() -> None:
    x, t = dnp.float32(0.7), dnp.float32(1.0)
    for transformed in (
        lambda f: dt.grad(f)(x),
        lambda f: dt.jit(dt.grad(f))(x),
        lambda f: dt.grad(dt.jit(f))(x),
        lambda f: dt.jvp(f, (x,), (t,))[1],
        lambda f: dt.vjp(f, x)[1](t)[0],
        lambda f: dt.linearize(f, x)[1](t),
        lambda f: dt.grad(dt.grad(f))(x),
        lambda f: dt.hessian(f)(x),
        lambda f: dt.grad(dt.checkpoint(f))(x),
        lambda f: dt.vmap(dt.grad(f))(dnp.arange(3.0)),
    ):
        np.testing.assert_allclose(transformed(_sin_three_times), transformed(_pure), rtol=1e-5)


def test_batches() -> None:
    x = dnp.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(dt.vmap(_sin_three_times)(x), _pure(x), rtol=1e-6)

    def f(r: Any, total: Any, x: Any) -> Any:
        r[0] += x * total[...]
        return r.shape

    ref, total = zeros(2, 3), dt.new_ref(F32(2))
    run = dt.vmap(f, in_axes=(1, None, 0))
    run(ref, total, dnp.arange(3.0))
    dt.jit(run)(ref, total, dnp.arange(3.0))
    np.testing.assert_array_equal(ref[...], [[0, 4, 8], [0, 0, 0]])


def test_references_from_outside_of_a_derivative() -> None:
    count, last = dt.new_ref(0), dt.new_ref(F32(0))

    def f(x: Any) -> Any:
        count[...] += 1
        last[...] = x * x
        # What was written has its derivative within the function.
        return x * last[...]

    for run in (
        lambda: dt.grad(f)(F32(2)),
        lambda: dt.jit(dt.grad(f))(F32(2)),
        lambda: dt.vjp(f, F32(2))[1](F32(1))[0],
    ):
        before = count[...]
        assert run() == 12
        assert count[...] == before + 1
        assert last[...] == 4


def test_reference_argument_of_a_differentiated_function() -> None:
    ref = dt.new_ref(F32(3))

    def f(x: Any, r: Any) -> Any:
        r[...] += 1
        return x * r[...]

    assert dt.grad(f)(F32(2), ref) == 4
    assert dt.jit(dt.grad(f))(F32(2), ref) == 5
    assert ref[...] == 5
