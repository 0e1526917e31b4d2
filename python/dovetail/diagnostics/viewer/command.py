"""`dovetail view script.py[:function]`: writes a page about the programs that a script runs."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from dovetail.diagnostics import scripts
from dovetail.diagnostics.recorded import recording
from dovetail.diagnostics.viewer import phases
from dovetail.diagnostics.viewer.gather import Subject
from dovetail.diagnostics.viewer.view import View
from dovetail.programs.dispatch_times import ProfiledCalls

# More of them make a page that is slow to load.
_MOST_PROGRAMS = 16


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status.

    Args:
      arguments: the command line's, without `dovetail view`.
    """
    parser = argparse.ArgumentParser(
        "dovetail view",
        description="Runs a program once, and writes a page that shows what its jitted functions "
        "become in each phase of the compiler. The script may be followed by a colon and the name "
        "of one of them.",
        epilog="Exit status: 0 if the page is written, 2 if the program fails or there is nothing "
        "to show.",
    )
    parser.add_argument("--output", type=Path, help="the page, by default <script>.html")
    parser.add_argument("--profile", action="store_true", help="time the dispatches of each")
    parser.add_argument(
        "--phases", default=",".join(phases.DEFAULT), help="those to show (default: %(default)s)"
    )
    scripts.add_options(parser)
    options = scripts.parsed(parser, arguments)
    script, function = _split(options.script)
    if not Path(script).is_file():
        parser.error(f"the script must be a file, got: {script}")
    names = options.phases.split(",")
    try:
        phases.check(names)
    except ValueError as error:
        parser.error(str(error))

    calls, failed = _run(options, script)
    chosen = [call for call in calls if function in ("", call.execution.program.name)]
    if not chosen:
        there = ", ".join(sorted({call.execution.program.name for call in calls})) or "none"
        what = f"called {function}" if function else ""
        print(f"dovetail view: a jitted function {what} must run, got: {there}", file=sys.stderr)
        return 2
    if len(chosen) > _MOST_PROGRAMS:
        print(
            f"dovetail view: {script} runs {len(chosen)} programs; the page has the first "
            f"{_MOST_PROGRAMS}. Name one function: {script}:function",
            file=sys.stderr,
        )
    subjects = [
        Subject(call.execution.program, call.arguments if options.profile else None)
        for call in chosen[:_MOST_PROGRAMS]
    ]
    output = options.output or Path(Path(script).name).with_suffix(".html")
    print(View(f"{Path(script).name}: programs", subjects, names).save(output))
    return 2 if failed else 0


def _split(text: str) -> tuple[str, str]:
    """The script and the function of `script.py:function`."""
    script, colon, function = text.rpartition(":")
    return (script, function) if colon and script.endswith(".py") else (text, "")


def _run(options: argparse.Namespace, script: str) -> tuple[list[ProfiledCalls], bool]:
    """Runs the program; returns the programs that it called, and whether it failed."""
    failed = False
    with recording(compiled=options.profile) as recorder:
        try:
            with scripts.environment(options, script):
                scripts.run(script)
        except SystemExit as exit:
            how = scripts.exits(exit)
            failed = how is not None
            if how:
                print(f"dovetail view: {how}", file=sys.stderr)
        except BaseException:
            traceback.print_exc()
            failed = True
    return [*recorder.calls.values()], failed
