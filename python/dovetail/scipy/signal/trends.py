"""Removal of trends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.numpy import arange, concatenate, mean, moveaxis, sum
from dovetail.numpy.promotion import inexact
from dovetail.ops.operands import ArrayLike, canonical_axis


def detrend(
    data: ArrayLike,
    axis: int = -1,
    type: str = "linear",
    bp: int | Sequence[int] | np.ndarray = 0,
    overwrite_data: None = None,
) -> Array:
    """Remove a constant or linear trend.

    Args:
      data: an array; integers and bools become floats.
      axis: the dimension along which to remove the trend.
      type: `linear` for the line of least squares, `constant` for the mean.
      bp: indices at which another line begins.
      overwrite_data: must be None.

    Returns:
      An array like `data`.

    Raises:
      ValueError: there is no such type, or an index is out of bounds.
      NotImplementedError: `overwrite_data` is given.

    Example:
      >>> detrend(dnp.array([1.0, 2.0, 4.0]), type="constant")
      Array([-1.3333333 , -0.33333325,  1.6666667 ], dtype=float32)
    """
    if overwrite_data is not None:
        raise NotImplementedError(
            "detrend: arrays are immutable, so overwrite_data must be None; use the result"
        )
    if type not in ("constant", "linear"):
        raise value_error(f"detrend: type must be 'linear' or 'constant', got: {type!r}")
    x = inexact("detrend", data)
    axis = canonical_axis(axis, x.ndim)
    if type == "constant":
        return x - mean(x, axis, keepdims=True)
    x = moveaxis(x, axis, -1)
    size = x.shape[-1]
    limits = np.unique(np.r_[0, bp, size])
    if limits[0] < 0 or limits[-1] > size:
        raise value_error(
            f"detrend: bp must be indices from 0 to {size}, the size of the dimension, got: {bp}"
        )
    pieces = [
        _without_line(x[..., start:end])
        for start, end in zip(limits[:-1].tolist(), limits[1:].tolist(), strict=True)
    ]
    return moveaxis(concatenate(pieces, -1) if pieces else x, -1, axis)


def _without_line(x: Array) -> Array:
    """Minus the line of least squares: mean and slope are independent about the middle."""
    size = x.shape[-1]
    centered = x - mean(x, -1, keepdims=True)
    if size == 1:
        return centered
    places = arange(size, dtype=x.dtype) - (size - 1) / 2
    slope = sum(centered * places, -1, keepdims=True) / (size * (size * size - 1) / 12)
    return centered - slope * places
