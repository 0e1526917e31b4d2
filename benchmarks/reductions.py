"""Sums, products of vectors and running sums, compiled, compared with NumPy and JAX.

Usage: reductions.py [--size N] [--repeat N] [--only NAMES]

Times are the best of N rounds in which the libraries take turns; compare the ratios. JAX is
measured if it is installed.
"""

from __future__ import annotations

import argparse
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from by_turns import measure

import dovetail as dt
import dovetail.numpy as dnp

Shapes = Callable[[int], tuple[tuple[int, ...], ...]]


def _square(n: int) -> tuple[tuple[int, ...], ...]:
    side = math.isqrt(n) // 8 * 8
    return ((side, side),)


CASES: dict[str, tuple[Callable[..., Any], Shapes]] = {
    "sum": (lambda np_, x: np_.sum(x), lambda n: ((n,),)),
    "rows": (lambda np_, x: np_.sum(x, 1), _square),
    "columns": (lambda np_, x: np_.sum(x, 0), _square),
    "10 columns": (lambda np_, x: np_.sum(x, 0), lambda n: ((n // 10, 10),)),
    "10 rows": (lambda np_, x: np_.sum(x, 1), lambda n: ((10, n // 10),)),
    "middle": (lambda np_, x: np_.sum(x, 1), lambda n: ((10, n // 100, 10),)),
    "both ends": (lambda np_, x: np_.sum(x, (0, 2)), lambda n: ((n // 1000, 10, 100),)),
    "dot": (lambda np_, x, y: np_.dot(x, y), lambda n: ((n,), (n,))),
    "norm": (lambda np_, x: np_.linalg.norm(x), lambda n: ((n,),)),
    "variance": (lambda np_, x: np_.var(x), lambda n: ((n,),)),
    "matrix by vector": (lambda np_, a, x: a @ x, lambda n: ((n // 1000, 1000), (1000,))),
    "vector by matrix": (lambda np_, x, a: x @ a, lambda n: ((n // 1000,), (n // 1000, 1000))),
    "gram": (lambda np_, a: a.T @ a, lambda n: ((n // 10, 10),)),
    "running sums": (lambda np_, x: np_.cumsum(x), lambda n: ((n,),)),
}


def ways(name: str, n: int) -> dict[str, Callable[[], Any]]:
    """One call for each library, with results that agree."""
    function, shapes = CASES[name]
    rng = np.random.default_rng(0)
    args = [rng.uniform(0, 1, shape).astype(np.float32) for shape in shapes(n)]
    own, arrays = dt.jit(lambda *xs: function(dnp, *xs)), [dnp.asarray(x) for x in args]
    calls: dict[str, Callable[[], Any]] = {
        "NumPy": lambda: function(np, *args),
        "Dovetail": lambda: own(*arrays).block_until_ready(),
    }
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        pass
    else:
        peer = jax.jit(lambda *xs: function(jax.numpy, *xs))
        others = [jax.numpy.asarray(x) for x in args]
        calls["JAX"] = lambda: peer(*others).block_until_ready()
    exact = function(np, *(x.astype(np.float64) for x in args))
    for library, call in calls.items():
        np.testing.assert_allclose(np.asarray(call()), exact, rtol=1e-3, err_msg=library)
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures reductions.")
    parser.add_argument("--size", type=float, default=1e7, help="elements (default: %(default)g)")
    parser.add_argument("--repeat", type=int, default=20, help="rounds (default: %(default)s)")
    parser.add_argument("--only", default=",".join(CASES), help="names with commas")
    options = parser.parse_args()
    print("| ms | NumPy | Dovetail | JAX | Dovetail / NumPy | Dovetail / JAX |")
    print("|---" * 6 + "|")
    for name in options.only.split(","):
        best = measure(ways(name, int(options.size)), options.repeat)
        own, jax = best["Dovetail"], best.get("JAX", float("nan"))
        numbers = [f"{1e3 * t:.3f}" for t in (best["NumPy"], own, jax)]
        numbers += [f"{own / best['NumPy']:.2f}", f"{own / jax:.2f}"]
        print(f"| {name} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    main()
