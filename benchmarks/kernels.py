"""Kernels of `dovetail.experimental.pallas`, and plain ops that compute the same.

Usage: kernels.py [--repeat N]
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from by_turns import measure

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import pallas as pl

F32 = np.float32


def struct(*shape: int) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, F32)


def vector_add() -> tuple[Callable[..., Any], Callable[..., Any], list[np.ndarray]]:
    def kernel(x: Any, y: Any, out: Any) -> None:
        out[...] = x[...] + y[...]

    n, size = 1 << 20, 1 << 14
    block = pl.BlockSpec((size,), lambda i: (i,))
    f = pl.pallas_call(kernel, struct(n), grid=n // size, in_specs=[block, block], out_specs=block)
    return f, lambda x, y: x + y, [np.ones(n, F32)] * 2


def product() -> tuple[Callable[..., Any], Callable[..., Any], list[np.ndarray]]:
    def kernel(x: Any, w: Any, out: Any) -> None:
        out[...] = x[...] @ w[...]

    n, size = 512, 256
    f = pl.pallas_call(
        kernel,
        struct(n, n),
        grid=(n // size, n // size),
        in_specs=[
            pl.BlockSpec((size, n), lambda i, j: (i, 0)),
            pl.BlockSpec((n, size), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((size, size), lambda i, j: (i, j)),
    )
    return f, lambda x, w: x @ w, [np.ones((n, n), F32)] * 2


def dense() -> tuple[Callable[..., Any], Callable[..., Any], list[np.ndarray]]:
    def kernel(x: Any, w: Any, b: Any, out: Any, total: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            total[...] = dnp.zeros_like(total[...])

        total[...] += x[...] @ w[...]

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _() -> None:
            out[...] = dnp.maximum(total[...] + b[...], 0)

    n, size = 512, 128
    f = pl.pallas_call(
        kernel,
        struct(n, n),
        grid=(n // size, n // size, n // size),
        in_specs=[
            pl.BlockSpec((size, size), lambda i, j, k: (i, k)),
            pl.BlockSpec((size, size), lambda i, j, k: (k, j)),
            pl.BlockSpec((size,), lambda i, j, k: (j,)),
        ],
        out_specs=pl.BlockSpec((size, size), lambda i, j, k: (i, j)),
        scratch_shapes=[struct(size, size)],
    )
    arrays = [np.ones((n, n), F32), np.ones((n, n), F32), np.ones(n, F32)]
    return f, lambda x, w, b: dnp.maximum(x @ w + b, 0), arrays


def softmax() -> tuple[Callable[..., Any], Callable[..., Any], list[np.ndarray]]:
    def kernel(x: Any, out: Any) -> None:
        row = x[...]
        weights = dnp.exp(row - row.max(1, keepdims=True))
        out[...] = weights / weights.sum(1, keepdims=True)

    n, size = 1024, 64
    rows = pl.BlockSpec((size, n), lambda i: (i, 0))
    f = pl.pallas_call(kernel, struct(n, n), grid=n // size, in_specs=[rows], out_specs=rows)
    return f, lambda x: dt.nn.softmax(x, axis=-1), [np.ones((n, n), F32)]


def stencil() -> tuple[Callable[..., Any], Callable[..., Any], list[np.ndarray]]:
    n, size = 1024, 128

    def average(x: Any) -> Any:
        return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4

    def kernel(x: Any, out: Any) -> None:
        starts = [size * pl.program_id(axis) for axis in (0, 1)]
        out[...] = average(x[tuple(pl.ds(start, size + 2) for start in starts)])

    f = pl.pallas_call(
        kernel,
        struct(n, n),
        grid=(n // size, n // size),
        out_specs=pl.BlockSpec((size, size), lambda i, j: (i, j)),
    )
    return f, average, [np.ones((n + 2, n + 2), F32)]


def call(function: Callable[..., Any], arrays: list[Any]) -> None:
    dt.block_until_ready(function(*arrays))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=10, help="(default: %(default)s)")
    repeat = parser.parse_args().repeat
    dt.config.update("compile", "now")
    print("| ms | kernel | plain ops | ratio |\n|---|---|---|---|")
    for case in (vector_add, product, dense, softmax, stencil):
        kernel, plain, arguments = case()
        arrays = [dt.device_put(x) for x in arguments]
        calls = {}
        for what, function in (("kernel", kernel), ("plain", dt.jit(plain))):
            calls[what] = functools.partial(call, function, arrays)
            calls[what]()
        best = measure(calls, repeat)
        times = [1e3 * best[what] for what in calls]
        name = case.__name__.replace("_", " ")
        print(
            f"| {name} | {times[0]:.2f} | {times[1]:.2f} | {times[0] / times[1]:.1f} |", flush=True
        )


if __name__ == "__main__":
    main()
