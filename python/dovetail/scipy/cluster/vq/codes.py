"""Vector quantization."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import argmin, min, square, sum
from dovetail.numpy.promotion import promote
from dovetail.ops.operands import ArrayLike


def vq(obs: ArrayLike, code_book: ArrayLike, check_finite: bool = True) -> tuple[Array, Array]:
    """The nearest code of each observation, and its distance.

    Args:
      obs: observations, an array of shape (m, d), or (m,) for d = 1.
      code_book: codes, an array of shape (n, d), or (n,).
      check_finite: accepted for compatibility with SciPy; without effect.

    Returns:
      Indices of codes and Euclidean distances, arrays of shape (m,).

    Raises:
      ValueError: the operands have other or different ranks.

    Example:
      >>> vq(dnp.array([0.1, 0.9]), dnp.array([0.0, 1.0]))
      (Array([0, 1], dtype=int32), Array([0.1       , 0.10000002], dtype=float32))
    """
    points, codes = promote("vq", obs, code_book, to=dtypes.to_inexact_dtype)
    if points.ndim != codes.ndim or points.ndim not in (1, 2):
        raise value_error(
            f"vq: obs and code_book must both be of rank 1 or 2, got: shapes {points.shape} and "
            f"{codes.shape}; reshape to (points, coordinates)"
        )
    if points.ndim == 1:
        points, codes = points[:, None], codes[:, None]
    distances = sum(square(ops.abs(points[:, None] - codes[None])), -1)
    return argmin(distances, -1), ops.sqrt(min(distances, -1))
