"""Peak memory of a step that is run repeatedly, with its state donated, in references, or neither.

Usage: donation.py [--mebibytes N] [--steps N]

The state is one array, or two of half the size for `momentum`; its new value is the next step's
argument. Each program runs in its own process; the highest resident size, minus that of a process
with only the state, is the memory that its steps need. JAX is measured in the same way if it is
installed.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

MEBI = 1 << 20


def axpy(state: Any, x: Any) -> Any:
    """Returns one array, changed by a fraction of a row."""
    return (state[0] - 0.5 * x,)


def momentum(state: Any, x: Any) -> Any:
    """Returns weights and momenta, as an optimizer changes them."""
    w, m = state
    m = 0.9 * m + x
    return w - 0.1 * m, m


def update(state: Any, x: Any) -> Any:
    """Returns one array, with its first row replaced."""
    return (state[0].at[0].set(x),)


STEPS: dict[str, tuple[Callable[..., Any], int]] = {
    "axpy": (axpy, 1),
    "momentum": (momentum, 2),
    "update": (update, 1),
}


def on_references(function: Callable[..., Any]) -> Callable[..., Any]:
    """A step that writes its results to the references that it takes."""

    def step(refs: Any, x: Any) -> None:
        for ref, new in zip(refs, function([ref[...] for ref in refs], x), strict=True):
            ref[...] = new

    return step


def run(library: str, name: str, way: str, mebibytes: int, steps: int) -> tuple[float, float]:
    """Returns (highest resident size in MiB, seconds of the last steps, each)."""
    function, count = STEPS[name]
    columns = 1024
    rows = mebibytes * MEBI // 4 // columns // count
    if library == "JAX":
        api, numpy = map(importlib.import_module, ("jax", "jax.numpy"))
        jit = api.jit
    else:
        api, numpy = map(importlib.import_module, ("dovetail", "dovetail.numpy"))
        jit = functools.partial(api.jit, compile="now")

    make = jit(
        lambda scale: tuple(numpy.ones((rows, columns)) * scale + 1 + i for i in range(count))
    )
    steps_of = {
        "donated": lambda: jit(function, donate_argnums=0),
        "references": lambda: jit(on_references(function)),
        "copied": lambda: jit(function),
    }
    step = steps_of[way]()
    x = np.full(columns, 0.5, np.float32)
    # Compiled before there is anything large, by arguments of the same types.
    if way != "references":
        compiled = step.lower(
            tuple(api.ShapeDtypeStruct((rows, columns), "float32") for _ in range(count)), x
        ).compile()
        del compiled
    state = api.block_until_ready(make(2.0))
    # One element of each reference, so that nothing large is read.
    refs: tuple[Any, ...] = ()
    read = jit(lambda refs: [ref[0, 0] for ref in refs])
    if way == "references":
        refs, state = tuple(api.new_ref(array) for array in state), ()
        read = read.lower(refs).compile()
    begin = time.perf_counter()
    for i in range(steps):
        if i == 1:
            begin = time.perf_counter()
        if way == "references":
            step(refs, x)
        else:
            state = api.block_until_ready(step(state, x))
    if way == "references":
        api.block_until_ready(read(refs))
    seconds = (time.perf_counter() - begin) / max(steps - 1, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return peak, seconds


def measured(*arguments: str) -> tuple[float, float]:
    """Returns the measurements of a separate process."""
    command = [sys.executable, __file__, "--run", *arguments]
    peak, seconds = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.split()
    return float(peak), float(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what donation saves.")
    parser.add_argument(
        "--mebibytes", type=int, default=512, help="of state (default: %(default)s)"
    )
    parser.add_argument("--steps", type=int, default=6, help="(default: %(default)s)")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        library, name, way = options.run
        print(*run(library, name, way, options.mebibytes, options.steps))
        return
    size = ["--mebibytes", str(options.mebibytes)]
    libraries = ["Dovetail", *(["JAX"] if importlib.util.find_spec("jax") else [])]
    ways = ("donated", "references", "copied")
    print(f"| step on {options.mebibytes} MiB | | {' | '.join(ways)} | ms | ms | ms |")
    print("|---|---|---|---|---|---|---|---|")
    for name in STEPS:
        for library in libraries:
            base, _ = measured(library, name, "donated", *size, "--steps", "0")
            found = [
                measured(library, name, way, *size, "--steps", str(options.steps)) for way in ways
            ]
            peaks = " | ".join(f"{peak - base:.0f}" for peak, _ in found)
            times = " | ".join(f"{1e3 * seconds:.0f}" for _, seconds in found)
            print(f"| `{name}` | {library} | {peaks} | {times} |", flush=True)


if __name__ == "__main__":
    main()
