"""`CSR` and `CSC`: one matrix as compressed rows or columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import late
from dovetail.experimental.sparse import coo, util
from dovetail.experimental.sparse.base import Buffered, JAXSparse
from dovetail.numpy.promotion import promote
from dovetail.tracing.composed import composed
from dovetail.tree_util import register_pytree_node_class


class _Compressed(Buffered):
    """What both formats share.

    Args:
      args: (data, indices, indptr), of shapes (nse,), (nse,) and (compressed size + 1,).
      shape: the shape of the matrix.
    """

    data: Any
    indices: Any
    indptr: Any

    _buffers = ("data", "indices", "indptr")
    _facts = ("shape",)

    def __init__(self, args: Sequence[Any], *, shape: Sequence[int]) -> None:
        self.data, self.indices, self.indptr = map(dnp.asarray, args)
        super().__init__(args, shape=shape)

    @property
    def nse(self) -> int:
        """The number of specified elements."""
        return self.data.size

    @property
    def _info(self) -> tuple[tuple[int, ...]]:
        return (self.shape,)

    @classmethod
    def _compressed(cls, shape: tuple[int, ...]) -> int:
        """The number of rows or columns that are compressed."""
        raise NotImplementedError

    @classmethod
    def _empty(cls, shape: Sequence[int], *, dtype: Any = None, index_dtype: Any = "int32") -> Any:
        util.check_two_dimensions(cls.__name__, shape)
        starts = dnp.zeros(cls._compressed(tuple(shape)) + 1, index_dtype)
        return cls((dnp.zeros(0, dtype), dnp.zeros(0, index_dtype), starts), shape=shape)

    def _times(self, other: Any, transpose: bool) -> Array:
        if isinstance(other, JAXSparse):
            raise NotImplementedError("matmul between two sparse objects.")
        data, other = promote("matmul", self.data, dnp.asarray(other))
        if other.ndim not in (1, 2):
            raise NotImplementedError(f"matmul with object of shape {other.shape}")
        shape = self.shape[::-1] if transpose else self.shape
        mat = CSR((data, self.indices, self.indptr), shape=shape)
        times = csr_matvec if other.ndim == 1 else csr_matmat
        return times(mat, other, transpose=transpose)


@register_pytree_node_class
class CSR(_Compressed):
    """A sparse matrix in compressed sparse row format; `BCSR` can do more.

    Args:
      args: (data, indices, indptr): values and their columns, of shape (nse,), and the starts of
        rows in these, of shape (rows + 1,).
      shape: the shape of the matrix.

    Example:
      >>> from dovetail.experimental import sparse
      >>> matrix = sparse.CSR.fromdense(dnp.array([[0.0, 2.0], [1.0, 0.0]]))
      >>> matrix.indices.tolist(), matrix.indptr.tolist()
      ([1, 0], [0, 1, 2])
    """

    @classmethod
    def _compressed(cls, shape: tuple[int, ...]) -> int:
        return shape[0]

    @classmethod
    def fromdense(cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> CSR:
        """A sparse matrix of the elements of a dense one that are not 0, as `csr_fromdense`."""
        return csr_fromdense(mat, nse=nse, index_dtype=index_dtype)

    @classmethod
    def _eye(cls, N: int, M: int, k: int, *, dtype: Any = None, index_dtype: Any = "int32") -> CSR:
        row, col = np.nonzero(np.eye(N, M, k))
        starts = np.searchsorted(row, np.arange(N + 1)).astype(index_dtype)
        return cls((dnp.ones(len(row), dtype), col.astype(index_dtype), starts), shape=(N, M))

    def todense(self) -> Array:
        """The same matrix, dense."""
        return csr_todense(self)

    def transpose(self, axes: Sequence[int] | None = None) -> CSC:
        """The transpose; there are no other orders of dimensions."""
        if axes is not None:
            raise NotImplementedError("axes argument to transpose()")
        return CSC(self._bufs, shape=self.shape[::-1])

    def __matmul__(self, other: Any) -> Array:
        return self._times(other, transpose=False)


@register_pytree_node_class
class CSC(_Compressed):
    """A sparse matrix in compressed sparse column format.

    Args:
      args: (data, indices, indptr): values and their rows, of shape (nse,), and the starts of
        columns in these, of shape (columns + 1,).
      shape: the shape of the matrix.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.CSC.fromdense(dnp.array([[0.0, 2.0], [1.0, 0.0]])).data
      Array([1., 2.], dtype=float32)
    """

    @classmethod
    def _compressed(cls, shape: tuple[int, ...]) -> int:
        return shape[1]

    @classmethod
    def fromdense(cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> CSC:
        """A sparse matrix of the elements of a dense one that are not 0.

        Args:
          mat: the dense matrix.
          nse: the number of elements to specify, which must be given in traced functions.
          index_dtype: the type of the indices.
        """
        return csr_fromdense(dnp.asarray(mat).T, nse=nse, index_dtype=index_dtype).T

    @classmethod
    def _eye(cls, N: int, M: int, k: int, *, dtype: Any = None, index_dtype: Any = "int32") -> CSC:
        return CSR._eye(M, N, -k, dtype=dtype, index_dtype=index_dtype).T

    def todense(self) -> Array:
        """The same matrix, dense."""
        return csr_todense(self.T).T

    def transpose(self, axes: Sequence[int] | None = None) -> CSR:
        """The transpose; there are no other orders of dimensions."""
        if axes is not None:
            raise NotImplementedError("axes argument to transpose()")
        return CSR(self._bufs, shape=self.shape[::-1])

    def __matmul__(self, other: Any) -> Array:
        return self._times(other, transpose=True)


def csr_fromdense(mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> CSR:
    """A sparse matrix of compressed rows of the elements of a dense one that are not 0.

    Args:
      mat: the dense matrix.
      nse: the number of elements to specify, which must be given in traced functions.
      index_dtype: the type of the indices.

    Raises:
      ConcretizationTypeError: `nse` is not given, or traced, in a traced function.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.csr_fromdense(dnp.eye(2)).indptr.tolist()
      [0, 1, 2]
    """
    mat = dnp.asarray(mat)
    util.check_two_dimensions("CSR", mat.shape)
    wanted = util.count(mat) if nse is None else nse
    nse = util.number_of_elements("csr_fromdense", wanted)
    return CSR(_fromdense(mat, nse=nse, index_dtype=index_dtype), shape=mat.shape)


@composed("csr_fromdense", multiple_results=True)
def _fromdense(mat: Array, *, nse: int, index_dtype: Any) -> tuple[Array, Array, Array]:
    """The buffers of elements that are not 0."""
    made = coo.coo_fromdense(mat, nse=nse, index_dtype=index_dtype)
    return made.data, made.col, util.starts_of(made.row, mat.shape[0], index_dtype)


def csr_todense(mat: CSR) -> Array:
    """The dense matrix of a sparse one.

    Args:
      mat: the sparse matrix.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.csr_todense(sparse.CSR.fromdense(dnp.eye(2))).tolist()
      [[1.0, 0.0], [0.0, 1.0]]
    """
    return _todense(*mat._bufs, shape=mat.shape)


@composed("csr_todense")
def _todense(data: Array, indices: Array, indptr: Array, *, shape: Sequence[int]) -> Array:
    """The dense matrix of buffers."""
    return util.add_at(tuple(shape), (util.rows_of(indptr, data.size), indices), data)


def csr_matvec(mat: CSR, v: Any, transpose: bool = False) -> Array:
    """A sparse matrix times a vector.

    Args:
      mat: the matrix.
      v: the vector.
      transpose: whether the matrix is transposed first.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.CSR.fromdense(dnp.array([[0.0, 2.0], [0.0, 1.0]]))
      >>> sparse.csr_matvec(mat, dnp.ones(2))
      Array([2., 1.], dtype=float32)
    """
    return _matvec(*mat._bufs, dnp.asarray(v), shape=mat.shape, transpose=transpose)


def csr_matmat(mat: CSR, B: Any, *, transpose: bool = False) -> Array:
    """A sparse matrix times a dense one.

    Args:
      mat: the matrix.
      B: the dense matrix.
      transpose: whether the sparse matrix is transposed first.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.CSR.fromdense(dnp.array([[0.0, 2.0], [0.0, 1.0]]))
      >>> sparse.csr_matmat(mat, dnp.ones((2, 1)), transpose=True).tolist()
      [[0.0], [3.0]]
    """
    return _matmat(*mat._bufs, dnp.asarray(B), shape=mat.shape, transpose=transpose)


def _product(
    data: Array,
    indices: Array,
    indptr: Array,
    x: Array,
    *,
    shape: Sequence[int],
    transpose: bool,
) -> Array:
    rows = util.rows_of(indptr, data.size)
    return coo.product(data, rows, indices, x, tuple(shape), transpose)


_matvec = composed("csr_matvec")(_product)
_matmat = composed("csr_matmat")(_product)


def __getattr__(name: str) -> Any:
    if not name.endswith("_p"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return late.jaxprs.find(__name__, name)
