"""Where the time goes: each phase of the digits training step, and transforms of long chains."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.compiler.cache import Cache
from dovetail.compiler.module_files import compile_module

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import digits

CHAINS = (100, 1_000, 10_000)


def fastest(run: Callable[[], Any], repeats: int) -> float:
    """Returns the shortest time of a run, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def training_step() -> None:
    train_set, _ = digits.load()
    params = digits.init_params(seed=0)
    arguments = (params, digits.init_optimizer(params), *train_set.take(np.arange(digits.BATCH)))
    rows: dict[str, float] = {}

    def lower() -> Any:
        return dt.jit(digits.train_step).lower(*arguments)

    rows["trace"] = fastest(lower, 5)
    lowered = lower()
    so_far = 0.0
    for phase in ("expand", "simplify", "lower"):
        until = fastest(lambda phase=phase: lowered.as_text(phase), 5)
        rows[phase], so_far = max(until - so_far, 0.0), until
    text = lowered.as_text("lower")
    rows["compile"] = fastest(lambda: compile_module(text, cache=Cache(None)), 2)
    step = dt.jit(digits.train_step)
    rows["call"] = fastest(lambda: dt.block_until_ready(step(*arguments)), 100)
    rows["eager"] = fastest(lambda: digits.train_step(*arguments), 5)
    print("training step of a 64-128-128-10 MLP, batch 64, AdamW")
    for name, seconds in rows.items():
        print(f"  {name:10} {seconds * 1e3:10.2f} ms")


def chains() -> None:
    print("grad of grad of a chain of n ops")
    print(f"  {'n':>6} {'trace/op':>10} {'expand + simplify':>18}")
    for count in CHAINS:

        def chain(x: Any, count: int = count) -> Any:
            for _ in range(count // 2):
                x = dnp.sin(x) * 1.01
            return x

        def lower(chain: Any = chain) -> Any:
            return dt.jit(dt.grad(dt.grad(chain))).lower(1.0)

        trace = fastest(lower, 2)
        lowered = lower()
        transform = fastest(lambda lowered=lowered: lowered.as_text("simplify"), 2)
        print(f"  {count:6} {trace / count * 1e6:7.1f} µs {transform * 1e3:15.1f} ms")


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    training_step()
    chains()


if __name__ == "__main__":
    main()
