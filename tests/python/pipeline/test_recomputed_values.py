"""What a program computes again is bit for bit what it computed first.

Otherwise a recomputed step of an integrator may be accepted where the first was rejected, and its
gradient belongs to another path. A rule whose backward pass returns its residual shows what
`checkpoint` computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from support import breadth

OPS = {
    "product": lambda x, y, z, w: x * y,
    "sum": lambda x, y, z, w: x + y,
    "difference": lambda x, y, z, w: x - y,
    "sum of a product": lambda x, y, z, w: x * y - z,
    "difference of squares": lambda x, y, z, w: x * x - y * y,
    "of one element": lambda x, y, z, w: x * y[0] + z,
    "sine": lambda x, y, z, w: dnp.sin(x),
    "exponential": lambda x, y, z, w: dnp.exp(-dnp.abs(x)),
    "quotient": lambda x, y, z, w: x / (1 + y * y),
    "deviation": lambda x, y, z, w: x - dnp.mean(y * z),
    "matrix by vector": lambda x, y, z, w: w @ x * 0.3,
    "shifted": lambda x, y, z, w: dnp.concatenate([x[1:] * y[:-1], z[:1]]),
    "chosen": lambda x, y, z, w: dnp.where(x > y, x * z, y),
}


@dt.custom_vjp
def leak(x: Any, y: Any) -> Any:
    return x * 0 + y * 0


def _leak_forward(x: Any, y: Any) -> Any:
    return leak(x, y), x


def _leak_backward(x: Any, ct: Any) -> Any:
    return dnp.zeros_like(x), x


leak.defvjp(_leak_forward, _leak_backward)


def computed(
    steps: Sequence[tuple[str, int, int, int]], xs: Sequence[Any], w: Any, reports: bool = False
) -> Any:
    values = list(xs)
    for i, (name, *places) in enumerate(steps):
        values.append(OPS[name](*(values[place % len(values)] for place in places), w))
        if reports and i == len(steps) // 2:
            # A loop with such a branch runs without it, except where it is taken; and without it,
            # values are computed again.
            shown = values[-1]
            lax.cond(shown[0] > 0.5, lambda x: dt.debug.callback(_report, x), _report, shown)
    return values[-1] + values[-2] * values[-3]


def _report(_: Any) -> None:
    pass


def once(steps: Any, xs: Any, w: Any, y: Any) -> Any:
    h = computed(steps, xs, w)
    return dnp.sum(leak(h, y)), h


def looped(steps: Any, xs: Any, w: Any, ys: Any, reports: bool) -> Any:
    def body(carry: Any, y: Any) -> Any:
        h = computed(steps, carry, w, reports)
        scaled = h / (1 + dnp.max(dnp.abs(h)))
        return (carry[1], carry[2], scaled + leak(h, y)), h

    carry, hs = lax.scan(dt.checkpoint(body), tuple(xs), ys)
    return sum(dnp.sum(x * 0) for x in carry), hs


def check(seed: int, size: int, form: str, dtype: Any = np.float32) -> None:
    draw = Random(seed)
    steps = [
        (draw.choice(list(OPS)), *(draw.randrange(1 << 16) for _ in range(3)))
        for _ in range(draw.randrange(3, 14))
    ]
    numbers = np.random.default_rng(seed)
    xs = [numbers.standard_normal(size).astype(dtype) for _ in range(3)]
    w = (numbers.standard_normal((size, size)) / np.sqrt(size)).astype(dtype)
    shown = np.zeros((6, size) if form != "once" else size, dtype)

    def function(xs: Any, w: Any, y: Any) -> Any:
        if form != "once":
            return looped(steps, xs, w, y, form == "in a loop that reports")
        return dt.checkpoint(lambda xs, w, y: once(steps, xs, w, y))(xs, w, y)

    compiled = dt.jit(dt.value_and_grad(function, argnums=2, has_aux=True), compile="now")
    (_, first), again = compiled(xs, w, shown)
    np.testing.assert_array_equal(again, first, err_msg=f"{steps}")


@pytest.mark.parametrize("form", ["once", "in a loop", "in a loop that reports"])
@pytest.mark.parametrize("size", [1, 3, 16, 30])
@settings(max_examples=100 if breadth.IS_NIGHTLY else 4)
@given(seed=st.integers(0, 1 << 30))
def test_recomputed_values(size: int, form: str, seed: int) -> None:
    check(seed, size, form)


@settings(max_examples=100 if breadth.IS_NIGHTLY else 4)
@given(seed=st.integers(0, 1 << 30))
def test_doubles(seed: int) -> None:
    with dt.enable_x64(True):
        check(seed, 16, "once", np.float64)


def test_products_that_are_read_twice() -> None:
    x, y = np.random.default_rng(0).standard_normal((2, 1000)).astype(np.float32)
    compiled = dt.jit(lambda x, y: (x * y - x * y, x * y - dnp.floor(x * y)), compile="now")
    difference, fraction = compiled(x, y)
    np.testing.assert_array_equal(difference, 0)
    np.testing.assert_array_equal(fraction, x * y - np.floor(x * y))
