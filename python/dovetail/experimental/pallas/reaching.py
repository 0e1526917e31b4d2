"""Windows of references that reach beyond them, for masked reads and writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.tracing.held import Held, RefView, narrowed
from dovetail.tracing.held_indices import Slice, rank_of


class _Reach(NamedTuple):
    """A dimension in which a window may reach beyond a reference.

    Attributes:
      dimension: the dimension.
      offset: where the window starts in the elements that are there, with `extent` before them.
      extent: how many elements it spans.
    """

    dimension: int
    offset: Any
    extent: int


class _Reaching(Held):
    """A window of a reference, of which what is outside reads as 0 and is not written.

    Args:
      inside: the nearest window within the reference.
      reaches: the dimensions in which they differ.
    """

    __slots__ = ("_inside", "_reaches")

    def __init__(self, inside: Held, reaches: Sequence[_Reach]) -> None:
        self._inside, self._reaches = inside, reaches

    def _roomy(self) -> tuple[Any, list[tuple[int, int]], list[Any], list[int]]:
        """The window within the reference with what surrounds it; the padding; where the window
        starts in that; and its shape.
        """
        x = self._inside._read()
        padding, starts, shape = [(0, 0)] * x.ndim, [0] * x.ndim, list(x.shape)
        for each in self._reaches:
            padding[each.dimension] = (each.extent, each.extent)
            starts[each.dimension], shape[each.dimension] = each.offset, each.extent
        return dnp.pad(x, padding), padding, starts, shape

    def _read(self) -> Any:
        roomy, _, starts, shape = self._roomy()
        return lax.dynamic_slice(roomy, starts, shape)

    def _write(self, value: Any) -> None:
        roomy, padding, starts, _ = self._roomy()
        written = lax.dynamic_update_slice(roomy, value, starts)
        rows = zip(padding, written.shape, strict=True)
        self._inside._write(written[tuple(slice(low, n - high) for (low, high), n in rows)])


def reaching(ref: Any, index: Any) -> tuple[Any, Any]:
    """A reference and an index of it that select the same, and may reach beyond it.

    Args:
      ref: a reference, or a window of one that `ref.at` gives.
      index: an index of it.

    Returns:
      What to read and write, and the index of it.
    """
    while type(ref) is RefView and index is ...:
        ref, index = ref._whole, ref._index
    items = list(index) if type(index) is tuple else [index]
    taken = [0 if item is None or item is Ellipsis else rank_of(item) for item in items]
    reaches, dimension = [], 0
    for i, (item, count) in enumerate(zip(items, taken, strict=True)):
        if type(item) is Slice and item.size > 0 and dimension < ref.ndim:
            extent, n = (item.size - 1) * item.stride + 1, ref.shape[dimension]
            is_known = isinstance(item.start, (int, np.integer))
            if not is_known or item.start < 0 or item.start + extent > n:
                size = min(extent, n)
                clip = np.clip if is_known else dnp.clip
                start = clip(item.start, 0, n - size)
                reaches.append((i, _Reach(dimension, item.start - start + extent, extent)))
                items[i] = Slice(start, size)
        dimension += ref.ndim - sum(taken) if item is Ellipsis else count
    if not reaches:
        return ref, index
    strides = {i: (index if type(index) is tuple else (index,))[i].stride for i, _ in reaches}
    window, rest, is_inside = narrowed(ref, tuple(items))
    if is_inside is not None:
        # Computed integers may be outside, too: `narrowed` has moved them.
        window = _Dropping(window, is_inside)
    rest = tuple(slice(None, None, strides[i]) if i in strides else r for i, r in enumerate(rest))
    return _Reaching(window, [reach for _, reach in reaches]), rest


class _Dropping(Held):
    """A window of a reference that is written if a condition holds."""

    __slots__ = ("_condition", "_window")

    def __init__(self, window: Held, condition: Any) -> None:
        self._window, self._condition = window, condition

    def _read(self) -> Any:
        return self._window._read()

    def _write(self, value: Any) -> None:
        self._window._write(dnp.where(self._condition, value, self._window._read()))
