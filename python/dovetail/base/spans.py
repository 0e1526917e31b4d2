"""Time spans of activities per thread, recorded while a trace is running."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from dovetail.base import monitoring


class Span(NamedTuple):
    """A time span.

    Attributes:
      kind: the activity: `trace`, `compile`, `call` …
      name: its object, or the user's name for it.
      start: its start, in nanoseconds of `time.perf_counter_ns`.
      duration: its duration in nanoseconds.
      thread: the thread's number.
      arguments: additional data.
    """

    kind: str
    name: str
    start: int
    duration: int
    thread: int
    arguments: dict[str, Any]


class Recorder:
    """Collects spans; threads may add to it concurrently.

    Attributes:
      start: when it started, in nanoseconds.
      spans: those that have ended.
      threads: the names of their threads.
      calls: the calls of programs, by execution; see `programs/dispatch_times.py`.
    """

    def __init__(self) -> None:
        self.start = time.perf_counter_ns()
        self.spans: list[Span] = []
        self.threads: dict[int, str] = {}
        self.calls: dict[int, Any] = {}

    def add(self, kind: str, name: str, start: int, end: int, arguments: dict[str, Any]) -> None:
        """Add a span that ended just now on this thread."""
        thread = threading.get_ident()
        if thread not in self.threads:
            self.threads[thread] = threading.current_thread().name
        self.spans.append(Span(kind, name, start, end - start, thread, arguments))


# The active recorder, or None.
recorder: Recorder | None = None

_nothing: AbstractContextManager[Any] = nullcontext()


class _Timed:
    """The length of a `with` block, as a span."""

    __slots__ = ("_arguments", "_kind", "_name", "_recorder", "_start")

    def __init__(self, to: Recorder, kind: str, name: str, arguments: dict[str, Any]) -> None:
        self._recorder = to
        self._kind = kind
        self._name = name
        self._arguments = arguments

    def __enter__(self) -> dict[str, Any]:
        self._start = time.perf_counter_ns()
        return self._arguments

    def __exit__(self, *error: object) -> None:
        end = time.perf_counter_ns()
        self._recorder.add(self._kind, self._name, self._start, end, self._arguments)


def span(kind: str, name: str, /, **arguments: Any) -> AbstractContextManager[Any]:
    """A `with` block that is a span if a trace is being recorded.

    Args:
      kind, name: as in `Span`.
      arguments: additional data to show.
    """
    to = recorder
    return _nothing if to is None else _Timed(to, kind, name, arguments)


@contextmanager
def step(kind: str, event: str, name: str) -> Iterator[None]:
    """A `with` block that makes a program from a function: a span, and the duration of an event.

    Args:
      kind, name: as in `Span`.
      event: its name in `monitoring`.
    """
    if recorder is None and not monitoring.has_timers():
        yield
        return
    began, start = time.time(), time.perf_counter()
    try:
        with span(kind, name):
            yield
    finally:
        duration = time.perf_counter() - start
        monitoring.record_event_duration_secs(event, duration, fun_name=name)
        monitoring.record_event_time_span(event, began, began + duration, fun_name=name)


def watched(watch: Any) -> Any:
    """A watcher of an evaluation that also records a span for each op, if a trace is being
    recorded.

    Args:
      watch: another watcher of the evaluation, or None.
    """
    to = recorder
    if to is None:
        return watch
    last = time.perf_counter_ns()

    def look(name: str, answer: Any, place: Callable[[], Any]) -> None:
        nonlocal last
        now = time.perf_counter_ns()
        to.add("op", name, last, now, {"place": described(place())})
        if watch is not None:
            watch(name, answer, place)
        last = time.perf_counter_ns()

    return look


def described(place: Any) -> str:
    """A location in the user's program, as `file:line (function)`."""
    file, line, function = place
    return f"{file}:{line} ({function})" if file else ""
