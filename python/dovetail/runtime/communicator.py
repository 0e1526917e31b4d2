"""The library of collectives, through which participants of a run communicate."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import iree.runtime as ireert

NAME = "libdovetail_collectives.so"

# How long participants wait for each other, in seconds.
TIMEOUT = 300.0


class CollectiveError(RuntimeError):
    """Participants of a run did not meet in a collective: they reached different ones, or none."""


@functools.cache
def path() -> str:
    """The path of the library, for `iree-run-module --executable_plugin` too.

    Raises:
      FileNotFoundError: the package was built without it.
    """
    # In an editable installation, built files are elsewhere.
    folders = list(sys.modules["dovetail"].__path__)
    for folder in folders:
        if (file := Path(folder, NAME)).exists():
            return str(file)
    raise FileNotFoundError(f"{NAME} must be in the package, got: none in {', '.join(folders)}")


@functools.cache
def register() -> None:
    """Let devices that are made from now on find the library, if the package has it."""
    try:
        file = path()
    except FileNotFoundError:
        return
    ireert.flags.parse_flags(f"--executable_plugin={file}")


@functools.cache
def _functions() -> ctypes.PyDLL:
    """The library's functions for code that runs programs; none of them waits."""
    library = ctypes.PyDLL(path())
    pointer, text, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
        ("create", pointer, (integer, ctypes.c_double)),
        ("destroy", None, (pointer,)),
        ("start", integer, (pointer, pointer, integer)),
        ("enter", None, (pointer, integer)),
        ("leave", None, ()),
        ("fail", integer, (pointer, text)),
        ("failure", integer, (pointer, text, integer)),
    ):
        function = getattr(library, f"dovetail_communicator_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class Lines:
    """The line in the user's program of each collective in the compiled one, for messages.

    Args:
      lines: the lines, in the order of the compiled program.
    """

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self.count = len(lines)
        self.texts: Any = (ctypes.c_char_p * len(lines))(*(line.encode() for line in lines))


class Communicator:
    """Participants that meet in the collectives of one run at a time.

    Args:
      participants: the number of participants.
      timeout: how long they wait for each other, in seconds.

    Attributes:
      leave: ends the calling thread's part in the run.

    Example:
      >>> communicator = Communicator(2)
      >>> communicator.start(Lines())
      True
      >>> communicator.fail("the machine is needed elsewhere")
      True
      >>> communicator.start(Lines()), communicator.failure
      (False, 'the machine is needed elsewhere')
    """

    def __init__(self, participants: int, timeout: float = TIMEOUT) -> None:
        functions = self._functions = _functions()
        self._handle = functions.dovetail_communicator_create(participants, timeout)
        if not self._handle:
            raise ValueError(f"participants must be from 1 to 32767, got: {participants}")
        self.leave = functions.dovetail_communicator_leave

    def __del__(self) -> None:
        if handle := self.__dict__.get("_handle"):
            self._functions.dovetail_communicator_destroy(handle)

    def start(self, lines: Lines) -> bool:
        """Begin a run, for which all participants are expected; False if an earlier one failed.

        Args:
          lines: the lines of the program; they must live until the run ends.
        """
        start = self._functions.dovetail_communicator_start
        return bool(start(self._handle, lines.texts, lines.count))

    def enter(self, participant: int) -> None:
        """Make the calling thread a participant, in this run and others."""
        self._functions.dovetail_communicator_enter(self._handle, participant)

    def fail(self, reason: str) -> bool:
        """End the run for all participants; False if it has failed already, for another reason."""
        return bool(self._functions.dovetail_communicator_fail(self._handle, reason.encode()))

    @property
    def failure(self) -> str:
        """The reason why the run failed, empty if it did not."""
        size = 1024
        while True:
            text = ctypes.create_string_buffer(size)
            needed = self._functions.dovetail_communicator_failure(self._handle, text, size)
            if needed < size:
                return text.value.decode(errors="replace")
            size = needed + 1
