"""Compiled programs as files: what is written, and that it compiles to the same program again."""

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
from dovetail.compiler.dovetail_opt import program_of_passes

OPT = program_of_passes()


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
    # Each is a module that the compiler can read.
    for path in first.glob("*.mlir"):
        assert "@main" in _core.Module.parse(path.read_text()).text()


def run_command(command: str, folder: Path) -> None:
    tools = [os.path.dirname(iree_compiler.program("iree-compile")), str(Path(OPT).parent)]
    path = os.pathsep.join([*tools, os.environ["PATH"]])
    subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, check=True
    )


def test_commands_reproduce(tmp_path: Path) -> None:
    with config.dump(tmp_path):
        dt.jit(lambda x: x * 3, compile="now")(np.ones(3, np.float32))
    [folder] = tmp_path.iterdir()
    script = folder / "reproduce.sh"
    assert os.access(script, os.X_OK)
    commands = script.read_text().splitlines()
    options = "'--dovetail-pipeline=to=carry form=merged'"
    assert commands[3] == f"dovetail-opt {options} 00-trace.mlir -o iree.mlir"
    for command in commands[3:5]:
        run_command(command, folder)
    [out] = dt.runtime.Executable((folder / "module.vmfb").read_bytes(), "main")(
        [np.ones(3, np.float32)]
    )
    np.testing.assert_array_equal(out.numpy(), [3, 3, 3])


@pytest.mark.parametrize("merges", [True, False])
def test_commands_make_the_form_that_was_compiled(tmp_path: Path, merges: bool) -> None:
    def loop(x: Any) -> Any:
        # A call of LAPACK, which is lowered only for this process.
        return dt.lax.fori_loop(0, 3, lambda i, c: dnp.tanh(dnp.linalg.inv(c)), x)

    with config.dump(tmp_path), config.merge_small_ops(merges):
        dt.jit(loop).lower(np.eye(20, dtype=np.float32)).compile()
    [folder] = tmp_path.iterdir()
    taken = _core.Module.parse((folder / "iree.mlir").read_text()).text()
    (last,) = folder.glob("*-carry.mlir")
    run_command((folder / "reproduce.sh").read_text().splitlines()[3], folder)
    for path in (last, folder / "iree.mlir"):
        made = _core.Module.parse(path.read_text())
        # A compiled module no longer has its target, nor the descriptions of its host functions.
        made.become(made.marked("cpu", host_functions=False, text=False))
        made.take_host_imports()
        assert made.text() == taken


def test_numbers_go_on(tmp_path: Path) -> None:
    (tmp_path / "0007-other").mkdir()
    with config.dump(tmp_path):
        dt.jit(lambda x: x - 3)(1.0)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["0007-other", "0008-lambda"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with config.dump(tmp_path / "file"), pytest.raises(OSError, match="file"):
        dt.jit(lambda x: x - 4, compile="now")(1.0)
