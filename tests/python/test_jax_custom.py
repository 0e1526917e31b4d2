"""Custom derivative rules against JAX: values of programs, and which errors there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import optree
import pytest
from custom_programs import PROGRAMS
from jax_compare import jax

import dovetail as dt
from dovetail import config


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True), jax.enable_x64(True):
        yield


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    ours, theirs = PROGRAMS[name](dt), PROGRAMS[name](jax)
    leaves, spec = optree.tree_flatten(ours)
    wanted, wanted_spec = optree.tree_flatten(theirs)
    assert spec == wanted_spec
    for got, expected in zip(leaves, wanted, strict=True):
        assert np.asarray(got).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
