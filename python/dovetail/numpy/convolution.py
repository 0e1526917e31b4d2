"""Convolution and correlation of vectors."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.lax.precision import check_precision
from dovetail.numpy.parts import conjugate
from dovetail.numpy.promotion import promote
from dovetail.ops.operands import ArrayLike
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.bind import apply_known, is_for_numpy
from dovetail.tracing.whole import whole

MODES = ("full", "same", "valid")


@whole
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
        elements, `valid` for those that use all of the shorter vector.
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
    if _is_known(x, y, preferred_element_type):
        by_numpy: Any = np.convolve
        return apply_known(functools.partial(by_numpy, mode=mode), x, y, weak_type=x.weak_type)
    if _is_shorter(x, y, mode):
        x, y = y, x
    start = (y.size - 1) // 2 if mode == "same" else 0
    return _convolution(x, y, mode, start, preferred_element_type)


@whole
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
    if _is_known(x, y, preferred_element_type):
        by_numpy: Any = np.correlate
        return apply_known(functools.partial(by_numpy, mode=mode), x, y, weak_type=x.weak_type)
    y = conjugate(ops.reverse(y, (0,)))
    start = (y.size - 1) // 2
    if _is_shorter(x, y, mode):
        # NumPy computes this one backwards, so rounds the middle to the other side.
        x, y = y, x
        start = y.size // 2
    return _convolution(x, y, mode, start if mode == "same" else 0, preferred_element_type)


def _operands(name: str, a: ArrayLike, v: ArrayLike, mode: str, precision: Any) -> list[Array]:
    check_precision(name, precision)
    if mode not in MODES:
        raise value_error(f"{name}: mode must be one of {', '.join(MODES)}, got: {mode!r}")
    operands = promote(name, a, v, to=dtypes.to_inexact_dtype)
    x, y = operands
    if x.ndim != 1 or y.ndim != 1 or not x.size or not y.size:
        raise value_error(
            f"{name}: operands must be vectors that are not empty, got: shapes {x.shape} and "
            f"{y.shape}"
        )
    return operands


def _is_known(x: Array, y: Array, preferred: Any) -> bool:
    """True if NumPy can compute the result; it accumulates in the operands' type."""
    return preferred is None and x.dtype.itemsize >= 4 and is_for_numpy(x, y)


def _is_shorter(x: Array, y: Array, mode: str) -> bool:
    """True if `x` is the shorter vector; the full sums do not depend on the order."""
    if mode == "full" and (is_symbolic_dim(x.size) or is_symbolic_dim(y.size)):
        return not is_symbolic_dim(x.size)
    return x.size < y.size


def _convolution(x: Array, y: Array, mode: str, start: int, preferred: Any) -> Array:
    """The convolution in one mode; y is the shorter vector."""
    k = y.size
    margins = {"full": (k - 1, k - 1), "same": (k - 1 - start, start), "valid": (0, 0)}
    low, high = margins[mode]
    padded = lax.pad(x, lax.full((), 0, x.dtype), [(low, high, 0)])
    label = (0,)
    element = None if preferred is None else dtypes.requested(preferred, "convolve")
    return ops.conv(padded, ops.reverse(y, (0,)), label, label, label, label, (1,), (1,), element)
