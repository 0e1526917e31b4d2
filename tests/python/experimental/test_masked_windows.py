"""Masked reads and writes of windows that reach beyond a reference, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import pallas as pl
from dovetail.experimental.pallas import triton as plgpu

F32 = np.float32
slices = st.tuples(st.integers(-9, 12), st.integers(1, 11), st.integers(1, 3), st.booleans())


def _places(item: tuple[int, int, int, bool]) -> np.ndarray:
    start, size, stride, _ = item
    return start + stride * np.arange(size)


def _index(item: tuple[int, int, int, bool], start: Any) -> Any:
    return pl.ds(start if item[3] else item[0], item[1], item[2])


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    rows=slices,
    columns=slices,
    how=st.sampled_from(("load", "store", "swap", "at")),
    integer=st.booleans(),
    interpret=st.booleans(),
    batched=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_what_is_outside_is_not_touched(
    shape: tuple[int, int],
    rows: Any,
    columns: Any,
    how: str,
    integer: bool,
    interpret: bool,
    batched: bool,
) -> None:
    draw: Any = np.random.default_rng(0)
    x: Any = draw.normal(size=shape).astype(F32)
    i, j = _places(rows), _places(columns)
    row = int(np.clip(rows[0], 0, shape[0] - 1))
    if integer:
        i = np.array([row])
    inside = ((i >= 0) & (i < shape[0]))[:, None] & ((j >= 0) & (j < shape[1]))[None]
    mask = inside & (draw.random(inside.shape) < 0.8)
    value: Any = draw.normal(size=mask.shape).astype(F32)
    here = np.ix_(np.clip(i, 0, shape[0] - 1), np.clip(j, 0, shape[1] - 1))
    read = np.where(mask, x[here], F32(7))
    after: Any = x.copy()
    if how != "load":
        places = np.argwhere(mask)
        for a, b in places:
            after[i[a], j[b]] = value[a, b]
    if how == "swap":
        read = np.where(mask, x[here], value)
    drop = (0,) if integer else ()

    def kernel(
        x_ref: Any, at_ref: Any, mask_ref: Any, value_ref: Any, read_ref: Any, o_ref: Any
    ) -> None:
        index = (at_ref[0] if integer else _index(rows, at_ref[0]), _index(columns, at_ref[1]))
        m, v = mask_ref[...], value_ref[...]
        o_ref[...] = x_ref[...]
        read_ref[...] = dnp.zeros_like(v)
        match how:
            case "load":
                read_ref[...] = pl.load(o_ref, index, mask=m, other=7)
            case "swap":
                read_ref[...] = pl.swap(o_ref, index, v, mask=m)
            case "store":
                pl.store(o_ref, index, v, mask=m)
            case _:
                read_ref[...] = plgpu.load(o_ref.at[index], mask=m, other=7.0)
                plgpu.store(o_ref.at[index], v, mask=m)

    m, v, expected = (each.squeeze(drop) if integer else each for each in (mask, value, read))
    at = np.array([row if integer else rows[0], columns[0]], np.int32)
    shapes = dt.ShapeDtypeStruct(v.shape, F32), dt.ShapeDtypeStruct(shape, F32)
    f = pl.pallas_call(kernel, shapes, interpret=interpret)
    if batched:
        got, left = dt.vmap(f, (0, None, None, 0))(np.stack([x, -x]), at, m, np.stack([v, -v]))
        np.testing.assert_array_equal(left[1], -after)
        got, left = got[0], left[0]
    else:
        got, left = f(x, at, m, v)
    np.testing.assert_array_equal(left, after)
    if how != "store":
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("n", [1, 10, 16, 1000])
def test_programs_without_blocks(n: int, interpret: bool) -> None:
    size = 16

    def kernel(x_ref: Any, o_ref: Any) -> None:
        start = pl.program_id(0) * size
        mask = start + dnp.arange(size) < n
        x = plgpu.load(x_ref.at[pl.ds(start, size)], mask=mask, other=0.0)
        plgpu.store(o_ref.at[pl.ds(start, size)], dnp.sin(x), mask=mask)

    shape = dt.ShapeDtypeStruct((n,), F32)
    f = pl.pallas_call(kernel, shape, grid=pl.cdiv(n, size), interpret=interpret)
    x = np.random.default_rng(0).normal(size=n).astype(F32)
    np.testing.assert_allclose(f(x), np.sin(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(dt.grad(lambda x: f(x).sum())(x), np.cos(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(dt.vmap(f)(np.stack([x, 2 * x]))[1], np.sin(2 * x), 1e-5, 1e-6)


def test_without_a_mask_a_slice_is_within_the_reference() -> None:
    ref = dt.new_ref(np.arange(4.0, dtype=F32))
    with pytest.raises(IndexError, match="must fit its dimension 0 of size 4"):
        pl.load(ref, pl.ds(0, 5))
    with pytest.raises(ValueError, match="Out of bound slice: start=2"):
        plgpu.load(ref.at[pl.ds(2, 3)])
