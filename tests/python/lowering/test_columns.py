"""Reductions of columns by the library, several of one array at once, and its threads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp

DTYPES = (np.float32, np.float64)
# Matrices one after the other, by rows and columns: parts are of rows, of columns, and of matrices.
SHAPES = ((1, 1001, 131), (1, 16, 9001), (1, 777, 2048), (3, 300, 257), (40, 33, 130))
SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0)


def _reductions(x: Any) -> Any:
    return dnp.max(x, 1), dnp.sum(x, 1), dnp.min(x, 1)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(shape: tuple[int, int, int], dtype: Any) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    with dt.enable_x64():
        function = dt.jit(lambda x: (*_reductions(x), dnp.var(x, 1)), compile="now")
        assert function.lower(x).as_text("lower").count("dovetail_blas_columns_3") >= 1
        highest, total, lowest, variance = function(x)
    wide = x.astype(np.float64)
    eps = np.finfo(dtype).eps
    np.testing.assert_array_equal(highest, x.max(1))
    np.testing.assert_array_equal(lowest, x.min(1))
    bound = 4 * eps * float(np.abs(wide).sum(1).max())
    np.testing.assert_allclose(total, wide.sum(1), rtol=0, atol=bound)
    np.testing.assert_allclose(variance, wide.var(1), rtol=20 * eps)


@given(
    places=st.lists(
        st.tuples(st.integers(0, 299), st.integers(0, 511), st.sampled_from(SPECIAL)), max_size=12
    ),
    dtype=st.sampled_from(DTYPES),
)
@settings(max_examples=30, deadline=None)
def test_special_values(places: list[tuple[int, int, float]], dtype: Any) -> None:
    x = np.random.default_rng(1).normal(size=(1, 300, 512)).astype(dtype)
    # A column of zeros has extremes of either sign.
    x[0, :, 7] = 0.0
    for row, column, value in places:
        x[0, row, column] = value
    with dt.enable_x64():
        highest, total, lowest = dt.jit(_reductions, compile="now")(x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(highest, x.max(1))
        np.testing.assert_array_equal(lowest, x.min(1))
        expected = x.astype(np.float64).sum(1)
    np.testing.assert_allclose(total, expected, rtol=1e-4, atol=1e-4)
    signs = np.signbit(x[0, :, 7][x[0, :, 7] == 0])
    if not np.isnan(x[0, :, 7]).any():
        if np.asarray(highest)[0, 7] == 0:
            assert np.signbit(highest)[0, 7] == signs.all()
        if np.asarray(lowest)[0, 7] == 0:
            assert np.signbit(lowest)[0, 7] == signs.any()


def test_differences_have_other_users() -> None:
    x = np.random.default_rng(2).normal(size=(512, 512)).astype(np.float32)

    def normalized(x: Any) -> Any:
        difference = x - dnp.mean(x, 0)
        return difference / dnp.sqrt(dnp.mean(difference**2, 0) + 1e-3)

    wide = x.astype(np.float64)
    expected = (wide - wide.mean(0)) / np.sqrt(wide.var(0) + 1e-3)
    np.testing.assert_allclose(dt.jit(normalized, compile="now")(x), expected, atol=1e-5)
    # Its derivative reduces columns, too.
    gradient = dt.jit(dt.grad(lambda x: dnp.sum(normalized(x) ** 3)), compile="now")(x)
    step = 1e-3 * np.random.default_rng(3).normal(size=x.shape)

    def loss(x: np.ndarray) -> float:
        return (((x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3)) ** 3).sum()

    change = (loss(wide + step) - loss(wide - step)) / 2
    np.testing.assert_allclose((np.asarray(gradient) * step).sum(), change, rtol=1e-3, atol=1e-3)


def test_programs_at_the_same_time() -> None:
    """The team computes for one call at a time; the others are computed by their own threads."""
    x = np.random.default_rng(4).normal(size=(512, 600)).astype(np.float32)
    function = dt.jit(lambda x: (dnp.sum(x, 0), x @ x.T), compile="now")
    expected = [np.asarray(each) for each in function(x)]
    with ThreadPoolExecutor(8) as pool:
        for results in pool.map(lambda _: function(x), range(200)):
            np.testing.assert_array_equal(results[0], expected[0])
            np.testing.assert_allclose(results[1], expected[1], rtol=1e-6, atol=1e-5)


FORK = """
import os
import numpy as np, dovetail as dt
x = np.ones((512, 512), np.float32)
f = dt.jit(lambda x: (dt.numpy.sum(x, 0), x @ x), compile="now")
f(x)
child = os.fork()
total, product = f(x)
assert (np.asarray(total) == 512).all() and (np.asarray(product) == 512).all()
if child == 0:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_forked_processes_have_threads_of_their_own() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.stderr, done.returncode) == ("", 0)
