"""Groups of ops that a compiler is to schedule together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

import dovetail as dt

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["scheduling_group", "xla_metadata_call"]


def scheduling_group(name: str) -> Callable[[F], F]:
    """A decorator of functions that are a group for the scheduler of XLA.

    This compiler has no such scheduler: the function is called as a function of the program.

    Args:
      name: the name of the group.

    Returns:
      The decorator.

    Example:
      >>> from dovetail.experimental.scheduling_groups import scheduling_group
      >>> @scheduling_group("first")
      ... def double(x):
      ...     return 2 * x
      >>> double(dnp.arange(3))
      Array([0, 2, 4], dtype=int32)
    """
    return xla_metadata_call(scheduling_group=name)


@overload
def xla_metadata_call(f: F, **meta: Any) -> F: ...
@overload
def xla_metadata_call(f: None = None, **meta: Any) -> Callable[[F], F]: ...
def xla_metadata_call(f: Any = None, **meta: Any) -> Any:
    """A function whose calls carry metadata for XLA, which this compiler drops.

    Args:
      f: the function; without it, a decorator is returned.
      **meta: the metadata.

    Returns:
      The function, traced as one of its own.

    Example:
      >>> from dovetail.experimental.scheduling_groups import xla_metadata_call
      >>> xla_metadata_call(lambda x: x + 1, kind="first")(dnp.arange(3))
      Array([1, 2, 3], dtype=int32)
    """
    return dt.jit if f is None else dt.jit(f)
