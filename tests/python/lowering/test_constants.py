"""What programs compute of constants alone: ahead if that takes long, else where it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

X = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)

# Functions of an array of 4 times 6 elements, and the same in NumPy.
QUICK: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "a mask": (
        lambda x: dnp.where(dnp.tri(4, 6, dtype=bool), x, 0),
        lambda x: np.where(np.tri(4, 6, dtype=bool), x, 0),
    ),
    "a grid": (lambda x: x + dnp.linspace(0, 1, 6), lambda x: x + np.linspace(0, 1, 6)),
    "a checkerboard": (
        lambda x: x * ((dnp.arange(4)[:, None] + dnp.arange(6)) % 2),
        lambda x: x * ((np.arange(4)[:, None] + np.arange(6)) % 2),
    ),
}
SLOW: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "a window": (lambda x: x * dnp.cos(dnp.arange(6)), lambda x: x * np.cos(np.arange(6))),
    "frequencies": (
        lambda x: x / 100.0 ** dnp.linspace(0, 1, 6),
        lambda x: x / 100.0 ** np.linspace(0, 1, 6),
    ),
}


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_constants(name: str) -> None:
    function, expected = {**QUICK, **SLOW}[name]
    lowered = dt.jit(function).lower(X).program.lowering().lowered
    assert lowered.computes_ahead() == (name in SLOW)
    np.testing.assert_allclose(dt.jit(function)(X), expected(X), rtol=1e-5, atol=1e-6)
