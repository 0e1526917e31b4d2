"""Other layouts of sparse arrays: which of their dimensions are batches, sparse and dense."""

from __future__ import annotations

import math
import operator

import numpy as np

from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error, warn
from dovetail.experimental.sparse import util
from dovetail.experimental.sparse.base import (
    Shape,
    SparseEfficiencyError,
    SparseEfficiencyWarning,
)
from dovetail.experimental.sparse.bcoo import BCOO


def bcoo_update_layout(
    mat: BCOO,
    *,
    n_batch: int | None = None,
    n_dense: int | None = None,
    on_inefficient: str | None = "error",
) -> BCOO:
    """The same array, with other numbers of batch and dense dimensions.

    More of these take much memory, unless they have size 0 or 1: for each element that was stored,
    there is a block of zeros or one in each batch.

    Args:
      mat: the array.
      n_batch: the number of batch dimensions, by default that of `mat`.
      n_dense: the number of dense dimensions, by default that of `mat`.
      on_inefficient: "error", "warn" or None, for layouts that take much more memory.

    Raises:
      SparseEfficiencyError: that is so.
      ValueError: the array has not so many dimensions, or `on_inefficient` is none of these.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO.fromdense(dnp.eye(3), n_batch=1)
      >>> sparse.bcoo_update_layout(mat, n_batch=0)
      BCOO(float32[3, 3], nse=3)
    """
    n_batch = mat.n_batch if n_batch is None else operator.index(n_batch)
    n_dense = mat.n_dense if n_dense is None else operator.index(n_dense)
    if (n_batch, n_dense) == (mat.n_batch, mat.n_dense):
        return mat
    if on_inefficient not in ("error", "warn", None):
        raise value_error(
            "bcoo_update_layout: on_inefficient must be 'error', 'warn' or None, got: "
            f"{on_inefficient!r}"
        )
    for name, number in (("n_batch", n_batch), ("n_dense", n_dense)):
        if number < 0:
            raise value_error(f"bcoo_update_layout: {name} must be non-negative, got: {number}")
    if n_batch + n_dense > mat.ndim:
        raise value_error(
            f"bcoo_update_layout: sum of n_batch={n_batch} and n_dense={n_dense} cannot be larger "
            f"than mat.ndim={mat.ndim}."
        )
    for name, before, number, new in (
        ("n_dense", mat.n_dense, n_dense, mat.shape[mat.ndim - n_dense : mat.ndim - mat.n_dense]),
        ("n_batch", mat.n_batch, n_batch, mat.shape[mat.n_batch : n_batch]),
    ):
        if number > before and any(size > 1 for size in new):
            _report(mat, name, before, number, on_inefficient)
    data, indices = mat._bufs
    if n_dense < mat.n_dense:
        data, indices = _dense_to_sparse(data, indices, mat.n_dense - n_dense)
    if n_batch < mat.n_batch:
        data, indices = _batch_to_sparse(data, indices, mat.shape, n_batch)
    if n_dense > mat.n_dense:
        data, indices = _sparse_to_dense(data, indices, mat.shape, n_dense, mat.n_dense)
    if n_batch > mat.n_batch:
        data, indices = _sparse_to_batch(data, indices, mat.shape, n_batch)
    return BCOO((data, indices), shape=mat.shape)


def _report(mat: BCOO, name: str, before: int, number: int, how: str | None) -> None:
    message = (
        f"bcoo_update_layout: For matrix of shape {mat.shape}, increasing {name} from {before} to "
        f"{number} results in inefficient storage. To disable this "
    )
    if how == "error":
        raise SparseEfficiencyError(
            f"{message}error, set the on_inefficient argument of bcoo_update_layout to 'warn' or "
            "None."
        )
    if how == "warn":
        warn(
            f"{message}warning, set the on_inefficient argument of bcoo_update_layout to None.",
            category=SparseEfficiencyWarning,
        )


def _with_columns(more: list[Array], indices: Array, in_front: bool) -> Array:
    """Indices with those of more dimensions, all broadcast against each other."""
    parts = [part[..., None].astype(indices.dtype) for part in map(dnp.asarray, more)]
    parts = [*parts, indices] if in_front else [indices, *parts]
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return dnp.concatenate([dnp.broadcast_to(p, (*shape, p.shape[-1])) for p in parts], axis=-1)


def _dense_to_sparse(data: Array, indices: Array, count: int) -> tuple[Array, Array]:
    """The first dense dimensions become the last sparse ones."""
    n_batch = indices.ndim - 2
    batch, (nse,), new, dense = util.split(data.shape, n_batch, 1, count)
    size = math.prod(new)
    wide = indices.reshape(*indices.shape[:-1], *(1,) * count, indices.shape[-1])
    more = [dnp.asarray(p[(None,) * (n_batch + 1)]) for p in util.positions(new, 0)]
    made = _with_columns(more, wide, in_front=False)
    made = dnp.broadcast_to(made, (*made.shape[:n_batch], nse, *new, made.shape[-1]))
    return (
        data.reshape(*batch, nse * size, *dense),
        made.reshape(*made.shape[:n_batch], nse * size, made.shape[-1]),
    )


def _batch_to_sparse(
    data: Array, indices: Array, shape: Shape, n_batch: int
) -> tuple[Array, Array]:
    """The last batch dimensions become the first sparse ones."""
    had = indices.ndim - 2
    new, nse = shape[n_batch:had], indices.shape[-2]
    size = math.prod(new) * nse
    more = [dnp.asarray(p[(None,) * n_batch]) for p in util.positions(new)]
    made = _with_columns(more, indices, in_front=True)
    made = dnp.broadcast_to(made, (*made.shape[:n_batch], *new, nse, made.shape[-1]))
    data = dnp.broadcast_to(data, (*data.shape[:n_batch], *new, *data.shape[had:]))
    return (
        data.reshape(*data.shape[:n_batch], size, *data.shape[had + 1 :]),
        made.reshape(*made.shape[:n_batch], size, made.shape[-1]),
    )


def _sparse_to_dense(
    data: Array, indices: Array, shape: Shape, n_dense: int, had: int
) -> tuple[Array, Array]:
    """The last sparse dimensions become the first dense ones."""
    n_batch, count = indices.ndim - 2, n_dense - had
    batch = np.broadcast_shapes(data.shape[:n_batch], indices.shape[:n_batch])
    nse = indices.shape[-2]
    where = [*util.positions((*batch, nse), 0), *util.columns(indices)[-count:]]
    data = util.add_at((*batch, nse, *shape[len(shape) - n_dense :]), where, data)
    return data, indices[..., : indices.shape[-1] - count]


def _sparse_to_batch(
    data: Array, indices: Array, shape: Shape, n_batch: int
) -> tuple[Array, Array]:
    """The first sparse dimensions become the last batch ones."""
    had = indices.ndim - 2
    count, new, nse = n_batch - had, shape[had:n_batch], indices.shape[-2]
    batch = np.broadcast_shapes(data.shape[:had], indices.shape[:had])
    *before, each = util.positions((*batch, nse), 0)
    where = [*before, *util.columns(indices)[:count], each]
    data = util.add_at((*batch, *new, nse, *data.shape[had + 1 :]), where, data)
    rest = indices[..., count:]
    wide = rest.reshape(*rest.shape[:had], *(1,) * count, *rest.shape[had:])
    return data, dnp.broadcast_to(wide, (*rest.shape[:had], *new, *rest.shape[had:]))
