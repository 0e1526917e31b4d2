"""Products, quotients and roots of polynomials."""

from __future__ import annotations

import math

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy.convolution import convolve
from dovetail.numpy.joining import trim_zeros
from dovetail.numpy.linalg import eigvals
from dovetail.numpy.promotion import inexact, promote
from dovetail.numpy.shape import ravel
from dovetail.ops.operands import ArrayLike


def _coefficients(name: str, x: ArrayLike, y: ArrayLike) -> list[Array]:
    operands = promote(name, x, y, to=dtypes.to_inexact_dtype)
    if any(p.ndim != 1 for p in operands):
        raise value_error(
            f"{name}: polynomials must be vectors, got: shapes "
            f"{' and '.join(str(p.shape) for p in operands)}"
        )
    return operands


def polymul(a1: ArrayLike, a2: ArrayLike, *, trim_leading_zeros: bool = False) -> Array:
    """The coefficients of the product of polynomials, the highest power first.

    Args:
      a1, a2: vectors of coefficients.
      trim_leading_zeros: whether to omit leading zeros of the operands, as NumPy does; their number
        must be known, so these cannot be traced.

    Returns:
      A vector of floats or complex numbers.

    Raises:
      ValueError: an operand is not a vector.

    Example:
      >>> polymul(dnp.array([1, 2]), dnp.array([1, 0, 3]))
      Array([1., 2., 3., 6.], dtype=float32)
    """
    x, y = _coefficients("polymul", a1, a2)
    if trim_leading_zeros and (x.size > 1 or y.size > 1):
        x, y = trim_zeros(x, "f"), trim_zeros(y, "f")
    zero = lax.full((1,), 0, x.dtype)
    return convolve(x if x.size else zero, y if y.size else zero)


def poly(seq_of_zeros: ArrayLike) -> Array:
    """The coefficients of the monic polynomial with given roots, the highest power first.

    Args:
      seq_of_zeros: a vector of roots, one root, or a square matrix, whose eigenvalues are the
        roots.

    Returns:
      A vector with one additional element.

    Raises:
      ValueError: the argument is neither.

    Example:
      >>> poly(dnp.array([1, 2]))
      Array([ 1., -3.,  2.], dtype=float32)
    """
    roots = inexact("poly", seq_of_zeros)
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] and roots.size:
        roots = eigvals(roots)
    if roots.ndim > 1:
        raise value_error(
            f"poly: the roots must be a vector or a square matrix, got: shape {roots.shape}"
        )
    roots = ravel(roots)
    result, zero = lax.full((1,), 1, roots.dtype), lax.full((1,), 0, roots.dtype)
    for root in lax.split(roots, [1] * roots.size) if roots.size else ():
        # (x - root) times the product so far.
        later = root * lax.concatenate([zero, result], 0)
        result = lax.concatenate([result, zero], 0) - later
    return result


def polydiv(u: ArrayLike, v: ArrayLike, *, trim_leading_zeros: bool = False) -> tuple[Array, Array]:
    """The coefficients of the quotient and the remainder of polynomials.

    Args:
      u: the dividend, the highest power first.
      v: the divisor, whose first coefficient must not be 0.
      trim_leading_zeros: whether to omit the leading coefficients of the remainder that are zero up
        to rounding; its value must be known then.

    Returns:
      The quotient, and the remainder, which has the size of `u` unless it is trimmed.

    Raises:
      ValueError: an operand is empty or not a vector.

    Example:
      >>> polydiv(dnp.array([1, 3, 5]), dnp.array([1, 1]))
      (Array([1., 2.], dtype=float32), Array([0., 0., 3.], dtype=float32))
    """
    x, y = _coefficients("polydiv", u, v)
    if not x.size or not y.size:
        raise value_error(
            f"polydiv: polynomials must not be empty, got: shapes {x.shape} and {y.shape}"
        )
    count = x.size - y.size + 1
    zero = lax.full((), 0, x.dtype)
    scale = 1 / lax.slice_in_dim(y, 0, 1)
    factors = []
    for i in range(count):
        factors.append(scale * lax.slice_in_dim(x, i, i + 1))
        x = x - lax.pad(factors[-1] * y, zero, [(i, count - 1 - i, 0)])
    if trim_leading_zeros:
        is_small = abs(x._value()) < math.sqrt(dtypes.finfo(x.dtype).eps)
        x = lax.slice_in_dim(x, x.size if is_small.all() else int(is_small.argmin()), None)
    return (lax.concatenate(factors, 0) if factors else lax.full((1,), 0, x.dtype)), x
