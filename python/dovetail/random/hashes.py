"""Generators other than the default: Threefry with four words, Philox, and XLA's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.lax.random_bits import STEPS, grown, philox4x32, product
from dovetail.random.generators import (
    THREEFRY,
    WORDS,
    Generator,
    Shape,
    counters,
    of_width,
    words_of,
    zeros,
)

# Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
Words = list[Any]
Hash = Callable[[Words, Words], Words]

_PARITY = np.uint32(0x1BD11BDA)
_ROTATIONS = ((10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20))
_FACTOR = np.uint32(0xD256D193)


def _mixed(x: Array, y: Array, rotation: int) -> tuple[Array, Array]:
    x = x + y
    left = lax.shift_left(y, np.uint32(rotation))
    return x, (left | lax.shift_right_logical(y, np.uint32(32 - rotation))) ^ x


def threefry4x32(key: Words, counter: Words) -> Words:
    """Threefry-4x32 with 20 rounds."""
    keys = [*key, key[0] ^ key[1] ^ key[2] ^ key[3] ^ _PARITY]
    x = [a + b for a, b in zip(counter, key, strict=True)]
    for number in range(20):
        first, second = _ROTATIONS[number % 8]
        # The words are paired differently in every second round.
        a, b = (1, 3) if number % 2 == 0 else (3, 1)
        x[0], x[a] = _mixed(x[0], x[a], first)
        x[2], x[b] = _mixed(x[2], x[b], second)
        if number % 4 == 3:
            group = number // 4 + 1
            x = [word + keys[(group + i) % 5] for i, word in enumerate(x)]
            x[3] = x[3] + np.uint32(group)
    return x


def philox2x32(key: Words, counter: Words) -> Words:
    """Philox-2x32 with 10 rounds."""
    x, y = counter
    for number in range(10):
        high, low = product(x, _FACTOR)
        x, y = high ^ grown(key[0], number, STEPS[0]) ^ y, low
    return [x, y]


def under(hashed: Hash, key: Array, counter: Words) -> Words:
    """The hash of counters of one shape under one key."""
    shape = counter[0].shape
    return hashed([lax.broadcast(word, shape) for word in words_of(key)], counter)


# Seeds and numbers as words of the counter -------------------------------------------------------


def _made_of(
    name: str,
    tag: str,
    hashed: Hash,
    key_words: int,
    seeded: Callable[[Array, Array], Words],
    for_keys: Callable[[Array, Array], Words],
    for_bits: Callable[[Array, Array], Words],
) -> Generator:
    """A generator whose keys are the first words of hashes."""

    def split(key: Array, shape: Shape) -> Array:
        return lax.stack(under(hashed, key, for_keys(*counters(shape)))[:key_words], len(shape))

    def fold_in(key: Array, number: Array) -> Array:
        return lax.stack(under(hashed, key, for_keys(zeros(()), number))[:key_words])

    def bits(key: Array, width: int, shape: Shape) -> Array:
        words = under(hashed, key, for_bits(*counters(shape)))
        if len(words) == 2:
            return of_width(words[0], words[1], ops.xor(words[0], words[1]), width)
        high, low = (ops.xor(words[i], words[i + 2]) for i in (0, 1))
        if hashed is philox4x32:
            return of_width(words[0], words[1], ops.xor(high, low), width)
        return of_width(high, low, ops.xor(high, low), width)

    def seed(high: Array, low: Array) -> Array:
        return lax.stack(seeded(high, low)[:key_words])

    return Generator(name, tag, (key_words,), seed, split, fold_in, bits)


def _nothing(count: int) -> Words:
    return [zeros(())] * count


def _with_zeros_before(high: Array, low: Array) -> Words:
    return [zeros(high.shape), zeros(high.shape), high, low]


def _with_zeros_behind(high: Array, low: Array) -> Words:
    return [high, low, zeros(high.shape), zeros(high.shape)]


THREEFRY_4 = _made_of(
    "threefry4x32",
    "fry4",
    threefry4x32,
    4,
    lambda high, low: threefry4x32([high, low, *_nothing(2)], _nothing(4)),
    _with_zeros_before,
    _with_zeros_behind,
)
PHILOX_2 = _made_of(
    "philox2x32",
    "phx2",
    philox2x32,
    1,
    lambda high, low: philox2x32(_nothing(1), [high, low]),
    lambda high, low: [high, low],
    lambda high, low: [high, low],
)
PHILOX_4 = _made_of(
    "philox4x32",
    "phx4",
    philox4x32,
    2,
    lambda high, low: philox4x32(_nothing(2), [high, low, *_nothing(2)]),
    _with_zeros_before,
    _with_zeros_behind,
)

# Generators with a state -----------------------------------------------------------------------


def _halves(key: Array) -> list[Array]:
    """A key of four words as two keys of Threefry-2x32."""
    return [lax.slice_in_dim(key, i, i + 2) for i in (0, 2)]


def _rbg_seed(high: Array, low: Array) -> Array:
    return lax.stack([high, low, high, low])


def _rbg_bits(key: Array, width: int, shape: Shape) -> Array:
    if width < 64:
        return lax.rng_bit_generator(key, shape, WORDS[width])[1]
    # Even without `enable_x64`.
    words = lax.rng_bit_generator(key, (*shape, 2), np.uint32)[1]
    low, high = (lax.index_in_dim(words, i, -1, keepdims=False) for i in (0, 1))
    return of_width(high, low, low, width)


def _unsafe_split(key: Array, shape: Shape) -> Array:
    count = math.prod(shape)
    words = lax.rng_bit_generator(key, (10 * count, 4))[1]
    return lax.reshape(lax.slice_in_dim(words, 0, 10 * count, 10), (*shape, 4))


def _unsafe_fold_in(key: Array, number: Array) -> Array:
    words = lax.rng_bit_generator(_rbg_seed(zeros(()), number), (10, 4))[1]
    return key ^ lax.index_in_dim(words, 9, keepdims=False)


RBG = Generator(
    "rbg",
    "rbg",
    (4,),
    _rbg_seed,
    lambda key, shape: lax.concatenate(
        [THREEFRY.split(k, shape) for k in _halves(key)], len(shape)
    ),
    lambda key, number: lax.concatenate([THREEFRY.fold_in(k, number) for k in _halves(key)], 0),
    _rbg_bits,
)
UNSAFE_RBG = Generator(
    "unsafe_rbg", "urbg", (4,), _rbg_seed, _unsafe_split, _unsafe_fold_in, _rbg_bits
)
