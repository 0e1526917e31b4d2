"""Gathers and scatters, as XLA describes them."""

from __future__ import annotations

import enum
import functools
import operator as op
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import dtypes, late
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.create import vector_of_sizes
from dovetail.lax.dimension_numbers import (
    CheckedNumbers,
    check_numbers,
    check_updates,
    check_windows,
)
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to, canonical_axis
from dovetail.tracing.composed import composed, makes_equations


class GatherScatterMode(enum.Enum):
    """Treatment of windows that are not wholly within the operand.

    `CLIP` moves them inside; `FILL_OR_DROP` reads a fill value for them and drops their updates;
    `PROMISE_IN_BOUNDS` promises that there are none, and is treated as `CLIP`.

    Example:
      >>> GatherScatterMode.from_any("clip").name
      'CLIP'
    """

    CLIP = enum.auto()
    FILL_OR_DROP = enum.auto()
    PROMISE_IN_BOUNDS = enum.auto()

    @staticmethod
    def from_any(mode: str | GatherScatterMode | None) -> GatherScatterMode:
        """The mode with a name; `FILL_OR_DROP` for None."""
        if isinstance(mode, GatherScatterMode):
            return mode
        names = {
            "clip": GatherScatterMode.CLIP,
            "fill": GatherScatterMode.FILL_OR_DROP,
            "drop": GatherScatterMode.FILL_OR_DROP,
            None: GatherScatterMode.FILL_OR_DROP,
            "promise_in_bounds": GatherScatterMode.PROMISE_IN_BOUNDS,
        }
        if mode not in names:
            listed = ", ".join(name for name in names if name)
            raise value_error(f"mode must be one of {listed}, got: {mode!r}")
        return names[mode]


class GatherDimensionNumbers(NamedTuple):
    """Dimension numbers of a gather, as in XLA: the relation of operand, indices and result.

    Attributes:
      offset_dims: the dimensions of the result that are those of a window.
      collapsed_slice_dims: window dimensions of size 1 that the result does not have.
      start_index_map: the dimension of the operand for each index of a vector.
      operand_batching_dims, start_indices_batching_dims: dimensions that both share, paired.

    Example:
      >>> rows = GatherDimensionNumbers((1,), (0,), (0,))
      >>> gather(np.int32([[1, 2], [3, 4]]), np.int32([[1], [0]]), rows, (1, 2))
      Array([[3, 4],
             [1, 2]], dtype=int32)
    """

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()


class ScatterDimensionNumbers(NamedTuple):
    """Dimension numbers of a scatter, as in XLA: the relation of operand, indices and updates.

    Attributes:
      update_window_dims: the dimensions of the updates that are those of a window.
      inserted_window_dims: window dimensions of size 1 that the updates do not have.
      scatter_dims_to_operand_dims: the dimension of the operand for each index of a vector.
      operand_batching_dims, scatter_indices_batching_dims: dimensions that both share, paired.

    Example:
      >>> elements = ScatterDimensionNumbers((), (0,), (0,))
      >>> scatter_add(np.int32([0, 0, 0]), np.int32([[2], [2]]), np.int32([3, 4]), elements)
      Array([0, 0, 7], dtype=int32)
    """

    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()


class _Windows(NamedTuple):
    """Windows in the form of the dialect's ops."""

    indices: Array
    dims: tuple[int, ...]
    window: tuple[int, ...]


def _windows(
    x: Array,
    indices: Array,
    numbers: CheckedNumbers,
    sizes: Sequence[int],
    mode: GatherScatterMode,
) -> _Windows:
    index_map = numbers.index_map
    if indices.dtype.itemsize < 4:
        indices = ops.convert(indices, dtypes.int32)
    if mode is not GatherScatterMode.FILL_OR_DROP:
        last = vector_of_sizes([x.shape[d] - sizes[d] for d in index_map], indices.dtype)
        bound = broadcast_to(last, indices.shape)
        indices = lax.clamp(lax.full_like(indices, 0), indices, bound)
    dims = list(index_map)
    columns = [indices]
    for dim, index_dim in numbers.batching:
        columns.append(lax.broadcasted_iota(indices.dtype, (*indices.shape[:-1], 1), index_dim))
        dims.append(dim)
    # A window starts at 0 in dimensions that are neither whole nor indexed.
    rest = [d for d, size in enumerate(sizes) if d not in dims and size != x.shape[d]]
    if rest:
        columns.append(lax.full((*indices.shape[:-1], len(rest)), 0, indices.dtype))
        dims.extend(rest)
    joined = lax.concatenate(columns, indices.ndim - 1) if len(columns) > 1 else indices
    return _Windows(joined, tuple(dims), tuple(sizes[d] for d in dims))


def _indices(name: str, start_indices: ArrayLike) -> Array:
    indices = as_operand(name, start_indices, 1)
    if dtypes.KINDS[indices.dtype] not in "iu":
        raise type_error(f"{name}: indices must be integers, got: {indices.dtype.name}")
    return indices


def gather(
    operand: ArrayLike,
    start_indices: ArrayLike,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Sequence[int],
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: str | GatherScatterMode | None = None,
    fill_value: Any = None,
) -> Array:
    """Windows of an array, as defined by XLA's gather; `x[indices]` is easier to use.

    Args:
      operand: an array.
      start_indices: integers of shape (*batch, n): the starts of windows.
      dimension_numbers: the relation of dimensions.
      slice_sizes: the size of a window along each dimension of the operand.
      unique_indices, indices_are_sorted: promises, accepted.
      mode: the treatment of windows that are not wholly within the operand; by default
        `PROMISE_IN_BOUNDS`.
      fill_value: the value that they read under `FILL_OR_DROP`; by default NaN, the smallest signed
        integer, the largest unsigned integer, or True.

    Returns:
      The windows.

    Example:
      >>> numbers = GatherDimensionNumbers((1,), (0,), (0,))
      >>> gather(lax.iota(np.int32, 6).reshape(3, 2), np.int32([[2], [0]]), numbers, (1, 2))
      Array([[4, 5],
             [0, 1]], dtype=int32)
    """
    x, indices = as_operand("gather", operand), _indices("gather", start_indices)
    parsed = GatherScatterMode.from_any("promise_in_bounds" if mode is None else mode)
    result_rank = max(indices.ndim - 1, 0) + len(dimension_numbers.offset_dims)
    numbers = check_numbers("gather", dimension_numbers, x.shape, indices.shape, result_rank)
    sizes = [op.index(size) for size in slice_sizes]
    check_windows(numbers, x.shape, sizes)
    is_filled = parsed is GatherScatterMode.FILL_OR_DROP
    return gathered(
        x,
        indices,
        dimension_numbers=dimension_numbers,
        slice_sizes=tuple(sizes),
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
        mode=parsed,
        fill_value=default_fill(x.dtype) if is_filled and fill_value is None else fill_value,
    )


@composed("gather")
def gathered(
    x: Array,
    indices: Array,
    *,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: tuple[int, ...],
    indices_are_sorted: bool,
    unique_indices: bool,
    mode: GatherScatterMode,
    fill_value: Any,
) -> Array:
    """A gather of checked arguments."""
    result_rank = max(indices.ndim - 1, 0) + len(dimension_numbers.offset_dims)
    numbers = check_numbers("gather", dimension_numbers, x.shape, indices.shape, result_rank)
    what = _windows(x, indices, numbers, slice_sizes, mode)
    windows = ops.gather(x, what.indices, what.dims, what.window)
    if mode is GatherScatterMode.FILL_OR_DROP:
        windows = filled(x, windows, what.indices, what.dims, what.window, fill_value)
    batch = what.indices.ndim - 1
    shape = (*windows.shape[:batch], *(windows.shape[batch + d] for d in numbers.kept))
    order, next_batch = [], 0
    for i in range(len(shape)):
        if i in numbers.window:
            order.append(batch + numbers.window.index(i))
        else:
            order.append(next_batch)
            next_batch += 1
    return lax.transpose(lax.reshape(windows, shape), order)


def default_fill(dtype: np.dtype) -> Any:
    """What windows out of bounds read: NaN, the smallest signed integer, the largest unsigned
    integer, or True.
    """
    kind = dtypes.KINDS[dtype]
    if kind in "iu":
        info = dtypes.iinfo(dtype)
        return info.min if kind == "i" else info.max
    return True if kind == "b" else np.nan


def filled(
    x: Array,
    windows: Array,
    indices: Array,
    dims: tuple[int, ...],
    window: tuple[int, ...],
    fill_value: Any,
) -> Array:
    """Windows gathered from `x`, with a fill value for windows out of bounds; None is NaN, the
    smallest signed integer, the largest unsigned integer, or True.
    """
    if fill_value is None:
        fill_value = default_fill(x.dtype)
    inside = ops.gather(lax.full(x.shape, True, dtypes.bool_), indices, dims, window)
    return lax.select(inside, windows, lax.full_like(windows, fill_value))


def _scatter(
    name: str,
    operand: ArrayLike,
    scatter_indices: ArrayLike,
    updates: ArrayLike,
    dimension_numbers: ScatterDimensionNumbers,
    are_sorted: bool,
    unique: bool,
    mode: str | GatherScatterMode | None,
) -> Array:
    x, new = as_operand(name, operand), as_operand(name, updates, 2)
    if new.dtype != x.dtype:
        raise type_error(
            f"{name}: operand and updates must have one element type, got: {x.dtype.name} and "
            f"{new.dtype.name}"
        )
    indices = _indices(name, scatter_indices)
    rank = max(indices.ndim - 1, 0) + len(dimension_numbers.update_window_dims)
    if new.ndim != rank:
        raise type_error(f"Updates tensor must be of rank {rank}; got {new.ndim}")
    numbers = check_numbers("scatter", dimension_numbers, x.shape, indices.shape, new.ndim)
    check_updates(numbers, x.shape, indices.shape, new.shape)
    return SCATTERS[name](
        x,
        indices,
        new,
        dimension_numbers=dimension_numbers,
        indices_are_sorted=are_sorted,
        unique_indices=unique,
        mode=GatherScatterMode.from_any(mode),
        update_jaxpr=update_program(name, x.dtype) if makes_equations() else None,
        update_consts=(),
    )


def _scattering(scatter_op: Callable[..., Array]) -> Callable[..., Array]:
    """A scatter of checked arguments."""

    def function(
        x: Array,
        indices: Array,
        new: Array,
        *,
        dimension_numbers: ScatterDimensionNumbers,
        indices_are_sorted: bool,
        unique_indices: bool,
        mode: GatherScatterMode,
        update_jaxpr: Any,
        update_consts: Sequence[Any],
    ) -> Array:
        numbers = check_numbers("scatter", dimension_numbers, x.shape, indices.shape, new.ndim)
        sizes = [1] * x.ndim
        for d, i in zip(numbers.kept, numbers.window, strict=True):
            sizes[d] = new.shape[i]
        what = _windows(x, indices, numbers, sizes, GatherScatterMode.from_any(mode))
        batch = [i for i in range(new.ndim) if i not in numbers.window]
        ordered = lax.transpose(new, (*batch, *numbers.window))
        full = lax.reshape(ordered, (*(new.shape[i] for i in batch), *sizes))
        return scatter_op(x, what.indices, full, what.dims, what.window, unique_indices)

    return function


@functools.cache
def update_program(name: str, dtype: np.dtype) -> Any:
    """The program by which a scatter combines an element with an update; None if it replaces it.

    Args:
      name: the function's name.
      dtype: the element type.
    """
    combine = _COMBINATIONS[name]
    number = ShapeDtypeStruct((), dtype)
    return None if combine is None else late.making.make_jaxpr(combine)(number, number).jaxpr


def _define(name: str, verb: str) -> Callable[..., Array]:
    def function(
        operand: ArrayLike,
        scatter_indices: ArrayLike,
        updates: ArrayLike,
        dimension_numbers: ScatterDimensionNumbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | GatherScatterMode | None = None,
    ) -> Array:
        return _scatter(
            name,
            operand,
            scatter_indices,
            updates,
            dimension_numbers,
            indices_are_sorted,
            unique_indices,
            mode,
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{verb}, as XLA's scatter describes it; `x.at[indices]` is easier to use.

    Args:
      operand: an array.
      scatter_indices: integers of shape (*batch, n): where windows start.
      updates: windows of the operand's element type.
      dimension_numbers: how dimensions relate.
      indices_are_sorted: a promise, accepted.
      unique_indices: promises that no element is met twice.
      mode: what happens to windows that are not wholly within the operand.

    Returns:
      An array like the operand.

    Example:
      >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
      >>> ones = lax.full((3,), 1.0)
      >>> {name}(ones, np.int32([[2]]), lax.full((1,), 2.0), numbers).shape
      (3,)
    """
    return function


def scatter_subtract(
    x: Array,
    indices: Array,
    updates: Array,
    dims: tuple[int, ...],
    window: tuple[int, ...],
    unique: bool,
) -> Array:
    """The op scatter_add of negated updates."""
    return ops.scatter_add(x, indices, lax.neg(updates), dims, window, unique)


_OPS: dict[str, Callable[..., Array]] = {
    "scatter": ops.scatter,
    "scatter_add": ops.scatter_add,
    "scatter_sub": scatter_subtract,
    "scatter_mul": ops.scatter_mul,
    "scatter_min": ops.scatter_min,
    "scatter_max": ops.scatter_max,
}
_COMBINATIONS: dict[str, Callable[..., Array] | None] = {
    "scatter": None,
    "scatter_add": lax.add,
    "scatter_sub": lax.sub,
    "scatter_mul": lax.mul,
    "scatter_min": lax.min,
    "scatter_max": lax.max,
}
# Of operands, indices and updates, by the names of the functions; those of primitives have a `-`.
SCATTERS = {
    name: composed(name.replace("_", "-"))(_scattering(scatter_op))
    for name, scatter_op in _OPS.items()
}

scatter = _define("scatter", "The operand with windows replaced")
scatter_add = _define("scatter_add", "The operand with updates added")
scatter_sub = _define("scatter_sub", "The operand with updates subtracted")
scatter_mul = _define("scatter_mul", "The operand multiplied by updates")
scatter_min = _define("scatter_min", "The lesser of operand and updates")
scatter_max = _define("scatter_max", "The greater of operand and updates")


def index_take(src: ArrayLike, idxs: Sequence[ArrayLike], axes: Sequence[int]) -> Array:
    """The elements at vectors of indices along some dimensions, which are replaced by one in front.

    Args:
      src: an array.
      idxs: vectors of integers of one length, one for each of `axes`; indices out of bounds are
        clamped.
      axes: distinct dimensions of `src`.

    Returns:
      An array whose first dimension is as long as the vectors, followed by the dimensions of `src`
      that are not in `axes`.

    Raises:
      TypeError, ValueError: indices and axes do not match.

    Example:
      >>> index_take(lax.iota(np.int32, 4).reshape(2, 2), [np.int32([1, 0])], (0,))
      Array([[2, 3],
             [0, 1]], dtype=int32)
    """
    x = as_operand("index_take", src)
    columns = [lax.expand_dims(as_operand("index_take", i), (1,)) for i in idxs]
    indices = lax.concatenate(columns, 1)
    dims = tuple(canonical_axis(axis, x.ndim) for axis in axes)
    numbers = GatherDimensionNumbers(
        tuple(range(1, x.ndim - len(dims) + 1)), tuple(sorted(dims)), dims
    )
    sizes = [1 if d in dims else n for d, n in enumerate(x.shape)]
    return gather(x, indices, numbers, sizes, mode=GatherScatterMode.CLIP)
