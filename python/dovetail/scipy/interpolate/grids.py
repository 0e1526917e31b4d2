"""Interpolation on grids."""

from __future__ import annotations

import itertools
import math
from typing import Any

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import asarray, broadcast_arrays, clip, reshape, searchsorted, stack, where
from dovetail.numpy.promotion import inexact
from dovetail.ops.operands import as_operand
from dovetail.trees.util import register_pytree_node_class

_METHODS = ("linear", "nearest")


@register_pytree_node_class
class RegularGridInterpolator:
    """A function that interpolates values on a rectangular grid.

    Args:
      points: n vectors, the increasing coordinates of the grid along each dimension.
      values: an array of shape (sizes of the grid..., ...); integers and bools become floats.
      method: `linear` or `nearest`.
      bounds_error: must be False: whether points are outside depends on their values.
      fill_value: the value outside of the grid, or None to extrapolate.

    Raises:
      ValueError: there is no such method, or there are more vectors than dimensions.
      TypeError: the type of the fill value does not match that of the values.
      NotImplementedError: `bounds_error` is True.

    Example:
      >>> function = RegularGridInterpolator((dnp.arange(3.0),), dnp.array([0.0, 10.0, 40.0]))
      >>> function(dnp.array([0.5, 1.5, 2.5]))
      Array([ 5., 25., nan], dtype=float32)
    """

    def __init__(
        self,
        points: Any,
        values: Any,
        method: str = "linear",
        bounds_error: bool = False,
        fill_value: Any = math.nan,
    ) -> None:
        _check_method(method)
        if bounds_error:
            raise NotImplementedError(
                "RegularGridInterpolator: bounds_error must be False: whether points are outside "
                "depends on their values; compare them with the grid"
            )
        self.values = inexact("RegularGridInterpolator", values)
        if len(points) > self.values.ndim:
            raise value_error(
                "RegularGridInterpolator: there must be no more vectors of points than dimensions "
                f"of values, got: {len(points)} and {self.values.ndim}"
            )
        self.grid = tuple(as_operand("RegularGridInterpolator", p) for p in points)
        self.method, self.bounds_error = method, bounds_error
        self.fill_value = None if fill_value is None else asarray(fill_value)
        kinds = dtypes.KINDS
        if self.fill_value is not None and (
            kinds[self.fill_value.dtype] == "c" and kinds[self.values.dtype] != "c"
        ):
            raise type_error(
                "RegularGridInterpolator: fill_value must be real as the values are, got: "
                f"{self.fill_value.dtype.name}"
            )

    def tree_flatten(self) -> tuple[Any, Any]:
        """The arrays, and the rest, for pytrees."""
        return (self.grid, self.values, self.fill_value), (self.method, self.bounds_error)

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Any) -> RegularGridInterpolator:
        """An interpolator of those arrays."""
        result = cls.__new__(cls)
        result.grid, result.values, result.fill_value = children
        result.method, result.bounds_error = aux_data
        return result

    def __call__(self, xi: Any, method: str | None = None) -> Array:
        """The interpolated values at points.

        Args:
          xi: an array of shape (..., n), or a tuple of n arrays of coordinates, which are
            broadcast.
          method: used instead of the one given before.
        """
        method = self.method if method is None else method
        _check_method(method)
        rank = len(self.grid)
        points = _points(xi, rank)
        if points.shape[-1] != rank:
            raise value_error(
                f"RegularGridInterpolator: points must have {rank} coordinates in the last "
                f"dimension, as the grid has, got: shape {points.shape}"
            )
        shape = points.shape[:-1]
        columns = [points[..., i].reshape(-1) for i in range(rank)]
        places = [_place(x, grid) for x, grid in zip(columns, self.grid, strict=True)]
        result = (
            _nearest(self.values, places) if method == "nearest" else _linear(self.values, places)
        )
        if self.fill_value is not None:
            outside = columns[0] != columns[0]
            for x, grid in zip(columns, self.grid, strict=True):
                outside = outside | (x < grid[0]) | (x > grid[-1])
            result = where(_over(outside, result), self.fill_value, result)
        return reshape(result, (*shape, *self.values.shape[rank:]))


def _check_method(method: str) -> None:
    if method not in _METHODS:
        raise value_error(
            f"RegularGridInterpolator: method must be one of {', '.join(_METHODS)}, got: {method!r}"
        )


def _points(xi: Any, rank: int) -> Array:
    if isinstance(xi, tuple) and len(xi) == 1:
        (xi,) = xi
    if isinstance(xi, tuple):
        return stack(broadcast_arrays(*(inexact("RegularGridInterpolator", x) for x in xi)), -1)
    points = inexact("RegularGridInterpolator", asarray(xi))
    return reshape(points, (-1, rank)) if points.ndim == 1 else points


def _place(x: Array, grid: Array) -> tuple[Array, Array]:
    """The index of the interval that contains x, and the relative position of x in it, from 0
    to 1.
    """
    index = clip(searchsorted(grid, x) - 1, 0, grid.size - 2)
    return index, (x - grid[index]) / (grid[index + 1] - grid[index])


def _nearest(values: Array, places: list[tuple[Array, Array]]) -> Array:
    return values[tuple(where(share <= 0.5, index, index + 1) for index, share in places)]


def _linear(values: Array, places: list[tuple[Array, Array]]) -> Array:
    total = None
    for corner in itertools.product((0, 1), repeat=len(places)):
        value = values[tuple(index + step for (index, _), step in zip(places, corner, strict=True))]
        for (_, share), step in zip(places, corner, strict=True):
            value = value * _over(share if step else 1 - share, value)
        total = value if total is None else total + value
    assert total is not None
    return total


def _over(x: Array, values: Array) -> Array:
    """A vector over points with the rank of values at points."""
    return reshape(x, x.shape + (1,) * (values.ndim - 1))
