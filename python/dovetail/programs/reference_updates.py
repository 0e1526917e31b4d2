"""Writes to windows of large references outside of traced functions, by compiled programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.programs.jit import jit
from dovetail.tracing.held import Held, RefView, Window


@jit
def _swap(window: RefView, value: Any) -> None:
    window._whole._update("swap", window._index, value)


@jit
def _addupdate(window: RefView, value: Any) -> None:
    window._whole._update("addupdate", window._index, value)


def update(ref: Held, how: str, index: Any, value: Any) -> None:
    """Write to a window in the memory where the reference is: NumPy's functions would copy all.

    Args:
      ref: the reference.
      how: `swap` or `addupdate`.
      index: of the window.
      value: what is written, or added, of the reference's element type.
    """
    function = _swap if how == "swap" else _addupdate
    window = _window(ref, index)
    function(RefView(ref, index) if window is None else window, value)


def _window(ref: Held, index: Any) -> RefView | None:
    """The window at an index of integers and slices, whose starts are arguments of the program:
    other windows of the same shape need no other program.
    """
    items, shape = index if type(index) is tuple else (index,), ref.shape
    if len(items) > len(shape):
        return None
    starts, sizes, rest = [np.int32(0)] * len(shape), list(shape), []
    for dim, (item, size) in enumerate(zip(items, shape, strict=False)):
        if type(item) is int and -size <= item < size:
            starts[dim], sizes[dim] = np.int32(item % size), 1
            rest.append(0)
        elif type(item) is slice and (item.step is None or item.step > 0):
            where = range(*item.indices(size))
            starts[dim], sizes[dim] = np.int32(where.start), max(len(where) - 1, 0) * where.step + 1
            if not where:
                return None
            rest.append(slice(None, None, where.step))
        else:
            return None
    return RefView(Window(ref, starts, sizes), tuple(rest))
