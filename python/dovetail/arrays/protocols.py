"""Objects of other classes that stand for arrays: those with a method `__jax_array__`."""

from __future__ import annotations

from typing import Any


class _Kind(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return getattr(instance, "__jax_array__", None) is not None


class StandsForArray(metaclass=_Kind):
    """The class, for `isinstance`, of objects that say which array they stand for."""


def array_meant(x: Any) -> Any:
    """The array that an object stands for; anything else as it is.

    Args:
      x: anything.

    Returns:
      What its method `__jax_array__` gives, or `x`.

    Example:
      >>> array_meant(1)
      1
    """
    convert = getattr(x, "__jax_array__", None)
    return x if convert is None else convert()
