"""Runs the examples in the docstrings of a file of JAX, and records each of them.

usage: python -m dovetail.as_jax docstrings.py FILE NAME

Numbers in results may differ a little, white space may differ.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import functools
import importlib
import inspect
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outcomes import record

_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
_TOLERANCE = 2e-3
# Whose names examples use without an import, the last ones first.
_MODULES = (
    *("scipy.spatial.transform", "scipy.interpolate", "scipy.stats", "experimental.jet"),
    *(
        "experimental.sparse",
        "experimental.buffer_callback",
        "random",
        "ops",
        "experimental.pallas",
    ),
    *("numpy", "lax", "tree_util", "custom_derivatives"),
)


def examples(text: str) -> Iterator[tuple[str, str]]:
    """The docstrings with examples in a file, with the names of what they describe."""
    seen = set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            docstring = ast.get_docstring(node)
            if docstring and ">>>" in docstring and docstring not in seen:
                seen.add(docstring)
                yield getattr(node, "name", "module"), docstring
    # Docstrings that are put together.
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" in node.value:
            docstring = inspect.cleandoc(node.value)
            if docstring not in seen:
                seen.add(docstring)
                yield f"line {node.lineno}", docstring


class Checker(doctest.OutputChecker):
    """Compares results but for what other machines and versions change."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        want, got = ("".join(text.split()) for text in (want, got))
        if _NUMBER.sub("#", want) != _NUMBER.sub("#", got):
            return False
        pairs = zip(_NUMBER.findall(want), _NUMBER.findall(got), strict=True)
        return all(abs(float(x) - float(y)) <= _TOLERANCE * (1 + abs(float(x))) for x, y in pairs)


class Runner(doctest.DocTestRunner):
    """Records what became of each example.

    Args:
      name: that of the docstring.
    """

    def __init__(self, name: str) -> None:
        super().__init__(Checker(), verbose=False, optionflags=_OPTIONS)
        self._name = name

    def _record(self, example: doctest.Example, outcome: str, *details: str) -> None:
        record(f"{self._name}::{example.lineno}", outcome, *details)

    def report_start(self, out: Any, test: Any, example: doctest.Example) -> None:
        self._record(example, "begun")

    def report_success(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        self._record(example, "passed")

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        message = f"{example.source.strip()} gives {got.strip()}, not {example.want.strip()}"
        self._record(example, "failed", "AssertionError", message)

    def report_unexpected_exception(
        self, out: Any, test: Any, example: doctest.Example, exc_info: Any
    ) -> None:
        self._record(example, "failed", exc_info[0].__name__, str(exc_info[1]))


def names() -> dict[str, Any]:
    """What examples use without an import."""
    jax = importlib.import_module("jax")
    found: dict[str, Any] = {}
    for module in (*(importlib.import_module(f"jax.{name}") for name in _MODULES), jax):
        for name in dir(module):
            if not name.startswith("_") and not hasattr(builtins, name):
                found[name] = getattr(module, name)
    return found | {
        "jax": jax,
        "jnp": importlib.import_module("jax.numpy"),
        "np": importlib.import_module("numpy"),
        "partial": functools.partial,
        "__name__": "__main__",
    }


def main(path: str, file: str, *_: str) -> None:
    """Run the examples of a file."""
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    known = names()
    for name, docstring in examples(Path(path).read_text()):
        try:
            test = doctest.DocTestParser().get_doctest(docstring, known, name, path, 0)
        except ValueError:
            continue  # not one that doctest reads
        module.__dict__.update(test.globs)
        Runner(f"{file}::{name}").run(test, out=lambda _: None)


if __name__ == "__main__":
    main(*sys.argv[1:])
