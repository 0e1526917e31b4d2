"""Categories, and the Gumbel numbers that choose among them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis
from dovetail.random.docstrings import SAMPLER
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    element_type,
    random_bits,
    sampler,
    shape_with,
    sizes_of,
)
from dovetail.random.uniform import uniform_of, unit

_MODES = ("highest", "high", "low")


def gumbel_mode(mode: str | None) -> str:
    """Validate the mode; by default, that of the settings.

    Raises:
      ValueError: there is no such mode.
    """
    if mode is None:
        return "high" if config.high_dynamic_range_gumbel.value else "low"
    if mode not in _MODES:
        raise value_error(f"gumbel: mode must be 'highest', 'high' or 'low', got: {mode!r}")
    return mode


@sampler
@documented(SAMPLER)
def gumbel(
    key: KeyLike,
    shape: Shape = (),
    dtype: Any = None,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Gumbel numbers, of density exp(-x - exp(-x)).

    Args:
      mode: "low" draws one number for each sample, and returns none above 16 in float32; "high"
        draws two, and can return such; "highest" in float32 also makes full use of their 64 bits.

    Raises:
      ValueError: `dtype` is not a float type, or there is no such mode.

    Example:
      >>> from dovetail import random
      >>> random.gumbel(random.key(0), (2,))
      Array([2.9233725, 3.8326175], dtype=float32)
    """
    element = element_type("gumbel", dtype)
    return gumbel_of(key, sizes_of("gumbel", shape), element, gumbel_mode(mode))


def gumbel_of(key: Any, shape: tuple[int, ...], dtype: np.dtype, mode: str) -> Array:
    """Gumbel numbers; see `gumbel`."""
    info = dtypes.finfo(dtype)
    tiny = np.asarray(info.tiny, dtype)
    if mode == "low":
        u = uniform_of(key, shape, dtype, tiny, np.ones((), dtype))
        return lax.neg(lax.log(lax.neg(lax.log(u))))
    if mode == "highest" and dtype == dtypes.float32:
        return _gumbel_of_words(random_bits(key, 32, (2, *shape)))
    high, low = lax.unstack(unit(key, (2, *shape), dtype))
    step = np.array(2.0**-info.nmant, dtype)
    x = lax.select(lax.ge(high, np.array(0.5, dtype)), high, high + low * step + tiny)
    return _of_upper_tail(x)


def _of_upper_tail(x: Array) -> Array:
    return lax.neg(lax.log(lax.neg(lax.log1p(lax.neg(x)))))


def _gumbel_of_words(words: Array) -> Array:
    """Gumbel numbers from 64-bit integers of two words each; the smaller half of the integers makes
    the upper tail.
    """
    high, low = lax.unstack(words)
    is_upper = lax.lt(high, np.uint32(1 << 31))
    # The negative, in two's complement.
    borrow = lax.convert_element_type(lax.eq(low, np.uint32(0)), np.uint32)
    negated = lax.bitwise_not(high) + borrow, lax.bitwise_not(low) + np.uint32(1)
    high, low = (lax.select(is_upper, a, b) for a, b in zip((high, low), negated, strict=True))
    x = _fraction(high, low)
    return lax.select(is_upper, _of_upper_tail(x), lax.neg(lax.log(lax.neg(lax.log(x)))))


def _fraction(high: Array, low: Array) -> Array:
    """The float32 of an integer of 64 bits over 2^64, truncated: from its leading bits."""
    zeros_high, zeros_low = lax.clz(high), lax.clz(low)
    is_low = lax.eq(zeros_high, np.uint32(32))
    rest = lax.shift_right_logical(low, np.uint32(32) - zeros_high)
    leading = lax.shift_left(high, zeros_high)
    leading = lax.bitwise_or(leading, lax.select(is_low, lax.shift_left(low, zeros_low), rest))
    fraction = lax.bitwise_and(lax.shift_right_logical(leading, np.uint32(8)), np.uint32(2**23 - 1))
    zeros = lax.select(is_low, zeros_low + np.uint32(32), zeros_high)
    exponent = lax.shift_left(np.uint32(126) - zeros, np.uint32(23))
    exponent = lax.bitwise_and(exponent, np.uint32(2**30 - 2**22))
    return lax.bitcast_convert_type(lax.bitwise_or(exponent, fraction), np.float32)


@sampler
def categorical(
    key: KeyLike,
    logits: ArrayLike,
    axis: int = -1,
    shape: Shape | None = None,
    replace: bool = True,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Categories, chosen as the largest of log-probabilities plus Gumbel numbers.

    Args:
      key: a key.
      logits: log-probabilities, which need not be normalized.
      axis: the dimension of `logits` that holds the categories.
      shape: the shape of the result, by default that of `logits` without `axis`, which broadcasts
        to it.
      replace: whether a category can be repeated in the dimensions of `shape` that precede those of
        `logits`; otherwise the largest are taken (Gumbel top-k, Kool et al., 2019).
      mode: the mode of the Gumbel numbers; see `gumbel`.

    Returns:
      An array of integers.

    Raises:
      ValueError: shapes do not match, or there are fewer categories than requested numbers.

    Example:
      >>> from dovetail import random
      >>> random.categorical(random.key(0), dnp.log(dnp.array([0.0, 1.0])), shape=(3,))
      Array([1, 1, 1], dtype=int32)
    """
    array = as_operand("categorical", logits, 1)
    axis = canonical_axis(axis, array.ndim)
    batch = array.shape[:axis] + array.shape[axis + 1 :]
    sizes = shape_with("categorical", shape, batch)
    before, kept = sizes[: len(sizes) - len(batch)], sizes[len(sizes) - len(batch) :]
    dtype, mode = element_type("categorical", array.dtype), gumbel_mode(mode)
    if replace:
        full = (*before, *kept[:axis], array.shape[axis], *kept[axis:])
        numbers = gumbel_of(key, full, dtype, mode) + array
        return dnp.argmax(numbers, len(before) + axis)
    count = math.prod(before)
    if count > array.shape[axis]:
        raise value_error(
            "categorical: Number of samples without replacement cannot exceed number of "
            f"categories, got: {count} of {array.shape[axis]}"
        )
    numbers = array + gumbel_of(key, array.shape, dtype, mode)
    indices = lax.top_k(dnp.moveaxis(numbers, axis, -1), count)[1]
    return lax.reshape(dnp.moveaxis(indices, -1, 0), sizes)
