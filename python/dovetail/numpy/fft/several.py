"""Transforms along several dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.lax.fourier import FftType
from dovetail.numpy.fft.core import along
from dovetail.numpy.fft.docstrings import SEVERAL, SEVERAL_HALF, SEVERAL_REAL
from dovetail.ops.operands import ArrayLike


def _double(
    name: str,
    kind: FftType,
    a: ArrayLike,
    s: Sequence[int] | None,
    axes: Sequence[int],
    norm: str | None,
) -> Array:
    if len(axes) != 2:
        raise value_error(
            f"{name} only supports 2 axes. Got axes = {axes!r}; use {name[:-1]}n for others"
        )
    return along(name, kind, a, s, axes, norm)


@documented(SEVERAL)
def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """The spectrum along two dimensions.

    Args:
      axes: the dimensions; two of them.

    Example:
      >>> fft2(np.float32([[1, 2], [3, 4]]))
      Array([[10.+0.j, -2.+0.j],
             [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return _double("fft2", FftType.FFT, a, s, axes, norm)


@documented(SEVERAL)
def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """The inverse of `fft2`.

    Args:
      axes: the dimensions; two of them.

    Example:
      >>> ifft2(np.float32([[10, -2], [-4, 0]]))
      Array([[1.+0.j, 2.+0.j],
             [3.+0.j, 4.+0.j]], dtype=complex64)
    """
    return _double("ifft2", FftType.IFFT, a, s, axes, norm)


@documented(SEVERAL, SEVERAL_HALF)
def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """The spectrum of real numbers along two dimensions; along the last, only the nonredundant
    half.

    Args:
      axes: the dimensions; two of them.

    Example:
      >>> rfft2(np.float32([[1, 2, 3], [4, 5, 6]])).shape
      (2, 2)
    """
    return _double("rfft2", FftType.RFFT, a, s, axes, norm)


@documented(SEVERAL, SEVERAL_REAL)
def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Array:
    """The inverse of `rfft2`.

    Args:
      axes: the dimensions; two of them.

    Example:
      >>> irfft2(np.float32([[10, -2], [-4, 0]]))
      Array([[1., 2.],
             [3., 4.]], dtype=float32)
    """
    return _double("irfft2", FftType.IRFFT, a, s, axes, norm)


@documented(SEVERAL)
def fftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The spectrum along several dimensions.

    Example:
      >>> fftn(np.float32([[1, 2], [3, 4]]))
      Array([[10.+0.j, -2.+0.j],
             [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return along("fftn", FftType.FFT, a, s, axes, norm)


@documented(SEVERAL)
def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The inverse of `fftn`.

    Example:
      >>> ifftn(np.float32([[10, -2], [-4, 0]]))
      Array([[1.+0.j, 2.+0.j],
             [3.+0.j, 4.+0.j]], dtype=complex64)
    """
    return along("ifftn", FftType.IFFT, a, s, axes, norm)


@documented(SEVERAL, SEVERAL_HALF)
def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The spectrum of real numbers along several dimensions; along the last, only the nonredundant
    half.

    Example:
      >>> rfftn(np.float32([[1, 2, 3], [4, 5, 6]])).shape
      (2, 2)
    """
    return along("rfftn", FftType.RFFT, a, s, axes, norm)


@documented(SEVERAL, SEVERAL_REAL)
def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Array:
    """The inverse of `rfftn`.

    Example:
      >>> irfftn(np.float32([[10, -2], [-4, 0]]))
      Array([[1., 2.],
             [3., 4.]], dtype=float32)
    """
    return along("irfftn", FftType.IRFFT, a, s, axes, norm)
