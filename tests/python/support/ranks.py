"""Starts the processes of a program in `rank_programs.py`, by TCP, `mpiexec` or `srun`."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

HAS_MPI = importlib.util.find_spec("mpi4py") is not None and shutil.which("mpiexec") is not None
# Whether the launcher is MPICH's.
HAS_HYDRA = (
    HAS_MPI
    and "HYDRA"
    in subprocess.run(["mpiexec", "--version"], capture_output=True, text=True, check=False).stdout
)
PROGRAMS = Path(__file__).with_name("rank_programs.py")
# Counts of processes, and of devices of each.
SHAPES = [(4, 1), (2, 4)]


class Rank(NamedTuple):
    """What a process left: its exit status, what it printed, and when it ended."""

    status: int
    output: str
    errors: str
    seconds: float


def free_address() -> str:
    """An address of this machine where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def _environment(local: int, more: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "DOVETAIL_NUM_CPU_DEVICES": str(local), **more}


def by_tcp(
    count: int,
    local: int,
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    timeout: float = 240,
    program: Sequence[str] = (str(PROGRAMS),),
) -> list[Rank]:
    """Run a program in so many processes, each with so many devices."""
    where = {"DOVETAIL_COORDINATOR_ADDRESS": free_address(), **(environment or {})}
    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        streams = [
            [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
            for _ in range(count)
        ]
        started = [
            subprocess.Popen(
                [sys.executable, *program, *map(str, arguments)],
                env=_environment(local, {**where, "RANK": str(n), "RANKS": str(count)}),
                stdout=out,
                stderr=errors,
            )
            for n, (out, errors) in enumerate(streams)
        ]
        ends: dict[int, float] = {}
        try:
            while len(ends) < count and time.monotonic() - start < timeout:
                for n, process in enumerate(started):
                    if n not in ends and process.poll() is not None:
                        ends[n] = time.monotonic() - start
                time.sleep(0.02)
        finally:
            for process in started:
                process.kill()
                process.wait()
        ranks = []
        for n, (process, files) in enumerate(zip(started, streams, strict=True)):
            for file in files:
                file.seek(0)
            output, errors = (file.read() for file in files)
            ranks.append(Rank(process.returncode, output, errors, ends.get(n, float("inf"))))
    return ranks


def by_mpi(
    count: int,
    local: int,
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    program: Sequence[str] = (str(PROGRAMS),),
) -> Rank:
    """Run a program under `mpiexec`, which mixes what the processes print."""
    launcher = ("mpiexec", "-n", str(count), *options)
    return _launched(launcher, local, *arguments, environment=environment, program=program)


def each_by_mpi(count: int, *arguments: object, program: Sequence[str]) -> list[Rank]:
    """Run a program under MPICH's `mpiexec`, which leaves it to the processes what to do if one
    ends, and only tells them so by a signal; in any order.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = f"{folder}/$$"
        command = f'"$0" "$@" >{files}.output 2>{files}.errors; echo $? >{files}.status'
        start = time.time()
        _launched(
            (
                "mpiexec",
                "-n",
                str(count),
                "-disable-auto-cleanup",
                "sh",
                "-c",
                f'trap "" USR1; {command}',
            ),
            1,
            *arguments,
            environment={"DOVETAIL_CPU_COLLECTIVES_IMPLEMENTATION": "mpi"},
            program=program,
            timeout=60,
        )
        return [
            Rank(
                int(path.read_text()),
                path.with_suffix(".output").read_text(),
                path.with_suffix(".errors").read_text(),
                path.stat().st_mtime - start,
            )
            for path in Path(folder).glob("*.status")
        ]


def slurm_nodes() -> int:
    """How many nodes Slurm has for a job of this user at once; 0 where there is none."""
    if shutil.which("srun") is None:
        return 0
    nodes = ["sinfo", "--noheader", "--states=idle", "--format=%D"]
    found = subprocess.run(nodes, capture_output=True, text=True, check=False)
    return sum(int(line) for line in found.stdout.split()) if found.returncode == 0 else 0


def by_slurm(count: int, local: int, *arguments: object) -> Rank:
    """The same under `srun`, on two nodes if there are as many."""
    launcher = ("srun", "-N", str(min(slurm_nodes(), 2)), "-n", str(count), "--overcommit")
    return _launched(launcher, local, *arguments)


def _launched(
    launcher: Sequence[str],
    local: int,
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = (str(PROGRAMS),),
    timeout: float = 240,
) -> Rank:
    start = time.monotonic()
    run = subprocess.run(
        [*launcher, sys.executable, *program, *map(str, arguments)],
        env=_environment(local, environment or {}),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Rank(run.returncode, run.stdout, run.stderr, time.monotonic() - start)


def check_done(ranks: Sequence[Rank]) -> None:
    """Check that all processes came to the end of the program without a word of complaint."""
    for number, rank in enumerate(ranks):
        assert (rank.errors, rank.status) == ("", 0)
        assert rank.output.splitlines()[-1:] == [f"done {number}"]


def check_done_by_launcher(run: Rank, count: int) -> None:
    """The same of processes under `mpiexec` or `srun`."""
    assert (run.errors, run.status) == ("", 0)
    lines = [line for line in run.output.splitlines() if line.startswith("done ")]
    assert sorted(lines) == [f"done {number}" for number in range(count)]
