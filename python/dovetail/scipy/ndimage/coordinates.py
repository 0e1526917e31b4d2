"""Interpolation of images."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import abs, asarray, broadcast_arrays, clip, where
from dovetail.numpy.promotion import with_dtype
from dovetail.ops.operands import ArrayLike, as_operand


def map_coordinates(
    input: ArrayLike,
    coordinates: Sequence[ArrayLike],
    order: int,
    mode: str = "constant",
    cval: ArrayLike = 0.0,
) -> Array:
    """Values of an array at points between its elements.

    Args:
      input: an array of rank n.
      coordinates: n arrays, which are broadcast: the points' coordinates along each dimension.
      order: 0 for the nearest element, 1 for linear interpolation.
      mode: the values outside: `constant` for `cval`, `nearest` for the last element, `wrap` for a
        periodic continuation, `mirror` and `reflect` for reflections about the centre and about the
        edge of the last element.
      cval: the value outside, for `constant`.

    Returns:
      An array of the element type of `input` and the shape of the coordinates.

    Raises:
      ValueError: the number of coordinates is not n.
      NotImplementedError: another order or mode.

    Example:
      >>> map_coordinates(dnp.array([0.0, 10.0]), [dnp.array([0.25, 0.5])], order=1)
      Array([2.5, 5. ], dtype=float32)
    """
    x = as_operand("map_coordinates", input)
    if len(coordinates) != x.ndim:
        raise value_error(
            f"map_coordinates: there must be one array of coordinates for each of the {x.ndim} "
            f"dimensions, got: {len(coordinates)}"
        )
    if mode not in _MODES:
        raise NotImplementedError(
            f"map_coordinates: mode must be one of {', '.join(_MODES)}, got: {mode!r}"
        )
    if order not in (0, 1):
        raise NotImplementedError(f"map_coordinates: order must be 0 or 1, got: {order}")
    outside = with_dtype(asarray(cval), x.dtype)
    places = broadcast_arrays(
        *(as_operand("map_coordinates", c, i) for i, c in enumerate(coordinates))
    )
    neighbours = [_neighbours(place, order) for place in places]
    result = None
    for corner in itertools.product(*neighbours):
        indices = tuple(index for index, _ in corner)
        value = x[tuple(_inside(i, size, mode) for i, size in zip(indices, x.shape, strict=True))]
        if mode == "constant":
            valid = asarray(True)
            for index, size in zip(indices, x.shape, strict=True):
                valid = valid & (index >= 0) & (index < size)
            value = where(valid, value, outside)
        for _, weight in corner:
            value = value * weight
        result = value if result is None else result + value
    assert result is not None
    if dtypes.KINDS[x.dtype] in "iu" and dtypes.KINDS[result.dtype] == "f":
        result = ops.round_away(result)
    return with_dtype(result, x.dtype)


def _neighbours(place: Array, order: int) -> list[tuple[Array, Array | int]]:
    """Indices of the elements next to points, and their weights."""
    if dtypes.KINDS[place.dtype] not in "fc":
        return [(with_dtype(place, dtypes.int32), 1)]
    if order == 0:
        return [(with_dtype(ops.round_away(place), dtypes.int32), 1)]
    lower = ops.floor(place)
    weight = place - lower
    index = with_dtype(lower, dtypes.int32)
    return [(index, 1 - weight), (index + 1, weight)]


_MODES = ("constant", "nearest", "wrap", "mirror", "reflect")


def _inside(index: Array, size: int, mode: str) -> Array:
    """The index of the element that represents position `index` under `mode`."""
    if mode == "wrap":
        return index % size
    if mode == "mirror" and size > 1:
        last = size - 1
        return abs((index + last) % (2 * last) - last)
    if mode == "reflect":
        index = index % (2 * size)
        return where(index < size, index, 2 * size - 1 - index)
    return clip(index, 0, size - 1)
