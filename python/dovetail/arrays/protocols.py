"""Objects of other classes that convert to arrays by a method `__jax_array__`."""

from __future__ import annotations

from typing import Any


class _Kind(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        convert = getattr(instance, "__jax_array__", None)
        # Operators with objects that have no array after all are the objects' own.
        return convert is not None and convert() is not NotImplemented


class StandsForArray(metaclass=_Kind):
    """Abstract class of objects that convert to an array, for `isinstance`."""


def array_meant(x: Any) -> Any:
    """The array that an object converts to; other values unchanged.

    Args:
      x: anything.

    Returns:
      The result of its method `__jax_array__`, or `x` if it has none or that is NotImplemented.

    Example:
      >>> array_meant(1)
      1
    """
    convert = getattr(x, "__jax_array__", None)
    made = NotImplemented if convert is None else convert()
    return x if made is NotImplemented else made
