"""The values that an index map takes on a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.base import dtypes
from dovetail.base.scopes import ensure_compile_time_eval
from dovetail.transforms.batching import vmap

# Maps are evaluated for so many programs at once, which takes about 10 ms.
_PROGRAMS_AT_ONCE = 1 << 20


class Reached(NamedTuple):
    """The values of one result of an index map.

    Attributes:
      least, greatest: the least and the greatest value.
      first, last: a program that has the one, and one that has the other.
    """

    least: int
    greatest: int
    first: tuple[int, ...]
    last: tuple[int, ...]

    def joined(self, other: Reached) -> Reached:
        """The values that are reached by two parts of a grid, this one first."""
        least = min(self, other, key=lambda each: each.least)
        greatest = max(self, other, key=lambda each: each.greatest)
        return Reached(least.least, greatest.greatest, least.first, greatest.last)


def reached_by(
    index_map: Callable[..., Any], grid: Sequence[int], rank: int
) -> list[Reached | None]:
    """The values of each result of an index map, over all programs.

    Args:
      index_map: the map. What is wrong with it is not reported here, but when it is traced.
      grid: the size of each dimension of the grid, none of them 0.
      rank: the number of results.

    Returns:
      The values of each result, or None if they are not known.
    """
    try:
        with ensure_compile_time_eval():
            places = [np.zeros((), np.int32) for _ in grid]
            found = tupled(index_map(*places))
            reached: list[Reached | None] = [_directly(each, places, grid) for each in found]
            if None in reached:
                reached = list(_evaluated(index_map, grid))
    except Exception:
        reached = []
    return reached if len(reached) == rank else [None] * rank


def _directly(result: Any, places: Sequence[Any], grid: Sequence[int]) -> Reached | None:
    """The values of a result that is a number, or the program's place in a dimension."""
    start = (0,) * len(grid)
    if isinstance(result, int):
        return Reached(result, result, start, start)
    for i, (place, size) in enumerate(zip(places, grid, strict=True)):
        if place is result:
            return Reached(0, size - 1, start, (*start[:i], size - 1, *start[i + 1 :]))
    return None


def _evaluated(index_map: Callable[..., Any], grid: Sequence[int]) -> list[Reached]:
    """The values that the map returns for each program."""
    count, reached = math.prod(grid), []
    for start in range(0, count, _PROGRAMS_AT_ONCE):
        programs = np.arange(start, min(start + _PROGRAMS_AT_ONCE, count))
        places = np.array(np.unravel_index(programs, grid), np.int32)
        values = vmap(lambda *place: tupled(index_map(*place)))(*places)
        found = [_of_programs(np.asarray(each), places) for each in values]
        reached = [a.joined(b) for a, b in zip(reached, found, strict=True)] if start else found
    return reached


def _of_programs(values: np.ndarray, places: np.ndarray) -> Reached:
    if values.shape != places.shape[1:] or not dtypes.is_integer(values.dtype):
        raise TypeError("index maps return integers")
    ends = int(np.argmin(values)), int(np.argmax(values))
    first, last = (tuple(map(int, places[:, end])) for end in ends)
    return Reached(int(values[ends[0]]), int(values[ends[1]]), first, last)


def tupled(found: Any) -> tuple[Any, ...]:
    """What an index map returns, which may be one index."""
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)
