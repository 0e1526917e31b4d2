"""A program after each phase, and its dispatches, as data for the viewer's page."""

from __future__ import annotations

import dataclasses
import linecache
from collections.abc import Sequence
from typing import Any

from dovetail import _core
from dovetail.base.errors import value_error
from dovetail.base.locations import Location
from dovetail.compiler.dispatch_graph import DispatchGraph
from dovetail.compiler.phases import NAMES
from dovetail.programs.program import Program

# The phases that are shown unless others are asked for.
DEFAULT = ("trace", "expand", "simplify", "shard", "lower")
DISPATCHES = "dispatches"
# A dispatch of more results than these names the first ones.
_MOST_VALUES = 4


class Places:
    """The locations in the user's program that a page refers to by number."""

    def __init__(self) -> None:
        self._numbers: dict[Location, int] = {}

    def number(self, place: Location) -> int:
        """The number of a location; -1 for an unknown one."""
        # MLIR's name for a file without a name.
        if place[0] in ("", "-") or not place[1]:
            return -1
        return self._numbers.setdefault(place, len(self._numbers))

    def described(self) -> list[list[Any]]:
        """The file, the line, the function and the text of each location."""
        return [
            [file, line, name, linecache.getline(file, line).strip()]
            for file, line, name in self._numbers
        ]


def numbered(program: Program) -> Program:
    """The program with its ops numbered, so that what phases make of them names its origins."""
    module = program.module.clone()
    _core.number_ops(module)
    return dataclasses.replace(program, module=module)


def check(phases: Sequence[str]) -> None:
    """Check the names of phases.

    Raises:
      ValueError: there is no such phase.
    """
    for phase in phases:
        if phase not in NAMES:
            raise value_error(f"view: phases must be among {', '.join(NAMES)}, got: {phase!r}")


def of_phase(program: Program, phase: str, places: Places) -> dict[str, Any]:
    """A numbered program after a phase of the compiler."""
    module = program.after(phase)
    if phase == "simplify" and program.mesh is not None:
        # What the next phase divides arrays by.
        module.propagate_shardings()
    listing = _core.listing(module)
    ops = [
        [
            op.name,
            op.line,
            op.parent,
            op.operands,
            op.results,
            op.arguments,
            op.callees,
            op.origins,
            places.number(op.place),
            None if op.cost is None else [op.cost.flops, op.cost.transcendentals, op.cost.bytes],
        ]
        for op in listing.ops
    ]
    values = [[each.name, each.type, each.sharding, each.bytes] for each in listing.values]
    description = dict(_core.phases())[phase]
    return {
        "name": phase,
        "description": description,
        "text": listing.text.rstrip("\n"),
        "ops": ops,
        "values": values,
    }


def of_dispatches(graph: DispatchGraph, times: Sequence[float | None]) -> dict[str, Any]:
    """The dispatches of a program, as if they were a phase, with the edges between them.

    Args:
      graph: the dispatches.
      times: the seconds that each step takes, where they are known.
    """
    lines, ops = [], []
    parents: list[int] = []
    for number, step in enumerate(graph.steps):
        del parents[step.depth :]
        what = f"dispatch {'+'.join(step.ops) or step.name}" if step.name else step.kind
        results = _some([f"%{value}" for value in step.results])
        operands = _some([f"%{value}" for value in step.operands])
        types = _some([graph.types[value] for value in step.results])
        line = "  " * step.depth + (f"{results} = " if results else "") + f"{what}({operands})"
        seconds = times[number]
        lines.append(
            line + (f" : {types}" if types else "") + (f"  // {_shown(seconds)}" if seconds else "")
        )
        ops.append(
            [
                step.name or step.kind,
                number + 1,
                parents[-1] if parents else -1,
                step.operands,
                step.results,
                [],
                [],
                step.origins,
                -1,
                None,
            ]
        )
        parents.append(number)
    return {
        "name": DISPATCHES,
        "description": "what runs at once, as the code generator has formed it",
        "text": "\n".join(lines),
        "ops": ops,
        "values": [[f"%{i}", each, "", 0] for i, each in enumerate(graph.types)],
        "steps": [
            [step.kind, "+".join(step.ops), step.places, step.after, seconds]
            for step, seconds in zip(graph.steps, times, strict=True)
        ],
    }


def _some(texts: Sequence[str]) -> str:
    """The first of some texts, and how many more there are."""
    more = len(texts) - _MOST_VALUES
    return ", ".join([*texts[:_MOST_VALUES], *([f"and {more} more"] if more > 0 else [])])


def _shown(seconds: float) -> str:
    return f"{seconds * 1e6:.3g} µs"
