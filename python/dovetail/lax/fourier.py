"""Fourier transforms over the last dimensions."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import MismatchError, type_error, value_error
from dovetail.base.locations import here
from dovetail.lax.convert import convert
from dovetail.lax.create import full
from dovetail.ops.operands import ArrayLike, as_operand, canonical_shape
from dovetail.tracing.composed import composed, makes_equations


class FftType(enum.IntEnum):
    """The kinds of Fourier transforms.

    Example:
      >>> import dovetail as dt
      >>> dt.lax.fft(dnp.ones(4), dt.lax.FftType.RFFT, (4,))
      Array([4.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
    """

    FFT = 0
    """Complex to complex."""

    IFFT = 1
    """Its inverse."""

    RFFT = 2
    """Real to complex: along the last dimension, the nonredundant half of the spectrum."""

    IRFFT = 3
    """Its inverse."""


def fft(x: ArrayLike, fft_type: FftType | str, fft_lengths: Sequence[int]) -> Array:
    """The Fourier transform over the last dimensions, without a factor; inverses have 1/size.

    Args:
      x: an array of numbers; real ones for RFFT.
      fft_type: an `FftType` or its name.
      fft_lengths: the lengths of the signals, for each transformed dimension.

    Returns:
      A complex array of the operand's shape, for RFFT with n//2 + 1 elements instead of n along the
      last dimension; for IRFFT a real one of the lengths.

    Raises:
      TypeError: the operand of RFFT is complex, or a float of less than 32 bits.
      ValueError: there is no such type, or the lengths are not those of the operand.

    Example:
      >>> fft(np.float32([1, 2, 3, 4]), FftType.RFFT, (4,))
      Array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    kind = _kind_of(fft_type)
    operand, lengths = as_operand("fft", x), canonical_shape(fft_lengths, "fft_lengths")
    if kind is FftType.RFFT:
        operand = convert(operand, dtypes.to_inexact_dtype(operand.dtype))
        if operand.dtype not in (dtypes.float32, dtypes.float64):
            raise MismatchError(
                f"RFFT input must be float32 or float64, got {operand.dtype.name}; convert it, or "
                f"use FFT for complex numbers, {here()}"
            )
    else:
        operand = convert(operand, dtypes.to_complex_dtype(operand.dtype))
    _check_lengths(operand, kind, lengths)
    return transformed(
        operand, kind, lengths, tuple(range(operand.ndim - len(lengths), operand.ndim))
    )


def _kind_of(fft_type: FftType | str) -> FftType:
    if isinstance(fft_type, FftType):
        return fft_type
    if not isinstance(fft_type, str):
        raise type_error(f"fft: fft_type must be an FftType or its name, got: {fft_type!r}")
    if fft_type.upper() not in FftType.__members__:
        raise value_error(
            f"Unknown FFT type {fft_type!r}; it must be one of {', '.join(FftType.__members__)}"
        )
    return FftType[fft_type.upper()]


def _check_lengths(x: Array, kind: FftType, lengths: tuple[int, ...]) -> None:
    if len(lengths) > x.ndim:
        raise value_error(
            f"FFT input shape {x.shape} must have at least as many input dimensions as fft_lengths "
            f"{lengths}"
        )
    if not lengths or 0 in lengths:
        return
    expected, wanted = lengths, f"fft_lengths {lengths}"
    if kind is FftType.IRFFT:
        expected = (*lengths[:-1], lengths[-1] // 2 + 1)
        wanted = f"all except the last fft_length, got fft_lengths={lengths}"
    if x.shape[-len(lengths) :] != expected:
        name = kind.name.replace("IFFT", "FFT")
        raise value_error(
            f"{name} input shape {x.shape} minor dimensions must be equal to {wanted}; pad or "
            f"slice it to {expected}"
        )


def transformed(x: Array, kind: FftType, lengths: Sequence[int], dims: Sequence[int]) -> Array:
    """The transform along arbitrary dimensions `dims`, for an operand of the right type."""
    if not dims:
        return x
    if 0 in lengths:
        return _of_nothing(x, kind, lengths, dims)
    last = tuple(range(x.ndim - len(dims), x.ndim))
    if tuple(dims) == last and makes_equations():
        return _equation(x, fft_type=kind, fft_lengths=tuple(lengths))
    return _along(x, kind, lengths, dims)


@composed("fft")
def _equation(x: Array, *, fft_type: Any, fft_lengths: Sequence[int]) -> Array:
    dims = range(x.ndim - len(fft_lengths), x.ndim)
    return _along(x, FftType(fft_type), fft_lengths, dims)


def _along(x: Array, kind: FftType, lengths: Sequence[int], dims: Sequence[int]) -> Array:
    pairs = list(zip(dims, lengths, strict=True))
    if not pairs:
        return x
    match kind:
        case FftType.RFFT:
            x = ops.rfft(x, *pairs.pop())
        case FftType.IRFFT:
            dimension, length = pairs.pop()
            return ops.irfft(_along(x, FftType.IFFT, *_unzip(pairs)), dimension, length)
    # The last dimension first, whose elements are contiguous.
    for dimension, length in reversed(pairs):
        x = ops.fft(x, dimension, length, kind is FftType.IFFT)
    return x


def _unzip(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [length for _, length in pairs], [dimension for dimension, _ in pairs]


def _of_nothing(x: Array, kind: FftType, lengths: Sequence[int], dims: Sequence[int]) -> Array:
    """Transforms of signals without elements; any elements that they have are zero."""
    shape = list(x.shape)
    for dimension, length in zip(dims, lengths, strict=True):
        shape[dimension] = length
    if kind is FftType.RFFT:
        shape[dims[-1]] = lengths[-1] // 2 + 1
    to = dtypes.to_real_dtype if kind is FftType.IRFFT else dtypes.to_complex_dtype
    return full(shape, 0, to(x.dtype))
