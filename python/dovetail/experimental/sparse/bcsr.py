"""`BCSR`: batches of matrices as compressed rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import late
from dovetail.base.errors import value_error
from dovetail.experimental.sparse import bcoo, util
from dovetail.experimental.sparse.base import Batched, JAXSparse
from dovetail.experimental.sparse.bcoo_products import (
    DimensionNumbers,
    bcoo_dot_general,
    numbers_of,
)
from dovetail.experimental.sparse.bcoo_shape import bcoo_broadcast_in_dim, bcoo_concatenate
from dovetail.tracing.composed import composed
from dovetail.transforms.batched_nodes import register_batched_node
from dovetail.tree_util import register_pytree_node_class


@register_pytree_node_class
class BCSR(Batched):
    """A sparse array in batched compressed sparse row format.

    Its dimensions are batches, then rows and columns, then dense ones, of which each stored element
    is a block.

    Args:
      args: (data, indices, indptr): `data` of shape (batch..., nse, dense...), `indices`, the
        columns, of shape (batch..., nse), and `indptr`, the starts of rows in these, of shape
        (batch..., rows + 1).
      shape: the shape of the array.
      indices_sorted: whether the columns in each row are in order.
      unique_indices: whether none of them occurs twice in a row.

    Raises:
      ValueError: these shapes do not fit each other.

    Example:
      >>> from dovetail.experimental import sparse
      >>> matrix = sparse.BCSR.fromdense(dnp.array([[0.0, 2.0, 0.0], [1.0, 0.0, 4.0]]))
      >>> matrix
      BCSR(float32[2, 3], nse=3)
      >>> matrix.indptr
      Array([0, 1, 3], dtype=int32)
    """

    indptr: Any

    _buffers = ("data", "indices", "indptr")

    def _check(self) -> None:
        shape, n_batch, nse = self.shape, self.n_batch, self.nse
        n_dense = len(shape) - n_batch - 2
        if n_dense < 0:
            raise value_error(f"BCSR array must have 2 sparse dimensions; {n_dense + 2} is given.")
        for name, buffer in zip(self._buffers, self._bufs, strict=True):
            batch = zip(buffer.shape[:n_batch], shape, strict=False)
            if not all(size in (1, of) for size, of in batch):
                raise value_error(
                    f"BCSR: {name} batch dimensions not compatible for {name}.shape="
                    f"{buffer.shape}, shape={shape}"
                )
        if self.indptr.shape[n_batch:] != (shape[n_batch] + 1,):
            raise value_error(
                f"BCSR: indptr shape must match the matrix shape plus 1. got: {self.indptr.shape}"
            )
        if self.data.shape[n_batch:] != (nse, *shape[n_batch + 2 :]):
            raise value_error(
                f"BCSR: data must have shape (batch..., nse, dense...), got: Invalid data.shape="
                f"{self.data.shape} for nse={nse}, n_batch={n_batch}, n_dense={n_dense}"
            )

    @property
    def nse(self) -> int:
        """The number of specified elements of each batch."""
        return self.indices.shape[-1]

    @property
    def n_batch(self) -> int:
        """The number of batch dimensions."""
        return self.indices.ndim - 1

    @property
    def n_sparse(self) -> int:
        """The number of sparse dimensions, 2."""
        return 2

    @classmethod
    def fromdense(
        cls,
        mat: Any,
        *,
        nse: int | None = None,
        index_dtype: Any = np.int32,
        n_dense: int = 0,
        n_batch: int = 0,
    ) -> BCSR:
        """A sparse array of the elements of a dense one that are not 0, as `bcsr_fromdense`."""
        return bcsr_fromdense(
            mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype
        )

    @classmethod
    def from_scipy_sparse(
        cls, mat: Any, *, index_dtype: Any = None, n_dense: int = 0, n_batch: int = 0
    ) -> BCSR:
        """A sparse array from a matrix of `scipy.sparse`, with its stored elements.

        Args:
          mat: the matrix, of any format.
          index_dtype: the type of the indices, by default int32.
          n_dense, n_batch: must be 0.

        Raises:
          NotImplementedError: there are to be dense or batch dimensions.
          ValueError: it has another number of dimensions than 2.
        """
        if n_dense or n_batch:
            raise NotImplementedError("BCSR from_scipy_sparse with nonzero n_dense/n_batch.")
        if mat.ndim != 2:
            raise value_error(f"BCSR from_scipy_sparse requires 2D array; {mat.ndim}D is given.")
        mat = mat.tocsr()
        dtype = index_dtype or np.int32
        buffers = mat.data, mat.indices.astype(dtype), mat.indptr.astype(dtype)
        return cls(buffers, shape=mat.shape)

    @classmethod
    def from_bcoo(cls, arr: bcoo.BCOO) -> BCSR:
        """The same array of coordinates as compressed rows.

        Args:
          arr: the array, with two sparse dimensions.

        Raises:
          NotImplementedError: it has another number of them.
        """
        if arr.n_sparse != 2:
            raise NotImplementedError(f"BSCR.from_bcoo requires n_sparse=2, got: {arr.n_sparse}")
        arr = arr if arr.indices_sorted else arr.sort_indices()
        rows, indices = util.columns(arr.indices)
        indptr = util.starts_of(rows, arr.shape[arr.n_batch], indices.dtype)
        return cls((arr.data, indices, indptr), shape=arr.shape)

    def to_bcoo(self) -> bcoo.BCOO:
        """The same array as coordinates."""
        rows = util.rows_of(self.indptr, self.nse).astype(self.indices.dtype)
        batch = np.broadcast_shapes(rows.shape, self.indices.shape)
        coordinates = [dnp.broadcast_to(each, batch) for each in (rows, self.indices)]
        return bcoo.BCOO((self.data, dnp.stack(coordinates, axis=-1)), shape=self.shape)

    @classmethod
    def _empty(
        cls,
        shape: Sequence[int],
        *,
        dtype: Any = None,
        index_dtype: Any = "int32",
        n_dense: int = 0,
        n_batch: int = 0,
        nse: int = 0,
    ) -> BCSR:
        shape = tuple(shape)
        if min(n_dense, n_batch, nse) < 0 or len(shape) - n_dense - n_batch != 2:
            raise value_error(
                "BCSR sparse.empty: must have 2 sparse dimensions, got: "
                f"shape={shape}, n_dense={n_dense}, n_batch={n_batch}, nse={nse}"
            )
        batch, (rows, cols), dense = util.split(shape, n_batch, 2)
        data = dnp.zeros((*batch, nse, *dense), dtype)
        indices = dnp.full((*batch, nse), cols, index_dtype)
        return cls((data, indices, dnp.zeros((*batch, rows + 1), index_dtype)), shape=shape)

    def todense(self) -> Array:
        """The same array, dense."""
        return bcsr_todense(self)

    def sum_duplicates(self, nse: int | None = None, remove_zeros: bool = True) -> BCSR:
        """The same array, with distinct columns in order in each row, as for `BCOO`.

        Args:
          nse: the number of specified elements, which must be given in traced functions.
          remove_zeros: whether stored elements that are 0 are dropped, too.
        """
        return BCSR.from_bcoo(self.to_bcoo().sum_duplicates(nse, remove_zeros))


def _element(node: BCSR, axis: int) -> BCSR:
    if axis >= node.n_batch + 1:
        raise value_error(
            f"vmap: Cannot map in_axis={axis} for BCSR array with n_batch={node.n_batch + 1}. "
            "in_axes for batched BCSR operations must correspond to a batched dimension."
        )
    shape = (*node.shape[:axis], *node.shape[axis + 1 :])
    return BCSR.tree_unflatten(node._info._replace(shape=shape), node._bufs)


def _batch(node: BCSR, size: int, axis: int) -> BCSR:
    if axis > node.n_batch:
        raise value_error(
            f"vmap: BCSR: cannot add out_axis={axis} for BCSR array with n_batch={node.n_batch}. "
            "BCSR batch axes must be a contiguous block of leading dimensions."
        )
    shape = (*node.shape[:axis], size, *node.shape[axis:])
    return BCSR.tree_unflatten(node._info._replace(shape=shape), node._bufs)


register_batched_node(BCSR, _element, _batch)


def bcsr_fromdense(
    mat: Any,
    *,
    nse: int | None = None,
    n_batch: int = 0,
    n_dense: int = 0,
    index_dtype: Any = np.int32,
) -> BCSR:
    """A sparse array of compressed rows of the elements of a dense one that are not 0.

    Args:
      mat: the dense array.
      nse: the number of elements to specify in each batch, which must be given in traced functions;
        by default as many as necessary.
      n_batch: the number of leading dimensions that are batches.
      n_dense: the number of trailing dimensions that stay dense.
      index_dtype: the type of the indices.

    Raises:
      ValueError: there are not two dimensions between these.
      ConcretizationTypeError: `nse` is not given, or traced, in a traced function.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcsr_fromdense(dnp.eye(3)).indices.tolist()
      [0, 1, 2]
    """
    mat = dnp.asarray(mat)
    if mat.ndim - n_batch - n_dense != 2:
        raise value_error(
            f"bcsr_fromdense: must have 2 sparse dimensions. got: {mat.ndim - n_batch - n_dense}"
        )
    nse = util.count(mat, n_batch, n_dense) if nse is None else nse  # type: ignore[assignment]
    nse = util.number_of_elements("bcsr_fromdense", nse)
    made = _fromdense(mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype)
    return BCSR(made, shape=mat.shape, indices_sorted=True, unique_indices=True)


@composed("bcsr_fromdense", multiple_results=True)
def _fromdense(mat: Array, **params: Any) -> tuple[Array, Array, Array]:
    """The buffers of elements that are not 0."""
    return BCSR.from_bcoo(bcoo.bcoo_fromdense(mat, **params))._bufs


def bcsr_todense(mat: BCSR) -> Array:
    """The dense array of a sparse one.

    Args:
      mat: the sparse array.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcsr_todense(sparse.BCSR.fromdense(dnp.eye(2)))
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    return _todense(*mat._bufs, spinfo=mat._info)


@composed("bcsr_todense")
def _todense(data: Array, indices: Array, indptr: Array, *, spinfo: Any) -> Array:
    """The dense array of buffers."""
    return BCSR((data, indices, indptr), shape=spinfo.shape).to_bcoo().todense()


def bcsr_extract(indices: Any, indptr: Any, mat: Any) -> Array:
    """The elements of a dense array at the places of compressed rows.

    Args:
      indices: the columns, of shape (batch..., nse).
      indptr: the starts of rows, of shape (batch..., rows + 1).
      mat: the dense array.

    Returns:
      The data, of shape (batch..., nse, dense...).

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = dnp.array([[1.0, 2.0], [3.0, 4.0]])
      >>> sparse.bcsr_extract(dnp.array([1, 0]), dnp.array([0, 1, 2]), mat)
      Array([2., 3.], dtype=float32)
    """
    return _extract(*map(dnp.asarray, (indices, indptr, mat)))


@composed("bcsr_extract")
def _extract(indices: Array, indptr: Array, mat: Array) -> Array:
    """The elements at the places of compressed rows."""
    rows = util.rows_of(indptr, indices.shape[-1]).astype(indices.dtype)
    shape = np.broadcast_shapes(rows.shape, indices.shape)
    coordinates = [dnp.broadcast_to(each, shape) for each in (rows, indices)]
    return bcoo.extract(dnp.stack(coordinates, axis=-1), mat, assume_unique=True)


def bcsr_sum_duplicates(mat: BCSR, nse: int | None = None) -> BCSR:
    """The same array, with distinct columns in order in each row.

    Args:
      mat: the array.
      nse: the number of specified elements, which must be given in traced functions; by default as
        many as necessary.

    Example:
      >>> from dovetail.experimental import sparse
      >>> buffers = dnp.array([1.0, 2.0]), dnp.array([1, 1]), dnp.array([0, 2])
      >>> sparse.bcsr_sum_duplicates(sparse.BCSR(buffers, shape=(1, 2))).data
      Array([3.], dtype=float32)
    """
    return mat.sum_duplicates(nse, remove_zeros=False)


def bcsr_dot_general(
    lhs: Any,
    rhs: Any,
    *,
    dimension_numbers: DimensionNumbers,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """A contraction of a sparse array of compressed rows with a dense one, as `lax.dot_general`.

    Args:
      lhs: the sparse array, or a dense one.
      rhs: a dense array.
      dimension_numbers: ((contracted dimensions of lhs and rhs), (their batches)).
      precision, out_sharding: ignored.
      preferred_element_type: the element type of the result.

    Raises:
      NotImplementedError: `rhs` is sparse, or dimensions are of other kinds.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCSR.fromdense(dnp.array([[0.0, 2.0], [3.0, 0.0]]))
      >>> numbers = (((1,), (0,)), ((), ()))
      >>> sparse.bcsr_dot_general(mat, dnp.ones(2), dimension_numbers=numbers)
      Array([2., 3.], dtype=float32)
    """
    if isinstance(rhs, JAXSparse):
        raise NotImplementedError(
            "bcsr_dot_general currently implemented for BCSR lhs and ndarray rhs."
        )
    if not isinstance(lhs, BCSR):
        return lax.dot_general(
            lhs, rhs, dimension_numbers, precision, preferred_element_type=preferred_element_type
        )
    element = preferred_element_type
    return _product(
        *(*lhs._bufs, dnp.asarray(rhs)),
        dimension_numbers=numbers_of(dimension_numbers),
        preferred_element_type=dnp.result_type(lhs.dtype, rhs) if element is None else element,
        lhs_spinfo=lhs._info,
    )


@composed("bcsr_dot_general")
def _product(
    data: Array, indices: Array, indptr: Array, rhs: Array, *, lhs_spinfo: Any, **params: Any
) -> Array:
    """A contraction of compressed rows with a dense array."""
    mat = BCSR((data, indices, indptr), shape=lhs_spinfo.shape)
    return bcoo_dot_general(mat.to_bcoo(), rhs, **params)


def bcsr_broadcast_in_dim(
    mat: BCSR, *, shape: Sequence[int], broadcast_dimensions: Sequence[int], sharding: Any = None
) -> BCSR:
    """A sparse array of compressed rows with more batch dimensions, as `bcoo_broadcast_in_dim`.

    Args:
      mat: the array.
      shape: the shape of the result.
      broadcast_dimensions: the dimension of the result for each of `mat`.
      sharding: must be None.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCSR.fromdense(dnp.eye(3))
      >>> sparse.bcsr_broadcast_in_dim(mat, shape=(2, 3, 3), broadcast_dimensions=(1, 2))
      BCSR(float32[2, 3, 3], nse=3, n_batch=1)
    """
    dims = broadcast_dimensions
    return BCSR.from_bcoo(
        bcoo_broadcast_in_dim(mat.to_bcoo(), shape=tuple(shape), broadcast_dimensions=dims)
    )


def bcsr_concatenate(operands: Sequence[BCSR], *, dimension: int) -> BCSR:
    """Sparse arrays of compressed rows joined along a dimension, as `bcoo_concatenate`.

    Args:
      operands: the arrays.
      dimension: a batch dimension, that of rows, or that of columns.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCSR.fromdense(dnp.eye(2))
      >>> sparse.bcsr_concatenate([mat, mat], dimension=0).shape
      (4, 2)
    """
    return BCSR.from_bcoo(
        bcoo_concatenate([mat.to_bcoo() for mat in operands], dimension=dimension)
    )


def __getattr__(name: str) -> Any:
    if not name.endswith("_p"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return late.jaxprs.find(__name__, name)
