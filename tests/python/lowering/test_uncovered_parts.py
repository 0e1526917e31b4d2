"""Loops that update a part of an array: the rest is kept, whatever is read of the old array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as jnp

Box = tuple[slice, ...]


@st.composite
def boxes(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Box]]:
    """A shape, large enough that its parts are copied apart, and boxes of it."""
    shape = draw(st.sampled_from([(70_001,), (301, 257), (4, 190, 101), (1, 66_000), (66_000, 1)]))

    def box() -> Box:
        starts = [draw(st.sampled_from([0, 1, size // 3])) for size in shape]
        stops = [draw(st.sampled_from([0, 1, 2, size // 4])) for size in shape]
        return tuple(
            slice(min(start, size - 1), max(start + 1, size - stop))
            for start, stop, size in zip(starts, stops, shape, strict=True)
        )

    return shape, [box() for _ in range(draw(st.integers(1, 2)))]


@given(boxes(), st.booleans())
def test_random_boxes(drawn: tuple[tuple[int, ...], list[Box]], is_shifted: bool) -> None:
    shape, parts = drawn
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)

    def step(x: Any, lib: Any) -> Any:
        # Of the whole old array, also of what the update writes over.
        around = lib.roll(x, 1, 0) + lib.roll(x, -1, -1) if is_shifted else x * 0.5
        for part in parts:
            if lib is np:
                x = x.copy()
                x[part] = around[part] * np.float32(0.4)
            else:
                x = x.at[part].set(around[part] * 0.4)
        return x

    actual = dt.jit(lambda x: dt.lax.fori_loop(0, 5, lambda _, x: step(x, jnp), x))(x)
    expected = x
    for _ in range(5):
        expected = step(expected, np)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", [64, 1 << 17])
def test_leapfrog(size: int) -> None:
    """Two arrays, each updated from the other; their ends are fixed."""
    q = np.random.default_rng(0).normal(size=size).astype(np.float32)
    p = np.ones_like(q)

    def step(_: Any, state: Any) -> Any:
        q, p = state
        p = p.at[1:-1].add(0.1 * (q[2:] - 2 * q[1:-1] + q[:-2]))
        return q.at[1:-1].add(0.1 * p[1:-1]), p

    actual = dt.jit(lambda q, p: dt.lax.fori_loop(0, 7, step, (q, p)))(q, p)
    for _ in range(7):
        p = p.copy()
        p[1:-1] += np.float32(0.1) * (q[2:] - 2 * q[1:-1] + q[:-2])
        q = q.copy()
        q[1:-1] += np.float32(0.1) * p[1:-1]
    np.testing.assert_allclose(actual[0], q, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(actual[1], p, rtol=1e-5, atol=1e-5)
