"""Random nested control flow, transformed, against JAX; needs JAX."""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dt
from dovetail import config
from support.jax_compare import jax
from support.random_control import PROGRAMS, program_of, results, transformed


@pytest.mark.parametrize("seed", range(1000, 1000 + PROGRAMS))
def test_evaluated_as_by_jax(seed: int) -> None:
    program = program_of(seed)
    with config.enable_x64(True), jax.enable_x64(True):
        actual = results(dt, transformed(dt, program), seed)
        expected = results(jax, [jax.jit(f) for f in transformed(jax, program)], seed)
    for value, wanted in zip(actual, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-6, atol=1e-9)
