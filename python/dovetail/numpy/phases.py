"""Continuous phases."""

from __future__ import annotations

import math
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.numpy.arithmetic import remainder
from dovetail.numpy.choice import where
from dovetail.numpy.cumulative import cumsum
from dovetail.numpy.differences import diff
from dovetail.numpy.promotion import promote
from dovetail.ops.operands import ArrayLike, canonical_axis
from dovetail.tracing.whole import whole


@whole
def unwrap(
    p: ArrayLike,
    discont: ArrayLike | None = None,
    axis: int = -1,
    period: ArrayLike = 2 * math.pi,
) -> Array:
    """Phases plus multiples of the period that bring each near the one before it along `axis`.

    Args:
      p: an array of real numbers.
      discont: the smallest difference that is changed, by default half a period.
      axis: the dimension.
      period: the period.

    Returns:
      An array like `p`, of the type promoted with that of the period.

    Raises:
      TypeError: the phases are complex.

    Example:
      >>> unwrap(dnp.array([0, 3, 2]), period=4)
      Array([ 0, -1, -2], dtype=int32)
    """
    x, cycle = promote("unwrap", p, period, to=dtypes.to_numeric_dtype)
    kind = dtypes.KINDS[x.dtype]
    if kind == "c":
        raise type_error(
            f"unwrap: the element type must be real, got: {x.dtype.name}; take x.real first"
        )
    dim = canonical_axis(axis, x.ndim)
    if not x.shape[dim]:
        return x
    half: Any = cycle // 2 if kind in "iu" else cycle / 2
    step = diff(x, axis=dim)
    near = remainder(step + half, cycle) - half
    # Half a period forwards stays half a period forwards.
    is_middle = (near == -half) & (step > 0)
    if kind in "iu":
        is_middle = is_middle & (cycle % 2 == 0)
    near = where(is_middle, half, near)
    limit = cycle / 2 if discont is None else discont
    change = where(ops.abs(step) < limit, 0, near - step)
    rest = lax.slice_in_dim(x, 1, None, axis=dim) + cumsum(change, axis=dim)
    return lax.concatenate([lax.slice_in_dim(x, 0, 1, axis=dim), rest.astype(x.dtype)], dim)
