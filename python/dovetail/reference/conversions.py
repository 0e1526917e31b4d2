"""Conversions between element types."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np

from dovetail.base.dtypes import KINDS, SMALL_INTS, float32, float64, int8
from dovetail.reference.op import NS, op

Array = np.ndarray[Any, Any]

_WIDE_FLOATS = frozenset((float32, float64))


@op("convert", cost=2 * NS, checked="unless given")
def convert(x: Array, *, dtype: np.dtype) -> Array:
    """The values as elements of another type.

    Integers wrap. Floats saturate into integers, with NaN as 0. Complex numbers lose their
    imaginary part. To bool means: is not zero. Floats of 16 and 8 bits are rounded from float32.
    """
    if x.dtype == dtype:
        return x
    source, target = KINDS[x.dtype], KINDS[dtype]
    if target == "b":
        # Not np.zeros: one type has no zero, and all bits zero are a number of it.
        return np.not_equal(x, np.zeros(()).astype(x.dtype))
    if source == "c" and target != "c":
        return convert(x.real, dtype=dtype)
    if source == "f" and target in "iu":
        return _float_to_integer(x, dtype)
    if dtype in SMALL_INTS:
        return x.astype(int8).astype(dtype)
    if target == "f" and not is_rounded_once(x.dtype, dtype):
        return x.astype(float32).astype(dtype)
    return x.astype(dtype)


def is_rounded_once(source: np.dtype, target: np.dtype) -> bool:
    """True if NumPy's conversion rounds once, as the compiled one does (to narrow floats from
    float32).
    """
    return target in _WIDE_FLOATS or source == float32


def _float_to_integer(x: Array, dtype: np.dtype) -> Array:
    container = int8 if dtype in SMALL_INTS else dtype
    bound = bound_of(x.dtype, dtype)
    if bound is not None and np.count_nonzero(np.less(np.absolute(x), bound)) == x.size:
        inside = x.astype(container)
        return inside if dtype is container else inside.astype(dtype)
    info = ml_dtypes.iinfo(dtype)
    least, greatest = int(info.min), int(info.max)
    wide = x.astype(float64)
    # `greatest` itself may be no float64; the power of two above it is.
    low, high = wide <= least, wide >= greatest + 1
    inside = np.where(low | high | (wide != wide), 0.0, wide).astype(container)
    result = np.where(low, container.type(least), np.where(high, container.type(greatest), inside))
    return result.astype(dtype, copy=False)


@functools.cache
def bound_of(source: np.dtype, target: np.dtype) -> Array | None:
    """A number such that an integer type holds all floats of less magnitude, if that is quick to
    tell.
    """
    info = ml_dtypes.iinfo(target)
    if info.min == 0 or source.isbuiltin != 1:
        return None
    with np.errstate(over="ignore"):
        return np.array(int(info.max), float64).astype(source)


@op("bitcast", cost=0.0, checked="never")
def bitcast(x: Array, *, dtype: np.dtype) -> Array:
    """The same bits as another type of the same width."""
    # In NumPy a 4-bit integer fills a byte, of which half means nothing.
    small = dtype in SMALL_INTS and x.dtype in SMALL_INTS
    return convert(x, dtype=dtype) if small else x.view(dtype)
