"""The largest errors of compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath
import numpy as np
from formats import FORMATS, LIMIT, Array, Format, ulp_errors
from functions import FUNCTIONS, Exact, Function
from samples import BLOCK, blocks, surroundings

import dovetail as dt
from dovetail import config, ops
from dovetail.compiler.module_files import Target, compile_module
from dovetail.runtime import Executable

# Arguments per function and format that are recomputed with mpmath.
WORST = 40
# The number of searches around the worst arguments.
ROUNDS = 3

Call: TypeAlias = Callable[..., Array]


@dataclass(frozen=True)
class Result:
    """The largest error, its argument, and the result there."""

    error: float
    at: tuple[Any, ...]
    got: Any

    @property
    def is_bad(self) -> bool:
        """True if the error exceeds the limit."""
        return not self.error <= LIMIT

    def place(self) -> str:
        """The worst argument as printed exactly by C; empty if there is no error."""
        return ", ".join(map(written, self.at)) if self.error else ""


def written(x: Any) -> str:
    """A number in hexadecimal, without the zeros at the end of its fraction."""
    if isinstance(x, complex):
        return f"{written(x.real)}{'' if x.imag < 0 else '+'}{written(x.imag)}i"
    fraction, mark, exponent = float(x).hex().partition("p")
    return fraction.rstrip("0").rstrip(".") + mark + exponent if mark else fraction


def compiled(function: Call, dtype: np.dtype, arity: int, target: str, size: int = BLOCK) -> Call:
    """A function of Dovetail as a compiled program on NumPy vectors of at most `size` elements."""
    with config.enable_x64(True):
        operand = dt.ShapeDtypeStruct((size,), dtype)
        text = dt.jit(function).lower(*[operand] * arity).as_text("lower")
    device = "local-sync" if target.startswith("cpu") else Target.parse(target).device
    executable = Executable(compile_module(text, target=target), "main", device)

    def call(*arguments: Array) -> Array:
        padded = [np.resize(x, size) for x in arguments]
        return executable(padded)[0].numpy()[: arguments[0].size]

    return call


def references(function: Function, arguments: Sequence[Array], form: Format) -> Array:
    """The values to compare with, in the format's wide type."""
    with np.errstate(all="ignore"):
        if function.native:
            return function.reference(*arguments).astype(form.wide)
        return function.reference(*(x.astype(form.wide) for x in arguments))


def measure(name: str, element: str, target: str, count: int) -> Result:
    """Compiles a function and finds its largest error.

    Args:
      name: the function's name.
      element: the format's name.
      target: the target to compile for.
      count: the approximate number of arguments, if there are that many.
    """
    function, form = FUNCTIONS[name], FORMATS[element]
    call = compiled(getattr(ops, name), form.dtype, function.arity, target)

    def tried(arguments: Sequence[Array]) -> list[Array]:
        if function.hardware:
            arguments = [form.flushed(x) for x in arguments]
        got, reference = call(*arguments), references(function, arguments, form)
        if function.hardware and target == "vulkan":
            with np.errstate(invalid="ignore"):
                got, reference = got + form.dtype.type(0), reference + 0
        return worst_rows([ulp_errors(got, reference, form), got, reference, *arguments])

    worst = merged(map(tried, blocks(name, element, form, count)))
    if function.exact and function.arity == 1 and form.dtype.itemsize > 2:
        for _ in range(ROUNDS):
            near = surroundings(worst[3], form)
            worst = merged([worst, *(tried([x]) for x in near)])
    errors, got, reference, *arguments = worst
    if function.exact and np.isfinite(errors.max()):
        reference = _exactly(function.exact, arguments, reference)
        errors = ulp_errors(got, reference, form)
    first = int(np.argmax(errors))
    at = tuple(float(x[first]) for x in arguments)
    return Result(float(errors[first]), at, float(got[first]))


def worst_rows(columns: Sequence[Array]) -> list[Array]:
    """The rows with the largest errors, which are the first column."""
    errors = columns[0]
    most = np.argpartition(errors, -WORST)[-WORST:] if errors.size > WORST else slice(None)
    return [column[most] for column in columns]


def merged(parts: Iterable[Sequence[Array]]) -> list[Array]:
    """The worst rows of all."""
    return worst_rows([np.concatenate(column) for column in zip(*parts, strict=True)])


def _exactly(function: Callable[..., Exact], arguments: Sequence[Array], reference: Array) -> Array:
    """The function by mpmath, or the reference at special values, where its conventions differ."""
    result = reference.copy()
    with mpmath.workdps(50):
        for i, values in enumerate(zip(*arguments, strict=True)):
            if np.isfinite(reference[i]) and reference[i] != 0:
                exact = mpmath.re(function(*(mpmath.mpf(float(value)) for value in values)))
                if mpmath.isfinite(exact):
                    result[i] = _rounded(exact, reference.dtype)
    return result


def _rounded(exact: Exact, dtype: np.dtype) -> Any:
    """A number of mpmath in f64 or extended precision."""
    # Scaled, as parts of a tiny value would underflow.
    fraction, exponent = mpmath.frexp(exact)
    high = float(fraction)
    low = float(fraction - high)
    return np.ldexp(dtype.type(high) + dtype.type(low), exponent)
