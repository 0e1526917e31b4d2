"""Matrices of special form."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any

import numpy as np

from dovetail import dtypes, lax, numpy
from dovetail.array import Array
from dovetail.errors import value_error
from dovetail.lax.operands import ArrayLike, as_operand, broadcast_shapes, broadcast_to
from dovetail.numpy.promotion import inexact, promote
from dovetail.tracer import constant


def _vectors(name: str, x: ArrayLike, position: int = 0) -> Array:
    array = as_operand(name, x, position)
    return lax.expand_dims(array, (0,)) if array.ndim == 0 else array


def _indices(rows: int, columns: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of rows, as a column, and of columns."""
    return np.arange(rows)[:, None], np.arange(rows if columns is None else columns)


def _known(values: np.ndarray, dtype: np.dtype) -> Array:
    """A matrix that depends on its size only."""
    return constant(np.asarray(values).astype(dtype))


def _count(name: str, n: int, least: int = 0) -> int:
    count = operator.index(n)
    if count < least:
        raise value_error(f"{name}: n must be {least} or more, got {n}")
    return count


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
                f"block_diag: arrays must have 2 dimensions or less, got shape {x.shape} at {i}"
            )
    blocks = [lax.reshape(x, (1,) * (2 - x.ndim) + x.shape) for x in arrays]
    width, left, rows = sum(x.shape[1] for x in blocks), 0, []
    for x in blocks:
        right = width - left - x.shape[1]
        rows.append(lax.pad(x, lax.full((), 0, x.dtype), [(0, 0, 0), (left, right, 0)]))
        left += x.shape[1]
    return lax.concatenate(rows, 0)


def _along_diagonals(name: str, first: Array, second: Array, backwards: bool) -> Array:
    """Elements of two vectors joined, at i - j from the first one's begin, or at i + j."""
    first, second = promote(name, first, second)
    m, n = first.shape[-1], second.shape[-1]
    batch = broadcast_shapes(first.shape[:-1], second.shape[:-1], name=name)
    first, second = (broadcast_to(x, (*batch, x.shape[-1])) for x in (first, second))
    if not m or not n:
        return lax.full((*batch, m, n), 0, first.dtype)
    if backwards:
        first = lax.rev(first, (first.ndim - 1,))
    joined = lax.concatenate([first, second[..., 1:]], first.ndim - 1)
    i, j = _indices(m, n)
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
    """Matrices that are constant along diagonals that go up.

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
        raise value_error("hankel: arguments must be vectors, got a scalar")
    return _along_diagonals("hankel", first, second, False)


def circulant(c: ArrayLike) -> Array:
    """Matrices whose columns are a vector, each turned by one more place.

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
    i, j = _indices(n)
    return vector[..., (i - j) % n] if n else lax.full((*vector.shape, 0), 0, vector.dtype)


def leslie(f: ArrayLike, s: ArrayLike) -> Array:
    """Leslie matrices of populations.

    Args:
      f: fecundities, the first rows, of shape (…, n) with n >= 2.
      s: rates of survival, below the diagonal, of shape (…, n - 1).

    Returns:
      An array of shape (…, n, n).

    Raises:
      ValueError: the sizes do not fit.

    Example:
      >>> leslie(np.int32([1, 2]), np.int32([3]))
      Array([[1, 2],
             [3, 0]], dtype=int32)
    """
    first, second = promote("leslie", _vectors("leslie", f), _vectors("leslie", s, 1))
    n = first.shape[-1]
    if n < 2 or second.shape[-1] != n - 1:
        raise value_error(
            f"leslie: f must have 2 elements or more, and s one less, got shapes {first.shape} and "
            f"{second.shape}"
        )
    return _with_first_row(first, second)


def _with_first_row(row: Array, below: Array) -> Array:
    """Matrices of zeros but for the first row and the diagonal below the main one."""
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
      a: coefficients from the highest on, of shape (…, n) with n >= 2; the first is not 0.

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
            f"companion: there must be 2 coefficients or more, got shape {vector.shape}"
        )
    row = -vector[..., 1:] / vector[..., :1]
    return _with_first_row(row, lax.full((*row.shape[:-1], row.shape[-1] - 1), 1, row.dtype))


def fiedler(a: ArrayLike) -> Array:
    """Distances of all pairs of elements.

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
      a: coefficients from the highest on, of shape (…, n) with n >= 1; the first is not 0.

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
        raise value_error("fiedler_companion: there must be coefficients, got none")
    n = vector.shape[-1] - 1
    if n == 0:
        return lax.full((*vector.shape[:-1], 0, 0), 0, vector.dtype)
    scaled = vector / vector[..., :1]
    # Where -scaled[k] stands, and where 1.
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
    """Matrices whose product with a vector of n elements is the convolution with another one.

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
    count = _count("convolution_matrix", n, 1)
    vector = as_operand("convolution_matrix", a)
    if vector.ndim == 0 or not vector.shape[-1]:
        raise value_error(
            f"convolution_matrix: a must have elements along a dimension, got shape {vector.shape}"
        )
    if mode not in ("full", "valid", "same"):
        raise value_error(
            f"convolution_matrix: mode must be 'full', 'valid' or 'same', got {mode!r}"
        )
    m = vector.shape[-1]
    rows = m + count - 1
    trimmed = {"full": 0, "valid": 2 * (min(count, m) - 1), "same": min(count, m) - 1}[mode]
    first = trimmed // 2
    padding = [(0, 0, 0)] * (vector.ndim - 1) + [(count - 1, count - 1, 0)]
    padded = lax.pad(vector, lax.full((), 0, vector.dtype), padding)
    i, j = _indices(rows - trimmed, count)
    return padded[..., i + first - j + count - 1]


def hilbert(n: int) -> Array:
    """The Hilbert matrix: 1 / (i + j + 1).

    Args:
      n: its size.

    Returns:
      A matrix of the default float.

    Example:
      >>> hilbert(2)
      Array([[1.        , 0.5       ],
             [0.5       , 0.33333334]], dtype=float32)
    """
    i, j = _indices(_count("hilbert", n))
    return _known(1 / (i + j + 1), dtypes.default_dtype("f"))


def invhilbert(n: int) -> Array:
    """The inverse of the Hilbert matrix.

    Args:
      n: its size.

    Returns:
      A matrix of the default float: integers, rounded.

    Example:
      >>> invhilbert(2)
      Array([[ 4., -6.],
             [-6., 12.]], dtype=float32)
    """
    count, comb = _count("invhilbert", n), math.comb

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
        raise value_error(f"{name}: kind must be 'symmetric', 'lower' or 'upper', got {kind!r}")
    return kind or "symmetric"


def pascal(n: int, kind: str | None = None) -> Array:
    """The matrix of Pascal's triangle.

    Args:
      n: its size.
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
    return _table(_count("pascal", n), entries[_kind("pascal", kind)], dtypes.float32)


def invpascal(n: int, kind: str | None = None) -> Array:
    """The inverse of the matrix of Pascal's triangle.

    Args:
      n: its size.
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
    count, comb = _count("invpascal", n), math.comb

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
      full: whether the first row, of equal elements, is there.

    Returns:
      A matrix of the default float, with n - 1 or n rows.

    Raises:
      ValueError: n is not positive.

    Example:
      >>> helmert(2)
      Array([[ 0.70710677, -0.70710677]], dtype=float32)
    """
    count = _count("helmert", n, 1)
    i, j = _indices(count)
    size = np.sqrt(np.where(i == 0, count, i * (i + 1.0)))
    rows = np.where((j < i) | (i == 0), 1, np.where(j == i, -i, 0)) / size
    return _known(rows if full else rows[1:], dtypes.default_dtype("f"))


def hadamard(n: int, dtype: Any = int) -> Array:
    """The Hadamard matrix, of orthogonal rows of 1 and -1 (Sylvester's construction).

    Args:
      n: its size, a power of 2.
      dtype: its element type.

    Returns:
      A matrix.

    Raises:
      ValueError: n is no power of 2.

    Example:
      >>> hadamard(2)
      Array([[ 1,  1],
             [ 1, -1]], dtype=int32)
    """
    count = _count("hadamard", n, 1)
    if count & (count - 1):
        raise value_error(f"hadamard: n must be a power of 2, got {n}")
    i, j = _indices(count)
    return _known(
        1 - 2 * (np.bitwise_count(i & j).astype(int) % 2), dtypes.canonicalize_dtype(dtype)
    )


def dft(n: int, scale: str | None = None, *, dtype: Any = None) -> Array:
    """The matrix of the discrete Fourier transform.

    Args:
      n: its size.
      scale: None, `sqrtn` or `n`: by what it is divided.
      dtype: its element type, by default the default complex one.

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
        raise value_error(f"dft: scale must be None, 'sqrtn' or 'n', got {scale!r}")
    element = dtypes.default_dtype("c") if dtype is None else dtypes.canonicalize_dtype(dtype)
    if dtypes.KINDS[element] != "c":
        raise value_error(f"dft: the element type must be complex, got {element.name}")
    count = _count("dft", n)
    i, j = _indices(count)
    values = np.exp(-2j * np.pi * (i * j % max(count, 1)) / max(count, 1))
    return _known(values / {None: 1, "sqrtn": count**0.5, "n": count}[scale], element)
