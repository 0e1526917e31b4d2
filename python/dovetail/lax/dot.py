"""Contractions of two arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax.convert import convert
from dovetail.lax.precision import check_precision
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes
from dovetail.transforms.out_sharding import accepts_out_sharding

# ((lhs contracting, rhs contracting), (lhs batch, rhs batch))
DotDimensionNumbers = tuple[
    tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]
]


@accepts_out_sharding
def dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: Any,
    precision: Any = None,
    preferred_element_type: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """The sums of products over contracting dimensions, for each index of the batch dimensions.

    Args:
      lhs, rhs: arrays of numbers or bools.
      dimension_numbers: `((lhs contracting, rhs contracting), (lhs batch, rhs batch))`.
      precision: a `Precision`, its name, or a `DotAlgorithm` whose accumulation type is used.
      preferred_element_type: the type in which products are formed and summed, and the result's
        type.

    Returns:
      An array with the batch dimensions, then the other ones of `lhs`, then those of `rhs`.

    Raises:
      TypeError: sizes differ, or dimensions are named twice.
      ValueError: there is no such precision.

    Example:
      >>> dot_general(np.ones((2, 3)), np.ones((3, 4)), (((1,), (0,)), ((), ()))).shape
      (2, 4)
    """
    x, y = as_operand("dot_general", lhs), as_operand("dot_general", rhs, 1)
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    lc = _dimensions(x, lhs_contract, "lhs")
    rc = _dimensions(y, rhs_contract, "rhs")
    lb = _dimensions(x, lhs_batch, "lhs")
    rb = _dimensions(y, rhs_batch, "rhs")
    check_contracted("dot_general", x, lc, y, rc)
    _check_sizes("lhs batch dimensions and rhs batch dimensions", x, lb, y, rb)
    if set(lc) & set(lb) or set(rc) & set(rb):
        raise type_error(
            "dot_general: contracting and batch dimensions must be distinct, got: "
            f"{dimension_numbers}"
        )
    if x.dtype != y.dtype and preferred_element_type is None:
        # An explicit request, whatever promotion mode is set.
        preferred_element_type = dtypes.promote_types(x.dtype, y.dtype)
    accumulation = check_precision("dot_general", precision)
    if accumulation is None or dtypes.KINDS[x.dtype] != "f" or dtypes.KINDS[y.dtype] != "f":
        return contract(x, y, lb, rb, lc, rc, preferred_element_type)
    result = preferred_element_type or dtypes.promote_types(x.dtype, y.dtype)
    return convert(contract(x, y, lb, rb, lc, rc, accumulation), dtypes.as_dtype(result))


def check_contracted(
    name: str, x: Array, x_dims: Sequence[int], y: Array, y_dims: Sequence[int]
) -> None:
    """Reject contracted dimensions of unequal sizes.

    Args:
      name: the function's name.
      x, y: the operands.
      x_dims, y_dims: the dimensions of each.

    Raises:
      TypeError: sizes differ.
    """
    place = "" if name == "dot_general" else f", in {name}"
    _check_sizes("contracting dimensions", x, x_dims, y, y_dims, place)


def _dimensions(x: Array, dims: Any, side: str) -> tuple[int, ...]:
    """Dimensions of an operand.

    Raises:
      TypeError: it lacks one.
    """
    try:
        return canonical_axes(tuple(dims), x.ndim, "dimension")
    except np.exceptions.AxisError as error:
        raise type_error(
            f"dot_general requires {side} dimension numbers to be less than the number of axes of "
            f"the {side} value: {error}"
        ) from None


def _check_sizes(
    what: str, x: Array, x_dims: Sequence[int], y: Array, y_dims: Sequence[int], place: str = ""
) -> None:
    x_sizes = tuple(x.shape[d] for d in x_dims)
    y_sizes = tuple(y.shape[d] for d in y_dims)
    if x_sizes != y_sizes:
        raise type_error(
            f"dot_general requires {what} to have the same shape, got {x_sizes} and {y_sizes}: "
            f"dimensions {tuple(x_dims)} of {x.shape} and {tuple(y_dims)} of {y.shape}{place}"
        )


def contract(
    x: Array,
    y: Array,
    lhs_batch: tuple[int, ...],
    rhs_batch: tuple[int, ...],
    lhs_contract: tuple[int, ...],
    rhs_contract: tuple[int, ...],
    preferred_element_type: Any = None,
) -> Array:
    """`dot_general` of checked dimensions: types are promoted; for bools, whether any product is
    true.
    """
    element = None
    if preferred_element_type is not None:
        element = dtypes.requested(preferred_element_type, "dot_general")
        if x.dtype != y.dtype:
            common = _common_type(x.dtype, y.dtype, element)
            x, y = convert(x, common), convert(y, common)
    elif x.dtype != y.dtype:
        types = (x.dtype, x.weak_type), (y.dtype, y.weak_type)
        dtype, weak = dtypes.promote(*types, operands=(x, y))
        x, y = convert(x, dtype, weak), convert(y, dtype, weak)
    dims = (lhs_batch, rhs_batch, lhs_contract, rhs_contract)
    if x.dtype != dtypes.bool_ and y.dtype != dtypes.bool_:
        stated = None if element == x.dtype == y.dtype else element
        return ops.dot_general(x, y, *dims, stated)
    count = dtypes.int32
    total = ops.dot_general(ops.convert(x, count), ops.convert(y, count), *dims)
    return ops.convert(total, element) if element else total != 0


def _common_type(x: np.dtype, y: np.dtype, element: np.dtype) -> np.dtype:
    """The common type of two operands whose products have a third type."""
    try:
        return dtypes.promote_types(x, y)
    except dtypes.TypePromotionError:
        return element


@accepts_out_sharding
def dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    *,
    dimension_numbers: Any = None,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The product of vectors and matrices, of rank 1 or 2; with `dimension_numbers`, `dot_general`.

    Args:
      lhs, rhs: vectors or matrices; of any rank with `dimension_numbers`.
      dimension_numbers: as in `dot_general`.
      precision: accepted; no target has a lower precision than float32 to choose.
      preferred_element_type: the element type of the sums; by default that of the promoted
        operands.

    Returns:
      A scalar, vector or matrix.

    Raises:
      ValueError: the ranks are different, or the inner sizes differ.

    Example:
      >>> dot(np.ones(3, np.float32), np.ones(3, np.float32))
      Array(3., dtype=float32)
    """
    x, y = as_operand("dot", lhs), as_operand("dot", rhs, 1)
    if dimension_numbers is None:
        if not (1 <= x.ndim <= 2 and 1 <= y.ndim <= 2 and x.shape[-1] == y.shape[0]):
            raise value_error(
                "dot: operands must be vectors or matrices with equal inner sizes, got: shapes "
                f"{x.shape} and {y.shape}; use dot_general"
            )
        dimension_numbers = (((x.ndim - 1,), (0,)), ((), ()))
    return dot_general(x, y, dimension_numbers, precision, preferred_element_type)


def batch_matmul(lhs: ArrayLike, rhs: ArrayLike, precision: Any = None) -> Array:
    """The matrix products over the last two dimensions, for each index of the equal leading ones.

    Args:
      lhs: an array of shape (…, m, k).
      rhs: an array of shape (…, k, n), with equal leading sizes.
      precision: accepted; no target has a lower precision than float32 to choose.

    Returns:
      An array of shape (…, m, n).

    Example:
      >>> batch_matmul(np.ones((5, 2, 3)), np.ones((5, 3, 4))).shape
      (5, 2, 4)
    """
    x, y = as_operand("batch_matmul", lhs), as_operand("batch_matmul", rhs, 1)
    if min(x.ndim, y.ndim) < 2 or x.ndim != y.ndim:
        raise value_error(
            f"batch_matmul: operands must have the same rank, at least 2, got: shapes {x.shape} "
            f"and {y.shape}"
        )
    batch = tuple(range(x.ndim - 2))
    return dot_general(x, y, (((x.ndim - 1,), (y.ndim - 2,)), (batch, batch)), precision)


def scaled_dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    *,
    lhs_scale: ArrayLike | None = None,
    rhs_scale: ArrayLike | None = None,
    dimension_numbers: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """`dot_general` of operands times scales, each of which applies to several adjacent elements.

    Args:
      lhs, rhs: arrays of floats.
      lhs_scale, rhs_scale: arrays of the operands' ranks; each size divides that of the operand. By
        default 1.
      dimension_numbers: as for `dot_general`; by default that of matrices, with one batch dimension
        if the operands have rank 3.
      preferred_element_type: the type in which everything is computed; by default bfloat16.

    Returns:
      An array of that type.

    Raises:
      TypeError, ValueError: as for `dot_general`, or a scale does not fit its operand.

    Example:
      >>> x = np.ones((2, 4), np.float32)
      >>> scaled_dot(x, x.T, lhs_scale=2 * x[:, :2], preferred_element_type=np.float32)
      Array([[8., 8.],
             [8., 8.]], dtype=float32)
    """
    element = dtypes.requested(
        dtypes.bfloat16 if preferred_element_type is None else preferred_element_type, "scaled_dot"
    )
    x, y = (
        _scaled(as_operand("scaled_dot", operand, i), scale, element)
        for i, (operand, scale) in enumerate(((lhs, lhs_scale), (rhs, rhs_scale)))
    )
    if dimension_numbers is None:
        batch = tuple(range(x.ndim - 2))
        dimension_numbers = (((x.ndim - 1,), (y.ndim - 2,)), (batch, batch))
    return dot_general(x, y, dimension_numbers, preferred_element_type=element)


def _scaled(x: Array, scale: ArrayLike | None, element: Any) -> Array:
    x = convert(x, element)
    if scale is None:
        return x
    factor = convert(as_operand("scaled_dot", scale), element)
    if factor.ndim != x.ndim or any(
        not m or n % m for n, m in zip(x.shape, factor.shape, strict=True)
    ):
        raise value_error(
            "scaled_dot: the sizes of a scale must divide those of the operand, got: shapes "
            f"{factor.shape} and {x.shape}"
        )
    blocks = [(m, n // m) for n, m in zip(x.shape, factor.shape, strict=True)]
    shape = tuple(size for block in blocks for size in block)
    spread = ops.broadcast(factor, tuple(range(0, 2 * x.ndim, 2)), shape)
    return ops.mul(x, ops.reshape(spread, x.shape))
