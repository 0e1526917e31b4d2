"""Indices of integers, slices with steps, and computed places in kernels, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
from dovetail.experimental import pallas as pl

I32 = np.int32
# Slices of more elements than small constants have are computed: a kernel closes over no arrays.
sizes = st.sampled_from((1, 2, 5, 17, 40))


@st.composite
def _items(draw: st.DrawFn, size: int) -> tuple[Any, Any]:
    """An index of a dimension, and the integers of a computed one."""
    match draw(st.sampled_from(("integer", "computed", "slice", "ds", "all"))):
        case "integer":
            return draw(st.integers(-size, size - 1)), None
        case "computed":
            return None, draw(st.integers(-size, size - 1))
        case "slice":
            ends = st.none() | st.integers(-size - 2, size + 2)
            return slice(draw(ends), draw(ends), draw(st.sampled_from((1, 2, 3, -1, -2)))), None
        case "ds":
            stride = draw(st.integers(1, 3))
            start = draw(st.integers(0, size - 1))
            count = draw(st.integers(1, (size - 1 - start) // stride + 1))
            return pl.ds(start, count, stride), None
    return slice(None), None


@given(data=st.data(), shape=st.lists(sizes, min_size=1, max_size=3), interpret=st.booleans())
@settings(max_examples=20, deadline=None)
def test_reads_writes_and_sums(data: st.DataObject, shape: list[int], interpret: bool) -> None:
    x = np.arange(np.prod(shape), dtype=I32).reshape(shape)
    chosen = [data.draw(_items(size)) for size in shape]
    computed = np.array([at or 0 for _, at in chosen], I32)
    known = tuple(
        slice(item.start, item.start + item.size * item.stride, item.stride)
        if type(item) is pl.Slice
        else at
        if item is None
        else item
        for item, at in chosen
    )
    part = x[known]
    value = np.asarray(part * 7 + 3, I32)

    def kernel(
        x_ref: Any, at_ref: Any, v_ref: Any, read_ref: Any, set_ref: Any, sum_ref: Any
    ) -> None:
        index = tuple(at_ref[i] if item is None else item for i, (item, _) in enumerate(chosen))
        set_ref[...] = sum_ref[...] = x_ref[...]
        read_ref[...] = x_ref[index]
        set_ref[index] = v_ref[...]
        sum_ref[index] += v_ref[...]

    shapes = [dt.ShapeDtypeStruct(part.shape, I32), *[dt.ShapeDtypeStruct(x.shape, I32)] * 2]
    f = pl.pallas_call(kernel, shapes, interpret=interpret)
    read, written, added = f(x, computed, value)
    np.testing.assert_array_equal(read, part)
    expected = x.copy()
    expected[known] = value
    np.testing.assert_array_equal(written, expected)
    expected = x.copy()
    expected[known] += value
    np.testing.assert_array_equal(added, expected)
