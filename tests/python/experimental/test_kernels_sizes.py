"""Kernels of all sizes: run by one thread, by workgroups, or as plain ops; and batches of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
from support import breadth

sys.path.insert(0, str(Path(__file__).parents[3] / "examples"))
import kernels


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int]:
    """Of an array and its blocks."""
    block = draw(st.sampled_from([3, 4, 5, 8, 16, 24, 32, 64, 100]))
    return block * draw(st.sampled_from([1, 2, 3, 4, 5, 8, 12])), block


@st.composite
def cases(draw: st.DrawFn) -> kernels.Case:
    name = draw(st.sampled_from([name for name in kernels.CASES if name != "stencil"]))
    make: Any = kernels.CASES[name][0]
    if name == "dense layer":
        return make(*zip(*(draw(sizes()) for _ in range(3)), strict=True))
    width = {"width": draw(st.sampled_from([3, 16, 20, 64]))} if "attention" in name else {}
    return make(*draw(sizes()), **width)


@settings(max_examples=200 if breadth.IS_NIGHTLY else 6)
@given(cases(), st.sampled_from([0, 0, 2, 3, 8]))
def test_kernels_compute_what_plain_ops_do(case: kernels.Case, batch: int) -> None:
    kernel, plain, arrays = case
    if batch:
        kernel, plain = dt.vmap(kernel), dt.vmap(plain)
        arrays = [np.stack([x] * batch) for x in arrays]
    actual = dt.jit(kernel, compile="now")(*arrays)
    expected = dt.jit(plain, compile="never")(*arrays)
    largest = max(float(abs(np.asarray(x)).max()) for x in dt.tree.leaves(expected))
    assert kernels.distance(actual, expected) <= 1e-4 * largest
