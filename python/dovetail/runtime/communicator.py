"""The library of collectives, through which participants of a run communicate."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

from . import plugins
from .transports import Parcel, Transport

# How long participants wait for each other, in seconds.
TIMEOUT = 300.0


# `_core.run_by_turns`, which the runtime does without.
Turns = Callable[[int, int, int, int, list[tuple[Any, ...]]], tuple[int, BaseException] | None]


class CollectiveError(RuntimeError):
    """Participants of a run did not meet in a collective: they reached different ones, or none."""


@functools.cache
def _finish() -> Any:
    """The library's function that waits; it gives Python's lock away."""
    function = ctypes.CDLL(plugins.path(plugins.COLLECTIVES)).dovetail_communicator_finish
    function.restype, function.argtypes = ctypes.c_int, (ctypes.c_void_p, ctypes.c_double)
    return function


@functools.cache
def _run_by_turns() -> int:
    """The address of the library's function that runs all participants on one thread."""
    function = _functions().dovetail_communicator_run_by_turns
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@functools.cache
def _functions() -> ctypes.PyDLL:
    """The library's functions for code that runs programs; none of them waits."""
    library = ctypes.PyDLL(plugins.path(plugins.COLLECTIVES))
    pointer, text, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
        ("create", pointer, (ctypes.c_double, pointer)),
        ("destroy", None, (pointer,)),
        ("start", integer, (pointer, pointer, integer)),
        ("enter", None, (pointer, integer)),
        ("leave", None, ()),
        ("fail", integer, (pointer, text)),
        ("failure", integer, (pointer, text, integer)),
        ("received", ctypes.c_int64, (pointer,)),
        ("waited", ctypes.c_int64, (pointer,)),
    ):
        function = getattr(library, f"dovetail_communicator_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class Message(ctypes.Structure):
    """As in cpp/collectives/Transport.h."""

    _fields_ = (
        ("process", ctypes.c_int32),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
    )


_messages = ctypes.POINTER(Message)
# `Transport::Exchange` of cpp/collectives/Transport.h.
ExchangeFunction = ctypes.CFUNCTYPE(
    ctypes.c_int,
    *(ctypes.c_void_p, ctypes.c_int64),
    *(_messages, ctypes.c_int32, _messages, ctypes.c_int32),
    *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32),
)


class _Transport(ctypes.Structure):
    """As in cpp/collectives/Transport.h."""

    _fields_ = (
        ("process", ctypes.c_int32),
        ("processes", ctypes.POINTER(ctypes.c_int32)),
        ("participants", ctypes.c_int32),
        ("context", ctypes.c_void_p),
        ("exchange", ExchangeFunction),
    )


def _native(transport: Transport, processes: Sequence[int]) -> _Transport:
    """What the library calls of a transport.

    Args:
      transport: the transport.
      processes: the process of each participant.
    """

    def parcels(messages: Any, count: int) -> list[Parcel]:
        return [
            (one.process, memoryview((ctypes.c_char * one.bytes).from_address(one.data)).cast("B"))
            for one in messages[:count]
        ]

    def exchange(
        _: Any,
        tag: int,
        sends: Any,
        num_sends: int,
        receives: Any,
        num_receives: int,
        has_failed: int,
        reason: int,
        reason_size: int,
    ) -> int:
        failed = ctypes.c_byte.from_address(has_failed)
        try:
            transport.exchange(
                tag,
                parcels(sends, num_sends),
                parcels(receives, num_receives),
                lambda: bool(failed.value),
            )
        except BaseException as error:
            text = str(error).encode()[: reason_size - 1]
            ctypes.memmove(reason, text + b"\0", len(text) + 1)
            return 1
        return 0

    numbers = (ctypes.c_int32 * len(processes))(*processes)
    if native := transport.native:
        function, context = ExchangeFunction(native.function), native.context
    else:
        function, context = ExchangeFunction(exchange), None
    return _Transport(transport.process, numbers, len(processes), context, function)


class Lines:
    """The line in the user's program of each collective in the compiled one, for messages.

    Args:
      lines: the lines, in the order of the compiled program.
    """

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self.count = len(lines)
        self.texts: Any = (ctypes.c_char_p * len(lines))(*(line.encode() for line in lines))
        self.address = ctypes.addressof(self.texts)


class Communicator:
    """Participants that meet in the collectives of one run at a time.

    Args:
      participants: the number of participants, or the process of each.
      timeout: how long they wait for each other, in seconds.
      transport: how they reach participants of other processes.

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

    def __init__(
        self,
        participants: int | Sequence[int],
        timeout: float = TIMEOUT,
        transport: Transport | None = None,
    ) -> None:
        functions = self._functions = _functions()
        if isinstance(participants, int):
            self._transport = _Transport(participants=participants)
        else:
            assert transport is not None
            self._transport = _native(transport, participants)
        # What the library calls must stay.
        self._connections = transport
        reference = ctypes.byref(self._transport)
        self._handle = functions.dovetail_communicator_create(timeout, reference)
        if not self._handle:
            count = self._transport.participants
            raise ValueError(f"participants must be from 1 to 32767, got: {count}")
        self.leave = functions.dovetail_communicator_leave
        self._finish = _finish()

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

    def run_by_turns(
        self, lines: Lines, calls: list[tuple[Any, ...]], turns: Turns
    ) -> tuple[int, BaseException] | None:
        """A run of all participants on the calling thread.

        Args:
          lines: the lines of the program.
          calls: for each participant, a function of C and its arguments.
          turns: calls them.

        Returns:
          The place of the first participant that failed, and its error; None if all have ended
          without one. Then `failure` is still to be asked for.
        """
        return turns(_run_by_turns(), self._handle, lines.address, lines.count, calls)

    def enter(self, participant: int) -> None:
        """Make the calling thread a participant, in this run and others.

        Args:
          participant: its number among those of all processes.
        """
        self._functions.dovetail_communicator_enter(self._handle, participant)

    def finish(self) -> None:
        """Wait until all participants have left; may be interrupted."""
        # An interrupt is noticed between calls.
        while not self._finish(self._handle, 0.05):
            pass

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

    @property
    def waited(self) -> int:
        """How often participants have waited for others, in all runs so far."""
        return self._functions.dovetail_communicator_waited(self._handle)

    @property
    def received_bytes(self) -> int:
        """What participants of this process got from each other's memory, in all runs so far."""
        return self._functions.dovetail_communicator_received(self._handle)
