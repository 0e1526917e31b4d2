"""Running reductions and sorting along one dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.lax.create import iota
from dovetail.lax.docstrings import CUMULATIVE
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_dims, canonical_axis, unary
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.composed import composed

# Running reductions -------------------------------------------------------------------------------


def running(
    op: Callable[..., Array], name: str, operand: ArrayLike, axis: int, reverse: bool, kinds: str
) -> Array:
    """The running reduction by an op; of bools, by that of bytes."""
    x = unary(name, operand, kinds)
    dimension = canonical_axis(axis, x.ndim)
    if x.dtype == dtypes.bool_:
        numbers = op(ops.convert(x, dtypes.uint8), dimension, bool(reverse))
        return ops.convert(numbers, dtypes.bool_)
    return op(x, dimension, bool(reverse))


@documented(CUMULATIVE)
def cumsum(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
    """The sums of all elements up to each along a dimension, or from each on if `reverse`.

    Example:
      >>> cumsum(np.float32([1, 2, 3]))
      Array([1., 3., 6.], dtype=float32)
    """
    return running(ops.cumsum, "cumsum", operand, axis, reverse, "iufc")


@documented(CUMULATIVE)
def cumprod(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
    """The products of all elements up to each along a dimension, or from each on if `reverse`.

    Example:
      >>> cumprod(np.float32([1, 2, 3]))
      Array([1., 2., 6.], dtype=float32)
    """
    return running(ops.cumprod, "cumprod", operand, axis, reverse, "iufc")


@documented(CUMULATIVE)
def cummax(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
    """The largest of all elements up to each along a dimension, or from each on if `reverse`.

    Args:
      operand: an array of numbers or bools; complex numbers are in lexicographic order.

    Example:
      >>> cummax(np.float32([1, 3, 2]))
      Array([1., 3., 3.], dtype=float32)
    """
    return running(ops.cummax, "cummax", operand, axis, reverse, "biufc")


@documented(CUMULATIVE)
def cummin(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
    """The smallest of all elements up to each along a dimension, or from each on if `reverse`.

    Args:
      operand: an array of numbers or bools; complex numbers are in lexicographic order.

    Example:
      >>> cummin(np.float32([2, 1, 3]))
      Array([2., 1., 1.], dtype=float32)
    """
    return running(ops.cummin, "cummin", operand, axis, reverse, "biufc")


# Sorting ------------------------------------------------------------------------------------------


def sort(
    operand: ArrayLike | Sequence[ArrayLike],
    dimension: int = -1,
    is_stable: bool = True,
    num_keys: int = 1,
) -> Any:
    """The elements in increasing order along a dimension; NaN is last, -0 equals 0, and complex
    numbers order by the real part, then by the imaginary part.

    Args:
      operand: an array, or several of one shape that are permuted alike.
      is_stable: accepted; the order of equal elements is always kept.
      num_keys: the number of arrays that are keys; later ones order elements whose earlier keys are
        equal.

    Returns:
      An array, or a tuple of as many as were given.

    Raises:
      TypeError: the shapes differ.
      ValueError: there is no array, or `num_keys` is not between 1 and their number.

    >>> sort(np.float32([3, 1, 2]))
    Array([1., 2., 3.], dtype=float32)
    >>> sort((np.int32([2, 1, 2]), np.int32([7, 8, 9])))
    (Array([1, 2, 2], dtype=int32), Array([8, 7, 9], dtype=int32))
    """
    single = not isinstance(operand, (tuple, list))
    xs = [as_operand("sort", x, i) for i, x in enumerate([operand] if single else operand)]
    if not 1 <= num_keys <= len(xs):
        raise value_error(
            f"sort: num_keys must be at least 1 and at most the number of arrays, {len(xs)}, got: "
            f"{num_keys}"
        )
    if any(x.shape != xs[0].shape for x in xs):
        raise type_error(f"sort: shapes must be equal, got: {', '.join(str(x.shape) for x in xs)}")
    results = ops.sort(xs, canonical_axis(dimension, xs[0].ndim, "dimension"), num_keys)
    return results[0] if single else tuple(results)


def sort_key_val(
    keys: ArrayLike, values: ArrayLike, dimension: int = -1, is_stable: bool = True
) -> tuple[Array, Array]:
    """Keys in increasing order along a dimension, and values permuted as the keys are.

    Args:
      keys: an array.
      values: an array of the same shape.
      dimension: the dimension.
      is_stable: accepted; the order of equal keys is always kept.

    Returns:
      The sorted keys, and the values.

    Example:
      >>> sort_key_val(np.int32([2, 1]), np.float32([3, 4]))
      (Array([1, 2], dtype=int32), Array([4., 3.], dtype=float32))
    """
    return sort((keys, values), dimension, is_stable)


def numbered(x: Array, dimension: int) -> Array:
    """The index of each element along a dimension, as int32."""
    numbers = iota(dtypes.int32, x.shape[dimension])
    return broadcast_dims(numbers, x.shape, (dimension,))


def top_k(operand: ArrayLike, k: int, *, axis: int = -1) -> tuple[Array, Array]:
    """The k largest elements along a dimension in decreasing order, and their indices; of equal
    elements the first come first, and NaN counts as the largest.

    Args:
      operand: an array of bools or real numbers.
      k: the number of elements.
      axis: the dimension.

    Returns:
      The elements, and their indices as int32, both of size `k` along `axis`.

    Raises:
      TypeError: the elements are complex.
      ValueError: `k` is negative, or greater than the size of the dimension.

    Example:
      >>> top_k(np.float32([1, 3, 2]), 2)
      (Array([3., 2.], dtype=float32), Array([1, 2], dtype=int32))
    """
    x, dimension = _of_rows("top_k", operand, k, axis)
    values, indices = _greatest(x, k=k, axis=dimension)
    return values, indices


@composed("top_k", multiple_results=True)
def _greatest(x: Array, *, k: int, axis: int) -> Sequence[Array]:
    return ops.sort((x, numbered(x, axis)), axis, 1, first=k, descending=True)


def _of_rows(name: str, operand: ArrayLike, k: int, axis: int) -> tuple[Array, int]:
    x = unary(name, operand, "biuf")
    dimension = canonical_axis(axis, x.ndim)
    size = x.shape[dimension]
    if k < 0:
        raise value_error(f"k argument to {name} must be nonnegative, got: {k}")
    if k > size:
        raise value_error(
            f"k argument to {name} must be no larger than size along axis; got: k={k} with "
            f"shape={x.shape} and axis={dimension}"
        )
    if not is_symbolic_dim(size) and size > np.iinfo(np.int32).max:
        raise value_error(
            f"{name} returns int32 indices, which will overflow for a dimension of size {size}; "
            "take the greatest of parts first"
        )
    return x, dimension


def approx_max_k(
    operand: ArrayLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> tuple[Array, Array]:
    """Same as `top_k`: results are exact, whatever recall is requested.

    Args:
      operand: an array of real numbers.
      k: the number of elements.
      reduction_dimension: the dimension.
      recall_target: accepted.
      reduction_input_size_override: accepted.
      aggregate_to_topk: accepted.

    Returns:
      The elements and their indices, as int32.

    Example:
      >>> approx_max_k(np.float32([1, 3, 2]), 2)
      (Array([3., 2.], dtype=float32), Array([1, 2], dtype=int32))
    """
    x, _ = _of_rows("approx_max_k", operand, k, reduction_dimension)
    values, indices = _approx_top_k(
        x,
        k=k,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=True,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
    )
    return values, indices


@composed("approx_top_k", multiple_results=True)
def _approx_top_k(
    x: Array, *, k: int, reduction_dimension: int, is_max_k: bool, **options: Any
) -> Any:
    dimension = canonical_axis(reduction_dimension, x.ndim)
    pair = [x, numbered(x, dimension)]
    return ops.sort(pair, dimension, 1, first=k, descending=is_max_k, carried=True)


def approx_min_k(
    operand: ArrayLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> tuple[Array, Array]:
    """The k smallest elements along a dimension in increasing order, and their indices; exact,
    whatever recall is requested.

    Args:
      operand: an array of real numbers.
      k: the number of elements.
      reduction_dimension: the dimension.
      recall_target: accepted.
      reduction_input_size_override: accepted.
      aggregate_to_topk: accepted.

    Returns:
      The elements and their indices, as int32.

    Example:
      >>> approx_min_k(np.float32([1, 3, 2]), 2)
      (Array([1., 2.], dtype=float32), Array([0, 2], dtype=int32))
    """
    x, _ = _of_rows("approx_min_k", operand, k, reduction_dimension)
    values, indices = _approx_top_k(
        x,
        k=k,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        is_max_k=False,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
    )
    return values, indices
