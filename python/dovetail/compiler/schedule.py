"""The schedule of a compiled program: its dispatches, in order, with the ops and source lines of
each.

The code generator runs a second time, up to the phase in which it has formed its dispatches and
laid out memory; this takes a fraction of a compilation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from dovetail.compiler.forms import Compilation

_FLAGS = ("--mlir-print-debuginfo", "--mlir-print-local-scope")

# A dovetail op, as `lower` names it in locations, and a location in the user's program.
_OP = re.compile(r'"dovetail\.(\w+)"\(')
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)"\("((?:[^"\\]|\\.)*)":(\d+):\d+\)')
_KIND = re.compile(r"<(\w+)>")
# The beginnings of the names of ops that carry another op's location without computing it.
AROUND = ("iree_tensor_ext.", "tensor.empty", "func.")


class Dispatch(NamedTuple):
    """A part of a program that runs at once.

    Attributes:
      name: the code generator's name for it.
      ops: the dovetail ops that it computes.
      places: their locations in the user's program, as `file:line (function)`.
    """

    name: str
    ops: tuple[str, ...]
    places: tuple[str, ...]


class Allocation(NamedTuple):
    """Memory that a program allocates when it is called.

    Attributes:
      kind: `external` for results, `transient` for temporaries.
      size: in bytes; 0 if it is known only when the program runs.
      ops: the dovetail ops that use it.
      places: their locations in the user's program, as `file:line (function)`.
    """

    kind: str
    size: int
    ops: tuple[str, ...]
    places: tuple[str, ...]


class Schedule(NamedTuple):
    """A program's dispatches, and the memory that it allocates.

    Attributes:
      dispatches: in the order of the program's text; one in a loop is listed once.
      allocations: in the same order.
    """

    dispatches: tuple[Dispatch, ...]
    allocations: tuple[Allocation, ...]

    def bytes_of(self, kind: str) -> int:
        """The size of all allocations of one kind, as far as it is known before the program
        runs.
        """
        return sum(each.size for each in self.allocations if each.kind == kind)


def schedule_of(compilation: Compilation) -> Schedule:
    """The schedule of a compiled program.

    Raises:
      RuntimeError: the code generator does not provide it.
    """
    return _read(partly_compiled(compilation, "stream"))


def partly_compiled(compilation: Compilation, phase: str) -> str:
    """The module, with its locations, after a phase of the code generator.

    Raises:
      RuntimeError: the code generator does not provide it.
    """
    from dovetail.compiler import iree_tool  # lazy

    flags = [*compilation.target.flags, *compilation.flags, f"--compile-to={phase}", *_FLAGS]
    done = iree_tool.run(flags, compilation.module.text(locations=True))
    if done.returncode:
        raise RuntimeError(f"the code generator does not say its schedule: {done.stderr}")
    return done.stdout


def _read(text: str) -> Schedule:
    """The schedule in a module of the dialect `stream`."""
    from iree.compiler import ir as iree_ir

    library: Any = iree_ir  # its names come from a C extension
    go_on = library.WalkResult.ADVANCE
    known: dict[str, Dispatch] = {}
    order: list[str] = []
    allocations: list[Allocation] = []

    def visit(op: Any) -> Any:
        if op.name == "func.func" and _is_in_executable(op):
            name = op.attributes["sym_name"].value
            known[name] = _described(name, op, go_on)
        elif op.name == "stream.cmd.dispatch":
            order.extend(_entry_points(op))
        elif op.name == "stream.resource.alloca":
            allocations.append(_allocation(op))
        return go_on

    module = library.Module.parse(text, library.Context())
    module.operation.walk(visit)
    dispatches = tuple(known.get(name, Dispatch(name, (), ())) for name in order)
    return Schedule(dispatches, tuple(allocations))


def _is_in_executable(op: Any) -> bool:
    """Whether an op is in an executable, the code generator's or one that came to it as such."""
    parent = op.parent
    while parent is not None:
        if parent.name in ("stream.executable", "hal.executable.source"):
            return True
        parent = parent.operation.parent
    return False


def _allocation(alloca: Any) -> Allocation:
    kind = _KIND.search(str(alloca.results[0].type))
    size = next((operand.owner for operand in alloca.operands if _is_constant(operand)), None)
    ops, places = sources([str(alloca.location)])
    return Allocation(
        kind[1] if kind else "", 0 if size is None else size.attributes["value"].value, ops, places
    )


def _is_constant(value: Any) -> bool:
    return getattr(value.owner, "name", "") == "arith.constant"


def _entry_points(op: Any) -> list[str]:
    """The names of the functions that a dispatch runs, one of several for different devices."""
    text = str(op.attributes["entry_points"])
    return re.findall(r"::@\"?([^\s,\]\"]+)", text)[:1]


def _described(name: str, function: Any, go_on: Any) -> Dispatch:
    """A dispatch, described by the locations of the ops in its function."""
    locations: list[str] = []

    def visit(op: Any) -> Any:
        if not op.name.startswith(AROUND):
            locations.append(str(op.location))
        return go_on

    function.walk(visit)
    return Dispatch(name, *sources(locations))


def sources(locations: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The dovetail ops in locations, and their source lines in the user's program."""
    ops: dict[str, None] = {}
    places: dict[str, None] = {}
    for location in locations:
        for found in _OP.finditer(location):
            ops[found[1]] = None
            place = _PLACE.search(location, found.end())
            if place:
                places[f"{place[2]}:{place[3]} ({place[1]})"] = None
    return tuple(ops), tuple(places)
