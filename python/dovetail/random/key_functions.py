"""Functions of arrays applied to the words of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dovetail.arrays.keys import is_key_type, is_keys
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.ops.operands import canonical_shape
from dovetail.transforms import batching
from dovetail.trees.pytree import map_leaves


def moved(
    function: Callable[..., Any],
    positions: Sequence[int],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    """Apply a function that only moves elements to arrays of keys.

    Args:
      function: the function.
      positions: the positions of its arguments that are keys, or sequences of them.
      args, kwargs: its arguments.

    Raises:
      TypeError: there are keys of several generators, or other arrays, among them.
    """
    wanted = [args[i] for i in positions if i < len(args)]
    keys = [x for arg in wanted for x in (arg if type(arg) in (list, tuple) else (arg,))]
    # The requested type may only be that of the keys.
    asked = [x for x in (*args, *kwargs.values()) if is_key_type(x)]
    types = {x.dtype if is_keys(x) else type(x).__name__ for x in keys} | set(asked)
    if len(types) > 1:
        raise _mixed(function, types)
    options = {name: None if is_key_type(x) else x for name, x in kwargs.items()}

    def with_words(*words: Any) -> Any:
        left = iter(words)
        full = [None if is_key_type(x) else x for x in args]
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
        f"{function.__name__}: keys go with keys of their own generator only, got: "
        f"{' and '.join(sorted(map(str, types)))}"
    )


def made(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """Apply a function that fills arrays to keys.

    Args:
      function: takes `shape` or an array to match, perhaps `fill_value`, and `dtype`. All words of
        a key are filled with a number.
      given: its arguments by name.

    Raises:
      TypeError: the value to fill with is a key of another generator.
    """

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
    if not is_key_type(dtype):
        return function(**given | {"shape": sizes})
    words = {"shape": (*sizes, *dtype.generator.key_shape), "dtype": dtypes.uint32}
    if is_keys(fill):
        return fill._with(_filled(function, given | {"shape": sizes}, fill))
    return dtype._array(function(**given | words))


def _filled(function: Callable[..., Any], given: dict[str, Any], keys: Any) -> Any:

    def with_words(words: Any) -> Any:
        return function(**given | {"dtype": dtypes.uint32, "fill_value": words})

    for _ in range(keys.hidden_ndim):
        with_words = batching.vmap(with_words, -1, -1)
    return with_words(keys._data)
