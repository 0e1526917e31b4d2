"""Random programs over random meshes, of arrays that are sharded at random, beside one device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
from dovetail import config
from dovetail.reference import Evaluator
from support import spmd
from support.random_programs import PROGRAMS, Program, close, programs, with_derivatives
from support.random_sharded import MESHES, NAMES, SHAPES, table_of


@pytest.fixture(autouse=True)
def x64() -> Iterator[None]:
    with config.enable_x64(True):
        yield


def traced(
    program: Program, mesh: spmd.Mesh, seed: int, is_derived: bool
) -> tuple[Any, list[Any], list[np.ndarray]]:
    """The module, the dimensions of its arguments that are divided, and the arguments."""

    def function(*inputs: Any) -> Any:
        return program.by(table_of(mesh), *inputs)

    inputs, rng = program.inputs(seed), np.random.default_rng(seed)
    chosen: Callable[..., Any] = with_derivatives(function) if is_derived else function
    made = dt.jit(chosen).trace(*inputs)._program
    inputs += [np.asarray(operand) for operand in made.captured]
    return made.module, [spmd.random_dims(mesh, x.shape, rng) for x in inputs], inputs


PROGRAM = programs(7, NAMES, SHAPES)


@settings(max_examples=3 * PROGRAMS)
@given(PROGRAM, st.sampled_from(MESHES), st.integers(0, 99), st.booleans())
def test_partitioned_programs_agree_with_whole_ones(
    program: Program, mesh: spmd.Mesh, seed: int, is_derived: bool
) -> None:
    """The program of one device, evaluated by its meaning on whole arrays."""
    module, dims, inputs = traced(program, mesh, seed, is_derived)
    close(*spmd.evaluated(module, mesh, dims, inputs), 1e-6)


@pytest.mark.slow
@settings(max_examples=-(-PROGRAMS // 20))
@given(PROGRAM, st.sampled_from(MESHES), st.integers(0, 99), st.booleans())
def test_partitioned_programs_run_on_devices(
    program: Program, mesh: spmd.Mesh, seed: int, is_derived: bool
) -> None:
    """The same, compiled, and run on all devices."""
    module, dims, inputs = traced(program, mesh, seed, is_derived)
    whole = module.clone()
    whole.run("", "check")
    expected = Evaluator(whole.program("main"))(list(inputs))
    local = spmd.partitioned(module, mesh, dims)
    spmd.check_on_devices(local, mesh, inputs, expected, 1e-6, 1e-6)
