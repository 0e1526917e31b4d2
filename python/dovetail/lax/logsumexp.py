"""Logarithms of sums of exponentials of complex numbers, and running ones."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.lax.create import full_like
from dovetail.lax.docstrings import CUMULATIVE
from dovetail.lax.pieces import concatenate, slice_in_dim
from dovetail.lax.shape import rev
from dovetail.lax.sort import running
from dovetail.ops.operands import ArrayLike, canonical_axis, unary
from dovetail.symbolic.size import is_symbolic_dim


def complex_logaddexp(x: Array, y: Array) -> Array:
    """log(exp(x) + exp(y)) of complex arrays of one shape, with the imaginary part in [-pi, pi]."""
    first = ops.compare(ops.real(x), ops.real(y), "gt")
    high, low = ops.select(first, x, y), ops.select(first, y, x)
    delta = ops.sub(low, high)
    undefined = ops.compare(delta, delta, "ne")
    # Replaced by 0, so that derivatives stay free of NaN.
    delta = ops.select(undefined, full_like(delta, 0), delta)
    result = ops.add(high, ops.log1p(ops.exp(delta)))
    return _wrapped(ops.select(undefined, ops.add(x, y), result))


def _wrapped(x: Array) -> Array:
    """The imaginary part modulo 2 pi."""
    angle = ops.imag(x)
    turns = ops.round_even(angle / (2 * math.pi)) * (2 * math.pi)
    return ops.complex(ops.real(x), ops.sub(angle, turns))


@documented(CUMULATIVE)
def cumlogsumexp(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
    """The logarithm of the sum of exponentials of all elements up to each along a dimension, or
    from each on if `reverse`.

    Args:
      operand: an array of floats, or of complex numbers if the size of the dimension is known.

    Example:
      >>> cumlogsumexp(np.float32([0, 0]))
      Array([0.       , 0.6931472], dtype=float32)
    """
    x = unary("cumlogsumexp", operand, "fc")
    if dtypes.kind(x.dtype) != "c":
        return running(ops.cumlogsumexp, "cumlogsumexp", x, axis, reverse, "f")
    dimension = canonical_axis(axis, x.ndim)
    size = x.shape[dimension]
    if is_symbolic_dim(size):
        raise NotImplementedError(
            "cumlogsumexp: the dimension of complex numbers must have a known size, got: "
            f"{size}; give the dimension a size, or compute with the real parts"
        )
    if reverse:
        return rev(cumlogsumexp(rev(x, [dimension]), dimension), [dimension])
    # After k steps an element is the result for the 2**k elements that end there.
    reach = 1
    while reach < size:
        sums = complex_logaddexp(
            slice_in_dim(x, reach, None, axis=dimension),
            slice_in_dim(x, 0, size - reach, axis=dimension),
        )
        x = concatenate([slice_in_dim(x, 0, reach, axis=dimension), sums], dimension)
        reach *= 2
    return _wrapped(x)
