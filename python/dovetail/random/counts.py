"""Counts: Poisson, binomial, multinomial and geometric numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.random.docstrings import parametrized
from dovetail.random.generators import THREEFRY
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    element_type,
    sampler,
    shape_with,
    sizes_of,
    split_keys,
    spread,
)
from dovetail.random.uniform import unit


def _inexact(name: str, *xs: Any) -> list[Array]:
    """Parameters promoted to one float type."""
    arrays = [as_operand(name, x, i + 1) for i, x in enumerate(xs)]
    common = dtypes.to_inexact_dtype(dtypes.result_type(*arrays))
    return [lax.convert_element_type(x, common) for x in arrays]


@sampler
@documented(parametrized("`p`"))
def geometric(
    key: KeyLike,
    p: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Geometric numbers: the number of trials until one succeeds, with probability `p` each.

    Args:
      p: probabilities.
      dtype: an integer type.

    Returns:
      An array of `dtype`, with numbers that are 1 or more.

    Example:
      >>> from dovetail import random
      >>> random.geometric(random.key(0), 1.0, (2,))
      Array([1, 1], dtype=int32)
    """
    element = element_type("geometric", dtype, "iu")
    (probability,) = _inexact("geometric", p)
    sizes = shape_with("geometric", shape, probability.shape)
    u = unit(key, sizes, probability.dtype)
    u = lax.select(lax.eq(u, np.zeros((), u.dtype)), lax.full_like(u, 1), u)
    logs = spread(lax.log1p(lax.neg(probability)), sizes)
    return lax.convert_element_type(lax.floor(lax.div(lax.log(u), logs)) + 1, element)


# Poisson numbers ----------------------------------------------------------------------------------


@sampler
@documented(parametrized("`lam`"))
def poisson(
    key: KeyLike,
    lam: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Poisson numbers.

    Below a rate of 10 by Knuth's products of uniform numbers, otherwise by rejection (Hörmann,
    1993).

    Args:
      key: a key of the generator threefry2x32.
      lam: rates.
      dtype: an integer type.

    Returns:
      An array of `dtype`; -1 where the rate is NaN or negative.

    Raises:
      ValueError: `dtype` is not an integer type, or `lam` does not broadcast to `shape`.
      NotImplementedError: the key is of another generator.

    Example:
      >>> from dovetail import random
      >>> random.poisson(random.key(0), 3.0, (3,)).shape
      (3,)
    """
    if key._generator is not THREEFRY:  # type: ignore[union-attr]
        raise NotImplementedError(
            f"poisson: the key must be of threefry2x32, got: one of {key._generator.name}"  # type: ignore[union-attr]
        )
    element = element_type("poisson", dtype, "iu")
    rates = lax.convert_element_type(lam, np.float32)
    rates = spread(rates, shape_with("poisson", shape, rates.shape))
    is_small = lax.ne(rates, rates) | lax.lt(rates, np.float32(10))
    small = lax.select(is_small, rates, lax.full_like(rates, 0))
    large = lax.select(is_small, lax.full_like(rates, 1e5), rates)
    most = int(dtypes.iinfo(element).max)
    result = lax.select(
        is_small,
        _poisson_by_products(key, small, element, most),
        _poisson_by_rejection(key, large, element, most),
    )
    return lax.select(lax.eq(rates, np.float32(0)), lax.full_like(result, 0), result)


def _bounded(count: Array, most: int) -> Array:
    """True if a step count, an int32, is below the largest value of an integer type."""
    return lax.lt(count, np.int32(min(most, 2**31 - 1)))


def _poisson_by_products(key: Any, rates: Array, dtype: np.dtype, most: int) -> Array:
    shape = rates.shape

    def step(state: Any) -> Any:
        i, k, key, log_product = state
        key, subkey = split_keys(key)
        k = lax.select(lax.gt(log_product, lax.neg(rates)), k + 1, k)
        return i + 1, k, key, log_product + lax.log(unit(subkey, shape, dtypes.float32))

    def goes_on(state: Any) -> Array:
        return lax.gt(state[3], lax.neg(rates)).any() & _bounded(state[0], most)

    zeros = lax.full(shape, np.zeros((), dtype)), lax.full(shape, np.float32(0))
    start = lax.full((), np.int32(0)), zeros[0], key, zeros[1]
    return lax.while_loop(goes_on, step, start)[1] - np.ones((), dtype)


def _poisson_by_rejection(key: Any, rates: Array, dtype: np.dtype, most: int) -> Array:
    shape = rates.shape
    log_rates = lax.log(rates)
    b = 0.931 + 2.53 * lax.sqrt(rates)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)

    def step(state: Any) -> Any:
        i, result, accepted, key = state
        key, first, second = split_keys(key, 3)
        u = unit(first, shape, rates.dtype) - 0.5
        v = unit(second, shape, rates.dtype)
        us = 0.5 - lax.abs(u)
        k = lax.floor((2 * a / us + b) * u + rates + 0.43)
        s = lax.log(v * inverse_alpha / (a / (us * us) + b))
        t = -rates + k * log_rates - lax.lgamma(k + 1)
        is_rejected = (k < 0) | ((us < 0.013) & (v > us))
        accept = ((us >= 0.07) & (v <= v_r)) | (~is_rejected & (s <= t))
        return i + 1, lax.select(accept, k, result), accepted | accept, key

    def goes_on(state: Any) -> Array:
        return (~state[2]).any() & _bounded(state[0], most)

    start = lax.full((), np.int32(0)), lax.full_like(rates, -1), lax.full(shape, False), key
    return lax.convert_element_type(lax.while_loop(goes_on, step, start)[1], dtype)


# Binomial numbers ---------------------------------------------------------------------------------


@sampler
@documented(parametrized("the parameters"))
def binomial(
    key: KeyLike,
    n: ArrayLike,
    p: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
) -> Array:
    """Binomial numbers: the number of `n` trials that succeed, with probability `p` each.

    If n p is at most 10 by sums of geometric numbers, otherwise by rejection (Hörmann, 1993: BTRS).

    Args:
      n: numbers of trials.
      p: probabilities.
      dtype: a float type.

    Returns:
      An array of `dtype`, of integral numbers; NaN where `n` or `p` is NaN or negative, infinity
      where `n` is.

    Example:
      >>> from dovetail import random
      >>> random.binomial(random.key(0), 10, 1.0, (2,))
      Array([10., 10.], dtype=float32)
    """
    return binomial_of(key, n, p, shape, element_type("binomial", dtype))


def binomial_of(key: Any, n: Any, p: Any, shape: Any, dtype: np.dtype) -> Array:
    """Binomial numbers; see `binomial`."""
    (prob,) = _inexact("binomial", p)
    count = lax.convert_element_type(n, prob.dtype)
    sizes = shape_with("binomial", shape, count.shape, prob.shape)
    count, prob = spread(count, sizes), spread(prob, sizes)
    is_below_half = prob < 0.5
    q = lax.select(is_below_half, prob, 1 - prob)
    is_bad_count = lax.ne(count, count) | (count < 0)
    is_infinite = lax.eq(lax.abs(count), np.array(np.inf, count.dtype))
    is_nan, is_negative = lax.ne(q, q), q < 0
    q = lax.select(is_nan | is_negative, lax.full_like(q, 0.01), q)
    by_inversion = is_bad_count | (count * q <= 10)
    count = lax.floor(count)
    few = lax.select(by_inversion, count, lax.full_like(count, 0))
    many = lax.select(by_inversion, lax.full_like(count, 1e4), count)
    even = lax.select(by_inversion, lax.full_like(q, 0.5), q)
    samples = lax.select(
        by_inversion, _binomial_by_sums(key, few, q, dtype), _btrs(key, many, even, dtype)
    )
    is_invalid = is_negative | is_nan | is_bad_count
    samples = lax.select(is_invalid, lax.full_like(samples, np.nan), samples)
    samples = lax.select(is_infinite & ~is_invalid, lax.full_like(samples, np.inf), samples)
    stays = is_below_half | is_bad_count | is_nan | is_infinite
    return lax.select(stays, samples, lax.convert_element_type(count, dtype) - samples)


def _binomial_by_sums(key: Any, count: Array, prob: Array, dtype: np.dtype) -> Array:
    """The number of geometric samples whose sum first exceeds the count."""
    shape = prob.shape
    log_of_failure = lax.log1p(-prob)

    def step(state: Any) -> Any:
        number, total, key = state
        subkey, key = split_keys(key)
        number = lax.select(total <= count, number + 1, number)
        u = unit(subkey, shape, prob.dtype)
        return number, total + lax.ceil(lax.log(u) / log_of_failure), key

    def goes_on(state: Any) -> Array:
        return (state[1] <= count).any()

    zeros = lax.full_like(prob, 0)
    number = lax.while_loop(goes_on, step, (zeros, zeros, key))[0]
    return lax.convert_element_type(number - 1, dtype)


def _btrs(key: Any, count: Array, prob: Array, dtype: np.dtype) -> Array:
    shape = prob.shape
    deviation = lax.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    v_r = 0.92 - 4.2 / b
    r = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * deviation
    m = lax.floor((count + 1) * prob)

    def step(state: Any) -> Any:
        result, accepted, key = state
        key, first, second = split_keys(key, 3)
        u = unit(first, shape, prob.dtype) - 0.5
        v = unit(second, shape, prob.dtype)
        us = 0.5 - lax.abs(u)
        at_once = (us >= 0.07) & (v <= v_r)
        k = lax.floor((2 * a / us + b) * u + c)
        is_outside = (k < 0) | (k > count)
        v = lax.log(v * alpha / (a / (us * us) + b))
        bound = (
            (m + 0.5) * lax.log((m + 1) / (r * (count - m + 1)))
            + (count + 1) * lax.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * lax.log(r * (count - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        accept = at_once | (~is_outside & (v <= bound))
        return lax.select(accept, k, result), accepted | accept, key

    start = lax.full_like(prob, -1), lax.full(shape, False), key
    result = lax.while_loop(lambda state: (~state[1]).any(), step, start)[0]
    return lax.convert_element_type(result, dtype)


# log k! minus Stirling's formula, for k = 0, 1, ..., 9.
_TAILS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.010411265261972,
    0.00925546218271273,
    0.00833056343336287,
)


def _stirling_tail(k: Array) -> Array:
    """log k! minus Stirling's formula."""
    squared = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / squared) / squared) / (k + 1)
    places = lax.convert_element_type(lax.floor(dnp.clip(k, 0, 9)), np.int32)
    known = dnp.take(np.array(_TAILS, k.dtype), places, mode="clip")
    return lax.select(k <= 9, known, series)


@sampler
def _multinomial(key: Any, n: ArrayLike, p: ArrayLike, shape: Any, dtype: Any, unroll: Any) -> Any:
    count, probabilities = _inexact("multinomial", n, p)
    sizes = probabilities.shape if shape is None else sizes_of("multinomial", shape)
    if not sizes:
        raise value_error("multinomial: p must have rank 1 or more, got: rank 0")
    shape_with("multinomial", sizes, probabilities.shape)
    shape_with("multinomial", sizes[:-1], count.shape)
    count, probabilities = spread(count, sizes[:-1]), spread(probabilities, sizes)
    rows = dnp.moveaxis(probabilities, -1, 0)
    left = lax.cumsum(rows, 0, reverse=True)
    ratios = rows / dnp.where(left == 0, 1, left)
    keys = key._generator.split(key._data, (sizes[-1],))

    def step(remainder: Array, row: Any) -> Any:
        ratio, words = row
        subkey = key._with(words)
        drawn = binomial_of(subkey, remainder, dnp.clip(ratio, 0, 1), None, remainder.dtype)
        return remainder - drawn, drawn

    counts = lax.scan(step, count, (ratios, keys), unroll=unroll)[1]
    element = dtypes.requested(dtype, "multinomial", dtypes.float64)
    return lax.convert_element_type(dnp.moveaxis(counts, 0, -1), element)


@documented(parametrized("`p`"))
def multinomial(
    key: KeyLike,
    n: ArrayLike,
    p: ArrayLike,
    *,
    shape: Shape | None = None,
    dtype: Any = None,
    unroll: int | bool = 1,
) -> Array:
    """Multinomial counts: how often each category occurs in `n` trials.

    Args:
      n: numbers of trials.
      p: probabilities of the categories, along the last dimension.
      dtype: an element type.
      unroll: the number of categories in one step of the loop over them.

    Returns:
      An array of `dtype`, which sums to `n` along the last dimension.

    Raises:
      ValueError: the parameters do not broadcast to `shape`.

    Example:
      >>> from dovetail import random
      >>> random.multinomial(random.key(0), 10, dnp.array([0.2, 0.3, 0.5])).sum()
      Array(10., dtype=float32)
    """
    return _multinomial(key, n, p, shape, dtype, unroll)
