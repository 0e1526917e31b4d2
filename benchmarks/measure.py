"""Measures one program at one size in several libraries: results, times, first calls, memory."""

from __future__ import annotations

import ctypes
import gc
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from by_turns import turns
from libraries import LIBRARIES, Library, first_call, leaves
from limits import least_seconds
from programs.registry import PROGRAMS, Draw, Program

# Of these, the first that runs a program says what is right.
REFERENCES = ("numpy", "jax", "torch", "dovetail")

Row = dict[str, Any]


@dataclass
class Options:
    """How to measure.

    Args:
      seconds: for each program and size.
      rounds: the most.
      compile: whether first calls compile, with nothing on disk.
      memory: whether to measure memory.
    """

    seconds: float = 1.0
    rounds: int = 50
    compile: bool = False
    memory: bool = False


def one_line(error: BaseException) -> str:
    """Returns what an error says, shortened."""
    text = re.sub(r"\s+", " ", f"{type(error).__name__}: {error}").replace("|", "/")
    return text[:160]


def difference(found: Any, expected: Any) -> float:
    """Returns the largest difference of two results, relative to an array's largest element."""
    pairs = list(zip(leaves(found), leaves(expected), strict=True))
    largest = 0.0
    for a, b in pairs:
        if a.shape != b.shape:
            raise ValueError(f"shapes must agree, got: {a.shape} and {b.shape}")
        if a.dtype != b.dtype or a.dtype.kind not in "fc":
            wide = np.complex128 if np.iscomplexobj(a) or np.iscomplexobj(b) else np.float64
            a, b = a.astype(wide), b.astype(wide)
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return float("inf")
        finite = np.isfinite(b)
        apart = np.max(np.abs(a - b), initial=0, where=finite)
        scale = np.max(np.abs(b), initial=0, where=finite)
        largest = max(largest, float(apart / (scale + 1e-30)) if apart else 0.0)
    return largest


def compared(program: Program, results: dict[str, Any], row: Row) -> None:
    """Compares results with those of a reference, and notes what differs."""
    reference = next((name for name in REFERENCES if name in results), None)
    if reference is None:
        return
    row["reference"] = reference
    compares: Callable[[Any], Any] = program.compares or (lambda result: result)

    def seen(name: str) -> Any:
        return [np.asarray(a) for a in leaves(compares(results[name]))]

    expected = seen(reference)
    for name in results:
        if name == reference:
            continue
        try:
            apart = difference(seen(name), expected)
        except ValueError as error:
            row["notes"][name] = f"differs from {LIBRARIES[reference].name}: {error}"
            continue
        row["differences"][name] = apart
        if not apart <= program.tolerance:
            row["notes"][name] = f"differs from {LIBRARIES[reference].name} by {apart:.1e}"


def results(library: Library, program: Program, size: str) -> list[np.ndarray]:
    """Returns the arrays of a program's result."""
    arrays = program.arguments(Draw(), *program.sizes[size])
    with library.context(program):
        call = library.call(program, size, library.arguments(program, arrays))
        return [library.to_numpy(leaf) for leaf in leaves(call())]


def measured(
    program: Program, size: str, libraries: dict[str, Library], found: Any, options: Options
) -> Row:
    """Returns the row of a program at one size."""
    shape = program.sizes[size]
    row: Row = {
        "program": program.name,
        "family": program.family,
        "size": size,
        "shape": shape,
        "bytes": program.bytes(*shape),
        "flops": program.flops(*shape),
        "dtype": program.dtype,
        "limit": least_seconds(program, size, found),
        "times": {},
        "first": {},
        "memory": {},
        "differences": {},
        "notes": {},
    }
    with ExitStack() as contexts:
        for library in libraries.values():
            contexts.enter_context(library.context(program))
        try:
            calls = checked(program, size, libraries, options, row)
            times = turns(calls, options.seconds, options.rounds) if calls else {}
            row["times"] = {name: time._asdict() for name, time in times.items()}
        except Exception as error:
            row["notes"]["dovetail"] = f"the suite: {one_line(error)}"
            calls = {}
    if options.memory:
        row["memory"] = {name: memory_of(program, size, name) for name in calls}
    calls.clear()
    for library in libraries.values():
        library.forget()
    gc.collect()
    return row


def checked(
    program: Program, size: str, libraries: dict[str, Library], options: Options, row: Row
) -> dict[str, Callable[[], Any]]:
    """Returns the calls that give right results, and notes first calls and what goes wrong."""
    arrays = program.arguments(Draw(), *program.sizes[size])
    calls, found = {}, {}
    for name, library in libraries.items():
        if not library.has(program):
            continue
        try:
            arguments = library.arguments(program, arrays)
            with without_cache(library, options.compile):
                call, row["first"][name], result = first_call(library, program, size, arguments)
            found[name] = [library.to_numpy(leaf) for leaf in leaves(result)]
            calls[name] = call
        except Exception as error:
            row["notes"][name] = one_line(error)
    compared(program, found, row)
    return {name: call for name, call in calls.items() if name not in row["notes"]}


def without_cache(library: Library, active: bool) -> ExitStack:
    """Returns a context in which Dovetail finds nothing on disk."""
    contexts = ExitStack()
    if active and library.module_name == "dovetail":
        folder = contexts.enter_context(tempfile.TemporaryDirectory())
        contexts.enter_context(library.module.config.compilation_cache_dir(folder))
    return contexts


# Memory -------------------------------------------------------------------------------------------


def resident(field: str) -> int:
    """Returns a field of the process's status in bytes: `VmRSS`, or `VmHWM`, its peak."""
    text = Path("/proc/self/status").read_text()
    found = re.search(rf"{field}:\s+(\d+) kB", text)
    assert found
    return 1024 * int(found[1])


def peak_of(program: Program, size: str, library: Library) -> int:
    """Returns the bytes of arguments, results and what else calls take, at most, in this process.

    What the library and the compiler leave before the first call does not count.
    """
    if not library.compiles:
        # What a library allocates once.
        results(library, program, "small")
    arrays = program.arguments(Draw(), *program.sizes[size])
    size_of_arguments = sum(np.asarray(leaf).nbytes for leaf in leaves(arrays))
    with library.context(program):
        arguments = library.arguments(program, arrays)
        del arrays
        call = library.compiled(program, size, arguments)
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        before = resident("VmRSS")
        for _ in range(3):
            call()
        return size_of_arguments + max(0, resident("VmHWM") - before)


def memory_of(program: Program, size: str, library: str) -> int | None:
    """Returns `peak_of` in a process of its own, or None if that fails."""
    script = Path(__file__).with_name("suite.py")
    command = [sys.executable, str(script), "--memory-of", program.name, size, library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return None


def print_memory(name: str, size: str, library: str) -> None:
    """Prints `peak_of`, for `memory_of`."""
    print(json.dumps(peak_of(PROGRAMS[name], size, LIBRARIES[library])))
