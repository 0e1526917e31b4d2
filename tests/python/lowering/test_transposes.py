"""Transposes of large arrays by the library, for all sizes of elements and orders."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp

# One or more of 1, 2, 4, 8 and 16 bytes.
DTYPES = (np.int8, np.uint16, ml_dtypes.bfloat16, np.float32, np.int64, np.complex64, np.complex128)


def _check(shape: tuple[int, ...], order: tuple[int, ...], dtype: Any) -> str:
    """Compares with NumPy; returns the lowered program."""
    bits = np.random.default_rng(0).integers(0, 120, shape, np.int8)
    x = bits.astype(dtype)
    with dt.enable_x64():
        function = dt.jit(lambda x: dnp.transpose(x, order), compile="now")
        given = dnp.asarray(x)
        # Another thread of this process has the library's threads at the same time.
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(function, [given] * 2))
    for result in results:
        assert result.dtype == dtype
        np.testing.assert_array_equal(np.asarray(result), np.transpose(x, order))
    return function.lower(x).as_text("lower")


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("shape", [(512, 1024), (1031, 517), (16, 20000), (70000, 17)], ids=str)
def test_matrices(shape: tuple[int, int], dtype: Any) -> None:
    text = _check(shape, (1, 0), dtype)
    assert ("dovetail_blas_transpose" in text) == (
        np.prod(shape) * np.dtype(dtype).itemsize >= 2**18
    )


@pytest.mark.parametrize("order", [(2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)], ids=str)
def test_three_dimensions(order: tuple[int, ...]) -> None:
    assert "dovetail_blas_transpose" in _check((64, 66, 130), order, np.float32)


@given(
    sizes=st.lists(st.sampled_from((1, 2, 7, 16, 33, 64, 100)), min_size=2, max_size=5),
    data=st.data(),
    dtype=st.sampled_from(DTYPES),
)
@settings(max_examples=10, deadline=None)
def test_any_order(sizes: list[int], data: st.DataObject, dtype: Any) -> None:
    order = data.draw(st.permutations(range(len(sizes))))
    # Large enough for the library, if its rows and columns are.
    largest = int(np.argmax(sizes))
    sizes[largest] = max(sizes[largest], min(4000, -(-(2**18) // int(np.prod(sizes)))))
    _check(tuple(sizes), tuple(order), dtype)
