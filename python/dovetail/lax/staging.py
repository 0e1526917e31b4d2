"""Functions that inform a tracer or a compiler, and compute nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.ops.operands import ArrayLike, as_operand


def stage(x: ArrayLike, /) -> Array:
    """A scalar or NumPy array as an array of the program being traced.

    Args:
      x: an array or scalar.

    Returns:
      An array of the same shape and element type; weakly typed for a Python scalar.

    Raises:
      TypeError: `x` is neither an array nor a scalar.

    Example:
      >>> stage(1.0)
      Array(1., dtype=float32, weak_type=True)
    """
    return as_operand("stage", x)


def composite(decomposition: Callable[..., Any], name: str, version: int = 0) -> Callable[..., Any]:
    """A function that a compiler may recognize by name, and otherwise compiles from its definition.

    Args:
      decomposition: the function.
      name, version: its identification. The compiler here recognizes no names: it sees the same ops
        either way.

    Returns:
      A function like `decomposition`.

    Example:
      >>> tangent = composite(lambda x: lax.sin(x) / lax.cos(x), "my.tangent")
      >>> tangent(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    if not name:
        raise value_error("composite: name must not be empty")
    return functools.wraps(decomposition)(
        lambda *args, **keywords: decomposition(*args, **keywords)
    )


def dce_sink(val: Any, *, prevent_mlir_dce: bool = False) -> None:
    """Consume arrays that nothing else uses; they are not computed.

    Args:
      val: anything.
      prevent_mlir_dce: accepted.

    Returns:
      None.

    Example:
      >>> dce_sink(1.0)
    """


def platform_dependent(
    *args: Any, default: Callable[..., Any] | None = None, **per_platform: Callable[..., Any]
) -> Any:
    """Call the function for the current platform.

    Args:
      args: arguments of all functions.
      default: for platforms without a function.
      per_platform: functions by the name of a platform. A program is traced for the default one,
        `cpu`; functions that differ on other targets need separate programs.

    Returns:
      The result of one function.

    Raises:
      NotImplementedError: there is none for the platform.

    Example:
      >>> platform_dependent(2.0, cpu=lambda x: x + 1, cuda=lambda x: x - 1)
      3.0
    """
    function = per_platform.get("cpu", default)
    if function is None:
        raise NotImplementedError(
            "platform_dependent: there must be a function for cpu or a default, got: functions for "
            f"{', '.join(per_platform) or 'nothing'}"
        )
    return function(*args)


def _without_tokens(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: there are no tokens here but psend's, since a program is a function of its "
        "arguments; to have something computed before something else, use lax.optimization_barrier"
    )


def create_token(_: Any = None) -> NoReturn:
    """There are no tokens: `optimization_barrier` orders computations.

    Args:
      _: accepted.

    Returns:
      Nothing.

    Raises:
      NotImplementedError: always.

    Example:
      >>> create_token()
      Traceback (most recent call last):
      NotImplementedError: ...
    """
    _without_tokens("create_token")


def after_all(*operands: Any) -> NoReturn:
    """There are no tokens: `optimization_barrier` orders computations.

    Args:
      operands: accepted.

    Returns:
      Nothing.

    Raises:
      NotImplementedError: always.

    Example:
      >>> after_all()
      Traceback (most recent call last):
      NotImplementedError: ...
    """
    _without_tokens("after_all")
