"""Random bits by generators with a state that is passed along, as XLA has them."""

from __future__ import annotations

import builtins
import enum
import functools
import itertools
import math
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes, late
from dovetail.base.errors import type_error, value_error
from dovetail.base.late import random
from dovetail.lax.arithmetic import add, mul
from dovetail.lax.convert import convert_element_type
from dovetail.lax.create import full, iota
from dovetail.lax.logic import bitwise_and, bitwise_or, bitwise_xor, eq, lt, shift_left
from dovetail.lax.multiply_high import mulhi
from dovetail.lax.pieces import concatenate, index_in_dim, slice_in_dim, stack
from dovetail.lax.shape import broadcast, expand_dims, reshape
from dovetail.ops.operands import ArrayLike, as_operand, canonical_shape
from dovetail.tracing.composed import composed, makes_equations
from dovetail.transforms.custom_batching import custom_vmap

# Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
_FACTORS = (np.uint32(0xD2511F53), np.uint32(0xCD9E8D57))
# The increments of the words of keys from round to round.
STEPS = (0x9E3779B9, 0xBB67AE85)


def grown(word: Any, number: int, step: int) -> Array:
    """A word of a key of Philox in the round of that number."""
    return add(word, np.uint32(number * step % 2**32))


def product(x: Array, factor: np.uint32) -> tuple[Array, Array]:
    """The high and the low word of products."""
    return mulhi(x, factor), mul(x, factor)


def philox4x32(key: list[Any], counter: list[Array]) -> list[Array]:
    """Philox-4x32 with 10 rounds, of counters of four words under keys of two."""
    x = list(counter)
    for number in range(10):
        high_0, low_0 = product(x[0], _FACTORS[0])
        high_1, low_1 = product(x[2], _FACTORS[1])
        k0, k1 = (grown(k, number, step) for k, step in zip(key, STEPS, strict=True))
        x = [_xor(high_1, x[1], k0), low_1, _xor(high_0, x[3], k1), low_0]
    return x


def _xor(x: Array, y: Array, z: Array) -> Array:
    return bitwise_xor(bitwise_xor(x, y), z)


class RandomAlgorithm(enum.IntEnum):
    """The hash with which `rng_bit_generator` generates its bits.

    Example:
      >>> lax.RandomAlgorithm.RNG_PHILOX
      <RandomAlgorithm.RNG_PHILOX: 2>
    """

    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2

    __str__ = enum.Enum.__repr__


def _state_words(key: ArrayLike) -> list[Array]:
    """The state as four words: a key and a counter of two each."""
    state = as_operand("rng_bit_generator", key)
    if state.dtype == dtypes.uint32 and state.shape == (4,):
        return [index_in_dim(state, i, keepdims=False) for i in range(4)]
    if state.dtype == dtypes.uint64 and state.shape == (2,):
        wide = [index_in_dim(state, i, keepdims=False) for i in range(2)]
        return [
            convert_element_type(part, np.uint32)
            for x in wide
            for part in (x, ops.shift_right_logical(x, full((), np.uint64(32))))
        ]
    raise type_error(
        f"rng_bit_generator: key must be uint32[4] or uint64[2], got: {state.aval}; make one with "
        "dovetail.random.key(seed, impl='rbg')"
    )


def _advanced(low: Array, high: Array, by: Array | int) -> tuple[Array, Array]:
    """A number of two words plus one of one word, or plus a known one."""
    if isinstance(by, int):
        high = add(high, full((), np.uint32(by >> 32 & 0xFFFFFFFF)))
        by = full((), np.uint32(by & 0xFFFFFFFF))
    total = add(low, by)
    carry = convert_element_type(lt(total, by), np.uint32)
    return total, add(high, carry)


def rng_bit_generator(
    key: ArrayLike,
    shape: Any,
    dtype: Any = np.uint32,
    algorithm: RandomAlgorithm = RandomAlgorithm.RNG_DEFAULT,
    *,
    out_sharding: None = None,
) -> tuple[Array, Array]:
    """Random bits, and the next state.

    Args:
      key: the state, ui32[4] or ui64[2]: a key of 64 bits, and a counter.
      shape: the shape of the bits.
      dtype: an unsigned integer type of 8 bits or more.
      algorithm: Philox-4x32, the default, or Threefry-2x32.

    Returns:
      (state, array of `dtype`).

    Raises:
      TypeError: the state or `dtype` is of another type.

    Example:
      >>> state, bits = lax.rng_bit_generator(np.array([1, 2, 3, 4], np.uint32), (3,))
      >>> state, bits
      (Array([1, 2, 4, 4], dtype=uint32), Array([ 512747620, 1298009047, 1267190206], dtype=uint32))
    """
    if out_sharding is not None:
        raise NotImplementedError("rng_bit_generator: out_sharding must be None")
    sizes = canonical_shape(shape)
    element = dtypes.requested(dtype, "rng_bit_generator")
    if element not in (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64):
        raise type_error(
            "rng_bit_generator: dtype must be an unsigned integer type of 8 bits or more, got: "
            f"{element.name}"
        )
    algorithm = RandomAlgorithm(algorithm)
    is_threefry = algorithm is RandomAlgorithm.RNG_THREE_FRY
    state = as_operand("rng_bit_generator", key)
    if makes_equations():
        primitive = late.jaxprs.find(__name__, "rng_bit_generator_p")
        params = {"shape": sizes, "dtype": element, "algorithm": algorithm, "out_sharding": None}
        return tuple(primitive.bind(state, **params))  # type: ignore[return-value]
    return _generator(is_threefry, sizes, element)(state)


@functools.lru_cache(maxsize=256)
def _generator(is_threefry: bool, sizes: tuple[int, ...], dtype: np.dtype) -> Any:
    """The generator of bits of one shape.

    With a batch of states, all bits come from the first one, and only it advances, as in XLA's
    generator.
    """

    @custom_vmap
    def generate(state: Array) -> tuple[Array, Array]:
        words = _state_words(state)
        count, bits = (_threefry_bits if is_threefry else _philox_bits)(words, sizes, dtype)
        last = stack([*words[:2], *_advanced(words[2], words[3], count)])
        if state.dtype == dtypes.uint64:
            last = _wide(slice_in_dim(last, 0, 4, 2), slice_in_dim(last, 1, 4, 2))
        return last, bits

    @generate.def_vmap
    def batch(size: int, is_batched: list[bool], states: Array) -> Any:
        first = index_in_dim(states, 0, keepdims=False)
        last, bits = _generator(is_threefry, (size, *sizes), dtype)(first)
        states = concatenate([expand_dims(last, (0,)), slice_in_dim(states, 1, None)], 0)
        return (states, bits), (True, True)

    return generate


def _counted(words: list[Array], count: int) -> list[Array]:
    """The key, and `count` counters from the state's counter on."""
    k0, k1, low, high = (broadcast(word, (count,)) for word in words)
    if count <= 2**32:
        return [k0, k1, *_advanced(low, high, iota(np.uint32, count))]
    number = ops.iota(0, (count,), dtypes.uint64)
    shift = ops.convert(full((count,), np.uint32(32)), dtypes.uint64)
    above = ops.shift_right_logical(number, shift)
    high = add(high, ops.convert(above, dtypes.uint32))
    return [k0, k1, *_advanced(low, high, ops.convert(number, dtypes.uint32))]


def _threefry_bits(
    words: list[Array], sizes: tuple[int, ...], dtype: np.dtype
) -> tuple[int, Array]:
    """The number of Philox hashes used, and their bits."""
    if dtype == dtypes.uint64:
        count = math.prod(sizes)
        return count, reshape(_wide(*ops.threefry2x32(*_counted(words, count))), sizes)
    # The words of a hash are adjacent along the first dimension of even size, or else the longest.
    full_sizes = sizes or (1,)
    even = [d for d, size in enumerate(full_sizes) if size % 2 == 0]
    dimension = even[0] if even else full_sizes.index(builtins.max(full_sizes))
    half = list(full_sizes)
    half[dimension] = -(-half[dimension] // 2)
    count = math.prod(half)
    hashed = ops.threefry2x32(*_counted(words, count))
    pairs = stack([reshape(word, half) for word in hashed], dimension + 1)
    half[dimension] *= 2
    bits = slice_in_dim(reshape(pairs, half), 0, full_sizes[dimension], axis=dimension)
    return count, reshape(ops.convert(bits, dtype), sizes)


def _philox_bits(words: list[Array], sizes: tuple[int, ...], dtype: np.dtype) -> tuple[int, Array]:
    """The number of Philox hashes used, and their bits."""
    size, per_hash = math.prod(sizes), 2 if dtype == dtypes.uint64 else 4
    count = -(-size // per_hash)
    k0, k1, low, high = _counted(words, count)
    # The high half of the counter is also the key, until the low half has passed its end.
    first_low, first_high = (broadcast(word, (count,)) for word in words[2:])
    is_past = bitwise_or(
        lt(high, first_high), bitwise_and(eq(high, first_high), lt(low, first_low))
    )
    upper = _advanced(k0, k1, convert_element_type(is_past, np.uint32))
    hashed = philox4x32([k0, k1], [low, high, *upper])
    if dtype == dtypes.uint64:
        hashed = [_wide(hashed[0], hashed[1]), _wide(hashed[2], hashed[3])]
    rows = ops.convert(stack(hashed, 1), dtype)
    return count, reshape(slice_in_dim(reshape(rows, (count * per_hash,)), 0, size), sizes)


def _wide(low: Array, high: Array) -> Array:
    """Numbers of 64 bits from their words."""
    a, b = (ops.convert(x, dtypes.uint64) for x in (low, high))
    return bitwise_or(a, shift_left(b, np.uint64(32)))


_calls = itertools.count()


def rng_uniform(a: ArrayLike, b: ArrayLike, shape: Any) -> Array:
    """Uniform numbers from [a, b) without a key: different ones at each call.

    A traced function returns the same ones at each of its calls. For reproducible programs, use
    `dovetail.random`.

    Args:
      a, b: the ends, of rank 0 and one element type.
      shape: the shape of the result.

    Returns:
      An array of that element type.

    Raises:
      ValueError: the ends are of different types, or not of rank 0.

    Example:
      >>> lax.rng_uniform(np.float32(2), np.float32(3), (2,)).shape
      (2,)
    """
    low, high = as_operand("rng_uniform", a), as_operand("rng_uniform", b, 1)
    if low.dtype != high.dtype or low.shape or high.shape:
        raise value_error(
            f"rng_uniform: a and b must have rank 0 and one element type, got: {low.aval} and "
            f"{high.aval}; use dovetail.random.uniform"
        )
    return _rng_uniform(low, high, shape=tuple(shape))


@composed("rng_uniform")
def _rng_uniform(low: Any, high: Any, *, shape: tuple[int, ...]) -> Any:
    key = random.fold_in(random.key(0x5EED), next(_calls))
    if dtypes.KINDS[low.dtype] == "f":
        return random.uniform(key, shape, low.dtype, low, high)
    return random.randint(key, shape, low, high, low.dtype)
