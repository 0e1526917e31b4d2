"""The abstract value of an array while tracing: shape, element type, weak type."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Any

import numpy as np

from dovetail.placement import platforms
from dovetail.placement.shardings import SingleDeviceSharding


class ShapedArray(tuple[tuple[int, ...], np.dtype, bool]):
    """Shape, element type, and whether that type is weak: a leaf of trees, unlike a named tuple."""

    __slots__ = ()

    def __new__(
        cls, shape: tuple[int, ...], dtype: np.dtype, weak_type: bool = False
    ) -> ShapedArray:
        """The type of arrays of that shape and element type."""
        return tuple.__new__(cls, (shape, dtype, weak_type))

    shape: tuple[int, ...] = property(itemgetter(0))  # type: ignore[assignment]
    dtype: np.dtype = property(itemgetter(1))  # type: ignore[assignment]
    weak_type: bool = property(itemgetter(2))  # type: ignore[assignment]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def sharding(self) -> SingleDeviceSharding:
        """The default placement of an array of this type."""
        return SingleDeviceSharding(platforms.default())

    def update(self, **changes: Any) -> ShapedArray:
        """A copy with the given fields replaced."""
        known = {"shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type}
        return ShapedArray(**known | changes)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __str__(self) -> str:
        # NumPy calls float0, an empty structure, "void".
        element = "float0" if self.dtype.names else self.dtype.name
        return f"{element}[{','.join(map(str, self.shape))}]"

    def __repr__(self) -> str:
        return f"ShapedArray({self}{', weak_type=True' if self.weak_type else ''})"
