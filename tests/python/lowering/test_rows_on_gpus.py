"""Functions of rows of dozens of elements, which GPUs compute in parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from support.gpus import on_gpus, run_on


def summed_places(x: Any) -> Any:
    """Reads elements at places that a sum gives."""
    numbers = dnp.arange(x.shape[1], dtype="int32")
    places = dnp.where(x[:, None, :] < x[:, :, None], 1, 0).sum(-1, dtype="int32")
    return dnp.take_along_axis(x, places, 1) * numbers


def solved(x: Any) -> Any:
    """A system for each row."""
    systems = x[:, :49].reshape(-1, 7, 7) + 9 * dnp.eye(7, dtype=x.dtype)
    return dt.vmap(dnp.linalg.solve)(systems, x[:, :7])


@on_gpus
@pytest.mark.parametrize(
    "function",
    [lambda x: dnp.sort(x, axis=0), dnp.argsort, summed_places, solved],
    ids=["sort", "argsort", "places", "solve"],
)
def test_rows(function: Callable[[Any], Any], gpu: str, tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(64, 64)).astype("f")
    expected = dt.jit(function)(x)
    np.testing.assert_allclose(run_on(gpu, tmp_path, function, x), expected, rtol=1e-4, atol=1e-5)
