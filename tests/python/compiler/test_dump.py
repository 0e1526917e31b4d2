"""Compiled programs as files: what is written, and that it compiles to the same again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, config
from dovetail.compiler import iree_compiler, phases


def test_programs_are_written(tmp_path: Path) -> None:
    def layer(x: Any) -> Any:
        return dnp.tanh(x)

    with config.dump(str(tmp_path)):
        dt.jit(layer)(np.ones(3, np.float32))
        dt.jit(lambda x: x + 1).lower(1.0).compile()
    dt.jit(lambda x: x + 2)(1.0)
    first, second = sorted(tmp_path.iterdir())
    assert (first.name, second.name) == ("0001-layer", "0002-lambda")
    files = [f"{number:02}-{phase}.mlir" for number, phase in enumerate(phases.NAMES)]
    names = sorted(path.name for path in first.iterdir())
    assert names == [*files, "iree.flags", "iree.mlir", "reproduce.sh"]
    trace = (first / "00-trace.mlir").read_text()
    assert "dovetail.tanh" in trace
    assert "test_dump.py" in trace
    (lowered,) = first.glob("*-lower.mlir")
    assert "linalg.generic" in lowered.read_text()
    # Each is a module that the compiler reads.
    for path in first.glob("*.mlir"):
        assert "@main" in _core.Module.parse(path.read_text()).text()


def test_commands_reproduce(tmp_path: Path) -> None:
    with config.dump(tmp_path):
        dt.jit(lambda x: x * 3)(np.ones(3, np.float32))
    [folder] = tmp_path.iterdir()
    script = folder / "reproduce.sh"
    assert os.access(script, os.X_OK)
    commands = script.read_text().splitlines()
    assert commands[3] == "dovetail-opt --dovetail-pipeline=to=lower 00-trace.mlir -o lower.mlir"
    tools = os.path.dirname(iree_compiler.program("iree-compile"))
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["/bin/sh", "-c", commands[4]], cwd=folder, env={**os.environ, "PATH": path}, check=True
    )
    [out] = dt.runtime.Executable((folder / "module.vmfb").read_bytes(), "main")(
        [np.ones(3, np.float32)]
    )
    np.testing.assert_array_equal(out.numpy(), [3, 3, 3])


def test_numbers_go_on(tmp_path: Path) -> None:
    (tmp_path / "0007-other").mkdir()
    with config.dump(tmp_path):
        dt.jit(lambda x: x - 3)(1.0)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["0007-other", "0008-lambda"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with config.dump(tmp_path / "file"), pytest.raises(OSError, match="file"):
        dt.jit(lambda x: x - 4, compile="now")(1.0)
