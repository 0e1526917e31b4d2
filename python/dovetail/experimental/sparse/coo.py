"""`COO`: one matrix as values and their rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import late
from dovetail.experimental.sparse import util
from dovetail.experimental.sparse.base import Buffered, JAXSparse
from dovetail.numpy.promotion import promote
from dovetail.tracing.composed import composed
from dovetail.tree_util import register_pytree_node_class


class COOInfo(NamedTuple):
    """What is known of a matrix beside its buffers.

    Attributes:
      shape: its shape.
      rows_sorted: whether elements are in the order of rows, then columns.
      cols_sorted: whether they are in the order of columns, then rows.
    """

    shape: tuple[int, ...]
    rows_sorted: bool = False
    cols_sorted: bool = False


@register_pytree_node_class
class COO(Buffered):
    """A sparse matrix in coordinate format; `BCOO` can do more.

    Args:
      args: (data, row, col), each of shape (nse,).
      shape: the shape of the matrix.
      rows_sorted: whether elements are in the order of rows, then columns.
      cols_sorted: whether they are in the order of columns, then rows.

    Example:
      >>> from dovetail.experimental import sparse
      >>> matrix = sparse.COO.fromdense(dnp.array([[0.0, 2.0], [1.0, 0.0]]))
      >>> matrix.row.tolist(), matrix.col.tolist()
      ([0, 1], [1, 0])
    """

    data: Any
    row: Any
    col: Any

    _buffers = ("data", "row", "col")
    _facts = ("shape", "_rows_sorted", "_cols_sorted")

    def __init__(
        self,
        args: Sequence[Any],
        *,
        shape: Sequence[int],
        rows_sorted: bool = False,
        cols_sorted: bool = False,
    ) -> None:
        self.data, self.row, self.col = map(dnp.asarray, args)
        self._rows_sorted, self._cols_sorted = rows_sorted, cols_sorted
        super().__init__(args, shape=shape)

    @property
    def nse(self) -> int:
        """The number of specified elements."""
        return self.data.size

    @property
    def _info(self) -> COOInfo:
        return COOInfo(self.shape, self._rows_sorted, self._cols_sorted)

    @classmethod
    def fromdense(cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> COO:
        """A sparse matrix of the elements of a dense one that are not 0, as `coo_fromdense`."""
        return coo_fromdense(mat, nse=nse, index_dtype=index_dtype)

    @classmethod
    def _empty(cls, shape: Sequence[int], *, dtype: Any = None, index_dtype: Any = "int32") -> COO:
        util.check_two_dimensions("COO", shape)
        none = dnp.zeros(0, index_dtype)
        return cls(
            (dnp.zeros(0, dtype), none, none), shape=shape, rows_sorted=True, cols_sorted=True
        )

    @classmethod
    def _eye(cls, N: int, M: int, k: int, *, dtype: Any = None, index_dtype: Any = "int32") -> COO:
        row, col = np.nonzero(np.eye(N, M, k))
        return cls(
            (dnp.ones(len(row), dtype), row.astype(index_dtype), col.astype(index_dtype)),
            shape=(N, M),
            rows_sorted=True,
            cols_sorted=True,
        )

    def _sort_indices(self) -> COO:
        """The same matrix, in the order of rows, then columns."""
        if self._rows_sorted:
            return self
        row, col, data = lax.sort((self.row, self.col, self.data), num_keys=2)
        return COO((data, row, col), shape=self.shape, rows_sorted=True)

    def todense(self) -> Array:
        """The same matrix, dense."""
        return coo_todense(self)

    def transpose(self, axes: Sequence[int] | None = None) -> COO:
        """The transpose; there are no other orders of dimensions."""
        if axes is not None:
            raise NotImplementedError("axes argument to transpose()")
        return COO(
            (self.data, self.col, self.row),
            shape=self.shape[::-1],
            rows_sorted=self._cols_sorted,
            cols_sorted=self._rows_sorted,
        )

    def __matmul__(self, other: Any) -> Array:
        if isinstance(other, JAXSparse):
            raise NotImplementedError("matmul between two sparse objects.")
        data, other = promote("matmul", self.data, dnp.asarray(other))
        mat = COO((data, self.row, self.col), **self._info._asdict())
        if other.ndim not in (1, 2):
            raise NotImplementedError(f"matmul with object of shape {other.shape}")
        return coo_matvec(mat, other) if other.ndim == 1 else coo_matmat(mat, other)


def coo_fromdense(mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> COO:
    """A sparse matrix of the elements of a dense one that are not 0.

    Args:
      mat: the dense matrix.
      nse: the number of elements to specify, which must be given in traced functions.
      index_dtype: the type of rows and columns.

    Raises:
      ConcretizationTypeError: `nse` is not given, or traced, in a traced function.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.coo_fromdense(dnp.eye(2)).data
      Array([1., 1.], dtype=float32)
    """
    mat = dnp.asarray(mat)
    util.check_two_dimensions("COO", mat.shape)
    wanted = util.count(mat) if nse is None else nse
    nse = util.number_of_elements("coo_fromdense", wanted)
    made = _fromdense(mat, nse=nse, index_dtype=index_dtype)
    return COO(made, shape=mat.shape, rows_sorted=True)


@composed("coo_fromdense", multiple_results=True)
def _fromdense(mat: Array, *, nse: int, index_dtype: Any) -> tuple[Array, Array, Array]:
    """The buffers of elements that are not 0."""
    row, col = util.columns(util.find(mat != 0, 0, nse, index_dtype))
    return util.values_at(mat, (row, col)), row, col


def coo_todense(mat: COO) -> Array:
    """The dense matrix of a sparse one.

    Args:
      mat: the sparse matrix.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.coo_todense(sparse.COO.fromdense(dnp.eye(2))).tolist()
      [[1.0, 0.0], [0.0, 1.0]]
    """
    return _todense(*mat._bufs, spinfo=mat._info)


@composed("coo_todense")
def _todense(data: Array, row: Array, col: Array, *, spinfo: Any) -> Array:
    """The dense matrix of buffers."""
    return util.add_at(tuple(spinfo.shape), (row, col), data)


def coo_matvec(mat: COO, v: Any, transpose: bool = False) -> Array:
    """A sparse matrix times a vector.

    Args:
      mat: the matrix.
      v: the vector.
      transpose: whether the matrix is transposed first.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.COO.fromdense(dnp.array([[0.0, 2.0], [0.0, 1.0]]))
      >>> sparse.coo_matvec(mat, dnp.ones(2), transpose=True)
      Array([0., 3.], dtype=float32)
    """
    return _matvec(*mat._bufs, dnp.asarray(v), spinfo=mat._info, transpose=transpose)


def coo_matmat(mat: COO, B: Any, *, transpose: bool = False) -> Array:
    """A sparse matrix times a dense one.

    Args:
      mat: the matrix.
      B: the dense matrix.
      transpose: whether the sparse matrix is transposed first.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.COO.fromdense(dnp.array([[0.0, 2.0], [0.0, 1.0]]))
      >>> sparse.coo_matmat(mat, dnp.ones((2, 1))).tolist()
      [[2.0], [1.0]]
    """
    return _matmat(*mat._bufs, dnp.asarray(B), spinfo=mat._info, transpose=transpose)


def _product(
    data: Array, row: Array, col: Array, x: Array, *, spinfo: Any, transpose: bool
) -> Array:
    return product(data, row, col, x, spinfo.shape, transpose)


_matvec = composed("coo_matvec")(_product)
_matmat = composed("coo_matmat")(_product)


def product(
    data: Array, row: Array, col: Array, x: Array, shape: Sequence[int], transpose: bool
) -> Array:
    """A matrix of coordinates times a vector or a matrix."""
    if transpose:
        row, col, shape = col, row, shape[::-1]
    dtype = dnp.result_type(data, x)
    values = util.with_dense(data.astype(dtype), x) if x.ndim > 1 else data.astype(dtype)
    return util.add_at((shape[0], *x.shape[1:]), (row,), values * util.values_at(x, (col,)))


def __getattr__(name: str) -> Any:
    if not name.endswith("_p"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return late.jaxprs.find(__name__, name)
