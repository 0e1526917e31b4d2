"""The dispatches of a program as a graph: what each computes, from which values.

The code generator runs up to the phase in which it has formed its dispatches; there values are
still arrays.
"""

from __future__ import annotations

import collections
import re
from typing import Any, NamedTuple

from dovetail.compiler.forms import Compilation
from dovetail.compiler.schedule import AROUND, partly_compiled, sources

# The column of a location, in which ops may be numbered (`_core.number_ops`).
_NUMBER = re.compile(r'":\d+:(\d+)')
# The function around an op, which a location names, too.
_CALLER = re.compile(r' at "[^"]*"\("[^"]*":\d+:\d+\)')
_ENTRY = re.compile(r"@\"?([^\s,\]\"]+)")
_IMPORT, _EXPORT, _DISPATCH = "hal.tensor.import", "hal.tensor.export", "flow.dispatch"
# Ops whose result is the array that they take.
_SAME = (_IMPORT, _EXPORT, "hal.tensor.alias", "flow.tensor.reshape")


class Step(NamedTuple):
    """An op on arrays of the program that the host runs.

    Attributes:
      kind: `argument`, `dispatch`, `result`, or the name of another op, such as a loop.
      name: the code generator's name of a dispatch.
      ops: the dovetail ops that it computes.
      places: their locations in the user's program, as `file:line (function)`.
      origins: the numbers of the ops from which it was made, if ops were numbered.
      operands: the numbers of the values that it takes.
      results: those of its results.
      depth: the number of loops and branches around it.
      after: the numbers of the dispatches and arguments from which its operands come.
    """

    kind: str
    name: str
    ops: tuple[str, ...]
    places: tuple[str, ...]
    origins: tuple[int, ...]
    operands: tuple[int, ...]
    results: tuple[int, ...]
    depth: int
    after: tuple[int, ...]


class DispatchGraph(NamedTuple):
    """The steps of a program.

    Attributes:
      steps: in the order of the program's text.
      types: the type of each value.
    """

    steps: tuple[Step, ...]
    types: tuple[str, ...]


def dispatch_graph(compilation: Compilation) -> DispatchGraph:
    """The graph of a compiled program.

    Raises:
      RuntimeError: the code generator does not provide it.
    """
    from iree.compiler import ir as iree_ir

    library: Any = iree_ir  # its names come from a C extension
    context = library.Context()
    module = library.Module.parse(partly_compiled(compilation, "flow"), context)
    reader = _Reader(library, module)
    for op in module.body.operations:
        if op.operation.name in ("flow.executable", "hal.executable.source"):
            reader.read_executable(op.operation)
    for op in module.body.operations:
        # Private functions run when the module is loaded, and are called by initializers.
        if op.operation.name == "util.func" and len(op.operation.regions[0].blocks):
            reader.read_body(op.operation.regions[0], 0)
    return DispatchGraph(tuple(reader.steps), tuple(reader.types))


class _Reader:
    """Collects the steps of functions of the dialects `flow` and `scf`."""

    def __init__(self, library: Any, module: Any) -> None:
        self._go_on = library.WalkResult.ADVANCE
        self._calls = collections.Counter[str]()
        module.operation.walk(self._count)
        self._locations: dict[str, list[str]] = {}
        self._numbers: dict[Any, int] = {}
        # The steps from which each value comes.
        self._from: dict[Any, frozenset[int]] = {}
        self.steps: list[Step] = []
        self.types: list[str] = []

    def read_executable(self, executable: Any) -> None:
        """Note the locations of the ops in the functions of an executable."""

        def visit(op: Any) -> Any:
            if op.name == "func.func":
                found = self._locations.setdefault(op.attributes["sym_name"].value, [])
                op.walk(lambda inner: self._note(inner, found))
            return self._go_on

        executable.walk(visit)

    def _count(self, op: Any) -> Any:
        if op.name == _DISPATCH:
            self._calls[_function_of(op)] += 1
        return self._go_on

    def _note(self, op: Any, found: list[str]) -> Any:
        if not op.name.startswith(AROUND):
            found.append(str(op.location))
        return self._go_on

    def read_body(self, region: Any, depth: int) -> frozenset[int]:
        """Read a body; returns the steps from which its results come."""
        last: frozenset[int] = frozenset()
        for block in region.blocks:
            for op in block.operations:
                last = self._read(op.operation, depth)
        return last

    def _read(self, op: Any, depth: int) -> frozenset[int]:
        operands = [*op.operands]
        before = frozenset[int]().union(*(self._from.get(each, frozenset()) for each in operands))
        kind = _kind_of(op, depth)
        after = before
        # Scalars and their arithmetic are left out, but not what depends on them.
        if kind is not None:
            number = self._add(kind, op, depth, before)
            if kind in ("argument", "dispatch"):
                after = frozenset((number,))
        elif op.name in _SAME and operands[0] in self._numbers:
            self._numbers[op.results[0]] = self._numbers[operands[0]]
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    self._from[argument] = before
            after = after | self.read_body(region, depth + 1)
        for result in op.results:
            self._from[result] = after
        return after

    def _add(self, kind: str, op: Any, depth: int, before: frozenset[int]) -> int:
        name, locations = "", [str(op.location)]
        if kind == "dispatch":
            name = _function_of(op)
            locations += self._locations.get(name, [])
        elif kind in ("argument", "result"):
            locations = []
        ops, places = sources(locations)
        if self._calls[name] > 1:
            # Equal functions are one, which has the locations of one of them.
            del locations[1:]
            places = sources(locations)[1]
        numbers = [int(n) for text in locations for n in _NUMBER.findall(_CALLER.sub("", text))]
        number = len(self.steps)
        self.steps.append(
            Step(
                kind,
                name,
                ops,
                places,
                tuple(dict.fromkeys(n for n in numbers if n)),
                tuple(self._number(each) for each in op.operands if _is_array(each)),
                tuple(self._number(each) for each in op.results if _is_array(each)),
                depth,
                tuple(sorted(before)),
            )
        )
        return number

    def _number(self, value: Any) -> int:
        if value not in self._numbers:
            self._numbers[value] = len(self.types)
            self.types.append(str(value.type))
        return self._numbers[value]


def _function_of(dispatch: Any) -> str:
    """The name of the function that a dispatch runs, one of several for different devices."""
    return _ENTRY.findall(str(dispatch.attributes["entry_points"]))[-1].rpartition("@")[2]


def _is_array(value: Any) -> bool:
    return "tensor<" in str(value.type)


def _kind_of(op: Any, depth: int) -> str | None:
    """The kind of a step; None for an op that is none."""
    if op.name == _DISPATCH:
        return "dispatch"
    if op.name == _IMPORT:
        is_argument = depth == 0 and not hasattr(op.operands[0].owner, "name")
        return "argument" if is_argument else None
    if op.name == _EXPORT:
        users = [use.owner.name for use in op.results[0].uses]
        return "result" if "util.return" in users else None
    if op.name in _SAME or op.name.startswith(("arith.", "util.")):
        return None
    return op.name if len(op.regions) or any(map(_is_array, op.results)) else None
