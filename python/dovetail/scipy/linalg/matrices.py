"""Matrices of special form, from vectors and from other matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax, numpy
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.numpy.promotion import inexact, promote
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_shapes, broadcast_to
from dovetail.scipy.linalg.tables import as_count, indices
from dovetail.tracing.bind import constant


def _vectors(name: str, x: ArrayLike, position: int = 0) -> Array:
    array = as_operand(name, x, position)
    return lax.expand_dims(array, (0,)) if array.ndim == 0 else array


def block_diag(*arrs: ArrayLike) -> Array:
    """A matrix with others along its diagonal.

    Args:
      arrs: matrices, vectors, which are rows, or scalars; they are promoted.

    Returns:
      A matrix.

    Raises:
      ValueError: an array has more than 2 dimensions.

    Example:
      >>> block_diag(np.int32([[1, 2]]), np.int32(3))
      Array([[1, 2, 0],
             [0, 0, 3]], dtype=int32)
    """
    given: Any = arrs or (np.zeros((1, 0)),)
    arrays = promote("block_diag", *given)
    for i, x in enumerate(arrays):
        if x.ndim > 2:
            raise value_error(
                f"block_diag: arrays must have 2 dimensions or less, got: shape {x.shape} at {i}"
            )
    blocks = [lax.reshape(x, (1,) * (2 - x.ndim) + x.shape) for x in arrays]
    width, left, rows = sum(x.shape[1] for x in blocks), 0, []
    for x in blocks:
        right = width - left - x.shape[1]
        rows.append(lax.pad(x, lax.full((), 0, x.dtype), [(0, 0, 0), (left, right, 0)]))
        left += x.shape[1]
    return lax.concatenate(rows, 0)


def _along_diagonals(name: str, first: Array, second: Array, backwards: bool) -> Array:
    """Elements of two concatenated vectors, at i - j from the beginning of the first one, or at
    i + j.
    """
    first, second = promote(name, first, second)
    m, n = first.shape[-1], second.shape[-1]
    batch = broadcast_shapes(first.shape[:-1], second.shape[:-1], name=name)
    first, second = (broadcast_to(x, (*batch, x.shape[-1])) for x in (first, second))
    if not m or not n:
        return lax.full((*batch, m, n), 0, first.dtype)
    if backwards:
        first = lax.rev(first, (first.ndim - 1,))
    joined = lax.concatenate([first, second[..., 1:]], first.ndim - 1)
    i, j = indices(m, n)
    return joined[..., m - 1 - i + j if backwards else i + j]


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Matrices that are constant along diagonals.

    Args:
      c: the first columns, of shape (…, m).
      r: the first rows, of shape (…, n), whose first element is not read; by default conj(c).

    Returns:
      An array of shape (…, m, n).

    Example:
      >>> toeplitz(np.int32([1, 2]), np.int32([1, 3]))
      Array([[1, 3],
             [2, 1]], dtype=int32)
    """
    first = _vectors("toeplitz", c)
    second = numpy.conjugate(first) if r is None else _vectors("toeplitz", r, 1)
    return _along_diagonals("toeplitz", first, second, True)


def hankel(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Matrices that are constant along antidiagonals.

    Args:
      c: the first columns, of shape (…, m).
      r: the last rows, of shape (…, n), whose first element is not read; by default 0.

    Returns:
      An array of shape (…, m, n).

    Raises:
      ValueError: an argument is a scalar.

    Example:
      >>> hankel(np.int32([1, 2]))
      Array([[1, 2],
             [2, 0]], dtype=int32)
    """
    first = as_operand("hankel", c)
    second = lax.full_like(first, 0) if r is None else as_operand("hankel", r, 1)
    if first.ndim == 0 or second.ndim == 0:
        raise value_error("hankel: arguments must be vectors, got: a scalar")
    return _along_diagonals("hankel", first, second, False)


def circulant(c: ArrayLike) -> Array:
    """Circulant matrices: each column is the previous one rotated by one place.

    Args:
      c: the first columns, of shape (…, n).

    Returns:
      An array of shape (…, n, n).

    Example:
      >>> circulant(np.int32([1, 2]))
      Array([[1, 2],
             [2, 1]], dtype=int32)
    """
    vector = _vectors("circulant", c)
    n = vector.shape[-1]
    i, j = indices(n)
    return vector[..., (i - j) % n] if n else lax.full((*vector.shape, 0), 0, vector.dtype)


def leslie(f: ArrayLike, s: ArrayLike) -> Array:
    """Leslie matrices of populations.

    Args:
      f: fecundities, the first rows, of shape (…, n) with n >= 2.
      s: survival rates, below the diagonal, of shape (…, n - 1).

    Returns:
      An array of shape (…, n, n).

    Raises:
      ValueError: the sizes do not match.

    Example:
      >>> leslie(np.int32([1, 2]), np.int32([3]))
      Array([[1, 2],
             [3, 0]], dtype=int32)
    """
    first, second = promote("leslie", _vectors("leslie", f), _vectors("leslie", s, 1))
    n = first.shape[-1]
    if n < 2:
        raise value_error(
            "leslie: The length of f along the last axis must be at least 2, got: shape "
            f"{first.shape}"
        )
    if second.shape[-1] != n - 1:
        raise value_error(
            "Incorrect lengths for f and s. The length of s along the last axis must be one less "
            f"than the length of f; got: f shape {first.shape} and s shape {second.shape}"
        )
    return _with_first_row(first, second)


def _with_first_row(row: Array, below: Array) -> Array:
    """Matrices of zeros except for the first row and the diagonal below the main one."""
    batch = broadcast_shapes(row.shape[:-1], below.shape[:-1])
    row, below = (broadcast_to(x, (*batch, x.shape[-1])) for x in (row, below))
    n = row.shape[-1]
    eye = lax.convert_element_type(constant(np.eye(n - 1)), below.dtype)
    rest = lax.expand_dims(below, (-1,)) * eye
    zero = lax.full((), 0, row.dtype)
    rest = lax.pad(rest, zero, [(0, 0, 0)] * (rest.ndim - 1) + [(0, 1, 0)])
    return lax.concatenate([lax.expand_dims(row, (-2,)), rest], rest.ndim - 2)


def companion(a: ArrayLike) -> Array:
    """Companion matrices of polynomials, whose roots are their eigenvalues.

    Args:
      a: coefficients, the highest power first, of shape (…, n) with n >= 2; the first is not 0.

    Returns:
      An inexact array of shape (…, n - 1, n - 1).

    Raises:
      ValueError: there are too few coefficients.

    Example:
      >>> companion(np.float32([1, -3, 2]))
      Array([[ 3., -2.],
             [ 1.,  0.]], dtype=float32)
    """
    vector = _vectors("companion", inexact("companion", a))
    if vector.shape[-1] < 2:
        raise value_error(
            "companion: The length of `a` along the last axis must be at least 2, got: shape "
            f"{vector.shape}"
        )
    row = -vector[..., 1:] / vector[..., :1]
    return _with_first_row(row, lax.full((*row.shape[:-1], row.shape[-1] - 1), 1, row.dtype))


def fiedler(a: ArrayLike) -> Array:
    """The distances between all pairs of elements.

    Args:
      a: vectors, of shape (…, n).

    Returns:
      A real array of shape (…, n, n).

    Example:
      >>> fiedler(np.int32([1, 3]))
      Array([[0, 2],
             [2, 0]], dtype=int32)
    """
    vector = _vectors("fiedler", a)
    return abs(lax.expand_dims(vector, (-1,)) - lax.expand_dims(vector, (-2,)))


def fiedler_companion(a: ArrayLike) -> Array:
    """Companion matrices with five diagonals (Fiedler, "A note on companion matrices", 2003).

    Args:
      a: coefficients, the highest power first, of shape (…, n) with n >= 1; the first is not 0.

    Returns:
      An inexact array of shape (…, n - 1, n - 1).

    Raises:
      ValueError: there are no coefficients.

    Example:
      >>> fiedler_companion(np.float32([1, -3, 2]))
      Array([[ 3., -2.],
             [ 1.,  0.]], dtype=float32)
    """
    vector = _vectors("fiedler_companion", inexact("fiedler_companion", a))
    if not vector.shape[-1]:
        raise value_error(
            "fiedler_companion requires the last axis of 'a' to have nonzero length, got: shape "
            f"{vector.shape}"
        )
    n = vector.shape[-1] - 1
    if n == 0:
        return lax.full((*vector.shape[:-1], 0, 0), 0, vector.dtype)
    scaled = vector / vector[..., :1]
    # The positions of -scaled[k], and of 1.
    numbers, ones = np.zeros((n, n), int), np.zeros((n, n))
    numbers[0, 0] = 1
    for i in range(0, n - 1, 2):
        numbers[i, i + 1] = i + 2
    for i in range(2, n, 2):
        numbers[i, i - 1] = i + 1
    for i in range(0, n - 2, 2):
        ones[i, i + 2] = 1
    for i in range(1, n, 2):
        ones[i, max(i - 2, 0)] = 1
    entries = -scaled[..., numbers]
    mask = broadcast_to(constant(numbers > 0), entries.shape)
    rest = broadcast_to(lax.convert_element_type(constant(ones), entries.dtype), entries.shape)
    return lax.select(mask, entries, rest)


def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> Array:
    """Matrices whose product with a vector of n elements is its convolution with another vector.

    Args:
      a: vectors, of shape (…, m).
      n: the number of columns.
      mode: `full`, `same` or `valid`, as for `convolve`.

    Returns:
      An array of shape (…, k, n).

    Raises:
      ValueError: n is not positive, a is empty, or there is no such mode.

    Example:
      >>> convolution_matrix(np.int32([1, 2]), 2)
      Array([[1, 0],
             [2, 1],
             [0, 2]], dtype=int32)
    """
    count = as_count("convolution_matrix", n, 1)
    vector = as_operand("convolution_matrix", a)
    if vector.ndim == 0:
        raise value_error("convolution_matrix: a must be at least 1-dimensional, got: a scalar")
    if not vector.shape[-1]:
        raise value_error(
            f"convolution_matrix: len(a) must be at least 1, got: shape {vector.shape}"
        )
    if mode not in ("full", "valid", "same"):
        raise value_error(
            f"convolution_matrix: mode must be one of 'full', 'valid', 'same', got: {mode!r}"
        )
    m = vector.shape[-1]
    rows = m + count - 1
    trimmed = {"full": 0, "valid": 2 * (min(count, m) - 1), "same": min(count, m) - 1}[mode]
    first = trimmed // 2
    padding = [(0, 0, 0)] * (vector.ndim - 1) + [(count - 1, count - 1, 0)]
    padded = lax.pad(vector, lax.full((), 0, vector.dtype), padding)
    i, j = indices(rows - trimmed, count)
    return padded[..., i + first - j + count - 1]
