"""Arrays of all types as words of 32 bits, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array, ShapedArray
from dovetail.base import dtypes

_WORD = np.dtype(np.int32)


def _carrier(dtype: np.dtype) -> np.dtype:
    """The type of 32 or 64 bits that has all values of a type."""
    if dtype.itemsize in (4, 8):
        return dtype
    return np.dtype({"f": np.float32, "u": np.uint32}.get(dtypes.kind(dtype), np.int32))


def packed(x: Array) -> Array:
    """The elements of an array as a vector of words."""
    if dtypes.kind(x.dtype) == "c":
        flat = lax.reshape(x, (x.size,))
        return lax.concatenate([packed(lax.real(flat)), packed(lax.imag(flat))], 0)
    carried = lax.convert_element_type(x, _carrier(x.dtype))
    found = lax.bitcast_convert_type(carried, _WORD)
    return lax.reshape(found, (found.size,))


def unpacked(words: np.ndarray, avals: Iterable[ShapedArray]) -> list[np.ndarray]:
    """The arrays of these types that words at the beginning are."""
    arrays = []
    for aval in avals:
        dtype, size = aval.dtype, int(np.prod(aval.shape))
        if dtypes.kind(dtype) == "c":
            count = size * dtype.itemsize // 4
            part = np.dtype(f"f{dtype.itemsize // 2}")
            real, imag = np.split(_of(words[:count], part), 2)
            array: Any = (real + 1j * imag).astype(dtype)
        else:
            carrier = _carrier(dtype)
            count = size * carrier.itemsize // 4
            array = _of(words[:count], carrier).astype(dtype)
        arrays.append(array.reshape(aval.shape))
        words = words[count:]
    return arrays


def _of(words: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return np.ascontiguousarray(words, _WORD).view(dtype)
