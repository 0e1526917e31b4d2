"""Functions that move or repeat elements, for arrays whose elements are vectors of words: keys."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dovetail import dtypes
from dovetail.errors import type_error


def is_keys(x: Any) -> bool:
    """Whether something is an array of keys."""
    return hasattr(type(x), "is_key_array")


def _has_keys(x: Any) -> bool:
    return is_keys(x) or (type(x) in (list, tuple) and bool(x) and is_keys(x[0]))


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
    # The type of keys may be asked for, and no other.
    asked = [x for x in (*args, *kwargs.values()) if _is_key_type(x)]
    types = {x.dtype if is_keys(x) else type(x).__name__ for x in keys} | set(asked)
    if len(types) > 1:
        raise _mixed(function, types)
    options = {name: None if _is_key_type(x) else x for name, x in kwargs.items()}

    def with_words(*words: Any) -> Any:
        left = iter(words)
        full = [None if _is_key_type(x) else x for x in args]
        for i in positions:
            if i < len(args):
                is_many = type(args[i]) in (list, tuple)
                full[i] = [next(left) for _ in args[i]] if is_many else next(left)
        return function(*full, **options)

    def keys_of(words: Any) -> Any:
        if words.dtype != keys[0]._data.dtype:
            raise _mixed(function, {keys[0].dtype, words.dtype})
        return keys[0]._with(words)

    for _ in range(keys[0].hidden_ndim):
        with_words = batching.vmap(with_words, -1, -1)
    return map_leaves(keys_of, with_words(*(x._data for x in keys)))


def _mixed(function: Callable[..., Any], types: Iterable[Any]) -> TypeError:
    return type_error(
        f"{function.__name__}: keys go with keys of their own generator only, got "
        f"{' and '.join(sorted(map(str, types)))}"
    )


def _is_key_type(x: Any) -> bool:
    return hasattr(type(x), "is_key_type")


def makes_keys(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that fills arrays with one value, which may be an array of keys as well.

    Args:
      function: takes `shape` or an array that the result is like, perhaps `fill_value`, and
        `dtype`. All words of a key are filled with a number.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for arg in (*args, *kwargs.values()):
            if is_keys(arg) or _is_key_type(arg):
                return _made(function, signature.bind(*args, **kwargs).arguments)
        return function(*args, **kwargs)

    return wrapper


def _made(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    from dovetail.lax.operands import canonical_shape
    from dovetail.random.keys import KeyArray

    likeness = next((name for name in ("a", "prototype", "x") if name in given), None)
    like: Any = None if likeness is None else given[likeness]
    fill: Any = given.get("fill_value")
    dtype = given.get("dtype")
    if dtype is None:
        dtype = next(x.dtype for x in (like, fill) if is_keys(x))
    if is_keys(fill) and fill.dtype != dtype:
        raise _mixed(function, {fill.dtype, dtype})
    shape = given.get("shape")
    sizes = like.shape if shape is None and like is not None else canonical_shape(shape)
    if likeness is not None and is_keys(like):
        given[likeness] = given[likeness]._data
    if not _is_key_type(dtype):
        return function(**given | {"shape": sizes})
    words = {"shape": (*sizes, *dtype.generator.key_shape), "dtype": dtypes.uint32}
    if is_keys(fill):
        return fill._with(_filled(function, given | {"shape": sizes}, fill))
    return KeyArray(dtype.generator, function(**given | words))


def _filled(function: Callable[..., Any], given: dict[str, Any], keys: Any) -> Any:
    from dovetail import batching

    def with_words(words: Any) -> Any:
        return function(**given | {"dtype": dtypes.uint32, "fill_value": words})

    for _ in range(keys.hidden_ndim):
        with_words = batching.vmap(with_words, -1, -1)
    return with_words(keys._data)


def let_make_keys(package: dict[str, Any], names: Sequence[str]) -> None:
    """Let functions of a package make keys too.

    Args:
      package: its global names.
      names: of the functions.
    """
    for name in names:
        package[name] = makes_keys(package[name])


def let_move_keys(package: dict[str, Any], names: Mapping[str, Sequence[int]]) -> None:
    """Let functions of a package take keys too.

    Args:
      package: its global names.
      names: of the functions, with the positions of what is moved.
    """
    for name, positions in names.items():
        package[name] = moves_keys(package[name], positions)
