"""The library of collectives, by which participants of a run meet."""

from __future__ import annotations

import ctypes
import functools
import sys
from pathlib import Path

NAME = "libdovetail_collectives.so"

# How long participants wait for each other, in seconds.
TIMEOUT = 300.0


class CollectiveError(RuntimeError):
    """Participants of a run did not meet in a collective, since one failed or came for another."""


@functools.cache
def path() -> str:
    """The path of the library, for `iree-run-module --executable_plugin` too.

    Raises:
      FileNotFoundError: the package was built without it.
    """
    # Where the package is installed to be edited, what is built lies elsewhere.
    folders = list(sys.modules["dovetail"].__path__)
    for folder in folders:
        if (file := Path(folder, NAME)).exists():
            return str(file)
    raise FileNotFoundError(f"{NAME} must be in the package, got: none in {', '.join(folders)}")


@functools.cache
def functions() -> ctypes.PyDLL:
    """The library's functions for those who run programs; none of them waits."""
    library = ctypes.PyDLL(path())
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in (
        ("create", pointer, (ctypes.c_int, ctypes.c_double)),
        ("destroy", None, (pointer,)),
        ("start", ctypes.c_int, (pointer,)),
        ("enter", None, (pointer, ctypes.c_int)),
        ("leave", None, (text,)),
        ("fail", None, (pointer, text)),
        ("failure", ctypes.c_int, (pointer, text, ctypes.c_int)),
    ):
        function = getattr(library, f"dovetail_communicator_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class Communicator:
    """Participants that meet in the collectives of one run at a time.

    Args:
      participants: how many there are.
      timeout: how long they wait for each other, in seconds.

    Example:
      >>> communicator = Communicator(2)
      >>> communicator.start()
      True
      >>> communicator.fail("the machine is needed elsewhere")
      >>> communicator.start(), communicator.failure
      (False, 'the machine is needed elsewhere')
    """

    def __init__(self, participants: int, timeout: float = TIMEOUT) -> None:
        self._functions = functions()
        self._handle = self._functions.dovetail_communicator_create(participants, timeout)
        if not self._handle:
            raise ValueError(f"participants must be from 1 to 32767, got: {participants}")
        # As they are called in every run.
        self._enter = functools.partial(self._functions.dovetail_communicator_enter, self._handle)
        self.leave = self._functions.dovetail_communicator_leave

    def __del__(self) -> None:
        if handle := self.__dict__.get("_handle"):
            self._functions.dovetail_communicator_destroy(handle)

    def start(self) -> bool:
        """Begin a run, for which all participants are expected; False if an earlier one failed."""
        return bool(self._functions.dovetail_communicator_start(self._handle))

    def enter(self, participant: int) -> None:
        """Make the calling thread a participant, until it calls `leave`.

        That takes the reason for which the participant failed, as bytes, empty if it did not.
        """
        self._enter(participant)

    def fail(self, reason: str) -> None:
        """End the run for all participants; the reason given first stays."""
        self._functions.dovetail_communicator_fail(self._handle, reason.encode())

    @property
    def failure(self) -> str:
        """Why the run failed, empty if it did not."""
        size = 1024
        while True:
            text = ctypes.create_string_buffer(size)
            needed = self._functions.dovetail_communicator_failure(self._handle, text, size)
            if needed < size:
                return text.value.decode(errors="replace")
            size = needed + 1
