"""Products of 8-bit and 4-bit operands, whose neighbouring elements share a scale."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import dovetail.numpy as dnp
from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import ArrayLike, canonical_axis
from dovetail.transforms.custom_derivatives import custom_vjp

_RESULTS = (dtypes.float32, dtypes.float16, dtypes.bfloat16)


@dataclass(frozen=True, eq=False)
class BlockScaleConfig:
    """Quantization of an operand into narrow elements and scales.

    Attributes:
      mode: "mxfp8" or "nvfp4".
      block_size: the number of neighbouring elements that share a scale.
      data_type, scale_type: the types of elements and scales.
      global_scale: for "nvfp4", the float32[1] by which the operand is divided first.
      infer_only: accepted for compatibility with JAX.
    """

    mode: str
    block_size: int
    data_type: Any
    scale_type: Any
    global_scale: Any
    infer_only: bool


def get_scaled_dot_general_config(
    mode: str, global_scale: ArrayLike | None = None
) -> BlockScaleConfig:
    """The quantization that `scaled_dot_general` applies to an operand.

    Args:
      mode: "mxfp8": blocks of 32 elements of float8_e4m3fn share a power of 2; or "nvfp4": blocks
        of 16 elements of float4_e2m1fn share a scale of float8_e4m3fn.
      global_scale: for "nvfp4", a float32[1] by which the operand is divided first; by default 1.

    Returns:
      A configuration.

    Raises:
      ValueError: there is no such mode.

    Source: Open Compute Project, Microscaling Formats (MX) Specification 1.0, 2023.

    Example:
      >>> from dovetail import nn
      >>> nn.get_scaled_dot_general_config("mxfp8").block_size
      32
    """
    if mode == "mxfp8":
        return BlockScaleConfig(mode, 32, dtypes.float8_e4m3fn, dtypes.float8_e8m0fnu, None, False)
    if mode == "nvfp4":
        scale = dnp.ones(1, dtypes.float32) if global_scale is None else global_scale
        return BlockScaleConfig(mode, 16, dtypes.float4_e2m1fn, dtypes.float8_e4m3fn, scale, False)
    raise value_error(
        f"get_scaled_dot_general_config: mode must be 'mxfp8' or 'nvfp4', got: {mode!r}"
    )


def scaled_matmul(
    lhs: ArrayLike,
    rhs: ArrayLike,
    lhs_scales: ArrayLike,
    rhs_scales: ArrayLike,
    preferred_element_type: Any = np.float32,
) -> Array:
    """The sum over k of lhs[b, m, k] * rhs[b, n, k], with scales shared by neighbours along k.

    Args:
      lhs, rhs: floats (batch, m, k) and (batch, n, k).
      lhs_scales, rhs_scales: floats (batch, m, blocks) and (batch, n, blocks); the number of blocks
        divides k.
      preferred_element_type: the element type of the result; sums are of float32 in any case.

    Returns:
      An array (batch, m, n).

    Raises:
      ValueError: shapes do not match.

    Example:
      >>> from dovetail import nn
      >>> x, scales = np.ones((1, 2, 4), np.float32), 3 * np.ones((1, 2, 1), np.float32)
      >>> nn.scaled_matmul(x, x, scales, scales)
      Array([[[36., 36.],
              [36., 36.]]], dtype=float32)
    """
    element = dtypes.requested(preferred_element_type, "scaled_matmul")
    arrays = [dnp.asarray(x) for x in (lhs, rhs, lhs_scales, rhs_scales)]
    shapes = [x.shape for x in arrays]
    fits = all(x.ndim == 3 for x in arrays) and (
        len({s[0] for s in shapes}) == 1
        and shapes[0][2] == shapes[1][2]
        and shapes[2][2] == shapes[3][2]
        and (shapes[0][1], shapes[1][1]) == (shapes[2][1], shapes[3][1])
    )
    if not fits:
        raise value_error(
            "scaled_matmul: shapes must be (b, m, k), (b, n, k), (b, m, blocks), (b, n, blocks), "
            f"got: {', '.join(map(str, shapes))}"
        )
    product = lax.scaled_dot(
        arrays[0],
        arrays[1],
        lhs_scale=arrays[2],
        rhs_scale=arrays[3],
        dimension_numbers=(((2,), (2,)), ((0,), (0,))),
        preferred_element_type=dtypes.promote_types(element, dtypes.float32),
    )
    return product.astype(element)


def scaled_dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: Any,
    preferred_element_type: Any = np.float32,
    configs: Sequence[BlockScaleConfig] | None = None,
    implementation: str | None = None,
) -> Array:
    """`lax.dot_general` of operands quantized in blocks along the contracted dimension.

    Args:
      lhs, rhs: arrays of floats; the number of contracted elements is a multiple of the block size.
      dimension_numbers: as for `lax.dot_general`.
      preferred_element_type: the element type of the result: float32, float16 or bfloat16.
      configs: from `get_scaled_dot_general_config`, for `lhs`, `rhs`, and the result's cotangent,
        which is quantized too with "mxfp8"; by default operands are not quantized.
      implementation: accepted for compatibility with JAX.

    Returns:
      An array: dimensions of the batch, of `lhs`, of `rhs`.

    Raises:
      TypeError: there is no such element type of results.
      ValueError: the block size does not divide an operand's.

    Example:
      >>> from dovetail import nn
      >>> x, config = np.ones((2, 32), np.float32), nn.get_scaled_dot_general_config("mxfp8")
      >>> nn.scaled_dot_general(x, x.T, (((1,), (0,)), ((), ())), configs=[config] * 3)
      Array([[32., 32.],
             [32., 32.]], dtype=float32)
    """
    x, y = dnp.asarray(lhs), dnp.asarray(rhs)
    if configs is None:
        return lax.dot_general(
            x, y, dimension_numbers, preferred_element_type=preferred_element_type
        )
    element = dtypes.requested(preferred_element_type, "scaled_dot_general")
    if element not in _RESULTS:
        raise type_error(
            "scaled_dot_general: preferred_element_type must be float32, float16 or bfloat16, got: "
            f"{element.name}"
        )
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    rows, x_kept = _as_rows(x, x_contract, x_batch)
    columns, y_kept = _as_rows(y, y_contract, y_batch)
    if (rows.shape[0], rows.shape[2]) != (columns.shape[0], columns.shape[2]):
        raise value_error(
            "scaled_dot_general: dimensions of batch and contraction must have equal sizes, got: "
            f"shapes {x.shape} and {y.shape} with {dimension_numbers}"
        )
    batch = tuple(x.shape[canonical_axis(d, x.ndim)] for d in x_batch)
    product = _quantized_product(tuple(configs), element, rows, columns)
    return dnp.reshape(product, (*batch, *x_kept, *y_kept))


def _as_rows(
    x: Array, contract: Sequence[int], batch: Sequence[int]
) -> tuple[Array, tuple[int, ...]]:
    """`x` as (batch, kept, contracted), and the sizes of the kept dimensions."""
    first, last = ([canonical_axis(d, x.ndim) for d in dims] for dims in (batch, contract))
    kept = [d for d in range(x.ndim) if d not in (*first, *last)]
    sizes = [tuple(x.shape[d] for d in dims) for dims in (first, kept, last)]
    ordered = dnp.transpose(x, (*first, *kept, *last))
    return dnp.reshape(ordered, tuple(math.prod(s) for s in sizes)), sizes[1]


@functools.partial(custom_vjp, nondiff_argnums=(0, 1))
def _quantized_product(
    configs: tuple[BlockScaleConfig, ...], element: np.dtype, x: Array, y: Array
) -> Array:
    """(b, m, k) and (b, n, k) to (b, m, n)."""
    return _product(x, y, configs[0], configs[1], element)


def _product(
    x: Array, y: Array, x_config: BlockScaleConfig, y_config: BlockScaleConfig, element: np.dtype
) -> Array:
    (x_small, x_scales), (y_small, y_scales) = _quantize(x, x_config), _quantize(y, y_config)
    product = scaled_matmul(x_small, y_small, x_scales, y_scales)
    for config in (x_config, y_config):
        if config.mode == "nvfp4":
            product = product * config.global_scale
    return product.astype(element)


def _forward(configs: Any, element: np.dtype, x: Array, y: Array) -> Any:
    return _quantized_product(configs, element, x, y), (x, y)


def _backward(configs: Any, element: np.dtype, kept: Any, ct: Array) -> tuple[Array, Array]:
    """Cotangents pass straight through the rounding, but not where it clips."""
    x, y = kept
    x_config, y_config, ct_config = configs
    x_turned, y_turned, ct_turned = (dnp.matrix_transpose(a) for a in (x, y, ct))
    if ct_config.mode == "nvfp4":
        x_ct = dnp.matmul(ct, y, preferred_element_type=element)
        y_ct = dnp.matmul(ct_turned, x, preferred_element_type=element)
        return _unclipped(x_ct, x, x_config), _unclipped(y_ct, y, y_config)
    x_ct = _product(ct, y_turned, ct_config, y_config, element)
    y_ct = _product(ct_turned, x_turned, ct_config, x_config, element)
    return x_ct.astype(x.dtype), y_ct.astype(y.dtype)


_quantized_product.defvjp(_forward, _backward)


def _unclipped(ct: Array, x: Array, config: BlockScaleConfig) -> Array:
    largest = float(dtypes.finfo(config.data_type).max) * float(dtypes.finfo(config.scale_type).max)
    return dnp.where(dnp.abs(x) <= config.global_scale * largest, ct, 0).astype(x.dtype)


def _quantize(x: Array, config: BlockScaleConfig) -> tuple[Array, Array]:
    """Small elements (b, m, k) and their scales (b, m, blocks)."""
    size = config.block_size
    if not x.shape[-1] or x.shape[-1] % size:
        raise value_error(
            f"scaled_dot_general: the number of contracted elements must be a multiple of {size} "
            f"with {config.mode!r}, got: {x.shape[-1]} (in a derivative, the kept dimensions of "
            "the operands are contracted)"
        )
    blocks = dnp.reshape(x, (*x.shape[:-1], x.shape[-1] // size, size)).astype(dtypes.float32)
    if config.mode == "nvfp4":
        blocks = blocks / config.global_scale
    largest = float(dtypes.finfo(config.data_type).max)
    wanted = dnp.max(dnp.abs(blocks), -1) / largest
    if config.mode == "mxfp8":
        scales = _power_of_two(wanted)
    else:
        greatest = float(dtypes.finfo(config.scale_type).max)
        scales = dnp.clip(wanted, 0, greatest).astype(config.scale_type)
    divisors = scales.astype(dtypes.float32)[..., None]
    # A scale of 0 means that elements are 0, or too small for the format.
    small = blocks / dnp.where(divisors == 0, 1, divisors)
    small = dnp.clip(small, -largest, largest).astype(config.data_type)
    return dnp.reshape(small, x.shape), scales


def _power_of_two(x: Array) -> Array:
    """The least power of 2 that is not below float32 `x`, as float8_e8m0fnu."""
    bits = lax.bitcast_convert_type(x, dtypes.uint32)
    exponent, fraction = bits >> 23, bits & 0x7FFFFF
    exponent = exponent + ((fraction > 0) & (exponent < 0xFE)).astype(dtypes.uint32)
    # 2**-127 itself is subnormal in float32, which devices may treat as 0.
    exponent = dnp.maximum(exponent, 1)
    return lax.bitcast_convert_type(exponent.astype(dtypes.uint8), dtypes.float8_e8m0fnu)
