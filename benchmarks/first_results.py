"""Time to the first result, in new processes: imports, trivial functions, a training step.

Usage: first_results.py [--repeat N]

Each measurement is a separate process; Dovetail and JAX, if it is installed, take turns. Times are
the best of N. *cold*: nothing is compiled on disk; *warm*: an earlier process compiled it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

EXAMPLES = Path(__file__).parents[1] / "examples"
LIBRARIES = ("dovetail", "jax")


def elapsed(run: Callable[[], Any]) -> float:
    """Returns the seconds that a call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


# Measurements in a process: seconds by name -------------------------------------------------------


def imports(library: str) -> dict[str, float]:
    def load() -> None:
        importlib.import_module(library)
        importlib.import_module(f"{library}.numpy")

    return {"import": elapsed(load)}


def trivial(library: str) -> dict[str, float]:
    module = importlib.import_module(library)
    numpy = importlib.import_module(f"{library}.numpy")
    x = numpy.ones(4)
    module.block_until_ready(x + 1)
    function = module.jit(lambda x: numpy.sin(x) * 2 + 1)

    def call() -> None:
        module.block_until_ready(function(x))

    return calls(library, call)


def training_step(library: str) -> dict[str, float]:
    sys.path.insert(0, str(EXAMPLES))
    import digits

    module: Any = importlib.import_module(library)
    # The example with the other library's functions.
    digits.dt, digits.dnp = module, importlib.import_module(f"{library}.numpy")
    train_set, _ = digits.load()
    params = digits.init_params(seed=0)
    batch = train_set.take(np.arange(digits.BATCH))
    step, state = module.jit(digits.train_step), digits.init_optimizer(params)

    def call() -> None:
        module.block_until_ready(step(params, state, *batch))

    return calls(library, call)


def calls(library: str, call: Callable[[], Any]) -> dict[str, float]:
    times = {"first call": elapsed(call), "second call": elapsed(call)}
    if library == "dovetail":
        from dovetail.base import background

        # Later processes find it compiled.
        times["compiled after"] = times["first call"] + elapsed(background.wait)
    call()
    times["a call"] = min(elapsed(call) for _ in range(50))
    return times


MEASUREMENTS = {"imports": imports, "trivial": trivial, "training step": training_step}


# The process that starts them ---------------------------------------------------------------------


def measured(name: str, library: str, cache: str) -> dict[str, float]:
    """Returns the measurements of a new process."""
    environment = {
        **os.environ,
        "DOVETAIL_CACHE_DIR": cache,
        "JAX_COMPILATION_CACHE_DIR": cache,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "JAX_PLATFORMS": "cpu",
    }
    command = [sys.executable, __file__, "--measure", name, "--library", library]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="rounds (default: %(default)s)")
    parser.add_argument("--measure", choices=MEASUREMENTS, help=argparse.SUPPRESS)
    parser.add_argument("--library", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(MEASUREMENTS[options.measure](options.library)))
        return

    libraries = [name for name in LIBRARIES if importlib.util.find_spec(name)]
    best: dict[tuple[str, str], float] = {}
    for _ in range(options.repeat):
        for library in libraries:
            for name in MEASUREMENTS:
                with tempfile.TemporaryDirectory() as cache:
                    for state in ("cold",) if name == "imports" else ("cold", "warm"):
                        for what, seconds in measured(name, library, cache).items():
                            row = f"{name}, {state}: {what}", library
                            best[row] = min(best.get(row, seconds), seconds)
    print("| ms | " + " | ".join(libraries) + " | ratio |")
    print("|---" * (len(libraries) + 2) + "|")
    for row in dict.fromkeys(row for row, _ in best):
        times = [best[row, library] * 1e3 for library in libraries if (row, library) in best]
        cells = [f"{time:.2f}" for time in times] + [""] * (len(libraries) - len(times))
        ratio = f"{times[0] / times[1]:.2f}" if len(times) > 1 else ""
        print(f"| {row} | {' | '.join(cells)} | {ratio} |")


if __name__ == "__main__":
    main()
