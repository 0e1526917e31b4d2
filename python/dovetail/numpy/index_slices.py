"""Indices by a start, which may be computed, and a size: `ds`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import index_error
from dovetail.numpy.creation import asarray
from dovetail.tracing.held_indices import Slice
from dovetail.tracing.tracer import AnyTracer


def has_slices(entries: Sequence[Any]) -> bool:
    """Whether an entry is a `Slice`."""
    return any(isinstance(entry, Slice) for entry in entries)


def cut_at_slices(x: Array, index: Any) -> tuple[Array, tuple[Any, ...]]:
    """The elements that the entries that are `Slice`s select, and the index of them that remains.

    A start out of bounds is moved, so that all elements are inside, if that is possible.
    """
    given = (index,) if isinstance(index, Slice) else index
    made: list[Any] = []
    dim = 0
    for i, entry in enumerate(given):
        if entry is Ellipsis:
            dim = len(x.shape) - sum(map(_rank, given[i + 1 :]))
        elif isinstance(entry, Slice):
            x = _cut(x, entry, dim)
            dim, entry = dim + 1, slice(None)
        else:
            dim += _rank(entry)
        made.append(entry)
    return x, tuple(made)


def _cut(x: Array, part: Slice, dim: int) -> Array:
    if dim >= len(x.shape):
        raise index_error(
            f"Too many indices: array is {len(x.shape)}-dimensional, got: ds for axis {dim}"
        )
    if part.stride == 1:
        return lax.dynamic_slice_in_dim(x, part.start, part.size, dim)
    return x.take(_indices(part), axis=dim, mode="clip")


def indices_of_slices(given: Sequence[Any]) -> tuple[Any, ...]:
    """An index without `Slice`s: known ones as slices, one other as an array of indices.

    Raises:
      IndexError: another entry than slices is beside one whose start is an array.
    """
    made: list[Any] = [_as_slice(entry) if isinstance(entry, Slice) else entry for entry in given]
    unknown = [i for i, entry in enumerate(made) if isinstance(entry, Slice)]
    if not unknown:
        return tuple(made)
    others = [e for i, e in enumerate(made) if i != unknown[0]]
    if not all(e is Ellipsis or isinstance(e, slice) for e in others):
        raise index_error(
            "ds with a computed start can be written to beside slices and ... only, got: "
            f"{others}; use lax.dynamic_update_slice"
        )
    made[unknown[0]] = _indices(made[unknown[0]])
    return tuple(made)


def _as_slice(part: Slice) -> slice | Slice:
    start = part.start
    if isinstance(start, AnyTracer) or operator.index(start) < 0:
        return part
    first = operator.index(start)
    return slice(first, first + part.size * part.stride, part.stride)


def _indices(part: Slice) -> Any:
    return asarray(part.start) + part.stride * np.arange(part.size, dtype=np.int32)


def _rank(entry: Any) -> int:
    """The number of dimensions that an entry of an index consumes."""
    if entry is None or entry is Ellipsis:
        return 0
    is_mask = isinstance(entry, (bool, np.bool_)) or (
        isinstance(entry, (ArrayMethods, np.ndarray)) and entry.dtype == dtypes.bool_
    )
    return np.ndim(entry) if is_mask else 1
