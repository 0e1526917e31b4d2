"""Discrete cosine transforms through Fourier transforms of reordered numbers.

The order and the factors are those of J. Makhoul, A fast cosine transform in one and two
dimensions, IEEE Transactions on Acoustics, Speech, and Signal Processing 28, 1980.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.numpy.promotion import with_dtype
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes, canonical_axis

_ONE = """
    Args:
      x: an array of numbers.
      type: 2.
      n: the length, to which `x` is padded with zeros or cropped; by default its size.
      axis: the dimension.
      norm: "backward", the default, or "ortho" for an orthogonal transform.

    Returns:
      An array like `x`, of floats or complex numbers, with size n along the dimension.

    Raises:
      NotImplementedError: another type.
      ValueError: n is less than 1, or there is no such norm or axis.
"""
_SEVERAL = """
    Args:
      x: an array of numbers.
      type: 2.
      s: the lengths, to which `x` is padded with zeros or cropped; by default its sizes.
      axes: the dimensions; by default the last ones, as many as `s` has sizes, or all.
      norm: as for `dct`.

    Returns:
      An array like `x`, of floats or complex numbers, with the lengths along the dimensions.

    Raises:
      NotImplementedError: another type.
      ValueError: sizes and axes differ in number, a size is less than 1, or there is no such norm
        or axis.
"""


@documented(_ONE)
def dct(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Array:
    """The cosine transform of type 2: 2 sum over j of x[j] cos(π k (2 j + 1) / (2 n)).

    Example:
      >>> dct(np.float32([1, 1]))
      Array([4., 0.], dtype=float32)
    """
    return _single("dct", _forward, x, type, n, axis, norm)


@documented(_ONE)
def idct(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Array:
    """The inverse of `dct`.

    Args:
      type: 2, of the transform whose inverse this is.

    Example:
      >>> idct(np.float32([4, 0]))
      Array([1., 1.], dtype=float32)
    """
    return _single("idct", _inverse, x, type, n, axis, norm)


@documented(_SEVERAL)
def dctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The cosine transforms along several dimensions, one after the other.

    Example:
      >>> dctn(np.float32([[1, 1], [1, 1]]))
      Array([[16.,  0.],
             [ 0.,  0.]], dtype=float32)
    """
    return _several("dctn", _forward, x, type, s, axes, norm)


@documented(_SEVERAL)
def idctn(
    x: ArrayLike,
    type: int = 2,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The inverse of `dctn`.

    Args:
      type: 2, of the transform whose inverse this is.

    Example:
      >>> idctn(np.float32([[16, 0], [0, 0]]))
      Array([[1., 1.],
             [1., 1.]], dtype=float32)
    """
    return _several("idctn", _inverse, x, type, s, axes, norm)


# (real array, dimension, whether orthogonal) -> its transform
_Transform = Callable[[Array, int, bool], Array]


def _single(
    name: str, transform: _Transform, x: ArrayLike, type: int, n: Any, axis: int, norm: str | None
) -> Array:
    array = as_operand(name, x)
    sizes = None if n is None else [operator.index(n)]
    return _along(name, transform, array, type, sizes, (canonical_axis(axis, array.ndim),), norm)


def _several(
    name: str, transform: _Transform, x: ArrayLike, type: int, s: Any, axes: Any, norm: str | None
) -> Array:
    array = as_operand(name, x)
    sizes = None
    if s is not None:
        sizes = [operator.index(n) for n in (s if isinstance(s, Sequence) else (s,))]
        if len(sizes) > array.ndim:
            raise value_error(
                f"{name}: there must be at most as many sizes as dimensions, got: {sizes} for "
                f"shape {array.shape}"
            )
        if axes is None:
            axes = tuple(range(array.ndim - len(sizes), array.ndim))
    dims = canonical_axes(axes if axes is None else tuple(axes), array.ndim, "axes")
    return _along(name, transform, array, type, sizes, dims, norm)


def _along(
    name: str,
    transform: _Transform,
    x: Array,
    type: int,
    sizes: list[int] | None,
    dims: tuple[int, ...],
    norm: str | None,
) -> Array:
    if type != 2:
        raise NotImplementedError(f"{name}: type must be 2, got: {type}")
    if norm not in (None, "backward", "ortho"):
        raise value_error(f'{name}: norm must be "backward" or "ortho", got: {norm!r}')
    if sizes is not None:
        x = _resized(name, x, dims, sizes)
    x = with_dtype(x, dtypes.to_inexact_dtype(x.dtype))
    if dtypes.KINDS[x.dtype] == "c":
        parts = (_real_along(transform, part, dims, norm) for part in (ops.real(x), ops.imag(x)))
        return ops.complex(*parts)
    return _real_along(transform, x, dims, norm)


def _real_along(transform: _Transform, x: Array, dims: tuple[int, ...], norm: str | None) -> Array:
    # There are Fourier transforms of float32 and float64 only.
    x = with_dtype(x, dtypes.promote_types(x.dtype, dtypes.float32))
    for d in dims:
        x = transform(x, d, norm == "ortho")
    return x


def _resized(name: str, x: Array, dims: tuple[int, ...], sizes: list[int]) -> Array:
    if len(sizes) != len(dims):
        raise value_error(f"{name}: there must be a size for each axis, got: {sizes} for {dims}")
    if min(sizes, default=1) < 1:
        raise value_error(f"{name}: sizes must be at least 1, got: {sizes}")
    missing = [0] * x.ndim
    for d, size in zip(dims, sizes, strict=True):
        missing[d] = size - x.shape[d]
    return lax.pad(x, lax.full((), 0, x.dtype), [(0, count, 0) for count in missing])


def _forward(x: Array, dimension: int, is_orthogonal: bool) -> Array:
    n = x.shape[dimension]
    if n == 0:
        return x
    evens = lax.slice_in_dim(x, 0, None, 2, dimension)
    # Reversed first: the code generator rejects the reverse of every other real part.
    odds = lax.slice_in_dim(lax.rev(x, (dimension,)), n % 2, None, 2, dimension)
    ordered = lax.concatenate([evens, odds], dimension)
    factors = 2 * _turns(n)
    if is_orthogonal:
        factors *= _norms(n)[: n // 2 + 1]
    half = ops.mul(ops.rfft(ordered, dimension, n), _spread(factors, x, n // 2 + 1, dimension))
    # Element n - k is the imaginary part of element k, without its sign.
    mirrored = lax.slice_in_dim(ops.imag(half), 1, (n + 1) // 2, 1, dimension)
    mirrored = lax.rev(ops.neg(mirrored), (dimension,))
    return lax.concatenate([ops.real(half), mirrored], dimension)


def _inverse(x: Array, dimension: int, is_orthogonal: bool) -> Array:
    n = x.shape[dimension]
    if n == 0:
        return x
    count = n // 2 + 1
    first = lax.slice_in_dim(x, 0, count, 1, dimension)
    last = lax.rev(lax.slice_in_dim(x, n // 2 + n % 2, None, 1, dimension), (dimension,))
    # Element 0 has no counterpart.
    low = [(0, 0, 0)] * x.ndim
    low[dimension] = (1, 0, 0)
    zero = lax.full((), 0, x.dtype)
    mirrored = lax.slice_in_dim(lax.pad(last, zero, low), 0, count, 1, dimension)
    factors = 0.5 / _turns(n)
    if is_orthogonal:
        factors /= _norms(n)[:count]
    spectrum = ops.mul(ops.complex(first, ops.neg(mirrored)), _spread(factors, x, count, dimension))
    ordered = ops.irfft(spectrum, dimension, n)
    evens = lax.slice_in_dim(ordered, 0, (n + 1) // 2, 1, dimension)
    odds = lax.rev(lax.slice_in_dim(ordered, (n + 1) // 2, None, 1, dimension), (dimension,))
    return ops.add(_at(evens, 0, n, dimension), _at(odds, 1, n, dimension))


def _at(x: Array, first: int, size: int, dimension: int) -> Array:
    """Every other element of an array of zeros, from `first` on."""
    count = x.shape[dimension]
    padding = [(0, 0, 0)] * x.ndim
    if count == 0:
        padding[dimension] = (0, size, 0)
    else:
        padding[dimension] = (first, size - first - (2 * count - 1), 1)
    return lax.pad(x, lax.full((), 0, x.dtype), padding)


def _turns(n: int) -> np.ndarray:
    """exp(-iπ k / (2 n)) for the elements of a half spectrum."""
    return np.exp(-0.5j * np.pi * np.arange(n // 2 + 1) / n)


def _norms(n: int) -> np.ndarray:
    """The factors that make the transform orthogonal."""
    factors = np.full(n, np.sqrt(0.5 / n))
    factors[0] = np.sqrt(0.25 / n)
    return factors


def _spread(factors: np.ndarray, x: Array, count: int, dimension: int) -> Array:
    """A factor for each element along a dimension."""
    dtype = dtypes.to_complex_dtype(x.dtype)
    shape = (*x.shape[:dimension], count, *x.shape[dimension + 1 :])
    return ops.broadcast(as_operand("dct", factors.astype(dtype)), (dimension,), shape)
