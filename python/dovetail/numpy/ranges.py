"""Evenly spaced numbers."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.choice import where
from dovetail.numpy.creation import placed
from dovetail.numpy.data import as_dtype
from dovetail.numpy.promotion import inexact, promote_and_broadcast, static, with_dtype
from dovetail.ops.operands import (
    PYTHON_SCALARS,
    ArrayLike,
    as_operand,
    broadcast_to,
    canonical_axis,
)
from dovetail.ops.shapes import move_dim
from dovetail.symbolic.size import Size, as_size, is_at_least, is_symbolic_dim, max_dim
from dovetail.tracing.bind import constant
from dovetail.transforms.out_sharding import accepts_out_sharding


@accepts_out_sharding
def arange(
    start: Any,
    stop: Any = None,
    step: Any = None,
    dtype: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """start, start + step, … before stop; a single argument is the stop, and the start is 0.

    Args:
      start, stop, step: numbers known while tracing; a single one is `stop`.
      dtype: the element type; by default that of the numbers.
      device: the device of the result.

    Returns:
      A vector of ceil((stop - start) / step) elements.

    Raises:
      ValueError: a number is complex.

    Example:
      >>> arange(1, 7, 2)
      Array([1, 3, 5], dtype=int32)
    """
    start_name = "stop" if stop is None else "start"
    first, last, step = (
        static(v, f"the jnp.arange argument {what!r}")
        for v, what in ((start, start_name), (stop, "stop"), (step, "step"))
    )
    if last is None:
        first, last = 0, first
    step = 1 if step is None else step
    for v in (first, last, step):
        if np.ndim(v) or not isinstance(v, (*PYTHON_SCALARS, np.generic, np.ndarray)):
            raise type_error(
                f"arange: start, stop and step must be scalars, got: {type(v).__name__}"
            )
    element = (
        dtypes.result_type(first, last, step)
        if dtype is None
        else dtypes.requested(dtype, "arange")
    )
    if any(isinstance(v, (complex, np.complexfloating)) for v in (first, last, step)):
        raise value_error(
            "Passing complex start/stop/step to jnp.arange is no longer supported, got: "
            f"{first}, {last} and {step}"
        )
    are_sizes = any(type(v) is Size for v in (first, last))
    if (dtypes.KINDS[element] in "iu" or are_sizes) and all(
        isinstance(v, (int, np.integer, Size)) for v in (first, last, step)
    ):
        first, last, step = as_size(first), as_size(last), operator.index(step)
        count = max_dim(0, -((first - last) // step))
        indices = ops.iota(0, (count,), element)
        indices = indices if step == 1 else indices * step
        return placed(indices if first == 0 else indices + first, device)
    if first == 0 and step == 1 and dtypes.KINDS[element] == "f" and math.isfinite(last):
        return placed(ops.iota(0, (max(0, math.ceil(last)),), element), device)
    return placed(constant(np.arange(first, last, step).astype(element)), device)


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` evenly spaced numbers from start to stop, along a new dimension; with `retstep` also
    their distance.

    Args:
      start, stop: arrays or scalars, which are broadcast.
      num: the number of elements.
      endpoint: whether `stop` is the last of them.
      retstep: whether to return the distance too.
      dtype: the element type; by default a float one.
      axis: the place of the new dimension.
      device: the device of the result.

    Returns:
      An array; with `retstep` also the distance between elements.

    Example:
      >>> linspace(0, 1, 5)
      Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    count = as_size(num)
    if count < 0:
        raise value_error(f"linspace: num must be 0 or more, got: {num}")
    first, last = promote_and_broadcast("linspace", start, stop)
    element = (
        dtypes.to_inexact_dtype(first.dtype)
        if dtype is None
        else dtypes.requested(dtype, "linspace")
    )
    compute = dtypes.to_inexact_dtype(dtypes.result_type(first.dtype, element))
    first, last = as_dtype(first, compute), as_dtype(last, compute)
    intervals = count - 1 if endpoint else count
    has_intervals = is_at_least(intervals, 1)
    if has_intervals or is_symbolic_dim(intervals):
        delta = (last - first) / intervals
        real = dtypes.to_real_dtype(compute)
        numbers = lax.broadcasted_iota(real, (intervals, *(1 for _ in first.shape)), 0)
        if is_symbolic_dim(intervals):
            fractions = numbers / intervals
            result = first * (1 - fractions) + last * fractions
        else:
            # Steps that are integers give integers. A power of 2 keeps products from overflowing.
            scale = 2.0 ** -(intervals - 1).bit_length()
            ends = first * scale * (intervals - numbers) + last * scale * numbers
            result = ends / (intervals * scale)
        if endpoint:
            # If there is just one number, it is the first.
            is_last = as_operand("linspace", count) > 1
            end = last if has_intervals else where(is_last, last, first)
            result = lax.concatenate([result, lax.expand_dims(end, (0,))], 0)
    else:
        delta = lax.full((), math.nan, first.dtype)
        result = broadcast_to(lax.expand_dims(first, (0,)), (count, *first.shape))
    if dtypes.KINDS[element] in "iu":
        result = ops.floor(result)
    result = placed(moved_from_front(as_dtype(result, element), axis), device)
    return (result, delta) if retstep else result


def moved_from_front(x: Array, axis: int) -> Array:
    """The first dimension moved to `axis`."""
    return move_dim(x, 0, canonical_axis(axis, x.ndim))


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """`base` to the power of `num` evenly spaced numbers from start to stop.

    Args:
      start, stop: exponents, which are broadcast.
      num: the number of elements.
      endpoint: whether `stop` is the last exponent.
      base: the base of the powers.
      dtype: the element type; by default a float one.
      axis: the place of the new dimension.

    Returns:
      An array.

    Example:
      >>> logspace(0, 2, 3)
      Array([  1.,  10., 100.], dtype=float32)
    """
    element = None if dtype is None else dtypes.requested(dtype, "logspace")
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    return as_dtype(with_dtype(base, dtypes.dtype(exponents)) ** exponents, element)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Array:
    """`num` numbers from start to stop in geometric progression.

    Args:
      start, stop: the first and the last element, which are broadcast.
      num: the number of elements.
      endpoint: whether `stop` is the last of them.
      dtype: the element type; by default a float one.
      axis: the place of the new dimension.

    Returns:
      An array.

    Example:
      >>> geomspace(1.0, 4.0, 3)
      Array([1., 2., 4.], dtype=float32)
    """
    element = None if dtype is None else dtypes.requested(dtype, "geomspace")
    first, last = (inexact("geomspace", v) for v in promote_and_broadcast("geomspace", start, stop))
    exponents = linspace(lax.full_like(first, 0.0), ops.log(last / first), num, endpoint, axis=axis)
    values = ops.exp(exponents)
    target = canonical_axis(axis, values.ndim)
    result = lax.expand_dims(first, (target,)) * values
    if endpoint and num > 1:
        ends = lax.expand_dims(as_dtype(last, result.dtype), (target,))
        result = lax.concatenate([lax.slice_in_dim(result, 0, -1, 1, target), ends], target)
    return as_dtype(result, element or result.dtype)
