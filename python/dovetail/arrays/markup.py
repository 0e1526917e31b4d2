"""Arrays as HTML, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dovetail.base import markup

if TYPE_CHECKING:
    from dovetail.arrays.array import Array

# A table has at most so many rows and columns, half of them from the end.
_MOST = 12
_GAP = "…"


def of_array(array: Array) -> str:
    """The array's type and place, and its elements: as a table, if it is a vector or a matrix."""
    if array.is_deleted() or not array._has_values():
        return markup.plain(repr(array))
    weak = ", weakly typed" if array.weak_type else ""
    where = f"on {array.sharding}" if array.sharding.num_devices > 1 else f"on {array.device}"
    head = markup.caption(f"{array.aval}{weak}, {array.nbytes:,} bytes, {where}")
    if array.ndim not in (1, 2) or array.size == 0:
        return head + markup.plain(str(array))
    values = array._value()
    grid = values.reshape(1, -1) if array.ndim == 1 else values
    rows, columns = _shown(grid.shape[0]), _shown(grid.shape[1])
    cells = [
        [str(i) if i is not None else _GAP]
        + [_GAP if i is None or j is None else _text(grid[i, j]) for j in columns]
        for i in rows
    ]
    names = [str(j) if j is not None else _GAP for j in columns]
    if array.ndim == 1:
        return head + markup.table(names, [row[1:] for row in cells], align="right")
    return head + markup.table(["", *names], cells, align="right")


def _shown(size: int) -> list[int | None]:
    """The indices that are shown; None for those that are left out."""
    if size <= _MOST:
        return [*range(size)]
    half = _MOST // 2
    return [*range(half), None, *range(size - half, size)]


def _text(value: np.generic) -> str:
    if value.dtype.kind in "fcV":
        number = complex(value) if value.dtype.kind == "c" else float(value)  # pyright: ignore[reportArgumentType]
        return f"{number:.5g}"
    return str(value)
