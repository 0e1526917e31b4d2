"""A process of a run on several: `python processes.py CASE TRANSPORT PROCESS LOCAL [FILE] PORT...`.

It computes collectives with the others, and checks its results against NumPy.
"""

from __future__ import annotations

import functools
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dovetail.runtime import CollectiveError, Participants, SpmdExecutable
from dovetail.runtime.mpi import MpiTransport
from dovetail.runtime.tcp import TcpTransport
from dovetail.runtime.transports import Transport
from support.collective_calls import call


def transport_of(kind: str, process: int, ports: list[str], timeout: float) -> Transport:
    if kind == "mpi":
        return MpiTransport(importlib.import_module("mpi4py.MPI").COMM_WORLD, timeout)
    return TcpTransport(process, [("127.0.0.1", int(port)) for port in ports], timeout)


def meshes(count: int) -> list[tuple[list[tuple[int, int]], np.ndarray]]:
    """Axes as sizes and strides, and the groups, a row each."""
    numbers = np.arange(count)
    half = count // 2
    return [
        ([(count, 1)], numbers[None]),
        ([(half, 2)], numbers.reshape(half, 2).T),
        ([(2, 1)], numbers.reshape(half, 2)),
        ([(2, 1), (half, 2)], numbers.reshape(half, 2).T.reshape(1, -1)),
        ([(2, half)], numbers.reshape(2, half).T),
    ]


class Step(NamedTuple):
    """A collective: its operands, and what the members of a group get of theirs."""

    kind: str
    axes: list[tuple[int, int]]
    groups: np.ndarray
    x: np.ndarray
    expected: Callable[[np.ndarray], Any]
    options: dict[str, Any]


def kinds(g: int, outer: int, middle: int, inner: int) -> list[tuple[str, tuple[int, ...], Any]]:
    """Each kind of collective of groups of size g: operand and results."""
    a, b, c = outer, middle, inner
    return [
        ("AllReduceSum", (a, c), lambda x: [x.sum(0)] * g),
        ("AllReduceMax", (a, c), lambda x: [x.max(0)] * g),
        ("AllGather", (a, c), lambda x: [np.moveaxis(x, 0, 1)] * g),
        ("ReduceScatter", (a, g, c), lambda x: np.moveaxis(x.sum(0), 1, 0)),
        ("AllToAllInward", (a, g, b, c), lambda x: np.moveaxis(x, (2, 0), (0, 3))),
        ("AllToAllOutward", (a, b, g, c), lambda x: np.moveaxis(x, (3, 0), (0, 2))),
        # Each gets what the one before it has, but for the first.
        ("Permute", (a, c), lambda x: [0 * x[0], *x[:-1]]),
    ]


def steps(count: int) -> Iterator[Step]:
    """Every kind, over every group, with small and large operands; the same in all processes."""
    random = np.random.default_rng(0)
    for axes, groups in meshes(count):
        g = groups.shape[1]
        for outer, middle, inner in ((1, 1, 1), (3, 2, 5), (2, 3, 4_000)):
            for kind, operand, expected in kinds(g, outer, middle, inner):
                x = random.integers(-9, 9, (count, *operand)).astype(np.float32)
                options: dict[str, Any] = {"outer": outer, "inner": inner}
                if kind.startswith("AllToAll"):
                    options["middle"] = middle
                if kind == "Permute":
                    options["pairs"] = [(i, i + 1) for i in range(g - 1)]
                yield Step(kind, axes, groups, x, expected, options)


def collectives(participants: Participants, transport: Transport) -> None:
    """All steps."""
    count = participants.count * transport.processes
    for site, step in enumerate(steps(count)):
        participants.run(functools.partial(_take, step, site, count, participants, transport))


def _take(
    step: Step, site: int, count: int, participants: Participants, transport: Transport, index: int
) -> None:
    number = participants.count * transport.process + index
    [group] = [row for row in step.groups if number in row]
    expected = step.expected(step.x[group])[list(group).index(number)]
    result = np.full(expected.shape, 77, np.float32)
    operand = np.ascontiguousarray(step.x[number])
    assert call(step.kind, count, number, operand, result, step.axes, site=site, **step.options)
    np.testing.assert_array_equal(result, expected, err_msg=f"{step.kind} {step.axes}")


def program(participants: Participants, transport: Transport, file: str) -> None:
    """A compiled program, many times."""
    executable = SpmdExecutable(Path(file).read_bytes(), "main", participants)
    count = participants.count * transport.processes
    for step in range(20):
        x = np.arange(8 * count, dtype=np.float32).reshape(count, 8) + step
        own = x[participants.count * transport.process :][: participants.count]
        for [result] in executable([[part] for part in own]):
            np.testing.assert_array_equal(result.numpy(), (x * x).sum(0))


def failure(participants: Participants, transport: Transport) -> None:
    """One process fails; the others learn of it without waiting for the timeout."""
    x = np.ones(4, np.float32)
    count = participants.count * transport.processes

    def participate(index: int) -> None:
        number = participants.count * transport.process + index
        axes = [(count, 1)]
        assert call("AllReduceSum", count, number, x, np.empty_like(x), axes, inner=4)
        if number == 1:
            raise KeyError("lost")
        assert call("AllReduceSum", count, number, x, np.empty_like(x), axes, inner=4, site=1)

    start = time.monotonic()
    try:
        participants.run(participate)
    except KeyError:
        print("failed itself")
    except CollectiveError as error:
        print(error)
    assert time.monotonic() - start < 30
    try:
        participants.run(lambda index: index)
        participants.run(participate)
    except (CollectiveError, KeyError):
        print("failed again")


def silence(transport: Transport) -> None:
    """The last process sends nothing, and others do not wait for it for longer than they may."""
    if transport.process == transport.processes - 1:
        time.sleep(2)
        return
    last, memory = transport.processes - 1, memoryview(bytearray(8))
    start = time.monotonic()
    for is_cancelled in (lambda: False, lambda: True):
        try:
            transport.exchange(7, [], [(last, memory)], is_cancelled)
        except RuntimeError as error:
            print(error)
    transport.close("the test is over")
    try:
        transport.exchange(7, [], [(last, memory)], lambda: False)
    except RuntimeError as error:
        print(error)
    assert time.monotonic() - start < 10


def main() -> None:
    case, kind, process, local, *rest = sys.argv[1:]
    file = rest.pop(0) if case == "program" else ""
    transport = transport_of(kind, int(process), rest, timeout=0.5 if case == "silence" else 60)
    if case == "silence":
        silence(transport)
        return
    participants = Participants(int(local), transport=transport)
    if case == "collectives":
        collectives(participants, transport)
    elif case == "program":
        program(participants, transport, file)
    else:
        failure(participants, transport)
    # At once: mpiexec brings the lines of all together.
    sys.stdout.write(f"done {transport.process}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
