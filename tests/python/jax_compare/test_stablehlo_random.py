"""Random programs, their derivatives and batches, compiled by JAX's client from StableHLO."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
from dovetail import config
from support.jax_compare import jax
from support.random_control import PROGRAMS as NESTED
from support.random_control import arguments, program_of, transformed
from support.random_programs import PROGRAMS, Program, close, programs, with_derivatives
from support.stablehlo_programs import compiled_by_jax


def check(function: Any, inputs: list[np.ndarray]) -> None:
    """JAX's client and the evaluator have the same values."""
    with config.compile("never"), jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = dt.tree_util.tree_leaves(dt.jit(function)(*inputs))
        text = dt.jit(function).lower(*inputs).as_text("stablehlo")
        close(ours, compiled_by_jax(text, inputs), 1e-6)


@pytest.mark.slow
@settings(max_examples=PROGRAMS // 4)
@given(programs(10), st.sampled_from(["values", "derivatives", "batch"]))
def test_steps(program: Program, what: str) -> None:
    with config.enable_x64(True):
        if what == "batch":
            check(dt.vmap(program), program.inputs(0, (2,)))
        else:
            function = program if what == "values" else with_derivatives(program)
            check(function, program.inputs(0))


@pytest.mark.slow
def test_nested_control_flow() -> None:
    with config.enable_x64(True):
        for seed in range(3000, 3000 + NESTED):
            for function in transformed(dt, program_of(seed)):
                check(function, arguments(seed))
