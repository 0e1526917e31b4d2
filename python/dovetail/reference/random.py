"""Hashes of which random numbers are made."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.reference.op import NS, op

Array = np.ndarray[Any, Any]

_PARITY = 0x1BD11BDA
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
# Up to this many hashes, Python's integers beat a loop over arrays.
_FEW = 128


@op("threefry2x32", cost=4 * NS, only_moves=True)
def threefry2x32(k0: Array, k1: Array, x0: Array, x1: Array) -> tuple[Array, Array]:
    """Threefry-2x32 with 20 rounds (Salmon et al., 2011) of counters (x0, x1) under keys."""
    shape, size = x0.shape, x0.size
    if size <= _FEW:
        hashed = _few(size, *(_packed(x) for x in (k0, k1, x0, x1)))
        first, second = (_unpacked(word, size) for word in hashed)
        return first.reshape(shape), second.reshape(shape)
    first, second = np.empty(size, np.uint32), np.empty(size, np.uint32)
    # A broadcast operand has strides of 0 only.
    k0, k1, x0, x1 = (x.ravel() if any(x.strides) else x.flat[:1] for x in (k0, k1, x0, x1))
    _core.threefry2x32(k0, k1, x0, x1, first, second)
    return first.reshape(shape), second.reshape(shape)


# A Python integer of which every 64 bits hold one word: each operation is on all words.


def _packed(x: Array) -> int:
    return int.from_bytes(x.astype("<u8").tobytes(), "little")


def _unpacked(words: int, size: int) -> Array:
    return np.frombuffer(words.to_bytes(8 * size, "little"), "<u8").astype(np.uint32)


@functools.cache
def _ones(size: int) -> int:
    return _packed(np.ones(size, np.uint32))


def _few(size: int, k0: int, k1: int, x0: int, x1: int) -> tuple[int, int]:
    """The rounds, on packed words."""
    ones = _ones(size)
    mask = ones * 0xFFFFFFFF
    keys = (k0, k1, k0 ^ k1 ^ ones * _PARITY)
    x0 += k0
    x1 = x1 + k1 & mask
    for group in range(5):
        for n in _ROTATIONS[group % 2]:
            x0 = x0 + x1 & mask
            # The mask clears the half that receives bits shifted out of a word.
            x1 = (x1 << n | x1 >> 32 - n) & mask ^ x0
        x0 += keys[(group + 1) % 3]
        x1 = x1 + keys[(group + 2) % 3] + ones * (group + 1) & mask
    return x0 & mask, x1
