"""Random programs through the whole pipeline, against the reference evaluator and each other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from support import spmd
from support.random_programs import PROGRAMS, Program, close, programs, with_derivatives


@pytest.fixture(autouse=True)
def x64() -> Iterator[None]:
    with config.enable_x64(True):
        yield


@settings(max_examples=PROGRAMS)
@given(programs(12))
def test_simplified_programs_agree_with_their_ops_one_by_one(program: Program) -> None:
    inputs = program.inputs(0)
    stated = dt.linearize(program, *inputs)[0]
    close(stated, program(*inputs), 1e-12)


@settings(max_examples=PROGRAMS)
@given(programs(8))
def test_derivatives_of_programs(program: Program) -> None:
    """Forward mode against differences, reverse mode against forward mode."""
    inputs, tangents = program.inputs(0), program.inputs(1)
    _, forward = dt.jvp(program, tuple(inputs), tuple(tangents))
    results, pullback = dt.vjp(program, *inputs)
    rng = np.random.default_rng(2)
    cotangents = tuple(dnp.array(rng.uniform(-1, 1, np.shape(r))) for r in results)
    backward = pullback(cotangents)
    lhs = sum(float(dnp.vdot(c, t)) for c, t in zip(cotangents, forward, strict=True))
    rhs = sum(float(dnp.vdot(b, t)) for b, t in zip(backward, tangents, strict=True))
    np.testing.assert_allclose(lhs, rhs, rtol=1e-5, atol=1e-5)


@settings(max_examples=PROGRAMS)
@given(programs(8))
def test_batched_programs_agree_with_a_loop(program: Program) -> None:
    inputs = program.inputs(0, batch=(2,))
    actual = dt.vmap(program)(*inputs)
    rows = [program(*(x[i] for x in inputs)) for i in range(2)]
    close(
        actual, [np.stack(list(map(np.asarray, parts))) for parts in zip(*rows, strict=True)], 1e-6
    )


MESH = {"x": 2, "y": 3}


@settings(max_examples=PROGRAMS)
@given(programs(12), st.integers(0, 99), st.booleans())
def test_partitioned_programs_agree_with_whole_ones(
    program: Program, seed: int, is_derived: bool
) -> None:
    """The program of one device, evaluated by its meaning on whole arrays."""
    inputs, rng = program.inputs(0), np.random.default_rng(seed)
    function = with_derivatives(program) if is_derived else program
    traced = dt.jit(function).trace(*inputs)._program
    inputs += [np.asarray(operand) for operand in traced.captured]
    dims = [spmd.random_dims(MESH, x.shape, rng) for x in inputs]
    close(*spmd.evaluated(traced.module, MESH, dims, inputs), 1e-6)


# A compiler takes a third less time for programs in one module.
TOGETHER = 10


@pytest.mark.slow
@settings(
    max_examples=-(-PROGRAMS // (2 * TOGETHER)),
    suppress_health_check=[HealthCheck.large_base_example],
)
@given(st.lists(programs(10), min_size=TOGETHER, max_size=TOGETHER), st.booleans())
def test_compiled_programs_agree_with_eager(several: list[Program], merges: bool) -> None:
    calls = {
        f"program{i}": (with_derivatives(program), *program.inputs(0))
        for i, program in enumerate(several)
    }
    with config.merge_small_ops(merges), tempfile.TemporaryDirectory() as folder:
        (path,) = dt.export(calls, path=Path(folder, "programs.vmfb")).values()
        module = dt.runtime.load(path)
    for name, (function, *inputs) in calls.items():
        close(getattr(module, name)(*inputs), function(*inputs), 1e-5)
