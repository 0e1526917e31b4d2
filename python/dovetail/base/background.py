"""Work that is done once, on a thread of its own or by the first caller that waits for it."""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from dovetail.base import locations
from dovetail.runtime.ending import at_exit

T = TypeVar("T")

# Each mostly waits for a compiler process, which takes memory.
_MOST_THREADS = min(4, os.cpu_count() or 1)
# At exit, threads are not waited for any longer than this; nothing is left to wait for then.
_EXIT_SECONDS = 5.0

# Set when the interpreter exits: no work is worth waiting for any more.
ending = threading.Event()
# Cleanups to run at exit, before the threads are joined.
_at_end: list[Callable[[], Any]] = []

_lock = threading.Lock()
_queue: deque[weakref.ref[Job[Any]]] = deque()
_threads: set[threading.Thread] = set()
# All unfinished work; a forked process has no thread that would finish it.
_unfinished: weakref.WeakSet[Job[Any]] = weakref.WeakSet()


class _Here(threading.local):
    """The task that this thread runs."""

    job: Job[Any] | None = None
    # Held by a background thread except while it waits for something outside this process.
    is_worker = False


_here = _Here()
# A fork waits until no background thread holds it, so that none holds any other lock either. All of
# them work under the GIL anyway.
_working = threading.RLock()


class Job(Generic[T]):
    """A piece of work, done once.

    Args:
      work: a function without arguments. In the background, it runs in a copy of the present
        context.

    Attributes:
      is_done: whether it is done, successfully or not.
      error: the exception that it raised, if any.
      notices: warnings that `warn` collected in the background.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        # Released when it is done, with everything that the caller's context refers to.
        self._work: Callable[[], T] | None = work
        self._context: contextvars.Context | None = contextvars.copy_context()
        self._result: T | None = None
        self.error: Exception | None = None
        self.notices: list[str] = []
        self.is_done = False
        self._prepare()
        _unfinished.add(self)

    def _prepare(self) -> None:
        self._lock = threading.Lock()
        self._is_queued = self._is_running = False
        # Set at the end of a run, or of an attempt.
        self._ended = threading.Event()

    def start(self, *, is_next: bool = False) -> None:
        """Schedule the task on a worker thread if it is not done.

        Args:
          is_next: do it before all other tasks that are queued.
        """
        if self.is_done or ending.is_set() or (self._is_queued and not is_next):
            return
        with _lock:
            if self._is_queued:
                # Unless a thread has taken it by now.
                with contextlib.suppress(ValueError):
                    _queue.remove(weakref.ref(self))
                    _queue.appendleft(weakref.ref(self))
            # If no thread can be started, the next call tries again.
            elif _has_thread():
                self._is_queued = True
                (_queue.appendleft if is_next else _queue.append)(weakref.ref(self))

    def finish(self) -> None:
        """Finish the work: run it on this thread, or wait for the thread that runs it."""
        while not self.is_done:
            ended = self._ended
            if not self._attempt():
                with outside():
                    ended.wait()

    def result(self) -> T:
        """The result.

        Raises:
          Exception: what the work raised.
        """
        self.finish()
        if self.error is not None:
            raise self.error
        return self._result  # type: ignore[return-value]

    def _attempt(self) -> bool:
        """Run the work unless another thread does."""
        with self._lock:
            if self._is_running or self.is_done:
                return self.is_done
            self._is_running = True
        outer, _here.job = _here.job, self
        work = self._work
        assert work is not None
        try:
            self._result = work()
            self.is_done = True
        except Exception as error:
            self.error = error
            self.is_done = True
        finally:
            # Also after an interrupt, which leaves the work undone.
            _here.job = outer
            if self.is_done:
                self._work = self._context = None
                _unfinished.discard(self)
            with self._lock:
                ended, self._ended = self._ended, threading.Event()
                self._is_running = False
            ended.set()
        return True

    def _attempt_here(self) -> None:
        """Run the work on a background thread, in the context in which it was created."""
        context = self._context
        # Another thread may have done it in the meantime.
        if context is not None:
            # A copy: a thread that was not forked may never leave the context itself.
            with _working:
                context.copy().run(self._attempt)


def _has_thread() -> bool:
    """True if a worker thread exists or could be started. Requires `_lock`."""
    if len(_threads) < _MOST_THREADS:
        thread = threading.Thread(target=_serve, name="dovetail-compile", daemon=True)
        _threads.add(thread)
        try:
            thread.start()
        except RuntimeError:
            # There are too many already, or the interpreter exits.
            _threads.discard(thread)
    return bool(_threads)


def _serve() -> None:
    """Run queued tasks until the queue is empty."""
    _here.is_worker = True
    try:
        while True:
            with _lock:
                if not _queue:
                    _threads.discard(threading.current_thread())
                    return
                job = _queue.popleft()()
            # The job may be gone if nobody needs it any more.
            if job is not None and not ending.is_set():
                job._attempt_here()
            del job
    finally:
        # Also if a listener of `monitoring` raised something that is not an `Exception`.
        _threads.discard(threading.current_thread())


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """A block in which this thread waits for something outside this process."""
    if not _here.is_worker:
        yield
        return
    _working.release()
    try:
        yield
    finally:
        _working.acquire()


def wait() -> None:
    """Wait until no work is queued or running in the background."""
    while True:
        with _lock:
            threads = list(_threads)
        if not threads:
            return
        for thread in threads:
            thread.join()


def warn(message: str) -> None:
    """Warn at the user's line, or, in the background, keep the message for the caller of the
    work.
    """
    if _here.is_worker and _here.job is not None:
        _here.job.notices.append(message)
        return
    file, line, _ = locations.location()
    warnings.warn_explicit(message, RuntimeWarning, file or __file__, line)


# Forks and the end ------------------------------------------------------------------------------


def at_end(end: Callable[[], Any]) -> None:
    """Call a function when the interpreter exits, before threads are waited for."""
    _at_end.append(end)


@at_exit
def _end() -> None:
    ending.set()
    with _lock:
        _queue.clear()
        threads = list(_threads)
    for end in _at_end:
        end()
    for thread in threads:
        thread.join(_EXIT_SECONDS)


def _before_fork() -> None:
    if not _here.is_worker:
        _working.acquire()


def _after_fork_in_parent() -> None:
    if not _here.is_worker:
        _working.release()


def _after_fork_in_child() -> None:
    """Only the forking thread exists."""
    global _lock, _working
    _lock, _working = threading.Lock(), threading.RLock()
    _here.is_worker = False
    _queue.clear()
    _threads.clear()
    for job in list(_unfinished):
        job._prepare()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)
