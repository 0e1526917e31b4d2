"""The place of the largest and smallest element of long rows: the first one, or the first NaN."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from support.gpus import on_gpus, run_on

TYPES = [
    np.float32,
    np.float64,
    np.float16,
    ml_dtypes.bfloat16,
    np.int8,
    np.int32,
    np.uint16,
    np.uint64,
    np.bool_,
]
SIZES = [32, 33, 100]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
@given(st.data())
def test_agrees_with_numpy(dtype: Any, data: st.DataObject) -> None:
    size = data.draw(st.sampled_from(SIZES))
    draw = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    # Few values, so that most rows have ties.
    x = draw.integers(0, data.draw(st.sampled_from([1, 2, 5, 100])) + 1, (5, size)).astype(dtype)
    if dnp.issubdtype(dtype, np.inexact):
        x = x - x.dtype.type(3)
        holes = draw.random(x.shape) < data.draw(st.sampled_from([0, 0, 0.02, 1]))
        x[holes] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    largest, smallest = both(x)
    np.testing.assert_array_equal(largest, x.argmax(1))
    np.testing.assert_array_equal(smallest, x.argmin(1))


@dt.jit(compile="now")
def both(x: dt.Array) -> tuple[dt.Array, dt.Array]:
    return dnp.argmax(x, 1), dnp.argmin(x, 1)


@pytest.mark.parametrize("shape", [(1 << 17,), (7, 5, 300), (2, 4096)])
def test_long_rows(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    for axis in range(len(shape)):
        found = dt.jit(lambda x, axis=axis: dnp.argmax(x, axis), compile="now")(x)
        np.testing.assert_array_equal(found, x.argmax(axis))


@pytest.mark.parametrize("index", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_types_of_places(index: str) -> None:
    x = np.zeros((2, 300), np.float32)
    x[0, [100, 260]] = 1
    x[1, 299] = 1
    found = dt.jit(lambda x: lax.argmax(x, 1, index), compile="now")(x)
    assert found.dtype == index
    np.testing.assert_array_equal(found, x.argmax(1).astype(index))


def test_zeros_are_equal() -> None:
    x = np.zeros((2, 64), np.float32)
    x[0, :5], x[1, 5:] = -0.0, -0.0
    largest, smallest = both(x)
    assert largest.tolist() == smallest.tolist() == [0, 0]


def test_rows_of_unknown_size() -> None:
    f = dt.jit(lambda x: dnp.argmax(x, 1), dynamic_shapes="m, n", compile="now")
    for shape in [(3, 1), (2, 70), (5, 64)]:
        x = np.random.default_rng(1).standard_normal(shape, np.float32)
        np.testing.assert_array_equal(f(x), x.argmax(1))


@pytest.mark.parametrize("size", [32, 33, 100, 1024])
@on_gpus
def test_gpus(size: int, gpu: str, tmp_path: Path) -> None:
    x = np.random.default_rng(size).integers(0, 9, (20, size)).astype(np.float32)
    x[7, 3] = x[9, -1] = np.nan
    largest, smallest = run_on(gpu, tmp_path, lambda x: both(x), x)
    np.testing.assert_array_equal(np.asarray(largest), x.argmax(1))
    np.testing.assert_array_equal(np.asarray(smallest), x.argmin(1))
