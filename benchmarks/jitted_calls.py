"""Overhead of calls of jitted functions, on small arrays.

Usage: jitted_calls.py [--repeat N] [--limit µs]

Also measured: IREE's own invocation of the same program, with its arguments at hand, and JAX if it
is installed. JAX has no programs for symbolic shapes: it is called with arrays of one size. Times
are the best of N rounds in which the ways take turns, so that a busy machine slows all of them
alike; compare the ratios. With --limit the exit status reports whether a call with two arrays is
below the limit.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import itertools
import operator
import sys
import timeit
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from iree.runtime import VmVariantList

import dovetail as dt
import dovetail.numpy as dnp

# Few, so that some rounds have a busy machine to themselves.
CALLS = 100


class Pair(NamedTuple):
    """A named tuple, like the states of optimizers."""

    first: Any
    second: Any


def vector(number: int) -> np.ndarray:
    """Returns the small array of that number."""
    return np.full(4, number, np.float32)


def add_biases(layers: Any) -> Any:
    """Returns a dict of dicts like the given one."""
    return {name: {"w": at["w"] + at["b"], "b": at["b"]} for name, at in layers.items()}


class Library(NamedTuple):
    """The functions of a library that the cases need."""

    jit: Callable[..., Any]
    put: Callable[[Any], Any]
    commit: Callable[[Any], Any]


# A function, and its arguments, given a function that makes an array of a library.
Case = tuple[Callable[..., Any], Callable[[Any], tuple[Any, ...]]]

CASES: dict[str, Case] = {
    "1 array": (operator.neg, lambda put: (put(vector(0)),)),
    "2 arrays": (operator.add, lambda put: (put(vector(0)), put(vector(1)))),
    "2 arrays of NumPy": (operator.add, lambda put: (vector(0), vector(1))),
    "an array and a number": (operator.add, lambda put: (put(vector(0)), 2.0)),
    "2 results": (lambda x, y: (x + y, x - y), lambda put: (put(vector(0)), put(vector(1)))),
    "20 arrays in a list": (
        lambda arrays: functools.reduce(operator.add, arrays),
        lambda put: ([put(vector(i)) for i in range(20)],),
    ),
    "20 arrays to 20": (
        lambda arrays: [array + arrays[0] for array in arrays],
        lambda put: ([put(vector(i)) for i in range(20)],),
    ),
    "dict of 4 dicts of 2": (
        add_biases,
        lambda put: ({f"layer{i}": {"w": put(vector(i)), "b": put(vector(1))} for i in range(4)},),
    ),
    "2 named tuples of 2": (
        lambda state, step: Pair(state.first + step.first, state.second - step.second),
        lambda put: tuple(Pair(put(vector(i)), put(vector(i + 1))) for i in range(2)),
    ),
}


def repeated(library: Library, **options: Any) -> Callable[[], Any]:
    """Returns a call whose argument, which it donates, is the result of the previous call."""
    state, step = [library.put(vector(0))], library.put(vector(1))
    jitted = library.jit(operator.add, **options)

    def call() -> Any:
        state[0] = jitted(state[0], step)
        return state[0]

    return call


def of_two(library: Library, put: Callable[[Any], Any], **options: Any) -> Callable[[], Any]:
    """Returns a call with two arrays."""
    jitted = library.jit(operator.add, **options)
    x, y = put(vector(0)), put(vector(1))
    return lambda: jitted(x, y)


def of_new_sizes(library: Library, **options: Any) -> Callable[[], Any]:
    """Returns a call with arrays of a size that has not occurred before."""
    jitted = library.jit(operator.add, **options)
    sizes = itertools.count(2)

    def call() -> Any:
        x = np.zeros(next(sizes), np.float32)
        return jitted(x, x)

    return call


# Calls, given a library, and the additional arguments of Dovetail's `jit`.
OPTIONS: dict[str, tuple[Callable[..., Callable[[], Any]], dict[str, Any]]] = {
    "2 committed arrays": (lambda library: of_two(library, library.commit), {}),
    "1 of 2 arrays donated": (functools.partial(repeated, donate_argnums=0), {}),
    "2 arrays of any size": (
        lambda library: of_two(library, library.put),
        {"dynamic_shapes": ("n", "n")},
    ),
    "2 arrays of NumPy of a new size": (of_new_sizes, {"dynamic_shapes": ("n", "n")}),
}
# Cases in which the other library would compile a program at each call, which is slow.
ALONE = ("2 arrays of NumPy of a new size",)


def optional(name: str) -> Any:
    """Returns a module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def invocation(jitted: Any, args: Any) -> Callable[[], Any]:
    """Returns IREE's call within a call of the only program of a jitted function."""
    (execution,) = jitted._executions.values()
    executable = execution.executable()
    leaves = dt.tree.leaves(args)
    arguments = VmVariantList(len(leaves))
    for leaf in leaves:
        data = dnp.asarray(leaf).buffer
        arguments.push_ref(executable.argument(data)[0])
    count = len(dt.tree.leaves(jitted(*args)))
    invoke, function = executable.invoke, executable.function
    return lambda: invoke(function, arguments, VmVariantList(count))


def ways(function: Callable[..., Any], arguments: Any) -> dict[str, Callable[[], Any]]:
    """Returns one call for each way of making it."""
    jitted = dt.jit(function, compile="now")
    # In the runtime's memory, like results of other programs.
    put = dt.jit(operator.pos, compile="now")
    args = arguments(put)
    expected = jitted(*args)
    calls = {"IREE": invocation(jitted, args), "Dovetail": lambda: jitted(*args)}
    if jax := optional("jax"):
        peer, given = jax.jit(function), arguments(jax.numpy.asarray)
        results = zip(dt.tree.leaves(expected), jax.tree.leaves(peer(*given)), strict=True)
        for result, other in results:
            np.testing.assert_array_equal(result, other)
        calls["JAX"] = lambda: peer(*given)
    return calls


def ways_of(name: str) -> dict[str, Callable[[], Any]]:
    """Returns the calls of each library for one of `OPTIONS`."""
    make, options = OPTIONS[name]
    jit = functools.partial(dt.jit, compile="now")
    commit = functools.partial(dt.device_put, device=dt.devices()[0])
    put = jit(operator.pos)
    own = Library(functools.partial(jit, **options), put, lambda x: commit(put(x)))
    calls = {"Dovetail": make(own)}
    if (jax := optional("jax")) and name not in ALONE:
        commit = functools.partial(jax.device_put, device=jax.devices()[0])
        calls["JAX"] = make(Library(jax.jit, jax.numpy.asarray, commit))
        np.testing.assert_array_equal(calls["Dovetail"](), calls["JAX"]())
    return calls


def measure(
    calls: dict[str, Callable[[], Any]], repeat: int, count: int = CALLS
) -> dict[str, float]:
    """Returns µs for each call, the best of several rounds with a given number of calls."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for name, call in calls.items():
            best[name] = min(best[name], 1e6 * timeit.timeit(call, number=count) / count)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what a call costs.")
    parser.add_argument("--repeat", type=int, default=400, help="rounds (default: %(default)s)")
    parser.add_argument("--limit", type=float, help="µs that a call with two arrays may take")
    options = parser.parse_args()
    print("| call | IREE alone | Dovetail | JAX | JAX / Dovetail |\n|---|---|---|---|---|")
    times: dict[str, dict[str, float]] = {}
    made = {name: functools.partial(ways, *case) for name, case in CASES.items()}
    made.update({name: functools.partial(ways_of, name) for name in OPTIONS})
    for name, make in made.items():
        best = times[name] = measure(make(), options.repeat, 5 if name in ALONE else CALLS)
        iree, own, jax = (best.get(way, float("nan")) for way in ("IREE", "Dovetail", "JAX"))
        row = "|".join(f" {time:.2f} " for time in (iree, own, jax, jax / own))
        print(f"| {name} |{row}|".replace(" nan ", " "), flush=True)
    if options.limit and times["2 arrays"]["Dovetail"] > options.limit:
        sys.exit(f"a call with two arrays takes more than {options.limit} µs")


if __name__ == "__main__":
    main()
