"""Rows that the library sorts: every element goes where a stable sort puts it, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

DTYPES = (np.float32, np.float64, np.int32, np.uint32, np.int64, np.uint64)
NARROW = (np.float16, bfloat16, np.int8, np.uint16, np.bool_)
# Around blocks of vectors, and around the parts of a row that threads take.
LENGTHS = (65, 127, 128, 129, 255, 256, 257, 320, 1000, 4097)
LONG = ((1 << 15) - 1, (1 << 15) + 1, 100_003, (1 << 18) + 77)


def _numbers(rng: np.random.Generator, dtype: Any, *shape: int) -> np.ndarray:
    """Returns elements, of which many are equal: also NaNs of several bits, and both zeros."""
    if dtype == np.bool_:
        return rng.random(shape) < 0.5
    if not np.issubdtype(dtype, np.integer) and dtype is not bfloat16 and dtype is not np.float16:
        x = (rng.normal(size=shape) * 10.0 ** rng.integers(-30, 30, shape)).astype(dtype)
        bits = x.view(np.uint32 if dtype == np.float32 else np.uint64)
        special = np.array([0.0, -0.0, np.inf, -np.inf, 1.0, np.nan, -np.nan], dtype).view(
            bits.dtype
        )
        special = np.append(special, special[-2:] + bits.dtype.type(5))
        chosen = rng.random(shape) < 0.3
        bits[chosen] = rng.choice(special, chosen.sum())
        return x
    if np.issubdtype(dtype, np.integer):
        limits: Any = np.iinfo(np.dtype(dtype).name)
        x = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        x[rng.random(shape) < 0.1] = limits.max
        return x
    x = np.asarray(rng.normal(size=shape), np.float32)
    x[rng.random(shape) < 0.1] = np.nan
    x[rng.random(shape) < 0.1] = -0.0
    return x.astype(dtype)


def _order(x: np.ndarray, descending: bool) -> np.ndarray:
    if x.dtype in (np.float16, bfloat16):
        x = x.astype(np.float32)
    ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, -1, kind="stable")


def _check(x: np.ndarray, descending: bool = False) -> None:
    """Checks sorted elements, and others that are sorted with them."""
    places = np.broadcast_to(np.arange(x.shape[-1], dtype=np.int32), x.shape)

    def function(x: Any, places: Any) -> Any:
        alone = dnp.sort(x, -1, descending=descending)
        return alone, dnp.argsort(x, -1, descending=descending), *lax.sort((x, places))

    with dt.enable_x64():
        alone, order, x_again, increasing = dt.jit(function, compile="now")(x, places)
    for found, expected in (
        (order, _order(x, descending)),
        (increasing, _order(x, False)),
        (alone, np.take_along_axis(x, _order(x, descending), -1)),
        (x_again, np.take_along_axis(x, _order(x, False), -1)),
    ):
        found = np.asarray(found)
        assert found.shape == expected.shape
        bits = f"u{expected.dtype.itemsize}" if expected.dtype.kind != "i" else expected.dtype
        bits = found.dtype if found.dtype.kind == "i" else bits
        np.testing.assert_array_equal(found.view(bits), expected.astype(found.dtype).view(bits))


@pytest.mark.parametrize("dtype", DTYPES + NARROW, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("descending", [False, True], ids=["increasing", "decreasing"])
def test_element_types(dtype: Any, descending: bool) -> None:
    _check(_numbers(np.random.default_rng(0), dtype, 5, 300), descending)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(dtype: Any, length: int) -> None:
    _check(_numbers(np.random.default_rng(length), dtype, 3, length))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint32])
@pytest.mark.parametrize("length", LONG)
def test_threads_share_a_row(dtype: Any, length: int) -> None:
    _check(_numbers(np.random.default_rng(length), dtype, length))


@pytest.mark.parametrize("most", [1, 1000, 2**31])
def test_small_integers_are_sorted_with_their_places(most: int) -> None:
    rng = np.random.default_rng(0)
    _check(rng.integers(0, most, (2, 70_000)).astype(np.uint32) + np.uint32(2**31 - 500))


@pytest.mark.parametrize("name", ["equal", "sorted", "reversed", "two runs", "only NaN"])
def test_patterns(name: str) -> None:
    x = np.arange(70_000, dtype=np.float32)
    patterns = {
        "equal": 0 * x + 7,
        "sorted": x,
        "reversed": x[::-1].copy(),
        "two runs": np.concatenate([x, x]),
        "only NaN": x * np.float32(np.nan),
    }
    _check(patterns[name])


def test_other_dimensions_and_sizes_that_are_not_known() -> None:
    rng = np.random.default_rng(0)
    x = _numbers(rng, np.float32, 3, 200, 2)
    found = dt.jit(lambda x: dnp.sort(x, 1), compile="now")(x)
    moved = np.moveaxis(x, 1, -1)
    expected = np.moveaxis(np.take_along_axis(moved, _order(moved, False), -1), -1, 1)
    np.testing.assert_array_equal(np.asarray(found).view(np.uint32), expected.view(np.uint32))
    dynamic = dt.jit(lambda x: dnp.sort(x, -1), compile="now", dynamic_shapes="b, n")
    for shape in ((3, 500), (1, 70_000), (4, 1), (2, 90)):
        x = rng.normal(size=shape).astype(np.float32)
        np.testing.assert_array_equal(dynamic(x), np.sort(x, -1))


def test_derivatives_and_batches() -> None:
    x = np.random.default_rng(0).normal(size=(4, 150)).astype(np.float32)
    weights = np.arange(150, dtype=np.float32)
    gradient = dt.jit(dt.vmap(dt.grad(lambda x: dnp.dot(dnp.sort(x), weights))), compile="now")(x)
    np.testing.assert_array_equal(gradient, np.argsort(np.argsort(x, -1), -1))
