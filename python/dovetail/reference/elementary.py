"""Elementary functions: real ones computed in float64 and rounded, complex ones in complex128.

NumPy's own float32 loops differ between processors and miss by up to 4 ulp. Through float64 a
result is the nearest float32 on every machine, at the price of two conversions. Narrower floats
are rounded from that float32.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from dovetail.base.dtypes import KINDS, complex128, float32, float64
from dovetail.reference import complex_numbers, integers
from dovetail.reference.op import NS, op

Array = np.ndarray[Any, Any]

_NATIVE = frozenset((float64, complex128))


# Functions, and the one each of them is of float64.
OF_FLOAT64: dict[Callable[..., Array], Callable[..., Any]] = {}


@functools.cache
def special() -> ModuleType:
    """SciPy's special functions, imported at first use: that takes longer than importing NumPy."""
    import scipy.special

    return scipy.special


def _unary(function: np.ufunc) -> Callable[[Array], Array]:
    """A function that NumPy has for float64 and, if need be, for complex128."""

    def apply(x: Array) -> Array:
        dtype = x.dtype
        if dtype == float32:
            return function(x, dtype=float64).astype(float32)
        if dtype in _NATIVE:
            return function(x)
        if dtype.kind == "c":
            return function(x, dtype=complex128).astype(dtype)
        return function(x, dtype=float64).astype(float32).astype(dtype)

    OF_FLOAT64[apply] = function
    return apply


def _binary(function: Callable[..., Any]) -> Callable[[Array, Array], Array]:
    def apply(x: Array, y: Array) -> Array:
        dtype = x.dtype
        if dtype == float32:
            return function(x, y, dtype=float64).astype(float32)
        if dtype in _NATIVE:
            return function(x, y)
        if dtype.kind == "c":
            return function(x, y, dtype=complex128).astype(dtype)
        return function(x, y, dtype=float64).astype(float32).astype(dtype)

    OF_FLOAT64[apply] = function
    return apply


def _composed(
    real: Callable[[Array], Array], of_complex: Callable[[Array], Array] | None = None
) -> Callable[[Array], Array]:
    """A function given by its code for float64 and for complex128."""

    def apply(x: Array) -> Array:
        dtype = x.dtype
        if of_complex is not None and dtype.kind == "c":
            return of_complex(x.astype(complex128)).astype(dtype)
        result = real(x.astype(float64))
        if dtype == float64:
            return result
        return result.astype(float32).astype(dtype, copy=False)

    return apply


exp = op("exp", cost=15 * NS)(_unary(np.exp))
log = op("log", cost=15 * NS)(_unary(np.log))
cbrt = op("cbrt", cost=20 * NS)(_unary(np.cbrt))
sin = op("sin", cost=15 * NS)(_unary(np.sin))
cos = op("cos", cost=15 * NS)(_unary(np.cos))
tan = op("tan", cost=20 * NS)(_unary(np.tan))
asin = op("asin", cost=20 * NS)(_unary(np.arcsin))
acos = op("acos", cost=20 * NS)(_unary(np.arccos))
atan = op("atan", cost=20 * NS)(_unary(np.arctan))
sinh = op("sinh", cost=30 * NS)(_unary(np.sinh))
cosh = op("cosh", cost=30 * NS)(_unary(np.cosh))
tanh = op("tanh", cost=15 * NS)(_unary(np.tanh))
asinh = op("asinh", cost=30 * NS)(_unary(np.arcsinh))
acosh = op("acosh", cost=30 * NS)(_unary(np.arccosh))
atanh = op("atanh", cost=30 * NS)(_unary(np.arctanh))
_complex_sqrt = _unary(np.sqrt)


@op("sqrt", cost=2 * NS)
def sqrt(x: Array) -> Array:
    """Real roots are rounded to nearest in every type, as IEEE 754 asks."""
    return _complex_sqrt(x) if x.dtype.kind == "c" else np.sqrt(x)


rsqrt = op("rsqrt", cost=2 * NS)(
    _composed(lambda x: np.reciprocal(np.sqrt(x)), complex_numbers.rsqrt)
)
exp2 = op("exp2", cost=15 * NS)(_composed(np.exp2, complex_numbers.exp2))
# NumPy's complex expm1 and log1p cancel near zero.
expm1 = op("expm1", cost=20 * NS)(
    _composed(np.expm1, lambda z: complex_numbers.expm1(z, special().expm1(z)))
)
log1p = op("log1p", cost=20 * NS)(
    _composed(np.log1p, lambda z: complex_numbers.log1p(z, special().log1p(z)))
)


def _logistic(x: Array) -> Array:
    # Exponentials of nonpositive numbers cannot overflow.
    negative = x < 0
    small = np.exp(np.where(negative, x, -x))
    return np.where(negative, small, 1.0) / (1.0 + small)


logistic = op("logistic", cost=15 * NS)(_composed(_logistic, complex_numbers.logistic))
erf = op("erf", cost=20 * NS)(_composed(lambda x: special().erf(x)))


_short_erfc = _composed(lambda x: special().erfc(x))
_libm_erfc = np.frompyfunc(math.erfc, 1, 1)


@op("erfc", cost=100 * NS)
def erfc(x: Array) -> Array:
    """SciPy's is off by hundreds of float64 ulps in the tail; libm's is slower."""
    return np.asarray(_libm_erfc(x)).astype(float64) if x.dtype == float64 else _short_erfc(x)


atan2 = op("atan2", cost=30 * NS, stretches=True)(_binary(np.arctan2))
hypot = op("hypot", cost=30 * NS, stretches=True)(_binary(np.hypot))
logaddexp = op("logaddexp", cost=30 * NS, stretches=True)(_binary(np.logaddexp))
logaddexp2 = op("logaddexp2", cost=30 * NS, stretches=True)(_binary(np.logaddexp2))


def _power(x: Array, y: Array, dtype: np.dtype | None = None) -> Array:
    """NumPy takes the square root where the exponent is one number: -0 of -0, and NaN of -inf."""
    result = np.power(x, y, dtype=dtype)
    halves = y == 0.5
    if not halves.any():
        return result
    return np.where(halves & ((x == 0) | (x == -np.inf)), np.absolute(x), result)


inexact_power = _binary(_power)


@op("pow", cost=15 * NS, stretches=True)
def pow(x: Array, y: Array) -> Array:
    """Integers wrap."""
    if x.dtype.kind == "c":
        wide = complex_numbers.power(x.astype(complex128), y.astype(complex128))
        return wide.astype(x.dtype)
    return integers.power(x, y) if KINDS[x.dtype] in "iu" else inexact_power(x, y)


# Below, the roundings of products in float64 are far from the place to which results are rounded.
FEW_FACTORS = 2**16


@op("integer_pow", cost=30 * NS)
def integer_pow(x: Array, *, exponent: int) -> Array:
    """`x` multiplied by itself `exponent` times; for a negative exponent, the reciprocal."""
    kind = KINDS[x.dtype]
    if kind in "iu":
        return integers.static_power(x, exponent)
    if kind == "c" or (x.dtype != float64 and abs(exponent) < FEW_FACTORS):
        wide = x.astype(complex128 if kind == "c" else float64)
        power = integers.repeated_product(wide, abs(exponent))
        if kind == "c":
            if exponent < 0:
                power = complex_numbers.divide(np.ones_like(power), power)
            return power.astype(x.dtype)
        power = np.reciprocal(power) if exponent < 0 else power
        return power.astype(float32).astype(x.dtype, copy=False)
    return inexact_power(x, np.array(exponent, float64 if x.dtype == float64 else float32))
