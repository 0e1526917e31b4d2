"""Traces of a program's activities and their durations, for the viewers of Perfetto and Chrome.

A trace has spans for all work that the package does for jitted functions: tracing, the compiler's
phases, compiling, calls; for spans named by the user; and for the dispatches within compiled
programs, named after the ops that they compute. The runtime cannot time dispatches within this
process: when a trace ends, a tool of the runtime runs each program that was called again, on the
arguments of its first call.
"""

from __future__ import annotations

import datetime
import functools
import os
import platform
import threading
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dovetail.base import config, spans
from dovetail.diagnostics.memory_profile import device_memory_profile as device_memory_profile
from dovetail.diagnostics.memory_profile import (
    save_device_memory_profile as save_device_memory_profile,
)

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "ProfileOptions",
    "StepTraceAnnotation",
    "TraceAnnotation",
    "annotate_function",
    "device_memory_profile",
    "save_device_memory_profile",
    "start_server",
    "start_trace",
    "stop_server",
    "stop_trace",
    "trace",
]


@dataclass
class ProfileOptions:
    """Options for the contents of a trace.

    Attributes:
      host_tracer_level: 0 to omit spans of this process other than calls and those named by the
        user.
      device_tracer_level: 0 to omit dispatches, whose timing costs another run of each program.
      python_tracer_level: accepted for compatibility with JAX; Python functions are never traced.

    Example:
      >>> from dovetail import profiler
      >>> profiler.ProfileOptions(device_tracer_level=0).host_tracer_level
      2
    """

    host_tracer_level: int = 2
    device_tracer_level: int = 1
    python_tracer_level: int = 0


class _Trace:
    """The trace in progress."""

    def __init__(self, directory: Path, perfetto: bool, options: ProfileOptions) -> None:
        self.directory = directory
        self.perfetto = perfetto
        self.options = options
        self.began = datetime.datetime.now()
        self.recorder = spans.Recorder()


_lock = threading.Lock()
_in_progress: _Trace | None = None


def start_trace(
    log_dir: os.PathLike[str] | str,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: ProfileOptions | None = None,
) -> None:
    """Start a trace of the process, which `stop_trace` ends and writes.

    Args:
      log_dir: the folder, in which the trace is written as
        `plugins/profile/<time>/<machine>.trace.json.gz`.
      create_perfetto_link: not supported; open the file at https://ui.perfetto.dev instead.
      create_perfetto_trace: whether to write it as `perfetto_trace.json.gz`, too.
      profiler_options: the contents of the trace.

    Raises:
      RuntimeError: a trace is in progress.
      NotImplementedError: a link is requested.

    Example:
      >>> import tempfile
      >>> from dovetail import profiler
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     profiler.start_trace(folder)
      ...     profiler.stop_trace()
    """
    global _in_progress
    if create_perfetto_link:
        raise NotImplementedError(
            "no link to a trace is made; open its file at https://ui.perfetto.dev instead"
        )
    with _lock:
        if _in_progress is not None:
            raise RuntimeError(
                "only one trace may be in progress; call dovetail.profiler.stop_trace() first"
            )
        options = profiler_options or ProfileOptions()
        _in_progress = _Trace(Path(log_dir), create_perfetto_trace, options)
        spans.recorder = _in_progress.recorder
        # Calls that bypass our Python code would not be seen.
        config.changed()


def stop_trace() -> None:
    """End the trace in progress and write it.

    Raises:
      RuntimeError: no trace is in progress.

    Example:
      >>> import tempfile
      >>> from dovetail import profiler
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     profiler.start_trace(folder)
      ...     profiler.stop_trace()
    """
    global _in_progress
    from dovetail.diagnostics import trace_file  # lazy

    with _lock:
        done = _in_progress
        if done is None:
            raise RuntimeError(
                "there is no trace in progress; call dovetail.profiler.start_trace(log_dir) first"
            )
        _in_progress = spans.recorder = None
        config.changed()
    events = trace_file.events_of(
        done.recorder,
        host=done.options.host_tracer_level > 0,
        dispatches=done.options.device_tracer_level > 0,
    )
    folder = _new_folder(done.directory, done.began)
    trace_file.write(folder / f"{platform.node() or 'host'}.trace.json.gz", events)
    if done.perfetto:
        trace_file.write(folder / "perfetto_trace.json.gz", events)


def _new_folder(directory: Path, began: datetime.datetime) -> Path:
    """A folder named by that time or, if it exists, by the next free second."""
    while True:
        folder = directory / "plugins" / "profile" / began.strftime("%Y_%m_%d_%H_%M_%S")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            began += datetime.timedelta(seconds=1)
        else:
            return folder


@contextmanager
def trace(
    log_dir: os.PathLike[str] | str,
    create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False,
    profiler_options: ProfileOptions | None = None,
) -> Iterator[None]:
    """Trace the process for the duration of a `with` block.

    Args:
      log_dir, create_perfetto_link, create_perfetto_trace, profiler_options: as for `start_trace`.

    Raises:
      RuntimeError: a trace is in progress.
      NotImplementedError: a link is requested.

    Example:
      >>> import pathlib, tempfile
      >>> import dovetail as dt
      >>> f = dt.jit(lambda x: x * 2)
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     with dt.profiler.trace(folder):
      ...         y = f(1.0)
      ...     [file] = pathlib.Path(folder).rglob("*.trace.json.gz")
    """
    start_trace(log_dir, create_perfetto_link, create_perfetto_trace, profiler_options)
    try:
        yield
    finally:
        stop_trace()


class TraceAnnotation(ContextDecorator):
    """A `with` block, or a function, that is a span of the trace in progress, if there is one.

    Args:
      name: the name of the span.
      kwargs: additional data to show for it.

    Example:
      >>> from dovetail import profiler
      >>> with profiler.TraceAnnotation("loading", file="data.npy"):
      ...     pass
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name
        self._arguments = kwargs
        self._open: list[Any] = []

    def _recreate_cm(self) -> TraceAnnotation:
        # Calls of one function may overlap.
        return type(self)(self._name, **self._arguments)

    def __enter__(self) -> TraceAnnotation:
        block = None
        if spans.recorder is not None:
            block = spans.span("user", self._name, **self._arguments)
            block.__enter__()
        self._open.append(block)
        return self

    def __exit__(self, *error: Any) -> None:
        block = self._open.pop()
        if block is not None:
            block.__exit__(*error)

    @staticmethod
    def is_enabled() -> bool:
        """True while a trace is recorded."""
        return spans.recorder is not None


class StepTraceAnnotation(TraceAnnotation):
    """A `TraceAnnotation` of one training step.

    Args:
      name: the name of the span.
      kwargs: `step_num`, the step's number, and additional data to show for it.

    Example:
      >>> from dovetail import profiler
      >>> for step in range(2):
      ...     with profiler.StepTraceAnnotation("train", step_num=step):
      ...         pass
    """


def annotate_function(func: F, name: str | None = None, **decorator_kwargs: Any) -> F:
    """The function with each call recorded as a span of the trace in progress.

    Args:
      func: the function.
      name: the name of the spans; by default the function's.
      decorator_kwargs: additional data to show for them.

    Returns:
      A function that does the same.

    Example:
      >>> from dovetail import profiler
      >>> @profiler.annotate_function
      ... def load():
      ...     return 1
      >>> load()
      1
    """
    label = name or getattr(func, "__qualname__", None) or func.__name__

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with TraceAnnotation(label, **decorator_kwargs):
            return func(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


def start_server(port: int, requires_backend: bool = True) -> Any:
    """Not supported: the process writes traces itself.

    Args:
      port: the port on which the server would listen.
      requires_backend: whether it would wait for the devices.

    Raises:
      NotImplementedError: always.

    Example:
      >>> from dovetail import profiler
      >>> profiler.start_server(9999)  # doctest: +IGNORE_EXCEPTION_DETAIL
      Traceback (most recent call last):
      NotImplementedError: there is no profiler server
    """
    raise NotImplementedError(
        f"there is no profiler server, got: port {port}; write a trace with "
        "dovetail.profiler.trace(log_dir), and open its file at https://ui.perfetto.dev"
    )


def stop_server() -> None:
    """An error: no server can be running.

    Raises:
      ValueError: always.

    Example:
      >>> from dovetail import profiler
      >>> profiler.stop_server()
      Traceback (most recent call last):
      ValueError: there is no profiler server to stop
    """
    raise ValueError("there is no profiler server to stop")
