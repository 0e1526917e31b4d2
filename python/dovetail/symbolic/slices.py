"""Slices along dimensions of symbolic size, or with symbolic bounds."""

from __future__ import annotations

from typing import Any

from dovetail.symbolic.size import Size, as_size, max_dim, min_dim


def range_of(entry: slice, size: Any) -> tuple[Any, Any, int]:
    """The first index, the number of elements and the step of a slice of a dimension."""
    parts = (entry.start, entry.stop, entry.step)
    if type(size) is not Size and not any(type(part) is Size for part in parts):
        start, stop, step = entry.indices(size)
        return start, len(range(start, stop, step)), step
    step = 1 if entry.step is None else as_size(entry.step)
    if type(step) is Size:
        step._no_value()
    if step == 0:
        raise ValueError("slice step cannot be zero")
    least, most = (0, size) if step > 0 else (-1, size - 1)
    first, last = (least, most) if step > 0 else (most, least)
    start = first if entry.start is None else within(entry.start, size, least, most)
    stop = last if entry.stop is None else within(entry.stop, size, least, most)
    distance = stop - start if step > 0 else start - stop
    count = max_dim(-(-distance // abs(step)), 0)
    return start, count, step


def within(index: Any, size: Any, least: Any, most: Any) -> Any:
    """An index, counted from the end if it is negative, clamped to bounds."""
    if index < 0:
        index = index + size
    return min_dim(max_dim(index, least), most)
