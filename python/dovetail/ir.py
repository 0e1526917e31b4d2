"""Between Python and the compiler: places in the user's program, types by name, evaluation."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import ml_dtypes
import numpy as np
import optree

from dovetail import _core, config, spans
from dovetail.check_finite import accepted, known_as
from dovetail.reference import Evaluator

# A file, a line (0 if not known) and the name of a function.
Place = tuple[str, int, str]
# A shape and the name of an element type.
Type = tuple[tuple[int, ...], str]

# This package, and the one that calls the functions which it maps over trees.
_PACKAGES = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep for file in (__file__, optree.__file__)
)
_DTYPES: dict[str, np.dtype] = {}
_NAMES: dict[np.dtype, str] = {}


class _Internal(dict[str, bool]):
    """Whether a file is none of the user's."""

    def __missing__(self, file: str) -> bool:
        answer = self[file] = file.startswith(_PACKAGES)
        return answer


_internal = _Internal()


def is_internal(file: str) -> bool:
    """Whether a file is none of the user's."""
    return _internal[file]


phases: list[str] = [name for name, _ in _core.phases()]
# The last phase that runs in this process: what tracing and evaluation need.
_LAST_HERE = "check"


def user_frame() -> FrameType | None:
    """The innermost frame of the user's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _internal[frame.f_code.co_filename]:
        frame = frame.f_back
    return frame


def place() -> Place:
    """Where the user's program is now."""
    frame = user_frame()
    if frame is None:
        return "", 0, ""
    code = frame.f_code
    return code.co_filename, frame.f_lineno, scope.name + code.co_name


class _Scope(threading.local):
    """The names of the blocks that this thread is in, each followed by a slash."""

    name = ""


scope = _Scope()


def describe_place(where: Place) -> str:
    """The place as `file:line (function)`."""
    file, line, name = where
    return f"{file}:{line} ({name})" if file else "an unknown place"


def here() -> str:
    """Where the user's program is now, as messages say it."""
    return "at " + describe_place(place())


def dtype_named(name: str) -> np.dtype:
    """The NumPy dtype of an element type's name."""
    dtype = _DTYPES.get(name)
    if dtype is None:
        scalar = getattr(ml_dtypes, name, None)
        dtype = _DTYPES[name] = np.dtype(name if scalar is None else scalar)
    return dtype


def dtype_name(dtype: np.dtype) -> str:
    """The name of a NumPy dtype, which NumPy itself works out each time."""
    name = _NAMES.get(dtype)
    if name is None:
        name = _NAMES[dtype] = dtype.name
    return name


def encode_array(value: np.ndarray) -> tuple[bytes, str, tuple[int, ...]]:
    """An array as the compiler takes it for a constant."""
    return value.tobytes(), dtype_name(value.dtype), value.shape


def explained(error: Exception) -> Exception:
    """The compiler's error with the user's line."""
    message, file, line = error.args
    where = f"{file}:{line}" if file else describe_place(place())
    # Its module needs this one.
    from dovetail.errors import ClosedOverError, TransformError

    kind = ClosedOverError if "a value that it closes over" in message else TransformError
    return kind(f"{message} (at {where})")


def run_phases(
    module: _core.Module,
    to: str,
    *,
    start: str = "",
    target: str = "cpu",
    host_functions: bool = False,
    name: str = "",
) -> None:
    """Take a module through the phases, in place; the later ones in a process of their own.

    Args:
      start: the phase that it has gone through already.
      name: what a trace of the profiler calls the program.
      target: what it is compiled for.
      host_functions: whether what it becomes may call functions of this process.

    Raises:
      ValueError: a phase refused the program.
      CompileError: the process died.
    """
    # One at a time where each is to be seen.
    steps = [to] if spans.recorder is None else phases_between(start, to)
    try:
        for phase in steps:
            with spans.span("phase", phase, function=name):
                for first, last, run in _parts(start, phase):
                    run(
                        module, first, last, target=target, host_functions=host_functions, name=name
                    )
            start = phase
    except _core.CompilerError as error:
        raise explained(error) from None


def _parts(start: str, to: str) -> list[tuple[str, str, Callable[..., None]]]:
    """The phases after one up to another: those for this process, and those for another one."""
    border, last = phases.index(_LAST_HERE), phases.index(to)
    if last <= border:
        return [(start, to, _run_here)]
    if start and phases.index(start) >= border:
        return [(start, to, _run_apart)]
    return [(start, _LAST_HERE, _run_here), (_LAST_HERE, to, _run_apart)]


def _run_here(
    module: _core.Module, start: str, to: str, *, target: str, host_functions: bool, name: str
) -> None:
    module.run(start, to, target, host_functions=host_functions)


def _run_apart(
    module: _core.Module, start: str, to: str, *, target: str, host_functions: bool, name: str
) -> None:
    # Most programs of this package need it only now.
    from dovetail import pass_process

    pass_process.run(
        module,
        [f"--dovetail-pipeline=from={start} to={to}"],
        lambda: module.run(start, to, target, host_functions=host_functions),
        target=target,
        host_functions=host_functions,
        name=name,
    )


def phases_between(start: str, to: str) -> list[str]:
    """The phases after one, or from the first on, up to another."""
    first = phases.index(start) + 1 if start else 0
    return phases[first : phases.index(to) + 1]


def flat_module(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Type],
    results: Sequence[Type],
) -> _core.Module:
    """A module whose `main` is what an op on functions computes, simplified and without calls."""
    try:
        module = _core.wrap(name, attributes, list(operands), list(results))
    except _core.CompilerError as error:
        raise explained(error) from None
    run_phases(module, "simplify")
    return module


def expanded(function: _core.Function, last: Sequence[np.ndarray]) -> _core.Module:
    """The module of a finished function as `main`, without requests.

    Args:
      function: the function; the others of its module that it does not need are removed.
      last: what its last arguments are.
    """
    module = function.module
    module.keep_as_main(function.name)
    module.bind_arguments([encode_array(value) for value in last])
    run_phases(module, "expand")
    return module


def evaluate_on_functions(
    name: str,
    attributes: dict[str, Any],
    values: Sequence[np.ndarray],
    results: Sequence[Type],
) -> Sequence[np.ndarray]:
    """The results of an op on functions, by the reference evaluator."""
    operands = [(value.shape, dtype_name(value.dtype)) for value in values]
    return Flat(flat_module(name, attributes, operands, results), known_as(name))(values)


class Flat:
    """A module without calls whose `main` can be evaluated, with the checks that settings ask for.

    Args:
      module: after the phase `simplify`.
      name: what messages call it.
    """

    def __init__(self, module: _core.Module, name: str) -> None:
        self.module = module
        self._name = name
        self._evaluators: dict[tuple[str, ...], Evaluator] = {}

    def __call__(self, values: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """The results, by the reference evaluator."""
        checks = config.snapshot().checks
        evaluator = self._evaluators.get(checks)
        if evaluator is None:
            module = self.module
            if checks:
                module = module.clone()
                module.check_finite(checks)
                run_phases(module, "check", start="simplify")
            evaluator = self._evaluators[checks] = Evaluator(module.program("main"))
        results = evaluator(values)
        return accepted(results, checks, self._name, lambda: self.module) if checks else results


class Callee:
    """A finished function that can be called in any trace, and outside of all."""

    def __init__(self, function: _core.Function) -> None:
        self.function = function
        # Asking for the module makes an object each time.
        self.module = function.module
        self._flat: Flat | None = None

    @property
    def flat(self) -> _core.Function:
        """A function without calls that computes the same."""
        return self._evaluated().module.function("main")

    def _evaluated(self) -> Flat:
        if self._flat is None:
            function = self.function
            attributes = {"callee": function}
            module = flat_module("call", attributes, function.inputs, function.outputs)
            self._flat = Flat(module, function.name)
        return self._flat

    def evaluate(self, *values: np.ndarray) -> Sequence[np.ndarray]:
        """The results, by the reference evaluator."""
        return self._evaluated()(values)
