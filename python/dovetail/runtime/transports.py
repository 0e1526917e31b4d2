"""The interface of connections of participants with those of other processes."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import NamedTuple

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


class Native(NamedTuple):
    """A function of C++ that exchanges parcels without Python.

    Attributes:
      function: the address of a `Transport::Exchange` of cpp/collectives/Transport.h.
      context: the address of its context.
    """

    function: int
    context: int


class Transport(abc.ABC):
    """Processes that run a program together: connected by TCP, MPI or a class of the user's.

    Attributes:
      process: the number of this one.
      processes: how many there are.
      native: what compiled programs call in place of `exchange`, if there is such a function.

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
    native: Native | None = None

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
