"""The measured real functions: their references, and where to search for errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath
import numpy as np
import scipy.special
from formats import Array

Exact: TypeAlias = Any  # a number of mpmath, which has no annotations
Reference: TypeAlias = Callable[..., Array]


@dataclass(frozen=True)
class Function:
    """A function and its properties.

    Attributes:
      reference: the function in a wider type.
      exact: the function in mpmath; None if the reference has no error.
      ranges: intervals that are sampled in addition, by format.
      points: roots, branch points and limits, whose neighbours are sampled.
      arity: the number of arguments.
      native: the reference is computed in the format itself.
      hardware: a single instruction, which on the CPU reads subnormals as zero, and on Vulkan does
        not order zeros.
    """

    reference: Reference
    exact: Callable[..., Exact] | None
    ranges: tuple[tuple[float, float], ...] = ()
    points: tuple[float, ...] = ()
    arity: int = 1
    native: bool = False
    hardware: bool = False


# References -----------------------------------------------------------------------------------


def _logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow."""
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


def _round_away(x: Array) -> Array:
    """The nearest integer, halves away from zero."""
    return np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)


def _sign(x: Array) -> Array:
    """±1, zeros and NaN as they are."""
    return np.where((x == 0) | np.isnan(x), x, np.copysign(1, x))


def _maximum(x: Array, y: Array) -> Array:
    """The larger, where -0 < +0."""
    return np.where((x == 0) & (y == 0), np.where(np.signbit(x), y, x), np.maximum(x, y))


def _minimum(x: Array, y: Array) -> Array:
    """The smaller, where -0 < +0."""
    return -_maximum(-x, -y)


def _nextafter(x: Array, y: Array) -> Array:
    """NumPy keeps the first of two zeros."""
    return np.where(x == y, y, np.nextafter(x, y))


# NumPy's own constant is only precise to f64.
_ROOT_OF_PI = np.sqrt(np.longdouble("3.14159265358979323846264338327950288"))


def _erf_series(x: Array) -> Array:
    """erf by Kummer's series, whose terms have one sign, in extended precision: for |x| < 1.25."""
    square = x * x
    term = total = np.ones_like(x)
    for n in range(1, 40):
        term = term * square / (n + x.dtype.type(0.5))
        total = total + term
    return 2 * x * np.exp(-square) * total / _ROOT_OF_PI


def _erfc_fraction(x: Array) -> Array:
    """erfc by Laplace's continued fraction, from its tail, in extended precision: for x >= 1.25."""
    tail = x
    for n in range(200, 0, -1):
        tail = x + x.dtype.type(n) / 2 / tail
    # The square of the upper half of x is exact.
    upper = x.astype(np.float32).astype(x.dtype)
    power = np.exp(-upper * upper) * np.exp(-(x - upper) * (x + upper))
    return power / tail / _ROOT_OF_PI


def _erf_parts(x: Array) -> tuple[Array, Array, Array]:
    """Where |x| is below 1.25, erf(x) there, and erfc(|x|) elsewhere."""
    inner = np.abs(x) < 1.25
    outside = np.where(np.isnan(x), x, np.clip(np.abs(x), 1.25, 100))
    return inner, _erf_series(np.where(inner, x, 0)), _erfc_fraction(outside)


def _erf(x: Array) -> Array:
    """The error function."""
    if x.dtype == np.float64:
        return scipy.special.erf(x)
    inner, series, tail = _erf_parts(x)
    return np.where(inner, series, np.copysign(1 - tail, x))


def _erfc(x: Array) -> Array:
    """The complementary error function."""
    if x.dtype == np.float64:
        return scipy.special.erfc(x)
    inner, series, tail = _erf_parts(x)
    return np.where(inner, 1 - series, np.where(x < 0, 2 - tail, tail))


def _exact_erfc(x: Exact) -> Exact:
    """The complementary error function, even for huge arguments."""
    return mpmath.erfc(max(min(x, 100), -100)) if x == x else x


# The table ------------------------------------------------------------------------------------

_HALVES = (1, -1, 0.5, 1.5, 2.5, 4194303.5)
_EIGHTH = float(mpmath.pi / 4)
_TURNS = ((-7, 7), (-1e5, 1e5))

FUNCTIONS = {
    "exp": Function(np.exp, mpmath.exp, ((-104, 89), (-746, 710)), (0, 1, 0.34657, -87.3, -708.4)),
    "exp2": Function(np.exp2, lambda x: mpmath.power(2, x), ((-150, 128), (-1075, 1024)), (0.5,)),
    "expm1": Function(np.expm1, mpmath.expm1, ((-20, 89), (-40, 710)), (0, 0.34657, -0.34657)),
    "log": Function(np.log, mpmath.log, ((0, 4),), (1, 0.70711, 1.41421)),
    "log1p": Function(np.log1p, mpmath.log1p, ((-1, 4),), (-1, -0.29289, 0.41421)),
    "logistic": Function(
        _logistic, lambda x: 1 / (1 + mpmath.exp(-x)), ((-104, 20), (-746, 40)), (0,)
    ),
    "sqrt": Function(np.sqrt, mpmath.sqrt, ((0, 4),), (1,)),
    "rsqrt": Function(lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x), ((0, 4),), (1,)),
    "cbrt": Function(np.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), ((0, 9),), (1, 8)),
    "sin": Function(np.sin, mpmath.sin, _TURNS, (_EIGHTH,)),
    "cos": Function(np.cos, mpmath.cos, _TURNS, (_EIGHTH,)),
    "tan": Function(np.tan, mpmath.tan, _TURNS, (_EIGHTH,)),
    "asin": Function(np.arcsin, mpmath.asin, ((-1, 1),), (1, -1, 0.5, -0.5)),
    "acos": Function(np.arccos, mpmath.acos, ((-1, 1),), (1, -1, 0.5, -0.5)),
    "atan": Function(np.arctan, mpmath.atan, ((-4, 4),), (0.41421, 1, 2.41421)),
    "sinh": Function(np.sinh, mpmath.sinh, ((-90, 90), (-711, 711)), (0.34657,)),
    "cosh": Function(np.cosh, mpmath.cosh, ((-90, 90), (-711, 711)), (0.34657,)),
    "tanh": Function(np.tanh, mpmath.tanh, ((-10, 10), (-1, 1)), (0.17328,)),
    "asinh": Function(np.arcsinh, mpmath.asinh, ((-4, 4),), (0, 2.0**30, 2.0**60)),
    "acosh": Function(np.arccosh, mpmath.acosh, ((1, 4),), (1, 2.0**30, 2.0**60)),
    "atanh": Function(np.arctanh, mpmath.atanh, ((-1, 1),), (1, -1, 0.17157)),
    "erf": Function(_erf, mpmath.erf, ((-4, 4),), (0.86, -0.86)),
    "erfc": Function(_erfc, _exact_erfc, ((-4, 10.2), (9, 27.3)), (0.5, -0.5)),
    "pow": Function(np.power, mpmath.power, arity=2),
    "atan2": Function(np.arctan2, mpmath.atan2, arity=2),
    "rem": Function(np.fmod, None, arity=2),
    "nextafter": Function(_nextafter, None, arity=2, native=True),
    "max": Function(_maximum, None, arity=2, hardware=True),
    "min": Function(_minimum, None, arity=2, hardware=True),
    "floor": Function(np.floor, None, ((-10, 10),), _HALVES),
    "ceil": Function(np.ceil, None, ((-10, 10),), _HALVES),
    "round_even": Function(np.rint, None, ((-10, 10),), _HALVES),
    "round_away": Function(_round_away, None, ((-10, 10),), _HALVES),
    "sign": Function(_sign, None),
    "abs": Function(np.abs, None),
}
