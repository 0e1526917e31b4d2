"""Blocks of code that are evaluated while tracing, or that have names in errors and the IR."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from dovetail.base import locations
from dovetail.base.trace_stack import suspended

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def ensure_compile_time_eval() -> Iterator[None]:
    """Evaluate ops on known values eagerly while tracing, instead of recording them.

    Ops on tracers are part of the program here, too.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> @dt.jit
      ... def f(x):
      ...     with dt.ensure_compile_time_eval():
      ...         size = int(dnp.sqrt(9.0))
      ...     return dnp.zeros(size) + x
      >>> f(1.0)
      Array([1., 1., 1.], dtype=float32)
    """
    with suspended():
        yield


@contextmanager
def named_scope(name: str) -> Iterator[None]:
    """Name a block of code in the IR's locations and in errors.

    Args:
      name: its name; names of nested blocks are joined by slashes.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> @dt.named_scope("activation")
      ... def relu(x):
      ...     return dnp.maximum(x, 0)
      >>> relu(-1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got: {name!r}")
    outer = locations.scope.name
    locations.scope.name = f"{outer}{name}/"
    try:
        yield
    finally:
        locations.scope.name = outer


def named_call(fun: F, *, name: str | None = None) -> F:
    """The function within a scope with its name, or with another name.

    Args:
      fun: the function.
      name: the name of the scope, as in `named_scope`; by default the function's name.

    Returns:
      A function that calls `fun` within the scope.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> def relu(x):
      ...     return dnp.maximum(x, 0)
      >>> dt.named_call(relu, name="activation")(-1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    label = name or getattr(fun, "__name__", "function")

    @functools.wraps(fun)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with named_scope(label):
            return fun(*args, **kwargs)

    return wrapper  # type: ignore[return-value]
