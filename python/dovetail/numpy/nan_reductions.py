"""Reductions that ignore NaN."""

from __future__ import annotations

import builtins
import math
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy import moments, reductions
from dovetail.numpy.choice import where as choose
from dovetail.numpy.docstrings import ARG_REDUCTION, REDUCTION
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import filled, no_out
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis, unary

Axis = Any


def _valid(name: str, x: Array, where: ArrayLike | None) -> Array | None:
    """The mask of elements to include: not NaN, and in `where`; None if all are."""
    mask = None if where is None else reductions.mask_of(name, where, x.shape)
    if _exact(x):
        return mask
    valid = ops.not_(isnan(x))
    return valid if mask is None else valid & mask


def _exact(x: Array) -> builtins.bool:
    return dtypes.KINDS[x.dtype] not in "fc"


@documented(REDUCTION)
def nansum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: builtins.bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The sum of elements that are not NaN.

    Args:
      initial: an additional element.

    Example:
      >>> nansum(np.float32([1, np.nan]))
      Array(1., dtype=float32)
    """
    no_out("nansum", out)
    x = as_operand("nansum", a)
    mask = _valid("nansum", x, where)
    return reductions.sum(x, axis, dtype, None, keepdims, initial, mask)


@documented(REDUCTION)
def nanprod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: builtins.bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The product of elements that are not NaN.

    Args:
      initial: an additional element.

    Example:
      >>> nanprod(np.float32([2, np.nan]))
      Array(2., dtype=float32)
    """
    no_out("nanprod", out)
    x = as_operand("nanprod", a)
    mask = _valid("nanprod", x, where)
    return reductions.prod(x, axis, dtype, None, keepdims, initial, mask)


@documented(REDUCTION)
def nanmax(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: builtins.bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The largest element that is not NaN; NaN if there is none.

    Args:
      initial: an additional element.

    Returns:
      An array without those dimensions; NaN where there is no other element.

    Example:
      >>> nanmax(np.float32([2, np.nan]))
      Array(2., dtype=float32)
    """
    return _nan_extreme("nanmax", reductions.max, -math.inf, a, axis, out, keepdims, initial, where)


@documented(REDUCTION)
def nanmin(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: builtins.bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The smallest element that is not NaN; NaN if there is none.

    Args:
      initial: an additional element.

    Returns:
      An array without those dimensions; NaN where there is no other element.

    Example:
      >>> nanmin(np.float32([2, np.nan]))
      Array(2., dtype=float32)
    """
    return _nan_extreme("nanmin", reductions.min, math.inf, a, axis, out, keepdims, initial, where)


def _nan_extreme(
    name: str,
    reduce: Any,
    neutral: float,
    a: ArrayLike,
    axis: Axis,
    out: Any,
    keepdims: builtins.bool,
    initial: ArrayLike | None,
    where: ArrayLike | None,
) -> Array:
    no_out(name, out)
    x = as_operand(name, a)
    if _exact(x):
        return reduce(x, axis, None, keepdims, initial, where)
    masked = ops.select(isnan(x), filled(x, neutral), x)
    result = reduce(masked, axis, None, keepdims, initial, where)
    if initial is not None:
        return result
    nothing = reductions.all(isnan(x), axis, keepdims=keepdims)
    return choose(nothing, math.nan, result)


@documented(REDUCTION)
def nanmean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: builtins.bool = False,
    where: ArrayLike | None = None,
) -> Array:
    """The mean of elements that are not NaN.

    Returns:
      An array of floats or complex numbers without those dimensions.

    Example:
      >>> nanmean(np.float32([2, np.nan]))
      Array(2., dtype=float32)
    """
    no_out("nanmean", out)
    x = as_operand("nanmean", a)
    mask = _valid("nanmean", x, where)
    return moments.mean(x, axis, dtype, None, keepdims, where=mask)


@documented(REDUCTION)
def nanvar(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: builtins.bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The variance of elements that are not NaN; the divisor is their count minus `ddof`.

    Args:
      ddof: the number to subtract from the number of elements in the divisor.
      mean: the mean, if it is known.

    Returns:
      An array of floats without those dimensions.

    Example:
      >>> nanvar(np.float32([1, 3, np.nan]))
      Array(1., dtype=float32)
    """
    no_out("nanvar", out)
    x = as_operand("nanvar", a)
    mask = _valid("nanvar", x, where)
    return moments.var(x, axis, dtype, None, ddof, keepdims, where=mask, mean=mean)


@documented(REDUCTION)
def nanstd(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: int = 0,
    keepdims: builtins.bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The square root of `nanvar`.

    Args:
      ddof: the number to subtract from the number of elements in the divisor.
      mean: the mean, if it is known.

    Returns:
      An array of floats without those dimensions.

    Example:
      >>> nanstd(np.float32([1, 3, np.nan]))
      Array(1., dtype=float32)
    """
    no_out("nanstd", out)
    return ops.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims, where, mean))


@documented(ARG_REDUCTION)
def nanargmax(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: builtins.bool | None = None
) -> Array:
    """The index of the largest element that is not NaN; -1 if there is none.

    Args:
      a: an array or scalar of real numbers.

    Returns:
      An array of default integers; -1 where all elements are NaN.

    Example:
      >>> nanargmax(np.float32([np.nan, 2]))
      Array(1, dtype=int32)
    """
    return _nan_arg("nanargmax", reductions.argmax, -math.inf, a, axis, out, keepdims)


@documented(ARG_REDUCTION)
def nanargmin(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: builtins.bool | None = None
) -> Array:
    """The index of the smallest element that is not NaN; -1 if there is none.

    Args:
      a: an array or scalar of real numbers.

    Returns:
      An array of default integers; -1 where all elements are NaN.

    Example:
      >>> nanargmin(np.float32([np.nan, 2]))
      Array(1, dtype=int32)
    """
    return _nan_arg("nanargmin", reductions.argmin, math.inf, a, axis, out, keepdims)


def _nan_arg(
    name: str,
    find: Any,
    neutral: float,
    a: ArrayLike,
    axis: int | None,
    out: Any,
    keepdims: builtins.bool | None,
) -> Array:
    no_out(name, out)
    x = unary(name, a, "biuf")
    if _exact(x):
        return find(x, axis, None, keepdims)
    index = find(ops.select(isnan(x), filled(x, neutral), x), axis, None, keepdims)
    dims = None if axis is None else canonical_axis(axis, x.ndim)
    nothing = reductions.all(isnan(x), dims, keepdims=builtins.bool(keepdims))
    return ops.select(nothing, lax.full_like(index, -1), index)
