"""The values that an index map takes on a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.base.scopes import ensure_compile_time_eval
from dovetail.transforms.batching import vmap

# Maps are not evaluated on larger grids.
_MOST_PROGRAMS = 1 << 20


def ranges_of(
    index_map: Callable[..., Any], grid: Sequence[int], rank: int
) -> list[tuple[int, int] | None]:
    """The least and the greatest value of each result of an index map, over all programs.

    Args:
      index_map: the map. What is wrong with it is not reported here, but when it is traced.
      grid: the size of each dimension of the grid.
      rank: the number of results.

    Returns:
      For each result, its range, or None if that is not known.
    """
    if 0 in grid:
        return [(0, 0)] * rank
    try:
        with ensure_compile_time_eval():
            places = [np.zeros((), np.int32) for _ in grid]
            found = tupled(index_map(*places))
            ranges = [_range_of(each, places, grid) for each in found]
            if None in ranges and math.prod(grid) <= _MOST_PROGRAMS:
                ranges = _evaluated(index_map, grid)
    except Exception:
        ranges = []
    return ranges if len(ranges) == rank else [None] * rank


def _range_of(result: Any, places: Sequence[Any], grid: Sequence[int]) -> tuple[int, int] | None:
    """The range of a result that is a number, or the program's place in a dimension."""
    if isinstance(result, int):
        return result, result
    sizes = [size for place, size in zip(places, grid, strict=True) if place is result]
    return (0, sizes[0] - 1) if sizes else None


def _evaluated(index_map: Callable[..., Any], grid: Sequence[int]) -> list[tuple[int, int] | None]:
    """The ranges of what the map returns for each program."""
    places = np.indices(grid, np.int32).reshape(len(grid), -1)
    values = vmap(lambda *place: tupled(index_map(*place)))(*places)
    return [(int(np.min(each)), int(np.max(each))) for each in values]


def tupled(found: Any) -> tuple[Any, ...]:
    """What an index map returns, which may be one index."""
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)
