"""The stack of traces in progress on a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail import _core
    from dovetail.tracing.trace import Trace


class Stack(threading.local):
    """The traces in progress on this thread, the innermost last."""

    def __init__(self) -> None:
        self.traces: list[Trace] = []
        # Traces that `ensure_compile_time_eval` suspended; ops on their tracers still record in
        # them.
        self.suspended: list[Trace] = []
        # The module that functions traced outside of all traces share, if any.
        self.module: _core.Module | None = None
        # How many times functions traced outside of all traces will be differentiated.
        self.order = 0


stack = Stack()


@contextmanager
def outside_of_traces() -> Iterator[None]:
    """Call functions within the block outside of any trace in progress."""
    traces, module = stack.traces, stack.module
    stack.traces, stack.module = [], None
    try:
        yield
    finally:
        stack.traces, stack.module = traces, module


def current() -> Trace | None:
    """The innermost trace in progress on this thread."""
    traces = stack.traces
    return traces[-1] if traces else None


def refuse_recording() -> None:
    """Do not cache the eager call in progress: it does something beside computing."""
    traces = stack.traces
    if traces and traces[0].is_eager:
        traces[0].refuse()


@contextmanager
def suspended() -> Iterator[None]:
    """Run ops within the block eagerly, unless they have tracers among their operands."""
    traces, outer = stack.traces, stack.suspended
    stack.traces, stack.suspended = [], traces or outer
    try:
        yield
    finally:
        stack.traces, stack.suspended = traces, outer


@contextmanager
def resumed() -> Iterator[None]:
    """Resume the suspended traces within the block."""
    traces = stack.suspended
    stack.traces, stack.suspended = traces, []
    try:
        yield
    finally:
        stack.traces, stack.suspended = [], traces


def derivative_order() -> int:
    """How many times the ops applied now will be differentiated."""
    traces = stack.traces
    return traces[-1].order if traces else stack.order


def is_for_shapes() -> bool:
    """True if the trace is only for shapes and never runs."""
    traces = stack.traces
    return bool(traces) and traces[0].kind == "eval_shape"


def in_checkpoint() -> bool:
    """True within a checkpoint, if nothing inside differentiates that part."""
    traces = stack.traces
    inner = traces[-1].order
    for trace in reversed(traces):
        if trace.order < inner:
            return False
        if trace.kind == "checkpoint":
            return True
        inner = trace.order
    return False


@contextmanager
def differentiated_later(order: int) -> Iterator[None]:
    """Trace functions outside of all traces such that they can be differentiated `order` times."""
    outer, stack.order = stack.order, order
    try:
        yield
    finally:
        stack.order = outer
