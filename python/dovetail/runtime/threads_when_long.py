"""Moves programs of unknown sizes from the calling thread to all cores and back, by time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

# Threads save well over what it takes to wake them of calls longer than this on the calling thread,
# and nothing of those that are shorter than this with threads.
LONG_SECONDS, SHORT_SECONDS = 1e-4, 5e-5
# One call may be the machine's doing, or the first of its sizes.
CALLS = 3


class Loaded(Protocol):
    """What is needed of an executable: its function, and what invokes it."""

    invoke: Callable[..., None]
    function: Any


class ThreadsWhenLong:
    """Invokes a function of an executable, as its `invoke`, and measures how long calls take.

    Args:
      inline: the executable on the calling thread, which has all first calls.
      load: loads the executable that uses all cores, in the same memory; called once at most.

    A program whose sizes are known is placed when it is compiled.
    """

    def __init__(self, inline: Loaded, load: Callable[[], Loaded]) -> None:
        self._inline = self._invoked = (inline.invoke, inline.function)
        self._load = load
        self._threaded: tuple[Callable[..., None], Any] | None = None
        self._others = 0

    @property
    def uses_threads(self) -> bool:
        """Whether the next call uses all cores."""
        return self._invoked is not self._inline

    def __call__(self, function: Any, arguments: Any, results: Any) -> None:
        """Runs a call; `function` is that of the executable on the calling thread."""
        invoked = self._invoked
        start = time.perf_counter()
        invoked[0](invoked[1], arguments, results)
        seconds = time.perf_counter() - start
        belongs_here = (
            seconds < LONG_SECONDS if invoked is self._inline else seconds > SHORT_SECONDS
        )
        self._others = 0 if belongs_here else self._others + 1
        if self._others >= CALLS:
            self._others = 0
            self._invoked = self._other(invoked)

    def _other(self, invoked: tuple[Callable[..., None], Any]) -> tuple[Callable[..., None], Any]:
        if invoked is not self._inline:
            return self._inline
        if self._threaded is None:
            threaded = self._load()
            self._threaded = (threaded.invoke, threaded.function)
        return self._threaded
