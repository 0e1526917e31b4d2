"""Weak and strong scaling of the programs of `examples/` on several devices, beside JAX.

Usage: sharding.py [--rounds N] [--programs NAME …]

Strong scaling: one problem on 1, 2, 4 and 8 devices. Weak scaling: one that is as many times as
large. The devices share the cores of the machine, so the ideal is the time of one device, and in
weak scaling as many times this time: what is above it is the overhead of the division. Each library
has a process for each number of devices; they take turns, and the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

from sharded_programs import PROGRAMS

COUNTS = (1, 2, 4, 8)
WORKER = Path(__file__).with_name("sharded_programs.py")


class Worker:
    """A process that runs programs with a library on a number of devices."""

    def __init__(self, library: str, devices: int) -> None:
        self.library, self.devices = library, devices
        self._process = subprocess.Popen(
            [sys.executable, WORKER, library, str(devices)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, line: str) -> float:
        """The answer to a line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(line, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


def measure(workers: list[Worker], program: str, scaling: str, rounds: int) -> dict[str, list]:
    """The best times in ms for each library, in the order of its numbers of devices."""
    sums: dict[int, float] = {}
    for worker in workers:
        found = worker.ask(f"{program} {scaling}")
        expected = sums.setdefault(worker.devices if scaling == "weak" else 1, found)
        if not math.isclose(found, expected, rel_tol=1e-2):
            raise ValueError(
                f"{program} on {worker.devices} devices of {worker.library} must compute "
                f"{expected}, got: {found}"
            )
        worker.ask("run")
    times: list[list[float]] = [[] for _ in workers]
    for _ in range(rounds):
        for worker, own in zip(workers, times, strict=True):
            own.append(worker.ask("run"))
    best: dict[str, list] = {}
    for worker, own in zip(workers, times, strict=True):
        best.setdefault(worker.library, []).append(min(own))
    return best


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures scaling over devices.")
    parser.add_argument("--rounds", type=int, default=7, help="(default: %(default)s)")
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), metavar="NAME")
    options = parser.parse_args()
    libraries = ["Dovetail", *["JAX"] * (importlib.util.find_spec("jax") is not None)]
    all_workers = [Worker(library, count) for library in libraries for count in COUNTS]
    overheads: dict[str, list[float]] = {library: [] for library in libraries}
    ratios: dict[int, list[float]] = {count: [] for count in COUNTS}
    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    print("| ms | scaling | devices | " + " | ".join(libraries), end="")
    print(" | " + " | ".join(f"{library} / ideal" for library in libraries), end="")
    print(" | Dovetail / JAX |\n" + "|---" * (4 + 2 * len(libraries)) + "|")
    for program in options.programs:
        # An expert is on each device.
        counts = (1, 8) if program == "expert parallel" else COUNTS
        workers = [worker for worker in all_workers if worker.devices in counts]
        for scaling in ("strong", "weak"):
            best = measure(workers, program, scaling, options.rounds)
            for i, count in enumerate(counts):
                row = [f"{best[library][i]:.2f}" for library in libraries]
                for library in libraries:
                    ideal = best[library][0] * (count if scaling == "weak" else 1)
                    row.append(f"{best[library][i] / ideal:.2f}")
                    if count > 1:
                        overheads[library].append(best[library][i] / ideal)
                ratio = best["Dovetail"][i] / best[libraries[-1]][i]
                ratios[count].append(ratio)
                row.append(f"{ratio:.2f}")
                print(f"| {program} | {scaling} | {count} | {' | '.join(row)} |", flush=True)
    print(f"\nload after: {os.getloadavg()[0]:.1f}")
    for library, found in overheads.items():
        print(f"geometric mean of {library} / ideal on several devices: {mean(found):.2f}")
    for count, found in ratios.items():
        if not found:
            continue
        print(f"geometric mean of Dovetail / {libraries[-1]} on {count}: {mean(found):.2f}")
    for worker in all_workers:
        worker.stop()


if __name__ == "__main__":
    main()
