"""Out-of-memory errors of compiled programs: the largest allocation, and the ops that need it.

The runtime is imported lazily, when an error is made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dovetail.arrays.memory_limits import there
from dovetail.base.errors import UnknownSizeError
from dovetail.compiler.errors import CompileError

if TYPE_CHECKING:
    from dovetail.compiler.schedule import Allocation
    from dovetail.programs.program import Program
    from dovetail.runtime.memory import OutOfMemoryError

# The number of ops and source locations of an allocation that a message lists.
_PLACES = 3


def of_call(program: Program, shapes: Sequence[tuple[int, ...]]) -> OutOfMemoryError:
    """The error of a compiled program that could not allocate memory.

    Args:
      program: the program.
      shapes: the shapes of its arguments in that call.
    """
    from dovetail.runtime.memory import OutOfMemoryError, in_words  # lazy

    message = f"RESOURCE_EXHAUSTED: `{program.name}` needs memory that cannot be had, {there()}"
    allocations = _allocations(program, shapes)
    inputs = _bytes(program, shapes)
    if allocations:
        total = sum(each.size for each in allocations)
        largest = max(allocations, key=lambda each: each.size)
        message += (
            f": it allocates {in_words(total)} beside its arguments' {in_words(inputs)}, most "
            f"of it for {_described(largest)}"
        )
    return OutOfMemoryError(message)


def _bytes(program: Program, shapes: Sequence[tuple[int, ...]]) -> int:
    dtypes = [aval.dtype for aval in program.signature.avals]
    return sum(
        math.prod(shape) * dtype.itemsize for shape, dtype in zip(shapes, dtypes, strict=False)
    )


def _allocations(program: Program, shapes: Sequence[tuple[int, ...]]) -> Sequence[Allocation]:
    """The allocations that the code generator planned; none if they are unknown."""
    from dovetail.compiler.schedule import schedule_of  # lazy

    try:
        known = program.at_shapes(shapes)
        return schedule_of(known.compilation()).allocations
    # They only add detail to an error.
    except (CompileError, UnknownSizeError, RuntimeError, ValueError):
        return ()


def _described(allocation: Allocation) -> str:
    """The purpose of an allocation, its ops and their source locations."""
    from dovetail.runtime.memory import in_words  # lazy

    kind = "results" if allocation.kind == "external" else "what it computes in between"
    ops = ", ".join(f"`{op}`" for op in allocation.ops[:_PLACES])
    places = "; ".join(allocation.places[:_PLACES])
    return (
        f"{kind} ({in_words(allocation.size)})"
        + f", by {ops}" * bool(ops)
        + (f", at {places}" if places else "")
    )
