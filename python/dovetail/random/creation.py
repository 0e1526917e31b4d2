"""Creation and inspection of random keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.random.generators import Generator, find_generator
from dovetail.random.key_primitives import (
    random_clone,
    random_fold_in,
    random_seed,
    random_split,
    random_unwrap,
    random_wrap,
)
from dovetail.random.keys import KeyArray, KeyType
from dovetail.random.sampler import KeyLike, as_keys, sampler, sizes_of
from dovetail.tracing import key_reuse
from dovetail.tracing.bind import constant
from dovetail.tracing.composed import makes_equations


def key(seed: int | ArrayLike, *, impl: Any = None, dtype: Any = None) -> Array:
    """Make a key from a seed.

    Args:
      seed: an int, or an array of an integer type and of rank 0; without `enable_x64` only its low
        32 bits are used.
      impl: the generator: a name such as "threefry2x32" or "rbg", by default that of the setting
        `default_prng_impl`.
      dtype: the same as an element type of keys; only one of both can be given.

    Returns:
      A key array of rank 0.

    Raises:
      TypeError: the seed is not an integer, or not of rank 0.
      ValueError: there is no such generator, or it is given twice.

    Example:
      >>> from dovetail import random
      >>> random.key(42)
      Array((), dtype=key<fry>) overlaying:
      [ 0 42]
    """
    return _seeded("key", seed, _one_of("key", impl, dtype))  # type: ignore[return-value]


def PRNGKey(seed: int | ArrayLike, *, impl: Any = None) -> Array:
    """Make a raw key from a seed: an array of words, whereas `key` makes a typed key.

    Args:
      seed: an int, or an array of an integer type and of rank 0.
      impl: the generator; functions accept raw keys only of the default one.

    Returns:
      ui32[2] of the default generator.

    Raises:
      TypeError: the seed is not an integer, or not of rank 0.
      ValueError: there is no such generator.

    Example:
      >>> from dovetail import random
      >>> random.PRNGKey(42)
      Array([ 0, 42], dtype=uint32)
    """
    return _returned(_seeded("PRNGKey", seed, find_generator(impl)), True)


def _one_of(name: str, impl: Any, dtype: Any) -> Generator:
    if impl is not None and dtype is not None:
        raise value_error(f"Cannot specify both `impl` and `dtype` arguments to {name}")
    return find_generator(dtype if impl is None else impl)


def _seeded(name: str, seed: Any, generator: Generator) -> KeyArray:
    if isinstance(seed, KeyArray):
        raise type_error(
            f"{name} accepts a scalar seed, but was given a PRNG key; use split or fold_in"
        )
    if isinstance(seed, int):
        # As 64 bits, so that Python hashes can be seeds.
        number = int(np.int64(seed)) + config.random_seed_offset.value
        if makes_equations():
            wide = np.array(number, np.int64)
            narrow = wide if config.enable_x64.value else wide.astype(np.int32)
            return random_seed(constant(narrow), impl=generator)
        if not config.enable_x64.value:
            number = int(np.int64(number).astype(np.int32)) & 0xFFFFFFFF
        words = [constant(np.uint32(w)) for w in (number >> 32 & 0xFFFFFFFF, number & 0xFFFFFFFF)]  # type: ignore[arg-type]
        return KeyArray(generator, generator.seed(*words))
    array = as_operand(name, seed)
    if array.ndim:
        raise type_error(
            f"{name} accepts a scalar seed, but was given an array of shape {array.shape}; map "
            "over seeds with dovetail.vmap"
        )
    if dtypes.KINDS[array.dtype] not in "iu":
        raise type_error(
            f"{name}: PRNG key seed must be an integer, got: element type {array.dtype}"
        )
    if config.random_seed_offset.value:
        array = lax.add(array, np.asarray(config.random_seed_offset.value, array.dtype))
    return random_seed(array, impl=generator)


def _returned(keys: KeyArray, was_raw: bool) -> Any:
    """Keys of the kind that was given."""
    return random_unwrap(keys) if was_raw and not config.enable_custom_prng.value else keys


@sampler
def _split(key: Any, shape: tuple[int, ...]) -> Any:
    return random_split(key, shape=shape)._data


def split(key: KeyLike, num: int | tuple[int, ...] = 2) -> Array:
    """New keys from a key, which must not be used again.

    Args:
      key: a key.
      num: the number of keys, or the shape of an array of them.

    Returns:
      A key array of that shape; raw if `key` is.

    Raises:
      TypeError: `key` is not a key, or `num` is not an int.
      ValueError: `key` is an array of several keys.
      TypeError: a size is negative.

    Example:
      >>> from dovetail import random
      >>> key, subkey = random.split(random.key(0))
      >>> random.split(key, (2, 3)).shape
      (2, 3)
    """
    was_raw = not isinstance(key, KeyArray)
    typed = as_keys("split", key)
    shape = sizes_of("split", tuple(num) if isinstance(num, Sequence) else (num,))
    return _returned(KeyArray(typed._generator, _split(typed, shape)), was_raw)


@sampler
def _fold_in(key: Any, data: ArrayLike) -> Any:
    return random_fold_in(key, data)._data


def fold_in(key: KeyLike, data: ArrayLike) -> Any:
    """A new key from a key and a number.

    Args:
      key: a key.
      data: an integer of rank 0 that fits 32 bits.

    Returns:
      A key; raw if `key` is.

    Raises:
      TypeError: `key` is not a key, or `data` is not an integer of rank 0.
      ValueError: `key` is an array of several keys.
      OverflowError: `data` is a Python int that is negative, or 2^32 or more.

    Example:
      >>> from dovetail import random
      >>> random.fold_in(random.key(0), 3) == random.fold_in(random.key(0), 3)
      Array(True, dtype=bool)
    """
    was_raw = not isinstance(key, KeyArray)
    typed = as_keys("fold_in", key)
    if isinstance(data, int):
        if not 0 <= data < 2**32:
            raise OverflowError(f"fold_in: data must fit uint32, got: {data}")
        number: Any = constant(np.array(data, np.uint32))
    else:
        number = as_operand("fold_in", data)
        if number.ndim:
            raise type_error(
                f"fold_in: data must have rank 0, got: shape {number.shape}; map over it with "
                "dovetail.vmap"
            )
        number = lax.convert_element_type(number, np.uint32)
    # The key may be folded with other numbers too, so it does not count as used.
    with key_reuse.uncounted():
        data = _fold_in(typed, number)
    return _returned(KeyArray(typed._generator, data), was_raw)


def clone(key: Any) -> Any:
    """The same keys, which `debug_key_reuse` treats as different ones.

    Args:
      key: keys, typed or raw.

    Returns:
      A key array with the same keys.

    Example:
      >>> from dovetail import random
      >>> key = random.key(0)
      >>> random.bits(key) == random.bits(random.clone(key))
      Array(True, dtype=bool)
    """
    keys = as_keys("clone", key)
    if keys is not key:
        return keys._data
    if not config.debug_key_reuse.value:
        return random_clone(keys)
    return KeyArray(keys._generator, key_reuse.another(keys._data, keys.shape))


def key_data(keys: KeyLike) -> Array:
    """The words of keys.

    Args:
      keys: a key array, typed or raw.

    Returns:
      ui32[*keys.shape, 2] of the default generator.

    Raises:
      TypeError: `keys` are not keys.

    Example:
      >>> from dovetail import random
      >>> random.key_data(random.key(7))
      Array([0, 7], dtype=uint32)
    """
    typed = as_keys("key_data", keys)
    return random_unwrap(typed) if typed is keys else typed._data


def wrap_key_data(key_bits_array: Any, *, impl: Any = None, dtype: Any = None) -> Array:
    """The keys that consist of the given words.

    Args:
      key_bits_array: ui32[..., 2] of the default generator.
      impl: the generator: a name, by default that of the setting `default_prng_impl`.
      dtype: the same as an element type of keys; only one of both can be given.

    Returns:
      A key array.

    Raises:
      TypeError: the words are not of the type or the shape of the generator's keys.
      ValueError: there is no such generator, or it is given twice.

    Example:
      >>> from dovetail import random
      >>> random.wrap_key_data(random.key_data(random.key(7))) == random.key(7)
      Array(True, dtype=bool)
    """
    generator = _one_of("wrap_key_data", impl, dtype)
    words = as_operand("wrap_key_data", key_bits_array)
    as_keys("wrap_key_data", KeyArray(generator, words))
    keys = random_wrap(words, impl=generator)
    return clone(keys) if config.debug_key_reuse.value else keys  # type: ignore[return-value]


def key_impl(keys: KeyLike) -> str:
    """The name of the keys' generator.

    Args:
      keys: a key array, typed or raw.

    Returns:
      A string, for the argument `impl` of `key`.

    Raises:
      TypeError: `keys` are not keys.

    Example:
      >>> from dovetail import random
      >>> random.key_impl(random.key(0))
      'threefry2x32'
    """
    return as_keys("key_impl", keys)._generator.name


def key_dtype(impl_spec: Any = None) -> KeyType:
    """The element type of a generator's keys.

    Args:
      impl_spec: the generator: a name, by default that of the setting `default_prng_impl`.

    Returns:
      A `KeyType`.

    Raises:
      ValueError: there is no such generator.

    Example:
      >>> from dovetail import random
      >>> random.key_dtype("threefry2x32") == random.key(0).dtype
      True
    """
    return KeyType(find_generator(impl_spec))
