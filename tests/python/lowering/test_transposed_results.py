"""Programs of elementwise ops that share what they read, and of transpositions of results."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax

# Ops on the first are merged; those on the others are loops with several results.
SHAPES = ((6, 5), (130, 70), (1024, 64))
MODULUS = 1009
OPS = (
    lambda x: x + x,
    lambda x: x * x % MODULUS,
    lambda x: x % 7,
    lambda x: x + dnp.argmax(x, 1)[:, None].astype(x.dtype),
    lambda x: dnp.sort(x, 0),
    lambda x: dnp.cumsum(x, 0) % MODULUS,
)


def _program(random: Random, x: Any, y: Any) -> tuple[Any, ...]:
    values = [x, y]
    for _ in range(random.randint(3, 9)):
        value = random.choice(values)
        if random.random() < 0.6:
            value = random.choice(OPS)(value)
        if random.random() < 0.6:
            value = (
                value * 3 + random.choice([v for v in values if v.shape == value.shape] or [1])
            ) % 7
        if random.random() < 0.3:
            value = value.T
        values.append(value)
    return tuple(values[-3:])


def test_a_result_and_the_transposition_of_another() -> None:
    def program(x: Any) -> tuple[Any, Any]:
        z = x % MODULUS + x
        return z * 3 % MODULUS, (z % MODULUS).T

    x = np.random.default_rng(0).integers(-8, 9, SHAPES[2]).astype(np.int32)
    results = dt.jit(program, compile="now")(x)
    for result, right in zip(results, program(x), strict=True):
        np.testing.assert_array_equal(np.asarray(result), right)


@given(seed=st.integers(0, 2**32), shape=st.sampled_from(SHAPES), in_branch=st.booleans())
@settings(max_examples=12, deadline=None)
def test_random_programs(seed: int, shape: tuple[int, int], in_branch: bool) -> None:
    draw = np.random.default_rng(seed)
    x, y = (draw.integers(-8, 9, shape).astype(np.int32) for _ in range(2))

    def program(x: Any, y: Any) -> Any:
        return _program(Random(seed), x, y)

    def chosen(x: Any, y: Any) -> Any:
        def negated(x: Any, y: Any) -> Any:
            return dt.tree.map(lambda result: -result, program(x, y))

        return lax.cond(x[0, 0] > -9, program, negated, x, y)

    function = dt.jit(chosen if in_branch else program)
    with config.merge_small_ops(seed % 2 == 0):
        results = function(dnp.asarray(x), dnp.asarray(y))
    with config.compile("never"):
        expected = dt.jit(program)(x, y)
    for result, right in zip(results, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), np.asarray(right))
