"""The largest and the smallest elements of an array."""

from __future__ import annotations

import operator

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.lax.sort import numbered
from dovetail.numpy.creation import asarray
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import with_dtype
from dovetail.ops.operands import ArrayLike, canonical_axis, check_kind


def top_k(
    a: ArrayLike, k: int, /, *, axis: int = -1, mode: str = "largest", sorted: bool = True
) -> tuple[Array, Array]:
    """The k largest or smallest elements along a dimension, and their indices.

    Args:
      a: an array of real numbers.
      k: the number of elements.
      axis: the dimension.
      mode: `largest` or `smallest`. NaN comes last in both.
      sorted: accepted; the result is always in order.

    Returns:
      The elements and their indices; equal elements keep their order.

    Raises:
      ValueError: `k` is negative or greater than the size of the dimension, or there is no such
        mode.

    Example:
      >>> top_k(dnp.array([1, 3, 2]), 2)
      (Array([3, 2], dtype=int32), Array([1, 2], dtype=int32))
    """
    if mode not in ("largest", "smallest"):
        raise value_error(f"top_k: mode must be 'largest' or 'smallest', got: {mode!r}")
    x = check_kind("top_k", asarray(a), "biuf")
    dim = canonical_axis(axis, x.ndim)
    count = operator.index(k)
    if not 0 <= count <= x.shape[dim]:
        raise value_error(
            f"top_k: k must be 0 or more and at most {x.shape[dim]}, the size of dimension {dim}, "
            f"got: {count}"
        )
    keys = [x, with_dtype(numbered(x, dim), dtypes.default_dtype("i"))]
    if mode == "smallest":
        values, indices = ops.sort(keys, dim, 1, first=count)
    else:
        # NaN comes last.
        is_number = with_dtype(ops.not_(isnan(x)), dtypes.int32)
        _, values, indices = ops.sort([is_number, *keys], dim, 2, first=count, descending=True)
    return values, indices
