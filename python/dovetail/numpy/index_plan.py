"""Plans of indexing as gather or scatter: the windows, and the order of the result's dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import NonConcreteBooleanIndexError, value_error
from dovetail.base.trace_stack import current
from dovetail.ops.operands import as_operand, broadcast_shapes, broadcast_to
from dovetail.symbolic.size import Size, max_dim
from dovetail.symbolic.slices import range_of
from dovetail.tracing.bind import constant
from dovetail.tracing.trace import LARGEST_CONSTANT
from dovetail.tracing.tracer import AnyTracer

Shape = tuple[int, ...]
# An index along one dimension: an integer, a slice, or an array of integers; `...` along none.
Entry = int | slice | EllipsisType | np.ndarray | Array


class Plan(NamedTuple):
    """The windows that an index selects.

    Attributes:
      indices: where they start, of shape (*batch, number of dims).
      dims, window: of the gather.
      batch: the shape of the arrays in the index, then the sizes of slices with a step.
      kept: dimensions of the operand that the windows keep.
      order: which of (*batch, *kept) each dimension of the result is.
      shape: the shape of the result, new dimensions included.
      common: the shape of the arrays in the index.
      known: the indices where they do not depend on a tracer.
    """

    indices: Any
    dims: Shape
    window: Shape
    batch: Shape
    kept: Shape
    order: Shape
    shape: Shape
    common: Shape
    known: np.ndarray | None

    def unique(self, shape: Shape) -> bool:
        """True if the windows of an operand of a shape are known to be disjoint."""
        # Those of a slice are, wherever it is.
        if all(type(size) is int and size == 1 for size in self.common):
            return True
        if self.known is None:
            return False
        # Windows have size 1 in dimensions indexed by arrays and steps, and start at a single place
        # elsewhere.
        rows = self.known.reshape(-1, len(self.dims))
        sizes = tuple(shape[dim] for dim in self.dims)
        places = np.ravel_multi_index(tuple(rows.T), sizes, mode="clip")
        return np.unique(places).size == len(rows)

    def window_shape(self, shape: Shape) -> Shape:
        """The shape of all windows of an operand of a shape, single dimensions included."""
        sizes = list(shape)
        for dim, size in zip(self.dims, self.window, strict=True):
            sizes[dim] = size
        return self.batch + tuple(sizes)

    def result(self, windows: Any, shape: Shape) -> Any:
        """The result of the index, from the windows of an operand of a shape."""
        sizes = self.window_shape(shape)[len(self.batch) :]
        x = lax.reshape(windows, self.batch + tuple(sizes[dim] for dim in self.kept))
        return lax.reshape(lax.transpose(x, self.order), self.shape)

    def windows(self, values: Any, shape: Shape) -> Any:
        """The inverse of `result`."""
        sizes = self.window_shape(shape)[len(self.batch) :]
        ordered = self.batch + tuple(sizes[dim] for dim in self.kept)
        x = lax.reshape(values, tuple(ordered[i] for i in self.order))
        inverse = sorted(range(len(self.order)), key=self.order.__getitem__)
        return lax.reshape(lax.transpose(x, inverse), self.window_shape(shape))


def plan(shape: Shape, entries: Sequence[Entry | None], mode: str, wrap: bool = True) -> Plan:
    """The plan of an index with an entry for each dimension, and None for each new one.

    Args:
      shape: the operand's.
      entries: the result of `indexing.applied`.
      mode: what happens to indices out of bounds: `clip` moves them to the nearest element.
      wrap: whether negative integers count from the end.
    """
    arrays: list[Any] = [
        e for e in entries if not (e is None or e is Ellipsis or isinstance(e, slice))
    ]
    shapes = [np.shape(e) if not isinstance(e, ArrayMethods) else e.shape for e in arrays]
    try:
        common = broadcast_shapes(*shapes)
    except (TypeError, ValueError):
        listed = " and ".join(map(str, shapes))
        raise value_error(
            f"arrays in an index must broadcast together, got: shapes {listed}"
        ) from None
    strided: list[Any] = []
    layout: list[tuple[str, int]] = []
    columns: list[tuple[int, int, str, Any]] = []
    kept: list[int] = []
    places = []
    dim = 0
    for position, entry in enumerate(entries):
        if entry is Ellipsis:
            continue
        if entry is None:
            layout.append(("new", 0))
            continue
        size = shape[dim]
        if isinstance(entry, slice):
            start, count, step = range_of(entry, size)
            if count == size and step == 1:
                kept.append(dim)
                layout.append(("kept", dim))
            elif step == 1 and type(count) is not Size:
                kept.append(dim)
                layout.append(("kept", dim))
                columns.append((dim, count, "start", start))
            else:
                layout.append(("strided", len(strided)))
                columns.append((dim, 1, "strided", (len(strided), start, step)))
                strided.append(count)
        else:
            places.append(position)
            layout.append(("array", 0))
            columns.append((dim, 1, "array", entry))
        dim += 1
    batch = (*common, *strided)
    joined = _joined(shape, columns, common, batch, mode, wrap)
    known = joined if isinstance(joined, np.ndarray) else None
    indices = joined if known is None else constant(known)
    dims = tuple(column[0] for column in columns)
    window = tuple(column[1] for column in columns)
    order, result = _layout(
        shape, layout, places, common, strided, kept, dict(zip(dims, window, strict=True))
    )
    return Plan(indices, dims, window, batch, tuple(kept), order, result, tuple(common), known)


def _layout(
    shape: Shape,
    layout: Sequence[tuple[str, int]],
    places: Sequence[int],
    common: Shape,
    strided: Sequence[int],
    kept: Sequence[int],
    window: dict[int, int],
) -> tuple[Shape, Shape]:
    """The order of the result's dimensions, and its shape with the new ones."""
    order: list[int] = []
    result: list[int] = []
    rank = len(common)
    # Arrays side by side put their dimensions in their place, others in front.
    together = not places or places[-1] - places[0] == len(places) - 1
    pending = bool(places)

    def put_arrays() -> None:
        order.extend(range(rank))
        result.extend(common)

    if pending and not together:
        put_arrays()
        pending = False
    for kind, number in layout:
        if kind == "new":
            result.append(1)
        elif kind == "kept":
            order.append(rank + len(strided) + kept.index(number))
            result.append(window.get(number, shape[number]))
        elif kind == "strided":
            order.append(rank + number)
            result.append(strided[number])
        elif pending:
            put_arrays()
            pending = False
    return tuple(order), tuple(result)


def _joined(
    shape: Shape,
    columns: Sequence[tuple[int, int, str, Any]],
    common: Shape,
    batch: Shape,
    mode: str,
    wrap: bool,
) -> Any:
    """The indices of all columns, one vector for each window."""
    largest = np.iinfo(np.int32).max
    wide = any(size > largest for size in shape if type(size) is not Size)
    dtype = dtypes.int64 if wide else dtypes.int32
    # What is traced then shows the steps of slices, and has no large arguments.
    is_counted = (
        (trace := current()) is not None
        and not trace.is_eager
        and all(type(size) is int and size == 1 for size in common)
        and math.prod(size for size in batch if type(size) is int) * len(columns) > LARGEST_CONSTANT
    )
    parts = []
    for dim, _, kind, what in columns:
        if kind == "array":
            part = normalized(what, shape[dim], dtype, mode, wrap)
            part = part.reshape(part.shape + (1,) * (len(batch) - len(common)))
        elif kind == "start":
            part = _number(what, dtype)
        else:
            number, start, step = what
            part = _range(start, batch[len(common) + number], step, dtype, is_counted)
            part = part.reshape((*part.shape, *(1,) * (len(batch) - len(common) - number - 1)))
        parts.append(part)
    if not any(isinstance(part, ArrayMethods) for part in parts):
        stacked = [np.broadcast_to(part, batch) for part in parts]
        empty = np.zeros((*batch, 0), dtype)
        return np.ascontiguousarray(np.stack(stacked, -1)) if stacked else empty
    operands: list[Any] = [
        part if isinstance(part, ArrayMethods) else constant(part) for part in parts
    ]
    columns_of = [broadcast_to(part, batch) for part in operands]
    return lax.concatenate(
        [lax.expand_dims(part, (len(batch),)) for part in columns_of], len(batch)
    )


def _number(value: Any, dtype: np.dtype) -> Any:
    if type(value) is Size:
        return ops.convert(as_operand("index", value), dtype)
    return np.array(value, dtype)


def _range(start: Any, count: Any, step: int, dtype: np.dtype, is_counted: bool) -> Any:
    """The indices of a slice, which the program computes if they are counted, or not known."""
    if type(start) is not Size and type(count) is not Size and not is_counted:
        return (start + step * np.arange(count)).astype(dtype)
    shape: tuple[Any] = (count,)
    return _number(start, dtype) + step * ops.iota(0, shape, dtype)


def normalized(entry: Any, size: int, dtype: np.dtype, mode: str, wrap: bool) -> Any:
    """Indices counted from the start, of one integer type; moved within bounds under `clip`.

    Args:
      entry: an integer, or an array of integers.
      size: the size of the dimension.
      dtype: the integer type.
      mode: `clip` or another one.
      wrap: whether negative integers count from the end.
    """
    last = max_dim(size - 1, 0)
    if type(size) is Size and not isinstance(entry, AnyTracer):
        entry = as_operand("index", entry)
    if isinstance(entry, AnyTracer):
        number: Any = entry
        signed = dtypes.KINDS[number.dtype] == "i"
        if np.iinfo(number.dtype).max > np.iinfo(dtype).max:
            # One out of bounds stays so.
            low = -size - 1 if signed else 0
            number = lax.clamp(lax.full_like(number, low), number, lax.full_like(number, size))
        if number.dtype != dtype:
            number = ops.convert(number, dtype)
        if signed and wrap:
            number = lax.select(number < 0, number + size, number)
        if mode == "clip":
            number = lax.clamp(lax.full_like(number, 0), number, lax.full_like(number, last))
        return number
    value = np.asarray(entry._value() if isinstance(entry, ArrayMethods) else entry)
    if value.dtype == np.uint64:
        value = np.minimum(value, np.uint64(size))
    value = value.astype(np.int64)
    if wrap:
        value = np.where(value < 0, value + size, value)
    if mode == "clip":
        value = np.clip(value, 0, last)
    return np.clip(value, -1, size).astype(dtype)


def selected(mask: Any) -> tuple[np.ndarray, ...]:
    """The indices of a mask's true elements, which must be known while tracing."""
    if isinstance(mask, AnyTracer):
        value = mask.concrete(NonConcreteBooleanIndexError)
    else:
        value = np.asarray(mask._value() if isinstance(mask, ArrayMethods) else mask)
    return np.nonzero(np.atleast_1d(value))
