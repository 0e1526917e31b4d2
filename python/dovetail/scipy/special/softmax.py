"""Exponentials that are normalized over axes."""

from __future__ import annotations

from dovetail import nn
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.special.docstrings import INEXACT


@documented(INEXACT)
def softmax(x: ArrayLike, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Exponentials divided by their sum.

    Example:
      >>> softmax(dnp.zeros(4))
      Array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    return nn.softmax(x, axis)


@documented(INEXACT)
def log_softmax(x: ArrayLike, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """The logarithm of `softmax`.

    Example:
      >>> log_softmax(dnp.zeros(2))
      Array([-0.6931472, -0.6931472], dtype=float32)
    """
    return nn.log_softmax(x, axis)
