"""`jax._src.typing`: annotations for arrays, shapes and element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from dovetail.arrays.array import Array as Array
from dovetail.typing import ArrayLike as ArrayLike
from dovetail.typing import DTypeLike as DTypeLike

DType = np.dtype
ExtendedDType = Any
DimSize = int | Any
Shape = Sequence[DimSize]


class SupportsDType(Protocol):
    """Objects with an element type."""

    @property
    def dtype(self) -> DType: ...


class SupportsShape(Protocol):
    """Objects with a shape."""

    @property
    def shape(self) -> tuple[int, ...]: ...


class DuckTypedArray(SupportsDType, SupportsShape, Protocol):
    """Objects with an element type and a shape."""
