"""Programs on references: calls pass the arrays that these hold, and store the ones returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.arrays.array import ShapedArray
from dovetail.tracing.functions import TracedFunction
from dovetail.tracing.references import Ref, type_of
from dovetail.tracing.trace import Operand
from dovetail.trees.pytree import flatten, unflatten

if TYPE_CHECKING:
    from dovetail.programs.execution import Execution


@dataclass(frozen=True)
class Referred:
    """The references that a program reads and writes.

    Attributes:
      captured: those that its function closes over, which its last explicit arguments stand for.
      written: the positions of the arguments whose arrays it returns. A call consumes them, so that
        they are updated in place.
    """

    captured: tuple[Ref, ...]
    written: tuple[int, ...]

    def run(self, execution: Execution, leaves: Sequence[Any]) -> Any:
        """The result of a call."""
        held = [leaf._known() if type(leaf) is Ref else leaf for leaf in leaves]
        result, arrays = execution.run(held)
        for position, array in zip(self.written, arrays, strict=True):
            leaves[position]._write(array)
        return result


def referred(
    leaves: Sequence[Operand], traced: TracedFunction
) -> tuple[Referred | None, TracedFunction]:
    """The references of a traced function, and the function with those that it closes over as
    explicit arguments: the first captured operands.
    """
    captured = [operand for operand in traced.captured if type(operand) is Ref]
    if not captured and Ref not in map(type, leaves):
        return None, traced
    others = [operand for operand in traced.captured if type(operand) is not Ref]
    ordered = [*leaves, *captured, *others]
    position = {id(operand): i for i, operand in enumerate(ordered[len(leaves) :], len(leaves))}
    positions = [*range(len(leaves)), *(position[id(operand)] for operand in traced.captured)]
    types = [(type_of(operand)[0], type_of(operand)[1].removeprefix("&")) for operand in ordered]
    traced.function.rearrange(positions, types)
    refs = Referred(tuple(captured), tuple(positions[i] for i in traced.written))
    return refs, traced._replace(captured=others)


def with_references(spec: Any, refs: Sequence[Ref]) -> Any:
    """The structure of (args, kwargs) with a list of references as the last positional argument."""
    args, kwargs = unflatten(spec, [0] * spec.num_leaves)
    return flatten(((*args, list(refs)), kwargs))[1] if refs else spec


def with_arrays(spec: Any, count: int) -> Any:
    """The structure of a result with that many arrays of references."""
    return flatten((unflatten(spec, [0] * spec.num_leaves), [0] * count))[1]


def array_type(aval: Any) -> ShapedArray:
    """The type of an argument of a program: of a reference, that of its array."""
    return getattr(aval, "inner_aval", aval)
