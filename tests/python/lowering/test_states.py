"""Loops whose states are taken apart and joined again in each iteration compute what they would
with whole arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, random
from support import breadth


class Step(NamedTuple):
    """How the next state comes of some of the components, joined along an axis."""

    axis: int
    order: tuple[int, ...]
    kind: str

    def __call__(self, y: Any, rate: Any) -> Any:
        parts = [lax.index_in_dim(y, i, self.axis, keepdims=False) for i in self.order]
        first, last = parts[0], parts[-1]
        joined = dnp.stack([0.5 * dnp.sin(p) + 0.1 * first - 0.2 * last for p in parts], self.axis)
        if self.kind == "rate":
            return y + joined * dnp.expand_dims(rate, self.axis)
        if self.kind == "select":
            return dnp.where(joined > 0, joined, 0.5 * y)
        if self.kind == "weights":
            # Different for each component, so that states cannot be split.
            weights = dnp.arange(1.0, 1 + len(parts), dtype=y.dtype)
            return y + joined * dnp.expand_dims(
                weights, tuple(i for i in range(y.ndim) if i != self.axis)
            )
        if self.kind == "noise":
            # Likewise: a random number depends on its place in the whole array.
            return 0.5 * y + joined + random.normal(random.key(len(parts)), y.shape, y.dtype)
        if self.kind == "cumsum":
            return dnp.cumsum(joined, self.axis) / len(parts)
        if self.kind == "norm":
            return y + joined / (1 + dnp.sum(joined**2, self.axis, keepdims=True))
        if self.kind == "extremes":
            low, high = (of(joined, self.axis, keepdims=True) for of in (dnp.min, dnp.max))
            return 0.5 * y + joined / (1 + high - low)
        if self.kind == "any":
            return dnp.where(dnp.any(joined > 0.5, self.axis, keepdims=True), joined, 0.5 * y)
        if self.kind == "total":
            # Of all dimensions: states cannot be split.
            return 0.5 * y + joined / (1 + dnp.sum(joined**2))
        if self.kind == "slices":
            return joined + 0.1 * lax.slice_in_dim(y, 1, 2, axis=self.axis)
        return 0.5 * y + joined


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[Step], int, int, str, bool]:
    count, rank = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    axis = draw(st.integers(0, rank - 1))
    order = st.permutations(range(count)).map(tuple)
    alike = ["plain", "rate", "select", "norm", "extremes", "any"]
    kinds = st.sampled_from([*alike, "weights", "noise", "cumsum", "total", "slices"])
    steps = draw(st.lists(st.builds(Step, st.just(axis), order, kinds), min_size=1, max_size=3))
    return (
        steps,
        count,
        rank,
        draw(st.sampled_from(["scan", "while", "nested"])),
        draw(st.booleans()),
    )


def looped(steps: list[Step], kind: str, swaps: bool) -> Any:
    def step(y: Any, rate: Any) -> Any:
        for each in steps:
            y = each(y, rate)
        return y

    def twice(y: Any, rate: Any) -> Any:
        return lax.fori_loop(0, 2, lambda _, y: step(y, rate), y)

    def goes_on(counted: Any) -> Any:
        number, y = counted
        return (number < 4) & (dnp.max(lax.index_in_dim(y, 0, steps[0].axis)) < 50)

    def run(y: Any, rate: Any) -> Any:
        if kind == "while":
            return lax.while_loop(goes_on, lambda c: (c[0] + 1, step(c[1], rate)), (0, y))
        if kind == "nested":
            return lax.scan(lambda y, _: (twice(y, rate), y[..., :1]), y, None, 3)
        if swaps:
            return lax.scan(lambda c, _: ((step(c[1], rate), c[0]), c[1]), (y, 2 * y), None, 3)
        return lax.scan(lambda y, _: (step(y, rate), y), y, None, 3)

    return run


@settings(max_examples=150 if breadth.IS_NIGHTLY else 12, deadline=None)
@given(programs(), st.sampled_from(["value", "gradient", "batch"]))
def test_random_states(program: tuple[list[Step], int, int, str, bool], way: str) -> None:
    steps, count, rank, kind, swaps = program
    shape = [17] * rank
    shape[steps[0].axis] = count
    rng = np.random.default_rng(count + 10 * rank)
    y = rng.normal(size=shape).astype(np.float32)
    rate = rng.uniform(0.1, 0.5, np.delete(shape, steps[0].axis)).astype(np.float32)
    f = looped(steps, kind, swaps)
    if way == "gradient" and kind != "while":
        loss = f
        f = dt.grad(lambda y, rate: sum(dnp.sum(dnp.sin(x)) for x in dt.tree.leaves(loss(y, rate))))
    elif way == "batch":
        f = dt.vmap(f, in_axes=(-1, None), out_axes=0)
        y = np.stack([y, 0.5 * y, -y], -1)
    with config.compile("never"):
        expected = dt.jit(f)(y, rate)
    with config.compile("now"):
        actual = dt.jit(lambda *args: f(*args))(y, rate)
    for a, e in zip(dt.tree.leaves(actual), dt.tree.leaves(expected), strict=True):
        # Steps add up components of different sizes: errors are those of the largest.
        largest = max(1.0, float(np.max(np.abs(np.asarray(e)))))
        np.testing.assert_allclose(np.asarray(a), np.asarray(e), rtol=0, atol=2e-4 * largest)


@pytest.mark.parametrize("axis", [0, 1])
def test_states_of_an_ode_are_split(axis: int) -> None:
    def slope(y: Any) -> Any:
        a, b, c = (lax.index_in_dim(y, i, axis, keepdims=False) for i in range(3))
        return dnp.stack([10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c], axis)

    def solved(y: Any) -> Any:
        return lax.fori_loop(0, 5, lambda _, y: y + 0.01 * slope(y + 0.005 * slope(y)), y)

    shape = (64, 3) if axis else (3, 64)
    text = dt.jit(solved).lower(np.ones(shape, np.float32)).as_text("decompose")
    loop = text.partition("dovetail.scan")[2].partition("dovetail.yield")[0]
    assert "slice" not in loop
    assert "concatenate" not in loop
