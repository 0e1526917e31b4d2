"""Shared parts of tests of host loops: programs with loops that are not single dispatches."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import optree

import dovetail as dt
from dovetail import _core
from dovetail.programs.program import Program
from dovetail.programs.stages import Compiled


def hosted(function: Callable[..., Any], *args: Any) -> Program:
    """The traced function, whose loops and branches are run by the host."""
    program = dt.jit(function).lower(*args).program
    marked = "module attributes {dovetail.host_loops} {"
    module = _core.Module.parse(program.module.text().replace("module {", marked, 1))
    return replace(program, module=module)


def on_host(function: Callable[..., Any], *args: Any, copies: int = 0) -> Any:
    """The result of the compiled function, with no loop as one dispatch.

    Args:
      copies: the number of dispatches that copy slices of arrays which are overwritten.
    """
    program = hosted(function, *args)
    text = program.after("lower").text()
    # The library reads, updates and sorts long rows.
    dispatches = set(re.findall(r"entry_points = \[@(\w+)", text)) - {"gather", "scatter", "sort"}
    assert len(dispatches) == copies
    compiled = Compiled(program)
    assert "host_loops" not in text
    return compiled(*args)


def check(
    function: Callable[..., Any],
    *args: Any,
    rtol: float = 1e-9,
    atol: float = 1e-11,
    copies: int = 0,
) -> None:
    """Compares with evaluation op by op."""
    compare(on_host(function, *args, copies=copies), function(*args), rtol, atol)


def compare(actual: Any, expected: Any, rtol: float, atol: float) -> None:
    """Compares the leaves of two results, and their types."""
    for ours, other in zip(*map(optree.tree_leaves, (actual, expected)), strict=True):
        assert (ours.dtype, ours.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(ours, other, rtol=rtol, atol=atol)
