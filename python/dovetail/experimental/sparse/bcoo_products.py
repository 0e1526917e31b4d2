"""Products of sparse arrays: contractions and elementwise, with dense and sparse ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import dovetail as dt
from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.experimental.sparse import util
from dovetail.experimental.sparse.base import Shape, SparseEfficiencyError
from dovetail.experimental.sparse.bcoo import BCOO, extract, sum_duplicates
from dovetail.experimental.sparse.bcoo_layout import bcoo_update_layout
from dovetail.experimental.sparse.layout import layout_of_indices
from dovetail.tracing.composed import composed

# ((lhs contracting, rhs contracting), (lhs batch, rhs batch))
DimensionNumbers = tuple[tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]]


def bcoo_dot_general(
    lhs: Any,
    rhs: Any,
    *,
    dimension_numbers: DimensionNumbers,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:
    """A contraction of arrays of which some are sparse, as `lax.dot_general`.

    Args:
      lhs: a dense or a sparse array.
      rhs: likewise.
      dimension_numbers: ((dimensions of lhs and rhs that are contracted), (their batches)). Batches
        must be batch dimensions of a sparse array. Its dense dimensions are not contracted; if both
        are sparse, only their sparse dimensions are.
      precision, out_sharding: ignored.
      preferred_element_type: the element type of the result.

    Returns:
      A dense array; a sparse one if both are sparse.

    Raises:
      NotImplementedError: dimensions are of other kinds.
      ValueError: both are sparse; `lhs` has sparse dimensions and `rhs` batches that stay.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO.fromdense(dnp.array([[0.0, 2.0], [3.0, 0.0]]))
      >>> numbers = (((1,), (0,)), ((), ()))
      >>> sparse.bcoo_dot_general(mat, dnp.ones(2), dimension_numbers=numbers)
      Array([2., 3.], dtype=float32)
    """
    numbers = numbers_of(dimension_numbers)
    if not isinstance(lhs, BCOO) and not isinstance(rhs, BCOO):
        return lax.dot_general(
            lhs, rhs, numbers, precision, preferred_element_type=preferred_element_type
        )
    out = _out(lhs, rhs, numbers, preferred_element_type)
    params = {"dimension_numbers": numbers, "preferred_element_type": out.dtype}
    if isinstance(lhs, BCOO) and isinstance(rhs, BCOO):
        infos = {"lhs_spinfo": lhs._info, "rhs_spinfo": rhs._info}
        made = _sparse_by_sparse(*lhs._bufs, *rhs._bufs, **infos, **params)
        return BCOO(made, shape=out.shape)
    if isinstance(lhs, BCOO):
        return _sparse_by_dense(*lhs._bufs, dnp.asarray(rhs), lhs_spinfo=lhs._info, **params)
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers
    swapped = (rhs_contract, lhs_contract), (rhs_batch, lhs_batch)
    params["dimension_numbers"] = swapped
    made = _sparse_by_dense(*rhs._bufs, dnp.asarray(lhs), lhs_spinfo=rhs._info, **params)
    n_batch, n_rhs = len(lhs_batch), rhs.ndim - len(rhs_contract)
    order = (*range(n_batch), *range(n_rhs, made.ndim), *range(n_batch, n_rhs))
    return lax.transpose(made, order)


def numbers_of(dimension_numbers: Any) -> Any:
    """The dimensions of a contraction as tuples."""
    return tuple(
        tuple(tuple(map(int, np.atleast_1d(dims))) for dims in pair) for pair in dimension_numbers
    )


def _out(lhs: Any, rhs: Any, numbers: Any, element: Any) -> Any:
    """The type of the result, which `lax.dot_general` checks."""
    return dt.eval_shape(
        lambda x, y: lax.dot_general(x, y, numbers, preferred_element_type=element),
        *(dt.ShapeDtypeStruct(np.shape(x), dnp.result_type(x.dtype)) for x in (lhs, rhs)),
    )


@composed("bcoo_dot_general")
def _sparse_by_dense(
    data: Array,
    indices: Array,
    rhs: Array,
    *,
    dimension_numbers: Any,
    preferred_element_type: Any,
    lhs_spinfo: Any,
) -> Array:
    """Each stored element times a slice of the dense array is added to its place."""
    lhs, numbers = BCOO((data, indices), shape=lhs_spinfo.shape), numbers_of(dimension_numbers)
    out = _out(lhs, rhs, numbers, preferred_element_type)
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers
    n_batch, n_sparse, n_dense = lhs.n_batch, lhs.n_sparse, lhs.n_dense
    if any(d >= n_batch for d in lhs_batch):
        raise NotImplementedError(
            "bcoo_dot_general batch dimensions must be among the batch dimensions in the sparse "
            f"representation.\ngot lhs_batch={lhs_batch}, n_batch={n_batch}"
        )
    if any(d >= n_batch + n_sparse for d in lhs_contract):
        raise NotImplementedError("bcoo_dot_general: contracting over dense dimensions.")
    where = [*util.positions(lhs.shape[:n_batch]), *util.columns(indices)]
    kept = util.remaining(range(n_batch + n_sparse), lhs_batch, lhs_contract)
    rhs_kept = util.remaining(range(rhs.ndim), rhs_batch, rhs_contract)
    rhs = lax.transpose(rhs.astype(out.dtype), (*rhs_batch, *rhs_contract, *rhs_kept))
    taken = [where[d] for d in (*lhs_batch, *lhs_contract)]
    leading = tuple(range(n_batch + 1))
    rhs = util.values_at(rhs, taken) if taken else lax.expand_dims(rhs, leading)
    n_kept = len(rhs_kept)
    data = lax.expand_dims(data.astype(out.dtype), tuple(range(data.ndim, data.ndim + n_kept)))
    first = n_batch + 1
    rhs = lax.expand_dims(rhs, tuple(range(first, first + n_dense)))
    places = [where[d] for d in (*lhs_batch, *kept)]
    if not places:
        # Elements that are outside along no contracted dimension do not exist.
        return dnp.sum(data * rhs, axis=tuple(range(first)), dtype=out.dtype).reshape(out.shape)
    product = data * rhs
    # Elements that go to the same place whatever their indices are summed first.
    varies = np.broadcast_shapes(*(place.shape for place in places))
    same = tuple(d for d, size in enumerate(varies) if size == 1)
    product = dnp.sum(product, axis=same, keepdims=True, dtype=out.dtype)
    return util.add_at(out.shape, places, product)


def bcoo_dot_general_sampled(
    A: Any, B: Any, indices: Any, *, dimension_numbers: DimensionNumbers
) -> Array:
    """Elements of a contraction of dense arrays at the places of a sparse array.

    Args:
      A: a dense array.
      B: a dense array.
      indices: the indices of a sparse array of the result's shape.
      dimension_numbers: as for `lax.dot_general`.

    Returns:
      The data that belong to the indices.

    Example:
      >>> from dovetail.experimental import sparse
      >>> x, numbers = dnp.arange(3.0), (((), ()), ((), ()))
      >>> places = dnp.array([[2, 1], [2, 2]])
      >>> sparse.bcoo_dot_general_sampled(x, x, places, dimension_numbers=numbers)
      Array([2., 4.], dtype=float32)
    """
    numbers = numbers_of(dimension_numbers)
    return _sampled(*map(dnp.asarray, (A, B, indices)), dimension_numbers=numbers)


@composed("bcoo_dot_general_sampled")
def _sampled(A: Array, B: Array, indices: Array, *, dimension_numbers: Any) -> Array:
    """The elements of a contraction at indices."""
    numbers = numbers_of(dimension_numbers)
    (a_contract, b_contract), (a_batch, b_batch) = numbers
    out = _out(A, B, numbers, None)
    layout = layout_of_indices(indices, out.shape)
    n_indexed = layout.n_batch + layout.n_sparse
    a_kept = util.remaining(range(A.ndim), a_batch, a_contract)
    b_kept = util.remaining(range(B.ndim), b_batch, b_contract)
    if layout.n_dense or layout.n_batch or not layout.n_sparse:
        product = lax.dot_general(A, B, numbers, lax.Precision.HIGHEST)
        return extract(indices, product, assume_unique=True)
    # Rows of both at each place, without the whole product.
    where = util.columns(indices)
    n_shared = len(a_batch)
    of_a = where[: n_shared + len(a_kept)]
    of_b = [*where[:n_shared], *where[n_shared + len(a_kept) : n_indexed]]
    rows = [
        util.values_at(lax.transpose(x, (*batch, *kept, *contract)), places)
        if places
        else lax.expand_dims(lax.transpose(x, contract), (0,))
        for x, batch, kept, contract, places in (
            (A, a_batch, a_kept, a_contract, of_a),
            (B, b_batch, b_kept, b_contract, of_b),
        )
    ]
    product = dnp.sum(rows[0] * rows[1], axis=tuple(range(1, 1 + len(a_contract))))
    return dnp.broadcast_to(product, (layout.nse,)).astype(out.dtype)


# Both sparse --------------------------------------------------------------------------------------


@composed("bcoo_spdot_general", multiple_results=True)
def _sparse_by_sparse(
    lhs_data: Array,
    lhs_indices: Array,
    rhs_data: Array,
    rhs_indices: Array,
    *,
    dimension_numbers: Any,
    preferred_element_type: Any,
    lhs_spinfo: Any,
    rhs_spinfo: Any,
) -> tuple[Array, Array]:
    """All pairs of stored elements, of which those with the same contracted indices count."""
    lhs = BCOO((lhs_data, lhs_indices), shape=lhs_spinfo.shape)
    rhs = BCOO((rhs_data, rhs_indices), shape=rhs_spinfo.shape)
    numbers = numbers_of(dimension_numbers)
    out = _out(lhs, rhs, numbers, preferred_element_type)
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers
    _check_pair(lhs, rhs, numbers)
    n_shared = len(lhs_batch)
    lhs_own = util.remaining(range(lhs.n_batch), lhs_batch)
    rhs_own = util.remaining(range(rhs.n_batch), rhs_batch)
    sides = []
    for mat, batch, own, contract, dims in (
        (lhs, lhs_batch, lhs_own, lhs_contract, (len(rhs_own), 0)),
        (rhs, rhs_batch, rhs_own, rhs_contract, (0, len(lhs_own))),
    ):
        sides.append(
            _side(mat, [*batch, *own], [d - mat.n_batch for d in contract], dims, n_shared)
        )
    (x, x_met, x_rest, x_in, n_x), (y, y_met, y_rest, y_in, n_y) = sides
    # Dimensions: batches, elements of lhs, elements of rhs.
    x, x_in = x[..., :, None], x_in[..., :, None]
    y, y_in = y[..., None, :], y_in[..., None, :]
    meets = dnp.all(x_met[..., :, None, :] == y_met[..., None, :, :], axis=-1)
    product = x.astype(out.dtype) * y.astype(out.dtype)
    is_valid = meets & x_in & y_in
    product = dnp.where(is_valid, product, dnp.zeros_like(product))
    data = product.reshape(*product.shape[:-2], n_x * n_y)
    x_rest, y_rest = x_rest[..., :, None, :], y_rest[..., None, :, :]
    pairs = np.broadcast_shapes(x_rest.shape[:-1], y_rest.shape[:-1])
    dtype = dnp.result_type(lhs.indices, rhs.indices)
    rest = [
        dnp.broadcast_to(part, (*pairs, part.shape[-1])).astype(dtype) for part in (x_rest, y_rest)
    ]
    indices = dnp.concatenate(rest, axis=-1)
    indices = indices.reshape(*pairs[:-2], n_x * n_y, indices.shape[-1])
    n_batch = n_shared + len(lhs_own) + len(rhs_own)
    # Matrices that have one element for several batches share it along their own batches only.
    shared = out.shape[:n_shared]
    data, indices = (
        dnp.broadcast_to(part, (*shared, *part.shape[n_shared:])) for part in (data, indices)
    )
    most = (lhs.nse if lhs.n_sparse > len(lhs_contract) else 1) * (
        rhs.nse if rhs.n_sparse > len(rhs_contract) else 1
    )
    nse = min(most, math.prod(out.shape[n_batch:]))
    return sum_duplicates(data, indices, out.shape, nse)


def _side(
    mat: BCOO, batch: list[int], contract: list[int], others: tuple[int, int], n_shared: int
) -> tuple[Array, Array, Array, Array, int]:
    """The values, the contracted and the other indices, whether the former are inside, and how
    many elements there are; with batch dimensions in order, and 1 for those of the other side.
    """
    n_batch = mat.n_batch
    data = lax.transpose(mat.data, (*batch, n_batch))
    indices = lax.transpose(mat.indices, (*batch, n_batch, n_batch + 1))
    after, before = others
    for place in [n_shared] * before + [n_batch] * after:
        data, indices = lax.expand_dims(data, (place,)), lax.expand_dims(indices, (place,))
    kept = util.remaining(range(mat.n_sparse), contract)
    met, rest = (indices[..., np.asarray(dims, np.int32)] for dims in (contract, kept))
    inside = util.is_inside(mat.shape, mat.indices)
    inside = lax.transpose(inside, (*batch, n_batch))
    for place in [n_shared] * before + [n_batch] * after:
        inside = lax.expand_dims(inside, (place,))
    return data, met, rest, inside, mat.nse


def _check_pair(lhs: BCOO, rhs: BCOO, numbers: Any) -> None:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers
    if lhs.n_dense or rhs.n_dense:
        raise NotImplementedError("bcoo_spdot_general with dense dimensions.")
    for mat, contract, batch in ((lhs, lhs_contract, lhs_batch), (rhs, rhs_contract, rhs_batch)):
        if any(d >= mat.n_batch for d in batch):
            raise NotImplementedError(
                "bcoo_spdot_general: batch_dims must correspond to batch dimensions of the sparse "
                f"representation, got: {batch} for {mat}"
            )
        if any(d < mat.n_batch for d in contract):
            raise NotImplementedError(
                "bcoo_spdot_general only supports contraction of sparse indices, got: "
                f"{contract} for {mat}"
            )
    if rhs.n_batch > len(rhs_batch) and lhs.n_sparse > len(lhs_contract):
        raise value_error(
            "bcoo_spdot_general: cannot have unused batch dims on rhs with unused sparse dims on "
            "lhs."
        )


# Elementwise --------------------------------------------------------------------------------------


def bcoo_multiply_sparse(lhs: BCOO, rhs: BCOO) -> BCOO:
    """The elementwise product of two sparse arrays.

    It has as many specified elements as there are pairs; those that do not meet are outside.

    Args:
      lhs: an array.
      rhs: an array with as many dimensions, and as many dense ones; sizes of 1 are broadcast.

    Raises:
      TypeError: the numbers of dimensions differ.
      NotImplementedError: those of dense dimensions differ.

    Example:
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.BCOO.fromdense(dnp.array([0.0, 2.0, 3.0]))
      >>> sparse.bcoo_multiply_sparse(mat, mat).todense()
      Array([0., 4., 9.], dtype=float32)
    """
    if lhs.ndim != rhs.ndim:
        raise type_error(
            "bcoo_multiply_sparse: arrays must have same number of dimensions, got: "
            f"{lhs.shape}, {rhs.shape}"
        )
    shape: Shape = np.broadcast_shapes(lhs.shape, rhs.shape)
    n_dense = max(lhs.n_dense, rhs.n_dense)
    n_batch = min(lhs.n_batch, rhs.n_batch, lhs.ndim - n_dense)
    try:
        # Dimensions of size 1 can be of any kind.
        lhs, rhs = (bcoo_update_layout(mat, n_batch=n_batch, n_dense=n_dense) for mat in (lhs, rhs))
    except SparseEfficiencyError:
        raise NotImplementedError(
            f"bcoo_multiply_sparse: arrays with differing numbers of dense dimensions: {lhs}, {rhs}"
        ) from None
    n_pairs = lhs.nse * rhs.nse
    x, y = lhs.indices[..., :, None, :], rhs.indices[..., None, :, :]
    sizes = np.asarray([mat.shape[n_batch : n_batch + mat.n_sparse] for mat in (lhs, rhs)])
    is_shared = np.all(sizes != 1, axis=0) if sizes.size else np.zeros(0, bool)
    meets = dnp.all((x == y) | ~is_shared, axis=-1)
    meets = meets & util.is_inside(lhs.shape, lhs.indices)[..., :, None]
    meets = meets & util.is_inside(rhs.shape, rhs.indices)[..., None, :]
    # Where one has size 1, its index is 0.
    both = dnp.maximum(x, y)
    limits = np.asarray(shape[n_batch : n_batch + lhs.n_sparse], both.dtype)
    indices = dnp.where(meets[..., None], both, limits)
    indices = indices.reshape(*indices.shape[:n_batch], n_pairs, indices.shape[-1])
    product = lax.expand_dims(lhs.data, (n_batch + 1,)) * lax.expand_dims(rhs.data, (n_batch,))
    product = dnp.where(util.with_dense(meets, product), product, dnp.zeros_like(product))
    data = product.reshape(*product.shape[:n_batch], n_pairs, *product.shape[n_batch + 2 :])
    return BCOO((data, indices), shape=shape)


def bcoo_multiply_dense(sp_mat: BCOO, v: Any) -> Array:
    """The data of the elementwise product of a sparse and a dense array.

    Args:
      sp_mat: the sparse array.
      v: the dense one, which is broadcast to its shape.

    Returns:
      The data that belong to the indices of `sp_mat`.

    Raises:
      NotImplementedError: the product has another shape than `sp_mat`.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.bcoo_multiply_dense(sparse.eye(3), dnp.arange(3.0))
      Array([0., 1., 2.], dtype=float32)
    """
    v = dnp.asarray(v)
    if v.ndim == 0:
        return sp_mat.data * v
    try:
        fits = np.broadcast_shapes(sp_mat.shape, v.shape) == sp_mat.shape
    except ValueError:
        fits = False
    if not fits:
        raise NotImplementedError(
            "multiplication between sparse and dense is only implemented for cases where the "
            f"output shape matches the sparse matrix shape. Got shape={sp_mat.shape}, "
            f"v.shape={v.shape}"
        )
    v = lax.expand_dims(v, tuple(range(sp_mat.ndim - v.ndim)))
    n_batch, n_sparse = sp_mat.n_batch, sp_mat.n_sparse
    at = [*util.positions(sp_mat.shape[:n_batch]), *util.columns(sp_mat.indices)]
    at = [np.int32(0) if v.shape[d] == 1 else each for d, each in enumerate(at)]
    if all(np.ndim(each) == 0 for each in at):
        at = [np.zeros((1,) * (n_batch + 1), np.int32) for _ in at]
    if not n_batch + n_sparse:
        return sp_mat.data * v
    return sp_mat.data * util.values_at(v, at)
