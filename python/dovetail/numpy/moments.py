"""Means, variances and weighted means over axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.numpy.choice import where as choose
from dovetail.numpy.data import as_dtype
from dovetail.numpy.docstrings import REDUCTION
from dovetail.numpy.named_axes import without_names
from dovetail.numpy.promotion import filled, inexact, no_out, promote
from dovetail.numpy.reductions import Axis, kept, mask_of, prepared_with_names, sum
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to, canonical_axes


def _count(
    x: Array, dims: tuple[int, ...], names: tuple[str, ...], where: Array | None, dtype: np.dtype
) -> Any:
    """The number of reduced elements: a Python number, or with a mask an array of `dtype`."""
    if where is None:
        of_names = lax.axis_size(names) if names else 1
        return math.prod(x.shape[d] for d in dims) * of_names
    return sum(where, dims + names, dtype)


def _computation_dtype(name: str, x: Array, dtype: Any) -> tuple[np.dtype, np.dtype]:
    """The type in which to compute moments, and that of the result: narrow floats are computed in
    float32.
    """
    result = dtypes.to_inexact_dtype(x.dtype) if dtype is None else dtypes.requested(dtype, name)
    compute = dtypes.to_inexact_dtype(dtypes.result_type(x.dtype, result) if dtype else result)
    narrow = dtypes.KINDS[compute] == "f" and compute.itemsize < 4
    return (dtypes.float32 if narrow else compute), result


@documented(REDUCTION)
def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """The arithmetic mean of elements over `axis`, in floats.

    Args:
      a: an array or scalar; integers and bools become floats.

    Returns:
      An array without those dimensions; NaN where no element is included.

    Example:
      >>> mean(np.float32([1, 2, 6]))
      Array(3., dtype=float32)
    """
    x, dims, names = prepared_with_names("mean", a, axis, out)
    compute, result = _computation_dtype("mean", x, dtype)
    mask = None if where is None else mask_of("mean", where, x.shape)
    total = sum(as_dtype(x, compute), dims + names, keepdims=keepdims, where=mask)
    count = _count(x, dims, names, mask, dtypes.to_real_dtype(compute))
    if keepdims and mask is not None:
        count = kept(x, dims, count)
    return as_dtype(total / count, result)


@documented(REDUCTION)
def var(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """The mean of |x - mean(x)|**2 over `axis`; the divisor is the count minus `ddof` (or
    `correction`).

    Args:
      a: an array or scalar; integers and bools become floats.
      dtype: the element type of the computation and the result, by default a real one.
      ddof: the number to subtract from the count; if that leaves 0 or less, the result is NaN.
      mean: the mean, if known, which broadcasts to the shape of `a`.
      correction: another name of `ddof`.

    Returns:
      An array without those dimensions, of real numbers even if `dtype` is complex.

    Raises:
      ValueError: `ddof` and `correction` are both given.
      NotImplementedError: `out` is given.

    Example:
      >>> var(np.float32([1, 2, 3]), ddof=1)
      Array(1., dtype=float32)
    """
    x, dims, names = prepared_with_names("var", a, axis, out)
    axes = dims + names
    if correction is not None and ddof:
        raise value_error(
            f"var: ddof and correction are the same, so give one, got: {ddof} and {correction}"
        )
    compute, result = _computation_dtype("var", x, dtype)
    wide = as_dtype(x, compute)
    mask = None if where is None else mask_of("var", where, x.shape)
    if mask is not None:
        # A masked-out element may be NaN, and its derivative with it.
        wide = ops.select(mask, wide, filled(wide, 0))
    center = _mean_of(wide, axes, keepdims=True, where=mask) if mean is None else mean
    deviation = wide - center
    if dtypes.KINDS[compute] == "c":
        squares = ops.real(deviation * ops.conj(deviation))
    else:
        squares = ops.integer_pow(deviation, 2)
    count = _count(x, dims, names, mask, squares.dtype) - (
        ddof if correction is None else correction
    )
    divisor = (
        choose(count > 0, count, math.nan)
        if mask is not None
        else (count if count > 0 else math.nan)
    )
    total = sum(squares, axes, where=mask) / divisor
    result = dtypes.to_real_dtype(result) if dtype is None else result
    return as_dtype(kept(x, dims, total) if keepdims else total, result)


_mean_of = mean


@documented(REDUCTION)
def std(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """The square root of `var`.

    Args:
      a: an array or scalar; integers and bools become floats.
      dtype: the element type of the computation and the result, float or complex; by default a real
        one.
      ddof: the number to subtract from the count; if that leaves 0 or less, the result is NaN.
      mean: the mean, if known, which broadcasts to the shape of `a`.
      correction: another name of `ddof`.

    Returns:
      An array without those dimensions, of real numbers even if `dtype` is complex.

    Raises:
      ValueError: `ddof` and `correction` are both given, or `dtype` is not inexact.
      NotImplementedError: `out` is given.

    Example:
      >>> std(np.float32([1, 2, 3]), ddof=1)
      Array(1., dtype=float32)
    """
    no_out("std", out)
    x = as_operand("std", a)
    if dtype is not None and dtypes.KINDS[dtypes.requested(dtype, "std")] not in "fc":
        raise value_error(f"std: dtype must be float or complex, got: {dtype}")
    mask = None if where is None else mask_of("std", where, x.shape)
    squared = var(
        x, axis, dtype, None, ddof, keepdims, where=mask, mean=mean, correction=correction
    )
    return ops.sqrt(squared)


def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Any:
    """The weighted mean of elements over `axis`; with `returned` also the sum of weights.

    Args:
      a: an array or scalar; integers and bools become floats.
      axis: one or more dimensions; None for all.
      weights: an array of the shape of `a`, or of the sizes of the dimensions `axis`; None for
        equal weights.
      returned: whether to return the sum of weights too.
      keepdims: whether to keep those dimensions, with size 1.

    Returns:
      An array without those dimensions; with `returned`, it and the sum of weights in the same
      shape.

    Raises:
      ValueError: the weights have another shape.

    Example:
      >>> average(np.float32([1, 2]), weights=np.float32([3, 1]))
      Array(1.25, dtype=float32)
    """
    x = as_operand("average", a)
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        dims, names = without_names(axis)
        count = _count(x, canonical_axes(dims, x.ndim), names, None, x.dtype)
        return (result, lax.full_like(result, count)) if returned else result
    x, w = (inexact("average", v) for v in promote("average", x, weights))
    if w.shape != x.shape:
        if axis is None or w.shape != tuple(x.shape[d] for d in canonical_axes(axis, x.ndim)):
            raise value_error(
                "average: weights must have the shape of the array, or of the axes given, got: "
                f"{w.shape} for {x.shape} and axis {axis}"
            )
        dims = canonical_axes(axis, x.ndim)
        order = sorted(range(len(dims)), key=lambda i: dims[i])
        sizes = tuple(s if i in dims else 1 for i, s in enumerate(x.shape))
        w = lax.reshape(lax.transpose(w, order), sizes)
    total = sum(broadcast_to(w, x.shape), axis, keepdims=keepdims)
    result = sum(x * w, axis, keepdims=keepdims) / total
    return (result, total) if returned else result
