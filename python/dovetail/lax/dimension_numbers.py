"""Verification of the dimension numbers of gathers and scatters, with JAX's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dovetail.base.errors import type_error

# Fields whose out-of-range numbers have a message of their own.
_OUT_OF_RANGE = {
    "offset_dims": "Offset dimension {at} in gather op is out of bounds; got: {dim}, but should "
    "have been in [0, {bound})",
    "start_index_map": "Invalid start_index_map; domain is [0, {bound}), got: {at}->{dim}",
    "scatter_dims_to_operand_dims": "Invalid scatter_dims_to_operand_dims mapping; domain is "
    "[0, {bound}), got: {at}->{dim}",
}


class CheckedNumbers(NamedTuple):
    """Dimension numbers that match their operand and indices, for both gathers and scatters.

    Attributes:
      window: the dimensions of the result, or of the updates, that are those of a window.
      dropped: window dimensions of size 1 that these do not have.
      index_map: which dimension of the operand each index of a vector is for.
      batching: pairs of dimensions that operand and indices share.
      kept: the dimensions of the operand that windows keep, one for each of `window`.
    """

    window: tuple[int, ...]
    dropped: tuple[int, ...]
    index_map: tuple[int, ...]
    batching: list[tuple[int, int]]
    kept: list[int]


def check_numbers(
    op: str, numbers: Any, shape: Sequence[int], indices_shape: Sequence[int], result_rank: int
) -> CheckedNumbers:
    """The dimension numbers of the op "gather" or "scatter", if they match; both have five fields
    of the same meaning in the same order.

    Args:
      op: the name of the op in messages.
      numbers: `GatherDimensionNumbers` or `ScatterDimensionNumbers`.
      shape, indices_shape: the shapes of operand and indices.
      result_rank: the rank of the result, or of the updates.

    Raises:
      TypeError: they do not match.
    """
    window, dropped, index_map, batching, index_batching = map(tuple, numbers)
    names = type(numbers)._fields
    rank, vector = len(shape), len(indices_shape) - 1
    if vector < 0:
        raise type_error(f"{op}: indices must be vectors along their last dimension, got: a scalar")
    _check_field(op, names[0], window, result_rank)
    _check_field(op, names[1], dropped, rank)
    _check_field(op, names[3], batching, rank)
    for name, dims in ((names[1], dropped), (names[2], index_map)):
        if not set(dims).isdisjoint(batching):
            raise type_error(
                f"{name} and {names[3]} in {op} op must be disjoint; got: {dims} and {batching}"
            )
    _check_field(op, names[4], index_batching, vector + 1, in_order=False)
    pairs = _batching_pairs(op, names, batching, index_batching, shape, indices_shape)
    if len(index_map) != indices_shape[vector]:
        raise type_error(
            f"{op.capitalize()} op has {len(index_map)} elements in {names[2]} and the bound of "
            f"dimension index_vector_dim={vector} of indices is {indices_shape[vector]}. These two "
            "numbers must be equal."
        )
    _check_field(op, names[2], index_map, rank, in_order=False)
    kept = [d for d in range(rank) if d not in dropped and d not in batching]
    return CheckedNumbers(window, dropped, index_map, pairs, kept)


def _check_field(
    op: str, name: str, dims: tuple[int, ...], bound: int, in_order: bool = True
) -> None:
    if in_order and list(dims) != sorted(dims):
        raise type_error(f"{name} in {op} op must be sorted; got: {dims}")
    if len(set(dims)) != len(dims):
        raise type_error(f"{name} in {op} op must not repeat; got: {dims}")
    for at, dim in enumerate(dims):
        if not 0 <= dim < bound:
            default = "Invalid {name} set in {op} op; valid range is [0, {bound}); got: {dim}"
            text = _OUT_OF_RANGE.get(name, default)
            raise type_error(text.format(name=name, op=op, at=at, dim=dim, bound=bound))


def _batching_pairs(
    op: str,
    names: Sequence[str],
    dims: tuple[int, ...],
    index_dims: tuple[int, ...],
    shape: Sequence[int],
    indices_shape: Sequence[int],
) -> list[tuple[int, int]]:
    kind = op.capitalize()
    if len(indices_shape) - 1 in index_dims:
        raise type_error(
            f"{kind} op cannot have the index vector dimension as a batching dimension; got: "
            f"{index_dims}"
        )
    if len(dims) != len(index_dims):
        raise type_error(
            f"{kind} op requires equal numbers of {names[3]} and {names[4]}, got: {dims} and "
            f"{index_dims}"
        )
    sizes = tuple(shape[d] for d in dims)
    index_sizes = tuple(indices_shape[d] for d in index_dims)
    if sizes != index_sizes:
        raise type_error(
            f"{kind} op requires operand batching dimensions and indices batching dimensions to "
            f"have the same shape, got {sizes} and {index_sizes}"
        )
    return list(zip(dims, index_dims, strict=True))


def check_windows(numbers: CheckedNumbers, shape: Sequence[int], sizes: Sequence[int]) -> None:
    """Check that the windows of a gather fit the operand, and have size 1 in dimensions that the
    result does not have.

    Raises:
      TypeError: they do not.
    """
    if len(sizes) != len(shape):
        raise type_error(
            "Gather op must have one slice size for every input dimension; got: "
            f"len(slice_sizes)={len(sizes)}, input_shape.rank={len(shape)}"
        )
    if len(numbers.kept) != len(numbers.window):
        batching = tuple(dim for dim, _ in numbers.batching)
        raise type_error(
            "All components of the offset index in a gather op must either be a offset dimension "
            f"or explicitly collapsed/batching; got: len(slice_sizes)={len(sizes)}, offset_dims="
            f"{numbers.window}, collapsed_slice_dims={numbers.dropped}, operand_batching_dims="
            f"{batching}"
        )
    for d, (size, whole) in enumerate(zip(sizes, shape, strict=True)):
        if not 0 <= size <= whole:
            raise type_error(
                f"Slice size at index {d} in gather op is out of range, must be within "
                f"[0, {whole} + 1), got: {size}"
            )
    for at, d in enumerate(numbers.dropped):
        if sizes[d] != 1:
            raise type_error(
                f"Gather op can only collapse slice dims with bound 1, but bound is {sizes[d]} for "
                f"index {d} at position {at}"
            )
    for at, (d, _) in enumerate(numbers.batching):
        if sizes[d] > 1:
            raise type_error(
                "Gather op can only have operand batching dims with bound 0/1, but bound is "
                f"{sizes[d]} for index {d} at position {at}"
            )


def check_updates(
    numbers: CheckedNumbers,
    shape: Sequence[int],
    indices_shape: Sequence[int],
    updates_shape: Sequence[int],
) -> None:
    """Check that the updates of a scatter are windows of the operand, one for each index vector.

    Raises:
      TypeError: they are not.
    """
    if len(numbers.kept) != len(numbers.window):
        size = len(shape) - len(numbers.kept) + len(numbers.window)
        raise type_error(
            f"Scatter op has window of size {size}; doesn't match operand of rank {len(shape)}"
        )
    for d, i in zip(numbers.kept, numbers.window, strict=True):
        if updates_shape[i] > shape[d]:
            raise type_error(
                "Bounds of the window dimensions of updates must not exceed the bounds of the "
                f"corresponding dimensions of operand. For dimension {i}, updates bound is "
                f"{updates_shape[i]}, operand bound is {shape[d]}"
            )
    batch = [i for i in range(len(updates_shape)) if i not in numbers.window]
    for i, wanted in zip(batch, indices_shape, strict=False):
        if updates_shape[i] != wanted:
            raise type_error(
                "Bounds of the scatter dimensions of updates must be the same as the bounds of the "
                f"corresponding dimensions of scatter indices. For scatter dimension {i}, updates "
                f"bound is {updates_shape[i]}, indices bound is {wanted}"
            )
