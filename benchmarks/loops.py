"""Loops, compiled, as one dispatch and as loops of the host, compared with JAX.

Usage: loops.py [--repeat N] [--only TEXT]

Times are the best of N rounds in which the ways take turns; compare the ratios. Gradients are those
of the sum of all results with respect to the carry. JAX is measured if it is installed.
"""

from __future__ import annotations

import argparse
import importlib
import timeit
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import dovetail as dt
from dovetail import _core
from dovetail.programs.stages import Compiled

# A function of a library and of the arguments, and the arguments.
Loop = tuple[Callable[..., Any], tuple[np.ndarray, ...]]


def repeated(body: Callable[..., Any], steps: int) -> Callable[..., Any]:
    def function(lib: Any, x: Any, w: Any) -> Any:
        return lib.lax.scan(lambda c, _: (body(lib.numpy, c, w), None), x, None, steps)[0]

    return function


def network(lib: Any, state: Any, weights: Any, rows: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        state = lib.numpy.tanh(state @ weights + row)
        return state, state

    return lib.lax.scan(step, state, rows)[1]


def newton(lib: Any, x: Any, _: Any) -> Any:
    def goes_on(y: Any) -> Any:
        return lib.numpy.max(lib.numpy.abs(y * y - x)) > 1e-3

    return lib.lax.while_loop(goes_on, lambda y: 0.5 * (y + x / y), x)


def recurrence(lib: Any, table: Any, first: Any) -> Any:
    def step(i: Any, table: Any) -> Any:
        return table.at[i].set(lib.numpy.sin(table[i - 1]) + first)

    return lib.lax.fori_loop(1, table.shape[0], step, table.at[0].set(first))


def loops() -> Iterator[tuple[str, int, Loop]]:
    """Names, numbers of steps, and loops with about the same amount of work."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    for size in (1, 8, 64, 512, 4096, 32_768, 1_000_000):
        steps = max(10, min(10_000, 4_000_000 // size))
        w = normal(size)
        yield f"c / 2 + w, {size}", steps, (repeated(lambda _, c, w: c / 2 + w, steps), (w, w))
        tanh = repeated(lambda np, c, w: np.tanh(c) / 2 + w, steps)
        yield f"tanh(c) / 2 + w, {size}", steps, (tanh, (w, w))

    def orthogonal(size: int) -> np.ndarray:
        return np.linalg.qr(normal(size, size))[0]

    for size in (8, 32, 128, 512):
        w = orthogonal(size)
        steps = max(20, min(10_000, 20_000_000 // size**2))
        yield f"w @ c, {size}", steps, (repeated(lambda _, c, w: w @ c, steps), (w[0], w))
    for size in (64, 128, 256):
        w = orthogonal(size)
        steps = max(10, min(200, 10**9 // size**3))
        yield f"c @ w, {size} × {size}", steps, (repeated(lambda _, c, w: c @ w, steps), (w, w))
    for size in (16, 128, 512):
        w, rows = orthogonal(size), normal(100, size)
        yield f"recurrent network, {size}", 100, (network, (rows[0], w, rows))
    for batch, size in ((32, 128), (32, 512)):
        w, rows = orthogonal(size), normal(100, batch, size)
        yield f"recurrent network, {batch} × {size}", 100, (network, (rows[0], w, rows))
    for size in (64, 1024):
        table, rows = normal(1000, size) * 0, normal(size)
        yield f"t[i] = sin(t[i - 1]), {size}", 999, (recurrence, (table, rows))
    for size in (1, 1000):
        yield f"Newton, {size}", 1, (newton, (abs(normal(size)) + 1, normal(1)))


def on_host(function: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """The compiled function, with no loop as one dispatch."""
    program = dt.jit(function).lower(*args)._program
    marked = "module attributes {dovetail.host_loops} {"
    module = _core.Module.parse(program.module.text().replace("module {", marked, 1))
    return Compiled(replace(program, module=module))


def of(lib: Any, function: Callable[..., Any], is_gradient: bool) -> Callable[..., Any]:
    if not is_gradient:
        return lambda *args: function(lib, *args)
    return lib.grad(lambda *args: lib.numpy.sum(function(lib, *args)))


def ways(loop: Loop, is_gradient: bool) -> dict[str, Callable[[], Any]]:
    """Returns one call for each way, with the same results."""
    function, args = loop
    ours, arrays = of(dt, function, is_gradient), tuple(map(dt.numpy.asarray, args))
    once, hosted = dt.jit(ours, compile="now"), on_host(ours, arrays)
    calls: dict[str, Callable[[], Any]] = {
        "one dispatch": lambda: np.asarray(once(*arrays)),
        "host": lambda: np.asarray(hosted(*arrays)),
    }
    # JAX has no gradient of a loop with an unknown number of steps.
    if not (is_gradient and function is newton):
        try:
            jax = importlib.import_module("jax")
        except ImportError:
            pass
        else:
            peer = jax.jit(of(jax, function, is_gradient))
            given = tuple(map(jax.numpy.asarray, args))
            calls["JAX"] = lambda: np.asarray(peer(*given))
    expected = calls["one dispatch"]()
    for way, call in calls.items():
        if not np.allclose(call(), expected, rtol=1e-2, atol=1e-3):
            raise RuntimeError(f"{way} gives something else")
    return calls


def measure(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The best time of each call, in seconds."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for way, call in calls.items():
            number = 1 if best[way] > 1e-3 else 10
            best[way] = min(best[way], timeit.timeit(call, number=number) / number)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures loops.")
    parser.add_argument("--repeat", type=int, default=10, help="rounds (default: %(default)s)")
    parser.add_argument("--only", default="", help="measure the loops whose names have this text")
    options = parser.parse_args()
    print("| µs a step | | one dispatch | host | JAX | host / one | one dispatch / JAX |")
    print("|---" * 7 + "|")
    for name, steps, loop in loops():
        for what in ("forward", "gradient"):
            if options.only not in name:
                continue
            best = measure(ways(loop, what == "gradient"), options.repeat)
            once, host, jax = (best.get(w, float("nan")) for w in ("one dispatch", "host", "JAX"))
            numbers = [f"{1e6 * t / steps:.3f}" for t in (once, host, jax)]
            numbers += [f"{host / once:.1f}", f"{once / jax:.2f}"]
            cells = " | ".join("" if number == "nan" else number for number in numbers)
            print(f"| {name} | {what} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
