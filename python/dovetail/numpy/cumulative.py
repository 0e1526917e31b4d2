"""Running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.numpy.data import as_dtype
from dovetail.numpy.docstrings import CUMULATIVE
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import filled, no_out, strong
from dovetail.numpy.reductions import accumulated
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis


def _running(
    name: str,
    op: Callable[[Array, int], Array],
    a: ArrayLike,
    axis: int | None,
    dtype: Any,
    out: Any,
    nan_as: int | None = None,
) -> Array:
    """A running reduction along `axis`, or over all elements in row-major order; bools are counted
    as integers unless the dtype is bool.
    """
    no_out(name, out)
    x = as_operand(name, a)
    if nan_as is not None and dtypes.KINDS[x.dtype] in "fc":
        x = ops.select(isnan(x), filled(x, nan_as), x)
    if dtype is not None:
        x = as_dtype(x, dtypes.requested(dtype, name))
    stays_bool = dtype is not None and x.dtype == dtypes.bool_
    if dtypes.KINDS[x.dtype] == "b":
        x = ops.convert(x, dtypes.default_dtype("i"))
    if axis is None:
        x, axis = lax.reshape(x, (x.size,)), 0
    result = strong(op(x, canonical_axis(axis, x.ndim)))
    return as_dtype(result, dtypes.bool_) if stays_bool else result


@documented(CUMULATIVE)
def cumsum(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: None = None) -> Array:
    """The sums of all elements up to each along `axis`, or in row-major order.

    Example:
      >>> cumsum(np.float32([[1, 2], [3, 4]]), axis=1)
      Array([[1., 3.],
             [3., 7.]], dtype=float32)
    """
    return _running("cumsum", ops.cumsum, a, axis, dtype, out)


@documented(CUMULATIVE)
def cumprod(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: None = None) -> Array:
    """The products of all elements up to each along `axis`, or in row-major order.

    Example:
      >>> cumprod(np.float32([[1, 2], [3, 4]]))
      Array([ 1.,  2.,  6., 24.], dtype=float32)
    """
    return _running("cumprod", ops.cumprod, a, axis, dtype, out)


@documented(CUMULATIVE)
def nancumsum(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: None = None) -> Array:
    """Like `cumsum`, with NaN as 0.

    Example:
      >>> nancumsum(np.float32([1, np.nan, 2]))
      Array([1., 1., 3.], dtype=float32)
    """
    return _running("nancumsum", ops.cumsum, a, axis, dtype, out, 0)


@documented(CUMULATIVE)
def nancumprod(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: None = None) -> Array:
    """Like `cumprod`, with NaN as 1.

    Example:
      >>> nancumprod(np.float32([3, np.nan, 2]))
      Array([3., 3., 6.], dtype=float32)
    """
    return _running("nancumprod", ops.cumprod, a, axis, dtype, out, 1)


def cumulative_sum(
    x: ArrayLike, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Like `cumsum`, for an array of rank 1 or with an axis; with `include_initial`, from 0 on.
    Small integers are summed in the default integer type.

    Args:
      x: an array.
      axis: the dimension; optional for a vector.
      dtype: the element type of the result; narrow integers become the default one.
      include_initial: whether to begin with the neutral element.

    Returns:
      An array; longer by one with `include_initial`.

    Raises:
      ValueError: `axis` is None, and the rank is not 1.

    Example:
      >>> cumulative_sum(np.float32([1, 2]), include_initial=True)
      Array([0., 1., 3.], dtype=float32)
    """
    return _array_api("cumulative_sum", ops.cumsum, x, axis, dtype, include_initial, 0)


def cumulative_prod(
    x: ArrayLike, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Like `cumprod`, for an array of rank 1 or with an axis; with `include_initial`, from 1 on.
    Small integers are multiplied in the default integer type.

    Args:
      x: an array.
      axis: the dimension; optional for a vector.
      dtype: the element type of the result; narrow integers become the default one.
      include_initial: whether to begin with the neutral element.

    Returns:
      An array; longer by one with `include_initial`.

    Raises:
      ValueError: `axis` is None, and the rank is not 1.

    Example:
      >>> cumulative_prod(np.float32([3, 2]), include_initial=True)
      Array([1., 3., 6.], dtype=float32)
    """
    return _array_api("cumulative_prod", ops.cumprod, x, axis, dtype, include_initial, 1)


def _array_api(
    name: str,
    op: Callable[[Array, int], Array],
    a: ArrayLike,
    axis: int | None,
    dtype: Any,
    include_initial: bool,
    initial: int,
) -> Array:
    x = as_operand(name, a)
    if x.ndim == 0:
        what = name.replace("_", " ").replace("prod", "product")
        raise value_error(f"{name}: The input must be non-scalar to take a {what}, got: a scalar")
    if axis is None and x.ndim != 1:
        raise value_error(
            f"{name}: The input array has rank {x.ndim}, however axis was not set to an explicit "
            "value; only for vectors axis may be left out"
        )
    dimension = 0 if axis is None else canonical_axis(axis, x.ndim)
    result = _running(name, op, accumulated(name, x, dtype), dimension, dtype, None)
    if not include_initial:
        return result
    first = tuple(1 if d == dimension else s for d, s in enumerate(x.shape))
    return lax.concatenate([lax.full(first, initial, result.dtype), result], dimension)
