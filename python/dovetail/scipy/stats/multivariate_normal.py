"""The multivariate normal distribution."""

from __future__ import annotations

import math
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import broadcast_to, diagonal, square, sum
from dovetail.numpy.promotion import promote
from dovetail.ops.operands import ArrayLike, broadcast_shapes


def logpdf(x: ArrayLike, mean: ArrayLike, cov: ArrayLike, allow_singular: None = None) -> Array:
    """The logarithm of the density of the multivariate normal distribution.

    Args:
      x: an array of shape (..., n).
      mean: an array of shape (..., n), or a scalar for n = 1.
      cov: the covariance, an array of shape (..., n, n), or a scalar times the identity.
      allow_singular: must be None: the covariance is positive definite.

    Returns:
      An array of floats of shape (...).

    Raises:
      NotImplementedError: `allow_singular` is given.
      ValueError: the sizes of mean and covariance differ.

    Example:
      >>> logpdf(dnp.zeros(2), dnp.zeros(2), 2.0)
      Array(-2.5310242, dtype=float32)
    """
    if allow_singular is not None:
        raise NotImplementedError(
            "multivariate_normal.logpdf: allow_singular must be None: the covariance must be "
            "positive definite"
        )
    name = "multivariate_normal.logpdf"
    x, center, spread = promote(name, x, mean, cov, to=dtypes.to_inexact_dtype)
    if not center.ndim:
        return -0.5 * (square(x - center) / spread + ops.log(spread) + math.log(2 * math.pi))
    n, y = center.shape[-1], x - center
    if not spread.ndim:
        constant = n * (math.log(2 * math.pi) + ops.log(spread))
        return -0.5 * (sum(square(y), -1) / spread + constant)
    if spread.ndim < 2 or spread.shape[-2:] != (n, n):
        raise value_error(
            f"{name}: the last dimensions of cov must be of sizes {n}, {n}, as mean says, got: "
            f"shape {spread.shape}"
        )
    factor = lax.linalg.cholesky(spread)
    z = _solved(factor, y, broadcast_shapes(y.shape[:-1], factor.shape[:-2], name=name))
    scale = sum(ops.log(diagonal(factor, 0, -2, -1)), -1)
    return -0.5 * (sum(square(z), -1) + n * math.log(2 * math.pi)) - scale


def _solved(factor: Array, y: Array, batch: tuple[Any, ...]) -> Array:
    """The solutions of L z = y for lower triangular L and vectors y."""
    n = factor.shape[-1]
    if factor.ndim == 2 and y.ndim > 1:
        # The rows of one matrix.
        rows = lax.reshape(y, (math.prod(batch), n))
        z = lax.linalg.triangular_solve(factor, rows, lower=True, transpose_a=True)
        return lax.reshape(z, y.shape)
    return lax.linalg.triangular_solve(
        broadcast_to(factor, (*batch, n, n)),
        broadcast_to(y, (*batch, n))[..., None],
        left_side=True,
        lower=True,
    )[..., 0]


def pdf(x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> Array:
    """The density of the multivariate normal distribution.

    Args:
      x: an array of shape (..., n).
      mean: an array of shape (..., n), or a scalar for n = 1.
      cov: the covariance, an array of shape (..., n, n), or a scalar times the identity.

    Returns:
      An array of floats of shape (...).

    Raises:
      ValueError: the sizes of mean and covariance differ.

    Example:
      >>> pdf(dnp.zeros(2), dnp.zeros(2), 2.0)
      Array(0.07957748, dtype=float32)
    """
    return ops.exp(logpdf(x, mean, cov))
