"""Windows of large references, read at known places before writes and used after: no copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

SHAPE = (1024, 512)


def address(ref: Any) -> int:
    return int(ref._known().buffer.view.map().asarray(ref.shape, ref.dtype).ctypes.data)


def write(ref: Any, index: Any, value: Any) -> None:
    ref[index] = value


def returned(ref: Any) -> Any:
    row = ref[2]
    ref[2] = row * 2
    return row


def element(ref: Any) -> Any:
    x = ref[3, 4]
    ref[3, 5] = 1.0
    ref[3, 4] = x * 3
    return x


def others(ref: Any) -> Any:
    row = ref[1]
    ref[5] = row * 0 + 7
    return row + 1


def overlapping(ref: Any) -> Any:
    rows = ref[:4]
    ref[2:5] = dnp.ones((3, SHAPE[1]))
    return rows * 2


def shifted(ref: Any) -> Any:
    ref[1:5] = ref[:4]


def transposed(ref: Any) -> Any:
    ref[:8, 8:16] = ref[:8, 8:16].T
    ref[8:16, :8] = ref[4:12, 2:10].T


def columns(ref: Any) -> Any:
    column = ref[:, 3]
    ref[:, 4] = column * 2
    return column


def strided(ref: Any) -> Any:
    rows = ref[0:32:2]
    ref[1:33:2] = rows
    return rows


def exchanged(ref: Any) -> Any:
    first, second = ref[:8], ref[8:16]
    ref[:8] = second
    ref[8:16] = first


def looped(ref: Any) -> Any:
    def body(i: Any, total: Any) -> Any:
        first, second = ref[1], ref[5]
        ref[1] = second
        ref[5] = first + 1
        ref[i + 7] = ref[0] * 2
        return total + first[0]

    return lax.fori_loop(0, 3, body, 0.0)


def chosen(ref: Any) -> Any:
    def body() -> Any:
        row = ref[1]
        ref[2] = row + 0.0
        ref[1] = row * 2
        return row

    return lax.cond(ref[0, 0] < 1e9, body, lambda: ref[3])


@pytest.mark.parametrize(
    "function",
    [
        returned,
        element,
        others,
        overlapping,
        shifted,
        transposed,
        columns,
        strided,
        exchanged,
        looped,
        chosen,
    ],
)
def test_writes_are_in_place(function: Callable[[Any], Any]) -> None:
    start = np.random.default_rng(0).normal(size=SHAPE).astype(np.float32)
    run(function, start)


PLACES = st.integers(0, 6)
# A window of some rows is read, scaled, written elsewhere, and perhaps returned.
STEPS = st.lists(
    st.tuples(PLACES, PLACES, st.integers(1, 3), st.booleans(), st.booleans()),
    min_size=1,
    max_size=4,
)


@given(steps=STEPS, late=st.booleans())
def test_random_windows(steps: list[tuple[int, int, int, bool, bool]], late: bool) -> None:
    def function(ref: Any) -> Any:
        results = []
        for source, target, rows, is_returned, is_written in steps:
            part = ref[source : source + rows]
            if is_written:
                ref[target : target + rows] = part[::-1] * 2 if late else part * 2
            if is_returned:
                results.append(part if not late else part + 1)
        return results

    start = np.random.default_rng(0).normal(size=SHAPE).astype(np.float32)
    run(function, start)


def run(function: Callable[[Any], Any], start: np.ndarray) -> None:
    """Compare two calls with those of the evaluator, and check that the second is in place."""
    ref, expected = (
        dt.new_ref(dt.jit(lambda: dnp.asarray(start) + 0, compile="now")()),
        dt.new_ref(start),
    )
    f = dt.jit(lambda ref: function(ref), compile="now")
    first = f(ref)
    before = address(ref)
    second = f(ref)
    assert address(ref) == before
    f(ref)
    with dt.config.compile("never"):
        wanted = function(expected), function(expected)
        function(expected)
    np.testing.assert_allclose(ref[...], expected[...], rtol=1e-5)
    # Later calls leave what was returned alone.
    for a, b in zip(dt.tree.leaves((first, second)), dt.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
