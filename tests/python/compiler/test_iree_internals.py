"""Undocumented parts of IREE's compiler that are used exist, and are still needed."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

import numpy as np
import pytest

from dovetail import dtypes
from dovetail.compiler import iree_compiler, iree_tool
from dovetail.compiler.iree_compiler import native
from dovetail.compiler.targets import Target
from support.breadth import at_night
from support.op_calls import all_calls, program_of

ADVICE = "IREE has changed: see dovetail/compiler/iree_compiler/native.py"


def test_invocations_have_a_library_and_a_pointer() -> None:
    from iree.compiler.api import Session

    session = Session()
    try:
        invocation = session.invocation()
        for name, kind in (("_local_dylib", ctypes.CDLL), ("_inv_p", int)):
            assert isinstance(getattr(invocation, name, None), kind), f"{ADVICE}: {name}"
        for name in native.C_FUNCTIONS:
            assert hasattr(invocation._local_dylib, name), f"{ADVICE}: no {name}"
    finally:
        session.close()


@pytest.mark.parametrize("name", native.C_FUNCTIONS)
def test_the_python_api_does_not_wrap_the_functions(name: str) -> None:
    from iree.compiler.api import Invocation

    method = name.removeprefix("ireeCompilerInvocation")
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in method).strip("_")
    assert not hasattr(Invocation, words), f"{ADVICE}: Invocation.{words} could take its place"


def test_errors_are_distinguished_from_notes() -> None:
    outcome = iree_compiler.compile_text(
        "func.func @f() { return %x : i32 }", ["--iree-hal-target-device=local"]
    )
    assert outcome.vmfb is None
    assert outcome.diagnostics[0].startswith("error: dovetail.mlir:1:"), ADVICE


def test_programs_are_next_to_the_library() -> None:
    for name in ("iree-compile", "iree-opt"):
        assert os.path.exists(iree_compiler.program(name)), f"{ADVICE}: no {name}"


@pytest.mark.parametrize(
    ("dtype", "pointwise"),
    [
        (dtypes.float32, True),
        (dtypes.float32, False),
        pytest.param(dtypes.float64, True, marks=at_night),
        pytest.param(dtypes.float16, True, marks=at_night),
    ],
    ids=str,
)
def test_programs_call_no_function_that_is_not_optimized(
    dtype: np.dtype, pointwise: bool, tmp_path: Path
) -> None:
    # It also links: those that processors have no instruction for are there.
    rows = {call.row.name: call for call in all_calls(dtype) if call.row.pointwise == pointwise}
    calls = list(rows.values())
    program = program_of(calls, [call.ordinary() for call in calls], dynamic=False)
    target = Target.parse("cpu-generic")
    program.module.run("", "lower", str(target))
    kept = f"--iree-hal-dump-executable-intermediates-to={tmp_path}"
    done = iree_tool.run([*target.flags, kept, "-o", os.devnull], program.module.text())
    assert done.returncode == 0, done.stderr
    unused = {
        flag.removeprefix("--force-attribute=").partition(":")[0]
        for flag in iree_compiler.process_flags(target.flags)
        if flag.endswith(":optnone")
    }
    found: set[str] = set()
    for path in tmp_path.glob("*.s"):
        text = path.read_text()
        found |= unused.intersection(re.findall(r"^(\w+):", text, re.MULTILINE))
        for function in re.split(r"^(?=\w+:)", text, flags=re.MULTILINE):
            name = function.partition(":")[0]
            called = unused.intersection(re.findall(r"\t(?:call|jmp|bl|b)q?\t\*?(\w+)", function))
            assert name in unused or not called, f"{name} calls {', '.join(called)}"
    assert found == unused, f"{ADVICE}: it no longer links {', '.join(unused - found)}"
