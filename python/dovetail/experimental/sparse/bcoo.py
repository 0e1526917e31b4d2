"""`BCOO`: batches of arrays as values and their coordinates; conversion, order and duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import late
from dovetail.base.errors import value_error
from dovetail.experimental.sparse import util
from dovetail.experimental.sparse.base import Batched, Shape
from dovetail.experimental.sparse.layout import layout_of, layout_of_indices
from dovetail.tracing.composed import composed
from dovetail.transforms.batched_nodes import register_batched_node
from dovetail.tree_util import register_pytree_node_class


@register_pytree_node_class
class BCOO(Batched):
    """A sparse array in batched coordinate format: values, and the indices of each.

    Its dimensions are batches, then those of which only specified elements are stored, then dense
    ones, of which each stored element is a block. Values with the same indices are summed; those
    whose indices are not less than the sizes do not count. A batch dimension of a buffer may be 1,
    for all batches.

    Args:
      args: (data, indices): `data` of shape (batch..., nse, dense...) and `indices`, integers of
        shape (batch..., nse, number of sparse dimensions).
      shape: the shape of the array.
      indices_sorted: whether the indices of each batch are in lexicographic order.
      unique_indices: whether none of them occurs twice in a batch.

    Raises:
      ValueError: these shapes do not fit each other.
      TypeError: the indices are no integers.

    Example:
      >>> from dovetail.experimental import sparse
      >>> matrix = sparse.BCOO.fromdense(dnp.array([[0.0, 2.0, 0.0], [1.0, 0.0, 4.0]]))
      >>> matrix
      BCOO(float32[2, 3], nse=3)
      >>> matrix.data
      Array([2., 1., 4.], dtype=float32)
      >>> matrix @ dnp.ones(3)
      Array([2., 5.], dtype=float32)
    """

    if TYPE_CHECKING:
        # What `methods.install` adds.
        def __abs__(self) -> Any: ...
        def __neg__(self) -> Any: ...
        def __pos__(self) -> Any: ...
        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...

        astype: Any
        reshape: Any
        update_layout: Any

    _buffers = ("data", "indices")

    def _check(self) -> None:
        layout_of(self.data, self.indices, self.shape)

    @property
    def nse(self) -> int:
        """The number of specified elements of each batch."""
        return self.indices.shape[-2]

    @property
    def n_batch(self) -> int:
        """The number of batch dimensions."""
        return self.indices.ndim - 2

    @property
    def n_sparse(self) -> int:
        """The number of sparse dimensions."""
        return self.indices.shape[-1]

    @classmethod
    def fromdense(
        cls,
        mat: Any,
        *,
        nse: int | None = None,
        index_dtype: Any = np.int32,
        n_dense: int = 0,
        n_batch: int = 0,
    ) -> BCOO:
        """A sparse array of the elements of a dense one that are not 0, as `bcoo_fromdense`."""
        return bcoo_fromdense(
            mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype
        )

    @classmethod
    def from_scipy_sparse(
        cls, mat: Any, *, index_dtype: Any = None, n_dense: int = 0, n_batch: int = 0
    ) -> BCOO:
        """A sparse array from a matrix of `scipy.sparse`, with its stored elements.

        Args:
          mat: the matrix, of any format.
          index_dtype: the type of the indices, by default int32.
          n_dense, n_batch: must be 0.

        Raises:
          NotImplementedError: there are to be dense or batch dimensions.
        """
        if n_dense or n_batch:
            raise NotImplementedError("BCOO.fromscipy with nonzero n_dense/n_batch")
        mat = mat.tocoo()
        indices = np.stack([mat.row, mat.col], axis=-1).astype(index_dtype or np.int32)
        return cls((mat.data, indices), shape=mat.shape)

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
    ) -> BCOO:
        shape = tuple(shape)
        n_sparse = len(shape) - n_dense - n_batch
        if min(n_sparse, n_dense, n_batch, nse) < 0:
            raise value_error(
                "sparse.empty: Invalid inputs: the numbers of dimensions must not exceed the "
                f"array's, got: shape={shape}, n_dense={n_dense}, n_batch={n_batch}, nse={nse}"
            )
        batch, sizes, dense = util.split(shape, n_batch, n_sparse)
        data = dnp.zeros((*batch, nse, *dense), dtype)
        indices = dnp.full((*batch, nse, n_sparse), np.asarray(sizes, np.int32), index_dtype)
        return cls((data, indices), shape=shape, indices_sorted=True, unique_indices=True)

    @classmethod
    def _eye(
        cls,
        N: int,
        M: int,
        k: int,
        *,
        dtype: Any = None,
        index_dtype: Any = "int32",
        n_batch: int = 0,
        n_dense: int = 0,
    ) -> BCOO:
        if min(2 - n_batch - n_dense, n_batch, n_dense) < 0:
            raise value_error(
                f"sparse.eye: Invalid inputs: shape={(N, M)}, n_dense={n_dense}, n_batch={n_batch}"
            )
        dense = np.eye(N, M, k)
        if not dense.any():
            return cls._empty(
                (N, M), dtype=dtype, index_dtype=index_dtype, n_batch=n_batch, n_dense=n_dense
            )
        is_stored = dense.any(axis=tuple(range(2 - n_dense, 2)))
        return bcoo_fromdense(
            dnp.asarray(dense, dtype or float),
            nse=int(is_stored.sum(axis=tuple(range(n_batch, is_stored.ndim))).max()),
            n_batch=n_batch,
            n_dense=n_dense,
            index_dtype=index_dtype,
        )

    def todense(self) -> Array:
        """The same array, dense."""
        return bcoo_todense(self)

    def sort_indices(self) -> BCOO:
        """The same array, with indices in lexicographic order."""
        return bcoo_sort_indices(self)

    def sum_duplicates(self, nse: int | None = None, remove_zeros: bool = True) -> BCOO:
        """The same array, with distinct indices in lexicographic order.

        Args:
          nse: the number of specified elements, which must be given in traced functions; by default
            as many as necessary. If it is smaller, elements are dropped; if larger, there are some
            whose indices are outside.
          remove_zeros: whether stored elements that are 0 are dropped, too. The result then has no
            useful derivative with respect to these.
        """
        return bcoo_eliminate_zeros(self, nse) if remove_zeros else bcoo_sum_duplicates(self, nse)


def _element(node: BCOO, axis: int) -> BCOO:
    if axis >= node.n_batch + 1:
        raise value_error(
            f"vmap: Cannot map in_axis={axis} for BCOO array with n_batch={node.n_batch + 1}. "
            "in_axes for batched BCOO operations must correspond to a batch dimension."
        )
    return _reshaped(node, (*node.shape[:axis], *node.shape[axis + 1 :]))


def _batch(node: BCOO, size: int, axis: int) -> BCOO:
    if axis > node.n_batch:
        raise value_error(
            f"vmap: BCOO: cannot add out_axis={axis} for BCOO array with n_batch={node.n_batch}. "
            "BCOO batch axes must be a contiguous block of leading dimensions."
        )
    return _reshaped(node, (*node.shape[:axis], size, *node.shape[axis:]))


def _reshaped(node: BCOO, shape: Shape) -> BCOO:
    return BCOO.tree_unflatten(node._info._replace(shape=shape), node._bufs)


register_batched_node(BCOO, _element, _batch)


# Conversion ---------------------------------------------------------------------------------------


def bcoo_fromdense(
    mat: Any,
    *,
    nse: int | None = None,
    n_batch: int = 0,
    n_dense: int = 0,
    index_dtype: Any = np.int32,
) -> BCOO:
    """A sparse array of the elements of a dense one that are not 0.

    Args:
      mat: the dense array.
      nse: the number of elements to specify in each batch, which must be given in traced functions;
        by default as many as necessary.
      n_batch: the number of leading dimensions that are batches.
      n_dense: the number of trailing dimensions that stay dense.
      index_dtype: the type of the indices.

    Raises:
      ConcretizationTypeError: `nse` is not given, or traced, in a traced function.
      ValueError: the array has not so many dimensions.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_fromdense(dnp.eye(3)).indices.tolist()
      [[0, 0], [1, 1], [2, 2]]
    """
    mat = dnp.asarray(mat)
    if min(n_batch, n_dense, mat.ndim - n_batch - n_dense) < 0:
        raise value_error(
            f"bcoo_fromdense: n_batch and n_dense must not exceed {mat.ndim} dimensions, got: "
            f"n_batch={n_batch}, n_dense={n_dense}"
        )
    nse = util.count(mat, n_batch, n_dense) if nse is None else nse  # type: ignore[assignment]
    nse = util.number_of_elements("bcoo_fromdense", nse)
    made = _fromdense(mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype)
    return BCOO(made, shape=mat.shape, indices_sorted=True, unique_indices=True)


@composed("bcoo_fromdense", multiple_results=True)
def _fromdense(
    mat: Array, *, nse: int, n_batch: int, n_dense: int, index_dtype: Any
) -> tuple[Array, Array]:
    """The buffers of elements that are not 0."""
    mask = util.stored_elements(mat, n_dense)
    indices = util.find(mask, n_batch, nse, index_dtype)
    data = extract(indices, mat, assume_unique=True)
    if mask.ndim == n_batch:
        # Without sparse dimensions, each batch has one element, and others are 0.
        is_first = dnp.asarray(np.arange(nse) < 1).reshape((1,) * n_batch + (nse,))
        data = dnp.where(util.with_dense(is_first, data), data, dnp.zeros_like(data))
    return data, indices


def bcoo_todense(mat: BCOO) -> Array:
    """The dense array of a sparse one.

    Args:
      mat: the sparse array.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_todense(sparse.eye(2))
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    return _todense(mat.data, mat.indices, spinfo=mat._info)


@composed("bcoo_todense")
def _todense(data: Array, indices: Array, *, spinfo: Any) -> Array:
    """The dense array of buffers."""
    shape = tuple(spinfo.shape)
    n_batch, n_sparse, _, _ = layout_of(data, indices, shape)
    if not n_sparse:
        return dnp.broadcast_to(dnp.sum(data, n_batch, dtype=data.dtype), shape)
    where = [*util.positions(shape[:n_batch]), *util.columns(indices)]
    return util.add_at(shape, where, data)


def bcoo_extract(sparr: BCOO, arr: Any, *, assume_unique: bool | None = None) -> BCOO:
    """A sparse array of the elements of a dense one at the places of another sparse array.

    Args:
      sparr: the array whose indices are used.
      arr: a dense array of the same shape.
      assume_unique: if False, all but the first of elements with the same indices are 0, so that
        their sum is the element; by default whether the array is known to have unique indices.

    Raises:
      ValueError: the shapes differ.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_extract(sparse.eye(2), dnp.array([[1.0, 2.0], [3.0, 4.0]])).data
      Array([1., 4.], dtype=float32)
    """
    arr = dnp.asarray(arr)
    if arr.shape != sparr.shape:
        raise value_error(
            f"bcoo_extract: the arrays must have the same shape, got: {sparr.shape} and {arr.shape}"
        )
    is_unique = sparr.unique_indices if assume_unique is None else assume_unique
    data = extract(sparr.indices, arr, assume_unique=is_unique)
    return BCOO((data, sparr.indices), **_known(sparr))


@composed("bcoo_extract")
def extract(indices: Array, arr: Array, *, assume_unique: bool) -> Array:
    """The elements of a dense array at indices."""
    n_batch, n_sparse, _, nse = layout_of_indices(indices, arr.shape)
    if n_sparse:
        data = util.values_at(arr, [*util.positions(arr.shape[:n_batch]), *util.columns(indices)])
    else:
        shape = (*arr.shape[:n_batch], nse, *arr.shape[n_batch:])
        data = dnp.broadcast_to(lax.expand_dims(arr, (n_batch,)), shape)
    if assume_unique:
        return data
    is_first = util.is_first(indices, arr.shape)
    return dnp.where(util.with_dense(is_first, data), data, dnp.zeros_like(data))


def _known(mat: BCOO) -> dict[str, Any]:
    return mat._info._asdict()


# Order and duplicates -----------------------------------------------------------------------------


def bcoo_sort_indices(mat: BCOO) -> BCOO:
    """The same array, with indices in lexicographic order.

    Args:
      mat: the array.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO((dnp.array([1.0, 2.0]), dnp.array([[3], [0]])), shape=(4,))
      >>> sparse.bcoo_sort_indices(mat).data
      Array([2., 1.], dtype=float32)
    """
    made, known = _sort_indices(*mat._bufs, spinfo=mat._info), mat.unique_indices
    return BCOO(made, shape=mat.shape, indices_sorted=True, unique_indices=known)


@composed("bcoo_sort_indices", multiple_results=True)
def _sort_indices(data: Array, indices: Array, *, spinfo: Any) -> tuple[Array, Array]:
    """The buffers in the order of their indices."""
    n_batch, n_sparse, _, _ = layout_of(data, indices, tuple(spinfo.shape))
    if not n_sparse:
        return data, indices
    indices, order = util.sort(indices)
    return util.take(data, order, n_batch), indices


def bcoo_sum_duplicates(mat: BCOO, nse: int | None = None) -> BCOO:
    """The same array, with distinct indices in lexicographic order.

    Args:
      mat: the array.
      nse: the number of specified elements of the result, which must be given in traced functions;
        by default as many as necessary. If it is smaller, elements are dropped; if larger, there
        are some whose indices are outside.

    Raises:
      ConcretizationTypeError: `nse` is not given, or traced, in a traced function.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO((dnp.array([1.0, 2.0]), dnp.array([[3], [3]])), shape=(4,))
      >>> sparse.bcoo_sum_duplicates(mat).data
      Array([3.], dtype=float32)
    """
    if nse is None:
        made = sum_duplicates(mat.data, mat.indices, mat.shape, nse)
    else:
        nse = util.number_of_elements("bcoo_sum_duplicates", nse)
        made = _sum_duplicates(mat.data, mat.indices, spinfo=mat._info, nse=nse)
    return BCOO(made, shape=mat.shape, indices_sorted=True, unique_indices=True)


@composed("bcoo_sum_duplicates", multiple_results=True)
def _sum_duplicates(
    data: Array, indices: Array, *, spinfo: Any, nse: int | None
) -> tuple[Array, Array]:
    """Buffers with distinct indices."""
    return sum_duplicates(data, indices, tuple(spinfo.shape), nse)


def sum_duplicates(
    data: Array, indices: Array, shape: Shape, nse: int | None
) -> tuple[Array, Array]:
    """Buffers with distinct indices."""
    n_batch, n_sparse, _, _ = layout_of(data, indices, shape)
    batch = np.broadcast_shapes(data.shape[:n_batch], indices.shape[:n_batch])
    if not n_sparse:
        nse = util.number_of_elements("bcoo_sum_duplicates", 1 if nse is None else nse)
        total = dnp.sum(data, n_batch, keepdims=True, dtype=data.dtype)
        made = (*total.shape[:n_batch], nse, *total.shape[n_batch + 1 :])
        is_first = (np.arange(nse) < 1).reshape(nse, *(1,) * (data.ndim - n_batch - 1))
        data = dnp.where(is_first, dnp.broadcast_to(total, made), dnp.zeros((), data.dtype))
        data = dnp.broadcast_to(data, (*batch, *data.shape[n_batch:]))
        return data, dnp.zeros((*indices.shape[:-2], nse, 0), indices.dtype)
    distinct, order, number, count = util.unique(indices, shape)
    wanted = dnp.max(count, initial=0) if nse is None else nse
    nse = util.number_of_elements("bcoo_sum_duplicates", wanted)
    ordered = util.take(data, order, n_batch)
    where = [*util.positions(batch), number]
    summed = util.add_at((*batch, nse, *data.shape[n_batch + 1 :]), where, ordered)
    return summed, util.resized(distinct, shape, nse)


def bcoo_eliminate_zeros(mat: BCOO, nse: int | None = None) -> BCOO:
    """The same array, with distinct indices, and without stored elements that are 0.

    Args:
      mat: the array.
      nse: the number of specified elements of the result, as for `bcoo_sum_duplicates`.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO((dnp.array([0.0, 2.0]), dnp.array([[3], [1]])), shape=(4,))
      >>> sparse.bcoo.bcoo_eliminate_zeros(mat).nse
      1
    """
    data, indices = mat._bufs
    is_zero = dnp.all(data == 0, axis=tuple(range(mat.n_batch + 1, data.ndim)))
    shared = tuple(i for i in range(mat.n_batch) if indices.shape[i] == 1)
    is_zero = dnp.all(is_zero, axis=shared, keepdims=True) if shared else is_zero
    limits = util.bounds(mat.shape, indices)
    indices = dnp.where(is_zero[..., None], limits, indices)
    return bcoo_sum_duplicates(BCOO((data, indices), shape=mat.shape), nse)


def __getattr__(name: str) -> Any:
    if not name.endswith("_p"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return late.jaxprs.find(__name__, name)
