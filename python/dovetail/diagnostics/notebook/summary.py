"""Where the time of a piece of code went: its programs, and the dispatches of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.base import markup
from dovetail.base.spans import Recorder
from dovetail.programs.dispatch_times import NotRunnable, ProfiledCalls, dispatch_times
from dovetail.programs.estimates import shown_time, table

if TYPE_CHECKING:
    from dovetail.programs.dispatch_times import TimedDispatch

# Of the programs that took longest, the dispatches that take longest.
_MOST_PROGRAMS = 8
_MOST_DISPATCHES = 6
_HEAD = ("program", "calls", "time of a call", "made in")
_DISPATCH_HEAD = ("dispatch", "runs", "time", "share", "Python")


class _Timed(NamedTuple):
    """A program and its dispatches."""

    name: str
    row: tuple[str, ...]
    dispatches: list[tuple[str, ...]]
    note: str


class Summary:
    """A summary of a recording; notebooks show it as tables.

    Args:
      recorder: what was recorded.
      seconds: how long it took.
    """

    def __init__(self, recorder: Recorder, seconds: float) -> None:
        calls = sorted(recorder.calls.values(), key=lambda call: -call.total)
        self._programs = [_timed(call, recorder) for call in calls[:_MOST_PROGRAMS]]
        more = len(calls) - len(self._programs)
        self._head = f"{shown_time(seconds)} in all" + (f", {more} more programs" if more else "")
        if not calls:
            self._head += "; no compiled function was called"

    def __repr__(self) -> str:
        lines = [self._head]
        if self._programs:
            lines += table([_HEAD, *(each.row for each in self._programs)])
        for each in self._programs:
            lines += ["", f"{each.name}: {each.note}"]
            if each.dispatches:
                lines += table([_DISPATCH_HEAD, *each.dispatches])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = [markup.caption(self._head)]
        if self._programs:
            parts.append(markup.table(_HEAD, [each.row for each in self._programs]))
        for each in self._programs:
            parts.append(markup.caption(f"{each.name}: {each.note}"))
            if each.dispatches:
                parts.append(markup.table(_DISPATCH_HEAD, each.dispatches))
        return "".join(parts)


def _timed(call: ProfiledCalls, recorder: Recorder) -> _Timed:
    name = call.execution.program.name
    made = [s for s in recorder.spans if s.kind in ("trace", "lower", "compile") and s.name == name]
    # The compiler's time includes that of lowering.
    seconds = sum(s.duration for s in made if s.kind != "lower") * 1e-9
    row = (
        name,
        str(call.count),
        shown_time(call.total / call.count * 1e-9),
        shown_time(seconds) if made else "before",
    )
    try:
        dispatches = dispatch_times(call)
    except NotRunnable as reason:
        return _Timed(name, row, [], f"its dispatches are not timed: {reason}")
    total = sum(each.duration for each in dispatches)
    count = len(dispatches)
    run = "1 dispatch runs" if count == 1 else f"{count} dispatches run"
    about = f"{run} in a call, {shown_time(total * 1e-9)} in all"
    return _Timed(name, row, _grouped(dispatches, total), about)


def _grouped(dispatches: list[TimedDispatch], total: int) -> list[tuple[str, ...]]:
    """Rows of the dispatches that take longest; those of one name are one."""
    groups: dict[str, list[TimedDispatch]] = {}
    for each in dispatches:
        groups.setdefault(each.dispatch.name, []).append(each)
    ordered = sorted(groups.values(), key=lambda group: -sum(each.duration for each in group))
    rows = []
    for group in ordered[:_MOST_DISPATCHES]:
        spent, dispatch = sum(each.duration for each in group), group[0].dispatch
        rows.append(
            (
                "+".join(dispatch.ops) or dispatch.name,
                str(len(group)),
                shown_time(spent * 1e-9),
                f"{100 * spent / max(total, 1):.0f} %",
                ", ".join(dispatch.places[:2]) + (" …" if len(dispatch.places) > 2 else ""),
            )
        )
    return rows
