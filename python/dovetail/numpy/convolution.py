"""Convolution and correlation of vectors."""

from __future__ import annotations

from typing import Any

from dovetail import dtypes, lax, ops
from dovetail.array import Array
from dovetail.errors import value_error
from dovetail.lax.dot import check_precision, contract
from dovetail.lax.operands import ArrayLike, broadcast_dims
from dovetail.numpy.parts import conjugate
from dovetail.numpy.promotion import promote

MODES = ("full", "same", "valid")


def convolve(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "full",
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The convolution of two vectors: sums of a[i] * v[k - i] for each k.

    Args:
      a, v: vectors that are not empty.
      mode: `full` for all sums, `same` for the middle ones, as many as the longer vector has
        elements, `valid` for those in which all of the shorter vector takes part.
      precision: as for `dot`.
      preferred_element_type: the type of the result; by default that of the promoted operands,
        which are converted to floats.

    Returns:
      A vector.

    Raises:
      ValueError: an operand is empty or no vector, or there is no such mode.

    Example:
      >>> convolve(dnp.array([1, 2, 3]), dnp.array([1, 1]))
      Array([1., 3., 5., 3.], dtype=float32)
    """
    x, y = _operands("convolve", a, v, mode, precision)
    if x.size < y.size:
        x, y = y, x
    start = (y.size - 1) // 2 if mode == "same" else 0
    return _convolution(x, y, mode, start, preferred_element_type)


def correlate(
    a: ArrayLike,
    v: ArrayLike,
    mode: str = "valid",
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The correlation of two vectors: sums of a[i + k] * conj(v[i]) for each k.

    Args:
      a, v: vectors that are not empty.
      mode: as for `convolve`.
      precision, preferred_element_type: as for `convolve`.

    Returns:
      A vector.

    Raises:
      ValueError: an operand is empty or no vector, or there is no such mode.

    Example:
      >>> correlate(dnp.array([1, 2, 3]), dnp.array([0, 1]))
      Array([2., 3.], dtype=float32)
    """
    x, y = _operands("correlate", a, v, mode, precision)
    y = conjugate(ops.reverse(y, (0,)))
    start = (y.size - 1) // 2
    if x.size < y.size:
        # NumPy computes this one backwards, so rounds the middle to the other side.
        x, y = y, x
        start = y.size // 2
    return _convolution(x, y, mode, start if mode == "same" else 0, preferred_element_type)


def _operands(name: str, a: ArrayLike, v: ArrayLike, mode: str, precision: Any) -> list[Array]:
    check_precision(name, precision)
    if mode not in MODES:
        raise value_error(f"{name}: mode must be one of {', '.join(MODES)}, got {mode!r}")
    operands = promote(name, a, v, to=dtypes.to_inexact_dtype)
    x, y = operands
    if x.ndim != 1 or y.ndim != 1 or not x.size or not y.size:
        raise value_error(
            f"{name}: operands must be vectors that are not empty, got shapes {x.shape} and "
            f"{y.shape}"
        )
    return operands


def _convolution(x: Array, y: Array, mode: str, start: int, preferred: Any) -> Array:
    """The sums of a mode, of which y is the shorter vector."""
    if dtypes.KINDS[x.dtype] == "c":
        # As four of real vectors, which IREE compiles.
        (rr, ri), (ir, ii) = (
            [_convolution(p, q, mode, start, None) for q in (ops.real(y), ops.imag(y))]
            for p in (ops.real(x), ops.imag(x))
        )
        result = ops.complex(rr - ii, ri + ir)
        return result if preferred is None else result.astype(preferred)
    n, k = x.size, y.size
    rows = _shifted(x, k)
    if mode == "same":
        rows = lax.slice_in_dim(rows, start, start + n, 1, 1)
    elif mode == "valid":
        rows = lax.slice_in_dim(rows, k - 1, n, 1, 1)
    return contract(y, rows, (), (), (0,), (0,), preferred)


def _shifted(x: Array, count: int) -> Array:
    """A row for each shift below `count`: that many zeros, x, and zeros."""
    width = x.size + count
    padded = lax.pad(x, lax.full((), 0, x.dtype), [(0, count, 0)])
    # Rows of one width, read as rows that are one shorter, begin one later each.
    flat = lax.reshape(broadcast_dims(padded, (count, width), (1,)), (count * width,))
    return lax.reshape(lax.slice_in_dim(flat, 0, count * (width - 1)), (count, width - 1))
