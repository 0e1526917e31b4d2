"""The type of initializers: functions of a key, a shape and an element type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import dtypes

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


def no_sharding(out_sharding: Any, name: str) -> None:
    """Reject a sharding."""
    if out_sharding is not None:
        raise NotImplementedError(
            f"{name}: out_sharding must be None, got: {out_sharding!r}; place the result with "
            "device_put"
        )
