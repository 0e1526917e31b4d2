"""The values that an index map takes on a grid."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.base import dtypes
from dovetail.base.scopes import ensure_compile_time_eval
from dovetail.transforms.batching import vmap

# On larger grids, maps are evaluated at the corners only.
_MOST_PROGRAMS = 1 << 20


class Reached(NamedTuple):
    """The values of one result of an index map.

    Attributes:
      least, greatest: the least and the greatest value.
      first, last: a program that has the one, and one that has the other.
      is_whole: whether no program has a value beyond these.
    """

    least: int
    greatest: int
    first: tuple[int, ...]
    last: tuple[int, ...]
    is_whole: bool = True


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
    """The values that the map returns for each program, or for those at the corners of the grid."""
    is_whole = math.prod(grid) <= _MOST_PROGRAMS
    if is_whole:
        places = np.indices(grid, np.int32).reshape(len(grid), -1)
    else:
        corners = list(itertools.product(*(sorted({0, size - 1}) for size in grid)))
        places = np.array(corners, np.int32).T
    values = vmap(lambda *place: tupled(index_map(*place)))(*places)
    reached = []
    for each in map(np.asarray, values):
        if each.shape != places.shape[1:] or not dtypes.is_integer(each.dtype):
            return []
        ends = int(np.argmin(each)), int(np.argmax(each))
        first, last = (tuple(map(int, places[:, end])) for end in ends)
        reached.append(Reached(int(each[ends[0]]), int(each[ends[1]]), first, last, is_whole))
    return reached


def tupled(found: Any) -> tuple[Any, ...]:
    """What an index map returns, which may be one index."""
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)
