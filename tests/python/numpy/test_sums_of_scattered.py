"""Sums of scattered updates, and windows of arrays that repeat one element, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Any, ...]:
    """A shape, indices for its first dimensions, some of them outside, and dimensions to sum."""
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
    numbers = draw(st.integers(1, len(shape)))
    count = draw(st.integers(0, 8))
    indices = [
        np.array(draw(st.lists(st.integers(0, size + 2), min_size=count, max_size=count)), np.int32)
        for size in shape[:numbers]
    ]
    dims = tuple(sorted(draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
    factor = draw(st.sampled_from([1, -1]))
    return shape, indices, dims, factor


@given(_cases(), st.sampled_from(["both", "sum"]))
@settings(max_examples=60, deadline=None)
def test_sums(case: tuple[Any, ...], uses: str) -> None:
    shape, indices, dims, factor = case
    count = len(indices[0])
    updates = np.random.default_rng(0).integers(-9, 9, (count, *shape[len(indices) :]))
    updates = updates.astype(np.float32)

    def program(indices: Any, updates: Any) -> Any:
        scattered = dnp.zeros(shape, np.float32).at[tuple(indices)].add(updates, mode="drop")
        scattered = scattered if factor == 1 else -scattered
        total = dnp.sum(scattered, dims)
        return (total, scattered + 1) if uses == "both" else total

    expected = np.zeros(shape, np.float32)
    for number, place in enumerate(zip(*indices, strict=True)):
        if all(i < size for i, size in zip(place, shape, strict=False)):
            expected[place] += factor * updates[number]
    found = dt.jit(program, compile="never")(indices, updates)
    total = found[0] if uses == "both" else found
    np.testing.assert_array_equal(total, expected.sum(dims))
    if uses == "both":
        np.testing.assert_array_equal(found[1], expected + 1)


@given(st.lists(st.integers(-3, 9), min_size=1, max_size=6), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_windows_of_one_element(starts: list[int], window: int) -> None:
    indices = np.array(starts, np.int32)[:, None]
    numbers = dt.lax.GatherDimensionNumbers(
        offset_dims=(1,), collapsed_slice_dims=(), start_index_map=(0,)
    )

    def program(indices: Any) -> Any:
        x = dnp.full(6, 2.5, np.float32)
        return dt.lax.gather(x, indices, numbers, (window,), mode="fill", fill_value=7.0)

    inside = (indices[:, 0] >= 0) & (indices[:, 0] <= 6 - window)
    expected = np.where(inside[:, None], np.float32(2.5), np.float32(7.0))
    expected = np.broadcast_to(expected, (len(starts), window))
    np.testing.assert_array_equal(dt.jit(program, compile="never")(indices), expected)


def test_the_gradient_of_cross_entropy_scatters_once() -> None:
    logits = np.random.default_rng(0).normal(size=(16, 11)).astype(np.float32)
    labels = np.random.default_rng(1).integers(0, 11, 16).astype(np.int32)

    def loss(logits: Any) -> Any:
        rows = dnp.take_along_axis(dt.nn.log_softmax(logits), labels[:, None], 1)
        return -dnp.mean(rows)

    gradient = dt.jit(dt.grad(loss), compile="now")
    text = gradient.lower(logits).as_text("simplify")
    assert "dovetail.gather" not in text
    # Of the sum, a vector is left; the other adds to the rest of the gradient.
    assert text.count("dovetail.scatter_add") == 2
    assert "dense<0.000000e+00> : tensor<16x11xf32>" not in text
    shifted = np.exp(logits - logits.max(1, keepdims=True), dtype=np.float64)
    expected = shifted / shifted.sum(1, keepdims=True)
    expected[np.arange(16), labels] -= 1
    np.testing.assert_allclose(gradient(logits), expected / 16, rtol=1e-5, atol=1e-7)
