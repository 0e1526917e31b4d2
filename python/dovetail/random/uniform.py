"""Bits, and nearly as simple samples: uniform numbers, integers, coins."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.random.docstrings import SAMPLER
from dovetail.random.generators import WORDS
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    element_type,
    random_bits,
    sampler,
    shape_with,
    sizes_of,
    split_keys,
    spread,
)


@sampler
def bits(key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None) -> Array:
    """Random bits.

    Args:
      key: a key.
      shape: the shape of the result.
      dtype: an unsigned integer type, by default the widest available.

    Returns:
      An array of uniform integers of the type.

    Raises:
      ValueError: `dtype` is not an unsigned integer type.

    Example:
      >>> from dovetail import random
      >>> random.bits(random.key(0), (2,), "uint8")
      Array([167, 146], dtype=uint8)
    """
    element = element_type("bits", dtype, "u")
    return random_bits(key, dtypes.itemsize_bits(element), sizes_of("bits", shape))  # type: ignore[arg-type]


@sampler
@documented(SAMPLER)
def uniform(
    key: KeyLike,
    shape: Shape = (),
    dtype: Any = None,
    minval: ArrayLike = 0.0,
    maxval: ArrayLike = 1.0,
    *,
    out_sharding: Any = None,
) -> Array:
    """Uniform numbers in [minval, maxval).

    Args:
      minval, maxval: the ends of the interval, whose shapes broadcast to `shape`.

    Returns:
      An array of `dtype`; its numbers are multiples of one step.

    Raises:
      ValueError: `dtype` is not a float type, or the ends do not broadcast to `shape`.

    Example:
      >>> from dovetail import random
      >>> random.uniform(random.key(0), (2,))
      Array([0.947667 , 0.9785799], dtype=float32)
    """
    element = element_type("uniform", dtype)
    return uniform_of(key, sizes_of("uniform", shape), element, minval, maxval)


def unit(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Uniform numbers in [0, 1)."""
    info = dtypes.finfo(dtype)
    width, fraction = info.bits, info.nmant
    if width not in WORDS:
        raise type_error(f"uniform: floats must have 8 bits or more, got: {dtype.name}")
    # For types with few mantissa bits, few are drawn; the sign and the exponent are those of 1.
    drawn = 8 if fraction < 8 else width
    words = random_bits(key, drawn, shape)
    if drawn != width:
        words = lax.convert_element_type(words, WORDS[width])
    kept = lax.shift_right_logical(words, np.array(drawn - fraction, WORDS[width]))
    one = np.ones((), dtype)
    floats = lax.bitcast_convert_type(lax.bitwise_or(kept, one.view(WORDS[width])), dtype)
    return lax.sub(floats, one)


def uniform_of(
    key: Any, shape: tuple[int, ...], dtype: np.dtype, minval: Any = 0.0, maxval: Any = 1.0
) -> Array:
    """Uniform numbers of an interval; see `uniform`."""
    floats = unit(key, shape, dtype)
    if type(minval) in (int, float) and type(maxval) in (int, float) and (minval, maxval) == (0, 1):
        return floats
    low, high = (lax.convert_element_type(end, dtype) for end in (minval, maxval))
    if not shape and low.size == high.size == 1:
        # As in JAX, whose bounds of one element can have any rank; libraries rely on it.
        shape = lax.broadcast_shapes(low.shape, high.shape)
    shape_with("uniform", shape, low.shape, high.shape)
    low, width = spread(low, shape), spread(lax.sub(*_together(high, low)), shape)
    return lax.max(low, lax.add(lax.mul(floats, width), low))


def _together(*arrays: Array) -> list[Array]:
    """Arrays broadcast to one shape."""
    shape = lax.broadcast_shapes(*(x.shape for x in arrays))
    return [spread(x, shape) for x in arrays]


@sampler
def randint(
    key: KeyLike,
    shape: Shape,
    minval: ArrayLike,
    maxval: ArrayLike,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Uniform integers in [minval, maxval).

    Args:
      key: a key.
      shape: the shape of the result.
      minval, maxval: the ends of the interval, whose shapes broadcast to `shape`; they are clamped
        to the range of `dtype`, and the result is `minval` where it is not less than `maxval`.
      dtype: an integer type.

    Returns:
      An array of `dtype`; if the size of the interval is not a power of two, the deviation from
      uniformity is about 2^-32 of the width.

    Raises:
      TypeError: `dtype` is not an integer type.
      ValueError: the ends do not broadcast to `shape`.

    Example:
      >>> from dovetail import random
      >>> random.randint(random.key(0), (4,), 1, 7)
      Array([2, 1, 3, 2], dtype=int32)
    """
    try:
        element = element_type("randint", dtype, "iu")
    except ValueError as error:
        raise TypeError(str(error)) from None
    sizes = sizes_of("randint", shape)
    info = dtypes.iinfo(element)
    low, high = as_operand("randint", minval), as_operand("randint", maxval)
    shape_with("randint", sizes, low.shape, high.shape)
    if info.bits >= 32:
        return _randint(key, sizes, low, high, element)
    # For narrow types, the bound may also be one past the largest value.
    least, greatest = int(info.min), int(info.max)
    low = _clipped(lax.convert_element_type(low, np.int32), least, greatest)
    high = _clipped(lax.convert_element_type(high, np.int32), least, greatest + 1)
    wide = _randint(key, sizes, low, high, dtypes.int32)
    return lax.convert_element_type(wide, element)


def _clipped(x: Array, least: int, greatest: int) -> Array:
    return lax.clamp(np.array(least, x.dtype), x, np.array(greatest, x.dtype))


def _fitted(x: Array, dtype: np.dtype) -> Array:
    """Integers clamped to the range of a type."""
    own, info = dtypes.iinfo(x.dtype), dtypes.iinfo(dtype)
    least, greatest = max(int(own.min), int(info.min)), min(int(own.max), int(info.max))
    return lax.convert_element_type(_clipped(x, least, greatest), dtype)


def _integers(x: Array) -> Array:
    is_integer = dtypes.KINDS[x.dtype] in "iu"
    return x if is_integer else lax.convert_element_type(x, dtypes.default_dtype("i"))


def _randint(
    key: Any, shape: tuple[int, ...], minval: Array, maxval: Array, dtype: np.dtype
) -> Array:
    minval, maxval = _integers(minval), _integers(maxval)
    top = min(int(dtypes.iinfo(dtype).max), int(dtypes.iinfo(maxval.dtype).max))
    is_past = spread(lax.gt(maxval, np.array(top, maxval.dtype)), shape)
    low, high = (spread(_fitted(x, dtype), shape) for x in (minval, maxval))
    width = dtypes.itemsize_bits(dtype)
    word = WORDS[width]
    upper, lower = (random_bits(subkey, width, shape) for subkey in split_keys(key))
    one = lax.full(shape, np.ones((), word))
    span = lax.convert_element_type(lax.sub(high, low), word)
    span = lax.select(lax.le(high, low), one, span)
    # An interval that includes the largest number; the interval of all numbers wraps to span 0.
    span = lax.select(is_past & lax.gt(high, low), lax.add(span, one), span)
    # (upper 2^width + lower) mod span, where x mod 0 is x.
    half = lax.rem(lax.full(shape, np.array(2 ** (width // 2), word)), span)
    factor = lax.rem(lax.mul(half, half), span)
    offset = lax.add(lax.mul(lax.rem(upper, span), factor), lax.rem(lower, span))
    return lax.add(low, lax.convert_element_type(lax.rem(offset, span), dtype))


@sampler
def bernoulli(
    key: KeyLike,
    p: ArrayLike = 0.5,
    shape: Shape | None = None,
    mode: str = "low",
    *,
    out_sharding: Any = None,
) -> Array:
    """Random bools that are true with probability p.

    Args:
      key: a key.
      p: probabilities, floats whose shape broadcasts to `shape`.
      shape: the shape of the result, by default that of `p`.
      mode: "high" draws two numbers for each bool, so that very small probabilities are accurate.

    Returns:
      A bool array.

    Raises:
      TypeError: `p` is not a float.
      ValueError: `p` does not broadcast to `shape`, or there is no such mode.

    Example:
      >>> from dovetail import random
      >>> random.bernoulli(random.key(0), 0.5, (4,))
      Array([False, False,  True,  True], dtype=bool)
    """
    if mode not in ("high", "low"):
        raise value_error(f"bernoulli: mode must be 'high' or 'low', got: {mode!r}")
    probability = as_operand("bernoulli", p)
    dtype = probability.dtype
    if dtypes.KINDS[dtype] != "f":
        raise type_error(f"bernoulli: p must be a float, got: element type {dtype.name}")
    sizes = shape_with("bernoulli", shape, probability.shape)
    probability = spread(lax.convert_element_type(probability, dtype), sizes)
    if mode == "low":
        return lax.lt(unit(key, sizes, dtype), probability)
    upper, lower = lax.unstack(unit(key, (2, *sizes), dtype))
    step = np.array(2.0 ** -dtypes.finfo(dtype).nmant, dtype)
    return lax.lt(lax.mul(lower, step), lax.sub(probability, upper))


@sampler
def rademacher(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """-1 and 1, each with probability 1/2.

    Args:
      key: a key.
      shape: the shape of the result.
      dtype: an element type, by default that of Python's int.

    Returns:
      An array of `dtype`.

    Example:
      >>> from dovetail import random
      >>> random.rademacher(random.key(0), (4,))
      Array([-1, -1,  1,  1], dtype=int32)
    """
    return signs(
        key, sizes_of("rademacher", shape), dtypes.requested(dtype, "rademacher", dtypes.int64)
    )


def signs(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """-1 and 1 of an element type."""
    is_one = lax.lt(unit(key, shape, dtypes.default_dtype("f")), 0.5)
    one = np.ones((), dtype)
    return lax.select(is_one, lax.full(shape, one), lax.full(shape, (-1 * one).astype(dtype)))
