"""`python -m dovetail.as_jax`: runs a script or a module that was written for JAX."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from dovetail.as_jax import report


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m dovetail.as_jax",
        description="Run a program that was written for JAX, with Dovetail in JAX's place.",
        usage="%(prog)s [--report] (script.py | -m module) [argument ...]",
    )
    parser.add_argument(
        "--report", action="store_true", help="list the names of JAX that the program missed"
    )
    parser.add_argument("-m", dest="module", action="store_true", help="run a module by its name")
    parser.add_argument("program", help="the script or, with -m, the module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Run the program as `python` would.

    Args:
      arguments: those of the command line.
    """
    options = _parse(arguments)
    sys.argv = [options.program, *options.arguments]
    try:
        if options.module:
            sys.path[0] = str(Path.cwd())
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = str(Path(options.program).resolve().parent)
            runpy.run_path(options.program, run_name="__main__")
    finally:
        if options.report:
            for request in report():
                print(request, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
