"""x[index] for indices known while tracing: integers, slices, `...` and `None`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from dovetail import dtypes, lax, ops
from dovetail.array import Array, ArrayMethods

_ACCEPTED = "an index must be an integer, a slice, ..., None, or a tuple of these"


def getitem(x: Array, index: Any) -> Array:
    """The elements that a basic index selects. Integers out of bounds are moved to the nearest
    element.

    >>> from dovetail import numpy as dnp
    >>> dnp.arange(5)[1:-1]
    Array([1, 2, 3], dtype=int32)
    """
    entries = _expanded(x, index if isinstance(index, tuple) else (index,))
    starts, strides, sizes = [], [], []
    reversed_dims, result_shape = [], []
    for entry in entries:
        if entry is None:
            result_shape.append(1)
            continue
        dim = len(starts)
        size = x.shape[dim]
        if isinstance(entry, slice):
            start, count, step = _range_of(entry, size)
            if step < 0:
                # Forwards through the reversed dimension.
                start, step = size - 1 - start if count else 0, -step
                reversed_dims.append(dim)
            result_shape.append(count)
        else:
            if size == 0:
                raise IndexError(f"index {entry} is out of bounds for dimension {dim} of size 0")
            start, count, step = min(max(entry + size if entry < 0 else entry, 0), size - 1), 1, 1
        starts.append(start)
        strides.append(step)
        sizes.append(count)
    shape = tuple(sizes)
    if reversed_dims:
        x = ops.reverse(x, tuple(reversed_dims))
    if shape != x.shape:
        x = ops.slice(x, tuple(starts), tuple(strides), shape)
    return lax.reshape(x, result_shape)


def _expanded(x: Array, index: tuple[Any, ...]) -> list[int | slice | None]:
    """One entry for each dimension of `x`, and None for each new one."""
    entries = [e if e is Ellipsis else _checked(e) for e in index]
    used = sum(e is not None and e is not Ellipsis for e in entries)
    if used > x.ndim:
        raise IndexError(f"there must be at most {x.ndim} indices for shape {x.shape}, got {used}")
    dots = [i for i, e in enumerate(entries) if e is Ellipsis]
    if len(dots) > 1:
        raise IndexError(f"an index can contain ... once, got {len(dots)} times")
    at = dots[0] if dots else len(entries)
    rest = [slice(None)] * (x.ndim - used)
    return entries[:at] + rest + entries[at + 1 :]


def _checked(entry: Any) -> int | slice | None:
    if entry is None or type(entry) is int:
        return entry
    if isinstance(entry, slice):
        return slice(*(_bound(v) for v in (entry.start, entry.stop, entry.step)))
    if isinstance(entry, (bool, np.bool_)) or _is_bool(entry):
        raise IndexError(
            f"{_ACCEPTED}, got a bool; choose elements with dovetail.numpy.where(mask, x, 0)"
        )
    if isinstance(entry, (list, tuple)) or np.ndim(entry) > 0:
        raise IndexError(
            f"{_ACCEPTED}, got {type(entry).__name__}; stack x[i] for each i, or contract with a "
            "one-hot matrix"
        )
    if isinstance(entry, (float, complex, str)):
        raise TypeError(f"{_ACCEPTED}, got {type(entry).__name__} {entry!r}")
    try:
        return operator.index(entry)
    except TypeError as error:
        # A tracer explains itself better.
        if isinstance(entry, ArrayMethods) and dtypes.KINDS[entry.dtype] in "iu":
            raise
        raise TypeError(f"{_ACCEPTED}, got {type(entry).__name__}") from error


def _is_bool(entry: Any) -> bool:
    return getattr(entry, "dtype", None) == dtypes.bool_


def _bound(value: Any) -> int | None:
    return None if value is None else operator.index(value)


def _range_of(entry: slice, size: int) -> tuple[int, int, int]:
    start, stop, step = entry.indices(size)
    return start, len(range(start, stop, step)), step
