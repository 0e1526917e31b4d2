"""Convolution and correlation in any number of dimensions, direct and by Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import conj, fft, flip
from dovetail.numpy.convolution import MODES
from dovetail.numpy.promotion import promote
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes


def fftconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: Sequence[int] | None = None
) -> Array:
    """The convolution of two arrays by Fourier transforms, for large kernels.

    Args:
      in1, in2: arrays of one rank; integers and bools become floats.
      mode: `full` for all sums, `same` for the middle ones, as many as `in1` has elements, `valid`
        for those that use all of the smaller array.
      axes: the dimensions along which to convolve, by default all; the others broadcast.

    Returns:
      An array of the promoted type.

    Raises:
      ValueError: the ranks differ, there is no such mode, or for `valid` neither is the smaller.

    Example:
      >>> fftconvolve(dnp.array([1.0, 2.0, 3.0]), dnp.array([1.0, 1.0])).round(3)
      Array([1., 3., 5., 3.], dtype=float32)
    """
    x, y = _operands("fftconvolve", in1, in2, mode)
    dims = tuple(sorted(canonical_axes(axes, x.ndim)))
    for i in range(x.ndim):
        if i not in dims and x.shape[i] != y.shape[i] and 1 not in (x.shape[i], y.shape[i]):
            raise value_error(
                f"fftconvolve: dimensions that are not in axes must be of equal sizes, got: shapes "
                f"{x.shape} and {y.shape}"
            )
    if mode == "valid":
        x, y = _larger_first("fftconvolve", x, y, dims)
    sizes = [(x.shape[i], y.shape[i]) for i in dims]
    total = [a + b - 1 for a, b in sizes]
    if not dims or all(1 in pair for pair in sizes):
        result = x * y
    elif dtypes.KINDS[x.dtype] == "c":
        result = fft.ifftn(fft.fftn(x, total, dims) * fft.fftn(y, total, dims), total, dims)
    else:
        result = fft.irfftn(fft.rfftn(x, total, dims) * fft.rfftn(y, total, dims), total, dims)
    kept = {"full": total, "same": [a for a, _ in sizes], "valid": [a - b + 1 for a, b in sizes]}
    index: list[Any] = [slice(None)] * x.ndim
    for dim, size, out in zip(dims, total, kept[mode], strict=True):
        start = (size - out) // 2
        index[dim] = slice(start, start + out)
    return result[tuple(index)]


def convolve(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: Any = None,
) -> Array:
    """The convolution of two arrays.

    Args:
      in1, in2: arrays of one rank that are not empty; integers and bools become floats.
      mode: `full` for all sums, `same` for the middle ones, as many as `in1` has elements, `valid`
        for those that use all of the smaller array.
      method: `direct`, `fft`, or `auto`, which is direct.
      precision: as for `dovetail.numpy.dot`.

    Returns:
      An array of the promoted type.

    Raises:
      ValueError: the ranks differ, an array is empty, neither is the smaller in every dimension,
        or there is no such mode or method.

    Example:
      >>> convolve(dnp.array([1.0, 2.0, 3.0]), dnp.array([1.0, 1.0]), mode="same")
      Array([1., 3., 5.], dtype=float32)
    """
    if method == "fft":
        return fftconvolve(in1, in2, mode)
    if method not in ("direct", "auto"):
        raise value_error(f"convolve: method must be 'auto', 'fft' or 'direct', got: {method!r}")
    return _direct("convolve", in1, in2, mode, precision)


def correlate(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: Any = None,
) -> Array:
    """The correlation of two arrays: the convolution with the reversed conjugate of the second.

    Args:
      in1, in2, mode, method, precision: as for `convolve`.

    Returns:
      An array of the promoted type.

    Raises:
      ValueError: as for `convolve`.

    Example:
      >>> correlate(dnp.array([1.0, 2.0, 3.0]), dnp.array([0.0, 1.0]), mode="valid")
      Array([2., 3.], dtype=float32)
    """
    return convolve(in1, flip(conj(as_operand("correlate", in2))), mode, method, precision)


def convolve2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: Any = None,
) -> Array:
    """The convolution of two matrices.

    Args:
      in1, in2: matrices that are not empty; integers and bools become floats.
      mode, precision: as for `convolve`.
      boundary: must be `fill`.
      fillvalue: must be 0.

    Returns:
      A matrix of the promoted type.

    Raises:
      ValueError: an operand is not a matrix, or as for `convolve`.
      NotImplementedError: another boundary.

    Example:
      >>> convolve2d(dnp.eye(2), dnp.ones((1, 2)))
      Array([[1., 1., 0.],
             [0., 1., 1.]], dtype=float32)
    """
    _check_2d("convolve2d", in1, in2, boundary, fillvalue)
    return _direct("convolve2d", in1, in2, mode, precision)


def correlate2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
    precision: Any = None,
) -> Array:
    """The correlation of two matrices.

    Args:
      in1, in2: matrices that are not empty; integers and bools become floats.
      mode, precision: as for `convolve`.
      boundary: must be `fill`.
      fillvalue: must be 0.

    Returns:
      A matrix of the promoted type.

    Raises:
      ValueError: an operand is not a matrix, or as for `convolve`.
      NotImplementedError: another boundary.

    Example:
      >>> correlate2d(dnp.eye(2), dnp.ones((1, 2)), mode="same")
      Array([[1., 0.],
             [1., 1.]], dtype=float32)
    """
    _check_2d("correlate2d", in1, in2, boundary, fillvalue)
    x, y = as_operand("correlate2d", in1), as_operand("correlate2d", in2)
    if mode == "same":
        # SciPy rounds the middle to the other side than in a convolution.
        return flip(_direct("correlate2d", flip(x), conj(y), mode, precision))
    smaller = all(a <= b for a, b in zip(x.shape, y.shape, strict=True)) and x.shape != y.shape
    if mode == "valid" and smaller:
        # SciPy correlates the larger one with the smaller.
        return _direct("correlate2d", flip(y), conj(x), mode, precision)
    return _direct("correlate2d", x, flip(conj(y)), mode, precision)


def _operands(name: str, in1: ArrayLike, in2: ArrayLike, mode: str) -> list[Array]:
    if mode not in MODES:
        raise value_error(f"{name}: mode must be one of {', '.join(MODES)}, got: {mode!r}")
    x, y = operands = promote(name, in1, in2, to=dtypes.to_inexact_dtype)
    if x.ndim != y.ndim:
        raise value_error(
            f"{name}: ranks must be equal, got: {x.ndim} and {y.ndim}; add dimensions with reshape"
        )
    return operands


def _larger_first(name: str, x: Array, y: Array, dims: Sequence[int]) -> tuple[Array, Array]:
    if all(x.shape[i] >= y.shape[i] for i in dims):
        return x, y
    if all(x.shape[i] <= y.shape[i] for i in dims):
        return y, x
    raise value_error(
        f"{name}: one operand must be the smaller in every dimension, got: shapes {x.shape} and "
        f"{y.shape}"
    )


def _check_2d(name: str, x: ArrayLike, y: ArrayLike, boundary: str, fillvalue: float) -> None:
    if boundary != "fill" or fillvalue != 0:
        raise NotImplementedError(
            f"{name}: boundary must be 'fill' with fillvalue 0, got: {boundary!r} and {fillvalue}; "
            "pad with dovetail.numpy.pad"
        )
    ranks = [as_operand(name, operand).ndim for operand in (x, y)]
    if ranks != [2, 2]:
        raise value_error(
            f"{name}: operands must be matrices, got: ranks {ranks[0]} and {ranks[1]}"
        )


def _direct(name: str, in1: ArrayLike, in2: ArrayLike, mode: str, precision: Any) -> Array:
    x, y = _operands(name, in1, in2, mode)
    if not x.size or not y.size:
        raise value_error(
            f"{name}: operands must not be empty, got: shapes {x.shape} and {y.shape}"
        )
    first = x.shape
    x, y = _larger_first(name, x, y, range(x.ndim))
    padding = []
    for size, kernel, out in zip(x.shape, y.shape, first, strict=True):
        # Where the kept sums begin among all sums.
        start = {"full": 0, "same": (size + kernel - 1 - out) // 2, "valid": kernel - 1}[mode]
        count = {"full": size + kernel - 1, "same": out, "valid": size - kernel + 1}[mode]
        end = size + kernel - 1 - start - count
        padding.append((kernel - 1 - start, kernel - 1 - end))
    strides = (1,) * x.ndim
    result = lax.conv_general_dilated(
        x[None, None], flip(y)[None, None], strides, padding, precision=precision
    )
    return result[0, 0]
