"""Reads and updates of long rows in all modes of indexing, by indices of all types."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

import dovetail as dt
import dovetail.numpy as dnp
from support import breadth

DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float16", "bfloat16"),
    *("float32", "float64", "complex64", "complex128"),
)


def _array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, most: int) -> np.ndarray:
    # Whole numbers, so that sums do not depend on their order.
    return rng.integers(0, most, shape).astype(dnp.dtype(dtype))


@st.composite
def places(draw: st.DrawFn, size: int) -> np.ndarray:
    """Indices: negative, out of bounds, several times the same, in any order, of any type."""
    count = draw(st.sampled_from([1, 15, 64, 65, 129]))
    dtype = draw(st.sampled_from(["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]))
    kind = draw(st.sampled_from(["any", "sorted", "unique", "far"]))
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    at = rng.integers(-size - 2, size + 3, count)
    if kind == "sorted":
        at.sort()
    elif kind == "unique":
        at = rng.permutation(np.arange(-size, 0))[:count] + size * rng.integers(2)
    elif kind == "far":
        limits = np.iinfo(dtype)
        at = at.astype(dtype)
        at[::3] = [limits.min, limits.max, limits.max // 2, limits.max // 2 + 1][seed % 4]
    return at.astype(dtype)


def _indexed(size: int, at: np.ndarray, mode: str, wraps: bool) -> np.ndarray:
    """The rows that are meant, or -1."""
    at = np.array([int(i) for i in at], object)
    if wraps:
        at = np.where(at < 0, at + size, at)
    if mode == "clip":
        at = np.clip(at, 0, size - 1)
    return np.array([i if 0 <= i < size else -1 for i in at], np.int64)


@settings(max_examples=400 if breadth.IS_NIGHTLY else 10)
@given(
    dtype=st.sampled_from(DTYPES),
    width=st.sampled_from([(64,), (127,), (2, 33), (129,), (31, 8), (65, 1)]),
    size=st.sampled_from([1, 7, 17, 64, 130]),
    method=st.sampled_from(["set", "add", "multiply", "min", "max"]),
    mode=st.sampled_from(["drop", "clip"]),
    wraps=st.booleans(),
    way=st.sampled_from(["jit", "vmap", "donated", "loop"]),
    data=st.data(),
)
def test_modes(
    dtype: str,
    width: tuple[int, ...],
    size: int,
    method: str,
    mode: str,
    wraps: bool,
    way: str,
    data: st.DataObject,
) -> None:
    """All modes and methods, with rows of all types; whole numbers, of which results are exact."""
    rng = np.random.default_rng(0)
    at = data.draw(places(size))
    if (method in ("min", "max") and dtype.startswith("complex")) or dtype == "bool":
        method = "set"
    # Products of many numbers are exact, too.
    most = 2 if method == "multiply" else 3
    batch = (2,) if way == "vmap" else ()
    with dt.enable_x64():
        x = _array(rng, (*batch, size, *width), dtype, 50)
        new = _array(rng, (*batch, len(at), *width), dtype, most)

        def program(x: Any, at: Any, new: Any) -> Any:
            options = {"wrap_negative_indices": wraps}
            got = x.at[at].get(mode="fill" if mode == "drop" else mode, fill_value=1, **options)
            update = getattr(x.at[at], method)
            if way == "loop":
                step = lambda _, c: getattr(c.at[at], method)(new, mode=mode, **options)  # noqa: E731
                return got, dt.lax.fori_loop(0, 2, step, x)
            return got, update(new, mode=mode, **options)

        function = dt.vmap(program, (0, None, 0)) if way == "vmap" else program
        jitted = dt.jit(function, donate_argnums=0 if way == "donated" else ())
        read, updated = jitted(dnp.array(x), at, new)
    where = _indexed(size, at, mode, wraps)
    combine = {
        "set": lambda _, y: y,
        "add": np.add,
        "multiply": np.multiply,
        "min": np.minimum,
        "max": np.maximum,
    }[method]
    expected = x.copy()
    found = np.ones_like(new)
    for each in np.ndindex(batch):
        for i, row in enumerate(where):
            if row >= 0:
                found[each][i] = x[each][row]
        for _ in range(2 if way == "loop" else 1):
            for i, row in enumerate(where):
                if row >= 0:
                    expected[each][row] = combine(expected[each][row], new[each][i])
    np.testing.assert_array_equal(np.asarray(read), found)
    np.testing.assert_array_equal(np.asarray(updated), expected)


@settings(max_examples=60 if breadth.IS_NIGHTLY else 6)
@given(
    dtype=st.sampled_from(["float32", "float64", "complex64"]),
    width=st.sampled_from([(64,), (65,), (3, 33)]),
    size=st.sampled_from([5, 33]),
    method=st.sampled_from(["get", "set", "add", "multiply"]),
    mode=st.sampled_from(["drop", "clip"]),
    data=st.data(),
)
def test_derivatives_of_modes(
    dtype: str, width: tuple[int, ...], size: int, method: str, mode: str, data: st.DataObject
) -> None:
    """Of compiled reads and updates, against those of the evaluator."""
    rng = np.random.default_rng(1)
    at = data.draw(places(size))
    is_unique = method in ("set", "multiply")
    if is_unique:
        at = np.setdiff1d(_indexed(size, at, mode, wraps=True), [-1]).astype(np.int32)
    x, new = _array(rng, (size, *width), dtype, 9), _array(rng, (len(at), *width), dtype, 3)

    def loss(x: Any, new: Any) -> Any:
        if method == "get":
            found = x.at[at].get(mode="fill" if mode == "drop" else mode, fill_value=1)
        else:
            found = getattr(x.at[at], method)(new, mode=mode, unique_indices=is_unique)
        return dnp.sum(dnp.real(found * found) * 0.5)

    with dt.enable_x64():
        got = dt.jit(dt.grad(loss, (0, 1)))(x, new)
        with dt.config.compile("never"):
            expected = dt.jit(dt.grad(lambda *args: loss(*args), (0, 1)))(x, new)
    for result, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(np.asarray(result), np.asarray(other), rtol=1e-5, atol=1e-5)
