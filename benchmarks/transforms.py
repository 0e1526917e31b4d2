"""Time to trace and transform programs, by their size and by the depth of their loops.

Usage: transforms.py

Nothing is compiled. `expand` makes derivatives and batches; its time includes printing, as does
that of `simplify`, which starts from the text.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax


def chain(length: int) -> Callable[[Any], Any]:
    """A function with a given number of ops, one after the other."""

    def function(x: Any) -> Any:
        for _ in range(length // 2):
            x = dnp.sin(x) * 1.01
        return dnp.sum(x)

    return function


def nested(depth: int) -> Callable[[Any], Any]:
    """Nested scans, each with the same few ops next to the inner one."""

    def body(depth: int) -> Callable[[Any], Any]:
        if depth == 0:
            return dnp.sin
        inner = body(depth - 1)
        return lambda x: lax.scan(lambda c, _: (inner(c) * 1.01, c), x, None, 3)[0]

    return lambda x: dnp.sum(body(depth)(x))


def twice(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return dt.grad(lambda x: dnp.sum(dt.grad(function)(x)))


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def row(name: str, function: Callable[[Any], Any]) -> None:
    traced, lowered = seconds(lambda: dt.jit(function).lower(dnp.ones(4)))
    expanded, _ = seconds(lambda: lowered.as_text("expand"))
    simplified, text = seconds(lambda: lowered.as_text("simplify"))
    cells = [f"{1e3 * t:.1f}" for t in (traced, expanded, simplified)]
    print(f"| {name} | {' | '.join(cells)} | {text.count(chr(10))} |", flush=True)


def main() -> None:
    row("warm up", twice(chain(2)))
    print("| ms | trace | expand | simplify | lines |")
    print("|---" * 5 + "|")
    for length in (100, 1_000, 10_000):
        row(f"gradient of a gradient, {length} ops", twice(chain(length)))
    for transform in (dt.grad, twice):
        for level in (1, 2, 4, 8, 16):
            name = "gradient" if transform is dt.grad else "gradient of a gradient"
            row(f"{name}, {level} scans", transform(nested(level)))


if __name__ == "__main__":
    main()
