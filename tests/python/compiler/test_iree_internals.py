"""Undocumented parts of IREE's compiler that are used exist, and are still needed."""

from __future__ import annotations

import ctypes
import os

import pytest

from dovetail.compiler import iree_compiler

ADVICE = "IREE has changed: see the end of dovetail/compiler/iree_compiler.py"


def test_invocations_have_a_library_and_a_pointer() -> None:
    from iree.compiler.api import Session

    session = Session()
    try:
        invocation = session.invocation()
        for name, kind in (("_local_dylib", ctypes.CDLL), ("_inv_p", int)):
            assert isinstance(getattr(invocation, name, None), kind), f"{ADVICE}: {name}"
        for name in iree_compiler.C_FUNCTIONS:
            assert hasattr(invocation._local_dylib, name), f"{ADVICE}: no {name}"
    finally:
        session.close()


@pytest.mark.parametrize("name", iree_compiler.C_FUNCTIONS)
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
