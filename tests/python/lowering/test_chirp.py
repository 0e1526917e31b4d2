"""Transforms by the library of rows whose length has large prime factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp

# Lengths with a prime factor above 31, some of them even.
LENGTHS = (37, 74, 101, 333, 1009, 4093)


@given(
    length=st.sampled_from(LENGTHS),
    rows=st.integers(8, 40),
    dtype=st.sampled_from([np.float32, np.float64]),
)
@settings(max_examples=15, deadline=None)
def test_against_numpy(length: int, rows: int, dtype: Any) -> None:
    draw = np.random.default_rng(length * rows)
    re, im = (draw.normal(size=(rows, length)).astype(dtype) for _ in range(2))

    def program(re: Any, im: Any) -> Any:
        z = re + 1j * im
        spectrum = dnp.fft.fft(z)
        half = dnp.fft.rfft(re)
        return spectrum, dnp.fft.ifft(z), half, dnp.fft.irfft(half, length)

    with dt.enable_x64():
        function = dt.jit(program, compile="now")
        assert "@chirp::@chirp" in function.lower(re, im).as_text("lower")
        results = function(re, im)
    z = re.astype(np.float64) + 1j * im
    expected = (np.fft.fft(z), np.fft.ifft(z), np.fft.rfft(z.real), z.real)
    for found, right in zip(results, expected, strict=True):
        bound = 20 * np.finfo(dtype).eps * np.abs(right).max()
        np.testing.assert_allclose(found, right, rtol=0, atol=bound)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rows_do_not_depend_on_each_other(value: float) -> None:
    x = np.random.default_rng(0).normal(size=(19, 101)).astype(np.complex64)
    function = dt.jit(dnp.fft.fft, compile="now")
    before = np.asarray(function(x))
    x[4, 50] = value
    after = np.asarray(function(x))
    others = np.arange(19) != 4
    np.testing.assert_array_equal(after[others], before[others])
    assert not np.isfinite(after[4]).any()
