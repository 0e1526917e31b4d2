"""What programs say that need memory which cannot be had: who needs how much, and where.

The runtime, of which this makes use, is imported only then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dovetail import ir

if TYPE_CHECKING:
    from dovetail.reference.program import OpMemoryError
    from dovetail.runtime.memory import OutOfMemoryError
    from dovetail.schedule import Allocation
    from dovetail.source import Source

# Smaller arrays are not worth a look at the machine's memory.
LARGE = 1 << 32
# More places of an allocation are not told.
_PLACES = 3


def check_size(array: np.ndarray) -> None:
    """Refuse an array that no memory could hold, though it is made of few elements as yet.

    Raises:
      OutOfMemoryError: it is larger than the machine's memory and swap.
    """
    from dovetail.runtime.memory import OutOfMemoryError, in_words, memory_of_host

    there = memory_of_host()
    if there and array.nbytes > there:
        raise OutOfMemoryError(
            f"RESOURCE_EXHAUSTED: an array of {in_words(array.nbytes)} is wanted, {array.dtype}"
            f"{list(array.shape)}, {_there()}, {ir.here()}"
        )


def of_evaluation(name: str, error: OpMemoryError) -> OutOfMemoryError:
    """What to raise where an op of a program could not be evaluated."""
    from dovetail.runtime.memory import OutOfMemoryError

    return OutOfMemoryError(f"RESOURCE_EXHAUSTED: `{name}`: {error}, {_there()}")


def of_call(source: Source, shapes: Sequence[tuple[int, ...]]) -> OutOfMemoryError:
    """What to raise where a compiled program could not allocate memory.

    Args:
      source: the program.
      shapes: of its arguments in that call.
    """
    from dovetail.runtime.memory import OutOfMemoryError, in_words

    message = f"RESOURCE_EXHAUSTED: `{source.name}` needs memory that cannot be had, {_there()}"
    allocations = _allocations(source, shapes)
    inputs = _bytes(source, shapes)
    if allocations:
        total = sum(each.size for each in allocations)
        largest = max(allocations, key=lambda each: each.size)
        message += (
            f": it allocates {in_words(total)} beside its arguments' {in_words(inputs)}, most "
            f"of it for {_described(largest)}"
        )
    return OutOfMemoryError(message)


def _there() -> str:
    from dovetail.runtime.memory import in_words, memory_of_host

    there = memory_of_host()
    return f"this machine has {in_words(there)}" if there else "the machine has less"


def _bytes(source: Source, shapes: Sequence[tuple[int, ...]]) -> int:
    dtypes = [aval.dtype for aval in source.avals]
    return sum(
        math.prod(shape) * dtype.itemsize for shape, dtype in zip(shapes, dtypes, strict=False)
    )


def _allocations(source: Source, shapes: Sequence[tuple[int, ...]]) -> Sequence[Allocation]:
    """What the code generator allocates; nothing if that cannot be told."""
    from dovetail.compile import CompileError
    from dovetail.errors import UnknownSizeError
    from dovetail.schedule import schedule_of

    try:
        known = source.at(shapes)
        return schedule_of(known.compilation()).allocations
    # This is only to say more of an error.
    except (CompileError, UnknownSizeError, RuntimeError, ValueError):
        return ()


def _described(allocation: Allocation) -> str:
    """What an allocation is for, and where that is."""
    from dovetail.runtime.memory import in_words

    kind = "results" if allocation.kind == "external" else "what it computes in between"
    ops = ", ".join(f"`{op}`" for op in allocation.ops[:_PLACES])
    places = "; ".join(allocation.places[:_PLACES])
    return (
        f"{kind} ({in_words(allocation.size)})"
        + f", by {ops}" * bool(ops)
        + (f", at {places}" if places else "")
    )
