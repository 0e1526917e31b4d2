"""The Dirichlet distribution."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import all, concatenate, reshape, sum, where
from dovetail.numpy.promotion import promote
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.special import gammaln, xlogy

# Permitted deviation of the parts' sum from 1.
_TOLERANCE = 1e-6


def logpdf(x: ArrayLike, alpha: ArrayLike) -> Array:
    """The logarithm of the density of the Dirichlet distribution.

    Args:
      x: an array of shape (n, ...), positive parts with sum 1, or (n - 1, ...) without the last.
      alpha: a vector of n positive parameters.

    Returns:
      An array of floats of shape (...), -infinity outside of the simplex.

    Raises:
      ValueError: `alpha` is not a vector, or the sizes differ.

    Example:
      >>> logpdf(dnp.array([0.2, 0.8]), dnp.array([1.0, 3.0]))
      Array(0.6523253, dtype=float32)
    """
    parts, parameters = promote("dirichlet.logpdf", x, alpha, to=dtypes.to_inexact_dtype)
    if parameters.ndim != 1:
        raise value_error(
            f"dirichlet.logpdf: alpha must be a vector, got: shape {parameters.shape}; map over "
            "the rest with vmap"
        )
    size = parameters.shape[0]
    if not parts.ndim or parts.shape[0] not in (size, size - 1):
        raise value_error(
            f"dirichlet.logpdf: the first dimension of x must be of size {size} or {size - 1}, as "
            f"alpha says, got: shape {parts.shape}"
        )
    if parts.shape[0] != size:
        parts = concatenate([parts, 1 - sum(parts, 0, keepdims=True)])
    normalizer = sum(gammaln(parameters)) - gammaln(sum(parameters))
    exponents = reshape(parameters - 1, (size,) + (1,) * (parts.ndim - 1))
    inside = all(parts > 0, 0) & (ops.abs(sum(parts, 0) - 1) < _TOLERANCE)
    return where(inside, sum(xlogy(exponents, parts), 0) - normalizer, -math.inf)


def pdf(x: ArrayLike, alpha: ArrayLike) -> Array:
    """The density of the Dirichlet distribution.

    Args:
      x: an array of shape (n, ...), positive parts with sum 1, or (n - 1, ...) without the last.
      alpha: a vector of n positive parameters.

    Returns:
      An array of floats of shape (...), 0 outside of the simplex.

    Raises:
      ValueError: `alpha` is not a vector, or the sizes differ.

    Example:
      >>> pdf(dnp.array([0.2, 0.8]), dnp.array([1.0, 3.0]))
      Array(1.9200002, dtype=float32)
    """
    return ops.exp(logpdf(x, alpha))
