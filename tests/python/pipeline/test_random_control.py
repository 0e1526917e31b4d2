"""Random nested control flow, transformed and compiled, against the reference evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import config
from dovetail.reference import Evaluator
from support import spmd
from support.host_loops import compare, on_host
from support.random_control import PROGRAMS, arguments, flat, program_of, results, transformed


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_compiled_as_evaluated(seed: int) -> None:
    with config.enable_x64(True):
        functions = transformed(dt, program_of(seed, with_while=True))
        expected = results(dt, functions, seed)

        # As one program; the parts share only the arguments.
        def together(x: Any, y: Any) -> Any:
            return tuple(flat([function(x, y) for function in functions]))

        # Loops as small as these are one dispatch each, unless prevented.
        compiled = dt.jit(together) if seed % 2 else lambda x, y: on_host(together, x, y)
        actual = results(dt, [compiled], seed)
    compare(actual, expected, 1e-6, 1e-9)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_compiled_for_all_sizes(seed: int) -> None:
    with config.enable_x64(True):
        program = program_of(seed, with_while=True, with_parts=False)
        functions = transformed(dt, program)[:3]
        expected = results(dt, functions, seed)
        compiled = [dt.jit(function, dynamic_shapes=("b, n", "n")) for function in functions]
        compare(results(dt, compiled, seed), expected, 1e-6, 1e-9)


# Sizes divide into equal parts along one of the axes, or along none.
MESH = {"x": 2, "y": 3}


def partitioned(seed: int) -> tuple[Any, list[Any], list[np.ndarray]]:
    """A random program, the dimensions of its arguments that are divided, and the arguments."""
    rng = np.random.default_rng(seed)
    functions = transformed(dt, program_of(seed, with_while=True))
    inputs = arguments(seed)
    traced = dt.jit(functions[seed % len(functions)]).trace(*inputs)._program
    inputs += [np.asarray(operand) for operand in traced.captured]
    return traced.module, [spmd.random_dims(MESH, x.shape, rng) for x in inputs], inputs


# In the last, what a loop of unknown length keeps is sharded in another way in its derivative.
@pytest.mark.parametrize("seed", [*range(10 * PROGRAMS), 704])
def test_partitioned_as_evaluated(seed: int) -> None:
    """Loops and branches on parts, evaluated by their meaning on whole arrays."""
    with config.enable_x64(True):
        module, dims, inputs = partitioned(seed)
        compare(*spmd.evaluated(module, MESH, dims, inputs), 1e-6, 1e-9)


# IREE has crashed on the first.
@pytest.mark.parametrize("seed", [5, *range(90, 90 + PROGRAMS)])
def test_partitioned_and_compiled(seed: int) -> None:
    with config.enable_x64(True):
        module, dims, inputs = partitioned(seed)
        local = spmd.partitioned(module, MESH, dims)
        whole = module.clone()
        whole.run("", "check")
        expected = Evaluator(whole.program("main"))(list(inputs))
        spmd.check_on_devices(local, MESH, inputs, expected, 1e-6, 1e-9)
