"""Patches under the kernel of a convolution, and convolutions whose kernel differs by position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.lax import basics as lax
from dovetail.lax.conv_dimensions import ConvDimensionNumbers, Padding, conv_dimension_numbers
from dovetail.lax.convolution import conv_general_dilated
from dovetail.ops.operands import ArrayLike, as_operand, check_kind


def conv_general_dilated_patches(
    lhs: ArrayLike,
    filter_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """Extract the patches that a convolution's kernel covers at each of its positions, as features.

    Args:
      lhs: the array, of rank n + 2.
      filter_shape: the n sizes of the kernel.
      window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, precision,
      preferred_element_type: as for `conv_general_dilated`.

    Returns:
      An array like the convolution's, whose features are, for each feature of `lhs`, the elements
      under the kernel in row-major order.

    Raises:
      TypeError, ValueError: as for `conv_general_dilated`.

    Example:
      >>> x = lax.iota(np.float32, 3).reshape(1, 1, 3)
      >>> conv_general_dilated_patches(x, (2,), (1,), "VALID")
      Array([[[0., 1.],
              [1., 2.]]], dtype=float32)
    """
    x = check_kind("conv_general_dilated_patches", as_operand("lhs", lhs), "iufc")
    window = tuple(filter_shape)
    # Only the order of dimensions matters, so the kernel can have the operand's rank.
    numbers = conv_dimension_numbers(x.shape, (0,) * x.ndim, dimension_numbers)
    channels = x.shape[numbers.lhs_spec[1]]
    taps = int(np.prod(window, dtype=int))
    # A kernel with one output feature for each of its elements, each feature a group of its own.
    one_hot = lax.reshape(
        lax.convert_element_type(
            lax.broadcasted_iota(np.int32, (taps, taps), 0)
            == lax.broadcasted_iota(np.int32, (taps, taps), 1),
            x.dtype,
        ),
        (taps, 1, *window),
    )
    kernel = lax.reshape(lax.broadcast(one_hot, (channels,)), (channels * taps, 1, *window))
    kernel = lax.transpose(kernel, _inverse(numbers.rhs_spec))
    return conv_general_dilated(
        x,
        kernel,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        numbers,
        feature_group_count=channels,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def _inverse(spec: Sequence[int]) -> list[int]:
    return [list(spec).index(d) for d in range(len(spec))]


def conv_general_dilated_local(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    filter_shape: Sequence[int],
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    precision: Any = None,
) -> Array:
    """A convolution whose kernel differs by position.

    Args:
      lhs: the array, of rank n + 2.
      rhs: a kernel for each position of the result: output features; input features times the
        elements of a kernel, in the order of `conv_general_dilated_patches`; and n spatial
        dimensions of the result.
      filter_shape: the n sizes of a kernel.
      window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, precision: as for
        `conv_general_dilated`.

    Returns:
      An array like the convolution's.

    Raises:
      TypeError, ValueError: as for `conv_general_dilated`.

    Example:
      >>> x, kernels = lax.full((1, 1, 3), 1.0), lax.iota(np.float32, 4).reshape(1, 2, 2)
      >>> conv_general_dilated_local(x, kernels, (1,), "VALID", (2,))
      Array([[[2., 4.]]], dtype=float32)
    """
    x, kernels = as_operand("lhs", lhs), as_operand("rhs", rhs, 1)
    numbers = conv_dimension_numbers(x.shape, kernels.shape, dimension_numbers)
    patches = conv_general_dilated_patches(
        x,
        filter_shape,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        ConvDimensionNumbers(numbers.lhs_spec, numbers.rhs_spec, numbers.lhs_spec),
    )
    batch = ((*numbers.lhs_spec[2:],), (*numbers.rhs_spec[2:],))
    contract = ((numbers.lhs_spec[1],), (numbers.rhs_spec[1],))
    # Spatial dimensions, batch, output features.
    result = lax.dot_general(patches, kernels, (contract, batch), precision)
    n = len(filter_shape)
    return lax.transpose(result, [(n, n + 1, *range(n))[i] for i in _inverse(numbers.out_spec)])
