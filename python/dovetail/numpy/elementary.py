"""Exponentials, logarithms and powers, element by element.

Integers and bools are computed as floats.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.lax.logsumexp import complex_logaddexp
from dovetail.numpy.docstrings import FLOATS, INEXACT, PROMOTED, REAL
from dovetail.numpy.promotion import (
    inexact,
    numbers,
    only_values,
    pair_inexact,
    pair_numbers,
    real_inexact,
    strong,
)
from dovetail.ops.operands import ArrayLike
from dovetail.tracing.tracer import AnyTracer

# Exponentials and logarithms ----------------------------------------------------------------------


@documented(INEXACT)
def exp(x: ArrayLike, /) -> Array:
    """e to the power of each element.

    Example:
      >>> exp(0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.exp(inexact("exp", x))


@documented(INEXACT)
def exp2(x: ArrayLike, /) -> Array:
    """2 to the power of each element.

    Example:
      >>> exp2(3)
      Array(8., dtype=float32, weak_type=True)
    """
    return ops.exp2(inexact("exp2", x))


@documented(INEXACT)
def expm1(x: ArrayLike, /) -> Array:
    """exp(x) - 1, accurate near zero.

    Example:
      >>> expm1(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.expm1(inexact("expm1", x))


@documented(INEXACT)
def log(x: ArrayLike, /) -> Array:
    """The natural logarithm.

    Example:
      >>> log(1)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.log(inexact("log", x))


@documented(INEXACT)
def log1p(x: ArrayLike, /) -> Array:
    """log(1 + x), accurate near zero.

    Example:
      >>> log1p(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.log1p(inexact("log1p", x))


@documented(INEXACT)
def log2(x: ArrayLike, /) -> Array:
    """The logarithm to base 2.

    Example:
      >>> log2(8)
      Array(3., dtype=float32)
    """
    return _over(ops.log(strong(inexact("log2", x))), math.log(2))


@documented(INEXACT)
def log10(x: ArrayLike, /) -> Array:
    """The logarithm to base 10.

    Example:
      >>> log10(100)
      Array(2., dtype=float32)
    """
    return _over(ops.log(strong(inexact("log10", x))), math.log(10))


@documented(INEXACT)
def logaddexp(x1: ArrayLike, x2: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """log(exp(x1) + exp(x2)) without overflow.

    Returns:
      An array of floats or complex numbers; the imaginary part of complex ones is in [-pi, pi].

    Example:
      >>> logaddexp(0.0, -np.inf)
      Array(0., dtype=float32, weak_type=True)
    """
    only_values("logaddexp", out, where)
    x, y = pair_inexact("logaddexp", x1, x2)
    if dtypes.KINDS[x.dtype] == "c":
        return complex_logaddexp(x, y)
    return ops.logaddexp(x, y)


@documented(INEXACT)
def logaddexp2(x1: ArrayLike, x2: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """log2(2**x1 + 2**x2) without overflow.

    Example:
      >>> logaddexp2(1.0, 1.0)
      Array(2., dtype=float32, weak_type=True)
    """
    only_values("logaddexp2", out, where)
    x, y = pair_inexact("logaddexp2", x1, x2)
    if dtypes.KINDS[x.dtype] == "c":
        factor = 1 / math.log(2)
        return _over(complex_logaddexp(_over(x, factor), _over(y, factor)), math.log(2))
    return ops.logaddexp2(x, y)


def _over(x: Array, divisor: float) -> Array:
    """The quotient by a real number, part by part: an infinite part leaves the other one alone."""
    if dtypes.KINDS[x.dtype] != "c":
        return x / divisor
    return ops.complex(ops.real(x) / divisor, ops.imag(x) / divisor)


# Powers -------------------------------------------------------------------------------------------


@documented(PROMOTED)
def power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 to the power x2; a known integer x2 is multiplied out, and must not be negative for
    integer x1.

    For integers, the result for an unknown negative x2 is the integer part of 1 / x1**-x2.

    Raises:
      TypeError: an integer is raised to a negative Python integer.

    Example:
      >>> power(2, 3)
      Array(8, dtype=int32, weak_type=True)
    """
    exponent = _known_integer(x2)
    if exponent is not None:
        x = numbers("power", x1)
        if exponent < 0 and dtypes.KINDS[x.dtype] in "iu":
            raise type_error(
                "Integers cannot be raised to negative powers: power of an integer array needs an "
                f"exponent of 0 or more, got: {exponent}; convert it to float first"
            )
        return ops.integer_pow(x, exponent)
    return ops.pow(*pair_numbers("power", x1, x2))


pow = power


def _known_integer(x: Any) -> int | None:
    """The value of a rank-0 integer that is known while tracing, otherwise None."""
    if isinstance(x, int):
        return None if isinstance(x, bool) else x
    # A recorded one raises an error that it has no value.
    known = isinstance(x, (np.integer, np.ndarray, Array)) and not isinstance(x, AnyTracer)
    if known and x.ndim == 0 and dtypes.KINDS.get(x.dtype) in ("i", "u"):
        return operator.index(x)
    return None


@documented(INEXACT)
def float_power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 to the power x2, computed in floats.

    Example:
      >>> float_power(2, -1)
      Array(0.5, dtype=float32, weak_type=True)
    """
    return ops.pow(*pair_inexact("float_power", x1, x2))


@documented(INEXACT)
def sqrt(x: ArrayLike, /) -> Array:
    """The square root.

    Example:
      >>> sqrt(4)
      Array(2., dtype=float32, weak_type=True)
    """
    return ops.sqrt(inexact("sqrt", x))


@documented(REAL, FLOATS)
def cbrt(x: ArrayLike, /) -> Array:
    """The cube root of real numbers.

    Args:
      x: an array or scalar of real numbers; integers and bools become floats.

    Example:
      >>> cbrt(27)
      Array(3., dtype=float32, weak_type=True)
    """
    return ops.cbrt(real_inexact("cbrt", x))


@documented(FLOATS)
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """sqrt(x1**2 + x2**2) of real numbers, without overflow.

    Args:
      x1, x2: arrays or scalars of real numbers, which are promoted and broadcast; integers and
        bools become floats.

    Raises:
      ValueError: an operand is complex.

    Example:
      >>> hypot(3, 4)
      Array(5., dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("hypot", x1, x2)
    if dtypes.KINDS[x.dtype] == "c":
        raise value_error(
            f"jnp.hypot is not well defined for complex-valued inputs, got: {x.dtype.name}; take "
            "x.real first"
        )
    return ops.hypot(x, y)
