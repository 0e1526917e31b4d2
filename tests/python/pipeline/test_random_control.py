"""Random nested control flow, transformed and compiled, against the reference evaluator."""

from __future__ import annotations

from typing import Any

import pytest

import dovetail as dt
from dovetail import config
from support.host_loops import compare, on_host
from support.random_control import PROGRAMS, flat, program_of, results, transformed


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
