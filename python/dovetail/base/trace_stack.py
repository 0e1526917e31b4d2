"""Which traces are in progress on a thread."""

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
        # Those that `ensure_compile_time_eval` set aside: ops on their tracers go on in them.
        self.suspended: list[Trace] = []
        # What records the eager call of a function, outside of all traces.
        self.recording: Recording | None = None
        # Of functions that are traced outside of all traces, where these are to share one.
        self.module: _core.Module | None = None
        # How often what is traced outside of all traces will be differentiated.
        self.order = 0


stack = Stack()


@contextmanager
def outside_of_traces() -> Iterator[None]:
    """What is called here is no part of a trace or recording in progress."""
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
    """What is called here is computed at once, unless tracers are among its operands."""
    traces, outer = stack.traces, stack.suspended
    stack.traces, stack.suspended = [], traces or outer
    try:
        yield
    finally:
        stack.traces, stack.suspended = traces, outer


@contextmanager
def resumed() -> Iterator[None]:
    """What is called here is part of the traces that are set aside."""
    traces, recording = stack.suspended, stack.recording
    if recording is not None:
        recording.refuse()
    stack.traces, stack.suspended, stack.recording = traces, [], None
    try:
        yield
    finally:
        stack.traces, stack.suspended, stack.recording = [], traces, recording


def derivative_order() -> int:
    """How often what is applied now will be differentiated."""
    traces = stack.traces
    return traces[-1].order if traces else stack.order


def is_for_shapes() -> bool:
    """Whether what is traced now is never computed."""
    traces = stack.traces
    return bool(traces) and traces[0].kind == "eval_shape"


def in_checkpoint() -> bool:
    """Whether what is traced now belongs to a checkpoint, and nothing in it differentiates that."""
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
    """Let what is traced outside of all traces have what so many derivatives of it need."""
    outer, stack.order = stack.order, order
    try:
        yield
    finally:
        stack.order = outer
