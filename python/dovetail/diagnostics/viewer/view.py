"""`view`: a page that shows what a function becomes in each phase of the compiler."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.base.errors import value_error
from dovetail.diagnostics.viewer import phases as known_phases
from dovetail.diagnostics.viewer.gather import Subject, gathered
from dovetail.diagnostics.viewer.page import page_of
from dovetail.programs.execution import Execution
from dovetail.programs.jit import jit
from dovetail.programs.program import Program
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.trace import Tracer
from dovetail.trees.pytree import flatten


class View:
    """A page that shows programs; notebooks display it.

    Args:
      title: the page's title.
      subjects: the programs.
      phases: the phases to show.
    """

    def __init__(self, title: str, subjects: Sequence[Subject], phases: Sequence[str]) -> None:
        known_phases.check(phases)
        self._title = title
        self._names = [subject.program.name for subject in subjects]
        self._html = page_of(title, gathered(subjects, phases))

    def __repr__(self) -> str:
        return (
            f"View({', '.join(self._names)}): save it with .save(path), or display it in a notebook"
        )

    @property
    def html(self) -> str:
        """The page: one HTML document, which needs no network."""
        return self._html

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file; returns its path."""
        path = Path(path)
        path.write_text(self._html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        # In a frame, so that its style and that of the notebook do not meet.
        return (
            f'<iframe title="{html.escape(self._title)}" srcdoc="{html.escape(self._html)}" '
            'style="width: 100%; height: 640px; border: 1px solid #8888"></iframe>'
        )


def view(
    function: Callable[..., Any],
    *args: Any,
    against: Callable[..., Any] | None = None,
    profile: bool = False,
    phases: Sequence[str] = known_phases.DEFAULT,
) -> View:
    """A page that shows what a function becomes in each phase of the compiler.

    The phases are side by side. An op that is clicked is marked in all of them, with its cost and
    its line of Python; a value under the mouse shows its type and its sharding. There are also the
    difference between two phases, the graph of dispatches and the memory over time.

    Args:
      function: a function of arrays, jitted or not.
      *args: its arguments, or `ShapeDtypeStruct`s of their shapes.
      against: another function of the same arguments, to compare with.
      profile: whether to run the program, to time its dispatches; the arguments must be arrays.
      phases: the phases to show, among those that `Lowered.as_text` takes.

    Returns:
      A `View`, which notebooks display; `save` writes it to a file.

    Raises:
      ValueError: there is no such phase, or an argument is no array although `profile` is true.

    Example:
      >>> import os, tempfile
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> page = dt.view(lambda x: dnp.sin(x) * 2, dnp.ones(3))
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     os.path.getsize(page.save(folder + "/sin.html")) > 100_000
      True
    """
    functions = [function] if against is None else [function, against]
    subjects = [_subject(each, args, profile) for each in functions]
    return View(f"{subjects[0].program.name}: program", subjects, phases)


def _subject(function: Callable[..., Any], args: tuple[Any, ...], profile: bool) -> Subject:
    jitted: Any = function if hasattr(function, "trace") else jit(function)
    program: Program = jitted.trace(*args)._program
    return Subject(program, _arguments(program, args) if profile else None)


def _arguments(program: Program, args: tuple[Any, ...]) -> list[np.ndarray]:
    """The arguments of a run, on the host."""
    statics = {number for number, _ in program.signature.statics if isinstance(number, int)}
    values, _ = flatten([each for i, each in enumerate(args) if i not in statics])
    operands = []
    for i, value in enumerate(values):
        if not hasattr(value, "__array__") and not isinstance(value, (bool, int, float, complex)):
            raise value_error(
                f"view: {program.names.at(i)} must be an array, since profile is true, got: "
                f"{value!r}"
            )
        operand = as_operand(value, program.names.at(i), copy=False)
        assert type(operand) is not Tracer
        operands.append(operand)
    return Execution(program, "never").arguments(operands)
