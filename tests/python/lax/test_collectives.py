"""Collectives over named axes: values, derivatives and batches against formulas on whole arrays."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from support.collective_cases import CASES, count, on_whole, over_axes, sample

SIZES = {"i": 2, "j": 3}
AXES: list[tuple[str, ...]] = [("i",), ("j",), ("i", "j"), ("j", "i")]
PROGRAMS = [(name, axes) for name, axes in itertools.product(CASES, AXES)]


def check(ours: Any, expected: Any) -> None:
    np.testing.assert_allclose(ours, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize(("name", "axes"), PROGRAMS, ids=str)
def test_values_and_derivatives(name: str, axes: Any) -> None:
    case = CASES[name]
    x, t = sample(case, axes, SIZES), sample(case, axes, SIZES, 1)
    named, whole = over_axes(lambda x: case.named(x, axes), SIZES), on_whole(case, axes, SIZES)
    for ours, expected in zip(dt.jvp(named, (x,), (t,)), dt.jvp(whole, (x,), (t,)), strict=True):
        check(ours, expected)
    weights = np.random.default_rng(2).normal(size=whole(x).shape).astype(np.float32)
    gradient = dt.grad(lambda f, x: dnp.sum(dnp.sin(f(x)) * weights), 1)
    check(gradient(named, x), gradient(whole, x))


@pytest.mark.parametrize(("name", "axes"), PROGRAMS, ids=str)
def test_gradients_of_elements(name: str, axes: Any) -> None:
    """The transpose of a sum over an axis is that sum: what one element receives is sent by all."""
    case = CASES[name]
    x = sample(case, axes, SIZES)
    whole = on_whole(case, axes, SIZES)
    ours = over_axes(dt.grad(lambda x: dnp.sum(case.named(x, axes) ** 2)), SIZES)(x)
    check(ours, dt.grad(lambda x: dnp.sum(whole(x) ** 2))(x))


@pytest.mark.parametrize(("name", "axes"), PROGRAMS, ids=str)
def test_other_batches(name: str, axes: Any) -> None:
    """A batch without a name, or of other names, at any place."""
    case = CASES[name]
    xs = np.stack([sample(case, axes, SIZES, seed) for seed in range(2)])
    whole = on_whole(case, axes, SIZES)
    expected = np.stack([whole(x) for x in xs])

    def f(x: Any) -> Any:
        return case.named(x, axes)

    check(dt.vmap(over_axes(f, SIZES))(xs), expected)
    inner = over_axes(dt.vmap(f, -1, -1, axis_name="k"), SIZES)(np.moveaxis(xs, 0, -1))
    check(inner, np.moveaxis(expected, 0, -1))
    between = dt.vmap(dt.vmap(dt.vmap(f, axis_name="j"), 1, 1), axis_name="i")
    check(dt.jit(between)(np.moveaxis(xs, 0, 2)), np.moveaxis(expected, 0, 2))


@pytest.mark.parametrize(("name", "axes"), PROGRAMS, ids=str)
def test_unbatched_operands(name: str, axes: Any) -> None:
    """Values that do not depend on the axes are the same for all elements."""
    case = CASES[name]
    x = sample(case, axes, SIZES)[0, 0]
    numbers = np.arange(count(("i", "j"), SIZES)).reshape(*SIZES.values())
    ours = over_axes(lambda _: case.named(x, axes), SIZES)(numbers)
    check(ours, on_whole(case, axes, SIZES)(np.broadcast_to(x, (*SIZES.values(), *x.shape))))


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, dict[str, int], tuple[str, ...], list[str]]:
    """A collective, the sizes of up to four axes, the axes that it is over, and the order in
    which all are bound.
    """
    names = "hijk"[: draw(st.integers(1, 4))]
    sizes = {name: draw(st.integers(2, 3)) for name in names}
    axes = draw(st.permutations(names))[: draw(st.integers(1, len(names)))]
    name, order = draw(st.sampled_from(sorted(CASES))), draw(st.permutations(names))
    return name, sizes, tuple(axes), list(order)


@settings(max_examples=60)
@given(programs())
def test_several_axes(program: tuple[str, dict[str, int], tuple[str, ...], list[str]]) -> None:
    name, sizes, axes, order = program
    case = CASES[name]
    named = over_axes(lambda x: case.named(x, axes), sizes, order)
    whole = on_whole(case, axes, sizes)

    def loss(f: Any, x: Any) -> Any:
        return dnp.sum(dnp.sin(f(x)))

    with config.enable_x64(True):
        x = sample(case, axes, sizes).astype(np.float64)
        for ours, expected in (
            (named(x), whole(x)),
            (dt.grad(loss, 1)(named, x), dt.grad(loss, 1)(whole, x)),
        ):
            np.testing.assert_allclose(ours, expected, rtol=1e-11, atol=1e-11)
