"""Scripts that a command runs while it watches them, as `python script.py` would."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dovetail.base.late import as_jax


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a script is run, and its arguments, which come last."""
    parser.add_argument(
        "--as-jax",
        action="store_true",
        help="give the script Dovetail in the place of JAX, as `python -m dovetail.as_jax` does",
    )
    parser.add_argument("script", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")


@contextmanager
def environment(options: argparse.Namespace, script: str) -> Iterator[None]:
    """A block in which the command line and the path for imports are those of a script.

    Args:
      options: the options that `add_options` added.
      script: the script's file.
    """
    if options.as_jax:
        # Its import puts Dovetail in the place of JAX.
        as_jax.report()
    saved = sys.argv, sys.path[:]
    sys.argv = [script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = saved


def run(script: str) -> dict[str, Any]:
    """Run a script; returns its names."""
    return runpy.run_path(script, run_name="__main__")


def exits(error: SystemExit) -> str | None:
    """How a script ended early; None if that is no failure."""
    return None if error.code in (None, 0) else f"the program exits with {error.code}"
