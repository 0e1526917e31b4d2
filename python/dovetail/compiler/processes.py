"""Runs IREE's compiler in separate processes, so that a crash does not end this one."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from dovetail.base import background
from dovetail.compiler import iree_compiler
from dovetail.compiler.iree_compiler import DIED, Outcome, Shared

_PROGRAM = Path(iree_compiler.__file__).with_name("__main__.py")
# Additional ones are ended once they are idle.
_MOST_IDLE = 2
# A compiler allocates and frees all the time: glibc keeps what is free, in large pages.
_ALLOCATION = (
    "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864"
    ":glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432"
)


class _Process:
    """A compiler that waits for programs; it ends with the pipe that it reads.

    Args:
      flags: those that it is started with.
    """

    def __init__(self, flags: tuple[str, ...]) -> None:
        self.flags = flags
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        # A separate session, so that Ctrl-C in the terminal interrupts the user's program only.
        # `-P` keeps the modules next to the file from shadowing others.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            start_new_session=True,
            env={"GLIBC_TUNABLES": _ALLOCATION, **os.environ},
        )

    def compile(
        self, text: str, flags: Sequence[str], shared: Shared | None, executables: int
    ) -> Outcome:
        """Like `iree_compiler.compile_text`.

        Raises:
          EOFError: the process ended.
          ValueError: there is no such flag.
        """
        context = None if shared is None else shared.context
        request: object = text, tuple(flags), context, executables
        while True:
            answer = self._ask(request)
            if not isinstance(answer, list):
                break
            assert shared is not None
            request = shared.find(answer)
        printed = self.printed()
        if isinstance(answer, str):
            raise ValueError(answer)
        outcome = Outcome(*answer)
        if outcome.vmfb:
            return outcome
        return outcome._replace(diagnostics=[*outcome.diagnostics, *printed])

    def _ask(self, request: object) -> Any:
        """Its answer to a request, or a question before it.

        Raises:
          EOFError: the process ended.
        """
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        try:
            pickle.dump(request, self._popen.stdin, pickle.HIGHEST_PROTOCOL)
            self._popen.stdin.flush()
            return pickle.load(self._popen.stdout)
        except (OSError, pickle.UnpicklingError) as error:
            raise EOFError from error

    def printed(self) -> list[str]:
        """The compiler's output since the last call."""
        self._messages.seek(0)
        text = self._messages.read().decode(errors="replace").strip()
        # The process writes where this leaves the file position.
        self._messages.seek(0)
        self._messages.truncate()
        return [f"note: {text}"] if text else []

    def cause_of_death(self) -> str:
        """The reason why the process ended."""
        try:
            code = self._popen.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "it stopped answering"
        return signal.Signals(-code).name if code < 0 else f"it ended with {code}"

    def kill(self) -> None:
        """End the process at once, for the thread that waits for it to see."""
        self._popen.kill()

    def end(self) -> None:
        """End the process at once, and forget it."""
        _busy.discard(self)
        self._popen.kill()
        for pipe in self._files():
            # The process has ended; drop unwritten input.
            with contextlib.suppress(OSError):
                pipe.close()
        self._popen.wait()

    def let_go(self) -> None:
        """Detach from it, in a process that was forked from the one that started it."""
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in self._files():
            # Do not write half-written data to the pipe a second time.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(null, pipe.fileno(), inheritable=False)
        os.close(null)
        self._popen.returncode = 0

    def _files(self) -> list[IO[bytes]]:
        pipes = self._popen.stdin, self._popen.stdout, self._messages
        return [pipe for pipe in pipes if pipe is not None]


_lock = threading.Lock()
_idle: list[_Process] = []
_busy: set[_Process] = set()


def _forget() -> None:
    """The compilers of a parent process are its own."""
    global _lock
    _lock = threading.Lock()
    for process in (*_idle, *_busy):
        process.let_go()
    _idle.clear()
    _busy.clear()


os.register_at_fork(after_in_child=_forget)


def _end_all() -> None:
    while _idle:
        _idle.pop().end()
    # The threads that wait for these processes notice that they end.
    for process in list(_busy):
        process.kill()


background.at_end(_end_all)


def compile_text(
    text: str, flags: Sequence[str], shared: Shared | None = None, executables: int = 1
) -> Outcome:
    """Like `iree_compiler.compile_text`, in another process; its death is an outcome as well.

    Raises:
      ValueError: there is no such flag.
      RuntimeError: the interpreter exits.
    """
    started_with = iree_compiler.process_flags(flags)
    with _lock:
        process = next((one for one in reversed(_idle) if one.flags == started_with), None)
        if process is not None:
            _idle.remove(process)
    is_first = True
    while True:
        if background.ending.is_set():
            raise RuntimeError("nothing is compiled while the interpreter exits")
        is_new = process is None
        process = process or _Process(started_with)
        _busy.add(process)
        try:
            with background.outside():
                outcome = process.compile(text, flags, shared, executables)
        except EOFError:
            cause, printed = process.cause_of_death(), process.printed()
            process.end()
            if is_new and not (is_first and cause == "SIGKILL"):
                return Outcome(None, [DIED + cause, *printed])
            # It was killed, for its memory or while idle; try once with a new process.
            is_first = is_first and not is_new
            process = None
        except ValueError:
            _keep(process)
            raise
        except BaseException:
            # Interrupted; the answer is no longer needed.
            process.end()
            raise
        else:
            _keep(process)
            return outcome


def _keep(process: _Process) -> None:
    _busy.discard(process)
    with _lock:
        if not background.ending.is_set():
            _idle.append(process)
            if len(_idle) <= _MOST_IDLE:
                return
            process = _idle.pop(0)
    process.end()
