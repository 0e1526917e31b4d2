"""Pads, rotations, differences and slices of arrays, and what is computed from them: the arrays
that they share when they are compiled are the right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from support import breadth

POINTWISE: list[Callable[[Any], Any]] = [
    lambda x: x,
    lambda x: 2 * x * x,
    lambda x: dnp.where(x > 0.5, x, 1 / (2 + x * x)),
    lambda x: dnp.tanh(x) - x,
    lambda x: x * dnp.arange(x.shape[-1]),
]
PADS = ["constant", "wrap", "edge", "reflect", "symmetric"]


class Shift(NamedTuple):
    """One of several arrays of a matrix's shape that are computed from it."""

    kind: str
    before: Callable[[Any], Any]
    axis: int
    steps: int
    value: float

    def __call__(self, x: Any) -> Any:
        x, n = self.before(x), x.shape[self.axis]
        if self.kind == "roll":
            return dnp.roll(x, self.steps, self.axis)
        if self.kind == "roll both":
            return dnp.roll(x, (self.steps, 1), (0, 1))
        if self.kind in PADS:
            width = [(0, 0), (0, 0)]
            width[self.axis] = (abs(self.steps), 2)
            constant = {"constant_values": self.value} if self.kind == "constant" else {}
            padded = dnp.pad(x, width, self.kind, **constant)
            return lax.slice_in_dim(padded, 2, n + 2, axis=self.axis)
        low, high = (abs(self.steps), 0) if self.steps > 0 else (0, abs(self.steps))
        part = lax.slice_in_dim(x, high, n - low, axis=self.axis)
        if self.kind == "shift":
            config_of = [(0, 0, 0), (0, 0, 0)]
            config_of[self.axis] = (low, high, 0)
            return lax.pad(part, dnp.asarray(self.value, x.dtype), config_of)
        if self.kind == "repeat":
            start = 0 if low else n - 1
            edges = [lax.slice_in_dim(x, start, start + 1, axis=self.axis)] * abs(self.steps)
            return dnp.concatenate([*edges, part] if low else [part, *edges], self.axis)
        return dnp.zeros_like(x).at[:, low : x.shape[1] - high].add(x[:, high : x.shape[1] - low])


def shifts(kinds: list[str]) -> st.SearchStrategy[Shift]:
    return st.builds(
        Shift,
        st.sampled_from(kinds),
        st.sampled_from(POINTWISE),
        st.integers(0, 1),
        st.sampled_from([-3, -2, -1, 1, 2]),
        st.sampled_from([0.0, 1.5]),
    )


# Many of one kind, so that they share an array.
groups = st.sampled_from(
    [["roll"], ["shift"], ["roll", "repeat"], ["shift", "update"], PADS, ["roll both", "roll"]]
).flatmap(lambda kinds: st.lists(shifts(kinds), min_size=1, max_size=5))


class Stencil(NamedTuple):
    """Sums of shifts, of which the later groups read the earlier ones."""

    stages: list[list[Shift]]
    after: Callable[[Any], Any]

    def __call__(self, x: Any) -> Any:
        for group in self.stages:
            total = sum((-1) ** i * shift(x) for i, shift in enumerate(group))
            x = self.after(x + total)
        return x

    def gradient(self, x: Any) -> Any:
        return dt.grad(lambda x: dnp.sum(dnp.sin(self(x))))(x)


stencils = st.builds(
    Stencil, st.lists(groups, min_size=1, max_size=2), st.sampled_from([dnp.sin, lambda x: x / 8])
)


@settings(max_examples=40 if breadth.IS_NIGHTLY else 4)
@given(st.lists(stencils, min_size=6, max_size=6), st.sampled_from([(5, 7), (40, 70), (8, 130)]))
def test_stencils_and_their_gradients(several: list[Stencil], shape: tuple[int, int]) -> None:
    def program(inputs: Any) -> Any:
        return [
            [stencil(x), stencil.gradient(x), dnp.sum(stencil(x)), stencil(x).reshape(-1)]
            for stencil, x in zip(several, inputs, strict=True)
        ]

    with config.enable_x64(True), config.compile("now"):
        values = np.random.default_rng(0).uniform(0.1, 1, (len(several), *shape))
        inputs = [dnp.asarray(each) for each in values]
        results = dt.tree.leaves(dt.jit(program)(inputs))
        with dt.disable_jit():
            expected = dt.tree.leaves(program(inputs))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)


def test_gradient_of_differences() -> None:
    def energy(x: Any) -> Any:
        return sum(dnp.sum(dnp.diff(x, axis=axis) ** 2) for axis in range(3))

    x = np.random.default_rng(0).normal(size=(30, 20, 40)).astype(np.float32)
    with config.compile("now"):
        gradient = np.asarray(dt.jit(dt.grad(energy))(x))
    wanted = np.zeros_like(x)
    for axis in range(3):
        d = 2 * np.diff(x, axis=axis)
        widths: list[list[tuple[int, int]]] = [[(0, 0)] * 3, [(0, 0)] * 3]
        widths[0][axis], widths[1][axis] = (1, 0), (0, 1)
        wanted += np.pad(d, widths[0]) - np.pad(d, widths[1])
    np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-5)


def test_elements_beyond_the_ends_are_never_divided_by() -> None:
    """Integers by zero would end the process; floats give infinities, which are not chosen."""

    def program(n: Any, x: Any) -> Any:
        def pads(y: Any) -> Any:
            zero = dnp.zeros((), y.dtype)
            return lax.pad(y, zero, [(1, 0, 0)]) + lax.pad(y, zero, [(0, 1, 0)])

        return pads(100 // n[1:] + 100 % n[:-1]), pads(1 / x[1:] + 1 / x[:-1])

    n, x = np.arange(1, 101, dtype=np.int32), np.linspace(1, 2, 100, dtype=np.float32)
    with config.compile("now"):
        ints, floats = dt.jit(program)(n, x)
    with dt.disable_jit():
        some, others = program(dnp.asarray(n), dnp.asarray(x))
    np.testing.assert_array_equal(ints, some)
    np.testing.assert_allclose(floats, others, rtol=1e-6)


def test_sum_of_what_is_computed_from_slices() -> None:
    """The slices are read in place, also where their sum is computed along with them."""

    def program(x: Any) -> tuple[Any, Any]:
        y = dnp.tanh(x[1:, 2:] - x[:-1, :-2])
        return y, dnp.mean(y)

    x = np.random.default_rng(0).normal(size=(301, 402)).astype(np.float32)
    with config.compile("now"):
        y, mean = dt.jit(program)(x)
    wanted = np.tanh(x[1:, 2:] - x[:-1, :-2])
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(mean, wanted.mean(), rtol=1e-4, atol=1e-6)
