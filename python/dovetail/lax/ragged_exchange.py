"""The exchange of slices of different sizes among the elements of named axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.lax import basics as lax
from dovetail.lax.collectives import all_gather
from dovetail.lax.exchanges import all_to_all
from dovetail.lax.named_axes import AxisName
from dovetail.ops.operands import ArrayLike, as_operand


def ragged_all_to_all(
    operand: ArrayLike,
    output: ArrayLike,
    input_offsets: ArrayLike,
    send_sizes: ArrayLike,
    output_offsets: ArrayLike,
    recv_sizes: ArrayLike,
    *,
    axis_name: AxisName,
    axis_index_groups: Any = None,
) -> Array:
    """Each element of a named axis sends slices of rows to the others, of any sizes.

    Args:
      operand: the rows from which slices are sent.
      output: the array into which received slices are written.
      input_offsets: for each slice, its first row in `operand`. As many slices in sequence go to
        each element of the axis.
      send_sizes: the number of its rows.
      output_offsets: its first row in the receiver's `output`.
      recv_sizes: for each slice that is received, the number of its rows; these follow from
        `send_sizes`.
      axis_name: the name that `vmap` or `shard_map` gave the axis.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.

    Returns:
      `output` with the slices that the element has received.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: offsets and sizes are not integers of one length, which is a multiple of the size
        of the axis, or the rows of `operand` and `output` differ.

    Example:
      >>> x, starts = dnp.array([[1, 2, 2], [3, 4, 0]]), dnp.array([[0, 1], [0, 1]])
      >>> sent, received = dnp.array([[1, 2], [1, 1]]), dnp.array([[1, 1], [2, 1]])
      >>> places = dnp.array([[0, 0], [1, 2]])
      >>> def exchange(*operands):
      ...     return lax.ragged_all_to_all(*operands, axis_name="i")
      >>> zeros = dnp.zeros((2, 4), int)
      >>> dt.vmap(exchange, axis_name="i")(x, zeros, starts, sent, places, received)
      Array([[1, 3, 0, 0],
             [2, 2, 4, 0]], dtype=int32)
    """
    name = "ragged_all_to_all"
    rows, result = as_operand(name, operand), as_operand(name, output)
    if rows.dtype != result.dtype or not rows.ndim or rows.shape[1:] != result.shape[1:]:
        raise value_error(
            f"{name} input and output shapes must be equal, except for the first size, got: "
            f"{rows.aval} and {result.aval}"
        )
    given = {
        "input_offsets": input_offsets,
        "send_sizes": send_sizes,
        "output_offsets": output_offsets,
        "recv_sizes": recv_sizes,
    }
    numbers = {what: _numbers(what, value) for what, value in given.items()}
    first = numbers["input_offsets"]
    for what, value in numbers.items():
        if value.shape != first.shape:
            raise value_error(
                f"{name} {what} must have the shape of input_offsets, {first.shape}, got: "
                f"{value.shape}"
            )
    options: Any = {"axis_index_groups": axis_index_groups}
    # Of each slice that is received.
    starts, sizes, places = (
        all_to_all(numbers[what], axis_name, 0, 0, tiled=True, **options)
        for what in ("input_offsets", "send_sizes", "output_offsets")
    )
    sent = all_gather(rows, axis_name, **options)
    count, length = sent.shape[:2]
    if not length:
        return result
    sent = lax.reshape(sent, (count * length, *rows.shape[1:]))
    for i in range(first.shape[0]):
        source = i // (first.shape[0] // count)
        start, size, place = (
            lax.reshape(lax.slice(x, (i,), (i + 1,)), ()) for x in (starts, sizes, places)
        )
        row = lax.iota(np.int32, result.shape[0]) - place
        inside = lax.bitwise_and(row >= 0, row < size)
        wanted = lax.clamp(np.int32(0), row + start, np.int32(length - 1)) + source * length
        windows = ops.gather(sent, lax.reshape(wanted, (*wanted.shape, 1)), (0,), (1,))
        is_received = lax.broadcast_in_dim(inside, result.shape, (0,))
        result = lax.select(is_received, lax.reshape(windows, result.shape), result)
    return result


def _numbers(what: str, value: ArrayLike) -> Array:
    array = as_operand("ragged_all_to_all", value)
    if array.dtype.kind not in "iu":
        raise value_error(f"ragged_all_to_all {what} must be integer type, got: {array.aval}")
    if array.ndim != 1 or not array.shape[0]:
        raise value_error(
            f"ragged_all_to_all {what} must be rank 1 with positive dimension size, got: shape "
            f"{array.shape}"
        )
    return lax.convert_element_type(array, np.int32)
