"""Objects of other classes that convert to arrays by a method `__jax_array__`."""

from __future__ import annotations

from typing import Any


class _Kind(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return getattr(instance, "__jax_array__", None) is not None


class StandsForArray(metaclass=_Kind):
    """Abstract class of objects that convert to an array, for `isinstance`."""


def array_meant(x: Any) -> Any:
    """The array that an object converts to; other values unchanged.

    Args:
      x: anything.

    Returns:
      The result of its method `__jax_array__`, or `x`.

    Example:
      >>> array_meant(1)
      1
    """
    convert = getattr(x, "__jax_array__", None)
    return x if convert is None else convert()
