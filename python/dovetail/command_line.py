"""The command `dovetail-opt` of an installed package: hands over to the program inside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def dovetail_opt() -> None:
    """Replace this process by the program, with the same arguments."""
    from dovetail import _core

    # Beside the extension, also where the Python files are elsewhere (an editable installation).
    program = Path(_core.__file__).parent / "bin" / "dovetail-opt"
    os.execv(program, [str(program), *sys.argv[1:]])
