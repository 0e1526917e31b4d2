"""Arithmetic, rounding, comparison and the parts of complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from dovetail import _core
from dovetail.base.dtypes import (
    KINDS,
    SMALL_FLOATS,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
)
from dovetail.reference import complex_numbers, integers
from dovetail.reference.op import NS, op

Array = np.ndarray[Any, Any]

_NARROW = frozenset((*SMALL_FLOATS, bfloat16))
_COMPLEX_OF = {float32: complex64, float64: complex128}


def _through_float32(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Makes a function of floats work on the types of ml_dtypes."""

    def apply(x: Array) -> Array:
        if x.dtype in _NARROW:
            return function(x.astype(float32)).astype(x.dtype)
        return function(x)

    return apply


# Arithmetic -----------------------------------------------------------------------------------

# On bools, or and and.
add = op("add", stretches=True)(np.add)
mul = op("mul", stretches=True)(np.multiply)
sub = op("sub", stretches=True)(np.subtract)


# Integers wrap.
neg = op("neg", checked="never")(integers.negative)


@op("div", cost=2 * NS, stretches=True)
def div(x: Array, y: Array) -> Array:
    """x / y; that of integers truncates."""
    if x.dtype.kind == "c":
        wide = complex_numbers.divide(x.astype(complex128), y.astype(complex128))
        return wide.astype(x.dtype)
    return integers.divide(x, y) if KINDS[x.dtype] in "iu" else np.divide(x, y)


@op("rem", cost=10 * NS, stretches=True)
def rem(x: Array, y: Array) -> Array:
    """x - y trunc(x / y), exactly."""
    return integers.remainder(x, y) if KINDS[x.dtype] in "iu" else np.fmod(x, y)


@op("floor_div", cost=10 * NS, stretches=True)
def floor_div(x: Array, y: Array) -> Array:
    """floor(x / y), from the exact remainder; a zero has the sign of y."""
    if x.dtype in _NARROW:
        return floor_div(x.astype(float32), y.astype(float32)).astype(x.dtype)
    if x.dtype.kind != "f":
        return integers.floor_divide(x, y)
    return _with_signs_of_zeros(np.floor_divide(x, y), y)


@op("floor_rem", cost=10 * NS, stretches=True)
def floor_rem(x: Array, y: Array) -> Array:
    """x - floor(x / y) y, exactly; it has the sign of y, but a zero that of x."""
    if x.dtype in _NARROW:
        return floor_rem(x.astype(float32), y.astype(float32)).astype(x.dtype)
    if x.dtype.kind != "f":
        return integers.floor_remainder(x, y)
    return _with_signs_of_zeros(np.remainder(x, y), x)


def floor_div_rem(x: Array, y: Array) -> tuple[Array, Array]:
    """`floor_div` and `floor_rem` at once."""
    if x.dtype in _NARROW or x.dtype.kind != "f":
        return floor_div(x, y), floor_rem(x, y)
    quotient, rest = np.divmod(x, y)
    return _with_signs_of_zeros(quotient, y), _with_signs_of_zeros(rest, x)


def _with_signs_of_zeros(result: Array, signs: Array) -> Array:
    """A result of NumPy's, its zeros with other signs; it may be changed in place."""
    if _core.sign_zeros(result, signs):
        return result
    return np.copysign(result, np.where(result, result, signs))


@op("abs", checked="never")
def abs(x: Array) -> Array:
    """|x|, real for complex x; the least integer maps to itself."""
    return integers.absolute(x) if KINDS[x.dtype] in "iu" else np.absolute(x)


@_through_float32
def _sign_of_float(x: Array) -> Array:
    # NumPy's own takes -0 to 0.
    return np.copysign(np.sign(x), x)


@op("sign")
def sign(x: Array) -> Array:
    """x / |x|; zeros and NaNs are kept."""
    kind = KINDS[x.dtype]
    if kind == "f":
        return _sign_of_float(x)
    if kind == "c":
        return complex_numbers.sign(x.astype(complex128)).astype(x.dtype)
    return integers.sign(x)


@op("max", stretches=True, checked="never")
def max(x: Array, y: Array) -> Array:
    """NaN where an operand is; 0 is greater than -0."""
    if KINDS[x.dtype] != "f":
        return integers.maximum(x, y)
    result = np.maximum(x, y)
    if np.count_nonzero(result) != result.size:
        # NumPy takes any of two zeros; their sum is the greater.
        result = np.where((x == 0) & (y == 0), np.add(x, y), result)
    return result


@op("min", stretches=True, checked="never")
def min(x: Array, y: Array) -> Array:
    """NaN where an operand is; -0 is less than 0."""
    if KINDS[x.dtype] != "f":
        return integers.minimum(x, y)
    result = np.minimum(x, y)
    if np.count_nonzero(result) != result.size:
        lesser = np.negative(np.subtract(np.negative(x), y))
        result = np.where((x == 0) & (y == 0), lesser, result)
    return result


@op("clamp", cost=2 * NS, checked="never")
def clamp(lo: Array, x: Array, hi: Array) -> Array:
    """min(max(lo, x), hi)."""
    return min(max(lo, x), hi)


@op("nextafter", cost=1000 * NS, checked="never")
def nextafter(x: Array, y: Array) -> Array:
    """The neighbour of x on the way to y; y where they are equal."""
    result = np.nextafter(x, y)
    if x.dtype == float16:
        # NumPy's loses the signs of zeros.
        result = np.where(x == y, y, np.where(result == 0, np.copysign(result, x), result))
    return result


@op("copysign", stretches=True, checked="never")
def copysign(x: Array, y: Array) -> Array:
    """The magnitude of x with the sign of y."""
    if x.dtype in _NARROW:
        # copysign of ml_dtypes turns zeros to NaN in formats without -0.
        return np.copysign(x.astype(float32), y.astype(float32)).astype(x.dtype)
    return np.copysign(x, y)


heaviside = op("heaviside", stretches=True, checked="never")(np.heaviside)
ldexp = op("ldexp", stretches=True)(np.ldexp)


@op("exponent")
def exponent(x: Array) -> Array:
    """k for |x| = f 2^k and f in [1/2, 1); 0 of zeros, infinities and NaN."""
    power, finite = np.frexp(x)[1], np.isfinite(x)
    # NumPy does not define it for other values.
    return power if np.count_nonzero(finite) == finite.size else np.where(finite, power, 0)


# Rounding -------------------------------------------------------------------------------------

floor = op("floor")(np.floor)
ceil = op("ceil")(np.ceil)
trunc = op("trunc", checked="never")(np.trunc)
round_even = op("round_even", cost=10 * NS)(np.rint)


@op("fraction", checked="never")
def fraction(x: Array) -> Array:
    """x less trunc(x), 0 of infinities, with the sign of x."""
    return np.modf(x)[0]


@op("round_away", cost=10 * NS)
@_through_float32
def round_away(x: Array) -> Array:
    """The nearest integer, ties away from zero."""
    # Not trunc(x + 1/2): that sum rounds up just below 1/2.
    whole = np.trunc(x)
    away = np.add(whole, np.copysign(np.ones((), x.dtype), x))
    return np.where(np.absolute(np.subtract(x, whole)) >= 0.5, away, whole)


@op("reduce_precision", cost=1000 * NS)
def reduce_precision(x: Array, *, exponent_bits: int, mantissa_bits: int) -> Array:
    """Round to that many bits, ties to even; overflow gives infinity, underflow zero."""
    info = ml_dtypes.finfo(x.dtype)
    if x.dtype.itemsize == 1:
        wide = reduce_precision(
            x.astype(np.float32),
            exponent_bits=exponent_bits if exponent_bits < info.nexp else 8,
            mantissa_bits=mantissa_bits if mantissa_bits < info.nmant else 23,
        )
        return wide.astype(x.dtype)
    bits = np.dtype(f"u{x.itemsize}").type
    fraction = info.nmant

    def power(exponent: int) -> Any:
        return bits((exponent + (1 << (info.nexp - 1)) - 1) << fraction)

    pattern = x.view(bits)
    sign = pattern & bits(1 << (8 * x.itemsize - 1))
    magnitude = pattern ^ sign
    infinity = bits(((1 << info.nexp) - 1) << fraction)
    reduced = magnitude
    if mantissa_bits < fraction:
        dropped = fraction - mantissa_bits
        odd = (magnitude >> bits(dropped)) & bits(1)
        reduced = magnitude + odd + bits((1 << (dropped - 1)) - 1)
        reduced = (reduced >> bits(dropped)) << bits(dropped)
    if exponent_bits < info.nexp:
        bias = (1 << (exponent_bits - 1)) - 1
        reduced = np.where(reduced < power(bias + 1), reduced, infinity)
        reduced = np.where(reduced < power(1 - bias), bits(0), reduced)
    return (np.where(magnitude > infinity, magnitude, reduced) | sign).view(x.dtype)


# Complex parts --------------------------------------------------------------------------------


@op("real", checked="never")
def real(x: Array) -> Array:
    """The real part."""
    return x.real


@op("imag", checked="never")
def imag(x: Array) -> Array:
    """The imaginary part."""
    return x.imag


conj = op("conj", checked="never")(np.conjugate)


@op("complex", checked="never")
def complex(x: Array, y: Array) -> Array:
    """The complex numbers with these parts."""
    # Not x + iy, of which the product is NaN where y is infinite.
    result = np.empty(x.shape, _COMPLEX_OF[x.dtype])
    result.real = x
    result.imag = y
    return result


# Predicates -----------------------------------------------------------------------------------

is_finite = op("is_finite")(np.isfinite)
select = op("select", cost=2 * NS, stretches=True, checked="never")(np.where)

COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@op("compare", cost=2 * NS, stretches=True)
def compare(x: Array, y: Array, *, direction: str) -> Array:
    """NaN compares false with everything, except for "ne"."""
    return COMPARISONS[direction](x, y)


@op("stop_gradient", cost=0.0, only_moves=True)
def stop_gradient(x: Array) -> Array:
    """The operand."""
    return x
