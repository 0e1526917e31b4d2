"""Common parts of samplers: checks of keys, element types and shapes, and cached eager calls."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from dovetail import _core, lax
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import config, dtypes
from dovetail.base.errors import type_error, value_error, warn
from dovetail.base.locations import here
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to, canonical_shape
from dovetail.random import key_primitives
from dovetail.random.generators import default_generator
from dovetail.random.keys import KeyArray
from dovetail.tracing import key_reuse
from dovetail.transforms.out_sharding import placed

Shape = int | Sequence[int]
KeyLike = KeyArray | Array | np.ndarray

F = TypeVar("F", bound=Callable[..., Any])


# Keys ---------------------------------------------------------------------------------------------


def as_keys(name: str, key: Any) -> KeyArray:
    """Keys, typed, or raw and then of the default generator.

    Raises:
      TypeError: the argument is neither.
      ValueError: raw keys are rejected by the settings.
    """
    if isinstance(key, KeyArray):
        keys = key
        is_raw = False
    elif isinstance(key, (ArrayMethods, np.ndarray)):
        if not isinstance(key, ArrayMethods):
            key = as_operand(name, key)
        keys = KeyArray(default_generator(), key)
        is_raw = True
    else:
        raise type_error(
            f"{name}: the key must be made by dovetail.random.key or split, got: "
            f"{type(key).__name__}"
            + ("; for a seed write random.key(seed)" if isinstance(key, int) else "")
        )
    generator, data = keys._generator, keys._data
    rank = len(generator.key_shape)
    if data.dtype != dtypes.uint32 or data.shape[-rank:] != generator.key_shape:
        sizes = ", ".join(map(str, generator.key_shape))
        raise type_error(
            f"{name}: a key of {generator.name} must be made of words, uint32[..., {sizes}], got: "
            f"{data.aval}; make one with dovetail.random.key(seed)"
        )
    if is_raw:
        _check_raw()
    return keys


def _check_raw() -> None:
    if config.legacy_prng_key.value == "error":
        raise value_error(
            "a key must be typed while legacy_prng_key is 'error', got: an array of words; make it "
            "with dovetail.random.key, or with wrap_key_data from these words"
        )
    if config.legacy_prng_key.value == "warn":
        warn("a raw array was used as a random key; make keys with dovetail.random.key", 5)
    elif config.enable_custom_prng.value:
        warn("a raw array was used as a random key; wrap it with random.wrap_key_data", 5)


def single(name: str, key: Any) -> KeyArray:
    """One key, recorded as used if it is typed.

    Raises:
      ValueError: there are several.
    """
    keys = as_keys(name, key)
    if keys._data.ndim != len(keys._generator.key_shape):
        raise value_error(
            f"{name} accepts a single key, but was given a key array of shape {keys.shape}; map "
            "over them with dovetail.vmap"
        )
    if keys is key:
        keys.use(name)
    return keys


def sampler(function: F) -> F:
    """A function whose first parameter is a key, called with one that has been checked.

    Its eager calls are cached: parameters annotated as `ArrayLike` are operands, and it does
    nothing but compute arrays.
    """
    name = function.__name__.lstrip("_")
    code = function.__code__

    def of_data(data: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
        return function(KeyArray(generator, data), *args, **kwargs)

    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    operands = [n for n in names if "ArrayLike" in str(function.__annotations__.get(n))]
    # The key is two arguments: its words, an operand, and its generator.
    positions = 1 | sum(2 << i for i, n in enumerate(names[: code.co_argcount]) if n in operands)
    of_data.__name__ = name
    remembered = _core.CachedFunction(of_data, positions, False, tuple(operands))

    @functools.wraps(function)
    def wrapper(key: Any, *args: Any, **kwargs: Any) -> Any:
        out_sharding = kwargs.pop("out_sharding", None)
        if out_sharding is not None:
            return placed(name, wrapper, out_sharding, key, *args, **kwargs)
        keys = single(name, key)
        if config.debug_key_reuse.value:
            with key_reuse.uncounted():
                return remembered(keys._data, keys._generator, *args, **kwargs)
        return remembered(keys._data, keys._generator, *args, **kwargs)

    return wrapper  # type: ignore[return-value]


def split_keys(key: Any, num: int = 2) -> list[KeyArray]:
    """Split a key into new keys."""
    keys = key_primitives.random_split(key, shape=(num,))
    return [
        KeyArray(key._generator, lax.index_in_dim(keys._data, i, keepdims=False))
        for i in range(num)
    ]


def random_bits(key: Any, width: int, shape: tuple[int, ...]) -> Array:
    """Random bits of a key, as unsigned integers of that width."""
    return key_primitives.random_bits(key, bit_width=width, shape=shape)


# Element types and shapes -------------------------------------------------------------------------


_KINDS = {"f": "a float", "fc": "a float or complex", "iu": "an int", "u": "an unsigned int"}


def element_type(name: str, dtype: Any, kinds: str = "f") -> np.dtype:
    """The requested element type, by default that of Python's float or int.

    Raises:
      ValueError: the type is not of these kinds.
    """
    if dtype is None:
        return dtypes.default_dtype("u" if kinds == "u" else "i" if kinds == "iu" else "f")
    if isinstance(dtype, KeyArray) or hasattr(dtype, "generator"):
        raise type_error(f"dtype argument to {name} must be {_KINDS[kinds]} dtype, got: {dtype}")
    result = dtypes.requested(dtype, name)
    if dtypes.KINDS[result] not in kinds:
        raise value_error(
            f"dtype argument to {name} must be {_KINDS[kinds]} dtype, got: {result.name}; leave it "
            "out for "
            f"{element_type(name, None, kinds).name}"
        )
    return result


def sizes_of(name: str, shape: Any) -> tuple[int, ...]:
    """A shape, an int or a sequence of ints, as a tuple.

    Raises:
      TypeError: the argument is neither, or a size is negative.
    """
    if type(shape) is tuple and all(type(size) is int and size >= 0 for size in shape):
        return shape
    return canonical_shape(shape, f"{name}: shape")


def shape_with(name: str, shape: Any, *parameters: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of samples whose parameters have these shapes: the one given, or the parameters'.

    Raises:
      ValueError: the parameters do not broadcast to it.
    """
    if shape is None:
        return lax.broadcast_shapes(*parameters)
    sizes = sizes_of(name, shape)
    for parameter in parameters:
        fits = len(parameter) <= len(sizes) and all(
            a in (1, b) for a, b in zip(parameter[::-1], sizes[::-1], strict=False)
        )
        if not fits:
            raise value_error(
                f"{name}: parameters must broadcast to shape {sizes}, got: one of shape {parameter}"
            )
    return sizes


def as_floats(name: str, dtype: np.dtype, *parameters: ArrayLike) -> list[Array]:
    """Parameters converted to an element type that can hold theirs.

    Raises:
      TypePromotionError: it cannot.
    """
    for parameter in parameters:
        given, weak = dtypes.dtype_and_weakness(parameter)
        if not _is_safe(given, weak, dtype):
            raise dtypes.TypePromotionError(
                f"{name}: parameters of type {given.name} cannot become {dtype.name} safely, "
                f"{here()}; give another dtype, or convert them with x.astype(...)"
            )
    return [lax.convert_element_type(parameter, dtype) for parameter in parameters]


def _is_safe(given: np.dtype, weak: bool, dtype: np.dtype) -> bool:
    return dtypes.promote((given, weak), (dtype, False))[0] == dtype


def spread(x: Any, shape: tuple[int, ...]) -> Array:
    """An operand broadcast to a shape that it is known to match."""
    return broadcast_to(as_operand("random", x), shape)
