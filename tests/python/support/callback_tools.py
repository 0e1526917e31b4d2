"""Shared parts of tests of callbacks: functions that record calls, and ways to run programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.experimental import io_callback

F32 = np.dtype(np.float32)
SCALAR = dt.ShapeDtypeStruct((), F32)

Transform = Callable[[Callable[..., Any]], Callable[..., Any]]


def as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, run op by op."""
    return function


# Ways to run a function.
RUNS = {
    "compiled": dt.jit,
    "evaluated": functools.partial(dt.jit, compile="never"),
    "eager": as_it_is,
}


class Log:
    """Records the arguments of its calls, in order."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, *values: Any) -> None:
        items = [np.asarray(value).tolist() for value in values]
        self.seen.append(items[0] if len(items) == 1 else tuple(items))

    def take(self) -> list[Any]:
        """The calls recorded since the last `take`."""
        seen, self.seen = self.seen, []
        return seen


class Refusal(Exception):
    """An exception class that only the user's program knows."""


def debug(log: Log, *values: Any) -> None:
    """Record values by `debug.callback`."""
    dt.debug.callback(log, *values)


def io(log: Log, *values: Any) -> None:
    """Record values by an ordered `io_callback`."""
    io_callback(log, None, *values, ordered=True)


def sine(x: Any, **options: Any) -> Any:
    """NumPy's sine by `pure_callback`."""
    return dt.pure_callback(np.sin, dt.ShapeDtypeStruct(x.shape, x.dtype), x, **options)
