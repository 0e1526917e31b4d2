"""Calls of programs on two devices: of one process, and of two that TCP or MPI connects.

Usage: processes.py [--repeat N]

The programs are "nothing", which needs no other device, and all-reduces of a few sizes, jitted; the
last row is mpi4py's own all-reduce of arrays that are there. MPI is left out where mpi4py or
mpiexec is not installed. Times are the best of N rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import timeit

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P

SIZES = (1, 1 << 10, 1 << 14, 1 << 18, 1 << 22)
WORKER = "--as"


def measure(kind: str, repeat: int) -> None:
    """Print the times of one way, in microseconds."""
    if kind != "one process":
        dt.distributed.initialize(
            num_processes=int(os.environ["RANKS"]) if "RANKS" in os.environ else None,
            process_id=int(os.environ["RANK"]) if "RANK" in os.environ else None,
        )
    mesh = dt.make_mesh((2,), ("data",), (dt.sharding.AxisType.Auto,))
    rows = dt.NamedSharding(mesh, P("data"))
    cells = []
    for size in (0, *SIZES):
        x = dt.device_put(np.ones((2, max(size, 1)), np.float32), rows)
        function = dt.jit((lambda x: dnp.sum(x, 0)) if size else (lambda x: x * 2))
        # The first calls compile. All processes make as many.
        number = 200 if size < 1 << 16 else 20
        times = timeit.repeat(lambda f=function, x=x: f(x), repeat=repeat, number=number)
        cells.append(f"{1e6 * min(times) / number:9.0f}")
    if dt.process_index() == 0:
        print(f"{kind:12}", *cells, flush=True)


def measure_mpi(kind: str, repeat: int) -> None:
    """Print the times of the library itself, in microseconds."""
    from mpi4py import MPI

    cells = [f"{'':9}"]
    for size in SIZES:
        x, result = np.ones(size, np.float32), np.empty(size, np.float32)
        number = 200 if size < 1 << 16 else 20
        times = timeit.repeat(
            lambda x=x, y=result: MPI.COMM_WORLD.Allreduce(x, y), repeat=repeat, number=number
        )
        cells.append(f"{1e6 * min(times) / number:9.0f}")
    if MPI.COMM_WORLD.rank == 0:
        print(f"{kind:12}", *cells, flush=True)


def start(kind: str, repeat: int) -> None:
    """Measure one way in processes of its own."""
    local = 2 if kind == "one process" else 1
    command = [sys.executable, __file__, WORKER, kind, "--repeat", str(repeat)]
    environment = {**os.environ, "DOVETAIL_NUM_CPU_DEVICES": str(local), "DOVETAIL_COMPILE": "now"}
    if kind == "one process":
        subprocess.run(command, check=True, env=environment)
    elif kind in ("MPI", "mpi4py"):
        environment["DOVETAIL_CPU_COLLECTIVES_IMPLEMENTATION"] = "mpi"
        subprocess.run(["mpiexec", "-n", "2", *command], check=True, env=environment)
    else:
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"127.0.0.1:{server.getsockname()[1]}"
        environment |= {"DOVETAIL_COORDINATOR_ADDRESS": address, "RANKS": "2"}
        started = [
            subprocess.Popen(command, env={**environment, "RANK": str(number)})
            for number in range(2)
        ]
        for process in started:
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument(WORKER, dest="kind", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.kind:
        measured = measure_mpi if arguments.kind == "mpi4py" else measure
        return measured(arguments.kind, arguments.repeat)
    print(f"{'us':12}", f"{'nothing':>9}", *(f"{size:9}" for size in SIZES), flush=True)
    has_mpi = importlib.util.find_spec("mpi4py") is not None and shutil.which("mpiexec")
    for kind in ("one process", "TCP", *(["MPI", "mpi4py"] if has_mpi else [])):
        start(kind, arguments.repeat)
    return None


if __name__ == "__main__":
    main()
