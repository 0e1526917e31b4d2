"""What an eager call costs over NumPy's own: functions of small arrays, outside of any program.

Usage: eager.py [--repeat N] [--size N] [--limit µs]

Times are the best of N rounds in which the libraries take turns, so that a busy machine slows all
of them alike. JAX is measured too where it is installed. With --limit the exit status tells whether
all differences are below.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
import timeit
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

import dovetail.lax as dlax
import dovetail.numpy as dnp

CALLS = 2000

# What to call, given a library like NumPy and its arrays: vectors x and y of floats, i of integers,
# j of indices and b of bools, and a square matrix m.
NUMPY: dict[str, Callable[..., Any]] = {
    "x + y": lambda np, v: v.x + v.y,
    "x + 1.0": lambda np, v: v.x + 1.0,
    "2 * x": lambda np, v: 2 * v.x,
    "x / y": lambda np, v: v.x / v.y,
    "x ** 2": lambda np, v: v.x**2,
    "-x": lambda np, v: -v.x,
    "x > 0": lambda np, v: v.x > 0,
    "i // 3": lambda np, v: v.i // 3,
    "i & 1": lambda np, v: v.i & 1,
    "add": lambda np, v: np.add(v.x, v.y),
    "maximum": lambda np, v: np.maximum(v.x, v.y),
    "exp": lambda np, v: np.exp(v.x),
    "sqrt": lambda np, v: np.sqrt(v.x),
    "tanh": lambda np, v: np.tanh(v.x),
    "x // y": lambda np, v: v.x // v.y,
    "x % y": lambda np, v: v.x % v.y,
    "divmod": lambda np, v: np.divmod(v.x, v.y),
    "i ** i": lambda np, v: v.i**v.i,
    "lcm": lambda np, v: np.lcm(v.i, v.i),
    "hypot": lambda np, v: np.hypot(v.x, v.y),
    "logaddexp": lambda np, v: np.logaddexp(v.x, v.y),
    "copysign": lambda np, v: np.copysign(v.x, v.y),
    "heaviside": lambda np, v: np.heaviside(v.x, v.y),
    "modf": lambda np, v: np.modf(v.x),
    "frexp": lambda np, v: np.frexp(v.x),
    "ldexp": lambda np, v: np.ldexp(v.x, v.i),
    "spacing": lambda np, v: np.spacing(v.x),
    "where": lambda np, v: np.where(v.b, v.x, v.y),
    "clip": lambda np, v: np.clip(v.x, 0.0, 1.0),
    "isnan": lambda np, v: np.isnan(v.x),
    "logical_and": lambda np, v: np.logical_and(v.b, v.b),
    "astype": lambda np, v: v.x.astype(np.int32),
    "sum": lambda np, v: np.sum(v.x),
    "m.sum(axis=0)": lambda np, v: v.m.sum(axis=0),
    "mean": lambda np, v: np.mean(v.x),
    "std": lambda np, v: np.std(v.x),
    "max": lambda np, v: np.max(v.x),
    "any": lambda np, v: np.any(v.b),
    "argmax": lambda np, v: np.argmax(v.x),
    "cumsum": lambda np, v: np.cumsum(v.x),
    "sort": lambda np, v: np.sort(v.x),
    "argsort": lambda np, v: np.argsort(v.x),
    "m.argsort(axis=0)": lambda np, v: v.m.argsort(axis=0),
    "lexsort": lambda np, v: np.lexsort((v.x, v.y)),
    "searchsorted": lambda np, v: np.searchsorted(v.x, v.y),
    "unique": lambda np, v: np.unique(v.x),
    "nonzero": lambda np, v: np.nonzero(v.b),
    "flatnonzero": lambda np, v: np.flatnonzero(v.b),
    "argwhere": lambda np, v: np.argwhere(v.b),
    "x[b]": lambda np, v: v.x[v.b],
    "bincount": lambda np, v: np.bincount(v.i),
    "dot": lambda np, v: np.dot(v.x, v.y),
    "dot of rank 3": lambda np, v: np.dot(v.m[None], v.x),
    "m @ m": lambda np, v: v.m @ v.m,
    "einsum": lambda np, v: np.einsum("ij,j->i", v.m, v.x),
    "reshape": lambda np, v: v.m.reshape(-1),
    "transpose": lambda np, v: np.transpose(v.m),
    "squeeze": lambda np, v: np.squeeze(v.x),
    "concatenate": lambda np, v: np.concatenate([v.x, v.y]),
    "stack": lambda np, v: np.stack([v.x, v.y]),
    "broadcast_to": lambda np, v: np.broadcast_to(v.x, v.m.shape),
    "zeros": lambda np, v: np.zeros(4),
    "arange": lambda np, v: np.arange(4),
    "x[1]": lambda np, v: v.x[1],
    "x[1:3]": lambda np, v: v.x[1:3],
    "m[0, ::-1]": lambda np, v: v.m[0, ::-1],
    "x[:, None]": lambda np, v: v.x[:, None],
    "x[j]": lambda np, v: v.x[v.j],
    "take": lambda np, v: np.take(v.x, v.j),
}

# Functions of lax, and what they are in NumPy.
LAX: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "lax.add": (lambda lax, v: lax.add(v.x, v.y), lambda np, v: np.add(v.x, v.y)),
    "lax.exp": (lambda lax, v: lax.exp(v.x), lambda np, v: np.exp(v.x)),
    "lax.select": (
        lambda lax, v: lax.select(v.b, v.x, v.y),
        lambda np, v: np.where(v.b, v.x, v.y),
    ),
    "lax.reduce_sum": (
        lambda lax, v: lax.reduce_sum(v.m, (0,)),
        lambda np, v: np.sum(v.m, (0,)),
    ),
    "lax.dot": (lambda lax, v: lax.dot(v.m, v.x), lambda np, v: np.dot(v.m, v.x)),
    "lax.reshape": (
        lambda lax, v: lax.reshape(v.m, (v.m.size,)),
        lambda np, v: np.reshape(v.m, (v.m.size,)),
    ),
    "lax.dynamic_slice": (
        lambda lax, v: lax.dynamic_slice(v.x, (1,), (2,)),
        lambda np, v: v.x[1:3],
    ),
}


def arrays(size: int) -> dict[str, np.ndarray]:
    """The arguments."""
    x = np.linspace(0.5, 2.0, size, dtype=np.float32)
    return {
        "x": x,
        "y": x[::-1].copy(),
        "m": np.outer(x, x),
        "i": np.arange(size, dtype=np.int32),
        "j": np.array([size - 1, 0], np.int32),
        "b": x > 1,
    }


def rows(size: int) -> Iterator[tuple[str, dict[str, Callable[[], Any]]]]:
    """Each function, and a call of it for each library."""
    plain = arrays(size)
    libraries: list[tuple[str, Any, Any, Any]] = [("Dovetail", dnp, dlax, dnp.asarray)]
    with contextlib.suppress(ImportError):
        import jax.numpy  # type: ignore

        libraries.append(("JAX", jax.numpy, jax.lax, jax.numpy.asarray))
    names = [*NUMPY, *LAX]
    for name in names:
        ours, theirs = LAX[name] if name in LAX else (NUMPY[name], NUMPY[name])
        calls: dict[str, Callable[[], Any]] = {
            "NumPy": functools.partial(theirs, np, SimpleNamespace(**plain))
        }
        for library, numpy, lax, asarray in libraries:
            values = SimpleNamespace(**{key: asarray(value) for key, value in plain.items()})
            calls[library] = functools.partial(ours, lax if name in LAX else numpy, values)
        expected = np.asarray(calls["NumPy"]())
        # Twice before the clock starts: then a call is remembered.
        for result in (calls["Dovetail"](), calls["Dovetail"](), calls["Dovetail"]()):
            if not np.allclose(np.asarray(result), expected, rtol=1e-5):
                raise RuntimeError(f"{name} computes something else: {result}")
        yield name, calls


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what an eager call costs.")
    parser.add_argument("--repeat", type=int, default=10, help="rounds (default: %(default)s)")
    parser.add_argument("--size", type=int, default=4, help="of vectors (default: %(default)s)")
    parser.add_argument("--limit", type=float, help="the largest difference to NumPy, in µs")
    options = parser.parse_args()
    slowest, header = 0.0, True
    for name, calls in rows(options.size):
        best = dict.fromkeys(calls, float("inf"))
        for _ in range(options.repeat):
            for library, call in calls.items():
                best[library] = min(best[library], timeit.timeit(call, number=CALLS) / CALLS)
        difference = best["Dovetail"] - best["NumPy"]
        slowest = max(slowest, difference)
        if header:
            print(f"{'µs per call':20}{''.join(f'{key:>12}' for key in best)}{'over NumPy':>12}")
            header = False
        times = "".join(f"{seconds * 1e6:12.2f}" for seconds in best.values())
        print(f"{name:20}{times}{difference * 1e6:12.2f}", flush=True)
    print(f"\nthe largest difference to NumPy is {slowest * 1e6:.2f} µs")
    if options.limit is not None and slowest * 1e6 > options.limit:
        sys.exit(1)


if __name__ == "__main__":
    main()
