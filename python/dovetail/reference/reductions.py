"""Reductions over whole dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.dtypes import KINDS, SMALL_INTS, float32, int8, limit

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]


def accumulator_type(dtype: np.dtype) -> np.dtype:
    """The type in which elements are summed."""
    if dtype in SMALL_INTS:
        return int8
    return float32 if KINDS[dtype] == "f" and dtype.itemsize < 4 else dtype


def _accumulation(step: np.ufunc) -> Callable[..., Array]:
    def reduce(x: Array, *, dims: Dims) -> Array:
        accumulator = accumulator_type(x.dtype)
        if accumulator == x.dtype:
            return step.reduce(x, axis=dims, dtype=x.dtype)
        return step.reduce(x.astype(accumulator), axis=dims, dtype=accumulator).astype(x.dtype)

    return reduce


reduce_sum = _accumulation(np.add)
reduce_prod = _accumulation(np.multiply)


def _bitwise(step: np.ufunc) -> Callable[..., Array]:
    def reduce(x: Array, *, dims: Dims) -> Array:
        if x.dtype in SMALL_INTS:
            return step.reduce(x.astype(int8), axis=dims).astype(x.dtype)
        return step.reduce(x, axis=dims)

    return reduce


reduce_and = _bitwise(np.bitwise_and)
reduce_or = _bitwise(np.bitwise_or)
reduce_xor = _bitwise(np.bitwise_xor)


def reduce_max(x: Array, *, dims: Dims) -> Array:
    """NaN if one is; 0 is greater than -0; of nothing, the least value."""
    result = _extreme(np.maximum, x, dims)
    if KINDS[x.dtype] != "f" or np.count_nonzero(result) == result.size:
        return result
    # NumPy takes any of several zeros.
    zero = np.zeros((), x.dtype)
    positive = np.logical_or.reduce((x == zero) & ~np.signbit(x), axis=dims)
    return np.where(result == zero, np.where(positive, zero, np.negative(zero)), result)


def reduce_min(x: Array, *, dims: Dims) -> Array:
    """NaN if one is; -0 is less than 0; of nothing, the greatest value."""
    if KINDS[x.dtype] != "f":
        return _extreme(np.minimum, x, dims)
    return np.negative(reduce_max(np.negative(x), dims=dims))


def _extreme(step: np.ufunc, x: Array, dims: Dims) -> Array:
    values = x.astype(int8) if x.dtype in SMALL_INTS else x
    if x.size:
        result = step.reduce(values, axis=dims)
    else:
        result = step.reduce(values, axis=dims, initial=limit(x.dtype, step is np.minimum))
    return result.astype(x.dtype, copy=False)


def argmax(x: Array, *, dimension: int, dtype: np.dtype) -> Array:
    """The first NaN's index, or else that of the first greatest element; 0 among none."""
    return _arg_extreme("argmax", x, dimension, dtype)


def argmin(x: Array, *, dimension: int, dtype: np.dtype) -> Array:
    """The first NaN's index, or else that of the first least element; 0 among none."""
    return _arg_extreme("argmin", x, dimension, dtype)


def _arg_extreme(method: str, x: Array, dimension: int, dtype: np.dtype) -> Array:
    if x.shape[dimension] == 0:
        return np.zeros(x.shape[:dimension] + x.shape[dimension + 1 :], dtype)
    if x.dtype.isbuiltin != 1:
        # The order of ml_dtypes does not know NaN, and that of 4-bit integers is missing.
        x = x.astype(float32)
    return getattr(x, method)(dimension).astype(dtype)
