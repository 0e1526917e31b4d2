"""Equations of keys, in whose place the IR has their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.shaped_array import ShapedArray

Params = dict[str, Any]


def keys_aval(words: ShapedArray, kind: Any) -> ShapedArray:
    """The type of keys of an element type.

    Args:
      words: the type of their words.
      kind: the element type.
    """
    return ShapedArray(words.shape[: -len(kind.generator.key_shape)], kind)


def _without_last(*names: str) -> Callable[[Params, int], Params | None]:
    """Parameters that have an entry for each dimension, of which the last is all words."""

    def params(of: Params, dim: int) -> Params | None:
        return of | {name: of[name] and of[name][:-1] for name in names}

    return params


def _sliced(params: Params, dim: int) -> Params | None:
    # The end was checked: the result has all words.
    strides = params["strides"]
    if params["start_indices"][-1] or (strides and strides[-1] != 1):
        return None
    return _without_last("start_indices", "limit_indices", "strides")(params, dim)


def _moved(name: str) -> Callable[[Params, int], Params | None]:
    """Parameters with the places of dimensions, of which the last must stay the last."""

    def params(of: Params, dim: int) -> Params | None:
        return of | {name: of[name][:-1]} if of[name] and of[name][-1] == dim else None

    return params


def _broadcast(params: Params, dim: int) -> Params | None:
    of = _moved("broadcast_dimensions")(params, dim)
    return of and of | {"shape": of["shape"][:-1]}


_RULES: dict[str, Callable[[Params, int], Params | None]] = {
    "broadcast_in_dim": _broadcast,
    "concatenate": lambda params, dim: params if params["dimension"] != dim else None,
    "rev": lambda params, dim: params if dim not in params["dimensions"] else None,
    "slice": _sliced,
    "squeeze": lambda params, dim: params,
    "transpose": _moved("permutation"),
}


def without_words(primitive: str, params: Params, shape: Sequence[int], kind: Any) -> Params | None:
    """The parameters of an equation of keys, from those of one of their words; None if it does not
    keep the words of each key together.

    Args:
      primitive: the name of the primitive.
      params: the parameters.
      shape: the shape of the result.
      kind: the element type of the keys.
    """
    rule = _RULES.get(primitive)
    has_words = tuple(shape[-1:]) == tuple(kind.generator.key_shape)
    return rule(params, len(shape) - 1) if rule is not None and has_words else None
