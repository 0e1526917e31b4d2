"""On GPUs, a reduction's result is read along any dimensions of another array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dovetail.numpy as dnp
from support import breadth
from support.gpus import on_gpus, run_on


# IREE 3.13 makes vectors of 8 numbers of some of these, such as means of (8, 8, 33), which SPIR-V
# does not have; another form of the program compiles.
@pytest.mark.rejected
@settings(
    max_examples=60 if breadth.IS_NIGHTLY else 4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    sizes=st.tuples(*[st.sampled_from([2, 3, 8, 33])] * 2),
    other=st.sampled_from([1, 5, 8, 33]),
    # Where the reduction's two dimensions and another one are in the array that meets it.
    order=st.permutations([0, 1, 2]),
    is_mean=st.booleans(),
)
@example(sizes=(3, 33), other=33, order=[2, 0, 1], is_mean=False)
@on_gpus
def test_reductions(
    sizes: tuple[int, int], other: int, order: list[int], is_mean: bool, gpu: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(other)
    x = rng.standard_normal((*sizes, 33)).astype(np.float32)
    y = rng.standard_normal([(*sizes, other)[dimension] for dimension in order]).astype(np.float32)

    def f(x: Any, y: Any) -> tuple[Any, Any]:
        reduced = dnp.mean(x, -1) if is_mean else dnp.sum(x * x, -1)
        return dnp.sqrt(abs(reduced)), y - dnp.transpose(reduced[..., None], order)

    for actual, expected in zip(run_on(gpu, tmp_path, f, x, y), f(x, y), strict=True):
        np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-4, atol=1e-4)
