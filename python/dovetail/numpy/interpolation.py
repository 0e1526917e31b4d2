"""Piecewise linear functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.arithmetic import absolute, remainder
from dovetail.numpy.bisection import searchsorted
from dovetail.numpy.bounds import clip
from dovetail.numpy.choice import where
from dovetail.numpy.joining import concatenate
from dovetail.numpy.promotion import inexact, promote
from dovetail.numpy.taking import take
from dovetail.ops.operands import ArrayLike
from dovetail.symbolic.size import min_dim
from dovetail.tracing.bind import apply_known, is_for_numpy


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | str | None = None,
    right: ArrayLike | str | None = None,
    period: ArrayLike | None = None,
) -> Array:
    """Piecewise linear interpolation.

    Args:
      x: where to evaluate, real.
      xp: the points, an increasing real vector.
      fp: the values at the points, real or complex.
      left, right: the result before the first and after the last point; by default the values
        there; `"extrapolate"` continues the line.
      period: the function's period, by which `x` and `xp` are folded; `xp` then need not increase,
        and `left` and `right` are ignored.

    Returns:
      An array of the shape of `x`.

    Raises:
      TypeError: `x` or `xp` is complex.
      ValueError: `xp` and `fp` are not vectors of one size, or `left` or `right` is another string.

    Example:
      >>> interp(dnp.array([0.5, 9.0]), dnp.array([0.0, 1.0]), dnp.array([2.0, 4.0]))
      Array([3., 4.], dtype=float32)
    """
    given = [np.asarray(v) if isinstance(v, (list, tuple)) else v for v in (x, xp, fp)]
    at, places = promote("interp", *given[:2], to=dtypes.to_inexact_dtype)
    values = inexact("interp", given[2])
    if dtypes.KINDS[at.dtype] == "c":
        raise type_error(
            f"interp: the element type of x and xp must be real, got: {at.dtype.name}; take x.real "
            "first"
        )
    if places.ndim != 1 or places.shape != values.shape or not places.shape[0]:
        raise value_error(
            "interp: xp and fp must be one-dimensional arrays of equal size that is not 0, got: "
            f"shapes {places.shape} and {values.shape}"
        )
    for end in (left, right):
        if isinstance(end, str) and end != "extrapolate":
            raise value_error(
                f"interp: left and right must be numbers or 'extrapolate', got: {end!r}"
            )
    is_plain = left is None and right is None and period is None
    # With operands of two types, some differences are rounded to the narrower one, unlike in NumPy.
    is_wide = at.dtype == values.dtype and at.dtype.itemsize >= 4
    if is_plain and is_wide and is_for_numpy(at):
        return apply_known(_by_numpy, at, places, values)
    if period is not None:
        return _between(*_folded(at, places, values, period))
    result = _between(at, places, values)
    first, last = places[0], places[-1]
    for outside, end, value in ((at < first, left, values[0]), (at > last, right, values[-1])):
        if not isinstance(end, str):
            result = where(outside, value if end is None else end, result)
    return result


def _by_numpy(at: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray(np.interp(at, places, values)).astype(at.dtype)


def _folded(at: Array, places: Array, values: Array, period: Any) -> tuple[Array, Array, Array]:
    """Everything within one period, and the points continued by one on either side."""
    if np.ndim(period):
        raise value_error(f"interp: period must be a scalar, got: shape {np.shape(period)}")
    length = absolute(period)
    places, values = lax.sort_key_val(remainder(places, length), values)
    around = [places[-1:] - length, places, places[:1] + length]
    return (
        remainder(at, length),
        concatenate(around),
        concatenate([values[-1:], values, values[:1]]),
    )


def _between(at: Array, places: Array, values: Array) -> Array:
    """The line through the points on either side, continued before the first and after the last."""
    count = places.shape[0]
    i = clip(searchsorted(places, at, "right"), min_dim(1, count - 1), count - 1)
    x0, x1 = (take(places, j, mode="clip") for j in (i - 1, i))
    y0, y1 = (take(values, j, mode="clip") for j in (i - 1, i))
    # Where points are the same, dividing would make the gradient NaN.
    flat = x0 == x1
    return where(flat, y0, y0 + (at - x0) / where(flat, 1, x1 - x0) * (y1 - y0))
