"""Runs the code cells of a page of JAX's documentation, as a notebook does, and records each one.

usage: python -m dovetail.as_jax page.py FILE NAME

A cell may raise an error if the page says so. What IPython offers beyond Python is left out.
"""

from __future__ import annotations

import ast
import linecache
import re
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outcomes import record

_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OPTIONS = re.compile(r"(?:---\n.*?\n---\n)?(?:\s*:[\w-]+:[^\n]*\n)*", re.DOTALL)
_TIMED = re.compile(r"%time(?:it)?\s+(?:-\w+(?:\s+\d+)?\s+)*")
# The seconds that a cell may take.
_LIMIT = 120


def cells(text: str) -> Iterator[tuple[str, bool]]:
    """The code of each cell of a page, and whether it may raise an error."""
    for match in _CELL.finditer(text):
        cell = match[1]
        options = _OPTIONS.match(cell)
        assert options is not None
        yield "\n".join(map(_plain, cell[options.end() :].split("\n"))), "raises-exc" in options[0]


def _plain(line: str) -> str:
    """A line without what is IPython's."""
    rest = line.lstrip()
    if rest.startswith("%time") and not rest.startswith("%%"):
        return _TIMED.sub("", line, count=1)
    return line[: len(line) - len(rest)] + "pass" if rest.startswith(("%", "!")) else line


def run(name: str, code: str, names: dict[str, Any]) -> None:
    """Run a cell; the value of an expression at its end is shown."""
    linecache.cache[name] = len(code), None, code.splitlines(keepends=True), name
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if isinstance(last, ast.Expr):
        repr(eval(compile(ast.Expression(last.value), name, "eval"), names))


def _stop(*_: object) -> None:
    raise TimeoutError(f"more than {_LIMIT} seconds")


def main(path: str, page: str, *_: str) -> None:
    """Run the cells of a page, one after the other."""
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__dict__["display"] = print
    signal.signal(signal.SIGALRM, _stop)
    for number, (code, may_raise) in enumerate(cells(Path(path).read_text())):
        test = f"{page}::{number}"
        record(test, "begun")
        signal.alarm(_LIMIT)
        try:
            run(f"<{test}>", code, module.__dict__)
        except (Exception, SystemExit) as error:
            record(test, "passed" if may_raise else "failed", type(error).__name__, str(error))
        else:
            record(test, "passed")
        finally:
            signal.alarm(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
