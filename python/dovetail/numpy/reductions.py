"""Reductions over axes: sums, extremes, truth, counts, and indices of extremes."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.lax.lexicographic import first_in_order
from dovetail.numpy.bounds import maximum, minimum
from dovetail.numpy.creation import broadcast_to_shape
from dovetail.numpy.data import as_dtype
from dovetail.numpy.docstrings import ARG_REDUCTION, PREDICATE, REDUCTION
from dovetail.numpy.logic import truth
from dovetail.numpy.named_axes import over_named_axes, without_names
from dovetail.numpy.promotion import no_out, strong, with_dtype
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    canonical_axes,
    canonical_axis,
    check_kind,
)
from dovetail.tracing.bind import apply_known, is_for_numpy
from dovetail.tracing.result_places import as_repeated

Axis = Any
Combine = Callable[[Any, Any], Array]


def prepared(name: str, a: ArrayLike, axis: Axis, out: Any) -> tuple[Array, tuple[int, ...]]:
    """The operand and the sorted dimensions to reduce; `out` is rejected, as are names of axes."""
    x, dims, names = prepared_with_names(name, a, axis, out)
    if names:
        raise NotImplementedError(
            f"Named reductions not implemented for jnp.{name}(), got: axis {axis!r}; gather the "
            "elements by lax.all_gather first"
        )
    return x, dims


def prepared_with_names(
    name: str, a: ArrayLike, axis: Axis, out: Any
) -> tuple[Array, tuple[int, ...], tuple[str, ...]]:
    """The operand, the sorted dimensions to reduce, and the named axes; `out` is rejected."""
    no_out(name, out)
    x = as_operand(name, a)
    dims, names = without_names(axis)
    return x, tuple(sorted(canonical_axes(dims, x.ndim))), names


def _finish(
    x: Array, dims: tuple[int, ...], result: Array, keepdims: bool, initial: Any, combine: Combine
) -> Array:
    if initial is not None:
        start = as_operand("initial", initial)
        if start.ndim:
            raise value_error(f"initial value must be a scalar. Got array of shape {start.shape}")
        result = combine(with_dtype(start, result.dtype), result)
    return strong(kept(x, dims, result) if keepdims else result)


def kept(x: Array, dims: tuple[int, ...], result: Array) -> Array:
    """The result of a reduction over `dims` with those dimensions kept, with size 1."""
    return lax.expand_dims(result, dims)


def _masked(name: str, x: Array, where: ArrayLike | None, neutral: Any) -> Array:
    """`x` with the neutral element where the mask does not hold."""
    if where is None:
        return x
    return ops.select(mask_of(name, where, x.shape), x, lax.full_like(x, neutral))


def mask_of(name: str, where: ArrayLike, shape: tuple[int, ...]) -> Array:
    """The mask of the elements to include in a reduction.

    Raises:
      ValueError: the elements are not bools, or do not broadcast to the shape.
    """
    mask = as_operand("where", where)
    if mask.dtype != dtypes.bool_:
        raise value_error(
            f"jnp.{name}: where must be None or a boolean array, got: {mask.dtype.name}; write "
            "x != 0"
        )
    return as_repeated(broadcast_to_shape("where", mask, shape), mask)


# Sums ---------------------------------------------------------------------------------------------


def accumulated(name: str, x: Array, dtype: Any, promote_integers: bool = True) -> Array:
    """`x` in the type that sums are formed in: integers at least in the default integer type."""
    if dtype is not None:
        return as_dtype(x, dtypes.requested(dtype, name))
    kind = dtypes.KINDS[x.dtype]
    if kind == "b":
        return ops.convert(x, dtypes.default_dtype("i"))
    if kind in "iu" and promote_integers:
        default = dtypes.default_dtype("i" if kind == "i" else "u")
        if x.dtype.itemsize < default.itemsize:
            return ops.convert(x, default)
    return x


@documented(REDUCTION)
@over_named_axes(lax.psum)
def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The sum of elements over `axis` (all by default), where `where` is true, plus `initial`.

    Args:
      initial: a scalar to add.

    Returns:
      An array without those dimensions, in the type of `a` or `dtype`; bools become integers,
      unless the dtype is bool.

    Example:
      >>> sum(np.float32([[1, 2], [3, 4]]), axis=0)
      Array([4., 6.], dtype=float32)
    """
    x, dims = prepared("sum", a, axis, out)
    x = _masked("sum", accumulated("sum", x, dtype, promote_integers), where, 0)
    total = ops.reduce_or if x.dtype == dtypes.bool_ else ops.reduce_sum
    result = total(x, dims) if dims else x
    return _finish(x, dims, result, keepdims, initial, lambda p, q: p + q)


@documented(REDUCTION)
def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    promote_integers: bool = True,
) -> Array:
    """The product of elements over `axis` (all by default), where `where` is true, times `initial`.

    Args:
      initial: a scalar to multiply by.

    Returns:
      An array without those dimensions, in the type of `a` or `dtype`; bools become integers,
      unless the dtype is bool.

    Example:
      >>> prod(np.float32([[1, 2], [3, 4]]), axis=0)
      Array([3., 8.], dtype=float32)
    """
    x, dims = prepared("prod", a, axis, out)
    x = _masked("prod", accumulated("prod", x, dtype, promote_integers), where, 1)
    total = ops.reduce_and if x.dtype == dtypes.bool_ else ops.reduce_prod
    result = total(x, dims) if dims else x
    return _finish(x, dims, result, keepdims, initial, lambda p, q: p * q)


# Extremes -----------------------------------------------------------------------------------------


@documented(REDUCTION)
@over_named_axes(lax.pmax)
def max(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The largest element over `axis` (all by default) and `initial`; NaN if one is NaN.

    Args:
      a: an array or scalar; complex numbers are in lexicographic order.
      initial: a scalar to include.

    Returns:
      An array of the type of `a` without those dimensions.

    Raises:
      ValueError: `initial` is missing, and there are no elements or `where` is given.
      NotImplementedError: `out` is given.

    Example:
      >>> max(np.float32([[1, 2], [3, 4]]), axis=0)
      Array([3., 4.], dtype=float32)
    """
    x, dims = prepared("max", a, axis, out)
    _check_identity("max", x, dims, initial, where)
    if dtypes.KINDS[x.dtype] == "c":
        result = _complex_extreme(_masked("max", x, where, -math.inf), dims, "gt", -math.inf)
    else:
        x = _masked("max", x, where, dtypes.limit(x.dtype, greatest=False))
        result = ops.reduce_max(x, dims) if dims else x
    return _finish(x, dims, result, keepdims, initial, maximum)


@documented(REDUCTION)
@over_named_axes(lax.pmin)
def min(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """The smallest element over `axis` (all by default) and `initial`; NaN if one is NaN.

    Args:
      a: an array or scalar; complex numbers are in lexicographic order.
      initial: a scalar to include.

    Returns:
      An array of the type of `a` without those dimensions.

    Raises:
      ValueError: `initial` is missing, and there are no elements or `where` is given.
      NotImplementedError: `out` is given.

    Example:
      >>> min(np.float32([[1, 2], [3, 4]]), axis=0)
      Array([1., 2.], dtype=float32)
    """
    x, dims = prepared("min", a, axis, out)
    _check_identity("min", x, dims, initial, where)
    if dtypes.KINDS[x.dtype] == "c":
        result = _complex_extreme(_masked("min", x, where, math.inf), dims, "lt", math.inf)
    else:
        x = _masked("min", x, where, dtypes.limit(x.dtype, greatest=True))
        result = ops.reduce_min(x, dims) if dims else x
    return _finish(x, dims, result, keepdims, initial, minimum)


amax, amin = max, min


def _check_identity(
    name: str, x: Array, dims: tuple[int, ...], initial: ArrayLike | None, where: ArrayLike | None
) -> None:
    if initial is not None:
        return
    if where is not None:
        raise value_error(
            f"{name}: initial must be given with where, got: None; {name} of no elements has no "
            "value"
        )
    if builtins.any(x.shape[d] == 0 for d in dims):
        raise value_error(
            f"{name}: an empty array needs initial, got: shape {x.shape} and initial None"
        )


def _complex_extreme(x: Array, dims: tuple[int, ...], direction: str, empty: float) -> Array:
    """The extreme in lexicographic order, by halving: there is no reduction of complex numbers by
    order. For no elements it is `empty`.
    """
    order = [i for i in range(x.ndim) if i not in dims]
    shape = tuple(x.shape[i] for i in order)
    x = lax.reshape(
        lax.transpose(x, [*dims, *order]), (math.prod(x.shape[d] for d in dims), *shape)
    )
    if not x.shape[0]:
        return lax.full_like(x, empty, shape=shape)
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        first, second = lax.slice_in_dim(x, 0, half), lax.slice_in_dim(x, half, 2 * half)
        rest = [lax.slice_in_dim(x, 2 * half, None)] if x.shape[0] % 2 else []
        x = lax.concatenate([first_in_order(first, second, direction), *rest], 0)
    return lax.squeeze(x, (0,))


@documented(REDUCTION)
def ptp(a: ArrayLike, axis: Axis = None, out: None = None, keepdims: bool = False) -> Array:
    """The largest element minus the smallest.

    Args:
      a: an array or scalar of numbers.

    Returns:
      An array of the type of `a` without those dimensions.

    Raises:
      TypeError: the operand is of bools.
      ValueError: there are no elements.
      NotImplementedError: `out` is given.

    Example:
      >>> ptp(np.float32([1, 4, 2]))
      Array(3., dtype=float32)
    """
    x, dims, names = prepared_with_names("ptp", a, axis, out)
    check_kind("ptp", x, "iufc")
    axes = dims + names
    return max(x, axes, None, keepdims) - min(x, axes, None, keepdims)


@documented(ARG_REDUCTION)
def argmax(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """The index of the first largest element along `axis`, or in row-major order.

    Example:
      >>> argmax(np.float32([1, 4, 2]))
      Array(1, dtype=int32)
    """
    return _arg_reduce("argmax", lax.argmax, a, axis, out, builtins.bool(keepdims))


@documented(ARG_REDUCTION)
def argmin(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """The index of the first smallest element along `axis`, or in row-major order.

    Example:
      >>> argmin(np.float32([1, 4, 2]))
      Array(0, dtype=int32)
    """
    return _arg_reduce("argmin", lax.argmin, a, axis, out, builtins.bool(keepdims))


def _arg_reduce(
    name: str, op: Callable[..., Array], a: ArrayLike, axis: int | None, out: Any, keepdims: bool
) -> Array:
    no_out(name, out)
    x = as_operand(name, a)
    dims = tuple(range(x.ndim)) if axis is None else (canonical_axis(axis, x.ndim),)
    flat = lax.reshape(x, (x.size,)) if axis is None else x
    if 0 in (x.shape[d] for d in dims):
        raise value_error(f"attempt to get {name} of an empty sequence, got: shape {x.shape}")
    result = op(flat, 0 if axis is None else dims[0], dtypes.default_dtype("i"))
    return kept(x, dims, result) if keepdims else result


# Truth --------------------------------------------------------------------------------------------


@documented(REDUCTION, PREDICATE)
def all(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Test whether all elements over `axis` are nonzero.

    Example:
      >>> all(np.array([True, False]))
      Array(False, dtype=bool)
    """
    x, dims = prepared("all", a, axis, out)
    x = _masked("all", truth("all", x), where, True)
    result = ops.reduce_and(x, dims) if dims else x
    return kept(x, dims, result) if keepdims else result


@documented(REDUCTION, PREDICATE)
def any(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Test whether any element over `axis` is nonzero.

    Example:
      >>> any(np.array([True, False]))
      Array(True, dtype=bool)
    """
    x, dims = prepared("any", a, axis, out)
    x = _masked("any", truth("any", x), where, False)
    result = ops.reduce_or(x, dims) if dims else x
    return kept(x, dims, result) if keepdims else result


def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """The number of elements over `axis` that are not 0.

    Args:
      a: an array or scalar.
      axis: one or more dimensions; None for all.
      keepdims: whether to keep those dimensions, with size 1.

    Returns:
      An array of default integers.

    Example:
      >>> count_nonzero(np.float32([0, 1, 2]))
      Array(2, dtype=int32)
    """
    x = as_operand("count_nonzero", a)
    dtype = dtypes.default_dtype("i")
    if axis is None and not keepdims and is_for_numpy(x):
        return apply_known(functools.partial(_count, dtype), x)
    return sum(truth("count_nonzero", x), axis, dtype, keepdims=keepdims)


def _count(dtype: np.dtype, x: np.ndarray) -> np.ndarray:
    return np.array(np.count_nonzero(x), dtype)


def apply_over_axes(func: Callable[..., Array], a: ArrayLike, axes: Axis) -> Array:
    """`func(x, axis)` for one axis after the other; a dimension that it drops is restored.

    Args:
      func: takes an array and a dimension; keeps the rank, or drops that dimension.
      a: an array or scalar.
      axes: one or more dimensions.

    Returns:
      An array of the rank of `a`.

    Raises:
      ValueError: the function returns another rank.

    Example:
      >>> apply_over_axes(sum, np.float32([[1, 2], [3, 4]]), [0, 1])
      Array([[10.]], dtype=float32)
    """
    x = as_operand("apply_over_axes", a)
    for axis in canonical_axes(axes, x.ndim):
        result = func(x, axis)
        if result.ndim == x.ndim - 1:
            result = lax.expand_dims(result, (axis,))
        if result.ndim != x.ndim:
            raise value_error(
                "apply_over_axes: the function must keep the rank or drop one dimension, got: "
                f"shapes {x.shape} and {result.shape}"
            )
        x = result
    return x
