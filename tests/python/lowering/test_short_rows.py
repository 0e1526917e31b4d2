"""Arrays of short rows, of broadcasts and before reductions: rows become the first dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, nn
from support import breadth

REDUCTIONS = (dnp.sum, dnp.max, dnp.min, dnp.mean, lambda x, axis: dnp.any(x > 0.5, axis))


def check(function: Any, *arguments: Any) -> str:
    """Compares numbers, and returns the lowered program."""
    lowered = dt.jit(function).lower(*arguments)
    results = dt.tree.leaves(lowered.compile()(*arguments))
    expected = dt.tree.leaves(dt.jit(function, compile="never")(*arguments))
    for got, wanted in zip(results, expected, strict=True):
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
    return lowered.as_text("lower")


@st.composite
def programs(draw: Any) -> Any:
    """A chain of ops on one shape, from broadcasts to reductions, and its arguments."""
    rank = draw(st.integers(2, 3))
    shape = (
        *(draw(st.sampled_from((16, 40, 100))) for _ in range(rank - 1)),
        draw(st.integers(2, 9)),
    )
    dims = st.lists(st.integers(0, rank - 1), min_size=1, max_size=rank - 1, unique=True)
    made = [tuple(sorted(draw(dims))) for _ in range(draw(st.integers(1, 4)))]
    reduced = [tuple(draw(dims)) for _ in range(draw(st.integers(1, 3)))]
    kinds = [draw(st.integers(0, len(REDUCTIONS) - 1)) for _ in reduced]
    counts = draw(st.booleans())
    rng = np.random.default_rng(0)
    arguments = [rng.normal(size=[shape[d] for d in each]).astype(np.float32) for each in made]

    def program(*arguments: Any) -> Any:
        x = lax.broadcasted_iota(np.float32, shape, rank - 1) / 8 if counts else dnp.zeros(shape)
        for i, (argument, each) in enumerate(zip(arguments, made, strict=True)):
            y = dnp.expand_dims(argument, [d for d in range(rank) if d not in each])
            x = dnp.tanh(x + y) if i % 2 else dnp.where(x > y, x, 0.5 * y - x)
        return [REDUCTIONS[kind](x, axis) for kind, axis in zip(kinds, reduced, strict=True)]

    return program, arguments


@settings(max_examples=100 if breadth.IS_NIGHTLY else 8, deadline=None)
@given(programs())
def test_chains_agree_with_evaluation(given: Any) -> None:
    program, arguments = given
    check(program, *arguments)


def test_a_loop_over_classes() -> None:
    def step(_: Any, state: Any) -> Any:
        weights, means = state
        log_p = dnp.log(weights) - (x[:, None] - means) ** 2
        part = dnp.exp(log_p - nn.logsumexp(log_p, axis=1, keepdims=True))
        count = part.sum(0)
        return count / x.shape[0], (part * x[:, None]).sum(0) / count

    x = np.random.default_rng(0).normal(size=500).astype(np.float32)
    state = np.full(3, 1 / 3, np.float32), np.array([-1, 0.5, 1], np.float32)
    text = check(lambda state: lax.fori_loop(0, 5, step, state), state)
    assert "memref<3x500xf32" in text
    assert "<500x3xf32" not in text


def test_derivatives_of_pairs() -> None:
    def energy(x: Any) -> Any:
        apart = ((x[:, None] - x) ** 2).sum(-1)
        return dnp.sum(dnp.exp(-apart))

    x = np.random.default_rng(0).normal(size=(48, 3)).astype(np.float32)
    check(dt.value_and_grad(energy), x)
