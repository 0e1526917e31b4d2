"""Windows of references as arguments of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

INDICES = {
    "slice": np.s_[2:7],
    "element": 3,
    "strided": np.s_[1:9:2],
    "reversed": np.s_[::-1],
    "computed": dt.ds(dnp.asarray(2), 3),
    "array": np.array([1, 4]),
    "list": [1, 4],
    "device array": dnp.array([1, 4]),
    "mask": np.arange(10) % 2 == 0,
    "new dimension": np.s_[None, 2:4],
    "several": np.s_[..., 1],
}
TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "jit": dt.jit,
    "checkpoint": dt.checkpoint,
    "cond": lambda f: lambda *args: lax.cond(True, f, lambda *args: None, *args),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("index", INDICES)
def test_functions_take_windows(transform: str, index: str) -> None:
    where = INDICES[index]

    def add(window: Any, x: Any) -> None:
        window[...] += x * dnp.ones_like(window)

    @dt.jit
    def f(x: Any) -> Any:
        ref = dt.new_ref(dnp.arange(10.0))
        TRANSFORMS[transform](add)(ref.at[where], x)
        return ref[...]

    expected = np.arange(10.0, dtype=np.float32)
    expected[np.s_[2:5] if index == "computed" else where] += 2
    np.testing.assert_array_equal(f(2.0), expected)


def test_calls_with_windows_share_a_program() -> None:
    traced = []

    @dt.jit
    def f(window: Any, x: Any) -> None:
        traced.append(window.shape)
        window[0] = x
        window[1] += 1

    ref = dt.new_ref(dnp.zeros(5))
    for start, x in ((1, 5.0), (2, 7.0), (2, 8.0)):
        f(ref.at[dt.ds(dnp.asarray(start), 3)], x)
    np.testing.assert_array_equal(ref[...], [0, 5, 8, 2, 0])
    f(ref.at[1:4].at[::-1], 3.0)
    np.testing.assert_array_equal(ref[...], [0, 5, 9, 3, 0])
    assert traced == [(3,), (3,)]


def test_loops_write_to_windows() -> None:
    @dt.jit
    def f(window: Any) -> None:
        lax.fori_loop(0, 3, lambda i, c: (window.set(window[i] + 1, i), c)[1], 0)

    ref = dt.new_ref(dnp.zeros(5))
    f(ref.at[1:4])
    np.testing.assert_array_equal(ref[...], [0, 1, 1, 1, 0])


def test_wrong_windows() -> None:
    def row(window: Any) -> Any:
        return window[...]

    ref = dt.new_ref(dnp.zeros(4))
    with pytest.raises(ValueError, match="only one reference to a mutable array may be passed"):
        dt.jit(lambda a, b: a.set(b[...]))(ref.at[:2], ref.at[2:])
    with pytest.raises(TypeError, match=r"TransformedRefs are not allowed .* window .*`row`"):
        dt.vmap(row)(ref.at[:2])


@pytest.mark.parametrize("jitted", [False, True])
def test_references_in_another_form(jitted: bool) -> None:
    start = np.arange(36, dtype=np.float32).reshape(12, 3)
    ref = dt.new_ref(start)

    def f(r: Any) -> Any:
        v = r.reshape(4, -1)
        v.reshape(-1)[1] = 7
        v.T[0] += 100
        r.at[2:4].transpose((1, 0))[1, :] = 5
        r.bitcast(np.int32)[0, 2] = 0
        return v[...], r.T[0]

    got = (dt.jit(f) if jitted else f)(ref)
    x = start.copy()
    x[0, 1] = 7
    x[::3, 0] += 100
    x[2:4, 1] = 5
    x[0, 2] = 0
    np.testing.assert_array_equal(ref[...], x)
    np.testing.assert_array_equal(got[0], x.reshape(4, 9))
    np.testing.assert_array_equal(got[1], x[:, 0])


def test_wrong_forms() -> None:
    ref = dt.new_ref(np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match=r"cannot reshape shape \(2, 3\) into shape \(4, 4\), got"):
        ref.reshape(4, 4)
    with pytest.raises(ValueError, match=r"must name each of its 2 dimensions once, got: \(0, 0\)"):
        ref.transpose((0, 0))
    with pytest.raises(ValueError, match="must have elements of 4 bytes, got: float16, of 2"):
        ref.bitcast(np.float16)
