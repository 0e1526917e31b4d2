"""Slices that start at an index known only at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.create import vector_of_sizes
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis
from dovetail.symbolic.size import Size, as_size, has_sizes
from dovetail.tracing.composed import composed, makes_equations


def _starts(name: str, x: Array, start_indices: Any, window: Sequence[int]) -> Array:
    """The vector of start indices, clamped so that the window fits; negative ones count from the
    end.
    """
    if hasattr(start_indices, "shape"):
        vector = as_operand(name, start_indices)
        if vector.shape != (x.ndim,):
            raise type_error(
                f"{name}: there must be {x.ndim} start indices, one for each dimension of the "
                f"operand, got: shape {vector.shape}"
            )
    else:
        entries = [as_operand(name, start) for start in start_indices]
        if len(entries) != x.ndim:
            raise type_error(
                f"{name}: there must be {x.ndim} start indices, one for each dimension of the "
                f"operand, got: {len(entries)}"
            )
        for entry in entries:
            if entry.shape:
                raise type_error(
                    f"start_indices arguments to {name} must be scalars, got: indices of type "
                    f"{entry.aval}"
                )
        # Python numbers and weak types take the type of the others.
        types = {entry.dtype for entry in entries if not entry.weak_type}
        if len(types) > 1 or any(dtypes.KINDS[entry.dtype] not in "iu" for entry in entries):
            names = ", ".join(entry.dtype.name for entry in entries)
            raise type_error(
                f"index arguments to {name} must be integers of the same type, got: {names}"
            )
        if not entries:
            return lax.full((0,), 0, dtypes.int32)
        columns = [lax.reshape(ops.convert(entry, dtypes.int32), (1,)) for entry in entries]
        vector = lax.concatenate(columns, 0)
    if dtypes.KINDS[vector.dtype] not in "iu":
        raise type_error(
            f"index arguments to {name} must be integers of the same type, got: {vector.dtype.name}"
        )
    if vector.dtype.itemsize < 4:
        vector = ops.convert(vector, dtypes.int32)
    sizes = vector_of_sizes(x.shape, vector.dtype)
    zero = lax.full_like(vector, 0)
    if dtypes.KINDS[vector.dtype] == "i":
        vector = lax.select(lax.lt(vector, zero), lax.add(vector, sizes), vector)
    last = [n - w for n, w in zip(x.shape, window, strict=True)]
    return lax.clamp(zero, vector, vector_of_sizes(last, vector.dtype))


def _operands(name: str, x: Array, start_indices: Any, window: Sequence[int]) -> list[Array]:
    """The start indices as operands: scalars, or a vector, which equations do not have."""
    if hasattr(start_indices, "shape"):
        vector = as_operand(name, start_indices)
        if vector.shape != (x.ndim,) or not makes_equations():
            return [vector]
        return [lax.index_in_dim(vector, i, keepdims=False) for i in range(x.ndim)]
    entries = [as_operand(name, start) for start in start_indices]
    if any(entry.shape for entry in entries):
        _starts(name, x, entries, window)
    return entries


def _allowed(name: str, x: Array, start_indices: Any, is_allowed: bool | Sequence[bool]) -> Any:
    """The start indices, those that must not be negative clamped to 0.

    Raises:
      ValueError: one of these is negative, and a number.
    """
    each = [is_allowed] * x.ndim if isinstance(is_allowed, bool) else list(is_allowed)
    if len(each) != x.ndim:
        raise value_error(
            f"{name}: Length of allow_negative_indices sequence {is_allowed} must match the number "
            f"of dimensions in the operand, got: {len(each)} and {x.ndim}"
        )
    if all(each):
        return start_indices
    if hasattr(start_indices, "shape"):
        vector = as_operand(name, start_indices)
        start_indices = [lax.index_in_dim(vector, i, keepdims=False) for i in range(x.ndim)]
    for start, size, is_kept in zip(start_indices, x.shape, each, strict=False):
        if isinstance(start, int) and start < 0 and not is_kept:
            raise value_error(
                f"Index {start} is out of bounds for dimension {size} if "
                f"allow_negative_indices=False, got: {name} with it"
            )
    starts = [as_operand(name, start) for start in start_indices]
    return [
        start if is_kept else lax.max(start, lax.full_like(start, 0))
        for start, is_kept in zip(starts, each, strict=True)
    ]


def _vector_or_entries(starts: Sequence[Array]) -> Any:
    return starts[0] if len(starts) == 1 and starts[0].ndim else starts


def _window(name: str, x: Array, sizes: Sequence[int]) -> tuple[int, ...]:
    window = tuple(as_size(size) for size in sizes)
    fits = len(window) == x.ndim
    if not fits or any(not 0 <= w <= n for w, n in zip(window, x.shape, strict=True)):
        raise type_error(
            f"{name}: the slice must fit the operand's shape {x.shape}, got: sizes {window}"
        )
    return window


def dynamic_slice(
    operand: ArrayLike,
    start_indices: Any,
    slice_sizes: Sequence[int],
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Array:
    """A slice of constant size that starts at indices known only at run time.

    Args:
      operand: an array.
      start_indices: an integer scalar for each dimension, or a vector of them. Negative ones count
        from the end; a start from which the slice would not fit is then clamped so that it does.
      slice_sizes: the size of the slice along each dimension.
      allow_negative_indices: whether negative indices count from the end, for all dimensions or for
        each; they are clamped to 0 otherwise.

    Returns:
      An array of shape `slice_sizes`.

    Raises:
      TypeError: the number of indices or sizes is not the operand's rank, or a size is larger than
        the operand.

    Example:
      >>> dynamic_slice(lax.iota(np.int32, 6), (2,), (3,))
      Array([2, 3, 4], dtype=int32)
    """
    x = as_operand("dynamic_slice", operand)
    window = _window("dynamic_slice", x, slice_sizes)
    if not x.ndim:
        return x
    start_indices = _allowed("dynamic_slice", x, start_indices, allow_negative_indices)
    starts = _operands("dynamic_slice", x, start_indices, window)
    return _sliced(x, *starts, slice_sizes=window)


@composed("dynamic_slice")
def _sliced(x: Array, *starts: Array, slice_sizes: Sequence[Any]) -> Array:
    window = tuple(slice_sizes)
    vector = _starts("dynamic_slice", x, _vector_or_entries(starts), window)
    if not has_sizes(window):
        return ops.gather(x, vector, tuple(range(x.ndim)), window)
    return _rows(x, vector, window)


def _rows(x: Array, starts: Array, window: Sequence[Any]) -> Array:
    """A slice some of whose sizes are symbolic: index by index along these, unless they are whole
    dimensions.
    """
    known = tuple(i for i, size in enumerate(window) if type(size) is not Size)
    if known:
        columns = [lax.slice_in_dim(starts, i, i + 1) for i in known]
        x = ops.gather(x, lax.concatenate(columns, 0), known, tuple(window[i] for i in known))
    for i, size in enumerate(window):
        if i in known or size == x.shape[i]:
            continue
        start = lax.index_in_dim(starts, i, keepdims=False)
        places = lax.add(lax.iota(starts.dtype, size), start)
        rows = ops.gather(x, lax.expand_dims(places, (1,)), (i,), (1,))
        x = lax.transpose(lax.squeeze(rows, (i + 1,)), [*range(1, i + 1), 0, *range(i + 1, x.ndim)])
    return x


def dynamic_update_slice(
    operand: ArrayLike,
    update: ArrayLike,
    start_indices: Any,
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Array:
    """The operand with a slice replaced, which starts at indices known only at run time.

    Args:
      operand: an array.
      update: the new slice, of the operand's rank and element type.
      start_indices, allow_negative_indices: as for `dynamic_slice`.

    Returns:
      An array like the operand.

    Raises:
      TypeError: the update does not fit.

    Example:
      >>> dynamic_update_slice(lax.iota(np.int32, 5), np.int32([7, 8]), (1,))
      Array([0, 7, 8, 3, 4], dtype=int32)
    """
    x = as_operand("dynamic_update_slice", operand)
    new = as_operand("dynamic_update_slice", update, 1)
    if new.dtype != x.dtype:
        raise type_error(
            f"dynamic_update_slice: the element types must be the same, got: {x.dtype.name} and "
            f"{new.dtype.name}"
        )
    window = _window("dynamic_update_slice", x, new.shape)
    if not x.ndim:
        return new
    start_indices = _allowed("dynamic_update_slice", x, start_indices, allow_negative_indices)
    return _updated(x, new, *_operands("dynamic_update_slice", x, start_indices, window))


@composed("dynamic_update_slice")
def _updated(x: Array, new: Array, *start_indices: Array) -> Array:
    window = new.shape
    starts = _starts("dynamic_update_slice", x, _vector_or_entries(start_indices), window)
    # A dimension that is replaced as a whole needs no index.
    dims = tuple(i for i in range(x.ndim) if type(window[i]) is not Size or window[i] != x.shape[i])
    if not dims:
        return new
    if len(dims) < x.ndim:
        starts = lax.concatenate([lax.slice_in_dim(starts, i, i + 1) for i in dims], 0)
    rows = tuple(i for i in dims if type(window[i]) is Size)
    if rows:
        return _updated_rows(x, new, starts, dims, rows)
    return ops.scatter(x, starts, new, dims, tuple(window[i] for i in dims), True)


def _updated_rows(
    x: Array, new: Array, starts: Array, dims: tuple[int, ...], rows: tuple[int, ...]
) -> Array:
    """The operand with a slice replaced, whose sizes along `rows` are symbolic: row by row."""
    batch = tuple(new.shape[i] for i in rows)
    indices = lax.broadcast(starts, batch)
    for number, i in enumerate(rows):
        place = lax.broadcasted_iota(starts.dtype, indices.shape, number)
        column = lax.broadcasted_iota(starts.dtype, indices.shape, len(batch))
        is_own = lax.eq(column, lax.full_like(column, dims.index(i)))
        indices = lax.select(is_own, lax.add(indices, place), indices)
    kept = [i for i in range(x.ndim) if i not in rows]
    sizes = [1 if i in rows else new.shape[i] for i in range(x.ndim)]
    updates = lax.reshape(lax.transpose(new, (*rows, *kept)), (*batch, *sizes))
    window = tuple(sizes[i] for i in dims)
    return ops.scatter(x, indices, updates, dims, window, True)


def dynamic_slice_in_dim(
    operand: ArrayLike,
    start_index: ArrayLike,
    slice_size: int,
    axis: int = 0,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """`dynamic_slice` along one dimension; the others stay whole.

    Args:
      operand: an array.
      start_index: an integer scalar, as for `dynamic_slice`.
      slice_size: the size of the slice along `axis`.
      axis: the dimension.
      allow_negative_indices: whether a negative index counts from the end; it is clamped to 0
        otherwise.

    Returns:
      An array of the operand's shape, with `slice_size` along `axis`.

    Raises:
      TypeError: the slice is larger than the operand.
      ValueError: the axis is out of bounds.

    Example:
      >>> dynamic_slice_in_dim(lax.iota(np.int32, 6), -2, 2)
      Array([4, 5], dtype=int32)
    """
    x = as_operand("dynamic_slice_in_dim", operand)
    axis = canonical_axis(axis, x.ndim)
    starts: list[Any] = [0] * x.ndim
    sizes = list(x.shape)
    starts[axis], sizes[axis] = start_index, as_size(slice_size)
    return dynamic_slice(x, starts, sizes, allow_negative_indices=allow_negative_indices)


def dynamic_index_in_dim(
    operand: ArrayLike,
    index: ArrayLike,
    axis: int = 0,
    keepdims: bool = True,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """The elements at an index along one dimension, which is kept with size 1 or dropped.

    Args:
      operand: an array.
      index: an integer scalar; a negative one counts from the end, one out of bounds is clamped.
      axis: the dimension.
      keepdims: whether the result has it, with size 1.
      allow_negative_indices: whether a negative index counts from the end; it is clamped to 0
        otherwise.

    Returns:
      An array.

    Raises:
      TypeError: the index is not an integer scalar.
      ValueError: the axis is out of bounds.

    Example:
      >>> dynamic_index_in_dim(lax.iota(np.int32, 3), 1, keepdims=False)
      Array(1, dtype=int32)
    """
    x = as_operand("dynamic_index_in_dim", operand)
    axis = canonical_axis(axis, x.ndim)
    result = dynamic_slice_in_dim(x, index, 1, axis, allow_negative_indices=allow_negative_indices)
    return result if keepdims else lax.squeeze(result, (axis,))


def dynamic_update_slice_in_dim(
    operand: ArrayLike,
    update: ArrayLike,
    start_index: ArrayLike,
    axis: int,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """`dynamic_update_slice` along one dimension.

    Args:
      operand: an array.
      update: the new slice, of the operand's rank and element type.
      start_index: an integer scalar, as for `dynamic_slice`.
      axis: the dimension; along the others the update starts at 0.
      allow_negative_indices: whether a negative index counts from the end; it is clamped to 0
        otherwise.

    Returns:
      An array like the operand.

    Raises:
      TypeError: the update does not fit.
      ValueError: the axis is out of bounds.

    Example:
      >>> dynamic_update_slice_in_dim(lax.iota(np.int32, 4), np.int32([9]), 2, axis=0)
      Array([0, 1, 9, 3], dtype=int32)
    """
    x = as_operand("dynamic_update_slice_in_dim", operand)
    starts: list[Any] = [0] * x.ndim
    starts[canonical_axis(axis, x.ndim)] = start_index
    return dynamic_update_slice(x, update, starts, allow_negative_indices=allow_negative_indices)


def dynamic_update_index_in_dim(
    operand: ArrayLike,
    update: ArrayLike,
    index: ArrayLike,
    axis: int,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """The operand with the elements at one index along a dimension replaced.

    Args:
      operand: an array.
      update: the new elements, of the operand's element type; without the dimension, or with size 1
        along it.
      index: an integer scalar, as for `dynamic_index_in_dim`.
      axis: the dimension.
      allow_negative_indices: whether a negative index counts from the end; it is clamped to 0
        otherwise.

    Returns:
      An array like the operand.

    Raises:
      TypeError: the update does not fit.
      ValueError: the axis is out of bounds.

    Example:
      >>> dynamic_update_index_in_dim(lax.iota(np.int32, 3), np.int32(7), 1, axis=0)
      Array([0, 7, 2], dtype=int32)
    """
    x = as_operand("dynamic_update_index_in_dim", operand)
    new = as_operand("dynamic_update_index_in_dim", update, 1)
    axis = canonical_axis(axis, x.ndim)
    if new.ndim != x.ndim:
        new = lax.expand_dims(new, (axis,))
    return dynamic_update_slice_in_dim(
        x, new, index, axis, allow_negative_indices=allow_negative_indices
    )
