"""Cache keys of jitted functions' calls: hashable and comparable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dovetail.base.errors import value_error
from dovetail.base.locations import here
from dovetail.trees.treedef import public


def check_hashable(which: int | str, value: Any, name: str) -> None:
    """Reject a static argument that is not hashable.

    Args:
      which: its index or name.
      value: the argument.
      name: the function's name.

    Raises:
      ValueError: it is not hashable.
    """
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            f"Non-hashable static arguments are not supported, got: {value!r} of type "
            f"{type(value).__name__} as static argument {which!r} of `{name}`, {here()}; pass a "
            "tuple instead of a list, or a frozen dataclass, or let the argument be traced"
        ) from None


def incomparable(key: tuple[Any, ...], others: Iterable[tuple[Any, ...]], name: str) -> ValueError:
    """The error for a key that raised when it was compared with others.

    Args:
      key: starts with a structure, types, and pairs of static arguments.
      others: the keys it was compared with.
      name: the function's name.
    """
    for other in others:
        try:
            # Raise the error of the structures' own comparison.
            _ = public(key[0]) == public(other[0])
            for (which, one), (_, two) in zip(key[2], other[2], strict=False):
                try:
                    _ = bool(one == two)
                except Exception as error:
                    return value_error(
                        "static arguments should be comparable using __eq__. The following error "
                        "was raised when comparing two objects of types "
                        f"{type(one)} and {type(two)}, static argument {which!r} of `{name}`: "
                        f"{type(error).__name__}: {error}"
                    )
        except ValueError as error:
            return error
    return value_error(f"the arguments of `{name}` must be comparable with those of earlier calls")
