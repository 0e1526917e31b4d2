"""What the viewer's page shows of programs: phases, costs, times and memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail import _core
from dovetail.compiler.dispatch_graph import DispatchGraph, dispatch_graph
from dovetail.diagnostics.viewer import phases
from dovetail.diagnostics.viewer.phases import Places
from dovetail.programs.analysis import memory_of
from dovetail.programs.dispatch_times import NotRunnable, times_of
from dovetail.programs.program import Program

if TYPE_CHECKING:
    from dovetail.compiler.forms import Compilation


@dataclasses.dataclass
class Subject:
    """A program to show.

    Attributes:
      program: the program.
      arguments: those of a run, on the host, with which its dispatches are timed; None if they are
        not to be timed.
    """

    program: Program
    arguments: list[np.ndarray] | None = None


def gathered(subjects: Sequence[Subject], names: Sequence[str]) -> dict[str, Any]:
    """The data of a page.

    Args:
      subjects: the programs.
      names: the phases to show.
    """
    places = Places()
    programs = [_program(subject, names, places) for subject in subjects]
    return {"programs": programs, "places": places.described()}


def _program(subject: Subject, names: Sequence[str], places: Places) -> dict[str, Any]:
    program = phases.numbered(subject.program)
    notes: list[str] = []
    shown = [phases.of_phase(program, name, places) for name in names]
    found: dict[str, Any] = {"name": program.name, "notes": notes, "phases": shown}
    if program.signature.is_symbolic:
        notes.append("Costs are estimates: sizes that are not known count as 64.")
    module = program.after("shard")
    cost = module.cost()
    found["cost"] = [cost.flops, cost.transcendentals, cost.bytes]
    found["alive"] = _core.alive_bytes(module)
    try:
        compilation = program.compilation()
        graph = dispatch_graph(compilation)
    except RuntimeError as error:
        notes.append(f"The code generator gives no dispatches: {_first_line(error)}")
        return found
    shown.append(phases.of_dispatches(graph, _times(subject, compilation, graph, notes)))
    try:
        stats = memory_of(program)
    except RuntimeError as error:
        notes.append(f"The code generator does not say its memory: {_first_line(error)}")
    else:
        found["memory"] = {
            "arguments": stats.argument_size_in_bytes,
            "results": stats.output_size_in_bytes,
            "temporaries": stats.temp_size_in_bytes,
            "code": stats.generated_code_size_in_bytes,
        }
    return found


def _times(
    subject: Subject, compilation: Compilation, graph: DispatchGraph, notes: list[str]
) -> list[float | None]:
    """The seconds of each step of a graph; None where they are not known."""
    times: list[float | None] = [None] * len(graph.steps)
    if subject.arguments is None:
        return times
    program = subject.program
    try:
        if compilation.host_functions:
            raise NotRunnable("it calls functions of this process")
        if program.partition is not None:
            raise NotRunnable("it runs on several devices")
        rows = times_of(compilation, program.runtime_device, subject.arguments)
    except NotRunnable as reason:
        notes.append(f"Its dispatches are not timed: {reason}.")
        return times
    steps: dict[str, list[int]] = {}
    for number, step in enumerate(graph.steps):
        if step.name:
            steps.setdefault(step.name, []).append(number)
    runs = dict.fromkeys(steps, 0)
    for name, _, duration, _ in rows:
        if name not in steps:
            continue
        # Steps of one name run in turn.
        number = steps[name][runs[name] % len(steps[name])]
        runs[name] += 1
        times[number] = (times[number] or 0.0) + duration * 1e-9
    return times


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
