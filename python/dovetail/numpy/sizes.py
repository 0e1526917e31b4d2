"""Queries of shapes, for whatever array functions accept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import ArrayMethods
from dovetail.arrays.protocols import array_meant
from dovetail.base import deprecations
from dovetail.ops.operands import canonical_axes


def ndim(a: Any) -> int:
    """The number of dimensions.

    Args:
      a: an array or a scalar; nested lists are deprecated.

    Returns:
      An int.

    Example:
      >>> ndim(np.ones((2, 3)))
      2
    """
    if isinstance(a, (list, tuple)):
        _discourage("ndim", a)
    return len(shape_of(a))


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of the dimensions.

    Args:
      a: an array or a scalar; nested lists are deprecated.

    Returns:
      A tuple of ints.

    Example:
      >>> shape(np.ones((2, 3)))
      (2, 3)
    """
    if isinstance(a, (list, tuple)):
        _discourage("shape", a)
    return shape_of(a)


def shape_of(a: Any) -> tuple[int, ...]:
    """The shape of an argument, which may be a nested list."""
    return tuple(a.shape) if hasattr(a, "shape") else np.shape(array_meant(a))


def _discourage(name: str, a: Any) -> None:
    deprecations.SIZES_OF_LISTS.warn(
        f"{name} requires ndarray or scalar arguments, got: {type(a).__name__}; make an array of "
        "it first, or ask NumPy"
    )


def size(a: Any, axis: int | Sequence[int] | None = None) -> int:
    """The number of elements, or the product of the sizes of some dimensions.

    Args:
      a: an array or a scalar; nested lists are deprecated.
      axis: one or more dimensions; None for all.

    Returns:
      An int.

    Raises:
      ValueError: an axis is out of bounds.

    Example:
      >>> size(np.ones((2, 3)), 1)
      3
    """
    if isinstance(a, (list, tuple)):
        _discourage("size", a)
    sizes = shape_of(a)
    axes = canonical_axes(axis, len(sizes), "axis", "repeated axis in size")
    return math.prod(sizes[d] for d in axes)


def isscalar(element: Any) -> bool:
    """Test whether `element` is a number: a Python or NumPy scalar, or an array of rank 0.

    Args:
      element: any object.

    Returns:
      A bool.

    Example:
      >>> isscalar(1.0)
      True
    """
    element = array_meant(element)
    if isinstance(element, (ArrayMethods, np.ndarray)):
        return not element.shape
    return np.isscalar(element)


def iterable(y: Any) -> bool:
    """Test whether `y` can be iterated over.

    Args:
      y: any object.

    Returns:
      A bool.

    Example:
      >>> iterable(np.ones(2))
      True
    """
    try:
        iter(y)
    except TypeError:
        return False
    return True
