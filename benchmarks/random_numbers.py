"""Random numbers, compiled and eager, compared with JAX.

Usage: random_numbers.py [--repeat N]

Times are the best of N rounds in which the libraries take turns; compare the ratios. JAX is
measured if it is installed. Both return the same bits, which is checked.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail

SHAPE = (1024, 1024)
# By name: whether the call is compiled, and the call on a `random` module and a key.
CALLS: dict[str, tuple[bool, Callable[[Any, Any], Any]]] = {
    "bits": (True, lambda r, key: r.bits(key, SHAPE)),
    "uniform": (True, lambda r, key: r.uniform(key, SHAPE)),
    "normal": (True, lambda r, key: r.normal(key, SHAPE)),
    "randint": (True, lambda r, key: r.randint(key, SHAPE, 0, 10)),
    "bernoulli": (True, lambda r, key: r.bernoulli(key, 0.3, SHAPE)),
    "exponential": (True, lambda r, key: r.exponential(key, SHAPE)),
    "gumbel": (True, lambda r, key: r.gumbel(key, SHAPE)),
    "gamma": (True, lambda r, key: r.gamma(key, 2.5, (256, 256))),
    "permutation": (True, lambda r, key: r.permutation(key, 2**17)),
    "`key(0)`": (False, lambda r, key: r.key(0)),
    "`split(key)`": (False, lambda r, key: r.split(key)),
    "`fold_in(key, 1)`": (False, lambda r, key: r.fold_in(key, 1)),
    "`uniform(key)`": (False, lambda r, key: r.uniform(key)),
    "`normal(key, (3,))`": (False, lambda r, key: r.normal(key, (3,))),
    "`normal(key, (1024, 1024))`": (False, lambda r, key: r.normal(key, SHAPE)),
}


def ways(name: str) -> dict[str, Callable[[], Any]]:
    """Returns one call for each library, with the same results."""
    is_compiled, call = CALLS[name]
    libraries: dict[str, Any] = {"Dovetail": dovetail}
    with contextlib.suppress(ImportError):
        libraries["JAX"] = importlib.import_module("jax")
    calls: dict[str, Callable[[], Any]] = {}
    results = []
    for library, module in libraries.items():
        random, key = module.random, module.random.key(42)

        def plain(key: Any, random: Any = random) -> Any:
            return call(random, key)

        function = module.jit(plain).lower(key).compile() if is_compiled else plain
        calls[library] = lambda f=function, key=key: f(key).block_until_ready()
        result = calls[library]()
        has_keys = "key" in str(result.dtype)
        results.append(np.asarray(random.key_data(result) if has_keys else result))
    if any(not np.allclose(results[0], other, rtol=1e-3, atol=1e-4) for other in results[1:]):
        raise RuntimeError(f"{name} is not the same in both libraries")
    return calls


def measure(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The best time of each call, in seconds."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for library, call in calls.items():
            number = 1 if best[library] > 1e-3 else 100
            best[library] = min(best[library], timeit.timeit(call, number=number) / number)
    return best


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=15)
    repeat = parser.parse_args().repeat
    print("| | Dovetail | JAX | JAX / Dovetail |\n|---|---|---|---|")
    for name, (is_compiled, _) in CALLS.items():
        times = measure(ways(name), repeat)
        ours, theirs = times["Dovetail"], times.get("JAX")
        scale, unit = (1e3, "ms") if is_compiled or ours > 1e-3 else (1e6, "µs")
        shown = [f"{t * scale:.3g} {unit}" if t else "" for t in (ours, theirs)]
        ratio = f"{theirs / ours:.2g}" if theirs else ""
        print(f"| {name} | {shown[0]} | {shown[1]} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
