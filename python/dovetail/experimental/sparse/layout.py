"""The layout of coordinates: how many dimensions are batches, sparse and dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error


class Layout(NamedTuple):
    """The numbers of dimensions of each kind, and of specified elements of each batch."""

    n_batch: int
    n_sparse: int
    n_dense: int
    nse: int


def layout_of(data: Any, indices: Any, shape: Sequence[int]) -> Layout:
    """The layout of an array of this shape.

    Raises:
      ValueError: the buffers' shapes do not fit each other, or the array's.
      TypeError: the indices are no integers.
    """
    found = layout_of_indices(indices, shape)
    n_batch, n_sparse, n_dense, nse = found
    if data.ndim < n_batch or not _fits(data.shape[:n_batch], shape):
        raise value_error(
            f"BCOO: data batch dimensions not compatible for data.shape={data.shape}, "
            f"shape={tuple(shape)}"
        )
    if data.shape[n_batch:] != (nse, *shape[n_batch + n_sparse :]):
        raise value_error(
            f"BCOO: data must have shape (batch..., nse, dense...), got: Invalid "
            f"data.shape={data.shape} for nse={nse}, n_batch={n_batch}, n_dense={n_dense}"
        )
    return found


def layout_of_indices(indices: Any, shape: Sequence[int]) -> Layout:
    """The layout that indices imply.

    Raises:
      ValueError: they do not fit the array's shape.
      TypeError: they are no integers.
    """
    if indices.ndim < 2 or not dtypes.issubdtype(indices.dtype, np.integer):
        raise type_error(
            "BCOO: indices must be integers of shape (batch..., nse, sparse dimensions), got: "
            f"{indices.dtype}{list(indices.shape)}"
        )
    nse, n_sparse = indices.shape[-2:]
    n_batch = indices.ndim - 2
    n_dense = len(shape) - n_batch - n_sparse
    if n_dense < 0 or not _fits(indices.shape[:n_batch], shape):
        raise value_error(
            f"BCOO: indices batch dimensions not compatible for indices.shape={indices.shape}, "
            f"shape={tuple(shape)}"
        )
    return Layout(n_batch, n_sparse, n_dense, nse)


def _fits(batch: Sequence[int], shape: Sequence[int]) -> bool:
    return all(size in (1, of) for size, of in zip(batch, shape, strict=False))
