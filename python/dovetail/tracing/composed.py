"""Functions of several ops that are one equation in what `make_jaxpr` makes."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dovetail.arrays.keys import is_keys
from dovetail.base.trace_stack import current
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.functions import apply, trace
from dovetail.tracing.trace import Operand, Tracer
from dovetail.tracing.whole import whole


class Composition(NamedTuple):
    """A function of arrays, whose keywords are parameters of the equation.

    Attributes:
      function: the function.
      multiple_results: whether it returns a sequence of arrays.
      ops: the function that is never an equation itself.
    """

    function: Callable[..., Any]
    multiple_results: bool
    ops: Callable[..., Any]


class Equation:
    """An equation that a call of a function stands for. It lives as long as the module that keeps
    it.

    Args:
      primitive: the name of the primitive.
      params: its parameters.
      num_operands: the number of its operands; others of the call are constants of the function.
      keys: the element types of operands that are keys, by their numbers; their words are the
        call's.
      key_results: the same for results.
    """

    def __init__(
        self,
        primitive: str,
        params: dict[str, Any],
        num_operands: int,
        keys: dict[int, Any],
        key_results: dict[int, Any],
    ) -> None:
        self.primitive, self.params, self.num_operands = primitive, params, num_operands
        self.keys, self.key_results = keys, key_results
        self.name = f"{primitive}.{next(_numbers)}"
        _known[self.name] = self


_numbers = itertools.count()
_known: weakref.WeakValueDictionary[str, Equation] = weakref.WeakValueDictionary()
# By the names of the primitives.
COMPOSITIONS: dict[str, Composition] = {}


def equation_named(name: str) -> Equation:
    """The equation of that name.

    Args:
      name: its name in the IR.
    """
    return _known[name]


def makes_equations() -> bool:
    """Whether the function in progress is one of `make_jaxpr`, in which compositions are equations.

    Example:
      >>> makes_equations()
      False
    """
    in_progress = current()
    return in_progress is not None and in_progress.literals is not None


def composed(primitive: str, multiple_results: bool = False) -> Callable[[Any], Callable[..., Any]]:
    """Make calls of a function an equation of a primitive, in the programs of `make_jaxpr`.
    Elsewhere, the function's ops are part of the program around it.

    Args:
      primitive: the name of the primitive.
      multiple_results: whether the function returns a sequence of arrays.

    Returns:
      A decorator of functions whose positional arguments are arrays, and whose keywords are the
      parameters of the equation.

    Example:
      >>> @composed("twice")
      ... def twice(x, *, times):
      ...     return x * 2 ** times
      >>> COMPOSITIONS["twice"].multiple_results
      False
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        evaluated = whole(function)

        @functools.wraps(function)
        def wrapper(*operands: Operand, **params: Any) -> Any:
            if not makes_equations():
                return evaluated(*operands, **params)
            return as_equation(primitive, function, operands, params)

        COMPOSITIONS[primitive] = Composition(wrapper, multiple_results, function)
        return wrapper

    return decorate


def kept_equation(
    primitive: str,
    params: dict[str, Any],
    num_operands: int,
    keys: dict[int, Any] | None = None,
    key_results: dict[int, Any] | None = None,
) -> Equation:
    """An `Equation` of these, that the module in progress keeps."""
    in_progress = current()
    assert in_progress is not None
    equation = Equation(primitive, params, num_operands, keys or {}, key_results or {})
    in_progress.module.keep(equation)
    return equation


def as_equation(
    primitive: str,
    function: Callable[..., Any],
    operands: Sequence[Operand],
    params: dict[str, Any],
) -> Any:
    """Apply a function as an equation; or its ops, if there are symbolic sizes.

    Args:
      primitive: the name of the primitive.
      function: the function of the operands and, as keywords, the parameters.
      operands: arrays, or arrays of keys.
      params: the parameters.
    """
    in_progress = current()
    assert in_progress is not None
    names = [f"operand {i} of {primitive}" for i in range(len(operands))]
    keys = {i: x.dtype for i, x in enumerate(operands) if is_keys(x)}
    words = [
        x._data if is_keys(x) else as_operand(x, name)
        for x, name in zip(operands, names, strict=True)
    ]
    if in_progress.root.is_symbolic or any(has_sizes(word.shape) for word in words):
        return function(*operands, **params)
    key_results: dict[int, Any] = {}

    def python(*tracers: Tracer) -> tuple[Sequence[Operand], bool]:
        given = [keys[i]._array(x) if i in keys else x for i, x in enumerate(tracers)]
        outs = function(*given, **params)
        several = isinstance(outs, (tuple, list))
        outs = outs if several else [outs]
        key_results.update({i: x.dtype for i, x in enumerate(outs) if is_keys(x)})
        return [x._data if is_keys(x) else x for x in outs], several

    outside = words if in_progress.concrete else None
    avals = [word.aval for word in words]
    traced = trace(python, avals, names, "composed", primitive, outside)
    equation = kept_equation(primitive, params, len(words), keys, key_results)
    given = [*words, *traced.captured]
    outs = apply("call", traced, given, traced.avals, label=equation.name)
    outs = [key_results[i]._array(x) if i in key_results else x for i, x in enumerate(outs)]
    return outs if traced.extra else outs[0]
