"""IREE's compiler in processes of its own, so that one that dies takes nothing with it."""

from __future__ import annotations

import atexit
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

from dovetail import iree_compiler
from dovetail.iree_compiler import Outcome

_PROGRAM = Path(iree_compiler.__file__)
# Others are ended once they are idle.
_MOST_IDLE = 2


class _Process:
    """A compiler that waits for programs; it ends with the pipe that it reads."""

    def __init__(self) -> None:
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        # A session of its own: an interrupt from the terminal is for the user's program alone.
        # -P: the modules beside the file have names of others.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            start_new_session=True,
        )

    def compile(self, text: str, flags: Sequence[str]) -> Outcome:
        """As `iree_compiler.compile_text`.

        Raises:
          EOFError: the process ended.
          ValueError: there is no such flag.
        """
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        try:
            pickle.dump((text, tuple(flags)), self._popen.stdin, pickle.HIGHEST_PROTOCOL)
            self._popen.stdin.flush()
            answer = pickle.load(self._popen.stdout)
        except (OSError, pickle.UnpicklingError) as error:
            raise EOFError from error
        printed = self.printed()
        if isinstance(answer, str):
            raise ValueError(answer)
        vmfb, diagnostics = answer
        return Outcome(vmfb, diagnostics if vmfb else [*diagnostics, *printed])

    def printed(self) -> list[str]:
        """What the compiler printed since this was asked last."""
        self._messages.seek(0)
        text = self._messages.read().decode(errors="replace").strip()
        # The process writes where this leaves the file.
        self._messages.seek(0)
        self._messages.truncate()
        return [f"note: {text}"] if text else []

    def cause_of_death(self) -> str:
        """How the process ended."""
        try:
            code = self._popen.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "it stopped answering"
        return signal.Signals(-code).name if code < 0 else f"it ended with {code}"

    def end(self) -> None:
        """End the process at once."""
        self._popen.kill()
        for pipe in (self._popen.stdin, self._popen.stdout, self._messages):
            # What was not written yet is of no use to a process that has ended.
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._popen.wait()


_lock = threading.Lock()
_idle: list[_Process] = []


def _forget() -> None:
    """The compilers of a parent process are its own."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


os.register_at_fork(after_in_child=_forget)


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.pop().end()


def compile_text(text: str, flags: Sequence[str]) -> Outcome:
    """As `iree_compiler.compile_text`, in another process; its death is an outcome as well.

    Raises:
      ValueError: there is no such flag.
    """
    with _lock:
        process = _idle.pop() if _idle else None
    while True:
        is_new = process is None
        process = process or _Process()
        try:
            outcome = process.compile(text, flags)
        except EOFError:
            cause, printed = process.cause_of_death(), process.printed()
            process.end()
            if is_new or cause != "SIGKILL":
                return Outcome(None, [f"error: the compiler died: {cause}", *printed])
            # It was ended while it was idle, by whoever wanted its memory.
            process = None
        except ValueError:
            _keep(process)
            raise
        except BaseException:
            # An interrupt: what it would still answer is of no use.
            process.end()
            raise
        else:
            _keep(process)
            return outcome


def _keep(process: _Process) -> None:
    with _lock:
        if len(_idle) < _MOST_IDLE:
            _idle.append(process)
            return
    process.end()
