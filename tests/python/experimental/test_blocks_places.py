"""Blocks at places of any index map, against loops over elements; those outside of their arrays."""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
from dovetail.experimental import pallas as pl
from support import breadth

F32 = np.float32
small = st.integers(1, 4)


class Blocks(NamedTuple):
    """Blocks of an array at places that are affine in those of the programs.

    Attributes:
      shape, block: the sizes of the array and of a block.
      grid: the sizes of the grid.
      factors: for each dimension of the array those of the program's place, and what is added.
      padding: of blocks that start at elements; None for others.
    """

    shape: tuple[int, ...]
    block: tuple[int, ...]
    grid: tuple[int, ...]
    factors: tuple[tuple[int, int, int], ...]
    padding: tuple[tuple[int, int], ...] | None

    def place(self, i: Any, j: Any) -> tuple[Any, ...]:
        return tuple(a * i + b * j + c for a, b, c in self.factors)

    def spec(self) -> pl.BlockSpec:
        sizes: Any = self.block
        if self.padding is not None:
            pairs = zip(self.block, self.padding, strict=True)
            sizes = tuple(pl.Element(size, padding) for size, padding in pairs)
        return pl.BlockSpec(sizes, self.place)

    def is_inside(self, i: int, j: int) -> bool:
        """Whether the block of a program has an element of the array, or of its padding."""
        units = self.block if self.padding is None else (1, 1)
        around = self.padding or ((0, 0), (0, 0))
        return all(
            -size < place * unit < low + n + high
            for place, unit, size, n, (low, high) in zip(
                self.place(i, j), units, self.block, self.shape, around, strict=True
            )
        )

    def elements(self, i: int, j: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The indices of elements in the block of a program, and in the array."""
        place = self.place(i, j)
        if self.padding is None:
            starts = [p * size for p, size in zip(place, self.block, strict=True)]
        else:
            starts = [p - low for p, (low, _) in zip(place, self.padding, strict=True)]
        pairs = [
            (at, tuple(start + k for start, k in zip(starts, at, strict=True)))
            for at in itertools.product(*map(range, self.block))
        ]
        return [
            (at, to)
            for at, to in pairs
            if all(0 <= k < n for k, n in zip(to, self.shape, strict=True))
        ]


@st.composite
def blocks(draw: st.DrawFn) -> Blocks:
    sizes = st.tuples(small, small)
    factor = st.integers(-1, 2)
    factors = st.tuples(factor, factor, st.integers(-2, 6))
    padding = st.tuples(st.integers(0, 2), st.integers(0, 2))
    return Blocks(
        draw(st.tuples(st.integers(1, 9), st.integers(1, 9))),
        draw(sizes),
        draw(sizes),
        draw(st.tuples(factors, factors)),
        draw(st.none() | st.tuples(padding, padding)),
    )


@settings(max_examples=200 if breadth.IS_NIGHTLY else 6)
@given(blocks(), st.booleans(), st.booleans(), st.sampled_from([True, True, False]))
def test_blocks_anywhere(case: Blocks, reads: bool, adds: bool, interpret: bool) -> None:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = (o_ref[...] / 2 if adds else 0) + x_ref[...] + pl.program_id(0)

    whole = tuple(n * size for n, size in zip(case.grid, case.block, strict=True))
    ordered = Blocks(whole, case.block, case.grid, ((1, 0, 0), (0, 1, 0)), None)
    source, target = (case, ordered) if reads else (ordered, case)
    x = np.random.default_rng(0).normal(size=source.shape).astype(F32)
    expected = np.zeros(target.shape, F32)
    for i, j in itertools.product(*map(range, case.grid)):
        value = np.full(case.block, i, F32)
        for at, place in source.elements(i, j):
            value[at] += x[place]
        for at, place in target.elements(i, j):
            expected[place] = (expected[place] / 2 if adds else 0) + value[at]
    args = x, np.zeros(target.shape, F32)
    f = pl.pallas_call(
        lambda x_ref, _, o_ref: kernel(x_ref, o_ref),
        dt.ShapeDtypeStruct(target.shape, F32),
        grid=case.grid,
        in_specs=[source.spec(), pl.BlockSpec()],
        out_specs=target.spec(),
        input_output_aliases={1: 0},
        interpret=interpret,
    )
    programs = list(itertools.product(*map(range, case.grid)))
    if all(case.is_inside(*program) for program in programs):
        np.testing.assert_allclose(f(*args), expected, rtol=1e-5, atol=1e-6)
        return
    what = r"args\[0\]" if reads else "outputs"
    with pytest.raises(ValueError, match=rf"for {what} must return blocks with") as error:
        f(*args)
    named = re.search(r"for the program \((\d), (\d)\)", str(error.value))
    assert named is not None
    assert not case.is_inside(*map(int, named.groups()))
