"""Arrays of random keys as arguments of functions that move, repeat or fill elements."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def is_keys(x: Any) -> bool:
    """True if `x` is an array of keys."""
    return hasattr(type(x), "is_key_array")


def is_key_type(x: Any) -> bool:
    """True if `x` is the element type of key arrays."""
    return hasattr(type(x), "is_key_type")


def moves_keys(function: Callable[..., Any], positions: Sequence[int]) -> Callable[..., Any]:
    """A function of arrays that accepts arrays of keys as well.

    Args:
      function: moves elements, without computing on them.
      positions: the arguments that must be keys, or sequences of them, if one of them is.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            keys = arg[0] if type(arg) in (list, tuple) and arg else arg
            if is_keys(keys):
                return keys._move(function, positions, args, kwargs)
        return function(*args, **kwargs)

    return wrapper


def makes_keys(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that fills arrays with one value, which may be an array of keys as well.

    Args:
      function: takes `shape` or an array that the result is like, optionally `fill_value`, and
        `dtype`. All words of a key are filled with a number.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for arg in (*args, *kwargs.values()):
            if is_keys(arg) or is_key_type(arg):
                return arg._make(function, signature.bind(*args, **kwargs).arguments)
        return function(*args, **kwargs)

    return wrapper


def let_make_keys(package: dict[str, Any], names: Sequence[str]) -> None:
    """Let functions of a package fill arrays with keys.

    Args:
      package: its global names.
      names: the functions' names.
    """
    for name in names:
        package[name] = makes_keys(package[name])


def let_move_keys(package: dict[str, Any], names: Mapping[str, Sequence[int]]) -> None:
    """Let functions of a package accept keys.

    Args:
      package: its global names.
      names: the functions' names, with the positions of the arguments that are moved.
    """
    for name, positions in names.items():
        package[name] = moves_keys(package[name], positions)
