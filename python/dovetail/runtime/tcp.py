"""Processes connected by TCP."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

from .transports import Identity, Parcel, Transport

_MAGIC = b"dovetail collectives 2\0"
_HELLO = struct.Struct(f"<{len(_MAGIC)}sii")
# A tag, the number of bytes that follow, and what the sender does: how many things the two
# processes have begun together, and the digest of the last one.
_HEADER = struct.Struct("<qqqq")
# Tags other than those of parcels: the text of a digest, the sender's reason to end the connection,
# and nothing but the header.
_TEXT, _END, _MARK = -1, -2, -3

# Up to so many bytes are copied to go with their header, or with others.
_SMALL = 1 << 16

# After how many seconds a machine of which nothing is heard counts as lost.
SILENCE = 10.0


class TcpTransport(Transport):
    """Processes connected by TCP, each with each, in a network whose machines trust each other.

    Args:
      process: the number of this one.
      addresses: host and port of each process, in order. This one listens at its own.
      timeout: how long to wait for a process, in seconds.
      server: listens already at this process's address.
      marks: whether to tell others of everything that begins, which parcels do otherwise.
      silence: after how many seconds a machine of which nothing is heard counts as lost.

    Example:
      >>> with socket.create_server(("127.0.0.1", 0)) as server:
      ...     address = server.getsockname()
      >>> TcpTransport(0, [address]).processes
      1
    """

    def __init__(
        self,
        process: int,
        addresses: Sequence[tuple[str, int]],
        timeout: float = 300,
        *,
        server: socket.socket | None = None,
        marks: bool = False,
        silence: float = SILENCE,
    ) -> None:
        self.process = process
        self.processes = len(addresses)
        self.timeout = timeout
        self._marks = marks
        self._peers: dict[int, _Peer] = {}
        deadline = time.monotonic() + timeout
        try:
            with server or socket.create_server(tuple(addresses[process])) as server:
                for other in range(process):
                    connection = self._connected(other, addresses[other], deadline)
                    self._add(other, connection, silence)
                for _ in range(process + 1, self.processes):
                    other, connection = self._accepted(server, deadline)
                    self._add(other, connection, silence)
        except BaseException:
            self.close()
            raise

    def _add(self, other: int, connection: socket.socket, silence: float) -> None:
        keep_alive(connection, silence)
        self._peers[other] = _Peer(self.process, other, connection)

    def _connected(self, other: int, address: tuple[str, int], deadline: float) -> socket.socket:
        """A connection to a process, which may not listen yet."""
        connection = connected(
            address, deadline, f"process {other} must listen at {address[0]}:{address[1]}"
        )
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
                hello = _HELLO.unpack(exactly(connection, bytearray(_HELLO.size)))
                magic, other, processes = hello
                if magic == _MAGIC and processes == self.processes and other not in self._peers:
                    return other, connection
            connection.close()

    def begin(self, others: Sequence[int], identity: Identity) -> None:
        """Begin something together; what is begun for the first time waits for the others."""
        try:
            peers = [self._peers[other] for other in others]
            awaited = [peer for peer in peers if peer.begin(identity, self._marks)]
            deadline = time.monotonic() + self.timeout
            for peer in awaited:
                while not peer.knows(identity):
                    if time.monotonic() > deadline:
                        raise RuntimeError(
                            f"process {peer.number} must begin {identity.text} within "
                            f"{self.timeout:g} seconds, got: no message"
                        )
        except BaseException as error:
            self.close(str(error))
            raise

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
                self._peers[other].send(tag, data)
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
        while not receipt.done.wait(0.1):
            if is_cancelled():
                raise RuntimeError("the run has ended")
            if time.monotonic() > deadline:
                raise RuntimeError(
                    f"process {other} must take part within {self.timeout:g} seconds, "
                    "got: no message"
                )
        if receipt.error:
            raise RuntimeError(receipt.error)

    def problem(self, others: Sequence[int]) -> str:
        """Why one of the others takes part no more; empty if all do."""
        return next(
            (p.error for other, p in self._peers.items() if other in others and p.error), ""
        )

    def close(self, reason: str = "") -> None:
        """End the connections; other processes wait no longer, and know the reason."""
        for peer in self._peers.values():
            peer.close(reason)


class _Receipt:
    """Memory for a parcel, and whether it is there."""

    def __init__(self, memory: memoryview) -> None:
        self.memory = memory
        self.done = threading.Event()
        self.error = ""

    def fail(self, error: str) -> None:
        self.error = error
        self.done.set()


class _Peer:
    """A connection with another process, and a thread that reads what comes.

    Attributes:
      number: the other process.
      error: why nothing comes any more; empty if something may.
    """

    def __init__(self, process: int, number: int, connection: socket.socket) -> None:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number = number
        self.error = ""
        self._process = process
        self._connection = connection
        self._stream: Any = connection.makefile("rb", _SMALL)
        self._sending = threading.Lock()
        # Whether the last parcel was sent to its end.
        self._is_whole = True
        self._changed = threading.Condition()
        # By tag: memory that waits for a parcel, and parcels that wait for memory.
        self._receipts: defaultdict[int, deque[_Receipt]] = defaultdict(deque)
        self._arrived: defaultdict[int, deque[bytearray]] = defaultdict(deque)
        # What this process and the other one do: the number of the last thing that they began, and
        # its digest. The texts of digests that either has sent.
        self._here = self._there = (0, 0)
        # Whether the other process has ended without an error.
        self._is_done = False
        self._texts_here: dict[int, str] = {}
        self._texts_there: dict[int, str] = {}
        self._reader = threading.Thread(target=self._read, name="collectives", daemon=True)
        self._reader.start()

    # What the processes do ------------------------------------------------------------------------

    def begin(self, identity: Identity, marks: bool) -> bool:
        """Begin something; whether for the first time."""
        with self._changed:
            is_new = identity.digest not in self._texts_here
            self._texts_here[identity.digest] = identity.text
            self._here = (self._here[0] + 1, identity.digest)
            if self._is_done and self._there[0] >= self._here[0]:
                # The other process has done this, and ended since.
                return False
            self._check()
            if self.error:
                raise RuntimeError(self.error)
        if is_new:
            self.send(_TEXT, memoryview(identity.text.encode()))
        elif marks:
            self.send(_MARK, memoryview(b""))
        return is_new

    def knows(self, identity: Identity) -> bool:
        """Whether the other process has begun it, too, after waiting a short time for it.

        Raises:
          RuntimeError: it has begun something else.
        """
        with self._changed:
            if identity.digest not in self._texts_there and not self.error:
                self._changed.wait(0.1)
            if identity.digest in self._texts_there:
                return True
            if self.error:
                raise RuntimeError(self.error)
            return False

    def _check(self) -> None:
        """Compare what both do, if they are at the same number."""
        if self._here[0] == self._there[0] and self._here[1] != self._there[1]:
            here, there = self._texts_here[self._here[1]], self._texts_there[self._there[1]]
            self._fail(
                "processes must run the same programs in the same order, got: "
                f"{here} in process {self._process}; {there} in process {self.number}"
            )

    def _fail(self, error: str) -> None:
        """Wait for nothing any more; called with the lock."""
        self.error = self.error or error
        for receipts in self._receipts.values():
            for receipt in receipts:
                receipt.fail(self.error)
        self._receipts.clear()
        self._changed.notify_all()

    # Parcels --------------------------------------------------------------------------------------

    def send(self, tag: int, data: memoryview) -> None:
        """Send a parcel."""
        try:
            with self._sending:
                self._is_whole = False
                header = _HEADER.pack(tag, len(data), *self._here)
                if len(data) <= _SMALL:
                    self._connection.sendall(header + data)
                else:
                    self._connection.sendall(header)
                    self._connection.sendall(data)
                self._is_whole = True
        except OSError as error:
            # What the other process said last explains it.
            self._reader.join(1)
            raise RuntimeError(
                self.error or f"process {self.number} must take part, got: {error}"
            ) from error

    def post(self, tag: int, memory: memoryview) -> _Receipt:
        """Lend memory for a parcel."""
        receipt = _Receipt(memory)
        with self._changed:
            arrived = self._arrived.get(tag)
            if not arrived:
                if self.error:
                    receipt.fail(self.error)
                else:
                    self._receipts[tag].append(receipt)
                return receipt
            data = arrived.popleft()
            if not arrived:
                del self._arrived[tag]
        self._fill(receipt, data)
        return receipt

    def _fill(self, receipt: _Receipt, data: bytearray) -> None:
        if len(data) != len(receipt.memory):
            return receipt.fail(
                f"process {self.number} must take part, got: {len(data)} bytes instead of "
                f"{len(receipt.memory)}"
            )
        receipt.memory[:] = data
        receipt.done.set()

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
        reason = ""
        receipt: _Receipt | None = None
        try:
            while True:
                header = _HEADER.unpack(_read(self._stream, bytearray(_HEADER.size)))
                tag, size, *there = header
                if tag < 0:
                    data = _read(self._stream, bytearray(size))
                    if tag == _END:
                        with self._changed:
                            # The reason says more than a comparison.
                            self._there = (there[0], there[1])
                            self._is_done = not size
                        reason = f"it has ended{': ' * bool(size)}{data.decode(errors='replace')}"
                        break
                    with self._changed:
                        if tag == _TEXT:
                            self._texts_there[there[1]] = data.decode(errors="replace")
                        self._note(there)
                        self._changed.notify_all()
                    continue
                with self._changed:
                    self._note(there)
                    receipt = self._take(tag, size)
                if receipt is not None:
                    _read(self._stream, receipt.memory)
                    receipt.done.set()
                    receipt = None
                    continue
                data = _read(self._stream, bytearray(size))
                with self._changed:
                    receipt = self._take(tag)
                    if receipt is None:
                        self._arrived[tag].append(data)
                if receipt is not None:
                    self._fill(receipt, data)
                    receipt = None
        except Exception as error:  # whatever it is, nobody may wait any more
            reason = str(error) or type(error).__name__
        with self._changed:
            self._fail(f"process {self.number} must take part, got: {reason}")
        if receipt is not None:
            receipt.fail(self.error)

    def _note(self, there: Sequence[int]) -> None:
        self._there = (there[0], there[1])
        self._check()

    def close(self, reason: str) -> None:
        """End the connection, and tell the other process why."""
        with self._changed:
            self._fail(reason or "the connection was closed")
        # A process that does not read is not told.
        if self._sending.acquire(timeout=1):
            with contextlib.suppress(OSError):
                if self._is_whole:
                    self._connection.settimeout(1)
                    data = reason.encode()
                    self._connection.sendall(_HEADER.pack(_END, len(data), *self._here) + data)
            self._sending.release()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._stream.close()
        self._connection.close()


def keep_alive(connection: socket.socket, silence: float) -> None:
    """End a connection to a machine of which nothing is heard for so many seconds."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    interval = max(int(silence / 4), 1)
    options = {
        "TCP_KEEPIDLE": interval,
        "TCP_KEEPINTVL": interval,
        "TCP_KEEPCNT": 3,
        "TCP_USER_TIMEOUT": int(1000 * silence),
    }
    for name, value in options.items():
        # Not all systems have all of them.
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def connected(address: tuple[str, int], deadline: float, must: str) -> socket.socket:
    """A connection to an address where nobody may listen yet.

    Raises:
      RuntimeError: nobody does until the deadline.
    """
    while True:
        left = deadline - time.monotonic()
        try:
            return socket.create_connection(address, timeout=max(left, 0.1))
        except OSError as error:
            if left <= 0:
                raise RuntimeError(f"{must}, got: {error}") from error
            time.sleep(0.05)


def _read(stream: Any, memory: Any) -> Any:
    """The memory, filled with what comes.

    Raises:
      EOFError: the stream ends before.
    """
    if stream.readinto(memory) < len(memory):
        raise EOFError("the end of the connection")
    return memory


def exactly(connection: socket.socket, memory: Any) -> Any:
    """The memory, filled with what comes.

    Raises:
      EOFError: the connection ends before.
    """
    rest = memoryview(memory)
    while rest:
        count = connection.recv_into(rest)
        if count == 0:
            raise EOFError("the end of the connection")
        rest = rest[count:]
    return memory
