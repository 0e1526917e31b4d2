"""Writes compiled programs to files: the IR after each phase, and commands that compile it again.

The setting `dump`, or the environment variable `DOVETAIL_DUMP`, names a folder, in which each
program has a folder `0001-<function>`, numbered in the order of compilation:

    00-trace.mlir … NN-carry.mlir   the module after each phase, with the user's locations
    iree.mlir                       the input of the code generator
    iree.flags                      its flags, for `iree-compile --flagfile`
    reproduce.sh                    the commands
"""

from __future__ import annotations

import itertools
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail import _core
from dovetail.base import config
from dovetail.compiler import phases

if TYPE_CHECKING:
    from dovetail.compiler.forms import Compilation
    from dovetail.programs.program import Program


def begin(program: Program) -> Path | None:
    """Write a program after each phase, if requested.

    Returns:
      The program's folder; None if nothing is requested.
    """
    directory = config.dump.value
    if directory is None:
        return None
    folder = _new_folder(Path(directory).expanduser(), program.name)
    module = program.after(phases.NAMES[0])
    target = program.device.platform
    previous = phases.NAMES[0]
    for phase in phases.NAMES:
        if phase != previous:
            _run(module, previous, phase, target)
        _write(module, folder, phase, target)
        previous = phase
    return folder


def _run(module: _core.Module, start: str, to: str, target: str, form: str = "") -> None:
    phases.run(module, to, start=start, target=target, host_functions=target == "cpu", form=form)


def _write(module: _core.Module, folder: Path, phase: str, target: str) -> None:
    """Write a module after a phase, with the attributes that the next phases query."""
    path = folder / f"{phases.NAMES.index(phase):02}-{phase}.mlir"
    path.write_bytes(module.marked(target, target == "cpu", text=True) + b"\n")


def finish(folder: Path, program: Program, compilation: Compilation) -> None:
    """Write the input and flags from which a program was compiled."""
    form, target = compilation.form.name, program.device.platform
    if form != _core.forms()[0].name:
        module = program.after("check")
        _run(module, "check", "lower", target)
        for start, phase in itertools.pairwise(phases.between("decompose", "carry")):
            _run(module, start, phase, target, form)
            _write(module, folder, phase, target)
    flags = [*compilation.target.flags, *compilation.flags]
    (folder / "iree.mlir").write_text(compilation.module.text() + "\n", encoding="utf-8")
    (folder / "iree.flags").write_text("".join(f"{flag}\n" for flag in flags), encoding="utf-8")
    script = folder / "reproduce.sh"
    script.write_text(_script(program.name, form, flags), encoding="utf-8")
    script.chmod(0o755)


def _script(name: str, form: str, flags: list[str]) -> str:
    """The commands that make the files again, run in their folder."""
    return "\n".join(
        (
            "#!/bin/sh",
            f"# Compiles {name!r} again: the traced program to iree.mlir, that to a module file.",
            'cd "$(dirname "$0")" || exit',
            shlex.join(
                [
                    "dovetail-opt",
                    f"--dovetail-pipeline={phases.options('', 'carry', form)}",
                    "00-trace.mlir",
                    *("-o", "iree.mlir"),
                ]
            ),
            shlex.join(["iree-compile", *flags, "iree.mlir", "-o", "module.vmfb"]),
            "",
        )
    )


def _new_folder(directory: Path, name: str) -> Path:
    """A folder for a program; its number is one that no other process has taken."""
    plain = re.sub(r"\W+", "-", name).strip("-") or "function"
    directory.mkdir(parents=True, exist_ok=True)
    number = 1 + max((_number(path.name) for path in directory.iterdir()), default=0)
    while True:
        try:
            # Reserved by its number alone, then renamed.
            claim = directory / f".{number:04}"
            claim.mkdir()
        except FileExistsError:
            number += 1
            continue
        return claim.rename(directory / f"{number:04}-{plain}")


def _number(name: str) -> int:
    found = re.match(r"\.?(\d+)", name)
    return int(found[1]) if found else 0
