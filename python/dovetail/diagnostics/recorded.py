"""The programs that a piece of the user's code calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dovetail.base import config, spans
from dovetail.base.spans import Recorder


@contextmanager
def recording(*, compiled: bool = False) -> Iterator[Recorder]:
    """A block in which calls of programs, and what is done for them, are recorded.

    Args:
      compiled: whether calls wait for the compiler, so that all of them run compiled code.

    Raises:
      RuntimeError: something else is recorded, such as a trace of the profiler.
    """
    if spans.recorder is not None:
        raise RuntimeError("only one recording may be in progress; end the profiler's trace first")
    recorder = spans.recorder = Recorder()
    # Calls that bypass our Python code would not be seen.
    config.changed()
    try:
        with config.compile("now" if compiled else config.compile.value):
            yield recorder
    finally:
        spans.recorder = None
        config.changed()
