"""Random orders, and choices among elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis
from dovetail.random.categorical import gumbel_mode, gumbel_of
from dovetail.random.keys import KeyArray
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    random_bits,
    sampler,
    sizes_of,
    split_keys,
)
from dovetail.random.uniform import randint, unit
from dovetail.symbolic.size import Size, as_size, is_at_least, is_at_most
from dovetail.transforms.out_sharding import placed


def _shuffled(key: Any, x: Array, axis: int) -> Array:
    """The elements sorted by random words, in enough rounds that ties do not matter."""
    count = x.size
    largest = count.scope.bounds(count)[1] if type(count) is Size else count
    for i in range(_rounds(min(largest, 2**31 - 1))):
        key, subkey = split_keys(key)

        def once(x: Array, subkey: Any = subkey) -> Array:
            return lax.sort_key_val(random_bits(subkey, 32, x.shape), x, axis)[1]

        # The largest number of elements for which it is done immediately.
        enough = int((2**32 - 1) ** (i / 3))
        if is_at_most(count, enough):
            break
        if is_at_least(count, enough + 1):
            x = once(x)
        else:
            x = lax.cond(dnp.array(count) > enough, once, lambda x: x, x)
    return x


def _rounds(count: int) -> int:
    """The number of rounds of 32-bit sort keys needed for `count` elements."""
    return math.ceil(3 * np.log(max(1, count)) / np.log(2**32 - 1))


def _elements(name: str, x: Any) -> Array:
    """An array, or the numbers below an integer, which must be known."""
    is_python = isinstance(x, (int, np.integer, Size)) and not isinstance(x, bool)
    if not is_python:
        array = as_operand(name, x)
        if array.ndim:
            return array
        if dtypes.KINDS[array.dtype] not in "iu":
            raise type_error(
                f"{name}: what is not an array must be an integer, got: element type "
                f"{array.dtype.name}"
            )
    return dnp.arange(as_size(x))


@sampler
def _permutation(key: Any, x: ArrayLike, axis: int, independent: bool) -> Array:
    array = _elements("permutation", x)
    axis = canonical_axis(axis, array.ndim)
    if independent or array.ndim == 1:
        return _shuffled(key, array, axis)
    order = _shuffled(key, dnp.arange(array.shape[axis]), 0)
    return dnp.take(array, order, axis, unique_indices=True)


def permutation(
    key: KeyLike,
    x: int | ArrayLike,
    axis: int = 0,
    independent: bool = False,
    *,
    out_sharding: Any = None,
) -> Any:
    """Elements in random order.

    Args:
      key: a key.
      x: an array, or an int n for the numbers from 0 to n - 1.
      axis: the dimension along which the order is random.
      independent: whether each row along it has its own order.

    Returns:
      An array like `x`.

    Raises:
      TypeError: `x` is a scalar, but not an int.
      IndexError, ValueError: there is no such axis.

    Example:
      >>> from dovetail import random
      >>> random.permutation(random.key(0), 5)
      Array([0, 1, 4, 3, 2], dtype=int32)
    """
    if out_sharding is not None:
        return placed("permutation", permutation, out_sharding, key, x, axis, independent)
    if isinstance(x, KeyArray):
        axis = canonical_axis(axis, x.ndim)
        return x.take(_permutation(key, x.shape[axis], 0, False), axis)
    return _permutation(key, x, axis, independent)


@sampler
def _choice(
    key: Any, a: ArrayLike, shape: Any, replace: bool, p: ArrayLike, axis: int, mode: Any
) -> Array:
    array = _elements("choice", a)
    # A count of elements has one dimension.
    axis = canonical_axis(axis, array.ndim) if np.ndim(a) else 0
    count = array.shape[axis]
    drawn = math.prod(shape)
    if drawn == 0:
        return lax.full(shape, np.zeros((), array.dtype))
    _check_choice(count, drawn, replace)
    full = array.shape[:axis] + shape + array.shape[axis + 1 :]
    if p is None and not replace:
        shuffled = _permutation(key, array, axis, False)
        return lax.reshape(lax.slice_in_dim(shuffled, 0, drawn, axis=axis), full)
    if p is None:
        places = randint(key, shape, 0, count)
    else:
        places = _places(key, as_operand("choice", p), shape, count, replace, mode)
    return lax.reshape(dnp.take(array, places, axis) if np.ndim(a) else places, full)


def _check_choice(count: int, drawn: int, replace: bool) -> None:
    if count <= 0:
        raise value_error(f"choice: there must be elements to choose from, got: {count}")
    if not replace and drawn > count:
        raise value_error(
            f"choice: without replacement at most all elements can be chosen, got: {drawn} of "
            f"{count}"
        )


def _places(
    key: Any, p: Array, shape: tuple[int, ...], count: int, replace: bool, mode: Any
) -> Array:
    """Indices drawn with probabilities."""
    probabilities = lax.convert_element_type(p, dtypes.to_inexact_dtype(p.dtype))
    if probabilities.shape != (count,):
        raise value_error(
            f"choice: p must have one probability for each element, shape ({count},), got: "
            f"{probabilities.shape}"
        )
    integer, dtype = dtypes.default_dtype("i"), probabilities.dtype
    if not replace:
        numbers = gumbel_of(key, (count,), dtype, gumbel_mode(mode)) + lax.log(probabilities)
        drawn = lax.top_k(numbers, math.prod(shape))[1]
        return lax.convert_element_type(drawn, integer)
    sums = dnp.cumsum(probabilities)
    r = sums[-1] * (1 - unit(key, shape, dtype))
    return lax.convert_element_type(dnp.searchsorted(sums, r), integer)


def choice(
    key: KeyLike,
    a: int | ArrayLike,
    shape: Shape = (),
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
    mode: str | None = None,
) -> Any:
    """Elements chosen at random.

    Args:
      key: a key.
      a: an array, or an int n for the numbers from 0 to n - 1.
      shape: the number of choices, as dimensions in place of `axis`.
      replace: whether an element can be chosen again.
      p: the probability of each element, by default equal.
      axis: the dimension of the elements.
      mode: the mode of the Gumbel numbers by which elements are chosen with `p` and without
        replacement; see `gumbel`.

    Returns:
      An array of the element type of `a`.

    Raises:
      TypeError: `shape` is not a sequence, or `a` is a scalar but not an int.
      ValueError: there are no or too few elements, or `p` has another size.

    Example:
      >>> from dovetail import random
      >>> random.choice(random.key(0), 5, (3,), replace=False)
      Array([0, 1, 4], dtype=int32)
    """
    if not isinstance(shape, Sequence):
        raise type_error(f"choice: shape must be a sequence of ints, got: {type(shape).__name__}")
    sizes = sizes_of("choice", shape)
    if isinstance(a, KeyArray):
        axis = canonical_axis(axis, a.ndim)
        return a.take(_choice(key, a.shape[axis], sizes, replace, p, 0, mode), axis)  # type: ignore[arg-type]
    return _choice(key, a, sizes, replace, p, axis, mode)  # type: ignore[arg-type]
