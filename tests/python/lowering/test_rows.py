"""Reads and updates of rows by the library: element types, sizes, indices, and memory."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.compiler.schedule import schedule_of
from support import breadth

DTYPES = ("bool", "int8", "uint16", "int32", "int64", "bfloat16", "float32", "float64", "complex64")


def _array(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str, most: int = 100
) -> np.ndarray:
    # Whole numbers, so that sums do not depend on their order.
    return rng.integers(0, most, shape).astype(dnp.dtype(dtype))


@given(
    dtype=st.sampled_from(DTYPES),
    rows=st.integers(1, 40),
    width=st.sampled_from([(64,), (7, 41), (512,), (1000,)]),
    count=st.sampled_from([0, 1, 63, 64, 1000]),
    seed=st.integers(0, 2**31),
)
# Workgroups take parts of long rows, and of few rows.
@example(dtype="float32", rows=40, width=(2501,), count=63, seed=0)
@example(dtype="float32", rows=2, width=(512,), count=1000, seed=0)
def test_rows(dtype: str, rows: int, width: tuple[int, ...], count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Some are out of bounds.
    at = rng.integers(-2, rows + 2, count).astype(np.int32)
    inside = (at >= 0) & (at < rows)
    with dt.enable_x64():
        x, new = _array(rng, (rows, *width), dtype), _array(rng, (count, *width), dtype)

        @dt.jit
        def program(x: Any, at: Any, new: Any) -> Any:
            mode = {"mode": "drop", "wrap_negative_indices": False}
            zeros = x.at[at].get(mode="fill", fill_value=0, wrap_negative_indices=False)
            added = x if dtype == "bool" else x.at[at].add(new, **mode)
            return zeros, x.at[at].set(new, **mode), added

        got = program(x, at, new)
    read = np.zeros((count, *width), x.dtype)
    read[inside] = x[at[inside]]
    replaced, added = x.copy(), x.copy()
    for i, row in zip(at[inside], new[inside], strict=True):
        replaced[i] = row
        if dtype != "bool":
            added[i] += row
    for result, expected in zip(got, (read, replaced, added), strict=True):
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_other_dimensions() -> None:
    rng = np.random.default_rng(0)
    x, i, j = rng.normal(size=(9, 70, 5, 80)), rng.integers(0, 9, (3, 30)), rng.integers(0, 5, 30)
    new = rng.normal(size=(3, 30, 70, 80))

    @dt.jit
    def program(x: Any, new: Any) -> Any:
        return x[i], x.at[i, :, j].add(new), x.at[:, :, j].multiply(2.0), x.at[:, 3:9].set(1.0)

    added, multiplied, replaced = x.copy(), x.copy(), x.copy()
    for place in np.ndindex(i.shape):
        added[i[place], :, j[place[1]]] += new[place]
    for each in j:
        multiplied[:, :, each] *= 2
    replaced[:, 3:9] = 1
    for result, expected in zip(program(x, new), (x[i], added, multiplied, replaced), strict=True):
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-4, atol=1e-5)


def test_symbolic_sizes() -> None:
    rng = np.random.default_rng(0)

    @dt.jit(dynamic_shapes=("n, k", "m", "m, k"))
    def program(x: Any, at: Any, new: Any) -> Any:
        return x[at], x.at[at].add(new)

    for n, k, m in ((5, 64, 70), (40, 200, 1), (1, 3, 200)):
        x, at = rng.normal(size=(n, k)).astype("f"), rng.integers(0, n, m)
        new = rng.normal(size=(m, k)).astype("f")
        expected = x.copy()
        np.add.at(expected, at, new)
        read, added = program(x, at, new)
        np.testing.assert_array_equal(np.asarray(read), x[at])
        np.testing.assert_allclose(np.asarray(added), expected, rtol=1e-4, atol=1e-4)


def test_the_array_stays() -> None:
    """An array that is read later is not updated in place; a donated one is."""
    x, at = dnp.ones((100, 64)), dnp.arange(100) % 7
    update = dt.jit(lambda x, at: (x.at[at].add(1.0), x.at[at].set(3.0), x))
    added, replaced, same = update(x, at)
    np.testing.assert_array_equal(np.asarray(same), 1)
    assert (added[0, 0], replaced[6, 5], replaced[7, 0], x[0, 0]) == (16, 3, 1, 1)

    start = dt.jit(lambda: dnp.ones((100, 64)))()
    donated = dt.jit(lambda x: x.at[at].add(1.0), donate_argnums=0)(start)
    assert donated[0, 0] == 16
    assert donated[50, 0] == 1
    assert start.is_deleted()


@pytest.mark.parametrize(
    "differentiate", [dt.grad, lambda f: dt.grad(lambda x: dt.grad(f)(x).sum())]
)
def test_derivatives(differentiate: Any) -> None:
    x, at = np.linspace(0, 1, 30 * 64).reshape(30, 64).astype("f"), np.arange(80) % 7

    def loss(x: Any) -> Any:
        return dnp.sum(x[at] ** 3)

    got = dt.jit(differentiate(loss))(x)
    counts = np.bincount(at, minlength=30)[:, None]
    expected = counts * (3 * x**2 if differentiate is dt.grad else 6 * x)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-5)


@given(
    shape=st.sampled_from([(40,), (300,), (12, 70), (5, 6, 80)]),
    operation=st.sampled_from(["set", "add", "multiply", "max"]),
    is_static=st.booleans(),
    is_donated=st.booleans(),
    data=st.data(),
)
def test_slices(
    shape: tuple[int, ...], operation: str, is_static: bool, is_donated: bool, data: st.DataObject
) -> None:
    """Updates of one window from another one of the same array, in a loop, and once."""
    x = np.random.default_rng(0).normal(size=shape).astype("f")
    sizes = [data.draw(st.integers(1, n)) for n in shape]
    starts = [
        tuple(data.draw(st.integers(0, n - size)) for n, size in zip(shape, sizes, strict=True))
        for _ in range(2)
    ]

    def window(x: Any, start: Any) -> Any:
        return dt.lax.dynamic_slice(x, start, sizes)

    def changed(x: Any, to: Any, source: Any) -> Any:
        new = 0.5 * window(x, source) + 1
        if operation == "set" and not is_static:
            return dt.lax.dynamic_update_slice(x, new, to)
        at = tuple(
            slice(begin, begin + size)
            if is_static
            else (begin + dnp.arange(size)).reshape([-1] + [1] * (len(shape) - 1 - d))
            for d, (begin, size) in enumerate(zip(to, sizes, strict=True))
        )
        return getattr(x.at[at], operation)(new)

    def program(x: Any, *given: Any) -> Any:
        to, source = given or starts
        once = changed(x, to, source)
        return once, dt.lax.fori_loop(0, 3, lambda _, x: changed(x, to, source), once)

    def expected(x: np.ndarray) -> np.ndarray:
        at, source = (
            tuple(slice(begin, begin + size) for begin, size in zip(start, sizes, strict=True))
            for start in starts
        )
        new, result = 0.5 * x[source] + 1, x.copy()
        combine = {"set": lambda _, y: y, "add": np.add, "multiply": np.multiply, "max": np.maximum}
        result[at] = combine[operation](result[at], new)
        return result

    given_starts = () if is_static else starts
    jitted = dt.jit(program, donate_argnums=0 if is_donated else ())
    once, looped = jitted(dt.jit(lambda x: x + 0)(x), *given_starts)
    reference = expected(x)
    np.testing.assert_allclose(np.asarray(once), reference, rtol=1e-5, atol=1e-6)
    for _ in range(3):
        reference = expected(reference)
    np.testing.assert_allclose(np.asarray(looped), reference, rtol=1e-4, atol=1e-5)


@example(dtype="float32", shape=(300, 64), rows=20, count=4000, seed=0)
@settings(max_examples=100 if breadth.IS_NIGHTLY else 15)
@given(
    dtype=st.sampled_from(["int8", "uint16", "int32", "int64", "float32", "float64", "complex64"]),
    shape=st.sampled_from([(300, 64), (40, 9, 33), (257, 8), (33, 127)]),
    rows=st.sampled_from([1, 2, 7, 20]),
    count=st.sampled_from([1, 5, 400, 2000]),
    seed=st.integers(0, 2**31),
)
def test_windows_of_rows(
    dtype: str, shape: tuple[int, ...], rows: int, count: int, seed: int
) -> None:
    """Windows of several rows, which overlap: threads do not add to one element at once."""
    rng = np.random.default_rng(seed)
    at = rng.integers(-2, shape[0], (count, 1)).astype(np.int32)
    dimensions = dt.lax.ScatterDimensionNumbers(
        update_window_dims=tuple(range(1, 1 + len(shape))),
        inserted_window_dims=(),
        scatter_dims_to_operand_dims=(0,),
    )
    with dt.enable_x64():
        x, new = _array(rng, shape, dtype), _array(rng, (count, rows, *shape[1:]), dtype, 3)

        @dt.jit
        def program(x: Any, at: Any, new: Any) -> Any:
            return tuple(
                scatter(x, at, new, dimensions, mode="drop")
                for scatter in (dt.lax.scatter, dt.lax.scatter_add)
            )

        results = [program(x, at, new) for _ in range(10)]
    replaced, added = x.copy(), x.copy()
    for start, window in zip(at[:, 0], new, strict=True):
        if 0 <= start <= shape[0] - rows:
            replaced[start : start + rows] = window
            added[start : start + rows] += window
    for got in results:
        for result, expected in zip(got, (replaced, added), strict=True):
            np.testing.assert_array_equal(np.asarray(result), expected)


SHIFTS = {
    "up": lambda x: x.at[1:].set(x[:-1]),
    "down": lambda x: x.at[:-3].set(x[3:]),
    "reshaped": lambda x: x.at[1:7].set(x[:6].reshape(6, *x.shape[1:])),
    "older": lambda x: x.at[0:2].set(1).at[1:9].set(x[:8]),
    "computed": lambda x: (y := x + x).at[4:].set(y[2:-2]),
    "column": lambda x: x.at[..., 1:].set(x[..., :-1]),
}


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("dtype", ["int8", "bfloat16", "float32", "complex64"])
@pytest.mark.parametrize("is_donated", [False, True])
def test_shifts(shift: str, dtype: str, is_donated: bool) -> None:
    """A slice of an array that overlaps the one it is written to."""
    x = _array(np.random.default_rng(0), (17, 33), dtype)
    program = SHIFTS[shift]
    batched = dt.vmap(program, 1, 1)
    jitted = dt.jit(
        lambda x: (program(x), batched(x), dt.lax.fori_loop(0, 3, lambda _, x: program(x), x)),
        donate_argnums=0 if is_donated else (),
    )
    once = program(dnp.asarray(x))
    results = jitted(dnp.array(x))
    np.testing.assert_array_equal(np.asarray(results[0]), np.asarray(once))
    np.testing.assert_array_equal(np.asarray(results[1]), np.asarray(batched(dnp.asarray(x))))
    for _ in range(2):
        once = program(once)
    np.testing.assert_array_equal(np.asarray(results[2]), np.asarray(once))


@pytest.mark.parametrize("dtype", ["bool", "int8", "bfloat16", "float32", "complex64"])
def test_a_slice_of_equal_elements_is_updated(dtype: str) -> None:
    x = _array(np.random.default_rng(0), (5, 64), dtype)

    def program(x: Any) -> Any:
        zeros = dnp.zeros_like(x)
        added = zeros if dtype == "bool" else zeros.at[0:1].add(x[:1])
        return added, zeros.at[1:2].set(x[:1] | x[1:2] if dtype == "bool" else x[:1] * 2)

    for result, expected in zip(dt.jit(program)(x), program(dnp.asarray(x)), strict=True):
        np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))


def test_rows_that_are_exchanged_need_no_copy_of_the_array() -> None:
    def exchange(ref: Any) -> None:
        ref[0], ref[1] = ref[1], ref[0]

    x = np.arange(1024 * 1024, dtype=np.float32).reshape(1024, 1024)
    ref = dt.new_ref(x)
    f = dt.jit(exchange)
    with dt.config.compile("now"):
        f(ref)
    np.testing.assert_array_equal(ref[...], x[[1, 0, *range(2, 1024)]])
    program = f.lower(ref).compile()._program
    assert schedule_of(program.compilation()).bytes_of("transient") < x.nbytes // 8
