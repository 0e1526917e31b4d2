"""Scripts that a command runs while it watches them, as `python script.py` would."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Iterator, Sequence
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
    parser.add_argument(
        "arguments",
        nargs=argparse.REMAINDER,
        help="its arguments; options of this command may stand between the script and `--`",
    )


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, to which `add_options` has added.

    What follows the script belongs to it, as for `python script.py …`. With `--`, only what follows
    that does: `check script.py --json -- --epochs 1`.

    Args:
      parser: the command's parser; it ends the process if there is an error.
      arguments: the command line.
    """
    own, mark, rest = _partitioned([*arguments])
    options = parser.parse_args(own)
    after = options.arguments
    if not mark:
        _warn_of_options(parser, after)
        return options
    if after:
        options = parser.parse_args([*after, *own[: -len(after)]])
        if options.arguments:
            parser.error(f"only options may stand between the script and --, got: {after}")
    options.arguments = rest
    return options


def _partitioned(arguments: list[str]) -> tuple[list[str], bool, list[str]]:
    """What is before the first `--`, whether there is one, and what is after it."""
    if "--" not in arguments:
        return arguments, False, []
    place = arguments.index("--")
    return arguments[:place], True, arguments[place + 1 :]


def _warn_of_options(parser: argparse.ArgumentParser, after: Sequence[str]) -> None:
    """Says which options of the command a script gets, since they stand after it."""
    known = [text for text in after if text.partition("=")[0] in parser._option_string_actions]
    if known:
        print(
            f"{parser.prog}: {known[0]} follows the script, and is given to it; put it before the "
            "script, or put -- after it",
            file=sys.stderr,
        )


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
