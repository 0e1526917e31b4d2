"""The kernels of `examples/kernels.py`, beside plain ops that compute the same, here and in JAX.

Usage: kernels.py [--repeat N] [--only NAME...] [--batch N]

JAX's Pallas has no code generator for CPUs: its times are those of the plain ops, which XLA
compiles.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from by_turns import measure

import dovetail as dt

EXAMPLE = Path(__file__).parents[1] / "examples" / "kernels.py"


def example(name: str) -> Any:
    """The example, as a module of its own."""
    sys.path.insert(0, str(EXAMPLE.parent))
    spec = importlib.util.spec_from_file_location(name, EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_jax() -> Any:
    """The example with JAX's modules in place of Dovetail's; None if JAX is not installed."""
    try:
        import jax  # pyright: ignore[reportMissingImports]
        from jax.experimental import pallas  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    module = example("jax_kernels")
    module.dt, module.dnp, module.lax, module.pl = jax, jax.numpy, jax.lax, pallas
    return module


def call(block: Callable[[Any], Any], function: Callable[..., Any], arrays: list[Any]) -> None:
    block(function(*arrays))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=10, help="(default: %(default)s)")
    parser.add_argument("--only", nargs="+", help="names of kernels")
    parser.add_argument("--batch", type=int, help="time batches of so many, by vmap")
    options = parser.parse_args()
    dt.config.update("compile", "now")
    ours, theirs = example("kernels"), in_jax()
    columns = ["kernel", "plain ops", *(["JAX's plain ops"] if theirs else [])]
    print(f"| ms | {' | '.join(columns)} | kernel / plain ops |")
    print("|---" * (len(columns) + 2) + "|")
    for name, (make, _, sizes) in ours.CASES.items():
        if options.only and name not in options.only:
            continue
        kernel, plain, given = make(*sizes)
        if options.batch:
            kernel, plain = dt.vmap(kernel), dt.vmap(plain)
            given = [np.stack([x] * options.batch) for x in given]
        arrays = [dt.device_put(x) for x in given]
        functions = [(dt, f, arrays) for f in (dt.jit(kernel), dt.jit(plain))]
        if theirs:
            jax, plain = theirs.dt, theirs.CASES[name][0](*sizes).plain
            plain = jax.vmap(plain) if options.batch else plain
            functions.append((jax, jax.jit(plain), [jax.device_put(x) for x in given]))
        calls = {
            what: functools.partial(call, library.block_until_ready, function, xs)
            for what, (library, function, xs) in zip(columns, functions, strict=True)
        }
        for run in calls.values():
            run()
        best = measure(calls, options.repeat)
        times = [1e3 * best[what] for what in columns]
        cells = " | ".join(f"{time:.2f}" for time in times)
        print(f"| {name} | {cells} | {times[0] / times[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
