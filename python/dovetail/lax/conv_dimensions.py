"""Dimensions of convolutions and sliding windows: order, padding and sizes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import Shape
from dovetail.symbolic.size import as_size, max_dim

# Paddings by name, or (before, after) for each spatial dimension.
Padding = str | Sequence[tuple[int, int]]


class ConvDimensionNumbers(NamedTuple):
    """The positions of the dimensions of a convolution's operands and result.

    Attributes:
      lhs_spec: of the batch, the features and the spatial dimensions of the left operand.
      rhs_spec: of the output features, the input features and the spatial dimensions of the kernel.
      out_spec: of the batch, the features and the spatial dimensions of the result.

    Example:
      >>> conv_dimension_numbers((1, 8, 8, 3), (3, 3, 3, 4), ("NHWC", "HWIO", "NHWC")).rhs_spec
      (3, 2, 0, 1)
    """

    lhs_spec: Sequence[int]
    rhs_spec: Sequence[int]
    out_spec: Sequence[int]


ConvGeneralDilatedDimensionNumbers = None | ConvDimensionNumbers | tuple[str, str, str]


def conv_dimension_numbers(
    lhs_shape: Shape, rhs_shape: Shape, dimension_numbers: Any
) -> ConvDimensionNumbers:
    """Dimension numbers from letters such as `("NHWC", "HWIO", "NHWC")`.

    Args:
      lhs_shape, rhs_shape: shapes of the operands, of the same rank.
      dimension_numbers: three strings, in which N is the batch, C features, O and I output and
        input features, and any other letter a spatial dimension; None for NCHW, OIHW, NCHW; or
        dimension numbers.

    Returns:
      A `ConvDimensionNumbers`.

    Raises:
      TypeError: there are not three strings, or the ranks differ.
      ValueError: a letter is missing, or occurs twice.

    Example:
      >>> conv_dimension_numbers((1, 3, 8), (4, 3, 2), None).lhs_spec
      (0, 1, 2)
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if rank != len(rhs_shape):
        raise type_error(
            "convolution operands must have the same rank, got: shapes "
            f"{tuple(lhs_shape)} and {tuple(rhs_shape)}"
        )
    if dimension_numbers is None:
        order = tuple(range(rank))
        return ConvDimensionNumbers(order, order, order)
    if not isinstance(dimension_numbers, (list, tuple)) or len(dimension_numbers) != 3:
        raise type_error(
            'dimension_numbers must be three strings such as ("NHWC", "HWIO", "NHWC"), '
            f"got: {dimension_numbers!r}"
        )
    for letters in dimension_numbers:
        if not isinstance(letters, str) or len(letters) != rank:
            raise type_error(
                f"dimension_numbers must name {rank} dimensions, as the operands have, "
                f"got: {letters!r}"
            )
    return ConvDimensionNumbers(*conv_general_permutations(dimension_numbers))


def conv_general_permutations(
    dimension_numbers: Sequence[str],
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The positions of the letters NC…, OI… and NC… in three strings.

    Args:
      dimension_numbers: as for `conv_dimension_numbers`.

    Returns:
      Three permutations; the spatial dimensions of all are in the kernel's order.

    Raises:
      ValueError: a letter is missing, or occurs twice.

    Example:
      >>> conv_general_permutations(("NHWC", "HWIO", "NHWC"))
      ((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))
    """
    specs = tuple(dimension_numbers)
    channels = ("NC", "OI", "NC")
    for letters, pair in zip(specs, channels, strict=True):
        if any(letters.count(c) != 1 for c in letters) or not set(pair) <= set(letters):
            raise value_error(
                f"dimension_numbers must have {pair[0]}, {pair[1]} and each spatial letter once, "
                f"got: {letters!r}"
            )
    spatial = [c for c in specs[1] if c not in "OI"]
    for letters, pair in zip(specs, channels, strict=True):
        if {c for c in letters if c not in pair} != set(spatial):
            raise value_error(
                f"dimension_numbers must agree in their spatial letters, got: {specs}"
            )
    return tuple(  # type: ignore[return-value]
        tuple(letters.index(c) for c in (*pair, *spatial))
        for letters, pair in zip(specs, channels, strict=True)
    )


def dilated(size: int, dilation: int) -> int:
    """The extent of `size` elements that are `dilation` apart."""
    return (size - 1) * dilation + 1 if size else 0


def count_windows(size: int, span: int, stride: int) -> int:
    """The number of windows of a given span."""
    return max(size - span + stride, 0) // stride


def padtype_to_pads(
    in_shape: Shape, window_shape: Shape, window_strides: Sequence[int], padding: Any
) -> list[tuple[int, int]]:
    """The padding before and after each dimension for a named mode.

    Args:
      in_shape: the sizes of the dimensions along which windows slide.
      window_shape: the sizes of a window along them.
      window_strides: the distances of windows.
      padding: "VALID" for none; "SAME" for as much as makes the number of windows the size divided
        by the stride, an odd one more after; "SAME_LOWER" with an odd one more before.

    Returns:
      A list of pairs.

    Raises:
      ValueError: there is no such name.

    Example:
      >>> padtype_to_pads((5,), (2,), (1,), "SAME")
      [(0, 1)]
    """
    name = padding.upper() if isinstance(padding, str) else getattr(padding, "name", padding)
    if name == "VALID":
        return [(0, 0)] * len(in_shape)
    if name not in ("SAME", "SAME_LOWER"):
        raise value_error(
            f"padding must be 'SAME', 'SAME_LOWER', 'VALID' or a list of pairs, got: {padding!r}"
        )
    pads = []
    sizes = (map(as_size, values) for values in (in_shape, window_shape, window_strides))
    for size, window, stride in zip(*sizes, strict=True):
        total = max_dim((-(-size // stride) - 1) * stride + window - size, 0)
        half = total // 2
        pads.append((half, total - half) if name == "SAME" else (total - half, half))
    return pads


def paddings(
    name: str, sizes: Shape, window: Shape, strides: Sequence[int], padding: Any
) -> list[tuple[int, int]]:
    """The pairs that `padding`, a name or pairs, gives for the dimensions of these sizes."""
    if isinstance(padding, str):
        return padtype_to_pads(sizes, window, strides, padding)
    try:
        pads = [(as_size(low), as_size(high)) for low, high in padding]
    except (TypeError, ValueError):
        raise value_error(
            f"padding argument to {name} should be 'SAME', 'SAME_LOWER', 'VALID' or a sequence of "
            f"(low, high) pairs, got {padding!r}"
        ) from None
    if len(pads) != len(sizes):
        raise value_error(
            f"{name}: padding must have a pair for each of {len(sizes)} dimensions, got: "
            f"{padding!r}"
        )
    return pads


def per_dimension(
    name: str, what: str, values: Any, rank: int, *, error: Callable[[str], Exception] = value_error
) -> tuple[int, ...]:
    """One positive integer per dimension, 1 by default; `error` is that of others."""
    if values is None:
        return (1,) * rank
    try:
        result = tuple(map(operator.index, values))
    except TypeError:
        raise type_error(f"{name}: {what} must be integers, got: {values!r}") from None
    if len(result) != rank:
        raise error(
            f"{name} window and {what} must have the same number of dimensions, but got {rank} and "
            f"{len(result)}"
        )
    if any(value < 1 for value in result):
        raise error(f"{name} {what} must have every element be strictly positive, got: {values!r}")
    return result


def conv_shape_tuple(
    lhs_shape: Shape,
    rhs_shape: Shape,
    strides: Sequence[int],
    pads: Any,
    batch_group_count: int = 1,
) -> tuple[int, ...]:
    """The shape of a convolution of operands in the order NCHW and OIHW.

    Args:
      lhs_shape, rhs_shape: shapes of the operands, dilated.
      strides: one per spatial dimension.
      pads: a name, or a pair per spatial dimension.
      batch_group_count: into how many groups the batch is divided.

    Returns:
      A shape in the order NCHW.

    Raises:
      TypeError, ValueError: strides or pads do not fit.

    Example:
      >>> conv_shape_tuple((1, 3, 8, 8), (4, 3, 3, 3), (1, 1), "VALID")
      (1, 4, 6, 6)
    """
    sizes, window = tuple(lhs_shape[2:]), tuple(rhs_shape[2:])
    pairs = paddings("conv_shape_tuple", sizes, window, strides, pads)
    spatial = (
        count_windows(size + sum(pad), span, stride)
        for size, pad, span, stride in zip(sizes, pairs, window, strides, strict=True)
    )
    return (lhs_shape[0] // batch_group_count, rhs_shape[0], *spatial)


def conv_general_shape_tuple(
    lhs_shape: Shape,
    rhs_shape: Shape,
    window_strides: Sequence[int],
    padding: Any,
    dimension_numbers: Any,
) -> tuple[int, ...]:
    """Like `conv_shape_tuple`, for operands in the order that `dimension_numbers` say.

    Args:
      lhs_shape, rhs_shape: shapes of the operands, dilated.
      window_strides: one per spatial dimension.
      padding: a name, or a pair per spatial dimension.
      dimension_numbers: as for `conv_dimension_numbers`.

    Returns:
      A shape, in the order that `dimension_numbers` have for results.

    Raises:
      TypeError, ValueError: strides, padding or dimension numbers do not fit.

    Example:
      >>> orders = ("NHWC", "HWIO", "NHWC")
      >>> conv_general_shape_tuple((1, 8, 8, 3), (3, 3, 3, 4), (1, 1), "SAME", orders)
      (1, 8, 8, 4)
    """
    lhs, rhs, numbers = _channels_first(lhs_shape, rhs_shape, dimension_numbers)
    return in_order(conv_shape_tuple(lhs, rhs, window_strides, padding), numbers.out_spec)


def _channels_first(
    lhs_shape: Shape, rhs_shape: Shape, dimension_numbers: Any
) -> tuple[list[int], list[int], ConvDimensionNumbers]:
    """The shapes in the order NCHW and OIHW, and in which order they are."""
    numbers = conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers)
    lhs = [lhs_shape[d] for d in numbers.lhs_spec]
    return lhs, [rhs_shape[d] for d in numbers.rhs_spec], numbers


def in_order(values: Sequence[int], spec: Sequence[int]) -> tuple[int, ...]:
    """Values for batch, features and spatial dimensions, in the order that `spec` gives."""
    result = [0] * len(values)
    for value, d in zip(values, spec, strict=True):
        result[d] = value
    return tuple(result)


def transposed_padding(span: int, stride: int, padding: str | tuple[int, int]) -> tuple[int, int]:
    """The padding with which a convolution of the dilated operand undoes the shape of a strided
    convolution that was padded so.
    """
    if isinstance(padding, tuple):
        before, after = padding
        return span - before - 1, span - after - 1
    if padding == "SAME":
        total = span + stride - 2
        before = span - 1 if stride > span - 1 else -(-total // 2)
    elif padding == "VALID":
        total = span + stride - 2 + max(span - stride, 0)
        before = span - 1
    else:
        raise value_error(f"padding must be 'SAME', 'VALID' or pairs, got: {padding!r}")
    return before, total - before


def conv_transpose_shape_tuple(
    lhs_shape: Shape,
    rhs_shape: Shape,
    window_strides: Sequence[int],
    padding: Any,
    dimension_numbers: Any,
) -> tuple[int, ...]:
    """The shape of a transposed convolution.

    Args:
      lhs_shape, rhs_shape: shapes of the operands.
      window_strides: one per spatial dimension.
      padding: "SAME" or "VALID", or a pair per spatial dimension.
      dimension_numbers: as for `conv_dimension_numbers`.

    Returns:
      A shape, in the order that `dimension_numbers` have for results.

    Raises:
      ValueError: there is no such padding, or numbers of dimensions differ.

    Example:
      >>> orders = ("NHWC", "HWIO", "NHWC")
      >>> conv_transpose_shape_tuple((1, 4, 4, 3), (2, 2, 3, 5), (2, 2), "VALID", orders)
      (1, 8, 8, 5)
    """
    lhs, rhs, numbers = _channels_first(lhs_shape, rhs_shape, dimension_numbers)
    if isinstance(padding, str):
        padding = [
            transposed_padding(k, s, padding) for k, s in zip(rhs[2:], window_strides, strict=True)
        ]
    spatial = [
        (size - 1) * stride - k + 2 + sum(pad)
        for size, k, stride, pad in zip(lhs[2:], rhs[2:], window_strides, padding, strict=True)
    ]
    return in_order([lhs[0], rhs[0], *spatial], numbers.out_spec)
