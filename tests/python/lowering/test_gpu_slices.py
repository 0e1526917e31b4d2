"""On GPUs, slices that begin anywhere have the right elements, whatever is computed of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail.numpy as dnp
from dovetail import lax, nn
from support import breadth
from support.gpus import on_gpus, run_on

USES: dict[str, Callable[[Any, Any], Any]] = {
    "sum of two": lambda x, y: x + 2 * y,
    "product": lambda x, y: x @ y.T,
    "product of a transpose": lambda x, y: x.T @ y,
    "sums of rows": lambda x, y: dnp.sum(x * y, -1),
    "sums of columns": lambda x, y: dnp.sum(x * y, 0),
    "softmax": lambda x, y: nn.softmax(x) - y,
    "joined": lambda x, y: dnp.concatenate([x, 3 * y], -1),
    "loop": lambda x, y: lax.fori_loop(0, 3, lambda _, z: 0.5 * z + x, y),
}


@settings(
    max_examples=60 if breadth.IS_NIGHTLY else 5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    use=st.sampled_from(sorted(USES)),
    starts=st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 3)),
    width=st.sampled_from([8, 31, 32, 48]),
    dtype=st.sampled_from(["float32", "float16", "int32"]),
    is_known=st.booleans(),
)
@on_gpus
def test_slices(
    use: str,
    starts: tuple[int, int, int],
    width: int,
    dtype: str,
    is_known: bool,
    gpu: str,
    tmp_path: Path,
) -> None:
    if dtype == "int32" and use in ("softmax", "loop"):
        use = "sum of two"
    rng = np.random.default_rng(width)
    x = rng.integers(-4, 5, (32, 64)).astype(dtype)
    first, second, row = starts

    def f(x: Any, at: Any) -> Any:
        if is_known:
            parts = x[row : row + 16, first : first + width], x[16:, second : second + width]
        else:
            parts = (
                lax.dynamic_slice(x, (at[2], at[0]), (16, width)),
                lax.dynamic_slice(x, (16, at[1]), (16, width)),
            )
        return USES[use](*parts)

    at = np.array(starts, np.int32)
    actual = run_on(gpu, tmp_path, f, x, at)
    expected = f(dnp.asarray(x), at)
    tolerance = 2e-2 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(
        np.asarray(actual, np.float32),
        np.asarray(expected, np.float32),
        rtol=tolerance,
        atol=tolerance,
    )
