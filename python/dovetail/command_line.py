"""The commands of an installed package: `dovetail` and `dovetail-opt`."""

from __future__ import annotations

import os
import sys

from dovetail.compiler.dovetail_opt import program_of_passes


def dovetail_opt() -> None:
    """Replace this process by the program, with the same arguments."""
    program = program_of_passes()
    os.execv(program, [str(program), *sys.argv[1:]])


def dovetail() -> None:
    """Inspect and run module files, with `dovetail.runtime` alone; check or view a program;
    print what a bug report needs.
    """
    if sys.argv[1:2] == ["check"]:
        from dovetail.diagnostics.checking.command import main as check  # lazy

        sys.exit(check(sys.argv[2:]))
    if sys.argv[1:2] == ["env"]:
        from dovetail.diagnostics.environment import print_environment_info  # lazy

        sys.exit(print_environment_info())
    if sys.argv[1:2] == ["view"]:
        from dovetail.diagnostics.viewer.command import main as view  # lazy

        sys.exit(view(sys.argv[2:]))
    from dovetail.runtime.commands import main  # lazy

    sys.exit(main(sys.argv[1:]))
