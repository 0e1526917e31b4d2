"""Connections of participants with those of other processes by MPI."""

from __future__ import annotations

import ctypes
import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import ending, plugins
from .communicator import ExchangeFunction, Message
from .transports import Identity, Native, Parcel, Transport

# How long MPI may take to end after a failure.
_SECONDS_TO_END = 4.0

_Watch = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_int32), ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32
)


class _Mpi(ctypes.Structure):
    """As in cpp/collectives/Mpi.h."""

    _fields_ = (
        ("send", ctypes.c_void_p),
        ("receive", ctypes.c_void_p),
        ("test_all", ctypes.c_void_p),
        ("cancel", ctypes.c_void_p),
        ("describe_error", ctypes.c_void_p),
        ("communicator", ctypes.c_void_p),
        ("byte_type", ctypes.c_void_p),
        ("request_bytes", ctypes.c_int32),
        ("status_bytes", ctypes.c_int32),
        ("most_tag", ctypes.c_int32),
        ("spins", ctypes.c_int32),
        ("timeout", ctypes.c_double),
        ("watch", _Watch),
    )


class MpiTransport(Transport):
    """The processes of an MPI communicator.

    Args:
      communicator: `mpi4py.MPI.COMM_WORLD`, or another one for nothing else. MPI must allow calls
        by several threads at a time, as `mpi4py` asks it to.
      timeout: how long to wait for a process, in seconds.
      watch: a transport of the same processes by which they learn that one of them has ended, of
        which MPI tells nothing.
    """

    def __init__(
        self, communicator: Any, timeout: float = 300, watch: Transport | None = None
    ) -> None:
        MPI = importlib.import_module("mpi4py.MPI")
        if MPI.Query_thread() != MPI.THREAD_MULTIPLE:
            raise ValueError(
                "MpiTransport: MPI must be initialized with THREAD_MULTIPLE, "
                f"got: level {MPI.Query_thread()}"
            )
        self._communicator = communicator.Dup()
        self._communicator.Set_errhandler(MPI.ERRORS_RETURN)
        self.process = communicator.Get_rank()
        self.processes = communicator.Get_size()
        self._watch = watch
        self._reason = ""
        # The functions of the library that mpi4py is linked with, whichever it is.
        library = ctypes.CDLL(MPI.__file__)
        names = ("Isend", "Irecv", "Testall", "Cancel", "Error_string")
        self._mpi = _Mpi(
            *(ctypes.cast(getattr(library, f"MPI_{name}"), ctypes.c_void_p) for name in names),
            *(MPI._handleof(handle) % (1 << 64) for handle in (self._communicator, MPI.BYTE)),
            *(MPI._sizeof(MPI.Request), MPI._sizeof(MPI.Status)),
            communicator.Get_attr(MPI.TAG_UB),
            _spins(communicator, MPI),
            timeout,
            _Watch(self._watched(lambda: False)),
        )
        function = ctypes.CDLL(plugins.path(plugins.COLLECTIVES)).dovetail_exchange_by_mpi
        self.native = Native(
            ctypes.cast(function, ctypes.c_void_p).value or 0, ctypes.addressof(self._mpi)
        )
        self._exchange = ExchangeFunction(self.native.function)

    def begin(self, others: Sequence[int], identity: Identity) -> None:
        """Begin something together."""
        if self._watch is not None:
            self._watch.begin(others, identity)

    def exchange(
        self,
        tag: int,
        sends: Sequence[Parcel],
        receives: Sequence[Parcel],
        is_cancelled: Callable[[], bool],
    ) -> None:
        """Send and receive parcels."""
        mpi = _Mpi.from_buffer_copy(self._mpi)
        mpi.watch = _Watch(self._watched(is_cancelled))
        reason, has_failed = ctypes.create_string_buffer(512), ctypes.c_byte()
        status = self._exchange(
            ctypes.addressof(mpi),
            tag,
            *_messages(sends),
            *_messages(receives),
            ctypes.addressof(has_failed),
            ctypes.addressof(reason),
            len(reason),
        )
        if status:
            raise RuntimeError(reason.value.decode(errors="replace"))

    def _watched(self, is_cancelled: Callable[[], bool]) -> Callable[[Any, int, int, int], int]:
        """A function for C++ that says why waiting is of no use, 0 if it may be."""

        def watch(processes: Any, count: int, reason: int, reason_size: int) -> int:
            if self._reason:
                problem = f"the processes must be connected, got: {self._reason}"
            elif is_cancelled():
                problem = "the run has ended"
            else:
                problem = self.problem(processes[:count])
            text = problem.encode()[: reason_size - 1]
            ctypes.memmove(reason, text + b"\0", len(text) + 1)
            return bool(problem)

        return watch

    def problem(self, others: Sequence[int]) -> str:
        """Why one of the others takes part no more; empty if all do."""
        return "" if self._watch is None else self._watch.problem(others)

    def close(self, reason: str = "") -> None:
        """Refuse to go on. Without `watch`, the other processes wait for the timeout."""
        self._reason = self._reason or reason or "the transport was closed"
        if reason:
            # After a failure, not all processes come to the end of MPI.
            ending.within(_SECONDS_TO_END)
        if self._watch is not None:
            self._watch.close(reason)


def _spins(communicator: Any, MPI: Any) -> int:
    """How often to ask for messages before others may have the processor: some ten microseconds,
    but once if another process of this machine needs it to send them.
    """
    here = communicator.Split_type(MPI.COMM_TYPE_SHARED)
    processes = here.Get_size()
    here.Free()
    return 400 if processes <= len(os.sched_getaffinity(0)) else 1


def _messages(parcels: Sequence[Parcel]) -> tuple[Any, int]:
    """Parcels for C++, whose memory must stay, and their number."""
    return (Message * len(parcels))(
        *(
            (other, np.frombuffer(data, np.uint8).ctypes.data, memoryview(data).nbytes)
            for other, data in parcels
        )
    ), len(parcels)
