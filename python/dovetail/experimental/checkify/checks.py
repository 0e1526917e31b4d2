"""Checks in programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes, locations
from dovetail.base.errors import type_error
from dovetail.base.trace_stack import current, refuse_recording
from dovetail.experimental.checkify import words
from dovetail.experimental.checkify.errors import NONE, Error, FailedCheckError, Source, raised
from dovetail.ops.operands import as_operand
from dovetail.trees.pytree import flatten

_WORD = np.dtype(np.int32)
# The checks of programs by the numbers that traced functions have for them.
_tables: list[tuple[Source, ...]] = []
_numbers: dict[tuple[Source, ...], int] = {}


def table(number: int) -> tuple[Source, ...]:
    """The checks that a traced function has under a number."""
    return _tables[number]


def _number_of(sources: tuple[Source, ...]) -> int:
    if sources not in _numbers:
        _numbers[sources] = len(_tables)
        _tables.append(sources)
    return _numbers[sources]


def check(pred: Any, msg: str, *fmt_args: Any, debug: bool = False, **fmt_kwargs: Any) -> None:
    """Check a condition; if it is false, the function fails with a message.

    Outside of traced functions, the failure is an exception. A function that is traced (by `jit`,
    by a loop) must be transformed by `checkify`, which returns the failure as a value.

    Args:
      pred: a bool, or an array of one.
      msg: the message, with fields as of `str.format`.
      fmt_args, fmt_kwargs: the fields' values, trees of arrays.
      debug: whether functions that are not transformed by `checkify` ignore it.

    Raises:
      JaxRuntimeError: the condition is false, and known.
      TypeError: `pred` is no bool scalar, or a field is no array.

    Example:
      >>> from dovetail.experimental import checkify
      >>> def f(x):
      ...     checkify.check(x > 0, "{x} must be positive", x=x)
      ...     return 1 / x
      >>> error, _ = dt.jit(checkify.checkify(f))(-3.0)
      >>> error.get()
      '-3.0 must be positive (`check` failed)'
    """
    name = "debug_check" if debug else "check"
    if not _is_scalar(pred):
        raise type_error(
            f"{name} takes a scalar pred as argument, got: {pred}; use all or any of its elements"
        )
    leaves, spec = flatten((fmt_args, fmt_kwargs))
    for leaf in leaves:
        if not isinstance(leaf, (ArrayMethods, np.ndarray, np.generic)):
            raise type_error(
                "Formatting arguments to checkify.check need to be PyTrees of arrays, got: "
                f"{leaf!r} of type {type(leaf).__name__}; write it into the message"
            )
    values = [as_operand(name, leaf) for leaf in leaves]
    avals = tuple(value.aval.update(weak_type=False) for value in values)
    source = Source("user", msg, locations.location(), (), spec, avals)
    refuse_recording()
    if current() is None:
        if not debug and not bool(pred):
            data = [np.asarray(words.packed(value)) for value in values]
            raise raised(FailedCheckError(source, np.concatenate([np.zeros(0, _WORD), *data])))
        return
    number = lax.select(dnp.asarray(pred), np.full((), -1, _WORD), np.zeros((), _WORD))
    parts = [lax.reshape(number, (1,)), *map(words.packed, values)]
    _emit(lax.concatenate(parts, 0), (source,), "user", debug)


def debug_check(pred: Any, msg: str, *fmt_args: Any, **fmt_kwargs: Any) -> None:
    """Check a condition in functions that are transformed by `checkify`, and nowhere else.

    Args:
      pred, msg, fmt_args, fmt_kwargs: as for `check`.

    Raises:
      TypeError: `pred` is no bool scalar, or a field is no array.

    Example:
      >>> from dovetail.experimental import checkify
      >>> def f(x):
      ...     checkify.debug_check(x != 0, "must not be zero")
      ...     return x
      >>> f(0), checkify.checkify(f)(dnp.int32(0))[0].get()
      (0, 'must not be zero (`check` failed)')
    """
    check(pred, msg, *fmt_args, debug=True, **fmt_kwargs)


def check_error(error: Error) -> None:
    """Fail if an error says so: the inverse of `checkify`.

    Args:
      error: what a function returned that `checkify` transformed, also of a batch or stacked by a
        loop.

    Raises:
      JaxRuntimeError: there is a failure, and this is known.
      TypeError: it is no `Error`.

    Example:
      >>> from dovetail.experimental import checkify
      >>> def f(x):
      ...     checkify.check(x > 0, "must be positive")
      ...     return x
      >>> error, y = dt.jit(checkify.checkify(f))(1.0)
      >>> checkify.check_error(error)
    """
    if not isinstance(error, Error):
        raise type_error(
            f"check_error takes an Error as argument, got: {type(error).__name__}; pass the first "
            "result of a function that checkify transformed"
        )
    if current() is None:
        exception = error.get_exception()
        if exception is not None:
            raise raised(exception)
        return
    failures = dnp.reshape(dnp.asarray(error.failure), (-1, error.failure.shape[-1]))
    numbers = failures[:, 0]
    for kind in dict.fromkeys(source.kind for source in error.sources):
        is_of_kind = dnp.array([source.kind == kind for source in error.sources])
        is_failed = (numbers != NONE) & is_of_kind[dnp.clip(numbers, 0, len(error.sources) - 1)]
        first = dnp.argmax(is_failed)
        number = dnp.where(is_failed[first], numbers[first], np.int32(-1))
        failure = dnp.concatenate([number[None], failures[first, 1:]])
        _emit(failure, error.sources, kind, False)


def _is_scalar(pred: Any) -> bool:
    if isinstance(pred, (bool, np.bool_)):
        return True
    return isinstance(pred, (ArrayMethods, np.ndarray)) and (
        pred.shape == () and pred.dtype == dtypes.bool_
    )


def _emit(failure: Array, sources: tuple[Source, ...], kind: str, debug: bool) -> None:
    """Add a check to the function in progress."""
    in_progress = current()
    assert in_progress is not None
    attributes = {
        "kind": kind,
        "table": _number_of(sources),
        "count": len(sources),
        "debug": debug,
    }
    in_progress.emit("check", [failure], attributes, [], [], lambda *_: [], {})
