"""Statistics of samples: modes, ranks, and the standard error of the mean."""

from __future__ import annotations

from typing import NamedTuple

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import (
    any,
    argmax,
    argsort,
    broadcast_to,
    concatenate,
    flip,
    full,
    isnan,
    max,
    moveaxis,
    nanstd,
    ones_like,
    ravel,
    squeeze,
    std,
    sum,
    take_along_axis,
    where,
)
from dovetail.numpy.promotion import inexact, with_dtype
from dovetail.numpy.sorting import sort
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis


class ModeResult(NamedTuple):
    """The most frequent values, and the numbers of their occurrences.

    Attributes:
      mode: values.
      count: integers.
    """

    mode: Array
    count: Array  # type: ignore[assignment]  # SciPy's name, which tuples have too


def _check_policy(name: str, nan_policy: str, known: tuple[str, ...] = ("propagate",)) -> None:
    if nan_policy not in ("propagate", "omit", "raise"):
        raise value_error(
            f"{name}: nan_policy must be 'propagate', 'omit' or 'raise', got: {nan_policy!r}"
        )
    if nan_policy not in known:
        raise NotImplementedError(
            f"{name}: nan_policy must be {' or '.join(map(repr, known))}, got: {nan_policy!r}; "
            "look for NaN before the call"
        )


def _places(x: Array) -> Array:
    """The indices along the last dimension."""
    return broadcast_to(ops.iota(0, (x.shape[-1],), dtypes.int32), x.shape)


def _starts(x: Array) -> Array:
    """The positions, along the last dimension of sorted values, at which a new value begins."""
    alike = (x[..., 1:] == x[..., :-1]) | (
        (x[..., 1:] != x[..., 1:]) & (x[..., :-1] != x[..., :-1])
    )
    return concatenate([ones_like(x[..., :1], bool), ~alike], -1)


def _first_places(starts: Array) -> Array:
    """The index of the first of the values that are equal to each."""
    return ops.cummax(where(starts, _places(starts), 0), starts.ndim - 1)


def mode(
    a: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> ModeResult:
    """The most frequent values along an axis; the smallest of several.

    Args:
      a: an array or scalar.
      axis: a dimension; None for the flat array.
      nan_policy: must be `propagate`: NaN counts as a value.
      keepdims: whether to keep the dimension, with size 1.

    Returns:
      A pair of arrays: `mode`, `count`.

    Raises:
      ValueError: there is no such policy.
      NotImplementedError: the policy depends on values.

    Example:
      >>> mode(dnp.array([3, 1, 3, 2]))
      ModeResult(mode=Array(3, dtype=int32), count=Array(2, dtype=int32))
    """
    _check_policy("mode", nan_policy)
    x = as_operand("mode", a)
    rank = x.ndim
    x = ravel(x) if axis is None or not rank else moveaxis(x, canonical_axis(axis, rank), -1)
    if x.shape[-1]:
        ordered = sort(x)
        counts = _places(ordered) - _first_places(_starts(ordered)) + 1
        value = take_along_axis(ordered, argmax(counts, -1, keepdims=True), -1)
        count = max(counts, -1, keepdims=True)
    else:
        shape, dtype = (*x.shape[:-1], 1), dtypes.default_dtype("f")
        value, count = full(shape, float("nan"), dtype), full(shape, 0, dtype)
    if not keepdims or not rank:
        return ModeResult(squeeze(value, -1), squeeze(count, -1))
    if axis is None:
        return ModeResult(value.reshape((1,) * rank), count.reshape((1,) * rank))
    return ModeResult(moveaxis(value, -1, axis), moveaxis(count, -1, axis))


def rankdata(
    a: ArrayLike,
    method: str = "average",
    *,
    axis: int | None = None,
    nan_policy: str = "propagate",
) -> Array:
    """The ranks of values, from 1 on.

    Args:
      a: an array.
      method: the ranks of equal values: `average`, `min` or `max` of their ranks, `dense` for ranks
        without gaps, `ordinal` for their order.
      axis: the dimension along which to compare; None for the flat array.
      nan_policy: must be `propagate`: if there is a NaN, all ranks are NaN.

    Returns:
      An array of default floats, of rank 1 if `axis` is None, otherwise of the shape of `a`.

    Raises:
      ValueError: there is no such method or policy.
      NotImplementedError: the policy depends on values.

    Example:
      >>> rankdata(dnp.array([10, 30, 10, 20]))
      Array([1.5, 4. , 1.5, 3. ], dtype=float32)
    """
    _check_policy("rankdata", nan_policy)
    methods = ("average", "min", "max", "dense", "ordinal")
    if method not in methods:
        raise value_error(f"rankdata: method must be one of {', '.join(methods)}, got: {method!r}")
    x = as_operand("rankdata", a)
    x = ravel(x) if axis is None else moveaxis(x, canonical_axis(axis, x.ndim), -1)
    order = argsort(x, -1)
    inverse = argsort(order, -1)
    starts = _starts(take_along_axis(x, order, -1)) if x.shape[-1] else ones_like(x, bool)
    ranks = where(any(isnan(x), -1, keepdims=True), float("nan"), 0)
    ranks = ranks + take_along_axis(_ranks(starts, method), inverse, -1)
    ranks = with_dtype(ranks, dtypes.default_dtype("f"))
    return ranks if axis is None else moveaxis(ranks, -1, axis)


def _ranks(starts: Array, method: str) -> Array:
    """The ranks of sorted values."""
    dtype = dtypes.default_dtype("f")
    if method == "ordinal":
        return with_dtype(_places(starts) + 1, dtype)
    if method == "dense":
        return with_dtype(ops.cumsum(with_dtype(starts, dtypes.int32), starts.ndim - 1), dtype)
    least = with_dtype(_first_places(starts) + 1, dtype)
    # From the end, a value begins where the next one ends.
    ends = concatenate([starts[..., 1:], ones_like(starts[..., :1])], -1)
    greatest = starts.shape[-1] - with_dtype(flip(_first_places(flip(ends, -1)), -1), dtype)
    if method == "average":
        return (least + greatest) / 2
    return least if method == "min" else greatest


def sem(
    a: ArrayLike,
    axis: int | None = 0,
    ddof: int = 1,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Array:
    """The standard error of the mean: the standard deviation over the square root of the count.

    Args:
      a: an array; integers and bools become floats.
      axis: a dimension; None for all.
      ddof: the number to subtract from the count in the standard deviation.
      nan_policy: `propagate`, or `omit` to ignore NaN.
      keepdims: whether to keep the dimension, with size 1.

    Returns:
      An array of floats.

    Raises:
      ValueError: there is no such policy.
      NotImplementedError: the policy depends on values.

    Example:
      >>> sem(dnp.array([1.0, 2.0, 4.0]))
      Array(0.8819172, dtype=float32)
    """
    _check_policy("sem", nan_policy, ("propagate", "omit"))
    x = inexact("sem", a)
    if nan_policy == "propagate":
        size = x.size if axis is None else x.shape[axis]
        return std(x, axis, ddof=ddof, keepdims=keepdims) / float(size) ** 0.5
    count = with_dtype(sum(~isnan(x), axis, keepdims=keepdims), dtypes.to_real_dtype(x.dtype))
    return nanstd(x, axis, ddof=ddof, keepdims=keepdims) / ops.sqrt(count)
