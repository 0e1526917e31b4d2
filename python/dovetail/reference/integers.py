"""Integer arithmetic: it wraps, and division and shifts are defined for all operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from dovetail.base.dtypes import SMALL_INTS, int2, int4, uint2, uint4
from dovetail.reference.op import op

Array = np.ndarray[Any, Any]

# NumPy has no loops for integers of 2 and 4 bits in most functions.
_WIDENED = {t: np.dtype(np.uint8 if t in (uint2, uint4) else np.int8) for t in SMALL_INTS}
_BITS = {np.dtype(f"int{n}"): np.dtype(f"uint{n}") for n in (8, 16, 32, 64)}
_UNSIGNED = frozenset((uint2, uint4, *_BITS.values()))
_SIGNED = {unsigned: signed for signed, unsigned in _BITS.items()}


# Integer functions, and their counterparts for other types.
OF_OTHERS: dict[Callable[..., Array], Callable[..., Array]] = {}


def _through_int8(function: Callable[..., Array]) -> Callable[..., Array]:
    """Makes a function work on small integers; its low bits must depend on low bits only."""

    def apply(x: Array, *rest: Array) -> Array:
        wide = _WIDENED.get(x.dtype)
        if wide is None:
            return function(x, *rest)
        return function(x.astype(wide), *(y.astype(wide) for y in rest)).astype(x.dtype)

    OF_OTHERS[apply] = function
    return apply


bitwise_and = op("and", stretches=True)(_through_int8(np.bitwise_and))
bitwise_or = op("or", stretches=True)(_through_int8(np.bitwise_or))
bitwise_xor = op("xor", stretches=True)(_through_int8(np.bitwise_xor))
negative = _through_int8(np.negative)
absolute = _through_int8(np.absolute)
sign = _through_int8(np.sign)
maximum = _through_int8(np.maximum)
minimum = _through_int8(np.minimum)


@_through_int8
def divide(x: Array, y: Array) -> Array:
    """Truncates; x / 0 has all bits set, and the least integer over -1 is itself."""
    quotient = np.floor_divide(np.subtract(x, np.fmod(x, y)), y)
    if np.count_nonzero(y) == y.size:
        return quotient
    return np.where(y == 0, np.array(-1).astype(x.dtype), quotient)


@_through_int8
def remainder(x: Array, y: Array) -> Array:
    """Has the sign of the dividend; the remainder by 0 is the dividend."""
    rest = np.fmod(x, y)
    return rest if np.count_nonzero(y) == y.size else np.where(y == 0, x, rest)


@_through_int8
def floor_divide(x: Array, y: Array) -> Array:
    """Rounds down; x / 0 is -2, and all bits set for x = 0 or without sign."""
    quotient = np.floor_divide(x, y)
    if np.count_nonzero(y) == y.size:
        return quotient
    by_zero = np.array(-1).astype(x.dtype)
    if x.dtype not in _UNSIGNED:
        by_zero = np.where(x == 0, by_zero, np.array(-2).astype(x.dtype))
    return np.where(y == 0, by_zero, quotient)


# Has the sign of the divisor; the remainder by 0 is 0.
floor_remainder = _through_int8(np.remainder)


# Powers ---------------------------------------------------------------------------------------


@_through_int8
def power(x: Array, y: Array) -> Array:
    """Wraps; a negative power is 0 but for those of 1 and -1."""
    negative = np.less(y, 0)
    if np.count_nonzero(negative) == 0:
        return np.power(x, y)
    result = np.power(x, np.maximum(y, 0).astype(x.dtype))
    return np.where(negative, _negative_power(x, np.bitwise_and(y, 1) == 1), result)


def static_power(x: Array, exponent: int) -> Array:
    """The same, with an exponent that need not fit the type of `x`."""
    if exponent < 0:
        return _negative_power(x, np.bool_(exponent & 1))
    return repeated_product(x, exponent)


def _negative_power(x: Array, odd: Any) -> Array:
    one = np.ones((), x.dtype)
    power = np.where(x == one, one, np.zeros((), x.dtype))
    if x.dtype in _UNSIGNED:
        return power
    return np.where(negative(x) == one, np.where(odd, x, one), power)


def repeated_product(x: Array, count: int) -> Array:
    """The product of `count` factors `x`, by squaring."""
    result, square = None, x
    while count:
        if count & 1:
            result = square if result is None else np.multiply(result, square)
        count >>= 1
        if count:
            square = np.multiply(square, square)
    if result is None:
        return np.ones_like(x)
    return result.copy() if result is x else result


# Bits -----------------------------------------------------------------------------------------


def _bits(x: Array) -> Array:
    """The bits of each integer as an unsigned one."""
    if x.dtype in _WIDENED:
        mask = np.uint8(2 ** ml_dtypes.iinfo(x.dtype).bits - 1)
        return np.bitwise_and(x.astype(np.int8).view(np.uint8), mask)
    unsigned = _BITS.get(x.dtype)
    return x if unsigned is None else x.view(unsigned)


def _signed(x: Array) -> Array:
    """Each integer read as a signed one."""
    if x.dtype in _WIDENED:
        signed = int2 if x.dtype in (int2, uint2) else int4
        return x.astype(np.int8).astype(signed).astype(np.int8)
    signed = _SIGNED.get(x.dtype)
    return x if signed is None else x.view(signed)


def _with_bits(x: Array, dtype: np.dtype) -> Array:
    """The integers of type `dtype` that have the low bits of `x`."""
    return x.astype(dtype) if dtype in _WIDENED else x.view(dtype)


@op("not")
def invert(x: Array) -> Array:
    """The complement of each bit, or of each bool."""
    return _with_bits(np.invert(_bits(x)), x.dtype)


# NumPy's shifts read amounts as unsigned, and past the width give 0 or, of negative integers, -1.


@op("shift_left")
def shift_left(x: Array, y: Array) -> Array:
    """0 where the amount, read as unsigned, is not less than the width."""
    return _with_bits(np.left_shift(_bits(x), _bits(y)), x.dtype)


@op("shift_right_logical")
def shift_right_logical(x: Array, y: Array) -> Array:
    """0 where the amount, read as unsigned, is not less than the width."""
    return _with_bits(np.right_shift(_bits(x), _bits(y)), x.dtype)


@op("shift_right_arithmetic")
def shift_right_arithmetic(x: Array, y: Array) -> Array:
    """Fills with the highest bit, also of unsigned integers."""
    amount = _bits(y)
    return _with_bits(np.right_shift(_signed(x), amount.view(_SIGNED[amount.dtype])), x.dtype)


@op("population_count")
def population_count(x: Array) -> Array:
    """The number of set bits."""
    return np.bitwise_count(_bits(x)).astype(x.dtype)


@op("count_leading_zeros")
def count_leading_zeros(x: Array) -> Array:
    """The number of bits above the highest set bit."""
    width = ml_dtypes.iinfo(x.dtype).bits
    bits = _bits(x)
    if width < 64:
        return np.subtract(width, _bit_length(bits)).astype(x.dtype)
    high = np.right_shift(bits, np.uint64(32))
    low = np.bitwise_and(bits, np.uint64(2**32 - 1))
    length = np.where(high > 0, 32 + _bit_length(high), _bit_length(low))
    return np.subtract(width, length).astype(x.dtype)


def _bit_length(x: Array) -> Array:
    # The exponent of an integer below 2^53 as a float.
    return np.frexp(x.astype(np.float64))[1]
