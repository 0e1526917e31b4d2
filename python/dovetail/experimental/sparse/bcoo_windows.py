"""Sums of sparse arrays along dimensions, and their convolutions in one dimension."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.experimental.sparse import util
from dovetail.experimental.sparse.bcoo import BCOO
from dovetail.experimental.sparse.bcoo_layout import bcoo_update_layout


def bcoo_reduce_sum(mat: BCOO, *, axes: Sequence[int]) -> BCOO:
    """The sum of a sparse array along dimensions.

    Those along sparse dimensions have the same specified elements, of which some now have the same
    indices; those along batches have the elements of all of these.

    Args:
      mat: the array.
      axes: the dimensions.

    Raises:
      ValueError: they do not exist.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO.fromdense(dnp.array([[1, 2], [0, 3]]))
      >>> sparse.bcoo_reduce_sum(mat, axes=(0,)).todense()
      Array([1, 5], dtype=int32)
    """
    chosen = sorted({int(axis) for axis in axes})
    if any(not 0 <= axis < mat.ndim for axis in chosen):
        raise value_error(
            f"bcoo_reduce_sum: axes must be dimensions of {mat.ndim}, got: {tuple(axes)}"
        )
    n_batch, n_sparse, data, indices = mat.n_batch, mat.n_sparse, mat.data, mat.indices
    dense = tuple(axis - n_sparse + 1 for axis in chosen if axis >= n_batch + n_sparse)
    if dense:
        data = dnp.sum(data, dense, dtype=data.dtype)
    if n_sparse:
        # An element outside along a dimension that goes must not come back.
        inside = util.is_inside(mat.shape, indices)
        data = dnp.where(util.with_dense(inside, data), data, dnp.zeros_like(data))
        kept = [i for i in range(n_sparse) if i + n_batch not in chosen]
        indices = indices[..., np.asarray(kept, np.int32)]
    batch = [axis for axis in chosen if axis < n_batch]
    for axis in batch:
        data, indices = _with_all(data, indices, axis, mat.shape[axis])
    rest = [axis for axis in range(n_batch) if axis not in batch]
    nse = mat.nse * math.prod(data.shape[axis] for axis in batch)
    made = []
    for buffer in (data, indices):
        ordered = lax.transpose(buffer, (*rest, *batch, *range(n_batch, buffer.ndim)))
        shape = (*ordered.shape[: len(rest)], nse, *ordered.shape[n_batch + 1 :])
        made.append(ordered.reshape(shape))
    return BCOO(made, shape=[size for i, size in enumerate(mat.shape) if i not in chosen])


def _with_all(data: Array, indices: Array, axis: int, size: int) -> tuple[Array, Array]:
    """Buffers with as many elements as each other along a batch dimension that is summed."""
    if indices.shape[axis] == 1 and data.shape[axis] == 1:
        return data * np.asarray(size, data.dtype), indices
    if indices.shape[axis] == 1:
        return dnp.sum(data, axis, keepdims=True, dtype=data.dtype), indices
    shape = (*data.shape[:axis], size, *data.shape[axis + 1 :])
    return dnp.broadcast_to(data, shape), indices


def bcoo_conv_general_dilated(
    lhs: Any,
    rhs: Any,
    *,
    window_strides: Sequence[int],
    padding: Any,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> BCOO:
    """A convolution in one dimension, of one channel, of arrays of which some are sparse.

    Args:
      lhs: a dense or sparse array of shape (1, 1, n).
      rhs: likewise, the kernel.
      window_strides: must be (1,).
      padding: "SAME", "VALID" or a pair.
      lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count, batch_group_count: as for
        `lax.conv_general_dilated`, but without dilation and groups.
      precision, preferred_element_type, out_sharding: ignored.

    Raises:
      NotImplementedError: there is more than that.
      TypeError: an operand is no array.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO.fromdense(dnp.array([[[1.0, 0.0, 2.0]]]), n_batch=2)
      >>> kernel = dnp.ones((1, 1, 2))
      >>> made = sparse.bcoo_conv_general_dilated(
      ...     mat, kernel, window_strides=(1,), padding="VALID"
      ... )
      >>> made.todense()
      Array([[[1., 2.]]], dtype=float32)
    """
    spatial = lhs.ndim - 2
    for name, given in (("lhs_dilation", lhs_dilation), ("rhs_dilation", rhs_dilation)):
        if given is not None and tuple(given) != (1,) * spatial:
            raise NotImplementedError(f"bcoo convolution with {name}.")
    if tuple(window_strides) != (1,) * spatial:
        raise NotImplementedError("bcoo convolution with non-unit window_strides.")
    if (batch_group_count, feature_group_count) != (1, 1):
        raise NotImplementedError("bcoo convolution with non-unit group counts.")
    if spatial != 1 or not lhs.shape[:2] == rhs.shape[:2] == (1, 1):
        raise NotImplementedError("bcoo convolution with leading dimensions other than (1, 1)")
    if dimension_numbers is not None:
        raise NotImplementedError("bcoo convolution with dimension_numbers.")
    n, width = lhs.shape[2], rhs.shape[2]
    low, high = (
        lax.padtype_to_pads((n,), (width,), (1,), padding)[0]
        if isinstance(padding, str)
        else padding[0]
    )
    dtype = next((x.indices.dtype for x in (lhs, rhs) if isinstance(x, BCOO)), np.dtype(np.int32))
    (x, x_at), (y, y_at) = (_line(operand, dtype) for operand in (lhs, rhs))
    data = (x[:, None] * y[None, :]).reshape(-1)
    places = (x_at[:, None] + (int(low) - y_at)[None, :]).reshape(-1)
    size = max(0, n + int(low) + int(high) - width + 1)
    is_inside = (places >= 0) & (places < size)
    data = dnp.where(is_inside, data, dnp.zeros_like(data))
    places = dnp.where(is_inside, places, size)
    return BCOO((data[None, None], places[None, None, :, None]), shape=(1, 1, size))


def _line(operand: Any, dtype: Any) -> tuple[Array, Array]:
    """The values of one channel and their places."""
    if not isinstance(operand, BCOO):
        if not isinstance(operand, (Array, np.ndarray)):
            raise type_error(
                "bcoo_conv_general_dilated: operands must be arrays, got: "
                f"{type(operand)} not recognized"
            )
        values = dnp.asarray(operand)[0, 0]
        return values, dnp.arange(len(values), dtype=dtype)
    mat = bcoo_update_layout(operand, n_batch=2, n_dense=0)
    data, indices = mat.data[0, 0], mat.indices[0, 0, :, 0]
    return dnp.where(indices < mat.shape[-1], data, dnp.zeros_like(data)), indices
