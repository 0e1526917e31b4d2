"""Frequencies of the elements of spectra, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy.arithmetic import divide
from dovetail.numpy.ranges import arange
from dovetail.numpy.rearranging import roll
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes
from dovetail.symbolic.size import as_size


def fftfreq(n: int, d: ArrayLike = 1.0, *, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of `fft`: 0, 1, …, -2, -1 over `d * n`.

    Args:
      n: the number of elements.
      d: the distance between samples.
      dtype: the element type; by default the default float.
      device: the device of the result.

    Returns:
      An array of shape (n,).

    Raises:
      ValueError: `n` is not an integer, or `d` is not a scalar.

    Example:
      >>> fftfreq(4)
      Array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    """
    count = _count("fftfreq", n)
    whole = arange(count, dtype=dtypes.int32, device=device)
    middle = (count + 1) // 2
    return _over("fftfreq", roll(whole - count // 2, middle, 0), count, d, dtype)


def rfftfreq(n: int, d: ArrayLike = 1.0, *, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of `rfft`: 0, 1, …, n//2 over `d * n`.

    Args:
      n: the length of the signal.
      d: the distance between samples.
      dtype: the element type; by default the default float.
      device: the device of the result.

    Returns:
      An array of shape (n//2 + 1,).

    Raises:
      ValueError: `n` is not an integer, or `d` is not a scalar.

    Example:
      >>> rfftfreq(4)
      Array([0.  , 0.25, 0.5 ], dtype=float32)
    """
    count = _count("rfftfreq", n)
    whole = arange(count // 2 + 1, dtype=dtypes.int32, device=device)
    return _over("rfftfreq", whole, count, d, dtype)


def _count(name: str, n: Any) -> int:
    try:
        return as_size(n)
    except TypeError:
        raise value_error(f"The n argument of {name} only takes an int. Got n = {n}") from None


def _over(name: str, numbers: Array, count: int, d: ArrayLike, dtype: Any) -> Array:
    to = dtypes.default_dtype("f") if dtype is None else dtypes.requested(dtype, name)
    computed = dtypes.to_inexact_dtype(to)
    if isinstance(d, (tuple, list)) or np.ndim(d):
        raise value_error(f"The d argument of {name} only takes a single value. Got d = {d}")
    # Numbers of Python are multiplied in their own precision: 41 * (1 / 41) is 1.
    is_known = isinstance(d, (int, float, np.generic)) and type(count) is int
    factor: Any = d if is_known else as_operand(name, d, 1)
    period = lax.convert_element_type(factor * count, computed)
    result = divide(lax.convert_element_type(numbers, computed), period)
    return lax.convert_element_type(result, to)


def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """A spectrum with frequency 0, which comes first, moved to the middle.

    Args:
      x: an array.
      axes: the dimensions; all by default.

    Returns:
      An array like `x`.

    Raises:
      ValueError: an axis is out of bounds.

    Example:
      >>> fftshift(fftfreq(4))
      Array([-0.5 , -0.25,  0.  ,  0.25], dtype=float32)
    """
    array = as_operand("fftshift", x)
    dims = canonical_axes(axes, array.ndim, "axes")
    return roll(array, [array.shape[d] // 2 for d in dims], dims)


def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of `fftshift`.

    Args:
      x: an array.
      axes: the dimensions; all by default.

    Returns:
      An array like `x`.

    Raises:
      ValueError: an axis is out of bounds.

    Example:
      >>> ifftshift(fftshift(np.int32([1, 2, 3])))
      Array([1, 2, 3], dtype=int32)
    """
    array = as_operand("ifftshift", x)
    dims = canonical_axes(axes, array.ndim, "axes")
    return roll(array, [-(array.shape[d] // 2) for d in dims], dims)
