"""Random generators with a state, which each draw advances."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import numpy as dnp
from dovetail import random
from dovetail.arrays.array import Array
from dovetail.base import dtypes, trace_stack
from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import ArrayLike
from dovetail.random.keys import KeyArray
from dovetail.tracing.references import Ref
from dovetail.transforms.references import new_ref
from dovetail.trees.paths import GetAttrKey
from dovetail.trees.registration import register_pytree_with_keys_class

__all__ = ["StatefulPRNG", "stateful_rng"]

Size = int | Sequence[int] | None


def _shape(size: Size, *parameters: ArrayLike) -> tuple[int, ...]:
    """The shape of a draw: that of the broadcast parameters unless it is given."""
    if size is None:
        return np.broadcast_shapes(*map(np.shape, parameters))
    if isinstance(size, (int, np.integer)):
        return (operator.index(size),)
    return tuple(map(operator.index, size))


@register_pytree_with_keys_class
class StatefulPRNG:
    """A random generator with a state, made by `stateful_rng`.

    The key of draw number n is the generator's own key, folded in with n. A reference counts the
    draws, so functions that are traced take generators where they take references: as arguments of
    `jit`, as arguments of `vmap` after `split`, and as values that they close over; not as results,
    carries of loops, or arguments of `checkpoint`.

    Args:
      base_key: a typed key, or an array of keys for `vmap`.
      counter: a reference to an integer for each key.

    Raises:
      ValueError: `base_key` is no typed key, or `counter` no reference.

    Example:
      >>> from dovetail.experimental.random import StatefulPRNG, stateful_rng
      >>> isinstance(stateful_rng(0), StatefulPRNG)
      True
    """

    __slots__ = ("_base_key", "_counter")

    _base_key: KeyArray
    _counter: Ref

    def __init__(self, base_key: KeyArray, counter: Ref) -> None:
        if not isinstance(base_key, KeyArray):
            raise value_error(f"Expected base_key to be a typed PRNG key; got: {base_key!r}")
        if not isinstance(counter, Ref):
            raise value_error(f"Expected counter to be a scalar integer ref; got: {counter!r}")
        self._base_key, self._counter = base_key, counter

    def __repr__(self) -> str:
        return f"StatefulPRNG(_base_key={self._base_key!r}, _counter={self._counter!r})"

    def tree_flatten_with_keys(self) -> tuple[tuple[tuple[Any, Any], ...], None]:
        """The key and the counter, for `dovetail.tree`."""
        names = ("_base_key", "_counter")
        return tuple((GetAttrKey(name), getattr(self, name)) for name in names), None

    @classmethod
    def tree_unflatten(cls, aux: None, children: Sequence[Any]) -> StatefulPRNG:
        """A generator of these parts, which may stand for others."""
        generator = object.__new__(cls)
        generator._base_key, generator._counter = children
        return generator

    def key(self, shape: int | Sequence[int] = ()) -> KeyArray:
        """Draw a new key, or an array of keys.

        Args:
          shape: the shape of the array.

        Returns:
          Keys of the generator's implementation.

        Raises:
          ValueError: the generator was split, and is not an argument of a function under `vmap`.

        Example:
          >>> from dovetail import random
          >>> from dovetail.experimental.random import stateful_rng
          >>> rng = stateful_rng(0)
          >>> rng.key() == random.fold_in(random.key(0), 0)
          Array(True, dtype=bool)
        """
        if self._base_key.shape:
            raise value_error(
                "key: cannot operate on split stateful generator; pass it to a function under "
                f"vmap, got: {self._base_key.shape} generators"
            )
        key: Any = random.fold_in(self._base_key, self._counter[...])
        self._counter[...] += 1
        sizes = _shape(shape)
        keys: Any = random.split(key, sizes) if sizes else key
        return keys

    def random(self, size: Size = None, dtype: Any = float) -> Array:
        """Draw from the uniform distribution on [0, 1).

        Args:
          size: the shape, () by default.
          dtype: a floating-point element type.

        Returns:
          An array of that shape.

        Raises:
          TypeError: `dtype` is no floating-point type.

        Example:
          >>> from dovetail.experimental.random import stateful_rng
          >>> stateful_rng(42).random(3).shape
          (3,)
        """
        return random.uniform(self.key(), _shape(size), dtype)

    def uniform(
        self, low: ArrayLike = 0, high: ArrayLike = 1, size: Size = None, *, dtype: Any = float
    ) -> Array:
        """Draw from the uniform distribution on [low, high).

        Args:
          low, high: arrays whose shapes broadcast to that of the result.
          size: the shape, by default that of `low` and `high`.
          dtype: a floating-point element type.

        Returns:
          An array of that shape.

        Raises:
          TypeError: `dtype` is no floating-point type.
          ValueError: the shapes do not broadcast.

        Example:
          >>> from dovetail.experimental.random import stateful_rng
          >>> x = stateful_rng(42).uniform(2, 3, 100)
          >>> bool((x >= 2).all() and (x < 3).all())
          True
        """
        return random.uniform(self.key(), _shape(size, low, high), dtype, low, high)

    def normal(
        self, loc: ArrayLike = 0, scale: ArrayLike = 1, size: Size = None, *, dtype: Any = float
    ) -> Array:
        """Draw from the normal distribution with mean `loc` and standard deviation `scale`.

        Args:
          loc, scale: arrays whose shapes broadcast to that of the result.
          size: the shape, by default that of `loc` and `scale`.
          dtype: an inexact element type.

        Returns:
          An array of that shape.

        Raises:
          TypeError: `dtype` is no inexact type.
          ValueError: the shapes do not broadcast.

        Example:
          >>> from dovetail.experimental.random import stateful_rng
          >>> stateful_rng(42).normal([0.0, 10.0], 1.0).shape
          (2,)
        """
        loc, scale = dnp.asarray(loc), dnp.asarray(scale)
        draws = random.normal(self.key(), _shape(size, loc, scale), dtype)
        return (loc + scale * draws).astype(dtypes.canonicalize_dtype(dtype))

    def integers(
        self, low: ArrayLike, high: ArrayLike | None = None, size: Size = None, *, dtype: Any = int
    ) -> Array:
        """Draw integers from [low, high), or from [0, low) without `high`.

        Args:
          low, high: arrays whose shapes broadcast to that of the result.
          size: the shape, by default that of `low` and `high`.
          dtype: an integer element type.

        Returns:
          An array of that shape.

        Raises:
          TypeError: `dtype` is no integer type.
          ValueError: the shapes do not broadcast.

        Example:
          >>> from dovetail.experimental.random import stateful_rng
          >>> x = stateful_rng(42).integers(5, size=100)
          >>> bool((x >= 0).all() and (x < 5).all())
          True
        """
        if high is None:
            low, high = 0, low
        return random.randint(self.key(), _shape(size, low, high), low, high, dtype)

    def split(self, num: int | Sequence[int]) -> StatefulPRNG:
        """Draw new generators, for the elements of a batch.

        Args:
          num: the shape of the array of generators.

        Returns:
          Generators whose keys and counters have that shape; functions under `vmap` take it.

        Raises:
          ValueError: the generator was split itself.

        Example:
          >>> import dovetail as dt, dovetail.numpy as dnp
          >>> from dovetail.experimental.random import stateful_rng
          >>> noisy = lambda rng, x: x + rng.uniform()
          >>> dt.vmap(noisy)(stateful_rng(123).split(3), dnp.zeros(3)).shape
          (3,)
        """
        return StatefulPRNG(self.key(num), new_ref(dnp.zeros(num, int)))

    def spawn(self, n_children: int) -> list[StatefulPRNG]:
        """Draw new generators, as a list.

        Args:
          n_children: how many.

        Returns:
          Generators that draw independently of each other and of this one.

        Raises:
          ValueError: the generator was split.

        Example:
          >>> from dovetail.experimental.random import stateful_rng
          >>> [rng.random().shape for rng in stateful_rng(123).spawn(2)]
          [(), ()]
        """
        keys = self.key(n_children)
        return [type(self)(keys[i], new_ref(0)) for i in range(n_children)]


def stateful_rng(seed: ArrayLike | None = None, *, impl: Any = None) -> StatefulPRNG:
    """A random generator with a state, like NumPy's `default_rng`.

    A program that passes keys (`dovetail.random.key`) has no state that orders its draws, and is
    faster.

    Args:
      seed: an integer; by default one of the system's. Traced functions have to give one.
      impl: the implementation of keys, as for `dovetail.random.key`.

    Returns:
      The generator, whose methods draw.

    Raises:
      TypeError: a traced function gives no seed.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental.random import stateful_rng
      >>> rng = stateful_rng(42)
      >>> draw = dt.jit(rng.uniform)
      >>> bool(draw() == draw())
      False
    """
    if seed is None:
        if trace_stack.current() is not None:
            raise type_error(
                "When used within transformed code, stateful_rng() requires an explicit seed to be "
                "set, got: None"
            )
        entropy = np.random.SeedSequence().entropy
        assert isinstance(entropy, int)
        seed = np.int64(entropy & np.iinfo(np.int64).max)
    key: Any = random.key(seed, impl=impl)
    return StatefulPRNG(key, new_ref(0))
