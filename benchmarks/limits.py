"""Measures the machine: bandwidth in caches and in memory, operations per second."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import libraries as installed
import ml_dtypes
import numpy as np
from by_turns import turns
from libraries import Library
from programs.registry import SIZES, Draw, Program

# Elements of each of the three arrays of a triad, in the caches and in memory.
TRIAD: dict[str, tuple[int, ...]] = dict(
    zip(SIZES, ((1 << 15,), (1 << 20,), (1 << 25,)), strict=True)
)
# What fills a processor, and what fills a GPU.
PRODUCT: dict[str, tuple[int, ...]] = dict(zip(SIZES, ((1024,), (1024,), (8192,)), strict=True))
DTYPES = {"float32": np.float32, "float64": np.float64, "bfloat16": ml_dtypes.bfloat16}

triad = Program(
    "triad",
    "limits",
    lambda lib, x, y: x + 2.5 * y,
    TRIAD,
    lambda draw, n: (draw.normal(n), draw.normal(n)),
    bytes=lambda n: 12 * n,
    flops=lambda n: 2 * n,
    numpy=lambda x, y: x + np.float32(2.5) * y,
    torch=lambda torch, x, y: torch.add(x, y, alpha=2.5),
)


def triad_in_place(torch: Any, x: Any, y: Any) -> Any:
    """Measures the machine without the allocation of a result, which is not the least there is."""
    return torch.add(x, y, alpha=2.5, out=x)


def product(dtype: str) -> Program:
    return Program(
        f"product, {dtype}",
        "limits",
        lambda lib, x, y: x @ y,
        PRODUCT,
        lambda draw, n: (
            draw.normal(n, n, dtype=DTYPES[dtype]),
            draw.normal(n, n, dtype=DTYPES[dtype]),
        ),
        bytes=lambda n: 0,
        flops=lambda n: 2 * n**3,
        # NumPy has no kernel for others.
        numpy=np.matmul if dtype in ("float32", "float64") else None,
        torch=lambda torch, x, y: x @ y,
        dtype=dtype,
    )


def best(program: Program, size: str, libraries: dict[str, Library], seconds: float) -> float:
    """Returns the least time of any library, which is infinite if none runs the program."""
    least = float("inf")
    arrays = program.arguments(Draw(), *program.sizes[size])
    for library in libraries.values():
        if not library.has(program):
            continue
        with contextlib.suppress(Exception), library.context(program):
            arguments = library.arguments(program, arrays)
            call = library.call(program, size, arguments)
            call()
            least = min(least, turns({"": call}, seconds)[""].minimum)
        library.forget()
    return least


def limits(libraries: dict[str, Library], sizes: tuple[str, ...], seconds: float) -> dict[str, Any]:
    """Returns bytes per second for each size, and operations per second for each element type."""
    programs = triad, dataclasses.replace(triad, torch=triad_in_place)
    bandwidth = {}
    for size in sizes:
        least = min(best(program, size, libraries, seconds) for program in programs)
        bandwidth[size] = triad.bytes(*TRIAD[size]) / least
    peak, size = {}, "medium" if installed.PLATFORM == "cpu" else "large"
    for dtype in DTYPES:
        made = product(dtype)
        peak[dtype] = made.flops(*PRODUCT[size]) / best(made, size, libraries, seconds)
    return {"bandwidth": bandwidth, "peak": peak}


def least_seconds(program: Program, size: str, found: dict[str, Any]) -> float:
    """Returns the time that the machine needs for a program, or 0 if nothing is stated."""
    shape = program.sizes[size]
    dtype = {"complex64": "float32", "complex128": "float64"}.get(program.dtype, program.dtype)
    peak = found["peak"].get(dtype) or found["peak"]["float32"]
    return max(
        program.bytes(*shape) / found["bandwidth"][size],
        program.flops(*shape) / peak,
    )
