"""Common parts of all transforms: lengths and axes, padding and cropping, normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax.fourier import FftType, transformed
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes, canonical_shape

# Where the factor 1/size is applied: in the inverse, in both as a root, or in the transform.
NORMS = ("backward", "ortho", "forward")


def checked_norm(name: str, norm: Any) -> str:
    """The norm, by default the first."""
    if norm is None:
        return NORMS[0]
    if norm not in NORMS:
        raise value_error(
            f'{name}: Invalid norm value {norm}; should be "backward", "ortho" or "forward".'
        )
    return norm


def opposite(norm: str) -> str:
    """The norm with the factors of transform and inverse swapped."""
    return NORMS[-1 - NORMS.index(norm)]


def along(
    name: str,
    kind: FftType,
    a: ArrayLike,
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: str | None,
) -> Array:
    """The transform of `a` along `axes`, padded or cropped to the sizes `s`."""
    x, chosen = as_operand(name, a), checked_norm(name, norm)
    sizes = None if s is None else canonical_shape(s, f"{name}: sizes")
    if sizes is not None and 0 in sizes:
        raise value_error(f"{name}: Shape should be positive, got: {sizes}")
    if axes is None and sizes is not None:
        if len(sizes) > x.ndim:
            raise value_error(
                f"{name}: there must be at most as many sizes as dimensions, got: {sizes} for "
                f"shape {x.shape}"
            )
        axes = range(x.ndim - len(sizes), x.ndim)
    if sizes is not None and axes is not None and len(sizes) != len(axes):
        raise value_error(
            f"{name}: Shape and axes have different lengths, got: {sizes} for axes {axes}"
        )
    repeated = f"{name} does not support repeated axes. Got axes"
    dims = canonical_axes(axes if axes is None else tuple(axes), x.ndim, "axes", repeated)
    x = _converted(name, x, kind)
    if sizes is None:
        sizes = _sizes_of(x, kind, dims)
    x = _resized(x, kind, dims, sizes)
    return _scaled(transformed(x, kind, sizes, dims), kind, math.prod(sizes), chosen)


def _converted(name: str, x: Array, kind: FftType) -> Array:
    """Convert the operand to a type that transforms support."""
    if kind is not FftType.RFFT:
        return lax.convert_element_type(x, dtypes.to_complex_dtype(x.dtype))
    x = lax.convert_element_type(x, dtypes.to_inexact_dtype(x.dtype))
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise type_error(
            f"{name}: the element type must be float32, float64 or an integer, got: "
            f"{x.dtype.name}; convert the argument, or use the transform of complex numbers"
        )
    return x


def _sizes_of(x: Array, kind: FftType, dims: tuple[int, ...]) -> tuple[int, ...]:
    sizes = [x.shape[d] for d in dims]
    if kind is FftType.IRFFT and sizes:
        sizes[-1] = max(0, 2 * (sizes[-1] - 1))
    return tuple(sizes)


def _resized(x: Array, kind: FftType, dims: tuple[int, ...], sizes: tuple[int, ...]) -> Array:
    """The operand with zeros at the end of dimensions that are too short, and longer ones
    cropped.
    """
    missing = [0] * x.ndim
    for number, (d, size) in enumerate(zip(dims, sizes, strict=True)):
        is_half = kind is FftType.IRFFT and number == len(dims) - 1
        missing[d] = (size // 2 + 1 if is_half else size) - x.shape[d]
    if all(count == 0 for count in missing) or 0 in sizes:
        return x
    zero = lax.full((), 0, x.dtype)
    return lax.pad(x, zero, [(0, count, 0) for count in missing])


def _scaled(x: Array, kind: FftType, size: int, norm: str) -> Array:
    if norm == "backward" or size == 0:
        return x
    is_inverse = kind in (FftType.IFFT, FftType.IRFFT)
    factor = math.sqrt(size) if norm == "ortho" else float(size)
    return x * factor if is_inverse else x * (1.0 / factor)
