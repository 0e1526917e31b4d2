"""The command: measures the requested functions, or everything for the document."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import complex_functions
import measuring
import numpy as np
import reductions
import report
import subnormals
from formats import FORMATS, LIMIT
from functions import FUNCTIONS
from measuring import Result

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/accuracy.md"
TYPES = (*FORMATS, *complex_functions.TYPES)
NAMES = (*FUNCTIONS, *(name for name in complex_functions.NAMES if name not in FUNCTIONS))


def main(argv: Sequence[str]) -> int:
    """Returns 1 if an error exceeds the limit."""
    parser = argparse.ArgumentParser(
        prog=".venv/bin/python tools/accuracy",
        description="Measures the elementary functions of compiled programs.",
    )
    parser.add_argument("--functions", type=_list_of(NAMES), default=NAMES, help="with commas")
    parser.add_argument("--types", type=_list_of(TYPES), default=TYPES, help="with commas")
    parser.add_argument("--samples", type=int, default=2**22, help="about how many arguments")
    parser.add_argument("--target", choices=("cpu", "cpu-generic", "vulkan"), default="cpu")
    parser.add_argument("--write", action="store_true", help="measure all, write docs/accuracy.md")
    parser.add_argument("--reductions", action="store_true", help="write their section; needs JAX")
    options = parser.parse_args(argv)
    if options.reductions:
        head = DOCUMENT.read_text(encoding="utf-8").partition(reductions.HEADING)[0]
        DOCUMENT.write_text(head + reductions.section(), encoding="utf-8")
        return 0
    if np.finfo(np.longdouble).nmant < 63:
        parser.error("references of f64 need a longer long double than this machine's")
    if options.write:
        return _write()
    results = [
        _measured(name, element, options.target, options.samples)
        for element in options.types
        for name in options.functions
        if name in (FUNCTIONS if element in FORMATS else complex_functions.NAMES)
    ]
    return int(any(result.is_bad for result in results))


def _list_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """A parser of names with commas."""

    def parse(text: str) -> tuple[str, ...]:
        names = tuple(text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"must be of {', '.join(known)}, got: {name!r}")
        return names

    return parse


def _measured(name: str, element: str, target: str, count: int) -> Result:
    """Measures a function and prints the result."""
    if element in FORMATS:
        result = measuring.measure(name, element, target, count)
    else:
        result = complex_functions.measure(name, element, target)
    note = f"  above {LIMIT:.0f}, got {measuring.written(result.got)}" if result.is_bad else ""
    start = f"{name:12}{element:11}{target:12}{result.error:9.3f}"
    print(f"{start}  {result.place()}{note}", flush=True)
    return result


def _write() -> int:
    """Measures everything and writes the document."""
    results = [
        {name: _measured(name, column.element, column.target, column.samples) for name in names}
        for table, names in ((report.REAL, FUNCTIONS), (report.COMPLEX, complex_functions.NAMES))
        for column in table
    ]
    flushed = {}
    for target, element in report.SUBNORMAL:
        judge, names = (
            (subnormals.verdict, (*FUNCTIONS, *subnormals.ARITHMETIC))
            if element in FORMATS
            else (subnormals.complex_verdict, complex_functions.NAMES)
        )
        verdicts = {name: judge(name, element, target) for name in names}
        print(f"subnormals {target} {element}: {verdicts}", flush=True)
        flushed[target, element] = verdicts
    _, heading, section = DOCUMENT.read_text(encoding="utf-8").partition(reductions.HEADING)
    text = report.document(results, flushed) + heading + section
    DOCUMENT.write_text(text, encoding="utf-8")
    return int(any(result.is_bad for column in results for result in column.values()))
