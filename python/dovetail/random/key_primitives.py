"""What there is to do with keys: equations of the programs that `make_jaxpr` makes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.base.late import numpy as dnp
from dovetail.random.generators import Generator
from dovetail.random.keys import KeyArray
from dovetail.tracing.composed import composed
from dovetail.transforms.batching import vmap


def _mapped(function: Callable[..., Any], keys: KeyArray, *others: Any) -> Any:
    """The results of a function of one key's words, for each of an array of keys."""
    if not keys.ndim:
        return function(keys._data, *others)
    key_shape = keys._generator.key_shape
    flat = lax.reshape(keys._data, (math.prod(keys.shape), *key_shape))
    rows = [lax.reshape(x, (math.prod(keys.shape),)) for x in others]
    made = vmap(function)(flat, *rows)
    return lax.reshape(made, (*keys.shape, *made.shape[1:]))


@composed("random_bits")
def random_bits(keys: Any, *, bit_width: int, shape: tuple[int, ...]) -> Any:
    """Unsigned integers of a width: an array of that shape for each key."""
    generator = keys._generator
    return _mapped(lambda words: generator.bits(words, bit_width, shape), keys)


@composed("random_split")
def random_split(keys: Any, *, shape: tuple[int, ...]) -> Any:
    """An array of keys of that shape for each key."""
    generator = keys._generator
    return KeyArray(generator, _mapped(lambda words: generator.split(words, shape), keys))


@composed("random_fold_in")
def random_fold_in(keys: Any, msgs: Any) -> Any:
    """Keys made of keys and numbers, ui32 of the keys' shape."""
    generator = keys._generator
    if keys.ndim:
        msgs = dnp.broadcast_to(msgs, keys.shape)
    return KeyArray(generator, _mapped(generator.fold_in, keys, msgs))


@composed("random_seed")
def random_seed(seeds: Any, *, impl: Generator) -> Any:
    """Keys from integers."""

    def seeded(number: Any) -> Any:
        high = lax.full((), np.uint32(0))
        if number.dtype.itemsize == 8:
            shift = np.asarray(32, number.dtype)
            high = lax.convert_element_type(lax.shift_right_logical(number, shift), np.uint32)
        return impl.seed(high, lax.convert_element_type(number, np.uint32))

    if not seeds.ndim:
        return KeyArray(impl, seeded(seeds))
    made = vmap(seeded)(lax.reshape(seeds, (seeds.size,)))
    return KeyArray(impl, lax.reshape(made, (*seeds.shape, *impl.key_shape)))


@composed("random_wrap")
def random_wrap(words: Any, *, impl: Generator) -> Any:
    """The keys of words."""
    return KeyArray(impl, words)


@composed("random_unwrap")
def random_unwrap(keys: Any) -> Any:
    """The words of keys."""
    return keys._data


@composed("random_clone")
def random_clone(keys: Any) -> Any:
    """The same keys."""
    return KeyArray(keys._generator, keys._data)
