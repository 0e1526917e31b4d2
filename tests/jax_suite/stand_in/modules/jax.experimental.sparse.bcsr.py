"""Functions of buffers, which JAX's tests call, as those of arrays."""

import numpy as _np

from dovetail import numpy as _jnp
from dovetail.experimental.sparse import bcsr as _bcsr
from dovetail.experimental.sparse import util as _util
from dovetail.experimental.sparse.bcsr import *  # noqa: F403


def _bcsr_fromdense(mat, **kwargs):
    return _bcsr.bcsr_fromdense(mat, **kwargs)._bufs


def _bcoo_to_bcsr(indices, *, shape, index_dtype):
    n_batch = indices.ndim - 2
    return indices[..., 1], _util.starts_of(indices[..., 0], shape[n_batch], index_dtype)


def _bcsr_to_bcoo(indices, indptr, *, shape):
    rows = _util.rows_of(indptr, indices.shape[-1])
    batch = _np.broadcast_shapes(rows.shape, indices.shape)
    return _jnp.stack([_jnp.broadcast_to(each, batch) for each in (rows, indices)], axis=-1)
