"""`jax._src.literals`: numbers with an element type, which functions take as they do others."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.as_jax.opaque import opaque_class


class _Typed:
    """A number with an element type."""

    dtype: np.dtype

    def __new__(cls, value: Any, dtype: Any) -> Any:
        number = super().__new__(cls, value)  # type: ignore[call-arg]
        number.dtype = np.dtype(dtype)
        return number

    @property
    def aval(self) -> ShapedArray:
        """The type, weak."""
        return ShapedArray((), self.dtype, weak_type=True)


class TypedInt(_Typed, int):
    """An integer with an element type."""


class TypedFloat(_Typed, float):
    """A float with an element type."""


class TypedComplex(_Typed, complex):
    """A complex number with an element type."""


TypedNdArray = opaque_class(__name__, "TypedNdArray")
