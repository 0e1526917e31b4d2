"""Indexing in the programs of `make_jaxpr`: as one equation of `gather`, `scatter` or
`dynamic_slice`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.lax.indexing import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ScatterDimensionNumbers,
)
from dovetail.numpy.index_plan import Entry, Plan, normalized, plan
from dovetail.symbolic.slices import range_of
from dovetail.tracing.bind import constant
from dovetail.tracing.tracer import AnyTracer

_MODES = {
    "clip": GatherScatterMode.CLIP,
    "fill": GatherScatterMode.FILL_OR_DROP,
    "promised": GatherScatterMode.PROMISE_IN_BOUNDS,
}


class Promises(NamedTuple):
    """What the user promises of indices.

    Attributes:
      unique: no element is met twice.
      are_sorted: they are in order.
    """

    unique: bool = False
    are_sorted: bool = False


NO_PROMISES = Promises()


class _Layout(NamedTuple):
    """Where the dimensions of windows are among those of a result.

    Attributes:
      window: their places.
      shape: the sizes of the result, without new dimensions.
      is_ordered: whether the dimensions of the batch are in their order, as equations have them.
    """

    window: tuple[int, ...]
    shape: tuple[int, ...]
    is_ordered: bool


def _layout(what: Plan, shape: Sequence[int]) -> _Layout:
    count = len(what.batch)
    sizes = what.window_shape(tuple(shape))
    sizes = what.batch + tuple(sizes[count + dim] for dim in what.kept)
    batch = [number for number in what.order if number < count]
    return _Layout(
        tuple(place for place, number in enumerate(what.order) if number >= count),
        tuple(sizes[number] for number in what.order),
        batch == sorted(batch),
    )


def _indices(what: Plan) -> Any:
    """The indices, as one number where they are alike: numbers are no constants of a program."""
    known = what.known
    if known is None or not known.size or np.any(known != known.flat[0]):
        return what.indices
    return lax.full(known.shape, known.flat[0], known.dtype)


def _promised(entries: Sequence[Any], promises: Promises) -> dict[str, bool]:
    """The promises; an index of integers and slices keeps both."""
    has_arrays = any(isinstance(entry, (np.ndarray, ArrayMethods)) for entry in entries)
    return {
        "indices_are_sorted": promises.are_sorted or not has_arrays,
        "unique_indices": promises.unique or not has_arrays,
    }


def gathered_equation(
    x: Array,
    entries: Sequence[Entry | None],
    mode: str,
    fill_value: Any,
    wrap: bool,
    promises: Promises,
) -> Array | None:
    """The elements that an index selects; None if no equation has them in this order.

    Args:
      x: an array of known shape.
      entries: the result of `indexing.applied`.
      mode: `clip`, `fill` or `promised`.
      fill_value: what is read out of bounds under `fill`.
      wrap: whether negative integers count from the end.
      promises: what the user promises of the indices.
    """
    if mode != "fill" and (made := _as_slice(x, entries, wrap)) is not None:
        return made
    what = plan(x.shape, entries, "fill", wrap)
    layout = _layout(what, x.shape)
    if not what.dims or not layout.is_ordered or 0 in what.shape:
        return None
    numbers = GatherDimensionNumbers(
        layout.window, tuple(sorted(set(what.dims) - set(what.kept))), what.dims
    )
    sizes = what.window_shape(x.shape)[len(what.batch) :]
    made = lax.gather(
        x,
        _indices(what),
        numbers,
        sizes,
        mode=_MODES[mode],
        fill_value=fill_value,
        **_promised(entries, promises),
    )
    return made if made.shape == what.shape else lax.reshape(made, what.shape)


def scattered_equation(
    name: str,
    x: Array,
    what: Plan,
    entries: Sequence[Entry | None],
    new: Array,
    mode: str,
    promises: Promises,
) -> Array | None:
    """An array changed at an index; None if no equation does it.

    Args:
      name: the function of `lax`.
      what: the plan of the index, under `fill`.
      x, entries, mode, promises: as for `gathered_equation`.
      new: the values, of the shape that the index selects.
    """
    layout = _layout(what, x.shape)
    if not what.dims or not layout.is_ordered:
        return None
    numbers = ScatterDimensionNumbers(
        layout.window, tuple(sorted(set(what.dims) - set(what.kept))), what.dims
    )
    if new.shape != layout.shape:
        new = lax.reshape(new, layout.shape)
    promised = _promised(entries, promises)
    return getattr(lax, name)(x, _indices(what), new, numbers, mode=_MODES[mode], **promised)


def _as_slice(x: Array, entries: Sequence[Entry | None], wrap: bool) -> Array | None:
    """The elements at integers of which some are computed, and in slices of step 1."""
    starts: list[Any] = []
    sizes, dropped, dim = [], [], 0
    for entry in entries:
        if entry is Ellipsis:
            continue
        if entry is None or getattr(entry, "shape", ()) != ():
            return None
        size = x.shape[dim]
        if isinstance(entry, slice):
            start, count, step = range_of(entry, size)
            if step != 1:
                return None
        else:
            start, count = normalized(entry, size, np.dtype(np.int32), "fill", wrap), 1
            dropped.append(dim)
        starts.append(start)
        sizes.append(count)
        dim += 1
    if not any(isinstance(start, AnyTracer) for start in starts):
        return None
    first = [
        start if isinstance(start, AnyTracer) else constant(np.array(start, np.int32))
        for start in starts
    ]
    return lax.squeeze(lax.dynamic_slice(x, first, sizes), dropped)
