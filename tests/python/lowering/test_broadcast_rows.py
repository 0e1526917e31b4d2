"""Reductions of short rows that are computed from broadcast arrays: distances of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from support.breadth import IS_NIGHTLY, some

ELEMENTS = {
    "squares": lambda xp, x, y: (x - y) ** 2,
    "distances": lambda xp, x, y: xp.abs(x - y),
    "products": lambda xp, x, y: x * y,
    "others": lambda xp, x, y: xp.maximum(x, y) * (x - y) + x,
}
DTYPES = [np.float32, np.int32, np.float64, np.float16, np.int8]


@pytest.mark.parametrize("dtype", some(DTYPES, 2), ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("name", ELEMENTS)
@settings(max_examples=50 if IS_NIGHTLY else 5)
@given(st.data())
def test_agrees_with_numpy(name: str, dtype: Any, data: st.DataObject) -> None:
    # Rows of a term, of a part of a vector, of whole ones and some more; with sums in f32 and f64.
    terms = data.draw(st.sampled_from([1, 3, 16, 20, 64, 65, 130, 257]))
    sizes = data.draw(st.lists(st.sampled_from([1, 2, 5, 16, 33]), min_size=1, max_size=3))
    draw = np.random.default_rng(data.draw(st.integers(0, 2**32)))

    def operand() -> np.ndarray:
        # It has some of the outer dimensions.
        shape = [size if data.draw(st.booleans()) else 1 for size in sizes]
        return draw.integers(-2, 3, [*shape, terms]).astype(dtype)

    x, y = operand(), operand()

    def reduced(xp: Any, x: Any, y: Any) -> Any:
        element = ELEMENTS[name](xp, x, y)
        return xp.sum(element, -1), xp.max(element + x, -1)

    with dt.enable_x64(True):
        found = dt.jit(lambda x, y: reduced(dnp, x, y), compile="now")(x, y)
    # All numbers are whole, and small enough for each type.
    for ours, theirs in zip(found, reduced(np, x, y), strict=True):
        np.testing.assert_array_equal(ours, theirs.astype(ours.dtype))
