"""Shapes of sparse arrays: transposed, broadcast, joined, reshaped, reversed, squeezed."""

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
from dovetail.experimental.sparse.base import Shape
from dovetail.experimental.sparse.bcoo import BCOO
from dovetail.experimental.sparse.bcoo_layout import bcoo_update_layout
from dovetail.tracing.composed import composed


def bcoo_transpose(mat: BCOO, *, permutation: Sequence[int]) -> BCOO:
    """A sparse array with its dimensions in another order.

    Args:
      mat: the array.
      permutation: for each dimension of the result, that of `mat`; batch, sparse and dense
        dimensions each stay among themselves.

    Raises:
      TypeError: this is no permutation.
      NotImplementedError: it mixes dimensions of different kinds.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO.fromdense(dnp.array([[0, 1, 2]]))
      >>> sparse.bcoo_transpose(mat, permutation=(1, 0)).indices.tolist()
      [[1, 0], [2, 0]]
    """
    _, sparse, _ = _permutations("bcoo_transpose", mat, permutation)
    is_same = sparse == tuple(range(mat.n_sparse))
    numbers = tuple(map(operator.index, permutation))
    return BCOO(
        _transpose(*mat._bufs, permutation=numbers, spinfo=mat._info),
        shape=[mat.shape[number] for number in numbers],
        indices_sorted=is_same and mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


@composed("bcoo_transpose", multiple_results=True)
def _transpose(
    data: Array, indices: Array, *, permutation: Sequence[int], spinfo: Any
) -> tuple[Array, Array]:
    """The buffers for another order of dimensions."""
    mat = BCOO((data, indices), shape=spinfo.shape)
    batch, sparse, dense = _permutations("bcoo_transpose", mat, permutation)
    n_batch = mat.n_batch
    if batch != tuple(range(n_batch)) or dense != tuple(range(mat.n_dense)):
        data = lax.transpose(data, (*batch, n_batch, *(d + n_batch + 1 for d in dense)))
        indices = lax.transpose(indices, (*batch, n_batch, n_batch + 1))
    if sparse != tuple(range(mat.n_sparse)):
        indices = indices[..., np.asarray(sparse, np.int32)]
    return data, indices


def transpose(mat: BCOO, axes: Sequence[int] | None = None) -> BCOO:
    """The array with its dimensions in another order, by default reversed."""
    return bcoo_transpose(mat, permutation=range(mat.ndim)[::-1] if axes is None else axes)


def _permutations(function: str, mat: BCOO, permutation: Any) -> list[tuple[int, ...]]:
    """The permutations of batch, sparse and dense dimensions, each from 0."""
    if not isinstance(permutation, (tuple, list, range, np.ndarray)):
        raise type_error(
            f"{function}: transpose permutation must be a tuple/list/ndarray, got: "
            f"{type(permutation)}."
        )
    numbers = tuple(map(operator.index, permutation))
    if tuple(sorted(numbers)) != tuple(range(mat.ndim)):
        raise type_error(
            f"{function}: transpose permutation isn't a permutation of operand dimensions, got: "
            f"permutation {permutation} for shape {mat.shape}."
        )
    parts, start = [], 0
    kinds = ("batch", "batch", mat.n_batch), ("sparse", "batch", mat.n_sparse)
    for name, other, count in (*kinds, ("dense", "dense", mat.n_dense)):
        part = tuple(number - start for number in numbers[start : start + count])
        if any(not 0 <= number < count for number in part):
            kind = other if name == "sparse" else name
            raise NotImplementedError(
                f"transpose permutation cannot permute {kind} axes with non-{kind} axes, got: "
                f"permutation {permutation}, with n_batch={mat.n_batch}, n_dense={mat.n_dense}."
            )
        parts.append(part)
        start += count
    return parts


def bcoo_broadcast_in_dim(
    mat: BCOO, *, shape: Shape, broadcast_dimensions: Sequence[int], sharding: Any = None
) -> BCOO:
    """A sparse array with more dimensions, along which its elements are repeated.

    New dimensions before all sparse ones are batches, those after all of these are sparse unless
    there are dense ones.

    Args:
      mat: the array.
      shape: the shape of the result.
      broadcast_dimensions: the dimension of the result for each of `mat`, in increasing order.
      sharding: must be None.

    Raises:
      ValueError: dimensions of different kinds would be mixed.
      NotImplementedError: elements are to be repeated along a sparse dimension.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.eye(3)
      >>> sparse.bcoo_broadcast_in_dim(mat, shape=(2, 3, 3), broadcast_dimensions=(1, 2))
      BCOO(float32[2, 3, 3], nse=3, n_batch=1)
    """
    dims = tuple(map(operator.index, broadcast_dimensions))
    if mat.ndim != len(dims):
        raise value_error(
            f"bcoo_broadcast_in_dim: mat.shape={mat.shape} and broadcast_dimensions={dims} must "
            "have the same length"
        )
    batch, sparse, dense = util.split(dims, mat.n_batch, mat.n_sparse)
    rank = len(shape)
    if max(batch, default=0) > min(sparse, default=rank):
        raise value_error(
            "bcoo_broadcast_in_dim: Cannot mix batch and sparse dimensions during "
            f"broadcast_in_dim, got: {dims}"
        )
    if max(sparse, default=0) > min(dense, default=rank):
        raise value_error(
            "bcoo_broadcast_in_dim: Cannot mix sparse and dense dimensions during "
            f"broadcast_in_dim, got: {dims}"
        )
    n_batch = min((*sparse, *dense), default=rank)
    n_dense = rank - min(dense) if dense else 0
    n_sparse = rank - n_batch - n_dense
    before = mat.shape[mat.n_batch : mat.n_batch + mat.n_sparse]
    if math.prod(before) != math.prod(shape[n_batch : n_batch + n_sparse]):
        raise NotImplementedError("Adding sparse dimensions with lengths != 1")
    data, indices = mat._bufs
    if (n_batch, n_dense) != (mat.n_batch, mat.n_dense) or tuple(shape) != mat.shape:
        data = lax.broadcast_in_dim(
            data,
            (*shape[:n_batch], mat.nse, *shape[n_batch + n_sparse :]),
            (*batch, n_batch, *(d + 1 - n_sparse for d in dense)),
        )
        indices = lax.broadcast_in_dim(
            indices,
            (*shape[:n_batch], mat.nse, mat.n_sparse),
            (*batch, n_batch, n_batch + 1),
        )
    if n_sparse != mat.n_sparse:
        made = list(dnp.zeros((n_sparse, *indices.shape[:-1]), indices.dtype))
        for d, column in zip(sparse, util.columns(indices), strict=True):
            made[d - n_batch] = column
        indices = dnp.stack(made, axis=-1) if made else indices[..., :0]
    return BCOO((data, indices), shape=shape)


def bcoo_concatenate(operands: Sequence[BCOO], *, dimension: int) -> BCOO:
    """Sparse arrays joined along a batch or sparse dimension.

    Args:
      operands: the arrays, of the same layout, and of the same shape except along `dimension`.
      dimension: the dimension.

    Raises:
      ValueError: operands are no sparse arrays, or their layouts differ.
      NotImplementedError: the dimension is a dense one.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.eye(2)
      >>> sparse.bcoo_concatenate([mat, mat], dimension=1).todense()
      Array([[1., 0., 1., 0.],
             [0., 1., 0., 1.]], dtype=float32)
    """
    dimension, operands = operator.index(dimension), list(operands)
    if not all(isinstance(op, BCOO) for op in operands):
        raise value_error(
            f"bcoo_concatenate: expected operands to be a sequence of BCOO arrays. Got {operands}"
        )
    types = [dt.ShapeDtypeStruct(op.shape, op.dtype) for op in operands]
    out = dt.eval_shape(lambda *xs: lax.concatenate(xs, dimension), *types)
    if len({op.n_dense for op in operands}) > 1:
        raise value_error(
            f"bcoo_concatenate requires inputs to have matching nse dimensions, got: {operands}"
        )
    operands = _of_one_batch(operands)
    n_batch, n_sparse = operands[0].n_batch, operands[0].n_sparse
    batches = [
        [shape[i] for i in range(n_batch) if i != dimension]
        for op in operands
        for shape in (op.indices.shape, op.data.shape)
    ]
    if batches[::2] != batches[:1] * len(operands) or batches[1::2] != batches[1:2] * len(operands):
        raise NotImplementedError("concatenation of arrays with broadcasted batch indices")
    if dimension < n_batch:
        most = max(op.nse for op in operands)
        operands = [_with_nse(op, most) for op in operands]
        datas, indices = [op.data for op in operands], [op.indices for op in operands]
        made = lax.concatenate(datas, dimension), lax.concatenate(indices, dimension)
    elif dimension < n_batch + n_sparse:
        sizes = [op.shape[dimension] for op in operands]
        offsets = np.cumsum([0, *sizes[:-1]])
        indices = [
            _shifted(op, dimension - n_batch, int(offset), out.shape)
            for op, offset in zip(operands, offsets, strict=True)
        ]
        datas = [op.data for op in operands]
        made = lax.concatenate(datas, n_batch), lax.concatenate(indices, n_batch)
    else:
        raise NotImplementedError("Concatenation along dense dimensions.")
    return BCOO(made, shape=out.shape)


def _of_one_batch(operands: list[BCOO]) -> list[BCOO]:
    """Operands with the same number of batch dimensions; one of size 1 may become sparse."""
    counts = {op.n_batch for op in operands}
    if counts == {0, 1}:
        for number in (1, 0):
            others = [op for op in operands if op.n_batch != number]
            if all(op.shape[0] == 1 for op in others):
                return [bcoo_update_layout(op, n_batch=number) for op in operands]
    if len(counts) != 1:
        raise value_error(
            f"bcoo_concatenate requires inputs to have matching batch dimensions, got: {operands}"
        )
    return operands


def _shifted(mat: BCOO, column: int, offset: int, shape: Shape) -> Any:
    """Indices moved along a sparse dimension; those outside stay outside."""
    inside = util.is_inside(mat.shape, mat.indices)[..., None]
    moved = mat.indices.at[..., column].add(offset)
    return dnp.where(inside, moved, util.bounds(shape, mat.indices))


def _with_nse(mat: BCOO, nse: int) -> BCOO:
    """The array with more specified elements, which are outside."""
    if mat.nse == nse:
        return mat
    more = (*mat.data.shape[: mat.n_batch], nse - mat.nse, *mat.data.shape[mat.n_batch + 1 :])
    zeros = dnp.zeros(more, mat.data.dtype)
    data = lax.concatenate([mat.data, zeros], mat.n_batch)
    return BCOO((data, util.resized(mat.indices, mat.shape, nse)), shape=mat.shape)


def bcoo_reshape(
    mat: BCOO,
    *,
    new_sizes: Sequence[int],
    dimensions: Sequence[int] | None = None,
    sharding: Any = None,
) -> BCOO:
    """A sparse array with another shape.

    Args:
      mat: the array.
      new_sizes: the shape, of which a first part has as many elements as the batches, and a second
        one as many as the sparse dimensions.
      dimensions: the order in which dimensions of `mat` are taken first, as for `bcoo_transpose`.
      sharding: must be None.

    Raises:
      ValueError: dimensions of different kinds would be mixed.
      NotImplementedError: a buffer has one element for all batches.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_reshape(sparse.eye(2), new_sizes=(4,)).indices.tolist()
      [[0], [3]]
    """
    n_batch, new_sizes = mat.n_batch, tuple(map(operator.index, new_sizes))
    if not mat.indices.shape[:n_batch] == mat.data.shape[:n_batch] == mat.shape[:n_batch]:
        raise NotImplementedError("reshape of arrays with broadcasted batch dimensions.")
    if dimensions is not None:
        _permutations("bcoo_reshape", mat, dimensions)
        mat = bcoo_transpose(mat, permutation=dimensions)
    batch, sizes, _ = util.split(mat.shape, n_batch, mat.n_sparse)
    new_batch, new_sparse, new_dense = _parts(mat, batch, sizes, new_sizes)
    data = mat.data.reshape(*new_batch, mat.nse, *new_dense)
    indices = mat.indices.reshape(*new_batch, mat.nse, mat.n_sparse)
    if sizes != new_sparse:
        flat = util.raveled(indices, sizes)
        dtype = indices.dtype
        indices = (
            util.unraveled(flat, new_sparse, dtype)
            if new_sparse
            else dnp.zeros((*flat.shape, 0), dtype)
        )
        if not new_sparse:
            is_inside = util.is_inside(mat.shape, mat.indices).reshape(*flat.shape)
            data = dnp.where(util.with_dense(is_inside, data), data, dnp.zeros_like(data))
    return BCOO((data, indices), shape=new_sizes)


def _parts(mat: BCOO, batch: Shape, sizes: Shape, new_sizes: Shape) -> tuple[Shape, Shape, Shape]:
    """The new sizes of batch, sparse and dense dimensions."""
    totals = np.cumprod(new_sizes)
    wanted = math.prod(batch), math.prod(batch) * math.prod(sizes)
    for has, total, first, second, name, number in (
        (math.prod(batch), wanted[0], "batch", "sparse", "n_batch", mat.n_batch),
        (math.prod(sizes), wanted[1], "sparse", "dense", "n_dense", mat.n_dense),
    ):
        if has != 1 and total not in totals:
            raise value_error(
                f"bcoo_reshape: new shape cannot mix {first} and {second} dimensions, got: "
                f"shape={mat.shape} new_shape={new_sizes} with {name}={number}"
            )
    i, j = (int(np.searchsorted(totals, total, side="right")) for total in wanted)
    return new_sizes[:i], new_sizes[i:j], new_sizes[j:]


def bcoo_rev(operand: BCOO, dimensions: Sequence[int]) -> BCOO:
    """A sparse array with dimensions reversed.

    Args:
      operand: the array.
      dimensions: the dimensions.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_rev(sparse.BCOO.fromdense(dnp.array([1, 0, 0])), (0,)).todense()
      Array([0, 0, 1], dtype=int32)
    """
    dt.eval_shape(
        lambda x: lax.rev(x, dimensions), dt.ShapeDtypeStruct(operand.shape, operand.dtype)
    )
    n_batch, n_sparse = operand.n_batch, operand.n_sparse
    data, indices = operand._bufs
    batch = [d for d in dimensions if d < n_batch]
    dense = [d + 1 - n_sparse for d in dimensions if d >= n_batch + n_sparse]
    if batch:
        indices = lax.rev(indices, batch)
    if batch or dense:
        data = lax.rev(data, [*batch, *dense])
    is_reversed = np.isin(np.arange(n_sparse) + n_batch, list(dimensions))
    if is_reversed.any():
        limits = util.bounds(operand.shape, indices)
        inside = util.is_inside(operand.shape, indices)[..., None]
        moved = dnp.where(is_reversed, limits - 1 - indices, indices)
        indices = dnp.where(inside, moved, limits)
    return BCOO((data, indices), shape=operand.shape)


def bcoo_squeeze(arr: BCOO, *, dimensions: Sequence[int]) -> BCOO:
    """A sparse array without some dimensions of size 1.

    Args:
      arr: the array.
      dimensions: the dimensions; negative ones count from the last.

    Raises:
      ValueError: one of them has another size.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_squeeze(sparse.eye(1), dimensions=(0,)).shape
      (1,)
    """
    dims = {operator.index(d) % max(arr.ndim, 1) for d in dimensions}
    if any(arr.shape[d] != 1 for d in dims):
        raise value_error(
            "bcoo_squeeze: cannot select an axis to squeeze out which has size not equal to one, "
            f"got shape={arr.shape} and dimensions={tuple(dimensions)}"
        )
    n_batch, n_sparse = arr.n_batch, arr.n_sparse
    batch = tuple(d for d in dims if d < n_batch)
    kept = [i for i in range(n_sparse) if i + n_batch not in dims]
    dense = tuple(d - n_sparse + 1 for d in dims if d >= n_batch + n_sparse)
    data, indices = arr._bufs
    if len(kept) < n_sparse:
        # An element outside along a dimension that goes must not come back.
        limits = util.bounds(arr.shape, indices)
        inside = util.is_inside(arr.shape, indices)
        indices = dnp.where(inside[..., None], indices, limits)[..., np.asarray(kept, np.int32)]
        data = dnp.where(util.with_dense(inside, data), data, dnp.zeros_like(data))
    return BCOO(
        (lax.squeeze(data, batch + dense), lax.squeeze(indices, batch)),
        shape=[size for d, size in enumerate(arr.shape) if d not in dims],
        indices_sorted=arr.indices_sorted,
        unique_indices=arr.unique_indices,
    )


def pad(mat: BCOO, config: Sequence[tuple[int, int, int]]) -> BCOO:
    """A sparse array with zeros around and between its elements, as `lax.pad`.

    Args:
      mat: the array.
      config: (before, after, between) for each dimension; negative ones take elements away.
    """
    n_batch, n_sparse = mat.n_batch, mat.n_sparse
    batch, sparse, dense = util.split(config, n_batch, n_sparse)
    out = dt.eval_shape(
        lambda x: lax.pad(x, dnp.zeros((), x.dtype), config),
        dt.ShapeDtypeStruct(mat.shape, mat.dtype),
    )
    if any(each != (0, 0, 0) for each in batch):
        raise NotImplementedError("sparse rule for pad along batch dimensions.")
    indices = mat.indices
    low, _, between = (
        (np.asarray(each, indices.dtype) for each in zip(*sparse, strict=True))
        if sparse
        else (np.zeros(0, indices.dtype),) * 3
    )
    limits = util.bounds(out.shape, indices)
    moved = indices * (between + 1) + low
    inside = util.is_inside(mat.shape, indices) & dnp.all((moved >= 0) & (moved < limits), axis=-1)
    indices = dnp.where(inside[..., None], moved, limits)
    none = [(0, 0, 0)] * (n_batch + 1)
    data = lax.pad(mat.data, dnp.zeros((), mat.dtype), [*none, *dense])
    return BCOO((data, indices), shape=out.shape)
