"""On GPUs, threads take the rows of running reductions, and blocks of long ones, in levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import lax
from support.gpus import on_gpus, run_on

# The last is of blocks of blocks.
SHAPES = [((3, 5, 4), 1), ((1023,), 0), ((2, 1030), 1), ((4096, 3), 0), ((300_001,), 0)]
RUNNING = {
    "cumsum": np.add,
    "cummax": np.maximum,
    "cumlogsumexp": np.logaddexp,
}


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@on_gpus
def test_running_reductions(shape: tuple[int, ...], axis: int, gpu: str, tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).standard_normal(shape).astype(np.float32) / 16

    def function(x: Any) -> list[Any]:
        both = [getattr(lax, name)(x, axis, reverse=side) for name in RUNNING for side in (0, 1)]
        return [*both, lax.cumsum((x * 64).astype("int32"), axis)]

    *results, of_integers = run_on(gpu, tmp_path, function, numbers)
    for (name, step), forward, backward in zip(
        RUNNING.items(), results[::2], results[1::2], strict=True
    ):
        wide = numbers.astype(np.float64)
        expected = step.accumulate(wide, axis)
        np.testing.assert_allclose(
            np.asarray(forward), expected, rtol=2e-5, atol=2e-4, err_msg=name
        )
        expected = np.flip(step.accumulate(np.flip(wide, axis), axis), axis)
        np.testing.assert_allclose(np.asarray(backward), expected, rtol=2e-5, atol=2e-4)
    integers = (numbers * 64).astype(np.int32)
    np.testing.assert_array_equal(np.asarray(of_integers), np.cumsum(integers, axis))
