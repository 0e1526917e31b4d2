"""Runs on several processes, by TCP and, where it is installed, MPI."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from dovetail.runtime.tcp import TcpTransport
from support import processes
from support.spmd import module_of

HAS_MPI = importlib.util.find_spec("mpi4py") is not None and shutil.which("mpiexec") is not None
SUM = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.mul %x, %x : tensor<8xf32>
  %1 = dovetail.all_reduce_sum %0 over ["data"] : tensor<8xf32>
  return %1 : tensor<8xf32>
}
"""


def _free_ports(count: int) -> list[str]:
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(server.getsockname()[1]) for server in servers]
    for server in servers:
        server.close()
    return ports


def _run(case: str, count: int, local: int, *more: str) -> list[subprocess.CompletedProcess[str]]:
    ports = _free_ports(count)

    def start(process: int) -> subprocess.CompletedProcess[str]:
        arguments = [case, "tcp", str(process), str(local), *more, *ports]
        command = [sys.executable, str(processes.__file__), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(start, range(count)))


def _check_done(runs: list[subprocess.CompletedProcess[str]]) -> None:
    for process, run in enumerate(runs):
        assert (run.stderr, run.returncode) == ("", 0)
        assert run.stdout == f"done {process}\n"


@pytest.mark.parametrize(("count", "local"), [(2, 2), (3, 2), (2, 4), (4, 1)])
def test_every_collective(count: int, local: int) -> None:
    _check_done(_run("collectives", count, local))


@pytest.fixture(scope="module")
def vmfb(tmp_path_factory: pytest.TempPathFactory) -> str:
    module = module_of({"data": 4}, SUM)
    phases.run(module, "lower", start="")
    file = tmp_path_factory.mktemp("module") / "sum.vmfb"
    file.write_bytes(compile_lowered(module))
    return str(file)


def test_a_compiled_program(vmfb: str) -> None:
    _check_done(_run("program", 2, 2, vmfb))


def test_a_process_that_fails() -> None:
    runs = _run("failure", 2, 2)
    assert [run.stderr for run in runs] == [""] * 2
    assert runs[0].stdout == "failed itself\nfailed again\ndone 0\n"
    lines = runs[1].stdout.splitlines()
    assert lines[0].startswith("all_reduce_sum over data: process 0 must take part, got: ")
    assert lines[1:] == ["failed again", "done 1"]


def test_a_process_that_does_not_come() -> None:
    first, second = _free_ports(2)
    addresses = [("127.0.0.1", int(first)), ("127.0.0.1", int(second))]
    with pytest.raises(RuntimeError, match="processes 1 must connect, got: "):
        TcpTransport(0, addresses, timeout=0.3)
    with pytest.raises(RuntimeError, match=f"process 0 must listen at 127.0.0.1:{first}, got: "):
        TcpTransport(1, addresses, timeout=0.3)


def test_strangers_are_sent_away() -> None:
    first, second = _free_ports(2)
    addresses = [("127.0.0.1", int(first)), ("127.0.0.1", int(second))]
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(TcpTransport, 0, addresses, 20)
        while True:
            try:
                stranger = socket.create_connection(addresses[0])
                break
            except OSError:
                pass
        stranger.sendall(b"GET / HTTP/1.1\r\n".ljust(31))
        other = TcpTransport(1, addresses, 20)
        assert stranger.recv(1) == b""
        stranger.close()
        transport = one.result()
    received = bytearray(5)
    with ThreadPoolExecutor(1) as pool:
        # A parcel may arrive before it is asked for.
        other.exchange(7, [(0, memoryview(b"early"))], [], lambda: False)
        done = pool.submit(transport.exchange, 7, [], [(1, memoryview(received))], lambda: False)
        done.result()
    assert received == b"early"
    transport.close()
    with pytest.raises(RuntimeError, match="process 0 must take part, got: "):
        other.exchange(7, [], [(0, memoryview(received))], lambda: False)
    other.close()


def test_a_parcel_of_another_size() -> None:
    first, second = _free_ports(2)
    addresses = [("127.0.0.1", int(first)), ("127.0.0.1", int(second))]
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda i: TcpTransport(i, addresses, 20), range(2))
    other.exchange(7, [(0, memoryview(b"early"))], [], lambda: False)
    with pytest.raises(RuntimeError, match="process 1 must take part, got: 5 bytes instead of 4"):
        one.exchange(7, [], [(1, memoryview(bytearray(4)))], lambda: False)
    other.close()


@pytest.mark.skipif(not HAS_MPI, reason="needs mpi4py and mpiexec")
@pytest.mark.parametrize("case", ["collectives", "program"])
def test_mpi(case: str, vmfb: str) -> None:
    more = [vmfb] if case == "program" else []
    done = subprocess.run(
        [
            *("mpiexec", "-n", "2", sys.executable, str(Path(processes.__file__))),
            *(case, "mpi", "-1", "2", *more),
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert sorted(done.stdout.splitlines()) == ["done 0", "done 1"]


@pytest.mark.skipif(not HAS_MPI, reason="needs mpi4py and mpiexec")
def test_mpi_does_not_wait_for_ever() -> None:
    command = [sys.executable, str(Path(processes.__file__)), "silence", "mpi", "-1", "1"]
    done = subprocess.run(
        ["mpiexec", "-n", "2", *command], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == [
        "processes 1 must take part within 0.5 seconds, got: no message",
        "the run has ended",
        "the processes must be connected, got: the test is over",
    ]
