"""Shutdown of the interpreter: releases objects in order, and silences reports about those that
remain.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import Any


class _End:
    """An entry in the interpreter's dictionary, so that it is destroyed after all modules, but
    before Python's last garbage collection and nanobind's leak report.
    """

    def __init__(self) -> None:
        self.things: list[Any] = []
        self.is_silent = False
        self.seconds = 0.0

    def __del__(
        self,
        callbacks: list[Any] = gc.callbacks,
        collect: Any = gc.collect,
        unfreeze: Any = gc.unfreeze,
        tracked: Any = gc.get_objects,
        of: Any = type,
        kind: type = dict,
        open: Any = os.open,
        dup2: Any = os.dup2,
        null: str = os.devnull,
        writing: int = os.O_WRONLY,
        timer: Any = signal.setitimer,
        which: int = signal.ITIMER_REAL,
    ) -> None:
        # By then this module's globals are gone. Python would clear these only after its last
        # garbage collection, so whatever they refer to would leak.
        if self.seconds:
            # What users do at exit is done, and signals have no handlers any more.
            timer(which, self.seconds)
        callbacks.clear()
        unfreeze()
        collect()
        if self.is_silent:
            dup2(open(null, writing), 2)
        else:
            # Python clears modules, but not the globals of a destroyed module whose functions are
            # referenced from places that the garbage collector cannot see, such as an array of
            # objects.
            for names in tracked():
                if of(names) is kind and "__builtins__" in names:
                    names.clear()
            collect()
        self.things.clear()


def _interpreter_dictionary() -> Any:
    interpreter, dictionary = (
        ctypes.pythonapi[f"PyInterpreterState_{name}"] for name in ("Get", "GetDict")
    )
    interpreter.restype = ctypes.c_void_p
    dictionary.argtypes, dictionary.restype = [ctypes.c_void_p], ctypes.py_object
    kept = dictionary(interpreter())
    # The reference is borrowed, which ctypes does not know.
    never_end(kept)
    return kept


def never_end(thing: Any) -> None:
    """Keep an object alive forever."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def keep(*things: Any) -> None:
    """Keep objects until everything else that modules or garbage refer to is gone."""
    _end.things += things


def in_silence() -> None:
    """Silence reports about objects that are never destroyed; some outlive Python by design."""
    _end.is_silent = True


def within(seconds: float) -> None:
    """Have the process killed if it takes longer to end after all modules are gone: the end of a
    library may wait for processes that have died.
    """
    _end.seconds = seconds


def at_exit(function: Callable[[], Any]) -> Callable[[], Any]:
    """Have a function called at exit, before remaining threads are checked."""
    return atexit.register(function)


_end = _interpreter_dictionary()["dovetail.runtime.ending"] = _End()


@atexit.register
def _leave_threads() -> None:
    # Python does not wait for daemon threads, and never releases the objects in their frames.
    if len(sys._current_frames()) > 1:
        in_silence()
