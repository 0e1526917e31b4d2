"""Overhead of calls: sums of small arrays, by every way of calling them.

Usage: call_overhead.py [--repeat N]

Times are the best of N rounds in which the ways take turns, so that a busy machine slows all of
them alike; compare the ratios.
"""

from __future__ import annotations

import argparse
import functools
import operator
import timeit
from collections.abc import Callable
from typing import Any

import iree.runtime as ireert
import numpy as np

from dovetail import runtime
from dovetail.compiler.module_files import compile_module

CALLS = 2000


def sum_of(count: int) -> str:
    """Returns a module whose function `main` adds the given number of arrays."""
    parameters = ", ".join(f"%a{i}: tensor<4xf32>" for i in range(count))
    newline = "\n        "
    lines = [
        f"%s{i} = arith.addf {'%a0' if i == 1 else f'%s{i - 1}'}, %a{i} : tensor<4xf32>"
        for i in range(1, count)
    ]
    return f"""
    module @m {{
      func.func @main({parameters}) -> tensor<4xf32> {{
        {newline.join(lines)}
        return %s{count - 1} : tensor<4xf32>
      }}
    }}"""


def ways(vmfb: bytes, device: str, count: int) -> dict[str, Callable[[], Any]]:
    """Returns one call for each way of making it."""
    arrays = [np.full(4, i, np.float32) for i in range(count)]
    buffers = [runtime.put(array, device) for array in arrays]
    executable = runtime.Executable(vmfb, "main", device)
    function = runtime.load(vmfb, device).main

    context = ireert.SystemContext(config=ireert.Config(device=ireert.get_device(device)))
    context.add_vm_module(ireert.VmModule.copy_buffer(context.instance, vmfb))
    invoker = context.modules["m"]["main"]

    calls: dict[str, Callable[[], Any]] = {
        "Executable, buffers in and out": lambda: executable(buffers),
        "Executable, arrays in and out": lambda: executable(arrays)[0].numpy(),
        "Function, arrays in and out": lambda: function(*arrays).numpy(),
        "IREE's FunctionInvoker, the same": lambda: invoker(*arrays).to_host(),
        "NumPy": lambda: functools.reduce(operator.add, arrays),
    }
    expected = calls["NumPy"]()
    for name, call in calls.items():
        result = call()
        result = result[0] if isinstance(result, list) else result
        if not np.array_equal(np.asarray(result), expected):
            raise RuntimeError(f"{name} computes something else: {result}")
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what a call costs.")
    parser.add_argument("--repeat", type=int, default=10, help="rounds (default: %(default)s)")
    repeat = parser.parse_args().repeat
    for count in (2, 20):
        vmfb = compile_module(sum_of(count))
        for device in ("local-sync", "local-task"):
            calls = ways(vmfb, device, count)
            best = dict.fromkeys(calls, float("inf"))
            for _ in range(repeat):
                for name, call in calls.items():
                    best[name] = min(best[name], timeit.timeit(call, number=CALLS) / CALLS)
            print(f"\n{count} arrays on {device}")
            base = best["Executable, arrays in and out"]
            for name, seconds in best.items():
                print(f"  {name:34}{seconds * 1e6:8.1f} µs{seconds / base:8.2f} ×")


if __name__ == "__main__":
    main()
