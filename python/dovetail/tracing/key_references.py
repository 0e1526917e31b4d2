"""References to arrays of random keys: they hold the words of the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.keys import is_keys
from dovetail.base.locations import here
from dovetail.tracing.held import Held
from dovetail.trees.pytree import register_node


class KeyRef(Held):
    """A reference to an array of random keys, made by `dovetail.new_ref`.

    Args:
      words: the reference to the words, or a window of one.
      dtype: the element type of the keys.

    Example:
      >>> import dovetail as dt
      >>> key = dt.new_ref(dt.random.key(0))
      >>> @dt.jit
      ... def draw(key):
      ...     key[...], now = dt.random.split(key[...])
      ...     return dt.random.uniform(now)
      >>> bool(draw(key) == draw(key))
      False
    """

    __slots__ = ("_dtype", "_words")

    def __init__(self, words: Any, dtype: Any) -> None:
        self._words, self._dtype = words, dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of keys."""
        return self._words.shape[: -self._hidden_ndim]

    @property
    def dtype(self) -> Any:
        """Its element type, which names the generator."""
        return self._dtype

    @property
    def size(self) -> int:
        """The number of keys."""
        return self._read().size

    @property
    def _hidden_ndim(self) -> int:
        return len(self._dtype.generator.key_shape)

    def _read(self) -> Any:
        return self._dtype._array(self._words._read())

    def _write(self, value: Any) -> None:
        self._words._write(value._data)

    def _of_words(self, index: Any) -> tuple[Any, ...]:
        """The index of the words of the keys at an index."""
        items = index if type(index) is tuple else (index,)
        if not any(item is Ellipsis for item in items):
            items = (*items, ...)
        return *items, *[slice(None)] * self._hidden_ndim

    def __getitem__(self, index: Any) -> Any:
        return self._dtype._array(self._words[self._of_words(index)])

    def _update(self, how: str, index: Any, value: Any) -> None:
        if how != "swap" or not is_keys(value) or value.dtype != self._dtype:
            got = getattr(value, "dtype", type(value).__name__)
            raise ValueError(
                f"Invalid dtype for `{how}`. Ref dtype: {self._dtype}. Value dtype: {got}, got: "
                f"{'a sum of keys' if how != 'swap' else 'a value of another element type'} "
                f"{here()}; write keys of the same generator"
            )
        self._words[self._of_words(index)] = value._data

    def end(self) -> Any:
        """The keys that it holds; the reference must not be used any more."""
        return self._dtype._array(self._words.end())

    def __repr__(self) -> str:
        text = repr(self._words)
        return f"Ref({self.shape}, dtype={self._dtype}) overlaying:\n{text}"

    def _flat(self) -> tuple[tuple[Any, ...], Any]:
        return (self._words,), self._dtype

    @classmethod
    def _unflat(cls, dtype: Any, children: Sequence[Any]) -> KeyRef:
        return cls(children[0], dtype)


register_node(KeyRef, KeyRef._flat, KeyRef._unflat)
