"""Calls of programs on two devices, of one process and of two that TCP or MPI connects; collectives
over MPI beside those of the library itself.

Usage: processes.py [--repeat N] [--ranks N] [--most BYTES]

The programs of the first table are "nothing", which needs no other device, and all-reduces of a few
sizes, jitted. The second table is what each further collective adds to the time of a program of
several in a row, and mpi4py's own calls, of which each, too, sends what the one before received.
MPI is left out where mpi4py or mpiexec is not installed. Times are the best of N rounds in which
the ways take turns.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import timeit
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax

SIZES = (1, 1 << 10, 1 << 14, 1 << 18, 1 << 22)
# Of a process' operand.
BYTES = (1 << 10, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26)
# Programs have so many collectives one after the other, and so many more.
FIRST, CALLS = 4, 16
WORKER = "--as"


def measure(kind: str, repeat: int) -> None:
    """Print the times of one way, in microseconds."""
    if kind != "one process":
        initialize()
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


def initialize() -> None:
    dt.distributed.initialize(
        num_processes=int(os.environ["RANKS"]) if "RANKS" in os.environ else None,
        process_id=int(os.environ["RANK"]) if "RANK" in os.environ else None,
    )


def _collectives(world: Any, x: np.ndarray) -> dict[str, tuple[Callable[..., Any], Any]]:
    """By name, collectives of Dovetail that keep the shape, and calls of MPI for a row of `x`."""
    from mpi4py import MPI

    ranks, here = world.size, world.rank
    pairs = [(i, (i + 1) % ranks) for i in range(ranks)]
    a, b, all_rows = x[here].copy(), np.empty_like(x[here]), np.empty_like(x)
    after, before = (here + 1) % ranks, (here - 1) % ranks

    def gather_and_scatter(source: np.ndarray, target: np.ndarray) -> None:
        world.Allgather(source, all_rows)
        world.Reduce_scatter_block(all_rows, target, MPI.SUM)

    def by_turns(call: Callable[[np.ndarray, np.ndarray], Any]) -> Callable[[], None]:
        """The result of each call is sent by the next, as in the program."""

        def calls() -> None:
            for _ in range(CALLS // 2):
                call(a, b)
                call(b, a)

        return calls

    return {
        "all_reduce_sum": (lambda a: lax.psum(a, "i"), by_turns(world.Allreduce)),
        "all_gather, reduce_scatter": (
            lambda a: lax.psum_scatter(lax.all_gather(a, "i"), "i"),
            by_turns(gather_and_scatter),
        ),
        "all_to_all": (
            lambda a: lax.all_to_all(a, "i", 0, 0, tiled=True),
            by_turns(world.Alltoall),
        ),
        "permute": (
            lambda a: lax.ppermute(a, "i", pairs),
            by_turns(lambda a, b: world.Sendrecv(a, after, 0, b, before)),
        ),
    }


def measure_collectives(repeat: int, most: int) -> None:
    """Print the times of collectives over MPI and of the library's own, in microseconds."""
    from mpi4py import MPI

    initialize()
    world = MPI.COMM_WORLD
    ranks = world.size
    mesh = dt.make_mesh((ranks,), ("i",), (dt.sharding.AxisType.Auto,))
    rows = dt.NamedSharding(mesh, P("i"))
    for size in (size for size in BYTES if size <= most):
        x = np.random.default_rng(0).normal(size=(ranks, size // 4)).astype(np.float32)
        argument = dt.device_put(x, rows)
        for name, (collective, library) in _collectives(world, x).items():

            @functools.partial(dt.jit, static_argnums=1)
            def program(a: Any, calls: int, collective: Any = collective) -> Any:
                @functools.partial(dt.shard_map, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
                def repeated(a: Any) -> Any:
                    a = lax.pcast(a.reshape(-1), "i", to="varying")
                    for _ in range(calls):
                        a = lax.pcast(collective(a), "i", to="varying")
                    return a[None]

                return repeated(a)

            ways = {
                "some": lambda f=program, a=argument: dt.block_until_ready(f(a, FIRST)),
                "all": lambda f=program, a=argument: dt.block_until_ready(f(a, FIRST + CALLS)),
                "mpi4py": library,
            }
            times = {way: [] for way in ways}
            number = max(1, min(50, (1 << 22) // size))
            for _ in range(repeat):
                for way, call in ways.items():
                    world.Barrier()
                    times[way].append(timeit.timeit(call, number=number) / number / CALLS)
            some, all_calls, peer = (
                1e6 * world.allreduce(min(one), MPI.MAX) for one in times.values()
            )
            own = all_calls - some
            if world.rank == 0:
                print(
                    f"| {name} | {size} | {own:.0f} | {peer:.0f} | {own / peer:.2f} |", flush=True
                )


def start(kind: str, options: Sequence[str], ranks: int = 2) -> None:
    """Measure one way in processes of its own."""
    local = 2 if kind == "one process" else 1
    command = [sys.executable, __file__, WORKER, kind, *options]
    environment = {**os.environ, "DOVETAIL_NUM_CPU_DEVICES": str(local), "DOVETAIL_COMPILE": "now"}
    if kind == "one process":
        subprocess.run(command, check=True, env=environment)
    elif kind in ("MPI", "collectives"):
        environment["DOVETAIL_CPU_COLLECTIVES_IMPLEMENTATION"] = "mpi"
        subprocess.run(["mpiexec", "-n", str(ranks), *command], check=True, env=environment)
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
    parser.add_argument("--ranks", type=int, default=2, help="of the second table")
    parser.add_argument("--most", type=int, default=BYTES[-1], help="bytes of an operand")
    parser.add_argument(WORKER, dest="kind", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.kind == "collectives":
        return measure_collectives(arguments.repeat, arguments.most)
    if arguments.kind:
        return measure(arguments.kind, arguments.repeat)
    options = ["--repeat", str(arguments.repeat), "--most", str(arguments.most)]
    has_mpi = importlib.util.find_spec("mpi4py") is not None and shutil.which("mpiexec")
    print(f"{'us':12}", f"{'nothing':>9}", *(f"{size:9}" for size in SIZES), flush=True)
    for kind in ("one process", "TCP", *(["MPI"] if has_mpi else [])):
        start(kind, options)
    if has_mpi:
        print("\n| µs | bytes | Dovetail | mpi4py | ratio |\n|---|---|---|---|---|", flush=True)
        start("collectives", options, arguments.ranks)
    return None


if __name__ == "__main__":
    main()
