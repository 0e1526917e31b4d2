"""The greatest common divisor and the least common multiple."""

from __future__ import annotations

import math

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.numpy.promotion import filled, promote_and_broadcast
from dovetail.ops.operands import ArrayLike, check_kind
from dovetail.tracing.bind import apply_known, is_for_numpy

# Per bit, the most steps that Euclid's algorithm takes: for neighbours in Fibonacci's sequence.
_STEPS = 1 / math.log2((1 + math.sqrt(5)) / 2)


def gcd(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The greatest integer that divides both without remainder, 0 for two zeros.

    Args:
      x1, x2: arrays of integers that broadcast together.

    Returns:
      An array of their common type. For the smallest integer and itself or 0, it is that integer:
      its magnitude is not representable.

    Raises:
      TypeError: the operands are not integers.

    Source: Euclid, Elements, book VII; the number of steps is by Lamé.

    Example:
      >>> gcd(12, np.array([18, -8, 0]))
      Array([ 6,  4, 12], dtype=int32)
    """
    x, y = _integers("gcd", x1, x2)
    if is_for_numpy(x):
        return apply_known(np.gcd, x, y, weak_type=x.weak_type and y.weak_type)
    zero = filled(x, 0)
    # A first step may only swap the two.
    for _ in range(math.ceil(_STEPS * dtypes.itemsize_bits(x.dtype)) + 1):
        done = ops.compare(y, zero, "eq")
        x, y = ops.select(done, x, y), ops.select(done, y, lax.rem(x, y))
    return x if dtypes.KINDS[x.dtype] == "u" else ops.abs(x)


def lcm(x1: ArrayLike, x2: ArrayLike) -> Array:
    """The least non-negative integer that both divide without remainder; 0 where one of them is 0.

    Args:
      x1, x2: arrays of integers that broadcast together.

    Raises:
      TypeError: the operands are not integers.

    Example:
      >>> lcm(4, np.array([6, -8, 0]))
      Array([12,  8,  0], dtype=int32)
    """
    x, y = _integers("lcm", x1, x2)
    if is_for_numpy(x):
        return apply_known(np.lcm, x, y, weak_type=x.weak_type and y.weak_type)
    if dtypes.KINDS[x.dtype] != "u":
        x, y = ops.abs(x), ops.abs(y)
    # Where the divisor is 0, so is x.
    return ops.mul(x, ops.div(y, gcd(x, y)))


def _integers(name: str, x1: ArrayLike, x2: ArrayLike) -> list[Array]:
    return [check_kind(name, x, "iu") for x in promote_and_broadcast(name, x1, x2)]
