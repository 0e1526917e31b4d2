"""Conversions between element types."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from dovetail.dtypes import INT4, KINDS, float32, float64, int8

Array = np.ndarray[Any, Any]

_WIDE_FLOATS = frozenset((float32, float64))


def convert(x: Array, *, dtype: np.dtype) -> Array:
    """The values as elements of another type.

    Integers wrap. Floats saturate into integers, with NaN as 0. Complex numbers lose their
    imaginary part. To bool means: is not zero. Floats of 16 and 8 bits are rounded from float32.
    """
    if x.dtype == dtype:
        return x
    source, target = KINDS[x.dtype], KINDS[dtype]
    if target == "b":
        return np.not_equal(x, np.zeros((), x.dtype))
    if source == "c" and target != "c":
        return convert(x.real, dtype=dtype)
    if source == "f" and target in "iu":
        return _float_to_integer(x, dtype)
    if dtype in INT4:
        return x.astype(int8).astype(dtype)
    if target == "f" and dtype not in _WIDE_FLOATS and x.dtype != float32:
        return x.astype(float32).astype(dtype)
    return x.astype(dtype)


def _float_to_integer(x: Array, dtype: np.dtype) -> Array:
    info = ml_dtypes.iinfo(dtype)
    least, greatest = int(info.min), int(info.max)
    container = int8 if dtype in INT4 else dtype
    wide = x.astype(float64)
    # `greatest` itself may be no float64; the power of two above it is.
    low, high = wide <= least, wide >= greatest + 1
    inside = np.where(low | high | (wide != wide), 0.0, wide).astype(container)
    result = np.where(low, container.type(least), np.where(high, container.type(greatest), inside))
    return result.astype(dtype, copy=False)


def bitcast(x: Array, *, dtype: np.dtype) -> Array:
    """The same bits as another type of the same width."""
    # In NumPy a 4-bit integer fills a byte, of which half means nothing.
    return convert(x, dtype=dtype) if dtype in INT4 else x.view(dtype)
