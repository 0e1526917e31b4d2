"""What a call of a jitted function costs on eight devices, over one on one device.

Usage: sharded_calls.py [--rounds N]

States of a number of small arrays are the results of the call before, as in a training loop, and
are donated or not. Each library has a process for one device and one for eight; they take turns,
and the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import subprocess
import sys
import timeit
from typing import Any

import numpy as np

COUNTS = (1, 2, 5, 10, 20)
CALLS = 50
WORKER = "--as"


def load(library: str) -> Any:
    """The library's module, with eight devices."""
    if library == "JAX":
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
        return importlib.import_module("jax")
    os.environ |= {"DOVETAIL_NUM_CPU_DEVICES": "8", "DOVETAIL_COMPILE": "now"}
    return importlib.import_module("dovetail")


def work(library: str, devices: int) -> None:
    """Answer lines of a number of arrays, and whether they are donated, by µs."""
    module = load(library)
    mesh = module.make_mesh((devices,), ("x",), devices=module.devices()[:devices])
    place = module.sharding.NamedSharding(mesh, module.P("x"))
    if devices == 1:
        place = module.devices()[0]
    programs: dict[str, tuple[Any, list[Any]]] = {}
    for line in sys.stdin:
        if line not in programs:
            count, donates = map(int, line.split())
            state = [module.device_put(np.ones((8, 4), np.float32), place) for _ in range(count)]
            step = module.jit(
                lambda state: [x * 0.5 + 1 for x in state], donate_argnums=(0,) * donates
            )
            for _ in range(3):
                state = step(state)
            programs[line] = step, state
        step, state = programs[line]
        start = timeit.default_timer()
        for _ in range(CALLS):
            state = step(state)
        seconds = timeit.default_timer() - start
        programs[line] = step, state
        print(1e6 * seconds / CALLS, flush=True)


def ask(worker: subprocess.Popen[str], line: str) -> float:
    """The answer of a process."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(line, file=worker.stdin, flush=True)
    return float(worker.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40, help="(default: %(default)s)")
    parser.add_argument(WORKER, dest="role", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role:
        return work(options.role[0], int(options.role[1]))
    libraries = ["Dovetail", *["JAX"] * (importlib.util.find_spec("jax") is not None)]
    workers = {
        (library, devices): subprocess.Popen(
            [sys.executable, __file__, WORKER, library, str(devices)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for library in libraries
        for devices in (1, 8)
    }
    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    heads = [f"{library}, {column}" for library in libraries for column in ("one", "eight", "more")]
    print("| arrays | donated | " + " | ".join(heads) + " |\n" + "|---" * (2 + len(heads)) + "|")
    for count in COUNTS:
        for donates in (0, 1):
            line = f"{count} {donates}"
            best = dict.fromkeys(workers, float("inf"))
            for _ in range(options.rounds):
                for key, worker in workers.items():
                    best[key] = min(best[key], ask(worker, line))
            row = [str(count), "yes" if donates else "no"]
            for library in libraries:
                one, eight = best[library, 1], best[library, 8]
                row += [f"{one:.0f}", f"{eight:.0f}", f"{eight - one:.0f}"]
            print("| " + " | ".join(row) + " |", flush=True)
    print(f"\nload after: {os.getloadavg()[0]:.1f}")
    for worker in workers.values():
        worker.communicate()
    return None


if __name__ == "__main__":
    main()
