"""Values that outlive the function in which they were computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.arrays.array import Array

if TYPE_CHECKING:
    from dovetail.tracing.trace import Trace


def outlives(trace: Trace, number: int) -> bool:
    """Whether a function was traced by transforms that are applied outside of `jit`, and a value
    of it depends on none of its arguments: JAX computes such values at once, as arrays.

    Args:
      trace: the trace of the function.
      number: that of the value in it.
    """
    outer: Trace | None = trace if trace.ended else None
    while outer is not None and outer.concrete:
        outer = outer.parent
    if not trace.ended or outer is not None:
        return False
    pending, seen = [number], set[int]()
    while pending:
        each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        position = trace._argument_of.get(each)
        if position is not None:
            position -= len(trace.names)
            if position < 0 or type(trace.captured[position]) is not Array:
                return False
        elif each in trace._producers:
            pending.extend(trace._producers[each][2])
    return True
