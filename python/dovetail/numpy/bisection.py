"""Insertion points in a sorted vector, found by bisection."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy.promotion import promote
from dovetail.numpy.taking import take
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.tracing.bind import apply_known, is_for_numpy
from dovetail.tracing.whole import whole


@whole
def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: str = "left",
    sorter: ArrayLike | None = None,
    *,
    method: str = "scan",
) -> Array:
    """The positions at which values would be inserted in a sorted array.

    Args:
      a: a sorted vector.
      v: values of any shape.
      side: `left` puts a value before those equal to it, `right` after them.
      sorter: indices that sort `a`.
      method: `scan`, `scan_unrolled`, `sort` or `compare_all`; accepted.

    Returns:
      Integers from 0 to the size of `a`, in the shape of `v`, found by bisection; int32 if that can
      hold the size.

    Example:
      >>> searchsorted(dnp.array([1, 3, 3, 5]), dnp.array([3, 4]))
      Array([1, 3], dtype=int32)
    """
    if side not in ("left", "right"):
        raise value_error(f"searchsorted: side must be 'left' or 'right', got: {side!r}")
    if method not in ("scan", "scan_unrolled", "sort", "compare_all"):
        raise value_error(f"searchsorted: there is no method {method!r}")
    given = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in (a, v)]
    array, values = promote("searchsorted", *given)
    if array.ndim != 1:
        raise value_error(f"searchsorted: a must be a vector, got: shape {array.shape}")
    if sorter is not None:
        array = take(array, sorter, mode="clip")
    dtype = dtypes.dtype_of_sizes(array.shape)
    if is_for_numpy(array, kinds="biuf"):
        return apply_known(functools.partial(_by_numpy, side=side, dtype=dtype), array, values)
    size = array.shape[0]
    low = lax.full(values.shape, 0, dtype)
    high = lax.full(values.shape, size, dtype)
    one = lax.full(values.shape, 1, dtype)
    for _ in range(size.bit_length()):
        middle = lax.div(lax.add(low, high), lax.full(values.shape, 2, dtype))
        at = take(array, middle, mode="clip")
        after = _precedes(at, values) if side == "left" else lax.bitwise_not(_precedes(values, at))
        open_ = lax.lt(low, high)
        low = lax.select(lax.bitwise_and(open_, after), lax.add(middle, one), low)
        rest = lax.bitwise_and(open_, lax.bitwise_not(after))
        high = lax.select(rest, middle, high)
    return low


def _by_numpy(array: np.ndarray, values: np.ndarray, side: Any, dtype: np.dtype) -> np.ndarray:
    return array.searchsorted(values, side).astype(dtype)


def _precedes(x: Array, y: Array) -> Array:
    """True if x precedes y, with NaN last."""
    less = lax.lt(x, y)
    if dtypes.KINDS[x.dtype] != "f":
        return less
    return lax.bitwise_or(less, lax.bitwise_and(lax.eq(x, x), lax.ne(y, y)))


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str = "scan") -> Array:
    """The number of the bin of each element, 0 before the first edge.

    Args:
      x: an array of real numbers.
      bins: a vector of edges that increase, or decrease.
      right: whether an element equal to an edge counts as below it.
      method: accepted.

    Returns:
      An array of integers from 0 to the number of edges, of the shape of `x`; int32 if that can
      hold the number.

    Raises:
      ValueError: `bins` is not a vector.

    Example:
      >>> digitize(dnp.array([0.5, 1.0, 9.0]), dnp.array([0.0, 1.0, 2.0]))
      Array([1, 2, 3], dtype=int32)
    """
    edges = as_operand("digitize", np.asarray(bins) if isinstance(bins, (list, tuple)) else bins)
    if edges.ndim != 1:
        raise value_error(f"digitize: bins must be a vector, got: shape {edges.shape}")
    side = "right" if not right else "left"
    if not edges.shape[0]:
        return lax.full(as_operand("digitize", x).shape, 0, np.dtype(np.int32))
    up = searchsorted(edges, x, side)
    down = lax.sub(
        lax.full(up.shape, edges.shape[0], up.dtype),
        searchsorted(ops.reverse(edges, (0,)), x, side),
    )
    rising = lax.ge(edges[-1], edges[0])
    return lax.select(lax.broadcast(rising, up.shape), up, down)
