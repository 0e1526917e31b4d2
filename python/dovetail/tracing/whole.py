"""Functions whose ops are one program where arrays are divided among devices.

Outside of programs, ops are applied one by one, and each result has its sharding: one whose size
does not divide has none to pass on. The compiler sees all of a function, and through such results.
What it makes of one is kept, by the types and places of arrays, and the values of other arguments.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import config
from dovetail.base.bounded import Bounded
from dovetail.base.trace_stack import stack
from dovetail.placement import partitioning
from dovetail.placement.shardings import Place
from dovetail.tracing.bind import is_eager
from dovetail.tracing.functions import EagerProgram, apply, eager_program, trace
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.pytree import PyTreeSpec, flatten, unflatten

F = TypeVar("F", bound=Callable[..., Any])
_KIND = "whole"


def whole(function: F) -> F:
    """Evaluate calls of a function with arrays that are divided among devices as a program, outside
    of others.

    Args:
      function: a function of arrays, and of other arguments, that returns a tree of arrays.

    Returns:
      The function, whose results have the values that they have anyway.

    Example:
      >>> import numpy as np
      >>> whole(lambda x: x + x)(np.float32(2))
      np.float32(4.0)
    """

    return _program_if(lambda leaves: any(map(_is_divided, leaves)), function)


def whole_if_repeated(function: F) -> F:
    """The same for calls with arrays of several shapes only: of one shape, the results of the ops
    are sharded like those of the program, which is made for each value of other arguments.

    Args:
      function: as for `whole`, of arrays that are broadcast together.

    Returns:
      The function, whose results have the values that they have anyway.

    Example:
      >>> import numpy as np
      >>> whole_if_repeated(lambda x, y: x + y + y)(np.float32(2), np.float32(1))
      np.float32(4.0)
    """

    def differ(leaves: list[Any]) -> bool:
        shapes = {x.shape for x in leaves if type(x) is Array}
        return len(shapes) > 1 and any(map(_is_divided, leaves))

    return _program_if(differ, function)


def _program_if(condition: Callable[[list[Any]], bool], function: F) -> F:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not Place.any_spread or stack.traces:
            return function(*args, **kwargs)
        leaves, tree = flatten((args, kwargs))
        if not condition(leaves) or not is_eager(*leaves):
            return function(*args, **kwargs)
        return _evaluated(function, leaves, tree)

    return wrapper  # pyright: ignore[reportReturnType]


def applies_singly(x: Operand) -> bool:
    """Whether ops on an array are applied one by one to arrays that are divided among devices: in
    eager calls, and in functions of transforms of these, as JAX evaluates them.

    Args:
      x: the array, or the value in the function that stands for it.
    """
    if not isinstance(x, Tracer):
        return not stack.traces and _is_divided(x)
    traces = stack.traces
    return all(trace.concrete and trace.kind != _KIND for trace in traces) and any(
        _is_divided(given) for trace in traces for given in trace.given_operands()
    )


def _is_divided(x: Any) -> bool:
    place = x._place if type(x) is Array else None
    if place is None or not place.is_spread:
        return False
    mesh = partitioning.mesh_of(place)
    # Over explicit axes, types say how results are sharded.
    return mesh is not None and not mesh.explicit_axes


class _Known(NamedTuple):
    """What a call was evaluated by.

    Attributes:
      program: what evaluates its arrays, and `captured`.
      captured: constants of the function.
      tree: the structure of the results.
    """

    program: EagerProgram
    captured: list[Operand]
    tree: PyTreeSpec


class _Unkeyed(Exception):
    """A call has an argument that cannot be part of a key."""


_known: Bounded[Any, _Known] = Bounded()
# Arrays of NumPy are part of programs: larger ones are not compared.
_LARGEST_IN_KEY = 4096
_BY_VALUE = (bool, int, str, bytes, type(None), type(...), type, np.dtype)


def _key_of(x: Any) -> Any:
    """What a program depends on of an argument."""
    kind = type(x)
    if kind is Array:
        return x.shape, x.dtype, x.weak_type, x._place
    if isinstance(x, slice):
        return kind, _key_of(x.start), _key_of(x.stop), _key_of(x.step)
    if kind is float:
        # Zeros of both signs are equal.
        return kind, float.hex(x)
    if kind in (tuple, list) or (isinstance(x, tuple) and hasattr(kind, "_fields")):
        return kind, *map(_key_of, x)
    if isinstance(x, (np.ndarray, np.generic)) and x.nbytes <= _LARGEST_IN_KEY and x.dtype != "O":
        return kind, x.shape, x.dtype, x.tobytes()
    if isinstance(x, _BY_VALUE):
        return kind, x
    raise _Unkeyed


def _evaluated(function: Callable[..., Any], leaves: list[Any], tree: PyTreeSpec) -> Any:
    positions = [i for i, x in enumerate(leaves) if type(x) is Array]
    arrays: list[Operand] = [leaves[i] for i in positions]
    key: Any = None
    with contextlib.suppress(_Unkeyed):
        key = function, tree, config.snapshot().trace_key, *map(_key_of, leaves)
    known = None if key is None else _known.get(key)
    if known is not None:
        return unflatten(known.tree, known.program([*arrays, *known.captured]))

    def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
        given = list(leaves)
        for i, tracer in zip(positions, tracers, strict=True):
            given[i] = tracer
        args, kwargs = unflatten(tree, given)
        return flatten(function(*args, **kwargs))

    name = getattr(function, "__name__", "function")
    names = [f"argument {i} of {name}" for i in positions]
    traced = trace(python, [x.aval for x in arrays], names, _KIND, name, arrays)
    operands = [*arrays, *traced.captured]
    program = None if traced.asked_values else eager_program(traced, operands)
    if program is None:
        return unflatten(traced.extra, apply("call", traced, operands, traced.avals))
    # A constant is equal in each trace; what is not may be an array that was set elsewhere.
    if key is not None and all(x._place is None for x in traced.captured):
        _known[key] = _Known(program, traced.captured, traced.extra)
    return unflatten(traced.extra, program(operands))
