"""Running sums and products of rows by the library: those of a loop over each row, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

DTYPES = (np.float32, np.float64, np.int32, np.uint32, np.int64)
SHAPES = ((16, 128), (17, 200), (31, 67), (64, 64), (3, 11, 100), (40, 1031), (600, 300))
# Longer rows are accumulated in float64.
SHORT = 64


def _numbers(dtype: Any, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(np.dtype(dtype).name)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    x = (1 + 0.1 * rng.normal(size=shape)).astype(dtype)
    x[..., :2] = -0.0
    return x


def _expected(function: Any, x: np.ndarray, reverse: bool) -> np.ndarray:
    x = x[..., ::-1] if reverse else x
    is_wide = function is np.cumsum and x.dtype == np.float32 and x.shape[-1] > SHORT
    result = function(x, -1, dtype=np.float64 if is_wide else x.dtype).astype(x.dtype)
    return result[..., ::-1] if reverse else result


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits(dtype: Any, shape: tuple[int, ...]) -> None:
    x = _numbers(dtype, *shape)
    last = len(shape) - 1

    def function(x: Any) -> Any:
        return [f(x, last, reverse) for f in (lax.cumsum, lax.cumprod) for reverse in (False, True)]

    with dt.enable_x64():
        found = dt.jit(function, compile="now")(x)
    expected = [
        _expected(f, x, reverse) for f in (np.cumsum, np.cumprod) for reverse in (False, True)
    ]
    for ours, theirs in zip(found, expected, strict=True):
        bits = f"u{x.dtype.itemsize}"
        np.testing.assert_array_equal(
            np.asarray(ours).view(bits), np.ascontiguousarray(theirs).view(bits)
        )


def test_special_values() -> None:
    x = np.ones((20, 150), np.float32)
    x[3, 17], x[4, 149], x[5, 0], x[19, 16:18] = np.nan, np.inf, -np.inf, [np.inf, -np.inf]
    with np.errstate(invalid="ignore"):
        expected = np.cumsum(x, 1)
    np.testing.assert_array_equal(dt.jit(lambda x: dnp.cumsum(x, 1), compile="now")(x), expected)


def test_derivatives_and_batches() -> None:
    x = np.random.default_rng(0).normal(size=(32, 150)).astype(np.float32)
    weights = np.arange(150, dtype=np.float32)
    gradient = dt.jit(dt.vmap(dt.grad(lambda x: dnp.dot(dnp.cumsum(x), weights))), compile="now")(x)
    expected = np.cumsum(weights[::-1])[::-1]
    np.testing.assert_allclose(gradient, np.broadcast_to(expected, x.shape), rtol=1e-6)
