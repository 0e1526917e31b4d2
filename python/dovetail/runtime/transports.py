"""Connections of participants with those of other processes: TCP, and MPI."""

from __future__ import annotations

import abc
import contextlib
import importlib
import itertools
import socket
import struct
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

# Another process, and the bytes to send to it or the memory for those that it sends.
Parcel = tuple[int, memoryview]

_MAGIC = b"dovetail collectives 1\0"
_HELLO = struct.Struct(f"<{len(_MAGIC)}sii")
# A tag and the number of bytes that follow.
_HEADER = struct.Struct("<qq")


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

    @abc.abstractmethod
    def close(self, reason: str = "") -> None:
        """End the connections; other processes wait no longer."""


class TcpTransport(Transport):
    """Processes connected by TCP, each with each, in a network whose machines trust each other.

    Args:
      process: the number of this one.
      addresses: host and port of each process, in order. This one listens at its own.
      timeout: how long to wait for a process, in seconds.

    Example:
      >>> with socket.create_server(("127.0.0.1", 0)) as server:
      ...     address = server.getsockname()
      >>> TcpTransport(0, [address]).processes
      1
    """

    def __init__(
        self, process: int, addresses: Sequence[tuple[str, int]], timeout: float = 300
    ) -> None:
        self.process = process
        self.processes = len(addresses)
        self.timeout = timeout
        self._peers: dict[int, _Peer] = {}
        deadline = time.monotonic() + timeout
        try:
            with socket.create_server(tuple(addresses[process])) as server:
                for other in range(process):
                    self._peers[other] = _Peer(self._connected(other, addresses[other], deadline))
                for _ in range(process + 1, self.processes):
                    other, connection = self._accepted(server, deadline)
                    self._peers[other] = _Peer(connection)
        except BaseException:
            self.close()
            raise

    def _connected(self, other: int, address: tuple[str, int], deadline: float) -> socket.socket:
        """A connection to a process, which may not listen yet."""
        while True:
            left = deadline - time.monotonic()
            try:
                connection = socket.create_connection(address, timeout=max(left, 0.1))
                break
            except OSError as error:
                if left <= 0:
                    raise RuntimeError(
                        f"process {other} must listen at {address[0]}:{address[1]}, got: {error}"
                    ) from error
                time.sleep(0.05)
        connection.sendall(_HELLO.pack(_MAGIC, self.process, self.processes))
        return connection

    def _accepted(self, server: socket.socket, deadline: float) -> tuple[int, socket.socket]:
        """The next process that connects, and the connection."""
        while True:
            server.settimeout(max(deadline - time.monotonic(), 0.1))
            try:
                connection, _ = server.accept()
            except TimeoutError as error:
                missing = {*range(self.process + 1, self.processes)} - {*self._peers}
                raise RuntimeError(
                    f"processes {', '.join(map(str, sorted(missing)))} must connect, got: {error}"
                ) from error
            # Strangers are sent away.
            with contextlib.suppress(OSError, EOFError):
                connection.settimeout(10)
                hello = _HELLO.unpack(_exactly(connection, bytearray(_HELLO.size)))
                magic, other, processes = hello
                if magic == _MAGIC and processes == self.processes and other not in self._peers:
                    return other, connection
            connection.close()

    def exchange(
        self,
        tag: int,
        sends: Sequence[Parcel],
        receives: Sequence[Parcel],
        is_cancelled: Callable[[], bool],
    ) -> None:
        """Send and receive parcels."""
        try:
            posted = [(other, self._peers[other].post(tag, memory)) for other, memory in receives]
            for other, data in sends:
                self._peers[other].send(other, tag, data)
            deadline = time.monotonic() + self.timeout
            for other, receipt in posted:
                self._wait(other, receipt, is_cancelled, deadline)
        except BaseException as error:
            # Nothing may be written any more to memory that is no longer lent.
            self.close(str(error))
            raise

    def _wait(
        self, other: int, receipt: _Receipt, is_cancelled: Callable[[], bool], deadline: float
    ) -> None:
        peer = self._peers[other]
        while not receipt.done.wait(0.1):
            if peer.error:
                raise RuntimeError(f"process {other} must take part, got: {peer.error}")
            if is_cancelled():
                raise RuntimeError("the run has ended")
            if time.monotonic() > deadline:
                raise RuntimeError(
                    f"process {other} must take part within {self.timeout:g} seconds, "
                    "got: no message"
                )
        if receipt.error:
            raise RuntimeError(f"process {other} must take part, got: {receipt.error}")

    def close(self, reason: str = "") -> None:
        """End the connections; other processes wait no longer."""
        for peer in self._peers.values():
            peer.close(reason)


class _Receipt:
    """Memory for a parcel, and whether it is there."""

    def __init__(self, memory: memoryview) -> None:
        self.memory = memory
        self.done = threading.Event()
        self.error = ""

    def fill(self, data: bytearray) -> None:
        if len(data) == len(self.memory):
            self.memory[:] = data
        else:
            self.error = f"{len(data)} bytes instead of {len(self.memory)}"
        self.done.set()


class _Peer:
    """A connection, and a thread that reads what comes."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._sending = threading.Lock()
        self._lock = threading.Lock()
        # By tag: memory that waits for a parcel, and parcels that wait for memory.
        self._receipts: defaultdict[int, deque[_Receipt]] = defaultdict(deque)
        self._arrived: defaultdict[int, deque[bytearray]] = defaultdict(deque)
        # Why nothing comes any more.
        self.error = ""
        self._reader = threading.Thread(target=self._read, name="collectives", daemon=True)
        self._reader.start()

    def send(self, other: int, tag: int, data: memoryview) -> None:
        try:
            with self._sending:
                self._connection.sendall(_HEADER.pack(tag, len(data)))
                self._connection.sendall(data)
        except OSError as error:
            raise RuntimeError(
                f"process {other} must take part, got: {self.error or error}"
            ) from error

    def post(self, tag: int, memory: memoryview) -> _Receipt:
        receipt = _Receipt(memory)
        with self._lock:
            arrived = self._arrived.get(tag)
            if not arrived:
                self._receipts[tag].append(receipt)
                return receipt
            data = arrived.popleft()
            if not arrived:
                del self._arrived[tag]
        receipt.fill(data)
        return receipt

    def _take(self, tag: int, size: int | None = None) -> _Receipt | None:
        """The memory that waits for a parcel; of that size, if one is given."""
        receipts = self._receipts.get(tag)
        if not receipts or (size is not None and len(receipts[0].memory) != size):
            return None
        receipt = receipts.popleft()
        if not receipts:
            del self._receipts[tag]
        return receipt

    def _read(self) -> None:
        try:
            while True:
                tag, size = _HEADER.unpack(_exactly(self._connection, bytearray(_HEADER.size)))
                with self._lock:
                    receipt = self._take(tag, size)
                if receipt is not None:
                    _exactly(self._connection, receipt.memory)
                    receipt.done.set()
                    continue
                data = _exactly(self._connection, bytearray(size))
                with self._lock:
                    receipt = self._take(tag)
                    if receipt is None:
                        self._arrived[tag].append(data)
                if receipt is not None:
                    receipt.fill(data)
        except (OSError, EOFError) as error:
            self.error = self.error or str(error) or type(error).__name__

    def close(self, reason: str) -> None:
        self.error = self.error or reason or "the connection was closed"
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._connection.close()


def _exactly(connection: socket.socket, memory: Any) -> Any:
    """The memory, filled with what comes."""
    rest = memoryview(memory)
    while rest:
        count = connection.recv_into(rest)
        if count == 0:
            raise EOFError("the end of the connection")
        rest = rest[count:]
    return memory


class MpiTransport(Transport):
    """The processes of an MPI communicator.

    Args:
      communicator: `mpi4py.MPI.COMM_WORLD`, or another one for nothing else. MPI must allow calls
        by several threads at a time, as `mpi4py` asks it to.
      timeout: how long to wait for a process, in seconds.
    """

    def __init__(self, communicator: Any, timeout: float = 300) -> None:
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
        self._most = communicator.Get_attr(MPI.TAG_UB)
        self._reason = ""

    def exchange(
        self,
        tag: int,
        sends: Sequence[Parcel],
        receives: Sequence[Parcel],
        is_cancelled: Callable[[], bool],
    ) -> None:
        """Send and receive parcels."""
        if self._reason:
            raise RuntimeError(f"the processes must be connected, got: {self._reason}")
        mpi, tag = self._mpi, tag % self._most
        requests = [
            self._communicator.Irecv([memory, mpi.BYTE], other, tag) for other, memory in receives
        ]
        requests += [
            self._communicator.Isend([data, mpi.BYTE], other, tag) for other, data in sends
        ]
        deadline = time.monotonic() + self.timeout
        for attempt in itertools.count():
            if mpi.Request.Testall(requests):
                return
            if is_cancelled() or self._reason or time.monotonic() > deadline:
                # Nothing may be written any more to memory that is no longer lent.
                for request in requests[: len(receives)]:
                    request.Cancel()
                    request.Wait()
                others = ", ".join(str(other) for other, _ in receives)
                raise RuntimeError(
                    f"processes {others} must take part within {self.timeout:g} seconds, got: "
                    f"{self._reason or 'no message'}"
                )
            # Others may need the processor.
            time.sleep(0 if attempt < 100 else 50e-6)

    def close(self, reason: str = "") -> None:
        """Refuse to go on; MPI has no means to tell other processes, which wait for the timeout."""
        self._reason = self._reason or reason or "the transport was closed"
