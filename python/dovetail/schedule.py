"""What the code generator makes of a program: its dispatches, in order, and where they are from.

The code generator is asked a second time, up to the phase in which it has formed its dispatches and
laid out memory; that takes a fraction of a compilation.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from dovetail.compile_lowered import Compilation

_FLAGS = ("--compile-to=stream", "--mlir-print-debuginfo", "--mlir-print-local-scope")

# An op of ours, as `lower` names it in locations, and a place in the user's program.
_OP = re.compile(r'"dovetail\.(\w+)"\(')
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)"\("((?:[^"\\]|\\.)*)":(\d+):\d+\)')
# What has the place of an op without computing it.
_AROUND = ("iree_tensor_ext.", "tensor.empty", "func.")


class Dispatch(NamedTuple):
    """A piece of a program that runs at once.

    Attributes:
      name: the code generator's name of it.
      ops: the ops of ours that it computes.
      places: where in the user's program these are from, as `file:line (function)`.
    """

    name: str
    ops: tuple[str, ...]
    places: tuple[str, ...]


class Schedule(NamedTuple):
    """A program's dispatches.

    Attributes:
      dispatches: in the order of the program's text; one in a loop is there once.
      transient_bytes: how much memory the program needs for what is neither argument nor result,
        as far as it is known before it runs.
      result_bytes: the same of memory that is allocated for results.
    """

    dispatches: tuple[Dispatch, ...]
    transient_bytes: int
    result_bytes: int


def schedule_of(compilation: Compilation) -> Schedule:
    """The schedule of a compiled program.

    Raises:
      RuntimeError: the code generator does not say it.
    """
    from dovetail import iree_tool

    flags = [*compilation.target.flags, *compilation.flags, *_FLAGS]
    done = iree_tool.run(flags, compilation.module.text(locations=True))
    if done.returncode:
        raise RuntimeError(f"the code generator does not say its schedule: {done.stderr}")
    return _read(done.stdout)


def _read(text: str) -> Schedule:
    """The schedule in a module of the dialect `stream`."""
    from iree.compiler import ir as iree_ir

    library: Any = iree_ir  # its names come from a C extension
    go_on = library.WalkResult.ADVANCE
    known: dict[str, Dispatch] = {}
    order: list[str] = []
    sizes = {"transient": 0, "external": 0}

    def visit(op: Any) -> Any:
        if op.name == "func.func" and _is_within(op, "stream.executable"):
            name = op.attributes["sym_name"].value
            known[name] = _described(name, op, go_on)
        elif op.name == "stream.cmd.dispatch":
            order.extend(_entry_points(op))
        elif op.name == "stream.resource.alloca":
            for kind in sizes:
                sizes[kind] += _size_of(op, kind)
        return go_on

    module = library.Module.parse(text, library.Context())
    module.operation.walk(visit)
    dispatches = tuple(known.get(name, Dispatch(name, (), ())) for name in order)
    return Schedule(dispatches, sizes["transient"], sizes["external"])


def _is_within(op: Any, name: str) -> bool:
    parent = op.parent
    while parent is not None:
        if parent.name == name:
            return True
        parent = parent.operation.parent
    return False


def _size_of(alloca: Any, kind: str) -> int:
    """How much memory of a kind is allocated, if that is known."""
    if f"<{kind}>" not in str(alloca.results[0].type):
        return 0
    size = next((operand.owner for operand in alloca.operands if _is_constant(operand)), None)
    return 0 if size is None else size.attributes["value"].value


def _is_constant(value: Any) -> bool:
    return getattr(value.owner, "name", "") == "arith.constant"


def _entry_points(op: Any) -> list[str]:
    """The names of the functions that a dispatch runs, one of several for different devices."""
    text = str(op.attributes["entry_points"])
    return re.findall(r"::@\"?([^\s,\]\"]+)", text)[:1]


def _described(name: str, function: Any, go_on: Any) -> Dispatch:
    """What a dispatch's function computes, by the locations of what is in it."""
    ops: dict[str, None] = {}
    places: dict[str, None] = {}

    def visit(op: Any) -> Any:
        location = "" if op.name.startswith(_AROUND) else str(op.location)
        for found in _OP.finditer(location):
            ops[found[1]] = None
            place = _PLACE.search(location, found.end())
            if place:
                places[f"{place[2]}:{place[3]} ({place[1]})"] = None
        return go_on

    function.walk(visit)
    return Dispatch(name, tuple(ops), tuple(places))
