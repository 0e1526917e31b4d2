"""Transforms along one dimension."""

from __future__ import annotations

import operator
from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.lax.fourier import FftType
from dovetail.numpy.fft.core import along, checked_norm, opposite
from dovetail.numpy.fft.docstrings import ONE, ONE_HALF, ONE_REAL
from dovetail.numpy.parts import conjugate
from dovetail.ops.operands import ArrayLike, as_operand


def _single(name: str, kind: FftType, a: ArrayLike, n: Any, axis: Any, norm: str | None) -> Array:
    if isinstance(axis, (list, tuple)):
        raise value_error(
            f"{name} does not support multiple axes. Please use {name}n. Got axis = {axis!r}"
        )
    sizes = None if n is None else (operator.index(n),)
    return along(name, kind, a, sizes, None if axis is None else (axis,), norm)


@documented(ONE)
def fft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The spectrum of complex numbers: sums over j of a[j] exp(-2πi j k / n).

    Example:
      >>> fft(np.float32([1, 2, 3, 4]))
      Array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j], dtype=complex64)
    """
    return _single("fft", FftType.FFT, a, n, axis, norm)


@documented(ONE)
def ifft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The numbers with a given spectrum: the inverse of `fft`.

    Example:
      >>> ifft(np.complex64([10, -2 + 2j, -2, -2 - 2j]))
      Array([1.+0.j, 2.+0.j, 3.+0.j, 4.+0.j], dtype=complex64)
    """
    return _single("ifft", FftType.IFFT, a, n, axis, norm)


@documented(ONE, ONE_HALF)
def rfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The spectrum of real numbers: the first n//2 + 1 elements of `fft`; the others are conjugates
    of these.

    Example:
      >>> rfft(np.float32([1, 2, 3, 4]))
      Array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    return _single("rfft", FftType.RFFT, a, n, axis, norm)


@documented(ONE, ONE_REAL)
def irfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The real numbers with a given spectrum: the inverse of `rfft`.

    Args:
      n: the length of the signal, by default 2 * (size - 1); `a` is padded with zeros or cropped to
        n//2 + 1 elements.

    Example:
      >>> irfft(np.complex64([10, -2 + 2j, -2]))
      Array([1., 2., 3., 4.], dtype=float32)
    """
    return _single("irfft", FftType.IRFFT, a, n, axis, norm)


@documented(ONE, ONE_REAL)
def hfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The real spectrum of a signal whose element -j is the conjugate of element j.

    Args:
      a: an array of numbers, the elements from 0 on.
      n: the length of the signal, by default 2 * (size - 1); `a` is padded with zeros or cropped to
        n//2 + 1 elements.

    Example:
      >>> hfft(np.float32([1, 2, 3]))
      Array([ 8., -2.,  0., -2.], dtype=float32)
    """
    name = "hfft"
    x = conjugate(as_operand(name, a))
    return _single(name, FftType.IRFFT, x, n, axis, opposite(checked_norm(name, norm)))


@documented(ONE, ONE_HALF)
def ihfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The inverse of `hfft`.

    Example:
      >>> ihfft(np.float32([12, -4, 0, -4]))
      Array([1.-0.j, 3.-0.j, 5.-0.j], dtype=complex64)
    """
    name = "ihfft"
    transform = _single(name, FftType.RFFT, a, n, axis, opposite(checked_norm(name, norm)))
    return lax.conj(transform)
