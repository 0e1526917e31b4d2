"""Processes that find each other at the address of the first one."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import time
from typing import Any

from .tcp import connected, exactly

_MAGIC = b"dovetail rendezvous 1\0"
_SIZE = struct.Struct("<q")
# Facts about all processes take less: more is no process of ours.
_MOST = 1 << 24

# Hosts that only processes of one machine reach.
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

Address = tuple[str, int]


def address_of(text: str) -> Address:
    """Host and port of an address such as "10.0.0.1:8476".

    Raises:
      ValueError: it is none.

    >>> address_of("[::1]:80"), address_of("node3:8476")
    (('::1', 80), ('node3', 8476))
    """
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdecimal() and int(port) < 1 << 16):
        raise ValueError(f"coordinator_address must be host:port, got: {text!r}")
    return host.strip("[]"), int(port)


def meet(
    coordinator: Address,
    process: int,
    processes: int,
    facts: dict[str, Any],
    timeout: float,
    bind: Address | None = None,
) -> tuple[list[Address], list[dict[str, Any]], socket.socket]:
    """Tell all processes about each other.

    Args:
      coordinator: the address of process 0.
      process: the number of this one.
      processes: how many there are.
      facts: what the others are to know of this one, as JSON.
      timeout: how long to wait for the others, in seconds.
      bind: where process 0 listens, if that is not the coordinator's address.

    Returns:
      The address of each process, the facts about each, and a socket that listens at the address of
      this one.

    Raises:
      RuntimeError: a process did not come, or two are in disagreement.
    """
    deadline = time.monotonic() + timeout
    # A machine's own name may mean another address to itself than to the others.
    is_alone = coordinator[0] in _LOOPBACK
    own = _listening((coordinator[0] if is_alone else "", 0))
    try:
        known = {"port": own.getsockname()[1], "facts": facts}
        if process == 0:
            where = bind or (coordinator if is_alone else ("", coordinator[1]))
            try:
                server = _listening(where)
            except OSError as error:
                raise RuntimeError(
                    f"process 0 must listen at {where[0]}:{where[1]}, got: {error}"
                ) from error
            with server:
                found = _gathered(server, coordinator[0], processes, known, deadline)
        else:
            found = _told(coordinator, process, processes, known, deadline)
    except BaseException:
        own.close()
        raise
    addresses = [(str(one["host"]), int(one["port"])) for one in found]
    return addresses, [one["facts"] for one in found], own


def _listening(address: Address) -> socket.socket:
    """A socket that listens at an address, or at all of this machine's if it has no host."""
    if address[0]:
        family, *_ = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family)
    if socket.has_dualstack_ipv6():
        with contextlib.suppress(OSError):
            return socket.create_server(address, family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(address)


def _gathered(
    server: socket.socket, host: str, processes: int, own: dict[str, Any], deadline: float
) -> list[dict[str, Any]]:
    """What process 0 learns from the others and tells all of them."""
    found: dict[int, dict[str, Any]] = {0: {**own, "host": host}}
    connections: list[socket.socket] = []
    problem = ""
    with contextlib.ExitStack() as stack:
        while len(found) < processes and not problem:
            server.settimeout(max(deadline - time.monotonic(), 0.1))
            try:
                connection, address = server.accept()
            except TimeoutError:
                missing = [number for number in range(processes) if number not in found]
                problem = (
                    f"all {processes} processes must come to the coordinator in time, got: "
                    f"no connection of process {', '.join(map(str, missing))}"
                )
                break
            stack.enter_context(connection)
            # Strangers are sent away.
            with contextlib.suppress(OSError, EOFError, ValueError, KeyError, TypeError):
                connection.settimeout(10)
                hello = _received(connection)
                number, stated = int(hello["process"]), int(hello["processes"])
                connections.append(connection)
                if stated != processes:
                    problem = (
                        f"all processes must state the same number of them, got: {processes} by "
                        f"process 0; {stated} by process {number}"
                    )
                elif not 0 <= number < processes or number in found:
                    problem = (
                        f"each process must have a number of its own below {processes}, got: "
                        f"{number}{' twice' * (number in found)}"
                    )
                else:
                    found[number] = {**hello["own"], "host": address[0]}
        ordered = [] if problem else [found[number] for number in range(processes)]
        for connection in connections:
            with contextlib.suppress(OSError):
                _send(connection, {"problem": problem, "found": ordered})
    if problem:
        raise RuntimeError(problem)
    return ordered


def _told(
    coordinator: Address, process: int, processes: int, own: dict[str, Any], deadline: float
) -> list[dict[str, Any]]:
    """What another process tells process 0, and learns from it."""
    where = f"{coordinator[0]}:{coordinator[1]}"
    with connected(coordinator, deadline, f"process 0 must listen at {where}") as connection:
        # Process 0 stops waiting for the others first, and tells.
        connection.settimeout(max(deadline - time.monotonic(), 0.1) + 5)
        try:
            _send(connection, {"process": process, "processes": processes, "own": own})
            answer = _received(connection)
        except (OSError, EOFError, ValueError) as error:
            raise RuntimeError(
                f"process 0 at {where} must tell of the other processes, got: {error}"
            ) from error
    if answer["problem"]:
        raise RuntimeError(answer["problem"])
    return answer["found"]


def _send(connection: socket.socket, value: dict[str, Any]) -> None:
    data = json.dumps(value).encode()
    connection.sendall(_MAGIC + _SIZE.pack(len(data)) + data)


def _received(connection: socket.socket) -> dict[str, Any]:
    if bytes(exactly(connection, bytearray(len(_MAGIC)))) != _MAGIC:
        raise ValueError("another protocol")
    [size] = _SIZE.unpack(exactly(connection, bytearray(_SIZE.size)))
    if not 0 <= size < _MOST:
        raise ValueError("too much")
    return json.loads(bytes(exactly(connection, bytearray(size))))
