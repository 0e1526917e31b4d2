"""`jax._src.api_util`: what `jax.api_util` has, and positions of named arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, TypeVar

from dovetail.as_jax.jax.api_util import *  # noqa: F403
from dovetail.as_jax.jax.api_util import safe_map as safe_map

T = TypeVar("T")


def infer_argnums_and_argnames(
    sig: inspect.Signature, argnums: Any, argnames: Any
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The positions of arguments from their names, or the names from the positions.

    Args:
      sig: the signature of the function.
      argnums: a position, or several; None for those of the names.
      argnames: a name, or several; None for those of the positions.

    Returns:
      The positions and the names; of parameters that can be given either way.

    Example:
      >>> import inspect
      >>> from dovetail.as_jax.jax._src import api_util
      >>> api_util.infer_argnums_and_argnames(inspect.signature(lambda x, y: x), 1, None)
      ((1,), ('y',))
    """
    names = [
        name if parameter.kind == inspect.Parameter.POSITIONAL_OR_KEYWORD else None
        for name, parameter in sig.parameters.items()
    ]
    if argnums is None and argnames is None:
        return (), ()
    if argnums is None:
        given = _several(argnames, str)
        return tuple(i for i, name in enumerate(names) if name in given), given
    positions = _several(argnums, int)
    if argnames is not None:
        return positions, _several(argnames, str)
    return positions, tuple(name for i, name in enumerate(names) if name and i in positions)


def _several(given: T | Iterable[T], kind: type[T]) -> tuple[T, ...]:
    return (given,) if isinstance(given, kind) else tuple(given)  # type: ignore[arg-type]
