"""Exponentials, logarithms, powers and trigonometry, of operands of one type."""

from __future__ import annotations

from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.lax.create import full_like
from dovetail.lax.precision import check_accuracy
from dovetail.ops.operands import ArrayLike, as_operand, same, unary


def exp(x: ArrayLike, accuracy: Any = None) -> Array:
    """e to the power of each element of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> exp(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    check_accuracy("exp", accuracy)
    return ops.exp(unary("exp", x, "fc"))


def exp2(x: ArrayLike, accuracy: Any = None) -> Array:
    """2 to the power of each element of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> exp2(3.0)
      Array(8., dtype=float32, weak_type=True)
    """
    check_accuracy("exp2", accuracy)
    return ops.exp2(unary("exp2", x, "fc"))


def expm1(x: ArrayLike, accuracy: Any = None) -> Array:
    """exp(x) - 1 of a float or complex array, accurate near zero.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> expm1(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("expm1", accuracy)
    return ops.expm1(unary("expm1", x, "fc"))


def log(x: ArrayLike, accuracy: Any = None) -> Array:
    """The natural logarithm of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> log(1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("log", accuracy)
    return ops.log(unary("log", x, "fc"))


def log1p(x: ArrayLike, accuracy: Any = None) -> Array:
    """log(1 + x) of a float or complex array, accurate near zero.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> log1p(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("log1p", accuracy)
    return ops.log1p(unary("log1p", x, "fc"))


def sqrt(x: ArrayLike, accuracy: Any = None) -> Array:
    """The square root of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> sqrt(4.0)
      Array(2., dtype=float32, weak_type=True)
    """
    check_accuracy("sqrt", accuracy)
    return ops.sqrt(unary("sqrt", x, "fc"))


def rsqrt(x: ArrayLike, accuracy: Any = None) -> Array:
    """1 / sqrt(x) of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> rsqrt(4.0)
      Array(0.5, dtype=float32, weak_type=True)
    """
    check_accuracy("rsqrt", accuracy)
    return ops.rsqrt(unary("rsqrt", x, "fc"))


def cbrt(x: ArrayLike, accuracy: Any = None) -> Array:
    """The cube root of a float array.

    Args:
      x: an array or scalar of floats.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> cbrt(27.0)
      Array(3., dtype=float32, weak_type=True)
    """
    check_accuracy("cbrt", accuracy)
    return ops.cbrt(unary("cbrt", x, "f"))


def sin(x: ArrayLike, accuracy: Any = None) -> Array:
    """The sine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> sin(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("sin", accuracy)
    return ops.sin(unary("sin", x, "fc"))


def cos(x: ArrayLike, accuracy: Any = None) -> Array:
    """The cosine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> cos(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    check_accuracy("cos", accuracy)
    return ops.cos(unary("cos", x, "fc"))


def tan(x: ArrayLike, accuracy: Any = None) -> Array:
    """The tangent of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> tan(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("tan", accuracy)
    return ops.tan(unary("tan", x, "fc"))


def asin(x: ArrayLike) -> Array:
    """The inverse sine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> asin(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.asin(unary("asin", x, "fc"))


def acos(x: ArrayLike) -> Array:
    """The inverse cosine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> acos(1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.acos(unary("acos", x, "fc"))


def atan(x: ArrayLike) -> Array:
    """The inverse tangent of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> atan(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.atan(unary("atan", x, "fc"))


def sinh(x: ArrayLike) -> Array:
    """The hyperbolic sine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> sinh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.sinh(unary("sinh", x, "fc"))


def cosh(x: ArrayLike) -> Array:
    """The hyperbolic cosine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> cosh(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.cosh(unary("cosh", x, "fc"))


def tanh(x: ArrayLike, accuracy: Any = None) -> Array:
    """The hyperbolic tangent of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> tanh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    check_accuracy("tanh", accuracy)
    return ops.tanh(unary("tanh", x, "fc"))


def asinh(x: ArrayLike) -> Array:
    """The inverse hyperbolic sine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> asinh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.asinh(unary("asinh", x, "fc"))


def acosh(x: ArrayLike) -> Array:
    """The inverse hyperbolic cosine of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> acosh(1.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.acosh(unary("acosh", x, "fc"))


def atanh(x: ArrayLike) -> Array:
    """The inverse hyperbolic tangent of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like the operand.

    Example:
      >>> atanh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.atanh(unary("atanh", x, "fc"))


def logistic(x: ArrayLike, accuracy: Any = None) -> Array:
    """1 / (1 + exp(-x)) of a float or complex array.

    Args:
      x: an array or scalar of floats or complex numbers.
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.

    Example:
      >>> logistic(0.0)
      Array(0.5, dtype=float32, weak_type=True)
    """
    check_accuracy("logistic", accuracy)
    return ops.logistic(unary("logistic", x, "fc"))


def erf(x: ArrayLike) -> Array:
    """The error function of a float array.

    Args:
      x: an array or scalar of floats.

    Returns:
      An array like the operand.

    Example:
      >>> erf(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.erf(unary("erf", x, "f"))


def erfc(x: ArrayLike) -> Array:
    """1 - erf(x) of a float array, accurate for large x.

    Args:
      x: an array or scalar of floats.

    Returns:
      An array like the operand.

    Example:
      >>> erfc(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.erfc(unary("erfc", x, "f"))


def pow(x: ArrayLike, y: ArrayLike) -> Array:
    """x to the power y, of float or complex arrays; an integer y of any type becomes a float
    exponent.

    Args:
      x: an array of floats or complex numbers, or of integers if y is of their type.
      y: an array of the type and shape of x, or of integers.

    Returns:
      An array like x.

    Raises:
      TypeError: the element types or the ranks differ.

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
            f"integer_pow: an integer array needs an exponent of 0 or more, got: {y}; convert it "
            "to float first"
        )
    return ops.integer_pow(array, y)


def atan2(x: ArrayLike, y: ArrayLike) -> Array:
    """The angle of the point (y, x), in (-pi, pi].

    Args:
      x, y: float arrays of one type and shape, or complex ones, for which the formula
        -i log((y + i x) / sqrt(x² + y²)) continues the function.

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
