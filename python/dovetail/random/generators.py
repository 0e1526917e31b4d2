"""Generators of random bits, as functions of one key."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.eager import cache
from dovetail.symbolic.size import Size, is_at_most
from dovetail.tracing.bind import constant, size_as_array

Shape = tuple[int, ...]

# The unsigned integers of each width.
WORDS = {8: dtypes.uint8, 16: dtypes.uint16, 32: dtypes.uint32, 64: dtypes.uint64}


class Generator(cache.Constant):
    """A generator of random bits; its keys are arrays of words, ui32[*key_shape].

    Args:
      name: the generator's name.
      tag: its name in element types.
      key_shape: the shape of one key.
      seed: from the two words of a seed, ui32[] each, to a key.
      split: from a key and a shape to keys of that shape, ui32[*shape, *key_shape].
      fold_in: from a key and a ui32[] to a key.
      bits: from a key, a width of 8, 16, 32 or 64 and a shape to unsigned integers.
    """

    __slots__ = ("bits", "fold_in", "key_shape", "name", "seed", "split", "tag")

    def __init__(
        self,
        name: str,
        tag: str,
        key_shape: Shape,
        seed: Callable[[Array, Array], Array],
        split: Callable[[Array, Shape], Array],
        fold_in: Callable[[Array, Array], Array],
        bits: Callable[[Array, int, Shape], Array],
    ) -> None:
        self.name = name
        self.tag = tag
        self.key_shape = key_shape
        self.seed = seed
        self.split = split
        self.fold_in = fold_in
        self.bits = bits
        GENERATORS[name] = self

    def __repr__(self) -> str:
        return f"<generator {self.name}>"

    def __str__(self) -> str:
        return self.tag

    def __reduce__(self) -> tuple[Any, ...]:
        return GENERATORS.__getitem__, (self.name,)


GENERATORS: dict[str, Generator] = {}


def default_generator() -> Generator:
    """The generator that the settings name."""
    return GENERATORS[config.default_prng_impl.value]


def find_generator(given: Any) -> Generator:
    """The generator that a user specifies by a name, a generator, the dtype of its keys, or None.

    Raises:
      ValueError: there is none of that name.
      TypeError: the argument is none of these.
    """
    if given is None:
        return default_generator()
    if isinstance(given, Generator):
        return given
    if isinstance(getattr(given, "generator", None), Generator):
        return given.generator
    if isinstance(given, str):
        if given in GENERATORS:
            return GENERATORS[given]
        names = ", ".join(map(repr, GENERATORS))
        raise value_error(
            f"unrecognized PRNG implementation {given!r}. Did you mean one of: {names}?"
        )
    raise type_error(
        f"unrecognized type {type(given).__name__} for specifying PRNG implementation; give its "
        "name or the dtype of its keys"
    )


# Shared parts -------------------------------------------------------------------------------------


def words_of(key: Array) -> list[Array]:
    """The words of a key, each of rank 0."""
    return [lax.index_in_dim(key, i, keepdims=False) for i in range(key.shape[0])]


def zeros(shape: Shape) -> Array:
    """Words that are zero."""
    return lax.full(shape, np.uint32(0))


def counters(shape: Shape) -> tuple[Array, Array]:
    """The numbers of the elements of an array, as their high and their low words."""
    if is_at_most(math.prod(shape), 2**32):
        return zeros(shape), _numbers(shape, dtypes.uint32)
    return wide_counters(shape)


def wide_counters(shape: Shape) -> tuple[Array, Array]:
    """The same for any number of elements."""
    numbers = _numbers(shape, dtypes.uint64)
    high = ops.shift_right_logical(numbers, _filled(shape, 32, dtypes.uint64))
    return ops.convert(high, dtypes.uint32), ops.convert(numbers, dtypes.uint32)


def _numbers(shape: Shape, dtype: np.dtype) -> Array:
    total: Any = None
    for dimension, size in enumerate(shape):
        if size != 1:
            number = ops.iota(dimension, shape, dtype)
            stride = math.prod(shape[dimension + 1 :])
            if stride != 1:
                number = ops.mul(number, _filled(shape, stride, dtype))
            total = number if total is None else ops.add(total, number)
    return _filled(shape, 0, dtype) if total is None else total


def _filled(shape: Shape, value: int, dtype: np.dtype) -> Array:
    if type(value) is Size:
        return lax.full(shape, size_as_array(value, dtype, False))
    scalar = constant(np.array(value % 2 ** (8 * dtype.itemsize), dtype))
    return ops.broadcast(scalar, (), shape) if shape else scalar


def of_width(first: Array, second: Array, mixed: Array, width: int) -> Array:
    """Bits from two words, for widths of 64, or from those that a generator mixes into one."""
    if width != 64:
        return ops.convert(mixed, WORDS[width])
    high, low = ops.convert(first, dtypes.uint64), ops.convert(second, dtypes.uint64)
    return ops.or_(ops.shift_left(high, _filled(first.shape, 32, dtypes.uint64)), low)


# Threefry-2x32 ------------------------------------------------------------------------------------


def threefry2x32(key: Array, x0: Array, x1: Array) -> list[Array]:
    """The hash of counters under one key."""
    k0, k1 = (lax.broadcast(word, x0.shape) for word in words_of(key))
    return ops.threefry2x32(k0, k1, x0, x1)


def _in_sequence(key: Array, count: int) -> Array:
    """The first `count` words of the hash of 0, 1, …, with the first half of the numbers paired
    with the second.
    """
    if count >= 2**32 - 1:
        raise NotImplementedError(
            f"threefry_partitionable must be on for arrays of 2^32 words or more, got: {count} "
            "words"
        )
    half = (count + 1) // 2
    numbers = lax.iota(np.uint32, 2 * half)
    if count % 2:
        # An odd last number is paired with 0.
        last = numbers == np.uint32(count)
        numbers = lax.select(last, lax.full_like(numbers, 0), numbers)
    words = threefry2x32(key, numbers[:half], numbers[half:])
    return lax.concatenate(words, 0)[:count]


def _threefry_split(key: Array, shape: Shape) -> Array:
    if config.threefry_partitionable.value:
        return lax.stack(threefry2x32(key, *counters(shape)), len(shape))
    return lax.reshape(_in_sequence(key, 2 * math.prod(shape)), (*shape, 2))


def _threefry_fold_in(key: Array, number: Array) -> Array:
    return lax.stack(threefry2x32(key, zeros(()), number))


def _threefry_bits(key: Array, width: int, shape: Shape) -> Array:
    if config.threefry_partitionable.value:
        first, second = threefry2x32(key, *counters(shape))
        return of_width(first, second, ops.xor(first, second), width)
    size = math.prod(shape)
    words = _in_sequence(key, -(-width * size // 32))
    if width == 64:
        words = of_width(words[:size], words[size:], words[:0], width)
    elif width < 32:
        parts = 32 // width
        shifts = lax.broadcasted_iota(np.uint32, (words.size, parts), 1) * np.uint32(width)
        repeated = lax.broadcast_in_dim(words, shifts.shape, (0,))
        shifted = lax.shift_right_logical(repeated, shifts)
        words = ops.convert(lax.reshape(shifted, (shifted.size,)), WORDS[width])[:size]
    return lax.reshape(words, shape)


THREEFRY = Generator(
    "threefry2x32",
    "fry",
    (2,),
    lambda high, low: lax.stack([high, low]),
    _threefry_split,
    _threefry_fold_in,
    _threefry_bits,
)
