"""Running reductions along one dimension, and the linear recurrence."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.base.dtypes import KINDS, SMALL_INTS, int8
from dovetail.reference.op import MOVE, NS, PASS, Call, count, op
from dovetail.reference.reductions import accumulator_type, wider_type

Array = np.ndarray[Any, Any]


def _running(step: np.ufunc) -> Callable[..., Array]:
    def accumulate(x: Array, *, dimension: int, reverse: bool = False) -> Array:
        accumulator = accumulator_type(x.dtype)
        if step is np.add:
            accumulator = wider_type(accumulator, x.shape[dimension])
        ordered = np.flip(x, dimension) if reverse else x
        result = step.accumulate(ordered.astype(accumulator, copy=False), dimension)
        result = result.astype(x.dtype, copy=False)
        return np.flip(result, dimension) if reverse else result

    return accumulate


cumsum = op("cumsum", cost=4 * NS)(_running(np.add))
cumprod = op("cumprod", cost=4 * NS)(_running(np.multiply))
cumlogsumexp = op("cumlogsumexp", cost=30 * NS)(_running(np.logaddexp))


@op("cummax", cost=4 * NS, checked="never")
def cummax(x: Array, *, dimension: int, reverse: bool = False) -> Array:
    """NaN from the first NaN on; 0 is greater than -0."""
    values = x.astype(int8) if x.dtype in SMALL_INTS else x
    if reverse:
        values = np.flip(values, dimension)
    result = np.maximum.accumulate(values, dimension)
    if KINDS[x.dtype] == "f" and np.count_nonzero(result) != result.size:
        # NumPy takes any of several zeros.
        zero = np.zeros((), x.dtype)
        positive = np.logical_or.accumulate((values == zero) & ~np.signbit(values), dimension)
        zeros = np.where(positive, zero, np.negative(zero))
        result = np.where(result == zero, zeros, result)
    result = result.astype(x.dtype, copy=False)
    return np.flip(result, dimension) if reverse else result


@op("cummin", cost=4 * NS, checked="never")
def cummin(x: Array, *, dimension: int, reverse: bool = False) -> Array:
    """NaN from the first NaN on; -0 is less than 0."""
    if KINDS[x.dtype] == "f":
        return np.negative(cummax(np.negative(x), dimension=dimension, reverse=reverse))
    values = x.astype(int8) if x.dtype in SMALL_INTS else x
    if reverse:
        values = np.flip(values, dimension)
    result = np.minimum.accumulate(values, dimension).astype(x.dtype, copy=False)
    return np.flip(result, dimension) if reverse else result


def _cost_of_recurrence(call: Call) -> float:
    length = call.operands[0][call.attributes["dimension"]]
    return 3 * PASS * count((length,)) + 3 * MOVE * count(call.operands[0])


@op("linear_recurrence", cost=_cost_of_recurrence)
def linear_recurrence(factor: Array, x: Array, *, dimension: int, reverse: bool = False) -> Array:
    """Element i is factor[i] times the element before, and x[i]."""
    accumulator = accumulator_type(x.dtype)
    factors = np.moveaxis(factor.astype(accumulator, copy=False), dimension, 0)
    sources = np.moveaxis(x.astype(accumulator, copy=False), dimension, 0)
    result = np.array(sources, copy=True)
    order = range(len(result))[::-1] if reverse else range(len(result))
    for before, i in itertools.pairwise(order):
        result[i] = factors[i] * result[before] + sources[i]
    return np.moveaxis(result, 0, dimension).astype(x.dtype, copy=False)
