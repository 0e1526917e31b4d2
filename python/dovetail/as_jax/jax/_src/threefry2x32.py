"""`jax._src.random.threefry2x32`: the default generator's functions of words, ui32[2]."""

from __future__ import annotations

from typing import Any

from dovetail import random
from dovetail.random.generators import GENERATORS

_NAME = "threefry2x32"


def threefry_seed(seed: Any) -> Any:
    """The words of the key that an integer seeds."""
    return random.key_data(random.key(seed, impl=_NAME))


def threefry_split(key: Any, shape: Any) -> Any:
    """Keys of a shape that a key is split into."""
    return GENERATORS[_NAME].split(key, tuple(shape))


def threefry_fold_in(key: Any, data: Any) -> Any:
    """The key that a key and an unsigned integer make."""
    return GENERATORS[_NAME].fold_in(key, data)


def threefry_random_bits(key: Any, bit_width: int, shape: Any) -> Any:
    """Unsigned integers of 8, 16, 32 or 64 random bits."""
    return GENERATORS[_NAME].bits(key, bit_width, tuple(shape))
