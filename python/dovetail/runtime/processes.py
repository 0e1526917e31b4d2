"""The processes that share a program: how they find each other, and what they do together."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib
import os
import struct
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from . import clusters, rendezvous
from .communicator import TIMEOUT, CollectiveError
from .mpi import MpiTransport
from .tcp import SILENCE, TcpTransport
from .transports import Identity, Transport

_COUNT = struct.Struct("<q")
# An environment variable for the address of process 0.
_ADDRESS = "DOVETAIL_COORDINATOR_ADDRESS"


def identity_of(text: str, *parts: bytes) -> Identity:
    """What identifies something that processes do together, by its description and contents."""
    hashed = hashlib.sha256(text.encode())
    for part in parts:
        hashed.update(part)
    digest = hashed.digest()
    shown = f"{text} (module {digest.hex()[:12]})" if parts else text
    return Identity(int.from_bytes(digest[:8], "little") >> 1, shown)


class ProcessGroup:
    """All processes that share a program. They do one thing at a time, in the same order.

    Args:
      transport: connects them.
      devices: the number of devices of each process.
      timeout: how long participants of one process wait for each other, in seconds.

    Attributes:
      index: the number of this process.
      count: how many there are.
      turn: is held by the thread that does something with the others.

    Example:
      >>> from dovetail.runtime import TcpTransport
      >>> group = ProcessGroup(TcpTransport(0, [("127.0.0.1", 0)]), [4])
      >>> group.index, group.count, group.gathered(b"abc", "an example")
      (0, 1, [b'abc'])
    """

    def __init__(
        self, transport: Transport, devices: Sequence[int], timeout: float = TIMEOUT
    ) -> None:
        self.transport = transport
        self.timeout = timeout
        self.index = transport.process
        self.count = transport.processes
        self.devices = tuple(devices)
        self.turn = threading.RLock()

    @contextlib.contextmanager
    def doing(self, text: str, members: Sequence[int] | None = None) -> Iterator[list[int]]:
        """Do something with other processes, whose numbers are returned.

        Raises:
          CollectiveError: the others do something else, or one of them has ended.
        """
        numbers = range(self.count) if members is None else members
        others = [number for number in numbers if number != self.index]
        with self.turn:
            try:
                self.transport.begin(others, identity_of(text))
                yield others
            except RuntimeError as error:
                self.transport.close(f"{text} failed: {error}")
                raise CollectiveError(f"{text}: {error}") from error

    def exchange(
        self,
        sends: Sequence[tuple[int, Any]],
        receives: Sequence[tuple[int, Any]],
        tag: int = 0,
    ) -> None:
        """Send bytes to other processes, and receive bytes from them.

        Args:
          sends: processes, and what they are to get; not empty.
          receives: processes, and memory for exactly what they send; not empty.
          tag: distinguishes exchanges.
        """
        self.transport.exchange(
            tag,
            [(other, memoryview(data).cast("B")) for other, data in sends],
            [(other, memoryview(data).cast("B")) for other, data in receives],
            lambda: False,
        )

    def gathered(self, data: bytes, text: str, members: Sequence[int] | None = None) -> list[bytes]:
        """The bytes of each process, in the order of their numbers.

        Args:
          data: those of this one.
          text: what is done, for messages.
          members: the processes that take part, by default all.
        """
        with self.doing(text, members) as others:
            sizes = {other: bytearray(_COUNT.size) for other in others}
            size = _COUNT.pack(len(data))
            self.exchange([(other, size) for other in others], [*sizes.items()])
            found = {other: bytearray(_COUNT.unpack(size)[0]) for other, size in sizes.items()}
            self.exchange(
                [(other, data) for other in others if data],
                [(other, memory) for other, memory in found.items() if memory],
            )
        return [bytes(found.get(i, data)) for i in sorted([*others, self.index])]

    def barrier(self, text: str) -> None:
        """Wait until all processes have come."""
        self.gathered(b"", text)

    def close(self, reason: str = "") -> None:
        """End the connections; the other processes learn of the reason."""
        self.transport.close(reason)


_current: ProcessGroup | None = None


def current() -> ProcessGroup | None:
    """The processes that share this program; None if `initialize` has not been called."""
    return _current


def initialize(
    coordinator_address: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
    *,
    devices: int = 1,
    cluster_detection_method: str | None = None,
    initialization_timeout: float = 300,
    collective_timeout: float = TIMEOUT,
    silence: float = SILENCE,
    coordinator_bind_address: str | None = None,
    transport: str = "tcp",
) -> ProcessGroup:
    """Connect the processes that share a program.

    Args:
      coordinator_address: where process 0 listens, such as "10.0.0.1:8476"; by default what
        DOVETAIL_COORDINATOR_ADDRESS or the launcher says.
      num_processes: how many processes there are.
      process_id: the number of this one.
      devices: how many devices this one has.
      cluster_detection_method: which launcher to ask for what is not given: "slurm", "ompi",
        "hydra", "mpi4py", or "deactivate" for none; by default each.
      initialization_timeout: how long to wait for the other processes, in seconds.
      collective_timeout: how long to wait for one in a collective, in seconds.
      silence: after how many seconds a machine of which nothing is heard counts as lost.
      coordinator_bind_address: where process 0 listens, if it is not `coordinator_address`.
      transport: what carries data: "tcp" or "mpi".

    Returns:
      The processes.

    Raises:
      ValueError: an argument is missing, and no launcher tells it.
      RuntimeError: it has been called before, or a process does not come.

    Example:
      >>> from dovetail import runtime
      >>> group = runtime.initialize("127.0.0.1:0", num_processes=1, process_id=0)
      >>> group.index, group.count
      (0, 1)
      >>> runtime.shutdown()
    """
    global _current
    if _current is not None:
        raise RuntimeError(
            "distributed.initialize should only be called once, got: a second call in process "
            f"{_current.index}"
        )
    where, count, number = _completed(
        coordinator_address, num_processes, process_id, cluster_detection_method
    )
    if transport not in ("tcp", "mpi"):
        raise ValueError(f"transport must be 'tcp' or 'mpi', got: {transport!r}")
    bind = (
        None
        if coordinator_bind_address is None
        else rendezvous.address_of(coordinator_bind_address)
    )
    addresses, facts, server = rendezvous.meet(
        rendezvous.address_of(where),
        number,
        count,
        {"devices": devices, "transport": transport},
        initialization_timeout,
        bind,
    )
    kinds = [one["transport"] for one in facts]
    if {*kinds} != {transport}:
        server.close()
        raise RuntimeError(f"all processes must have the same transport, got: {', '.join(kinds)}")
    tcp = TcpTransport(
        number,
        addresses,
        initialization_timeout,
        server=server,
        marks=transport == "mpi",
        silence=silence,
    )
    tcp.timeout = collective_timeout
    connections: Transport = tcp
    if transport == "mpi":
        world = importlib.import_module("mpi4py.MPI").COMM_WORLD
        if (world.Get_rank(), world.Get_size()) != (number, count):
            connections.close("MPI disagrees")
            raise RuntimeError(
                f"MPI's ranks must be the processes' numbers, got: rank {world.Get_rank()} of "
                f"{world.Get_size()} in process {number} of {count}"
            )
        connections = MpiTransport(world, collective_timeout, watch=connections)
    _current = ProcessGroup(connections, [one["devices"] for one in facts], collective_timeout)
    return _current


def _completed(
    address: str | None, count: int | None, number: int | None, method: str | None
) -> tuple[str, int, int]:
    """What is given, completed by what the environment and the launcher say."""
    address = address or os.environ.get(_ADDRESS)
    if None in (address, count, number):
        found = clusters.find(method)
        if found is not None:
            count = found.processes if count is None else count
            number = found.process if number is None else number
            address = found.coordinator() if address is None else address
    if address is None:
        raise ValueError(
            "coordinator_address should be defined. No launcher of processes is known here, got: "
            "None; pass coordinator_address='host:port', or start the program by mpiexec or srun"
        )
    if count is None:
        raise ValueError("Number of processes must be defined. got: num_processes=None")
    if number is None:
        raise ValueError(
            "The process id of the current process must be defined. got: process_id=None"
        )
    if not 0 <= number < count:
        raise ValueError(f"process_id must be from 0 to {count - 1}, got: {number}")
    return address, count, number


def shutdown(reason: str = "") -> None:
    """Disconnect from the other processes; nothing if there are none.

    Args:
      reason: why, if it is an error that the others are to know of.

    Example:
      >>> from dovetail import runtime
      >>> runtime.shutdown()
    """
    global _current
    group, _current = _current, None
    if group is not None:
        group.close(reason)


@atexit.register
def _end() -> None:
    error = getattr(sys, "last_value", None)
    shutdown("" if error is None else f"{type(error).__name__}: {error}")
