"""Indices by a computed start and a size: `ds`."""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

_X = np.arange(60.0, dtype=np.float32).reshape(3, 4, 5)


@pytest.mark.parametrize("jit", [dt.jit, lambda f: f], ids=["jit", "eager"])
def test_reads(jit):
    @jit
    def read(x, i):
        return x[dt.ds(i, 2)], x[..., dt.ds(i, 3)], x[0, dt.ds(i, 2), None, 1], x[:, dt.ds(i, 2, 2)]

    expected = _X[1:3], _X[..., 1:4], _X[0, 1:3, None, 1], _X[:, 1:5:2]
    for mine, theirs in zip(read(dnp.asarray(_X), 1), expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_arrays_beside_it_keep_their_place():
    x = dnp.asarray(_X)
    mine = dt.jit(lambda i: x[dnp.array([0, 2]), dt.ds(i, 2), dnp.array([1, 3])])(1)
    np.testing.assert_array_equal(mine, _X[[0, 2], 1:3, [1, 3]])


@pytest.mark.parametrize("start", [8, -3, 2])
def test_starts_out_of_bounds_are_moved(start):
    x = dnp.arange(10)
    first = min(start % 10, 6)
    expected = np.arange(10)[first : first + 4]
    np.testing.assert_array_equal(dt.jit(lambda i: x[dt.ds(i, 4)])(start), expected)
    np.testing.assert_array_equal(x[dt.ds(start, 4)], expected)


def test_writes():
    expected = _X.copy()
    expected[:, 1:3] = -1
    x = dnp.asarray(_X)
    np.testing.assert_array_equal(x.at[:, dt.ds(1, 2)].set(-1), expected)
    write = dt.jit(lambda i: x.at[:, dt.ds(i, 2)].set(-1))
    np.testing.assert_array_equal(write(1), expected)
    with pytest.raises(IndexError, match=r"beside slices and \.\.\. only, got: \[0\]"):
        dt.jit(lambda i: x.at[0, dt.ds(i, 2)].set(-1))(1)


def test_gradients_and_batches():
    gradient = dt.grad(lambda x, i: (x[dt.ds(i, 2)] ** 2).sum())(dnp.arange(5.0), 2)
    np.testing.assert_array_equal(gradient, [0, 0, 4, 6, 0])
    windows = dt.vmap(lambda i: dnp.arange(5)[dt.ds(i, 2)])(dnp.array([0, 3]))
    np.testing.assert_array_equal(windows, [[0, 1], [3, 4]])


def test_fewer_arguments():
    assert dt.ds(None) == slice(None)
    assert dt.ds(3) == dt.ds(0, 3)
    with pytest.raises(ValueError, match="size must be 0 or more"):
        dt.ds(3, -1)
