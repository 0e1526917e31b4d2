"""A dictionary of bounded size, for caches whose keys keep changing."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# Also the limit on distinct calls of one jitted function that are cached in C++.
MOST_PROGRAMS = 2048


class Bounded(Generic[K, V]):
    """Entries by key, of which the most recently used are kept. Threads may share it.

    Args:
      limit: the maximum number of entries.

    >>> squares = Bounded(2)
    >>> squares[1], squares[2] = 1, 4
    >>> squares.get(1)
    1
    >>> squares[3] = 9
    >>> list(squares)
    [1, 3]
    """

    def __init__(self, limit: int = MOST_PROGRAMS) -> None:
        self._limit = limit
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The entry, which becomes the most recently used one; None if there is none."""
        value = self._entries.get(key)
        if value is not None:
            # Another thread may have dropped it meanwhile.
            with contextlib.suppress(KeyError):
                self._entries.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[key] = value
        with contextlib.suppress(KeyError):
            self._entries.move_to_end(key)
            while len(self._entries) > self._limit:
                self._entries.popitem(last=False)

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def values(self) -> list[V]:
        """The values, the most recently used one last."""
        return list(self._entries.values())

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
