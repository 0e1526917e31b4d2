"""Events of the process and their listeners: tracing, compilation, cache look-ups.

Events recorded by the package; durations have the keyword `fun_name`, the name of the function:

| event | when |
|---|---|
| `/dovetail/core/compile/trace_duration` | a function was traced |
| `/dovetail/core/compile/transform_duration` | a program went through the compiler's phases |
| `/dovetail/core/compile/backend_compile_duration` | it was compiled, or found in the cache |
| `/dovetail/core/compile/rejected` | a program was compiled to slower code, for this `reason` |
| `/dovetail/compilation_cache/hits` … | a counter of `dovetail.cache_statistics()` goes up |
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

TRACE_EVENT = "/dovetail/core/compile/trace_duration"
TRANSFORM_EVENT = "/dovetail/core/compile/transform_duration"
COMPILE_EVENT = "/dovetail/core/compile/backend_compile_duration"
REJECTION_EVENT = "/dovetail/core/compile/rejected"
CACHE_EVENTS = "/dovetail/compilation_cache/"


class _EventListener(Protocol):
    """Callback for an event."""

    def __call__(self, event: str, /, **kwargs: str | int) -> None:
        """Handle an event."""
        ...


class _DurationListener(Protocol):
    """Callback for an event with a duration."""

    def __call__(self, event: str, duration_secs: float, /, **kwargs: str | int) -> None:
        """Handle an event's duration, in seconds."""
        ...


class _TimeSpanListener(Protocol):
    """Callback for an event with start and end times."""

    def __call__(
        self, event: str, start_time: float, end_time: float, /, **kwargs: str | int
    ) -> None:
        """Handle an event's start and end, in seconds of `time.time`."""
        ...


class _ScalarListener(Protocol):
    """Callback for an event with a number."""

    def __call__(self, event: str, value: float | int, /, **kwargs: str | int) -> None:
        """Handle a number."""
        ...


L = TypeVar("L")


class _Listeners(Generic[L]):
    """The listeners for one kind of event, in order of registration."""

    def __init__(self) -> None:
        # Replaced rather than modified: another thread may be calling them.
        self.all: tuple[L, ...] = ()

    def add(self, callback: L) -> None:
        self.all = (*self.all, callback)

    def remove(self, callback: L) -> None:
        if callback not in self.all:
            raise ValueError(
                f"callback must be a listener that is registered, got: {callback!r}; register it "
                "first"
            )
        at = self.all.index(callback)
        self.all = (*self.all[:at], *self.all[at + 1 :])


_events: _Listeners[_EventListener] = _Listeners()
_durations: _Listeners[_DurationListener] = _Listeners()
_time_spans: _Listeners[_TimeSpanListener] = _Listeners()
_scalars: _Listeners[_ScalarListener] = _Listeners()


def record_event(event: str, **kwargs: str | int) -> None:
    """Notify listeners of an event.

    Args:
      event: its name, a path.
      kwargs: additional data.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_listener(print)
      >>> monitoring.record_event("/mine/started")
      /mine/started
      >>> monitoring.unregister_event_listener(print)
    """
    for listener in _events.all:
        listener(event, **kwargs)


def record_event_duration_secs(event: str, duration: float, **kwargs: str | int) -> None:
    """Notify listeners of a duration.

    Args:
      event: its name, a path.
      duration: how long it took, in seconds.
      kwargs: additional data.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_duration_secs_listener(print)
      >>> monitoring.record_event_duration_secs("/mine/step", 0.25)
      /mine/step 0.25
      >>> monitoring.unregister_event_duration_listener(print)
    """
    for listener in _durations.all:
        listener(event, duration, **kwargs)


def record_event_time_span(
    event: str, start_time: float, end_time: float, **kwargs: str | int
) -> None:
    """Notify listeners of a time span.

    Args:
      event: its name, a path.
      start_time, end_time: in seconds of `time.time`.
      kwargs: additional data.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_time_span_listener(print)
      >>> monitoring.record_event_time_span("/mine/step", 1.0, 2.5)
      /mine/step 1.0 2.5
      >>> monitoring.unregister_event_time_span_listener(print)
    """
    for listener in _time_spans.all:
        listener(event, start_time, end_time, **kwargs)


def record_scalar(event: str, value: float | int, **kwargs: str | int) -> None:
    """Notify listeners of a number.

    Args:
      event: the name of the measured quantity, a path.
      value: the number.
      kwargs: additional data.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_scalar_listener(print)
      >>> monitoring.record_scalar("/mine/loss", 0.5)
      /mine/loss 0.5
      >>> monitoring.unregister_scalar_listener(print)
    """
    for listener in _scalars.all:
        listener(event, value, **kwargs)


def register_event_listener(callback: _EventListener) -> None:
    """Call a function at each `record_event`.

    Args:
      callback: takes the event's name, and additional data as keywords.

    Example:
      >>> from dovetail import monitoring
      >>> hits = []
      >>> def count(event, **kwargs):
      ...     hits.append(event)
      >>> monitoring.register_event_listener(count)
      >>> monitoring.record_event("/mine/hit")
      >>> hits
      ['/mine/hit']
      >>> monitoring.unregister_event_listener(count)
    """
    _events.add(callback)


def register_event_duration_secs_listener(callback: _DurationListener) -> None:
    """Call a function at each `record_event_duration_secs`.

    Args:
      callback: takes the event's name, the seconds, and keywords.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import monitoring
      >>> seen = []
      >>> def note(event, duration, **kwargs):
      ...     seen.append((event.rsplit("/")[-1], kwargs["fun_name"]))
      >>> monitoring.register_event_duration_secs_listener(note)
      >>> def f(x):
      ...     return x + 1
      >>> lowered = dt.jit(f).lower(1.0)
      >>> seen
      [('trace_duration', 'f')]
      >>> monitoring.unregister_event_duration_listener(note)
    """
    _durations.add(callback)


def register_event_time_span_listener(callback: _TimeSpanListener) -> None:
    """Call a function at each `record_event_time_span`.

    Args:
      callback: takes the event's name, start and end in seconds, and keywords.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_time_span_listener(print)
      >>> monitoring.unregister_event_time_span_listener(print)
    """
    _time_spans.add(callback)


def register_scalar_listener(callback: _ScalarListener) -> None:
    """Call a function at each `record_scalar`.

    Args:
      callback: takes the event's name, the number, and keywords.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_scalar_listener(print)
      >>> monitoring.unregister_scalar_listener(print)
    """
    _scalars.add(callback)


def unregister_event_listener(callback: _EventListener) -> None:
    """Undo `register_event_listener`.

    Args:
      callback: the function.

    Raises:
      ValueError: it is not registered.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_listener(print)
      >>> monitoring.unregister_event_listener(print)
    """
    _events.remove(callback)


def unregister_event_duration_listener(callback: _DurationListener) -> None:
    """Undo `register_event_duration_secs_listener`.

    Args:
      callback: the function.

    Raises:
      ValueError: it is not registered.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_duration_secs_listener(print)
      >>> monitoring.unregister_event_duration_listener(print)
    """
    _durations.remove(callback)


def unregister_event_time_span_listener(callback: _TimeSpanListener) -> None:
    """Undo `register_event_time_span_listener`.

    Args:
      callback: the function.

    Raises:
      ValueError: it is not registered.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_time_span_listener(print)
      >>> monitoring.unregister_event_time_span_listener(print)
    """
    _time_spans.remove(callback)


def unregister_scalar_listener(callback: _ScalarListener) -> None:
    """Undo `register_scalar_listener`.

    Args:
      callback: the function.

    Raises:
      ValueError: it is not registered.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_scalar_listener(print)
      >>> monitoring.unregister_scalar_listener(print)
    """
    _scalars.remove(callback)


def clear_event_listeners() -> None:
    """Remove all listeners.

    Example:
      >>> from dovetail import monitoring
      >>> monitoring.register_event_listener(print)
      >>> monitoring.clear_event_listeners()
      >>> monitoring.record_event("/mine/started")
    """
    for listeners in (_events, _durations, _time_spans, _scalars):
        listeners.all = ()


def has_timers() -> bool:
    """True if any listener takes durations.

    Returns:
      A bool.

    Example:
      >>> from dovetail.base import monitoring
      >>> monitoring.has_timers()
      False
    """
    return bool(_durations.all or _time_spans.all)
