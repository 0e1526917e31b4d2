"""Functions of buffers, which JAX's tests call, as those of matrices."""

from dovetail.experimental.sparse import csr as _csr
from dovetail.experimental.sparse.csr import *  # noqa: F403


def _csr_fromdense(mat, **kwargs):
    return _csr.csr_fromdense(mat, **kwargs)._bufs


def _csr_todense(data, indices, indptr, *, shape):
    return _csr.CSR((data, indices, indptr), shape=shape).todense()


def _csr_matvec(data, indices, indptr, v, *, shape, transpose=False):
    return _csr.csr_matvec(_csr.CSR((data, indices, indptr), shape=shape), v, transpose=transpose)


def _csr_matmat(data, indices, indptr, B, *, shape, transpose=False):
    return _csr.csr_matmat(_csr.CSR((data, indices, indptr), shape=shape), B, transpose=transpose)
