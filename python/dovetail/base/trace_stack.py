"""The stack of traces in progress on a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail import _core
    from dovetail.eager.recording import Recording
    from dovetail.tracing.trace import Trace


class Stack(threading.local):
    """The traces in progress on this thread, the innermost last."""

    def __init__(self) -> None:
        self.traces: list[Trace] = []
        # Traces that `ensure_compile_time_eval` suspended; ops on their tracers still record in
        # them.
        self.suspended: list[Trace] = []
        # The recording of an eager call, outside of all traces.
        self.recording: Recording | None = None
        # The module that functions traced outside of all traces share, if any.
        self.module: _core.Module | None = None
        # How many times functions traced outside of all traces will be differentiated.
        self.order = 0


stack = Stack()


@contextmanager
def outside_of_traces() -> Iterator[None]:
    """Call functions within the block outside of any trace or recording in progress."""
    traces, module, recording = stack.traces, stack.module, stack.recording
    stack.traces, stack.module, stack.recording = [], None, None
    try:
        yield
    finally:
        stack.traces, stack.module, stack.recording = traces, module, recording


def current() -> Trace | None:
    """The innermost trace in progress on this thread."""
    traces = stack.traces
    return traces[-1] if traces else None


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
    traces, recording = stack.suspended, stack.recording
    if recording is not None:
        recording.refuse()
    stack.traces, stack.suspended, stack.recording = traces, [], None
    try:
        yield
    finally:
        stack.traces, stack.suspended, stack.recording = [], traces, recording


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
