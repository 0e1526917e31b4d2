"""Debugging aids that run inside programs, including compiled ones."""

from __future__ import annotations

import logging
import string
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.base import locations
from dovetail.base.errors import type_error, value_error
from dovetail.diagnostics.sharding_display import inspect_array_sharding as inspect_array_sharding
from dovetail.diagnostics.sharding_display import (
    visualize_array_sharding as visualize_array_sharding,
)
from dovetail.diagnostics.sharding_display import visualize_sharding as visualize_sharding
from dovetail.transforms.callbacks import observe

__all__ = [
    "callback",
    "inspect_array_sharding",
    "log",
    "print",
    "visualize_array_sharding",
    "visualize_sharding",
]

_logger = logging.getLogger("dovetail.debug")


def callback(
    callback: Callable[..., Any] | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    **kwargs: Any,
) -> Any:
    """Call a Python function while a program runs, even a compiled one; its result is ignored.

    It does not change what the program computes. In derivatives it sees the values of the function,
    once; under `vmap`, one element of the batch after the other. An exception that it raises is
    raised by the call of the program. In a branch or loop whose predicate differs between the
    elements of a batch, it is called for all of them.

    Args:
      callback: the function; if it is not given, `debug.callback(ordered=True)(f, x)` is the same
        as `debug.callback(f, x, ordered=True)`.
      args, kwargs: its arguments: trees of arrays; leaves of other types are passed unchanged.
      ordered: whether the order of the calls matters. They are made in program order in any case.
      partitioned: accepted for compatibility with JAX.

    Returns:
      None; without a function, a function that takes it.

    Raises:
      TypeError: `callback` is not a function.

    Example:
      >>> import dovetail as dt
      >>> seen = []
      >>> @dt.jit
      ... def f(x):
      ...     dt.debug.callback(lambda x: seen.append(float(x)), x)
      ...     return x * x
      >>> float(dt.grad(f)(3.0)), seen
      (6.0, [3.0])
    """

    def apply(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        observe(function, args, kwargs, ordered, "debug.callback")

    return _applied(apply, "debug.callback", callback, args, kwargs)


def print(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: Any,
) -> Any:
    """Print values while a program runs, even a compiled one.

    Args:
      fmt: a format string as for `str.format`, with fields for the values: not an f-string, which
        would be formatted while the function is traced. If it has no fields, the positional values
        follow it. If it is not given, `debug.print(ordered=True)("{}", x)` is the same as
        `debug.print("{}", x, ordered=True)`.
      args, kwargs: the values.
      ordered, partitioned: as for `callback`.
      skip_format_check: whether to allow unused values.

    Returns:
      None; without a format, a function that takes it.

    Raises:
      ValueError: there are values that the format does not use.
      IndexError, KeyError: the format has a field for which there is no value.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> @dt.jit
      ... def f(x):
      ...     dt.debug.print("x = {}, its sum {total:.1f}", x, total=x.sum())
      ...     return x
      >>> _ = f(dnp.arange(3.0))
      x = [0. 1. 2.], its sum 3.0
    """

    def apply(fmt: str, *args: Any, **kwargs: Any) -> None:
        _observe_message(_write, "debug.print", fmt, args, kwargs, ordered, skip_format_check)

    return _applied(apply, "debug.print", fmt, args, kwargs)


def log(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: Any,
) -> Any:
    """Log values while a program runs, at level INFO of the logger `dovetail.debug`.

    Args:
      fmt, args, kwargs, ordered, partitioned, skip_format_check: as for `print`.

    Returns:
      None; without a format, a function that takes it.

    Raises:
      ValueError: there are values that the format does not use.
      IndexError, KeyError: the format has a field for which there is no value.

    Example:
      >>> import dovetail as dt
      >>> dt.jit(lambda x: dt.debug.log("x = {}", x))(1.0)
    """

    def apply(fmt: str, *args: Any, **kwargs: Any) -> None:
        file, line, function = locations.location()

        def handle(message: str) -> None:
            if _logger.isEnabledFor(logging.INFO):
                record = _logger.makeRecord(
                    _logger.name, logging.INFO, file, line, message, (), None, function
                )
                _logger.handle(record)

        _observe_message(handle, "debug.log", fmt, args, kwargs, ordered, skip_format_check)

    return _applied(apply, "debug.log", fmt, args, kwargs)


def _applied(
    apply: Callable[..., None], what: str, first: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Apply an action to a first argument; without one, return a decorator that applies it."""
    if first is not None:
        return apply(first, *args, **kwargs)
    if args or kwargs:
        raise type_error(
            f"{what} received unexpected arguments in the two-call form: without its first "
            f"argument it takes options only, got: {args} and {kwargs}"
        )
    return apply


class _Checker(string.Formatter):
    """Checks that a format matches its values, without formatting.

    Attributes:
      unused: the numbers and names of the values without a field.
    """

    unused: Sequence[str] = ()

    def format_field(self, value: Any, format_spec: str) -> str:
        """Nothing: the value may be a tracer."""
        return ""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        """Return the value unchanged."""
        return value

    def check_unused_args(self, used_args: Any, args: Any, kwargs: Any) -> None:
        """Record the values without a field."""
        unused = [str(i) for i in range(len(args)) if i not in used_args]
        self.unused = [*unused, *(name for name in kwargs if name not in used_args)]


def _check_fields(what: str, fmt: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Reject a format without a field for each value, or with one for no value."""
    checker = _Checker()
    checker.format(fmt, *args, **kwargs)
    if checker.unused:
        kind = "positional" if checker.unused[0].isdigit() else "keyword"
        raise value_error(
            f"Unused {kind} arguments to {what}: {checker.unused}. You may be passing "
            "an f-string, whose fields are gone before the program runs; write '{}' or "
            "'{name}' for each value"
        )


def _has_fields(fmt: str) -> bool:
    """True if a format string has a field, at its beginning or after leading text."""
    return any(field is not None for _, field, *_ in string.Formatter().parse(fmt))


def _observe_message(
    emit: Callable[[str], None],
    what: str,
    fmt: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    ordered: bool,
    skip_check: bool,
) -> None:
    """Emit a message of values while the program runs."""
    if not isinstance(fmt, str):
        raise type_error(f"{what} must get a format string, got: {fmt!r}")
    if not skip_check:
        _check_fields(what, fmt, args, kwargs)
    options = np.get_printoptions()
    has_fields = _has_fields(fmt)

    def show(*args: Any, **kwargs: Any) -> None:
        with np.printoptions(**options):
            message = (
                fmt.format(*args, **kwargs) if has_fields else " ".join([fmt, *map(str, args)])
            )
        emit(message)

    show.__name__ = what
    if emit is _write:
        show.printed = {  # type: ignore[attr-defined]
            "fmt": fmt,
            "has_placeholders": has_fields,
            "np_printoptions": tuple(options.items()),
            "logging_record": None,
            "partitioned": False,
        }
    observe(show, args, kwargs, ordered, what)


def _write(message: str) -> None:
    sys.stdout.write(message + "\n")
