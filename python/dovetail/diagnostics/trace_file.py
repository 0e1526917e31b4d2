"""Spans as a file of trace events for the viewers of Perfetto and Chrome.

The format is "Trace Event Format" (Google, 2016): JSON with one object for each span, in
microseconds. Dispatches are shown as a separate process for each program; the start of the run in
which they were measured is shown at the time of its last call.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.base.spans import Recorder, Span

if TYPE_CHECKING:
    from dovetail.programs.dispatch_times import ProfiledCalls, TimedDispatch

Event = dict[str, Any]

# Show the dispatches of this many programs, those whose calls took longest.
_MOST_PROGRAMS = 16
# Kinds of spans that are shown even without those of this process.
_ALWAYS = ("call", "user")


def events_of(recorder: Recorder, *, host: bool = True, dispatches: bool = True) -> list[Event]:
    """The events of a trace.

    Args:
      recorder: the recorder of the trace.
      host: whether to show spans that are neither calls nor named by the user.
      dispatches: whether to run programs again to time their dispatches.
    """
    process = os.getpid()
    events = [_named("process_name", process, 0, "dovetail")]
    for thread, name in recorder.threads.items():
        events.append(_named("thread_name", process, thread, name))
    for span in recorder.spans:
        if host or span.kind in _ALWAYS:
            events.append(_event_of(span, process, recorder.start))
    if dispatches:
        calls = sorted(recorder.calls.values(), key=lambda call: -call.total)
        for number, call in enumerate(calls[:_MOST_PROGRAMS], 1):
            events.extend(_events_within(call, process + number, recorder.start))
    return events


def write(path: Path, events: Sequence[Event]) -> None:
    """Write events, compressed."""
    document = {"displayTimeUnit": "ns", "traceEvents": events}
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(document, file)


def _named(what: str, process: int, thread: int, name: str) -> Event:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}}


def _event_of(span: Span, process: int, begin: int) -> Event:
    return {
        "ph": "X",
        "cat": span.kind,
        "name": _title(span),
        "pid": process,
        "tid": span.thread,
        "ts": (span.start - begin) / 1000,
        "dur": span.duration / 1000,
        "args": {name: _plain(value) for name, value in span.arguments.items()},
    }


def _title(span: Span) -> str:
    """The title of a span: the user's label, an op's name, or an activity and its subject."""
    return span.name if span.kind in ("user", "op") else f"{span.kind} {span.name}"


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _events_within(call: ProfiledCalls, process: int, begin: int) -> Iterator[Event]:
    """The dispatches of a program."""
    from dovetail.programs.dispatch_times import NotRunnable, dispatch_times  # lazy

    name = call.execution.program.name
    try:
        dispatches = dispatch_times(call)
    except NotRunnable as reason:
        yield _named("process_name", process, 0, f"dispatches of {name}: none, {reason}")
        return
    yield _named("process_name", process, 0, f"dispatches of {name}, in another run")
    yield _named("thread_name", process, 0, "dispatches")
    for dispatch in dispatches:
        yield _event_of_dispatch(dispatch, process, (call.start - begin) / 1000)


def _event_of_dispatch(timed: TimedDispatch, process: int, offset: float) -> Event:
    dispatch = timed.dispatch
    return {
        "ph": "X",
        "cat": "dispatch",
        "name": "+".join(dispatch.ops) or dispatch.name,
        "pid": process,
        "tid": 0,
        "ts": offset + timed.start / 1000,
        "dur": timed.duration / 1000,
        "args": {
            "dispatch": dispatch.name,
            "places": list(dispatch.places),
            "workgroups": list(timed.workgroups),
        },
    }
