"""Functions of buffers, which JAX's tests call, as those of arrays."""

from dovetail.experimental.sparse import bcoo as _bcoo
from dovetail.experimental.sparse import bcoo_products as _products
from dovetail.experimental.sparse.bcoo import *  # noqa: F403
from dovetail.experimental.sparse.bcoo_products import bcoo_dot_general  # noqa: F401


def _bcoo_fromdense(mat, **kwargs):
    return _bcoo.bcoo_fromdense(mat, **kwargs)._bufs


def _bcoo_todense(data, indices, *, spinfo):
    return _bcoo.BCOO((data, indices), shape=spinfo.shape).todense()


def _bcoo_extract(indices, arr, *, assume_unique=True):
    return _bcoo.extract(indices, arr, assume_unique=assume_unique)


def _bcoo_dot_general(data, indices, rhs, *, lhs_spinfo, **kwargs):
    lhs = _bcoo.BCOO((data, indices), shape=lhs_spinfo.shape)
    return _products.bcoo_dot_general(lhs, rhs, **kwargs)
