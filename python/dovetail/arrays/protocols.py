"""Objects of other classes that convert to arrays by a method `__jax_array__`."""

from __future__ import annotations

from typing import Any


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
