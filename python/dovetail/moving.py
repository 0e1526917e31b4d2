"""Functions that only move elements, for arrays whose elements are vectors of words: keys."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dovetail.errors import type_error


def _is_keys(x: Any) -> bool:
    return hasattr(type(x), "is_key_array")


def _has_keys(x: Any) -> bool:
    return _is_keys(x) or (type(x) in (list, tuple) and bool(x) and _is_keys(x[0]))


def moves_keys(function: Callable[..., Any], positions: Sequence[int]) -> Callable[..., Any]:
    """A function of arrays that takes arrays of keys as well.

    Args:
      function: moves elements, and computes nothing of them.
      positions: those of its arguments that must be keys, or sequences of them, if one is.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if _has_keys(arg):
                return _moved(function, positions, args, kwargs)
        return function(*args, **kwargs)

    return wrapper


def _moved(
    function: Callable[..., Any],
    positions: Sequence[int],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    from dovetail import batching
    from dovetail.pytree import map_leaves

    wanted = [args[i] for i in positions if i < len(args)]
    keys = [x for arg in wanted for x in (arg if type(arg) in (list, tuple) else (arg,))]
    types = {x.dtype if _is_keys(x) else type(x).__name__ for x in keys}
    if len(types) > 1:
        raise type_error(
            f"{function.__name__}: keys go with keys of their own generator only, got "
            f"{' and '.join(sorted(map(str, types)))}"
        )

    def with_words(*words: Any) -> Any:
        left = iter(words)
        full = list(args)
        for i in positions:
            if i < len(args):
                is_many = type(args[i]) in (list, tuple)
                full[i] = [next(left) for _ in args[i]] if is_many else next(left)
        return function(*full, **kwargs)

    for _ in range(keys[0].hidden_ndim):
        with_words = batching.vmap(with_words, -1, -1)
    return map_leaves(keys[0]._with, with_words(*(x._data for x in keys)))


def let_move_keys(package: dict[str, Any], names: Mapping[str, Sequence[int]]) -> None:
    """Let functions of a package take keys too.

    Args:
      package: its global names.
      names: of the functions, with the positions of what is moved.
    """
    for name, positions in names.items():
        package[name] = moves_keys(package[name], positions)
