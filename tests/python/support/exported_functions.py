"""A table of functions over either library: what exporters of programs write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_RANDOM = np.random.default_rng(7)


class Function(NamedTuple):
    """A function of a library and of arrays.

    Attributes:
      name: its name, by which it is chosen.
      call: the function; its first argument has the modules `jax`, `np`, `lax`, `nn`, `random`.
      args: the arrays.
      has_gradient: whether its gradients are compared.
      is_written: whether the program that is written of it is compared.
      rtol: the relative difference that results may have.
    """

    name: str
    call: Callable[..., Any]
    args: list[Any]
    has_gradient: bool
    is_written: bool
    rtol: float


FUNCTIONS: list[Function] = []


def add(
    name: str,
    call: Callable[..., Any],
    *args: Any,
    grad: bool = True,
    ours: bool = True,
    tol: float = 3e-4,
) -> None:
    """Append a function to the table."""
    FUNCTIONS.append(Function(name, call, list(args), grad, ours, tol))


def function(*args: Any, **options: Any) -> Callable[..., Any]:
    """Append the decorated function to the table, with the options of `add`."""

    def decorate(call: Callable[..., Any]) -> Callable[..., Any]:
        add(call.__name__, call, *args, **options)
        return call

    return decorate


def f32(*shape: int) -> np.ndarray:
    """Normal numbers."""
    return _RANDOM.normal(size=shape).astype(np.float32)


def pos(*shape: int) -> np.ndarray:
    """Numbers between 0.5 and 1.5."""
    return _RANDOM.uniform(0.5, 1.5, shape).astype(np.float32)


def c64(*shape: int) -> np.ndarray:
    """Complex normal numbers."""
    return (_RANDOM.normal(size=shape) + 1j * _RANDOM.normal(size=shape)).astype(np.complex64)


def ints(low: int, high: int, *shape: int, t: Any = np.int32) -> np.ndarray:
    """Whole numbers from `low` on, and below `high`."""
    return _RANDOM.integers(low, high, shape).astype(t)
