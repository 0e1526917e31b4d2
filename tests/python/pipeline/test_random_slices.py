"""Chains of slices, many of them of size 1, and of ops that move elements.

What reads a slice by index must find the right elements, whatever view of memory the code generator
makes of it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax

PROGRAMS = int(os.environ.get("DOVETAIL_RANDOM_PROGRAMS", "100")) // 10
SHAPES = [(120,), (12, 10), (4, 5, 6), (40, 3)]


def cut(x: Any, rng: np.random.Generator) -> Any:
    starts = rng.integers(0, 2, x.ndim).clip(max=np.array(x.shape) - 1)
    sizes = (np.array(x.shape) - starts - rng.integers(0, 3, x.ndim)).clip(1)
    if rng.random() < 0.4:
        sizes[rng.integers(x.ndim)] = 1
    return x[tuple(map(slice, starts, starts + sizes))]


def padded(x: Any, rng: np.random.Generator) -> Any:
    low, high = rng.integers(0, 2, (2, x.ndim))
    interior = rng.integers(0, 2, x.ndim)
    return lax.pad(x, np.array(0, x.dtype), list(zip(low, high, interior, strict=True)))


def axis_of(x: Any, rng: np.random.Generator) -> int:
    return int(rng.integers(x.ndim))


def joined(x: Any, rng: np.random.Generator) -> Any:
    """Slices along an axis, one behind the other."""
    axis = axis_of(x, rng)
    others = [slice(None)] * axis
    parts = []
    for start in rng.integers(0, x.shape[axis], 2 + rng.integers(2)):
        parts.append(x[(*others, slice(start, start + rng.integers(1, 3)))])
    return dnp.concatenate(parts, axis)


def expanded(x: Any, rng: np.random.Generator) -> Any:
    """With another dimension, unless there are many."""
    return x if x.ndim > 3 else dnp.expand_dims(x, int(rng.integers(x.ndim + 1)))


STEPS = [
    joined,
    expanded,
    lambda x, rng: dnp.flip(x, axis_of(x, rng)),
    padded,
    lambda x, rng: x + x,
    lambda x, rng: dnp.concatenate([x, dnp.flip(x)], 0),
    lambda x, rng: dnp.roll(x, 1, axis_of(x, rng)),
    lambda x, rng: x[(rng.integers(x.shape[0], size=3),)],
]


def program(seed: int) -> Any:
    def moves(x: Any) -> tuple[Any, Any]:
        rng = np.random.default_rng(seed)
        for _ in range(rng.integers(2, 6)):
            x = cut(x, rng) if rng.random() < 0.6 else x
            x = STEPS[rng.integers(len(STEPS))](x, rng)
        return x, dnp.sum(x, -1)

    return moves


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_slices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dtype = rng.choice(["float32", "int32", "int8"])
    x = (np.arange(120) % 7).reshape(SHAPES[rng.integers(len(SHAPES))]).astype(dtype)
    expected = program(seed)(dnp.asarray(x))
    # Merged ops take another way to memory.
    with config.merge_small_ops(bool(seed % 2)):
        results = dt.jit(program(seed))(x)
    for result, whole in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, whole)
