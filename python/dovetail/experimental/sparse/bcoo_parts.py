"""Parts of sparse arrays: slices, at known and unknown places, and gathers of slices."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

import dovetail as dt
from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.experimental.sparse import util
from dovetail.experimental.sparse.bcoo import BCOO, sum_duplicates
from dovetail.experimental.sparse.bcoo_layout import bcoo_update_layout
from dovetail.experimental.sparse.bcoo_shape import bcoo_reshape, bcoo_squeeze, bcoo_transpose


def bcoo_slice(
    mat: BCOO,
    *,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> BCOO:
    """A slice of a sparse array, of the same layout.

    Args:
      mat: the array.
      start_indices: the first index along each dimension.
      limit_indices: the index after the last.
      strides: the steps, by default 1.

    Raises:
      TypeError: `mat` is no `BCOO`.
      ValueError: the slice is not within the array, or not given for each dimension.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.eye(3)
      >>> sparse.bcoo_slice(mat, start_indices=(0, 1), limit_indices=(3, 3)).todense()
      Array([[0., 0.],
             [1., 0.],
             [0., 1.]], dtype=float32)
    """
    _check("bcoo_slice", mat)
    starts, limits = map(_numbers, (start_indices, limit_indices))
    steps = (1,) * mat.ndim if strides is None else _numbers(strides)
    if not len(starts) == len(limits) == len(steps) == mat.ndim:
        raise value_error(
            f"bcoo_slice: indices must have size mat.ndim={mat.ndim}, got: {starts}, {limits}, "
            f"{steps}"
        )
    if any(step <= 0 for step in steps):
        raise value_error(
            f"bcoo_slice: strides must be a sequence of positive integers, got: {steps}"
        )
    triples = list(zip(starts, limits, mat.shape, strict=True))
    if not all(0 <= start <= limit <= size for start, limit, size in triples):
        raise value_error(
            f"bcoo_slice: invalid indices. Got start_indices={starts}, limit_indices={limits} and "
            f"shape={mat.shape}"
        )
    n_batch, n_sparse = mat.n_batch, mat.n_sparse
    slices = [slice(*each) for each in zip(starts, limits, steps, strict=True)]
    batch, sparse, dense = util.split(slices, n_batch, n_sparse)
    data = mat.data[(*_of_batches(batch, mat.data, mat), slice(None), *dense)]
    indices = mat.indices[tuple(_of_batches(batch, mat.indices, mat))]
    shape = tuple(
        len(range(*each.indices(limit))) for each, limit in zip(slices, limits, strict=True)
    )
    if n_sparse:
        first, end, by = (
            np.asarray([getattr(each, name) for each in sparse], indices.dtype)
            for name in ("start", "stop", "step")
        )
        # Unsigned indices before the first would wrap.
        ahead = dnp.where(indices >= first, indices - first, 0)
        is_kept = (indices >= first) & (indices < end) & (ahead % by == 0)
        data, indices = _kept(data, ahead // by, dnp.all(is_kept, axis=-1), shape)
    return BCOO((data, indices), shape=shape)


def bcoo_dynamic_slice(mat: BCOO, start_indices: Sequence[Any], slice_sizes: Sequence[int]) -> BCOO:
    """A slice of a sparse array at a place that need not be known.

    Args:
      mat: the array.
      start_indices: the first index along each dimension, a scalar; negative ones count from the
        end, and the slice is moved into the array.
      slice_sizes: the sizes of the slice.

    Raises:
      TypeError: `mat` is no `BCOO`, or the slice is larger.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_dynamic_slice(sparse.eye(3), (1, 1), (2, 2)).todense()
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    _check("bcoo_dynamic_slice", mat)
    sizes = _numbers(slice_sizes)
    starts = [dnp.asarray(start) for start in start_indices]
    if not len(starts) == len(sizes) == mat.ndim or not all(
        0 <= size <= of for size, of in zip(sizes, mat.shape, strict=True)
    ):
        raise type_error(
            "bcoo_dynamic_slice: slice_sizes must be less than or equal to operand shape, got: "
            f"slice_sizes {sizes} for operand shape {mat.shape}, and {len(starts)} start_indices"
        )
    for start in starts:
        if start.shape or not np.issubdtype(start.dtype, np.integer):
            raise type_error(
                f"bcoo_dynamic_slice: start_indices must be integers, got: {start.aval}"
            )
    zero = np.int32(0)
    starts = [
        dnp.clip(dnp.where(start < 0, start + size, start), 0, size - length).astype(np.int32)
        for start, size, length in zip(starts, mat.shape, sizes, strict=True)
    ]
    n_batch, n_sparse = mat.n_batch, mat.n_sparse
    batch, sparse, dense = util.split(starts, n_batch, n_sparse)
    batch_sizes, sparse_sizes, dense_sizes = util.split(sizes, n_batch, n_sparse)
    buffers = []
    for buffer, more, more_sizes in (
        (mat.data, dense, (mat.nse, *dense_sizes)),
        (mat.indices, (zero,), (mat.nse, n_sparse)),
    ):
        has = [buffer.shape[i] == mat.shape[i] for i in range(n_batch)]
        at = [start if own else zero for start, own in zip(batch, has, strict=True)]
        part = [size if own else 1 for size, own in zip(batch_sizes, has, strict=True)]
        buffers.append(lax.dynamic_slice(buffer, (*at, zero, *more), (*part, *more_sizes)))
    data, indices = buffers
    if n_sparse:
        first = dnp.stack(sparse).astype(indices.dtype)
        end = first + np.asarray(sparse_sizes, indices.dtype)
        is_kept = dnp.all((indices >= first) & (indices < end), axis=-1)
        data, indices = _kept(data, indices - first, is_kept, sizes)
    return BCOO((data, indices), shape=sizes)


def _numbers(values: Sequence[Any]) -> tuple[int, ...]:
    return tuple(map(operator.index, values))


def _check(function: str, mat: Any) -> None:
    if not isinstance(mat, BCOO):
        raise type_error(f"{function}: input should be BCOO array, got: type(mat)={type(mat)}")


def _of_batches(batch: Sequence[slice], buffer: Array, mat: BCOO) -> list[slice]:
    """Slices of a buffer, whose batch dimensions may be 1."""
    return [
        each if buffer.shape[i] == mat.shape[i] else slice(None) for i, each in enumerate(batch)
    ]


def _kept(
    data: Array, indices: Array, is_kept: Array, shape: tuple[int, ...]
) -> tuple[Array, Array]:
    """Buffers of an array of another shape; elements that are not kept are outside.

    There are no more elements than the sparse dimensions have.
    """
    limits = util.bounds(shape, indices)
    indices = dnp.where(is_kept[..., None], indices, limits)
    data = dnp.where(util.with_dense(is_kept, data), data, dnp.zeros_like(data))
    most = math.prod(limits.tolist())
    if indices.shape[-2] > most:
        return sum_duplicates(data, indices, shape, most)
    return data, indices


def gather_slices(mat: BCOO, start: Array, dims: Sequence[int], window: Sequence[int]) -> BCOO:
    """Slices of a sparse array at many places.

    Args:
      mat: the array.
      start: the first indices along `dims`, of shape (places..., number of `dims`).
      dims: the dimensions of which the slices are parts.
      window: the sizes of the slices along them.

    Returns:
      An array of shape (places..., slice...); the places are batches.
    """
    sizes = list(mat.shape)
    for d, size in zip(dims, window, strict=True):
        sizes[d] = size
    places = start.shape[:-1]
    flat = start.reshape(math.prod(places), len(dims))

    def one(first: Array) -> BCOO:
        starts: list[Any] = [np.int32(0)] * mat.ndim
        for i, d in enumerate(dims):
            starts[d] = first[i]
        return bcoo_dynamic_slice(mat, starts, sizes)

    made: BCOO = dt.vmap(one)(flat)
    whole = _with_whole_batches(made)
    return bcoo_reshape(whole, new_sizes=(*places, *sizes))


def _with_whole_batches(mat: BCOO) -> BCOO:
    """The array, without buffers that have one element for several batches."""
    n_batch = mat.n_batch
    batch = mat.shape[:n_batch]
    data = dnp.broadcast_to(mat.data, (*batch, *mat.data.shape[n_batch:]))
    indices = dnp.broadcast_to(mat.indices, (*batch, *mat.indices.shape[n_batch:]))
    return BCOO((data, indices), shape=mat.shape)


def bcoo_gather(
    operand: BCOO,
    start_indices: Any,
    dimension_numbers: lax.GatherDimensionNumbers,
    slice_sizes: Sequence[int],
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: Any = None,
    fill_value: Any = None,
) -> BCOO:
    """Slices of a sparse array, as `lax.gather`.

    Args:
      operand: the array.
      start_indices: the places.
      dimension_numbers: what dimensions of `start_indices` and of the result mean.
      slice_sizes: the sizes of slices.
      unique_indices, indices_are_sorted, fill_value: ignored.
      mode: that places are within bounds; there is no other mode.

    Raises:
      NotImplementedError: `mode` is another one.

    Example:
      >>> from dovetail.experimental import sparse
      >>> numbers = dt.lax.GatherDimensionNumbers((1,), (0,), (0,))
      >>> places = dnp.array([[2], [0]])
      >>> sparse.bcoo_gather(sparse.eye(3), places, numbers, (1, 3)).todense()
      Array([[0., 0., 1.],
             [1., 0., 0.]], dtype=float32)
    """
    modes = lax.GatherScatterMode
    if mode is not None and modes.from_any(mode) != modes.PROMISE_IN_BOUNDS:
        raise NotImplementedError(f"bcoo_gather: mode={mode} not yet supported.")
    start = dnp.asarray(start_indices)
    out = dt.eval_shape(
        lambda x, i: lax.gather(x, i, dimension_numbers, tuple(slice_sizes)),
        dt.ShapeDtypeStruct(operand.shape, operand.dtype),
        dt.ShapeDtypeStruct(start.shape, start.dtype),
    )
    dims = dimension_numbers.start_index_map
    made = gather_slices(operand, start, dims, [slice_sizes[d] for d in dims])
    n_places = start.ndim - 1
    collapsed = [n_places + d for d in dimension_numbers.collapsed_slice_dims]
    made = bcoo_squeeze(made, dimensions=collapsed)
    offset = dimension_numbers.offset_dims
    batch = [d for d in range(len(out.shape)) if d not in offset]
    permutation = [0] * made.ndim
    for i, d in enumerate((*batch, *offset)):
        permutation[d] = i
    if sorted(permutation[: made.n_batch]) != list(range(made.n_batch)):
        made = bcoo_update_layout(made, n_batch=0)
    return bcoo_transpose(made, permutation=permutation)
