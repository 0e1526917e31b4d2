"""Sorting, compiled, compared with NumPy and JAX.

Usage: sort.py [--repeat N]

Times are the best of N rounds in which the libraries take turns; compare the ratios. JAX is
measured if it is installed.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from by_turns import measure

import dovetail as dt
import dovetail.numpy as dnp

SHAPES = (
    *((size,) for size in (16, 100, 1_000, 10_000, 100_000, 1_000_000)),
    *((1_000, size) for size in (16, 100, 1_000)),
)
DTYPES = (np.float32, np.int32)
FUNCTIONS = ("sort", "argsort")


def ways(name: str, x: np.ndarray) -> dict[str, Callable[[], Any]]:
    """Returns one call for each library, with the same results."""
    function, array = dt.jit(getattr(dnp, name)), dnp.asarray(x)
    calls: dict[str, Callable[[], Any]] = {
        # Only NumPy's stable sorts define the order of equal elements.
        "NumPy": lambda: np.sort(x) if name == "sort" else np.argsort(x, kind="stable"),
        "Dovetail": lambda: np.asarray(function(array)),
    }
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        pass
    else:
        peer, other = jax.jit(getattr(jax.numpy, name)), jax.numpy.asarray(x)
        calls["JAX"] = lambda: np.asarray(peer(other))
    expected = calls["NumPy"]()
    for library, call in calls.items():
        if not np.array_equal(call(), expected):
            raise RuntimeError(f"{name} by {library} gives something else")
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures sorting.")
    parser.add_argument("--repeat", type=int, default=10, help="rounds (default: %(default)s)")
    repeat = parser.parse_args().repeat
    rng = np.random.default_rng(0)
    print("| ms | NumPy | Dovetail | JAX | Dovetail / NumPy | Dovetail / JAX |")
    print("|---" * 6 + "|")
    for name in FUNCTIONS:
        for shape in SHAPES:
            for dtype in DTYPES:
                x = (rng.normal(size=shape) * 1e6).astype(dtype)
                best = measure(ways(name, x), repeat)
                own, jax = best["Dovetail"], best.get("JAX", float("nan"))
                numbers = [f"{1e3 * t:.3f}" for t in (best["NumPy"], own, jax)]
                numbers += [f"{own / best['NumPy']:.1f}", f"{own / jax:.2f}"]
                size = " × ".join(map(str, shape))
                print(f"| `{name}` {size} {np.dtype(dtype)} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    main()
