"""Updates of slices with steps, compiled: element types, functions, loops, batches, derivatives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from support import breadth
from support.gpus import on_gpus, run_on

DTYPES = (
    *("bool", "int4", "uint4", "int8", "uint16", "int32", "int64", "float8_e4m3fn", "float16"),
    *("bfloat16", "float32", "float64", "complex64", "complex128"),
)
Change = Callable[[np.ndarray, np.ndarray], np.ndarray]
# Sums and products of few small whole numbers are exact in all types.
CHANGES: dict[str, Change] = {
    "set": lambda old, new: new,
    "add": np.add,
    "multiply": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def _slices(size: int) -> st.SearchStrategy[slice | int]:
    steps = st.sampled_from([1, 1, 2, 3, 4, -1, -2])
    starts = st.integers(0, size - 1)
    up = st.builds(
        lambda start, stop, step: (
            slice(start, stop, step) if step > 0 else slice(start, None, step)
        ),
        *(starts, st.sampled_from([None, size - 1]), steps),
    )
    return st.one_of(up, up, starts, st.just(slice(None)))


@st.composite
def _cases(draw: Any) -> tuple[tuple[int, ...], tuple[slice | int, ...]]:
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    index = tuple(draw(_slices(size)) for size in shape)
    return shape, index[: draw(st.integers(1, len(shape)))]


def _array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return rng.integers(0, 2 if dtype == "bool" else 4, shape).astype(dnp.dtype(dtype))


def _changed(x: np.ndarray, index: Any, v: np.ndarray, change: str) -> np.ndarray:
    result = np.array(x)
    result[index] = CHANGES[change](result[index], v).astype(x.dtype)
    return result


@given(
    case=_cases(),
    dtype=st.sampled_from(DTYPES),
    change=st.sampled_from(list(CHANGES)),
    form=st.sampled_from(["plain", "zeros", "loop", "itself", "batch", "batch of updates"]),
    seed=st.integers(0, 2**31),
)
# The elements of a grid, of which every other one is known to be a slice.
@example(((9, 9), (slice(1, -1, 2), slice(2, None, 2))), "float32", "set", "loop", 0)
@example(((300, 300), (slice(None, None, 2), slice(1, None, 2))), "float32", "add", "plain", 0)
@example(((8, 8), (slice(2, 4, 4), slice(0, 8, 1))), "int4", "set", "itself", 0)
@settings(max_examples=300 if breadth.IS_NIGHTLY else 30)
def test_strided_updates(
    case: tuple[tuple[int, ...], Any], dtype: str, change: str, form: str, seed: int
) -> None:
    shape, index = case
    if dtype == "bool" or (dtype.startswith("complex") and change in ("min", "max")):
        change = "set"
    rng = np.random.default_rng(seed)
    with dt.enable_x64(True):
        x = _array(rng, shape, dtype)
        v = _array(rng, x[index].shape, dtype)

        def update(x: Any, v: Any) -> Any:
            return getattr(dnp.asarray(x).at[index], change)(v)

        if form == "plain":
            got, want = dt.jit(update)(x, v), _changed(x, index, v, change)
        elif form == "zeros":
            got = dt.jit(lambda v: update(dnp.zeros(shape, x.dtype), v))(v)
            want = _changed(np.zeros_like(x), index, v, change)
        elif form == "loop":
            got = dt.jit(lambda x, v: lax.fori_loop(0, 3, lambda i, y: update(y, v), x))(x, v)
            want = x
            for _ in range(3):
                want = _changed(want, index, v, change)
        elif form == "itself":
            got = dt.jit(lambda x: update(x, dnp.asarray(x)[index]))(x)
            want = _changed(x, index, x[index], change)
        else:
            batched = form == "batch"
            xs, vs = np.stack([x, x[::-1]]), np.stack([v, v[..., ::-1] if v.ndim else v])
            got = dt.jit(dt.vmap(update, (0 if batched else None, 0)))(xs if batched else x, vs)
            want = np.stack(
                [_changed(xs[n if batched else 0], index, vs[n], change) for n in range(2)]
            )
    got = np.asarray(got)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got.astype(complex), want.astype(complex))


@pytest.mark.parametrize("change", ["set", "add"])
def test_derivatives(change: str) -> None:
    rng = np.random.default_rng(0)
    x, weights = rng.standard_normal((2, 9, 8)).astype(np.float32)
    index = (slice(1, None, 3), slice(None, None, 2))
    v = rng.standard_normal((3, 4)).astype(np.float32)

    def f(x: Any, v: Any) -> Any:
        return dnp.sum(weights * getattr(x.at[index], change)(v))

    of_x, of_v = dt.jit(dt.grad(f, (0, 1)))(x, v)
    expected = np.array(weights)
    if change == "set":
        expected[index] = 0
    np.testing.assert_array_equal(of_x, expected)
    np.testing.assert_array_equal(of_v, weights[index])


@on_gpus
@pytest.mark.parametrize("dtype", ["float32", "int8", "float16", "bool"])
def test_gpus(gpu: str, tmp_path: Path, dtype: str) -> None:
    x, v = (np.arange(72) % 5).reshape(9, 8).astype(dtype), np.full((4, 4), 3, dtype)
    indices = [(slice(1, -1, 2), slice(None, None, 2)), slice(1, None, 2), (0, slice(1, None, 2))]

    def f(x: Any, v: Any) -> Any:
        return [x.at[index].set(v if n == 0 else v[0, 0]) for n, index in enumerate(indices)]

    for n, result in enumerate(run_on(gpu, tmp_path, f, x, v)):
        expected = _changed(x, indices[n], v if n == 0 else v[0, 0], "set")
        np.testing.assert_array_equal(np.asarray(result), expected)
