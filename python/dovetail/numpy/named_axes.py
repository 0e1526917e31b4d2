"""Reductions over axes that a `vmap` or `shard_map` names, beside dimensions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from dovetail.arrays.array import Array

F = TypeVar("F", bound=Callable[..., Any])


def without_names(axis: Any) -> tuple[Any, tuple[str, ...]]:
    """The dimensions among axes, as they were given, and the names."""
    if type(axis) is str:
        return (), (axis,)
    if type(axis) not in (tuple, list) or not any(type(each) is str for each in axis):
        return axis, ()
    names = tuple(each for each in axis if type(each) is str)
    return tuple(each for each in axis if type(each) is not str), names


def over_named_axes(collective: Callable[[Any, Any], Array]) -> Callable[[F], F]:
    """Let axes of a reduction be names: what it makes of dimensions is combined over these.

    Args:
      collective: combines an array over named axes.

    Returns:
      A decorator of functions of an array and `axis`.

    Example:
      >>> import dovetail as dt
      >>> x = dnp.arange(6.0).reshape(2, 3)
      >>> dt.vmap(lambda row: dnp.sum(row, axis=("i", 0)), axis_name="i")(x)
      Array([15., 15.], dtype=float32)
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
            dims, names = without_names(axis)
            result = function(a, dims, *args, **kwargs)
            return collective(result, names) if names else result

        return wrapper  # pyright: ignore[reportReturnType]

    return decorate
