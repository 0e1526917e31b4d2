"""Functions of buffers, which JAX's tests call, as those of matrices."""

from dovetail.experimental.sparse import coo as _coo
from dovetail.experimental.sparse.coo import *  # noqa: F403


def _coo_fromdense(mat, **kwargs):
    return _coo.coo_fromdense(mat, **kwargs)._bufs


def _coo_todense(data, row, col, *, spinfo):
    return _coo.COO((data, row, col), **spinfo._asdict()).todense()


def _coo_matvec(data, row, col, v, *, spinfo, transpose=False):
    return _coo.coo_matvec(_coo.COO((data, row, col), **spinfo._asdict()), v, transpose=transpose)


def _coo_matmat(data, row, col, B, *, spinfo, transpose=False):
    return _coo.coo_matmat(_coo.COO((data, row, col), **spinfo._asdict()), B, transpose=transpose)
