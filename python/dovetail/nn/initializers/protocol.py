"""The type of initializers: functions of a key, a shape and an element type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.transforms.out_sharding import placed

Shape = Sequence[int]


@runtime_checkable
class Initializer(Protocol):
    """The type of the functions that this package returns.

    Example:
      >>> from dovetail.nn import initializers
      >>> isinstance(initializers.normal(), initializers.Initializer)
      True
    """

    def __call__(
        self, key: Any, shape: Shape, dtype: Any = None, out_sharding: Any = None
    ) -> Array:
        """An array of that shape and type, drawn with the key."""
        raise NotImplementedError


def element_type(dtype: Any, name: str) -> np.dtype:
    """The requested element type of the function `name`, by default that of floats."""
    return dtypes.default_dtype("f") if dtype is None else dtypes.requested(dtype, name)


def sharded(name: str) -> Callable[[Callable[..., Array]], Initializer]:
    """A decorator of initializers without `out_sharding`, which take it then.

    Args:
      name: the function that makes the initializer, for messages.
    """

    def decorate(init: Callable[..., Array]) -> Initializer:
        def wrapper(key: Any, shape: Shape, dtype: Any = None, out_sharding: Any = None) -> Array:
            given = (key, shape) if dtype is None else (key, shape, dtype)
            return (
                init(*given) if out_sharding is None else placed(name, init, out_sharding, *given)
            )

        return wrapper

    return decorate
