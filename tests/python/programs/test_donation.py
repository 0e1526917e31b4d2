"""Donated arguments: results use their memory, they cannot be used again, nobody else sees it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

# Large enough for its own dispatch.
N = 1 << 14


def address(x: Any) -> int:
    return np.asarray(x).ctypes.data


def computed(value: float = 1.0) -> Any:
    """An array that a compiled program made."""
    return dt.jit(lambda x: x + value)(dnp.zeros(N))


def test_result_takes_the_memory() -> None:
    step = dt.jit(lambda w, g: w - 0.5 * g, donate_argnums=0)
    w, g = computed(3.0), computed(2.0)
    # Asking for the address would make a view.
    before = int(w.buffer.view.map().asarray((N,), np.dtype(np.float32)).ctypes.data)
    new = step(w, g)
    assert address(new) == before
    np.testing.assert_array_equal(new, np.full(N, 2.0, np.float32))
    np.testing.assert_array_equal(g, np.full(N, 2.0, np.float32))


def test_results_of_calls_that_read_numpy_arrays_are_not_copied() -> None:
    step = dt.jit(lambda w: w + 1, donate_argnums=0)
    memory = np.zeros(N + 16, np.float32)
    start = -memory.ctypes.data % 64 // 4
    # Aligned, so that it is read in place.
    w = dt.jit(lambda x: x + 2)(memory[start : start + N])
    assert not w.buffer.is_shared
    before = int(w.buffer.view.map().asarray((N,), np.dtype(np.float32)).ctypes.data)
    assert address(step(w)) == before


def test_use_after_donation_is_an_error() -> None:
    step = dt.jit(lambda w: w * 2, donate_argnums=(0,))
    w = computed()
    step(w)
    assert w.is_deleted()
    with pytest.raises(RuntimeError, match="after a call that it was donated to"):
        np.asarray(w)
    with pytest.raises(RuntimeError, match="donated"):
        step(w)
    with pytest.raises(RuntimeError, match="donated"):
        dnp.add(w, 1)


def test_donation_by_name_and_of_trees() -> None:
    @dt.jit
    def plain(state: Any, *, scale: Any) -> Any:
        return {k: v * scale for k, v in state.items()}

    donating = dt.jit(plain, donate_argnames=("state", "scale"))
    state = {"a": computed(1.0), "b": computed(2.0)}
    scale = computed(3.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = donating(state, scale=scale)
    assert "not usable" in str(caught[0].message)
    assert all(x.is_deleted() for x in [*state.values(), scale])
    np.testing.assert_array_equal(out["b"], np.full(N, 6.0, np.float32))


def test_views_keep_their_memory_alive() -> None:
    step = dt.jit(lambda w: w + 1, donate_argnums=0)
    w = computed(5.0)
    seen = np.asarray(w)
    twin = w.clone()
    step(w)
    np.testing.assert_array_equal(seen, np.full(N, 5.0, np.float32))
    np.testing.assert_array_equal(twin, np.full(N, 5.0, np.float32))


def test_numpy_arrays_are_copied() -> None:
    step = dt.jit(lambda w: w + 1, donate_argnums=0)
    w = np.ones(N, np.float32)
    np.testing.assert_array_equal(step(w), np.full(N, 2.0, np.float32))
    np.testing.assert_array_equal(w, np.ones(N, np.float32))
    eager = dnp.ones(N)
    row = eager.reshape(2, -1)[0]
    step(eager)
    np.testing.assert_array_equal(row, np.ones(N // 2, np.float32))


def test_results_that_share_memory_are_copied_before_they_are_used_up() -> None:
    same = dt.jit(lambda x: (x, x.reshape(2, -1), dnp.ones(N), x + 1))
    twice = dt.jit(lambda x: ((y := x * 2), y))
    step = dt.jit(lambda w: w + 1, donate_argnums=0)
    x = computed(1.0)
    passed, reshaped, ones, more = same(x)
    step(passed)
    step(ones)
    dt.jit(lambda w: w + 1, donate_argnums=0)(reshaped)
    np.testing.assert_array_equal(x, np.ones(N, np.float32))
    np.testing.assert_array_equal(same(x)[2], np.ones(N, np.float32))
    assert not more.buffer.is_shared
    one, two = twice(x)
    step(one)
    np.testing.assert_array_equal(two, np.full(N, 2.0, np.float32))


def test_loops_that_may_not_run_share() -> None:
    @dt.jit
    def f(n: Any, x: Any) -> Any:
        return dt.lax.fori_loop(0, n, lambda i, c: dnp.sin(c) @ dnp.eye(128), x)

    step = dt.jit(lambda w: w + 1, donate_argnums=0)
    x = dt.jit(lambda: dnp.ones((128, 128)) * 2)()
    step(f(0, x))
    np.testing.assert_array_equal(x, np.full((128, 128), 2.0, np.float32))


def test_an_array_in_two_places_is_rejected() -> None:
    step = dt.jit(lambda v, w: v + w, donate_argnums=0)
    w = computed()
    for error in (ValueError, dt.errors.JaxRuntimeError):
        with pytest.raises(error, match="only one of a call's arguments, got: the same array 2"):
            step(w, w)
    assert not w.is_deleted()


def test_static_and_donated_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"static_argn.* cannot intersect, .* got: 0"):
        dt.jit(lambda x: x, static_argnums=0, donate_argnums=0)
    with pytest.raises(ValueError, match="donate_argnums must be numbers"):
        dt.jit(lambda x: x, donate_argnums=1)


def test_several_results_and_reads_after_writes() -> None:
    """A result may be computed from a donated array that another one is written over."""

    def f(a: Any, b: Any) -> Any:
        new = a * 2 + b
        return new, a[::-1] + new, dnp.sum(a), b - a

    a, b = np.arange(N, dtype=np.float32), np.arange(N, dtype=np.float32) % 7
    expected = f(a, b)
    outs = dt.jit(f, donate_argnums=(0, 1))(dt.jit(lambda x: x + 0.0)(a), dt.jit(lambda x: x)(b))
    for out, reference in zip(outs, expected, strict=True):
        np.testing.assert_allclose(out, reference, rtol=1e-6)


def test_equal_results_and_results_of_one_type() -> None:
    """One array is two results; others of the type use the memory that is left."""

    def f(a: Any, b: Any, c: Any) -> Any:
        y = (a * 2 + c) * 0.5
        return y, y, b - y, dnp.sin(c) + 1

    args = [np.arange(N, dtype=np.float32) % k for k in (3, 5, 7)]
    given = [dt.jit(lambda x: x + 0.0)(x) for x in args]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outs = dt.jit(f, donate_argnums=(0, 1, 2))(*given)
    for out, reference in zip(outs, f(*map(dnp.array, args)), strict=True):
        np.testing.assert_allclose(out, reference, rtol=1e-6, atol=1e-6)


def test_updates_in_place() -> None:
    @dt.jit
    def plain(cache: Any, row: Any, i: Any) -> Any:
        return dt.lax.dynamic_update_slice(cache, row[None], (i, 0))

    donating = dt.jit(plain, donate_argnums=0)
    cache = dt.jit(lambda: dnp.ones((64, 256)) * dnp.arange(64.0)[:, None])()
    cache = dt.jit(lambda x: x + 0.5)(cache)
    before = int(cache.buffer.view.map().asarray((64, 256), np.dtype(np.float32)).ctypes.data)
    new = donating(cache, np.zeros(256, np.float32), 3)
    assert address(new) == before
    assert np.asarray(new)[3].sum() == 0
    assert np.asarray(new)[4, 0] == 4.5


def test_training_in_place() -> None:
    """Momentum and weights stay where they are over many steps."""

    @dt.jit
    def loss(w: Any, x: Any) -> Any:
        return dnp.mean((x @ w) ** 2)

    def step(w: Any, m: Any, x: Any) -> Any:
        g = dt.grad(loss)(w, x)
        m = 0.9 * m + g
        return w - 0.1 * m, m

    rng = np.random.default_rng(0)
    x = rng.normal(size=(32, 128)).astype(np.float32)
    start = rng.normal(size=(128, 128)).astype(np.float32)
    donating = dt.jit(step, donate_argnums=(0, 1))
    w, m = dt.jit(lambda x: (x + 0.0, x * 0.0 + 0.0 * x))(start)
    expected = start, np.zeros_like(start)
    places = set()
    for _ in range(4):
        w, m = donating(w, m, x)
        places.add(int(w.buffer.view.map().asarray((128, 128), w.dtype).ctypes.data))
        expected = dt.jit(step)(*expected, x)
    assert len(places) == 1
    for got, reference in zip((w, m), expected, strict=True):
        np.testing.assert_allclose(got, reference, rtol=1e-4, atol=1e-6)


def test_checks_examine_donated_arrays() -> None:
    with dt.config.debug_nans(True), pytest.raises(FloatingPointError, match="log"):
        dt.jit(lambda w: dnp.log(w), donate_argnums=0)(-computed())


def test_inlined_calls_donate_nothing() -> None:
    inner = dt.jit(lambda w: w * 2, donate_argnums=0)
    x = computed()
    outer = dt.jit(lambda w: inner(w) + w)
    np.testing.assert_array_equal(outer(x), np.full(N, 3.0, np.float32))
    assert float(dt.grad(lambda v: inner(v))(2.0)) == 2.0
    assert not x.is_deleted()


CHANGES: dict[str, Any] = {
    "slice": lambda x, i: x.at[0:2].add(5),
    "row": lambda x, i: x.at[i].set(5),
    "rows": lambda x, i: x.at[dnp.array([0, -1, 0]) + i].add(5),
    "pointwise": lambda x, i: x + 1,
    "sum": lambda x, i: dnp.cumsum(x, 0),
    "loop": lambda x, i: dt.lax.fori_loop(0, 3, lambda k, c: c.at[k].add(c[0]), x),
}
RETURNS: dict[str, Any] = {
    "itself": lambda x, i: x,
    "reshaped": lambda x, i: x.reshape(1, -1),
    "branch": lambda x, i: dt.lax.cond(i > 3, lambda x: x + 7, lambda x: x, x),
    "loop": lambda x, i: dt.lax.fori_loop(0, 2, lambda k, c: (c[0], c[1] + k), (x, i))[0],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("returned", RETURNS)
@pytest.mark.parametrize("shape", [(5,), (200, 300)])
def test_a_donated_argument_that_is_a_result_stays(
    change: str, returned: str, shape: tuple[int, ...]
) -> None:
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 7

    def program(x: Any, i: Any) -> Any:
        return CHANGES[change](x, i), RETURNS[returned](x, i)

    changed, same = dt.jit(program, donate_argnums=0)(dt.jit(lambda x: x + 0)(x), np.int32(0))
    np.testing.assert_array_equal(same, x if returned != "reshaped" else x.reshape(1, -1))
    np.testing.assert_allclose(changed, CHANGES[change](dnp.array(x), 0), rtol=1e-6)


READS = {
    "turned": lambda x, y: x + y[::-1],
    "its own, turned": lambda x, y: x + x[::-1],
    "its own, in another shape": lambda x, y: x + x.reshape(64, 1024).T,
    "a computed row": lambda x, y: x + y[x[0, 0].astype("int32") % 7],
    "both": lambda x, y: (x * 2 + y[::-1] % 7, y + x[:1]),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("donated", [0, 1, (0, 1)])
@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_what_is_read_elsewhere_than_it_is_written(name: str, donated: Any) -> None:
    x, y = np.random.default_rng(0).integers(-8, 9, (2, 1024, 64)).astype("float32")
    expected = dt.tree.leaves(dt.jit(READS[name], compile="never")(x, y))
    f = dt.jit(READS[name], donate_argnums=donated, compile="now")
    for a, b in zip(dt.tree.leaves(f(dnp.array(x), dnp.array(y))), expected, strict=True):
        np.testing.assert_array_equal(a, b)
