"""Contractions whose operands are divided into groups of sizes that are known only at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.lax import basics as lax
from dovetail.lax.dot import DotDimensionNumbers
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.transforms.out_sharding import accepts_out_sharding


@dataclass(frozen=True)
class RaggedDotDimensionNumbers:
    """The dimensions of a ragged contraction.

    Attributes:
      dot_dimension_numbers: as for `dot_general`.
      lhs_ragged_dimensions: the single dimension of the left operand that is divided into groups.
      rhs_group_dimensions: the dimension of the right operand that has an entry per group; none
        unless the ragged dimension is free.

    Example:
      >>> numbers = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
      >>> x, weights = np.ones((3, 2), np.float32), np.ones((2, 2, 4), np.float32)
      >>> ragged_dot_general(x, weights, np.int32([1, 2]), numbers).shape
      (3, 4)
    """

    dot_dimension_numbers: DotDimensionNumbers
    lhs_ragged_dimensions: Sequence[int]
    rhs_group_dimensions: Sequence[int]


@accepts_out_sharding
def ragged_dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    group_sizes: ArrayLike,
    precision: Any = None,
    preferred_element_type: Any = None,
    group_offset: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The products of groups of rows with a matrix for each group.

    Args:
      lhs: an array of shape (m, k).
      rhs: an array of shape (g, k, n).
      group_sizes: g integers: the first `group_sizes[0]` rows are multiplied by `rhs[0]`, and so
        on; the result is zero for rows after the last group.
      precision, preferred_element_type: as for `dot_general`.
      group_offset: must be None.

    Returns:
      An array of shape (m, n).

    Raises:
      TypeError: `group_sizes` are not integers, or shapes do not match.
      NotImplementedError: there is a `group_offset`.

    Example:
      >>> x, weights = lax.full((3, 1), 1.0), lax.iota(np.float32, 2).reshape(2, 1, 1) + 1
      >>> ragged_dot(x, weights, np.int32([1, 2])).ravel()
      Array([1., 2., 2.], dtype=float32)
    """
    numbers = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
    return ragged_dot_general(
        lhs, rhs, group_sizes, numbers, precision, preferred_element_type, group_offset
    )


@accepts_out_sharding
def ragged_dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    group_sizes: ArrayLike,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    precision: Any = None,
    preferred_element_type: Any = None,
    group_offset: Any = None,
    out_sharding: Any = None,
) -> Array:
    """A contraction in which one dimension of the left operand is divided into groups.

    Args:
      lhs, rhs: the operands. If the ragged dimension is free, the right operand has a dimension of
        groups, and the elements of each group are contracted with its entry there. If it is
        contracted, each group is summed separately, and the result has a first dimension of groups.
        If it is a batch dimension, groups make no difference.
      group_sizes: the sizes of the groups, one after the other along the ragged dimension.
      ragged_dot_dimension_numbers: the dimensions.
      precision, preferred_element_type: as for `dot_general`.
      group_offset: must be None.

    Returns:
      An array with the shape of `dot_general`'s result.

    Raises:
      TypeError: `group_sizes` are not integers, or dimensions or shapes do not match.
      NotImplementedError: there is a `group_offset`.

    Example:
      >>> numbers = RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
      >>> x = np.ones((3, 1), np.float32)
      >>> ragged_dot_general(x, x, np.int32([1, 2]), numbers).ravel()
      Array([1., 2.], dtype=float32)
    """
    name = "ragged_dot_general"
    x, y, sizes = (as_operand(name, a, i) for i, a in enumerate((lhs, rhs, group_sizes)))
    if group_offset is not None:
        raise NotImplementedError(f"{name}: group_offset must be None, got: {group_offset!r}")
    if dtypes.KINDS[sizes.dtype] not in "iu":
        raise type_error(f"{name}: group_sizes must be integers, got: {sizes.dtype.name}")
    numbers = ragged_dot_dimension_numbers
    (contract, batch) = numbers.dot_dimension_numbers
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = map(tuple, contract), map(tuple, batch)
    if len(numbers.lhs_ragged_dimensions) != 1:
        raise type_error(
            f"{name} expects exactly one lhs ragged dimension, got: {numbers.lhs_ragged_dimensions}"
        )
    (ragged,) = numbers.lhs_ragged_dimensions
    _check_in_range(name, ragged, x, "lhs ragged dimension", "lhs")
    prefix = _outer_dims(x, ragged, lhs_batch, lhs_contract)
    _check_sizes(name, sizes, tuple(x.shape[d] for d in prefix))
    _check_groups(name, numbers, ragged, y, sizes)
    if ragged in lhs_batch:
        # Each element of the batch is contracted with its own, whatever the group.
        return lax.dot_general(
            x, y, numbers.dot_dimension_numbers, precision, preferred_element_type
        )
    groups = _divided(x, sizes, ragged, prefix)
    shifted = [tuple(d + 1 for d in dims) for dims in (lhs_contract, lhs_batch)]
    if ragged not in (*lhs_contract, *lhs_batch):
        # Each row is zero in all groups but its own, so the sum over groups selects its
        # contribution.
        dims = (
            ((0, *shifted[0]), (*numbers.rhs_group_dimensions, *rhs_contract)),
            (shifted[1], rhs_batch),
        )
        return lax.dot_general(groups, y, dims, precision, preferred_element_type)
    dims = ((shifted[0], rhs_contract), (shifted[1], rhs_batch))
    result = lax.dot_general(groups, y, dims, precision, preferred_element_type)
    # The batch comes before the groups, which are free here.
    n = len(lhs_batch)
    return lax.transpose(result, (n, *range(n), *range(n + 1, result.ndim)))


def _check_in_range(name: str, dim: int, x: Array, what: str, operand: str) -> None:
    if not 0 <= dim < x.ndim:
        raise type_error(
            f"{name} requires {what} numbers to be nonnegative and less than the number of axes of "
            f"the {operand} value, got: {dim} for {operand} of rank {x.ndim}"
        )


def _check_groups(
    name: str, numbers: RaggedDotDimensionNumbers, ragged: int, y: Array, sizes: Array
) -> None:
    """Check that the right operand has groups if they are needed, and as many as there are
    sizes.
    """
    (contract, batch) = numbers.dot_dimension_numbers
    groups = tuple(numbers.rhs_group_dimensions)
    if ragged in (*contract[0], *batch[0]):
        if groups:
            raise type_error(
                f"{name} requires zero group dimensions in the rhs when lhs ragged dimension is "
                f"contracting or batch, got: {groups}"
            )
        return
    if len(groups) != 1:
        raise type_error(
            f"{name} requires exactly one rhs group dimension when lhs ragged dimension is "
            f"noncontracting, got: {groups}"
        )
    _check_in_range(name, groups[0], y, "rhs group dimension", "rhs")
    if groups[0] in (*contract[1], *batch[1]):
        raise type_error(
            f"{name} requires rhs group dimension numbers to be distinct from contracting and "
            f"batch dimensions, got: {groups[0]}"
        )
    if y.shape[groups[0]] != sizes.shape[-1]:
        raise type_error(
            f"{name}: expected rhs group dimension size to be {sizes.shape[-1]}, got "
            f"{y.shape[groups[0]]}"
        )


def _outer_dims(
    x: Array, ragged: int, batch: tuple[int, ...], contract: tuple[int, ...]
) -> list[int]:
    """The dimensions for whose indices the groups may have different sizes."""
    if ragged in batch:
        return [*batch[: batch.index(ragged)]]
    if ragged in contract:
        return [*batch, *contract[: contract.index(ragged)]]
    free = [d for d in range(x.ndim) if d not in batch and d not in contract]
    return [*batch, *free[: free.index(ragged)]]


def _check_sizes(name: str, sizes: Array, outer: tuple[int, ...]) -> None:
    if not sizes.ndim:
        raise type_error(f"{name}: expected rank of group_sizes to be >=1, got: a scalar")
    expected = (*outer, sizes.shape[-1])
    if sizes.ndim != 1 and sizes.shape != expected:
        raise type_error(
            f"{name}: expected group_sizes to have shape {expected}, got {sizes.shape}; or the "
            "sizes of the groups alone"
        )


def _divided(x: Array, sizes: Array, ragged: int, prefix: list[int]) -> Array:
    """`x` once for each group, with zeros outside of it; groups are the first dimension."""
    outer = tuple(x.shape[d] for d in prefix)
    if sizes.ndim == 1:
        sizes = lax.broadcast(sizes, outer)
    ends = lax.cumsum(sizes, sizes.ndim - 1)
    groups = sizes.shape[-1]
    shape = (groups, *x.shape)
    last = sizes.ndim - 1
    dims = [*(d + 1 for d in prefix), 0]
    place = lax.broadcasted_iota(sizes.dtype, shape, ragged + 1)

    def spread(bound: Array) -> Array:
        order = sorted(range(last + 1), key=dims.__getitem__)
        return lax.broadcast_in_dim(lax.transpose(bound, order), shape, sorted(dims))

    inside = (place >= spread(ends - sizes)) & (place < spread(ends))
    copies = lax.broadcast(x, (groups,))
    return lax.select(inside, copies, lax.full_like(copies, 0))
