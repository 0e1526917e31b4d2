"""Arrays that are read beside, or by, what writes over a part of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax


def beside(x: Any, u: Any) -> Any:
    """The read may run at the same time as the last op, and so may the update."""
    y = lax.optimization_barrier(2 * x)
    z = lax.optimization_barrier(y * y)
    return y + z, y.at[1 : 1 + len(u)].set(u), -x


def beside_a_product(x: Any, u: Any) -> Any:
    y = dnp.sin(x)
    z = (y @ y.T) @ y
    return y + z, y.at[1 : 1 + len(u)].set(u), -x


def shifted(x: Any, u: Any) -> Any:
    """The update is computed from elements that it replaces, but not in their places."""
    y = dnp.sin(x)
    return y.at[1 : 1 + len(u)].set(y[: len(u)] * u)


@pytest.mark.parametrize("merges", [False, True])
@pytest.mark.parametrize("function", [beside, beside_a_product, shifted])
@pytest.mark.parametrize(("rows", "replaced"), [(16, 5), (300, 200)])
def test_reads_come_before_updates(
    function: Callable[..., Any], rows: int, replaced: int, merges: bool
) -> None:
    x = np.random.default_rng(0).normal(size=(rows, 400)).astype(np.float32)
    with config.merge_small_ops(merges):
        actual = dt.jit(function, compile="now")(x, x[:replaced])
    expected = dt.jit(function, compile="never")(x, x[:replaced])
    for a, e in zip(dt.tree.leaves(actual), dt.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-3, atol=1e-3)
