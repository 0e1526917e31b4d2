"""Functions whose ops are one program where arrays are divided among devices.

Outside of programs, ops are applied one by one, and each result has its sharding: one whose size
does not divide has none to pass on. The compiler sees all of a function, and through such results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from dovetail.arrays.array import Array
from dovetail.base.trace_stack import stack
from dovetail.placement import partitioning
from dovetail.placement.shardings import Place
from dovetail.tracing.bind import is_eager
from dovetail.tracing.functions import apply, trace
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

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not Place.any_spread or stack.traces:
            return function(*args, **kwargs)
        leaves, tree = flatten(args)
        if not any(map(_is_divided, leaves)) or not is_eager(*leaves):
            return function(*args, **kwargs)
        return _evaluated(function, leaves, tree, kwargs)

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


def _evaluated(
    function: Callable[..., Any], leaves: list[Any], tree: PyTreeSpec, kwargs: dict[str, Any]
) -> Any:
    positions = [i for i, x in enumerate(leaves) if type(x) is Array]
    arrays = [leaves[i] for i in positions]

    def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
        given = list(leaves)
        for i, tracer in zip(positions, tracers, strict=True):
            given[i] = tracer
        return flatten(function(*unflatten(tree, given), **kwargs))

    name = getattr(function, "__name__", "function")
    names = [f"argument {i} of {name}" for i in positions]
    traced = trace(python, [x.aval for x in arrays], names, _KIND, name, arrays)
    outs = apply("call", traced, [*arrays, *traced.captured], traced.avals)
    return unflatten(traced.extra, outs)
