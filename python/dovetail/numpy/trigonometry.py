"""Trigonometric and hyperbolic functions and their inverses, element by element.

Integers and bools are computed as floats.
"""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.numpy.docstrings import INEXACT
from dovetail.numpy.promotion import filled, inexact, pair_inexact
from dovetail.ops.operands import ArrayLike


@documented(INEXACT)
def sin(x: ArrayLike, /) -> Array:
    """The sine.

    Example:
      >>> sin(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.sin(inexact("sin", x))


@documented(INEXACT)
def cos(x: ArrayLike, /) -> Array:
    """The cosine.

    Example:
      >>> cos(0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.cos(inexact("cos", x))


@documented(INEXACT)
def tan(x: ArrayLike, /) -> Array:
    """The tangent.

    Example:
      >>> tan(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.tan(inexact("tan", x))


@documented(INEXACT)
def arcsin(x: ArrayLike, /) -> Array:
    """The inverse sine, in [-pi / 2, pi / 2].

    Example:
      >>> arcsin(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.asin(inexact("arcsin", x))


@documented(INEXACT)
def arccos(x: ArrayLike, /) -> Array:
    """The inverse cosine, in [0, pi].

    Example:
      >>> arccos(1)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.acos(inexact("arccos", x))


@documented(INEXACT)
def arctan(x: ArrayLike, /) -> Array:
    """The inverse tangent, in [-pi / 2, pi / 2].

    Example:
      >>> arctan(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.atan(inexact("arctan", x))


@documented(INEXACT)
def arctan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The angle of the point (x2, x1), in (-pi, pi]; for complex numbers its analytic continuation.

    Example:
      >>> arctan2(0, 1)
      Array(0., dtype=float32, weak_type=True)
    """
    x, y = pair_inexact("arctan2", x1, x2)
    if dtypes.KINDS[x.dtype] != "c":
        return ops.atan2(x, y)
    modulus = ops.sqrt(ops.add(ops.integer_pow(x, 2), ops.integer_pow(y, 2)))
    return ops.log((y + x * 1j) / modulus) * -1j


@documented(INEXACT)
def sinh(x: ArrayLike, /) -> Array:
    """The hyperbolic sine.

    Example:
      >>> sinh(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.sinh(inexact("sinh", x))


@documented(INEXACT)
def cosh(x: ArrayLike, /) -> Array:
    """The hyperbolic cosine.

    Example:
      >>> cosh(0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.cosh(inexact("cosh", x))


@documented(INEXACT)
def tanh(x: ArrayLike, /) -> Array:
    """The hyperbolic tangent.

    Example:
      >>> tanh(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.tanh(inexact("tanh", x))


@documented(INEXACT)
def arcsinh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic sine.

    Example:
      >>> arcsinh(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.asinh(inexact("arcsinh", x))


@documented(INEXACT)
def arccosh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic cosine.

    Example:
      >>> arccosh(1)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.acosh(inexact("arccosh", x))


@documented(INEXACT)
def arctanh(x: ArrayLike, /) -> Array:
    """The inverse hyperbolic tangent.

    Example:
      >>> arctanh(0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.atanh(inexact("arctanh", x))


acos, acosh, asin, asinh = arccos, arccosh, arcsin, arcsinh
atan, atan2, atanh = arctan, arctan2, arctanh


@documented(INEXACT)
def sinc(x: ArrayLike, /) -> Array:
    """sin(pi x) / (pi x), and 1 at 0.

    Example:
      >>> sinc(0)
      Array(1., dtype=float32, weak_type=True)
    """
    z = inexact("sinc", x) * math.pi
    # Near 0, the Taylor series, whose derivatives are right too. At 0.05 the next term is below
    # 1e-16.
    small = ops.abs(z) < 0.05
    square = ops.integer_pow(z, 2)
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42))
    safe = ops.select(small, filled(z, 1), z)
    return ops.select(small, series, ops.div(ops.sin(safe), safe))


@documented(INEXACT)
def deg2rad(x: ArrayLike, /) -> Array:
    """Degrees in radians.

    Args:
      x: an array or scalar of degrees; integers and bools become floats.

    Example:
      >>> deg2rad(180)
      Array(3.1415927, dtype=float32, weak_type=True)
    """
    return inexact("deg2rad", x) * (math.pi / 180)


@documented(INEXACT)
def rad2deg(x: ArrayLike, /) -> Array:
    """Radians in degrees.

    Args:
      x: an array or scalar of radians; integers and bools become floats.

    Example:
      >>> rad2deg(np.pi)
      Array(180., dtype=float32, weak_type=True)
    """
    return inexact("rad2deg", x) * (180 / math.pi)


radians, degrees = deg2rad, rad2deg
