"""Exponentials, logarithms, powers and trigonometry, of operands of one type."""

from __future__ import annotations

from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error
from dovetail.lax.create import full_like
from dovetail.lax.docstrings import BINARY, FLOATS, INEXACT, UNARY
from dovetail.lax.precision import check_accuracy
from dovetail.ops.operands import ArrayLike, as_operand, same, unary


@documented(UNARY, INEXACT)
def exp(x: ArrayLike, accuracy: Any = None) -> Array:
    """e to the power of each element of a float or complex array.

    Example:
      >>> exp(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    check_accuracy("exp", accuracy)
    return ops.exp(unary("exp", x, "fc"))


@documented(UNARY, INEXACT)
def exp2(x: ArrayLike, accuracy: Any = None) -> Array:
    """2 to the power of each element of a float or complex array.

    Example:
      >>> exp2(3.0)
      Array(8., dtype=float32, weak_type=True)
    """
    check_accuracy("exp2", accuracy)
    return ops.exp2(unary("exp2", x, "fc"))


@documented(UNARY, INEXACT)
def expm1(x: ArrayLike, accuracy: Any = None) -> Array:
    """exp(x) - 1 of a float or complex array, accurate near zero.

    Example:
      >>> expm1(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("expm1", accuracy)
    return ops.expm1(unary("expm1", x, "fc"))


@documented(UNARY, INEXACT)
def log(x: ArrayLike, accuracy: Any = None) -> Array:
    """The natural logarithm of a float or complex array.

    Example:
      >>> log(1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("log", accuracy)
    return ops.log(unary("log", x, "fc"))


@documented(UNARY, INEXACT)
def log1p(x: ArrayLike, accuracy: Any = None) -> Array:
    """log(1 + x) of a float or complex array, accurate near zero.

    Example:
      >>> log1p(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("log1p", accuracy)
    return ops.log1p(unary("log1p", x, "fc"))


@documented(UNARY, INEXACT)
def sqrt(x: ArrayLike, accuracy: Any = None) -> Array:
    """The square root of a float or complex array.

    Example:
      >>> sqrt(4.0)
      Array(2., dtype=float32, weak_type=True)
    """
    check_accuracy("sqrt", accuracy)
    return ops.sqrt(unary("sqrt", x, "fc"))


@documented(UNARY, INEXACT)
def rsqrt(x: ArrayLike, accuracy: Any = None) -> Array:
    """1 / sqrt(x) of a float or complex array.

    Example:
      >>> rsqrt(4.0)
      Array(0.5, dtype=float32, weak_type=True)
    """
    check_accuracy("rsqrt", accuracy)
    return ops.rsqrt(unary("rsqrt", x, "fc"))


@documented(UNARY, FLOATS)
def cbrt(x: ArrayLike, accuracy: Any = None) -> Array:
    """The cube root of a float array.

    Example:
      >>> cbrt(27.0)
      Array(3., dtype=float32, weak_type=True)
    """
    check_accuracy("cbrt", accuracy)
    return ops.cbrt(unary("cbrt", x, "f"))


@documented(UNARY, INEXACT)
def sin(x: ArrayLike, accuracy: Any = None) -> Array:
    """The sine of a float or complex array.

    Example:
      >>> sin(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("sin", accuracy)
    return ops.sin(unary("sin", x, "fc"))


@documented(UNARY, INEXACT)
def cos(x: ArrayLike, accuracy: Any = None) -> Array:
    """The cosine of a float or complex array.

    Example:
      >>> cos(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    check_accuracy("cos", accuracy)
    return ops.cos(unary("cos", x, "fc"))


@documented(UNARY, INEXACT)
def tan(x: ArrayLike, accuracy: Any = None) -> Array:
    """The tangent of a float or complex array.

    Example:
      >>> tan(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("tan", accuracy)
    return ops.tan(unary("tan", x, "fc"))


@documented(UNARY, INEXACT)
def asin(x: ArrayLike) -> Array:
    """The inverse sine of a float or complex array.

    Example:
      >>> asin(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.asin(unary("asin", x, "fc"))


@documented(UNARY, INEXACT)
def acos(x: ArrayLike) -> Array:
    """The inverse cosine of a float or complex array.

    Example:
      >>> acos(1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.acos(unary("acos", x, "fc"))


@documented(UNARY, INEXACT)
def atan(x: ArrayLike) -> Array:
    """The inverse tangent of a float or complex array.

    Example:
      >>> atan(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.atan(unary("atan", x, "fc"))


@documented(UNARY, INEXACT)
def sinh(x: ArrayLike) -> Array:
    """The hyperbolic sine of a float or complex array.

    Example:
      >>> sinh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.sinh(unary("sinh", x, "fc"))


@documented(UNARY, INEXACT)
def cosh(x: ArrayLike) -> Array:
    """The hyperbolic cosine of a float or complex array.

    Example:
      >>> cosh(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.cosh(unary("cosh", x, "fc"))


@documented(UNARY, INEXACT)
def tanh(x: ArrayLike, accuracy: Any = None) -> Array:
    """The hyperbolic tangent of a float or complex array.

    Example:
      >>> tanh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("tanh", accuracy)
    return ops.tanh(unary("tanh", x, "fc"))


@documented(UNARY, INEXACT)
def asinh(x: ArrayLike) -> Array:
    """The inverse hyperbolic sine of a float or complex array.

    Example:
      >>> asinh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.asinh(unary("asinh", x, "fc"))


@documented(UNARY, INEXACT)
def acosh(x: ArrayLike) -> Array:
    """The inverse hyperbolic cosine of a float or complex array.

    Example:
      >>> acosh(1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.acosh(unary("acosh", x, "fc"))


@documented(UNARY, INEXACT)
def atanh(x: ArrayLike) -> Array:
    """The inverse hyperbolic tangent of a float or complex array.

    Example:
      >>> atanh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.atanh(unary("atanh", x, "fc"))


@documented(UNARY, INEXACT)
def logistic(x: ArrayLike, accuracy: Any = None) -> Array:
    """1 / (1 + exp(-x)) of a float or complex array.

    Example:
      >>> logistic(0.0)
      Array(0.5, dtype=float32, weak_type=True)
    """
    check_accuracy("logistic", accuracy)
    return ops.logistic(unary("logistic", x, "fc"))


@documented(UNARY, FLOATS)
def erf(x: ArrayLike) -> Array:
    """The error function of a float array.

    Example:
      >>> erf(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.erf(unary("erf", x, "f"))


@documented(UNARY, FLOATS)
def erfc(x: ArrayLike) -> Array:
    """1 - erf(x) of a float array, accurate for large x.

    Example:
      >>> erfc(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.erfc(unary("erfc", x, "f"))


@documented(BINARY)
def pow(x: ArrayLike, y: ArrayLike) -> Array:
    """x to the power y, of float or complex arrays; an integer y of any type becomes a float
    exponent.

    Args:
      x: an array of floats or complex numbers, or of integers if y is of their type.
      y: an array of the type and shape of x, or of integers.

    Returns:
      An array like x.

    Example:
      >>> pow(2.0, 3.0)
      Array(8., dtype=float32, weak_type=True)
    """
    x, y = as_operand("pow", x), as_operand("pow", y, 1)
    if dtypes.KINDS[y.dtype] in "iu":
        if isinstance(x, Array) and dtypes.KINDS[x.dtype] in "iu":
            return ops.pow(*same("pow", (x, y), "iu"))
        y = ops.convert(y, x.dtype, y.weak_type)
    return ops.pow(*same("pow", (x, y), "fc"))


def integer_pow(x: ArrayLike, y: int) -> Array:
    """x to the power of a Python int; a negative one needs float or complex elements.

    Args:
      x: an array of numbers.
      y: a Python integer.

    Returns:
      An array like `x`.

    Example:
      >>> integer_pow(3, 2)
      Array(9, dtype=int32, weak_type=True)
    """
    array = unary("integer_pow", x, "iufc")
    if y < 0 and dtypes.KINDS[array.dtype] in "iu":
        raise type_error(
            "Integers cannot be raised to negative powers: integer_pow of an integer array needs "
            f"an exponent of 0 or more, got: {y}; convert it to float first"
        )
    return ops.integer_pow(array, y)


def atan2(x: ArrayLike, y: ArrayLike) -> Array:
    """The angle of the point (y, x), in (-pi, pi].

    Args:
      x, y: float arrays of one type and shape, or complex ones, for which the function is continued
        by the formula -i log((y + i x) / sqrt(x² + y²)).

    Returns:
      An array like the operands.

    Example:
      >>> atan2(0.0, 1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    a, b = same("atan2", (x, y), "fc")
    if dtypes.KINDS[a.dtype] == "f":
        return ops.atan2(a, b)
    i = full_like(a, 1j)
    point, norm = ops.add(b, ops.mul(i, a)), ops.sqrt(ops.add(ops.mul(a, a), ops.mul(b, b)))
    return ops.neg(ops.mul(i, ops.log(ops.div(point, norm))))
