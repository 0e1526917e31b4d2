"""The commands of an installed package: `dovetail` and `dovetail-opt`."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def program_of_passes() -> Path:
    """The program `dovetail-opt`."""
    from dovetail import _core

    # Beside the extension, also where the Python files are elsewhere (an editable installation).
    return Path(_core.__file__).parent / "bin" / "dovetail-opt"


def dovetail_opt() -> None:
    """Replace this process by the program, with the same arguments."""
    program = program_of_passes()
    os.execv(program, [str(program), *sys.argv[1:]])


def dovetail() -> None:
    """Look at module files and run them, by `dovetail.runtime` alone."""
    from dovetail.runtime.commands import main

    sys.exit(main(sys.argv[1:]))
