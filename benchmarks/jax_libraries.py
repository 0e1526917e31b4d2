"""Programs of JAX's libraries on Dovetail and on JAX: the same losses, and the time that they take.

Usage: jax_libraries.py [--only TEXT] [--repeat N]

Needs an environment with both, and with Equinox, Optax, Flax, Diffrax, Lineax and Optimistix, such
as `tools/setup --peers` and `pip install equinox optax flax diffrax optimistix`.

Each measurement is a process of its own with nothing compiled on disk, in which `jax` is the one or
the other. *first* is the time of the first result after the program is built, *steady* that of a
step after everything was compiled. *losses* is the largest relative difference of the results of
the first steps.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

LIBRARIES = ("dovetail", "jax")
# The functions of `library_programs`, which imports `jax`.
NAMES = {
    "Equinox transformer, Optax": "transformer",
    "Flax nnx, digits": "digits",
    "Diffrax neural ODE, gradient": "neural_ode",
    "Diffrax stiff system, gradient": "stiff_system",
    "Optimistix root of a system, Lineax": "root",
}
# Steps whose results are compared, and those that are timed: at least so many, for so long.
COMPARED, TIMED, SECONDS = 20, 20, 2.0


def measured(name: str) -> dict[str, Any]:
    """Returns the times of a program in this process, and the results of its first steps."""
    jax: Any = importlib.import_module("jax")
    step = getattr(importlib.import_module("library_programs"), name)()
    start = time.perf_counter()
    results = [float(step())]
    first = time.perf_counter() - start
    results += [float(step()) for _ in range(COMPARED - 1)]
    if "dovetail" in jax.__file__:
        from dovetail.base import background

        background.wait()
        step()
    times: list[float] = []
    while len(times) < TIMED or sum(times) < SECONDS:
        start = time.perf_counter()
        jax.block_until_ready(step())
        times.append(time.perf_counter() - start)
    return {"first": first, "steady": min(times), "results": results}


def of_a_process(name: str, library: str) -> dict[str, Any]:
    """Returns the measurements of a new process."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "DOVETAIL_CACHE_DIR": cache, "JAX_PLATFORMS": "cpu"}
        command = [sys.executable, __file__, "--measure", name, "--library", library]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{name} must run on {library}, got: status {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose name has it")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--library", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        if options.library == "dovetail":
            importlib.import_module("dovetail.as_jax")
        print(json.dumps(measured(options.measure)))
        return

    print("| program | first, ms | JAX | ratio | steady, ms | JAX | ratio | losses |")
    print("|---|---|---|---|---|---|---|---|")
    for title, name in NAMES.items():
        if options.only not in title:
            continue
        # In turns, so that both see the same load.
        rounds = [
            {library: of_a_process(name, library) for library in LIBRARIES}
            for _ in range(options.repeat)
        ]
        cells = [title]
        for what in ("first", "steady"):
            ours, theirs = (
                min(each[library][what] * 1e3 for each in rounds) for library in LIBRARIES
            )
            cells += [f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}"]
        apart = max(
            abs(a - b) / abs(b)
            for a, b in zip(*(rounds[0][library]["results"] for library in LIBRARIES), strict=True)
        )
        print("| " + " | ".join([*cells, f"{apart:.1e}"]) + " |", flush=True)


if __name__ == "__main__":
    main()
