"""The registry of the reference evaluator: each op's function and cost.

A function is entered where it is defined, with all that is known of the op on the host:

    @op("cbrt", cost=20 * NS)
    def cbrt(x): ...
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from dovetail._core import ASSUMED_SIZE

Shape = tuple[int, ...]
# Takes NumPy arrays and attributes; returns one array, or several results.
Function = Callable[..., Any]
Checked = Literal["always", "unless given", "never"]
_Function = TypeVar("_Function", bound=Function)

# Seconds.
NS = 1e-9
# The time to move an element, and to begin a pass of a loop.
MOVE = 1 * NS
PASS = 4e-6
# The time of a call of an op, whatever it computes.
CALL = 4e-6


class Cost(NamedTuple):
    """An estimate of evaluation time.

    Attributes:
      seconds: an estimate, with one pass for each loop whose length is not known.
      is_bounded: whether there is no such loop, nor anything else that may take longer.
      has_effects: whether it does something beside computing.
    """

    seconds: float
    is_bounded: bool = True
    has_effects: bool = False

    def plus(self, other: Cost, times: int = 1) -> Cost:
        """The sum with `times` another cost."""
        return Cost(
            self.seconds + times * other.seconds,
            self.is_bounded and other.is_bounded,
            self.has_effects or other.has_effects,
        )


class Call(NamedTuple):
    """A call of an op, as formulas for its cost see it; an unknown size is -1.

    Attributes:
      operands, results: shapes.
      elements: names of the results' element types.
      attributes: those of the op; bodies under `regions`.
      cost_of: estimates a body for operands of given shapes.
    """

    operands: Sequence[Shape]
    results: Sequence[Shape]
    elements: Sequence[str]
    attributes: dict[str, Any]
    cost_of: Callable[[Any, Sequence[Shape]], Cost]


Formula = Callable[[Call], "float | Cost"]


class Op(NamedTuple):
    """An op of the dialect on the host.

    Attributes:
      function: computes it.
      cost: seconds for each element of the largest operand or result, or a formula.
      stretches: whether the function broadcasts operands of rank 0, as NumPy does.
      only_moves: whether the function only moves elements: then it neither warns nor returns
        scalars.
      checked: when a NaN or an infinity in a result is the op's: never, where it comes from an
        operand, as of ops that only move elements.
      stated: the parts of the result's type that the function takes as keywords, and `place`, where
        in the user's program the op is from.
    """

    function: Function
    cost: float | Formula
    stretches: bool
    only_moves: bool
    checked: Checked
    stated: tuple[str, ...]


# By mnemonic.
OPS: dict[str, Op] = {}

_STATED_KEYWORDS = ("shape", "dtype", "shapes", "elements", "place")


def op(
    *names: str,
    cost: float | Formula = MOVE,
    stretches: bool = False,
    only_moves: bool = False,
    checked: Checked = "always",
) -> Callable[[_Function], _Function]:
    """Enters the function of an op, or of several, into the registry; see `Op` for the rest."""

    def enter(function: _Function) -> _Function:
        stated = tuple(key for key in _STATED_KEYWORDS if key in _parameters(function))
        for name in names:
            OPS[name] = Op(
                function, cost, stretches, only_moves, "never" if only_moves else checked, stated
            )
        return function

    return enter


def _parameters(function: Any) -> tuple[str, ...]:
    """Names of parameters; functions of NumPy, which have no type to be told, have none here."""
    if not inspect.isfunction(function):
        return ()
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


# Parts of formulas ------------------------------------------------------------------------------


def count(shape: Iterable[int]) -> int:
    """The number of elements; unknown sizes count as the compiler's `ASSUMED_SIZE`."""
    return math.prod(ASSUMED_SIZE if size < 0 else size for size in shape)


def slowness(elements: Sequence[str]) -> int:
    """The cost factor of element types relative to NumPy's native ones."""
    for element in elements:
        if element.startswith(("bfloat", "float8", "float6", "float4", "int4", "int2", "uint4")):
            return 8
        if element == "float16" or element.startswith("complex"):
            return 4
    return 1


def product_rate(element: str) -> float:
    """Seconds for each multiplication of a contraction: those of BLAS, or of NumPy's loops."""
    blas = ("float32", "float64", "complex64", "complex128", "bfloat16", "float16")
    return 0.1 * NS if element in blas else 2 * NS


def of_windows(call: Call) -> float:
    """The cost of windows that are gathered before they are reduced."""
    elements = count(call.results[0]) * count(call.attributes["window"])
    return WINDOW * elements * slowness(call.elements)


# The time to gather an element of a window.
WINDOW = 5 * NS


def of_matrices(factor: float) -> Formula:
    """The cost of a routine of LAPACK for each matrix: `factor` times m n min(m, n) products."""

    def seconds(call: Call) -> float:
        *batch, m, n = call.operands[0]
        return factor * count(batch) * (20e-6 + 0.5 * NS * count((m, n, min(m, n))))

    return seconds


def of_systems(factor: float) -> Formula:
    """The cost of a routine of LAPACK for each matrix of the last operand, linear in its size."""

    def seconds(call: Call) -> float:
        *batch, m, n = call.operands[-1]
        return count(batch) * (20e-6 + factor * NS * count((m, n)))

    return seconds
