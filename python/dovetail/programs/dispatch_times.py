"""Times the dispatches of a compiled program, by running it again in a separate process.

Only the runtime's tools report these times. The arguments of a call are written to files and the
program is run on them a few times; the last run counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail.base.spans import Recorder
from dovetail.compiler.forms import Compilation
from dovetail.compiler.schedule import Dispatch, schedule_of
from dovetail.runtime import blas, iree_internals, plugins
from dovetail.runtime.dtypes import DTYPE_OF_MLIR, ELEMENT_OF_DTYPE

if TYPE_CHECKING:
    from dovetail.programs.execution import Execution
    from dovetail.tracing.trace import Operand

# Consecutive runs; the first ones touch fresh memory.
_RUNS = 3
_MODE = "host-execution,executable-metadata"
_GPU_MODE = "dispatch-events,executable-metadata"


class ProfiledCalls:
    """The calls of a program while a trace was recorded.

    Attributes:
      execution: the execution of the program.
      arguments: those of its first compiled call, on the host; None if there was none.
      start: the start of its last call, in nanoseconds.
      count: the number of calls.
      total: the total duration of its calls, in nanoseconds.
    """

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.arguments: list[np.ndarray] | None = None
        self.start = 0
        self.count = self.total = 0


class TimedDispatch(NamedTuple):
    """A dispatch and its duration.

    Attributes:
      dispatch: the dispatch.
      start, duration: in nanoseconds, from the start of the run.
      workgroups: the number of workgroups along three dimensions.
    """

    dispatch: Dispatch
    start: int
    duration: int
    workgroups: tuple[int, ...]


class NotRunnable(Exception):
    """The runtime's tools cannot run a program; the message says why."""


def recorded(recorder: Recorder, execution: Execution, leaves: Sequence[Operand]) -> Any:
    """The result of a call, which is recorded as a span."""
    call = recorder.calls.get(id(execution))
    if call is None:
        call = recorder.calls[id(execution)] = ProfiledCalls(execution)
    arguments = None
    if call.arguments is None:
        # Copies: a call may overwrite its arguments.
        arguments = [np.array(value) for value in execution.arguments(leaves)]
    call.count += 1
    start = time.perf_counter_ns()
    try:
        return execution.run_unrecorded(leaves)
    finally:
        end = time.perf_counter_ns()
        call.total += end - start
        is_compiled = execution.is_compiled
        how = "compiled" if is_compiled else "evaluated op by op"
        recorder.add("call", execution.program.name, start, end, {"ran": how, "call": call.count})
        if is_compiled:
            call.start = start
            if arguments is not None:
                call.arguments = arguments


def dispatch_times(call: ProfiledCalls) -> list[TimedDispatch]:
    """The dispatches of a program, in the order in which they ran.

    Raises:
      NotRunnable: the runtime's tools cannot run it.
    """
    if call.arguments is None:
        raise NotRunnable("it was not compiled while the trace was recorded")
    program = call.execution.program
    try:
        compilation = program.compilation()
        if compilation.host_functions:
            raise NotRunnable("it calls functions of this process")
        known = {dispatch.name: dispatch for dispatch in schedule_of(compilation).dispatches}
    except RuntimeError as error:
        raise NotRunnable(str(error)) from error
    rows = times_of(compilation, program.runtime_device, call.arguments)
    return [
        TimedDispatch(known.get(name, Dispatch(name, (), ())), start, duration, workgroups)
        for name, start, duration, workgroups in rows
    ]


def times_of(
    compilation: Compilation, device: str, arguments: Sequence[np.ndarray]
) -> list[tuple[str, int, int, tuple[int, ...]]]:
    """(name, start, duration, workgroups) of the dispatches of one run.

    Raises:
      NotRunnable: the runtime's tools cannot run it.
    """
    is_host = device.startswith("local")
    # All devices of the host are alike, and the tool knows only one.
    device = device.partition(":")[0] if is_host else device
    with tempfile.TemporaryDirectory(prefix="dovetail-") as name:
        folder = Path(name)
        (folder / "module.vmfb").write_bytes(compilation.vmfb)
        inputs = [_input(folder / f"{i}", array) for i, array in enumerate(arguments)]
        profile = folder / "run.ireeprof"
        library, environment = [], {}
        if blas.is_called_by(compilation.vmfb):
            library = [f"--executable_plugin={plugins.path(plugins.LINEAR_ALGEBRA)}"]
            environment = blas.environment()
        _tool(
            "iree-benchmark-module",
            *library,
            f"--module={folder / 'module.vmfb'}",
            "--function=main",
            f"--device={device}",
            *inputs,
            f"--benchmark_min_time={_RUNS}x",
            f"--device_profiling_mode={_MODE if is_host else _GPU_MODE}",
            f"--device_profiling_output={profile}",
            environment=environment,
        )
        text = _tool(
            "iree-profile", "export", "--format=ireeperf-jsonl", "--output=-", str(profile)
        )
    return _last_run([json.loads(line) for line in text.splitlines() if line.startswith("{")])


def _input(path: Path, array: np.ndarray) -> str:
    """The flag that passes an array to a program, by a file."""
    if array.dtype.kind in "biufc" and array.dtype.isbuiltin == 1:
        np.save(path.with_suffix(".npy"), array)
        return f"--input=@{path.with_suffix('.npy')}"
    # The .npy format has only NumPy's own element types.
    names = {dtype: name for name, dtype in DTYPE_OF_MLIR.items()}
    element = names[array.dtype]
    if ELEMENT_OF_DTYPE[array.dtype] == ELEMENT_OF_DTYPE[np.dtype(np.uint8)]:
        element = "ui8"
    path.write_bytes(np.ascontiguousarray(array).tobytes())
    return f"--input={'x'.join([*map(str, array.shape), element])}=@{path}"


def _tool(name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """The output of one of the runtime's tools, with some environment variables.

    Raises:
      NotRunnable: it fails.
    """
    path = iree_internals.program(name)
    if not path.exists():
        raise NotRunnable(f"the installed runtime has no {name}")
    # A separate session: an interrupt from the terminal is for the user's process alone.
    done = subprocess.run(
        [str(path), *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise NotRunnable(f"{name} fails: {lines[-1] if lines else done.returncode}")
    return done.stdout


def _last_run(rows: Sequence[dict[str, Any]]) -> list[tuple[str, int, int, tuple[int, ...]]]:
    """The dispatches of the last of several equal runs, from the records of all."""
    names = {
        (row["executable_id"], row["function_ordinal"]): row["name"]
        for row in rows
        if row["record_type"] == "executable_function"
    }
    ran = [(row, *time) for row in rows if (time := _time_of(row)) is not None]
    ran = ran[len(ran) - len(ran) // _RUNS :]
    if not ran:
        return []
    first = min(start for _, start, _ in ran)
    return [
        (
            names.get((row["executable_id"], row["function_ordinal"]), str(row.get("key"))),
            start - first,
            duration,
            tuple(row.get("workgroup_count", ())),
        )
        for row, start, duration in ran
    ]


def _time_of(row: dict[str, Any]) -> tuple[int, int] | None:
    """The start and duration of a dispatch, in nanoseconds; None for other records."""
    if row["record_type"] == "host_execution_event" and row["op"] == "dispatch":
        return row["start_host_time_ns"], row["duration_ns"]
    if row["record_type"] == "dispatch_event" and row.get("duration_ns") is not None:
        # GPU times are in ticks, whose length follows from the duration.
        ticks, duration = row["end_tick"] - row["start_tick"], row["duration_ns"]
        return round(row["start_tick"] * duration / max(ticks, 1)), duration
    return None
