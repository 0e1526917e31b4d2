"""Reductions over whole dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.base.dtypes import (
    KINDS,
    SMALL_INTS,
    complex64,
    complex128,
    float8_e8m0fnu,
    float32,
    float64,
    int8,
    limit,
)
from dovetail.reference.op import NS, op

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]


def accumulator_type(dtype: np.dtype) -> np.dtype:
    """The type in which elements are summed."""
    if dtype in SMALL_INTS:
        return int8
    return float32 if KINDS[dtype] == "f" and dtype.itemsize < 4 else dtype


# Up to this many elements are added in their own type, in any order.
_FEW = 32
_WIDER = {float32: float64, complex64: complex128}


def wider_type(dtype: np.dtype, count: int) -> np.dtype:
    """The type in which NumPy adds `count` elements one after the other without a large error."""
    return dtype if count <= _FEW else _WIDER.get(dtype, dtype)


def count_of(shape: Dims, dims: Dims) -> int:
    """The number of elements reduced to one."""
    return math.prod([shape[dim] for dim in dims])


def summed(x: Array, *, dims: Dims) -> Array:
    """The sum in the type of `x`, with an error that does not grow with the number of elements."""
    wider = wider_type(x.dtype, count_of(x.shape, dims))
    # NumPy sums contiguous elements pairwise, and others in order.
    is_inner = sorted(dims) == list(range(x.ndim - len(dims), x.ndim))
    if wider == x.dtype or (is_inner and x.flags.c_contiguous):
        return np.add.reduce(x, axis=dims, dtype=x.dtype)
    return np.add.reduce(x, axis=dims, dtype=wider).astype(x.dtype)


@op("reduce_sum")
def reduce_sum(x: Array, *, dims: Dims) -> Array:
    """The sum; floats of 16 and 8 bits are added in float32 or wider."""
    accumulator = accumulator_type(x.dtype)
    if accumulator == x.dtype:
        return summed(x, dims=dims)
    return summed(x.astype(accumulator), dims=dims).astype(x.dtype)


@op("reduce_prod")
def reduce_prod(x: Array, *, dims: Dims) -> Array:
    """The product; floats of 16 and 8 bits are multiplied in float32."""
    accumulator = accumulator_type(x.dtype)
    if accumulator == x.dtype:
        return np.multiply.reduce(x, axis=dims, dtype=x.dtype)
    return np.multiply.reduce(x.astype(accumulator), axis=dims, dtype=accumulator).astype(x.dtype)


def _bitwise(step: np.ufunc) -> Callable[..., Array]:
    def reduce(x: Array, *, dims: Dims) -> Array:
        if x.dtype in SMALL_INTS:
            return step.reduce(x.astype(int8), axis=dims).astype(x.dtype)
        return step.reduce(x, axis=dims)

    return reduce


reduce_and = op("reduce_and")(_bitwise(np.bitwise_and))
reduce_or = op("reduce_or")(_bitwise(np.bitwise_or))
reduce_xor = op("reduce_xor")(_bitwise(np.bitwise_xor))


@op("reduce_max", checked="never")
def reduce_max(x: Array, *, dims: Dims) -> Array:
    """NaN if one is; 0 is greater than -0; of nothing, the least value."""
    result = _extreme(np.maximum, x, dims)
    if KINDS[x.dtype] != "f" or np.count_nonzero(result) == result.size:
        return result
    # NumPy takes any of several zeros. If the greatest element is one, all have a sign but +0.
    return _with_zeros(result, np.logical_and.reduce(np.signbit(x), axis=dims))


@op("reduce_min", checked="never")
def reduce_min(x: Array, *, dims: Dims) -> Array:
    """NaN if one is; -0 is less than 0; of nothing, the greatest value."""
    result = _extreme(np.minimum, x, dims)
    # Without signs there are no two zeros.
    is_signed = KINDS[x.dtype] == "f" and x.dtype != float8_e8m0fnu
    if not is_signed or np.count_nonzero(result) == result.size:
        return result
    return _with_zeros(result, np.logical_or.reduce(np.signbit(x), axis=dims))


def _with_zeros(result: Array, is_negative: Array) -> Array:
    """The result, with zeros of these signs."""
    zero = np.zeros((), result.dtype)
    if not result.ndim:
        return np.negative(zero) if is_negative else zero
    return np.where(result == zero, np.where(is_negative, np.negative(zero), zero), result)


def _extreme(step: np.ufunc, x: Array, dims: Dims) -> Array:
    values = x.astype(int8) if x.dtype in SMALL_INTS else x
    if x.size:
        result = step.reduce(values, axis=dims)
    else:
        result = step.reduce(values, axis=dims, initial=limit(x.dtype, step is np.minimum))
    return result.astype(x.dtype, copy=False)


@op("argmax", cost=4 * NS)
def argmax(x: Array, *, dimension: int, dtype: np.dtype) -> Array:
    """The first NaN's index, or else that of the first greatest element; 0 among none."""
    return _arg_extreme("argmax", x, dimension, dtype)


@op("argmin", cost=4 * NS)
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
