"""The argument `out_sharding` of functions: the sharding in the type of the result."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.placement.meshes import AxisType
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.type_shardings import named_by_context
from dovetail.transforms.explicit_sharding import auto_axes

F = TypeVar("F", bound=Callable[..., Any])

_OUT_SHARDING = """
    Args:
      out_sharding: the sharding in the type of the result: a `NamedSharding`, or a `P` over the
        mesh of the context.
"""


def placed(
    name: str, function: Callable[..., Any], out_sharding: Any, *args: Any, **kwargs: Any
) -> Any:
    """The result of a function, with a sharding in its type; within, no axis is explicit.

    Args:
      name: the name of the function that was given `out_sharding`.
      function: the function.
      out_sharding: a `NamedSharding`, or a `PartitionSpec` over the mesh of the context.
      args, kwargs: its arguments.

    Raises:
      TypeError: something else than a sharding.
      ValueError: there is no mesh, or the axes are not explicit.
    """
    wanted = named_by_context(out_sharding, name) if isinstance(out_sharding, P) else out_sharding
    if not isinstance(wanted, NamedSharding):
        raise type_error(
            f"`out_sharding` argument of `{name}` only supports instances of `NamedSharding` or "
            f"`PartitionSpec`, got: {out_sharding!r}"
        )
    for axis in wanted.spec.axes:
        kind = wanted.mesh.type_of[axis]
        if kind is not AxisType.Explicit:
            raise value_error(
                f"PartitionSpec passed to {name} cannot contain axis names that are of type Auto "
                f"or Manual. Got PartitionSpec: {wanted.spec} with axis name: {axis} of type: "
                f"AxisType.{kind.name}, got: {wanted.mesh}"
            )

    # It may be that of an operand with more dimensions than the result, where these are whole.
    entries = wanted.spec.partitions
    while entries and entries[-1] is None:
        entries = entries[:-1]
    wanted = wanted.update(spec=wanted.spec.update(entries))

    def call(args: Any, kwargs: Any) -> Any:
        return function(*args, **kwargs)

    axes = wanted.mesh.explicit_axes
    return auto_axes(call, axes=axes, out_sharding=wanted)(args, kwargs)


def accepts_out_sharding(function: F) -> F:
    """A function that does what its parameter `out_sharding` says: see `placed`.

    The function itself is never given it.
    """
    name = function.__name__
    parameters = list(inspect.signature(function).parameters.values())
    (place,) = (i for i, parameter in enumerate(parameters) if parameter.name == "out_sharding")

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place and parameters[place].kind is not inspect.Parameter.KEYWORD_ONLY:
            kwargs["out_sharding"], args = args[place], args[:place]
        if "out_sharding" not in kwargs:
            return function(*args, **kwargs)
        out_sharding = kwargs.pop("out_sharding")
        if out_sharding is None:
            return function(*args, **kwargs)
        return placed(name, function, out_sharding, *args, **kwargs)

    return documented(_OUT_SHARDING)(cast("F", wrapper))
