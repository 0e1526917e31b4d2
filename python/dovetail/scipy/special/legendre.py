"""Associated Legendre functions of all degrees and orders."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import stack
from dovetail.numpy.promotion import filled, static
from dovetail.ops.operands import as_operand


def lpmn_values(m: int, n: int, z: Array, is_normalized: bool) -> Array:
    """The associated Legendre functions of all degrees and orders, with the phase (-1)^m.

    Args:
      m: the largest order, an integer that is known while tracing.
      n: the largest degree, which must be `m`.
      z: f32[k] or f64[k], in [-1, 1].
      is_normalized: whether they are scaled so that spherical harmonics made of them are
        orthonormal.

    Returns:
      An array of shape (m + 1, n + 1, k), by order and degree; 0 where the order is larger than the
      degree. https://dlmf.nist.gov/14.10#E3

    Raises:
      NotImplementedError: `m` and `n` differ.
      TypeError: `z` is of another type.
      ValueError: it has another rank.

    Example:
      >>> lpmn_values(1, 1, dnp.array([0.5]), False)[0]
      Array([[1. ],
             [0.5]], dtype=float32)
    """
    x = as_operand("lpmn_values", z, 2)
    if x.dtype not in (np.float32, np.float64):
        raise type_error(f"lpmn_values: z must be of type float32 or float64, got: {x.dtype.name}")
    if x.ndim != 1:
        raise value_error(f"lpmn_values: z must be a 1D array, got: shape {x.shape}")
    order, most = (
        operator.index(static(size, f"the lpmn_values argument {name!r}"))
        for name, size in (("m", m), ("n", n))
    )
    if order != most:
        raise NotImplementedError(f"lpmn_values: m and n must be the same, got: {m} and {n}")
    sine = ops.sqrt(ops.max(1 - x * x, filled(x, 0)))
    diagonal = [filled(x, math.sqrt(1 / (4 * math.pi)) if is_normalized else 1)]
    for k in range(1, most + 1):
        factor = math.sqrt(1 + 1 / (2 * k)) if is_normalized else 2 * k - 1
        diagonal.append(diagonal[-1] * sine * -factor)
    first = stack(diagonal)

    def up(state: tuple[Array, Array], given: Any) -> Any:
        before, value = state
        by, minus, is_first = given
        after = by * x * value - minus * before
        after = lax.select(lax.broadcast_in_dim(is_first, after.shape, (0, 1)), first, after)
        return (value, after), after

    zero = lax.full_like(first, 0)
    rows = _coefficients(most, is_normalized, x.dtype)
    return lax.transpose(lax.scan(up, (zero, zero), rows)[1], (1, 0, 2))


def _coefficients(most: int, is_normalized: bool, dtype: np.dtype) -> tuple[Any, ...]:
    """Of each degree and order: what the values of the degree below, and of that below it, are
    multiplied with, and whether the degree is the order, where the recurrence begins.
    """
    degree, order = np.mgrid[: most + 1, : most + 1].astype(float)
    is_above = degree > order
    if is_normalized:
        size = np.where(is_above, degree**2 - order**2, 1)
        by = np.sqrt((4 * degree**2 - 1) / size, where=is_above, out=np.zeros_like(size))
        below = np.where(is_above, (degree - 1) ** 2 - order**2, 0)
        minus = by * np.sqrt(below / np.where(degree == 1, 3, 4 * (degree - 1) ** 2 - 1).clip(3))
    else:
        size = np.where(is_above, degree - order, 1)
        by, minus = (2 * degree - 1) / size, (degree + order - 1) / size
    scaled = (np.where(is_above, each, 0).astype(dtype)[..., None] for each in (by, minus))
    return *scaled, np.eye(most + 1, dtype=bool)[..., None]
