"""Exponentials that are normalised over axes."""

from __future__ import annotations

from dovetail import nn
from dovetail.arrays.array import Array
from dovetail.ops.operands import ArrayLike


def softmax(x: ArrayLike, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Exponentials divided by their sum.

    Args:
      x: an array; integers and bools become floats.
      axis: the dimensions of the sum; None for all.

    Returns:
      An array of that inexact type.

    Example:
      >>> softmax(dnp.zeros(4))
      Array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    return nn.softmax(x, axis)


def log_softmax(x: ArrayLike, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """The logarithm of `softmax`.

    Args:
      x: an array; integers and bools become floats.
      axis: the dimensions of the sum; None for all.

    Returns:
      An array of that inexact type.

    Example:
      >>> log_softmax(dnp.zeros(2))
      Array([-0.6931472, -0.6931472], dtype=float32)
    """
    return nn.log_softmax(x, axis)
