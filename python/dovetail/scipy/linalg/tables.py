"""Matrices of special form that depend only on their size."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.tracing.bind import constant


def indices(rows: int, columns: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of rows, as a column, and of columns."""
    return np.arange(rows)[:, None], np.arange(rows if columns is None else columns)


def _known(values: np.ndarray, dtype: np.dtype) -> Array:
    """A matrix that depends only on its size."""
    return constant(np.asarray(values).astype(dtype))


def as_count(name: str, n: int, least: int = 0) -> int:
    """A number of rows or columns, checked."""
    count = operator.index(n)
    if count < least:
        what = "positive" if least else "nonnegative"
        raise value_error(f"{name}: n must be a {what} integer, got: {n}")
    return count


def hilbert(n: int) -> Array:
    """The Hilbert matrix: 1 / (i + j + 1).

    Args:
      n: the size.

    Returns:
      A matrix of the default float.

    Example:
      >>> hilbert(2)
      Array([[1.        , 0.5       ],
             [0.5       , 0.33333334]], dtype=float32)
    """
    i, j = indices(as_count("hilbert", n))
    return _known(1 / (i + j + 1), dtypes.default_dtype("f"))


def invhilbert(n: int) -> Array:
    """The inverse of the Hilbert matrix.

    Args:
      n: the size.

    Returns:
      A matrix of the default float: integers, rounded.

    Example:
      >>> invhilbert(2)
      Array([[ 4., -6.],
             [-6., 12.]], dtype=float32)
    """
    count, comb = as_count("invhilbert", n), math.comb

    def entry(i: int, j: int) -> int:
        sign = (-1) ** (i + j) * (i + j + 1)
        both = comb(count + i, count - j - 1) * comb(count + j, count - i - 1)
        return sign * both * comb(i + j, i) ** 2

    return _table(count, entry, dtypes.default_dtype("f"))


def _table(n: int, entry: Any, dtype: np.dtype) -> Array:
    """A matrix of exact numbers, each rounded once."""
    values = [[float(Fraction(entry(i, j))) for j in range(n)] for i in range(n)]
    return _known(np.array(values, np.float64).reshape(n, n), dtype)


def _kind(name: str, kind: str | None) -> str:
    if kind not in (None, "symmetric", "lower", "upper"):
        raise value_error(
            f"{name}: Expected kind to be one of: 'symmetric', 'lower', 'upper'; got: {kind!r}"
        )
    return kind or "symmetric"


def pascal(n: int, kind: str | None = None) -> Array:
    """The matrix of Pascal's triangle.

    Args:
      n: the size.
      kind: `symmetric`, the default, `lower` or `upper`.

    Returns:
      A matrix of float32.

    Raises:
      ValueError: there is no such kind.

    Example:
      >>> pascal(3, "lower")
      Array([[1., 0., 0.],
             [1., 1., 0.],
             [1., 2., 1.]], dtype=float32)
    """
    entries = {
        "symmetric": lambda i, j: math.comb(i + j, i),
        "lower": math.comb,
        "upper": lambda i, j: math.comb(j, i),
    }
    return _table(as_count("pascal", n), entries[_kind("pascal", kind)], dtypes.float32)


def invpascal(n: int, kind: str | None = None) -> Array:
    """The inverse of the matrix of Pascal's triangle.

    Args:
      n: the size.
      kind: `symmetric`, the default, `lower` or `upper`.

    Returns:
      A matrix of the default float: integers, rounded.

    Raises:
      ValueError: there is no such kind.

    Example:
      >>> invpascal(2)
      Array([[ 2., -1.],
             [-1.,  1.]], dtype=float32)
    """
    count, comb = as_count("invpascal", n), math.comb

    def lower(i: int, j: int) -> int:
        return (-1) ** (i + j) * comb(i, j)

    entries = {
        "symmetric": lambda i, j: sum(lower(k, i) * lower(k, j) for k in range(count)),
        "lower": lower,
        "upper": lambda i, j: lower(j, i),
    }
    return _table(count, entries[_kind("invpascal", kind)], dtypes.default_dtype("f"))


def helmert(n: int, full: bool = False) -> Array:
    """The Helmert matrix, whose rows are orthonormal contrasts.

    Args:
      n: the number of columns.
      full: whether to include the first row, of equal elements.

    Returns:
      A matrix of the default float, with n - 1 or n rows.

    Raises:
      ValueError: n is not positive.

    Example:
      >>> helmert(2)
      Array([[ 0.70710677, -0.70710677]], dtype=float32)
    """
    count = as_count("helmert", n, 1)
    i, j = indices(count)
    size = np.sqrt(np.where(i == 0, count, i * (i + 1.0)))
    rows = np.where((j < i) | (i == 0), 1, np.where(j == i, -i, 0)) / size
    return _known(rows if full else rows[1:], dtypes.default_dtype("f"))


def hadamard(n: int, dtype: Any = int) -> Array:
    """The Hadamard matrix, of orthogonal rows of 1 and -1 (Sylvester's construction).

    Args:
      n: the size, a power of 2.
      dtype: the element type.

    Returns:
      A matrix.

    Raises:
      ValueError: n is not a power of 2.

    Example:
      >>> hadamard(2)
      Array([[ 1,  1],
             [ 1, -1]], dtype=int32)
    """
    count = operator.index(n)
    if count < 1 or count & (count - 1):
        raise value_error(f"hadamard: n must be a positive power of 2, got: {n}")
    i, j = indices(count)
    return _known(
        1 - 2 * (np.bitwise_count(i & j).astype(int) % 2), dtypes.canonicalize_dtype(dtype)
    )


def dft(n: int, scale: str | None = None, *, dtype: Any = None) -> Array:
    """The matrix of the discrete Fourier transform.

    Args:
      n: the size.
      scale: the divisor: None, `sqrtn` or `n`.
      dtype: the element type, by default the default complex one.

    Returns:
      A matrix.

    Raises:
      ValueError: there is no such scale, or the element type is not complex.

    Example:
      >>> dft(2).real
      Array([[ 1.,  1.],
             [ 1., -1.]], dtype=float32)
    """
    if scale not in (None, "sqrtn", "n"):
        raise value_error(f"dft: scale must be None, 'sqrtn' or 'n', got: {scale!r}")
    element = dtypes.default_dtype("c") if dtype is None else dtypes.canonicalize_dtype(dtype)
    if dtypes.KINDS[element] != "c":
        raise value_error(f"dft: dtype must be a complex floating-point type, got: {element.name}")
    count = as_count("dft", n)
    i, j = indices(count)
    values = np.exp(-2j * np.pi * (i * j % max(count, 1)) / max(count, 1))
    return _known(values / {None: 1, "sqrtn": count**0.5, "n": count}[scale], element)
