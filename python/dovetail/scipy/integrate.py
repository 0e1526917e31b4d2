"""Integration of samples."""

from __future__ import annotations

from dovetail import numpy as _numpy
from dovetail.arrays.array import Array
from dovetail.eager import cache as _eager
from dovetail.ops.operands import ArrayLike


def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1
) -> Array:
    """The integral by the trapezoidal rule.

    Args:
      y: an array of values; integers and bools become floats.
      x: the points of the values, a vector or an array that broadcasts to the shape of `y`; by
        default they are `dx` apart.
      dx: the distance between points.
      axis: the dimension along which to integrate.

    Returns:
      An array without that dimension. https://dlmf.nist.gov/3.5#E2

    Example:
      >>> trapezoid(dnp.array([1.0, 2.0, 3.0]))
      Array(4., dtype=float32)
    """
    return _numpy.trapezoid(y, x, dx, axis)


_eager.remember(globals())
