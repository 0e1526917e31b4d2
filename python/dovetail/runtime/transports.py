"""Connections of participants with those of other processes: their interface, and MPI."""

from __future__ import annotations

import abc
import importlib
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

# Another process, and the bytes to send to it or the memory for those that it sends.
Parcel = tuple[int, memoryview]


class Identity(NamedTuple):
    """Distinguishes what processes do together, a program for example.

    Attributes:
      digest: 63 bits, equal for the same.
      text: for messages.
    """

    digest: int
    text: str


class Transport(abc.ABC):
    """Processes that run a program together: connected by TCP, MPI or a class of the user's.

    Attributes:
      process: the number of this one.
      processes: how many there are.

    Example:
      >>> class Alone(Transport):
      ...     process, processes = 0, 1
      ...     def exchange(self, tag, sends, receives, is_cancelled):
      ...         raise RuntimeError("there is nobody else")
      ...     def close(self, reason=""):
      ...         pass
      >>> from dovetail.runtime import Participants
      >>> Participants(2, transport=Alone()).run(lambda number: number)
      [0, 1]
    """

    process: int
    processes: int

    @abc.abstractmethod
    def exchange(
        self,
        tag: int,
        sends: Sequence[Parcel],
        receives: Sequence[Parcel],
        is_cancelled: Callable[[], bool],
    ) -> None:
        """Send and receive parcels; called by several threads at a time.

        Args:
          tag: parcels of one tag between two processes keep their order.
          sends: what to send, at most one parcel to each process.
          receives: where to put what others send, with their exact sizes.
          is_cancelled: whether nobody waits for the parcels any more.

        Raises:
          RuntimeError: a process cannot be reached.
        """

    def begin(self, others: Sequence[int], identity: Identity) -> None:  # noqa: B027
        """Begin something that all processes are to do, one thing at a time.

        Args:
          others: the other processes that take part.
          identity: what it is.

        Raises:
          RuntimeError: another process has begun something else. A transport may find this later,
            or never.
        """

    def problem(self, others: Sequence[int]) -> str:
        """Why one of the others takes part no more, as far as is known; empty otherwise."""
        return ""

    @abc.abstractmethod
    def close(self, reason: str = "") -> None:
        """End the connections; other processes wait no longer."""


# How long a message may take at least, in seconds, and slow memory, in bytes per second.
_SOON, _SLOW = 3e-4, 5e8


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
        self._mpi = MPI
        self._communicator = communicator.Dup()
        self.process = communicator.Get_rank()
        self.processes = communicator.Get_size()
        self.timeout = timeout
        self._watch = watch
        self._most = communicator.Get_attr(MPI.TAG_UB)
        self._reason = ""

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
        mpi, tag = self._mpi, tag % self._most
        requests = [
            self._communicator.Irecv([memory, mpi.BYTE], other, tag) for other, memory in receives
        ]
        requests += [
            self._communicator.Isend([data, mpi.BYTE], other, tag) for other, data in sends
        ]
        others = sorted({other for other, _ in (*sends, *receives)})
        begin = time.monotonic()
        deadline = begin + self.timeout
        # MPI moves a large message piece by piece, and only while it is asked whether it has come.
        expected = begin + _SOON + sum(data.nbytes for _, data in (*sends, *receives)) / _SLOW
        for attempt in itertools.count():
            if mpi.Request.Testall(requests):
                return
            problem = self._problem(others, attempt, deadline)
            if problem or is_cancelled():
                # Nothing may be written any more to memory that is no longer lent.
                for request in requests[: len(receives)]:
                    request.Cancel()
                    request.Wait()
                raise RuntimeError(problem or "the run has ended")
            # Others may need the processor.
            time.sleep(0 if time.monotonic() < expected else 50e-6)

    def _problem(self, others: Sequence[int], attempt: int, deadline: float) -> str:
        """Why waiting is of no use; empty if it may be."""
        if self._reason:
            return f"the processes must be connected, got: {self._reason}"
        # Processes that have ended may have sent before what is still to come.
        if attempt % 1000 == 999 and (problem := self.problem(others)):
            return problem
        if time.monotonic() > deadline:
            return (
                f"processes {', '.join(map(str, others))} must take part within {self.timeout:g} "
                "seconds, got: no message"
            )
        return ""

    def problem(self, others: Sequence[int]) -> str:
        """Why one of the others takes part no more; empty if all do."""
        return "" if self._watch is None else self._watch.problem(others)

    def close(self, reason: str = "") -> None:
        """Refuse to go on. Without `watch`, the other processes wait for the timeout."""
        self._reason = self._reason or reason or "the transport was closed"
        if self._watch is not None:
            self._watch.close(reason)
