"""`dovetail check script.py …`: runs a program once, and reports what costs its author most."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from dovetail.base.locations import is_internal
from dovetail.diagnostics import scripts
from dovetail.diagnostics.checking.findings import REMEDIES, Report, as_json, as_text
from dovetail.diagnostics.checking.watch import watched

_EPILOG = (
    "Exit status: 0 if nothing was found, 1 if something was, 2 if the program failed. Findings: "
    + ", ".join(kind for kind in REMEDIES if kind != "failure")
    + "."
)


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status.

    Args:
      arguments: the command line's, without `dovetail check`.
    """
    parser = argparse.ArgumentParser(
        "dovetail check",
        description="Runs a program once under watch, and reports what costs its author most.",
        epilog=_EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--output", type=Path, help="write the report to a file, not to stderr")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="kind",
        help="leave out this kind of finding",
    )
    scripts.add_options(parser)
    options = scripts.parsed(parser, arguments)
    if unknown := [kind for kind in options.allow if kind not in REMEDIES]:
        parser.error(f"--allow must name a kind of finding, got: {unknown[0]}")
    if not Path(options.script).is_file():
        parser.error(f"the script must be a file, got: {options.script}")

    report = Report()
    failed = _run(options, report)
    findings = [finding for finding in report.findings() if finding.kind not in options.allow]
    text = (as_json if options.json else as_text)(findings)
    if options.output is not None:
        options.output.write_text(text)
    else:
        # The program's own output is on the other stream.
        print(text, end="", file=sys.stderr)
    return 2 if failed else int(bool(findings))


def _run(options: argparse.Namespace, report: Report) -> bool:
    """Runs the program; returns whether it failed."""
    try:
        with scripts.environment(options, options.script), watched(report):
            scripts.run(options.script)
    except SystemExit as exit:
        if (how := scripts.exits(exit)) is not None:
            report.add("failure", ("", 0, ""), how)
            return True
    except BaseException as error:
        traceback.print_exc()
        frames = [f for f in traceback.extract_tb(error.__traceback__) if not _is_ours(f.filename)]
        last = frames[-1] if frames else None
        place = (last.filename, last.lineno or 0, last.name) if last else ("", 0, "")
        report.add("failure", place, f"{type(error).__name__}: {error}".partition("\n")[0])
        return True
    return False


def _is_ours(file: str) -> bool:
    """Whether a frame belongs to Dovetail, or to what runs the program."""
    return is_internal(file) or file.startswith("<frozen")
