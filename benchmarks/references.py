"""Windows of one large reference, read and written by calls: time, and memory beyond the reference.

Usage: references.py [--mebibytes N] [--repeat N]

Each row must cost the same for a reference of any size: the times of two sizes are side by side.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

COLUMNS = 1024


def resident(field: str) -> float:
    """Memory of the process in MiB, now (`VmRSS`) or at most (`VmHWM`)."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024


def assign(ref: Any, index: Any, value: Any) -> None:
    ref[index] = value


def exchange(ref: Any, i: Any) -> None:
    first, second = ref[i], ref[i + 1]
    ref[i] = second
    ref[i + 1] = first


def kept(ref: Any, i: Any) -> Any:
    first = ref[1]
    ref[i + 1] = 3.0
    ref[1] = first * 2
    return first


def looped(ref: Any, i: Any) -> None:
    lax.fori_loop(0, 100, lambda k, c: (assign(ref, i + k, ref[i + k] + 1), c)[1], 0)


def scanned(ref: Any, i: Any) -> Any:
    return lax.scan(lambda c, k: (c, (assign(ref, k, c), ref[k, 0])[1]), 1.0, i + dnp.arange(64))


def chosen(ref: Any, i: Any) -> None:
    lax.cond(i > 3, lambda: assign(ref, i, ref[i] + 1), lambda: assign(ref, 0, 1.0))


def differentiated(ref: Any, i: Any) -> Any:
    def loss(x: Any) -> Any:
        assign(ref, i, lax.stop_gradient(x))
        return (x * ref[0]).sum()

    return dt.grad(loss)(1.0)


# What is done at a row, in a compiled function and outside of one.
UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "read a row": lambda ref, i: ref[i],
    "read an element": lambda ref, i: ref[i, 5],
    "read rows": lambda ref, i: ref[np.array([1, 5, 9])],
    "write a row": lambda ref, i: assign(ref, i, 2.0),
    "write a column": lambda ref, i: assign(ref, (slice(None, 4096), i), 2.0),
    "write a window": lambda ref, i: assign(ref, (dt.ds(i, 2), slice(10, 20)), 2.0),
    "add to a row": lambda ref, i: ref.addupdate(1.0, i),
    "add to rows": lambda ref, i: ref.addupdate(1.0, np.array([1, 5, 9])),
    "write after a read": lambda ref, i: (ref[i], assign(ref, i, 2.0))[0],
}
COMPILED: dict[str, Callable[[Any, Any], Any]] = {
    **UPDATES,
    "exchange rows": exchange,
    "a known row, needed after": kept,
    "100 rows in a loop": looped,
    "64 rows in a scan": scanned,
    "a row in a branch": chosen,
    "a row in a derivative": differentiated,
}


def measure(mebibytes: int, repeat: int) -> None:
    """Print the microseconds and MiB of each update."""
    rows = (mebibytes << 20) // 4 // COLUMNS
    ref = dt.new_ref(dt.jit(lambda: dnp.zeros((rows, COLUMNS)))())
    cases = {f"{name}, compiled": dt.jit(f) for name, f in COMPILED.items()} | UPDATES
    for name, f in cases.items():
        i: Any = 5 if f in UPDATES.values() else np.int32(5)
        for _ in range(2):
            dt.block_until_ready(f(ref, i))
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")
        before, best = resident("VmRSS"), float("inf")
        for _ in range(repeat):
            start = time.perf_counter()
            dt.block_until_ready(f(ref, i))
            best = min(best, time.perf_counter() - start)
        print(f"{name}|{1e6 * best:.0f}|{max(resident('VmHWM') - before, 0):.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mebibytes", type=int, default=1024, help="(default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=50, help="(default: %(default)s)")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    dt.config.update("compile", "now")
    if options.alone:
        return measure(options.mebibytes, options.repeat)
    sizes = (16, options.mebibytes)
    columns = [
        subprocess.run(
            [sys.executable, __file__, "--alone", f"--mebibytes={n}", f"--repeat={options.repeat}"],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout.splitlines()
        for n in sizes
    ]
    print("| | " + " | ".join(f"µs, {n} MiB | more MiB" for n in sizes) + " |")
    print("|---" * 5 + "|")
    for lines in zip(*columns, strict=True):
        cells = [line.split("|") for line in lines]
        print(f"| {cells[0][0]} | " + " | ".join(f"{us} | {mib}" for _, us, mib in cells) + " |")


if __name__ == "__main__":
    main()
