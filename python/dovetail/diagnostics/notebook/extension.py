"""The extension of IPython: `%ir`, `%%ir` and `%dovetail_profile`."""

from __future__ import annotations

import argparse
import ast
import shlex
import time
from collections.abc import Sequence
from typing import Any

from dovetail.base import markup
from dovetail.base.errors import value_error
from dovetail.diagnostics.notebook.summary import Summary
from dovetail.diagnostics.recorded import recording
from dovetail.diagnostics.viewer import phases
from dovetail.diagnostics.viewer.gather import Subject
from dovetail.diagnostics.viewer.view import View
from dovetail.programs.jit import jit
from dovetail.programs.program import Program


def load_ipython_extension(ipython: Any) -> None:
    """Add the magics of `%load_ext dovetail` to IPython or a notebook.

    - `%ir f(x, y)`: the IR of a call, which is traced but not run.
    - `%%ir`: runs the cell, then shows the IR of the jitted functions that it called. Both take
      `--phase NAME`, which is `trace` by default, and `--view`, for the page of `dovetail.view`.
    - `%dovetail_profile statement`, or `%%dovetail_profile` for a cell: runs it, and shows where
      the time went: in which programs, in which of their dispatches, and from which lines.

    Args:
      ipython: the shell, which IPython passes.

    Example:
      >>> import dovetail as dt
      >>> class Shell:
      ...     def register_magic_function(self, function, kind, name):
      ...         print(kind, name)
      >>> dt.load_ipython_extension(Shell())
      line_cell ir
      line_cell dovetail_profile
    """
    magics = _Magics(ipython)
    ipython.register_magic_function(magics.ir, "line_cell", "ir")
    ipython.register_magic_function(magics.profile, "line_cell", "dovetail_profile")


class ShownIR:
    """The IR of some programs.

    Args:
      programs: the programs.
      phase: the phase after which they are shown.
    """

    def __init__(self, programs: Sequence[Program], phase: str) -> None:
        self._texts = [
            (program.name, program.after(phase).text().rstrip("\n")) for program in programs
        ]
        self._phase = phase

    def __repr__(self) -> str:
        return "\n\n".join(f"// {name}, {self._phase}\n{text}" for name, text in self._texts)

    def _repr_html_(self) -> str:
        return "".join(
            markup.caption(f"{name}, after the phase {self._phase}") + markup.ir(text)
            for name, text in self._texts
        )


class _Magics:
    """The magics of one shell."""

    def __init__(self, ipython: Any) -> None:
        self._ipython = ipython

    def ir(self, line: str, cell: str | None = None) -> ShownIR | View | None:
        """Show the IR of a call, or of the programs that a cell calls; see `dovetail.view`, too."""
        options, code = _options(line)
        if cell is None:
            programs = [self._traced(code)]
        else:
            with recording() as recorder:
                result = self._ipython.run_cell(cell)
            programs = [call.execution.program for call in recorder.calls.values()]
            if not programs:
                if result.success:
                    print("%%ir: the cell calls no jitted function; `%ir f(x)` traces any function")
                return None
        if options.view:
            subjects = [Subject(program) for program in programs]
            return View(programs[0].name, subjects, phases.DEFAULT)
        return ShownIR(programs, options.phase)

    def _traced(self, code: str) -> Program:
        try:
            call = ast.parse(code.strip(), mode="eval").body
        except SyntaxError:
            call = None
        if not isinstance(call, ast.Call):
            raise value_error(f"%ir: the line must be a call, f(x), got: {code.strip()!r}")

        def value(node: ast.expr) -> Any:
            return eval(compile(ast.Expression(node), "<%ir>", "eval"), self._ipython.user_ns)

        function = value(call.func)
        # Evaluated by Python itself, since arguments may have stars.
        pair = ast.Call(ast.Name("_both", ast.Load()), call.args, call.keywords)
        names = {**self._ipython.user_ns, "_both": lambda *args, **kwargs: (args, kwargs)}
        expression = ast.fix_missing_locations(ast.Expression(pair))
        args, kwargs = eval(compile(expression, "<%ir>", "eval"), names)
        jitted: Any = function if hasattr(function, "trace") else jit(function)
        return jitted.trace(*args, **kwargs)._program

    def profile(self, line: str, cell: str | None = None) -> Summary:
        """Run a statement or a cell, and show in which programs and dispatches the time went."""
        code = line if cell is None else f"{line}\n{cell}"
        with recording(compiled=True) as recorder:
            start = time.perf_counter()
            self._ipython.run_cell(code)
            seconds = time.perf_counter() - start
        return Summary(recorder, seconds)


def _options(line: str) -> tuple[argparse.Namespace, str]:
    """The options at the beginning of a line, and the rest of it."""
    options = argparse.Namespace(phase="trace", view=False)
    rest = line.strip()
    while rest.startswith("--"):
        first, _, after = rest.partition(" ")
        name, equals, value = first.partition("=")
        if name == "--view":
            options.view = True
        elif name == "--phase":
            if not equals:
                value, _, after = after.strip().partition(" ")
            options.phase = "".join(shlex.split(value))
            phases.check([options.phase])
        else:
            raise value_error(f"%ir: options must be --phase or --view, got: {name}")
        rest = after.strip()
    return options, rest
