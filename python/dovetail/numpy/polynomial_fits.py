"""Polynomials from data and roots from polynomials, by linear algebra."""

from __future__ import annotations

from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.linalg import eigvals, inv, lstsq
from dovetail.numpy.patterns import eye, vander
from dovetail.numpy.products import outer
from dovetail.numpy.promotion import inexact
from dovetail.numpy.rearranging import roll
from dovetail.numpy.shape import atleast_1d
from dovetail.ops.operands import ArrayLike


def roots(p: ArrayLike, *, strip_zeros: bool = True) -> Array:
    """The roots of a polynomial: the eigenvalues of its companion matrix.

    Args:
      p: a vector of coefficients, the highest power first.
      strip_zeros: whether to omit leading zeros, whose number must then be known; otherwise there
        is a NaN for each.

    Returns:
      A complex vector.

    Raises:
      ValueError: `p` is not a vector.
      ConcretizationTypeError: `p` is traced, and `strip_zeros` is true.

    Example:
      >>> roots(dnp.array([1.0, -3.0, 2.0])).real
      Array([2., 1.], dtype=float32)
    """
    coefficients = atleast_1d(inexact("roots", p))
    if coefficients.ndim != 1:
        raise value_error(
            f"roots: the coefficients must be a vector, got: shape {coefficients.shape}"
        )
    count = coefficients.size
    complex_dtype = dtypes.to_complex_dtype(coefficients.dtype)
    if count < 2:
        return lax.full((0,), 0, complex_dtype)
    is_zero = coefficients == 0
    # A sum over the coefficients before which all are zero.
    leading = lax.reduce_sum(lax.cumprod(is_zero.astype("int32")), (0,))
    if strip_zeros:
        return _roots(coefficients[int(leading) :])
    # Leading zeros become trailing ones, which are roots at 0: the last ones, which were none.
    is_nothing = lax.broadcast(leading == count, (count,))
    known = lax.select(is_nothing, lax.full_like(coefficients, 1), coefficients)
    found = _roots(roll(known, -leading))
    found = lax.sort_key_val((found == 0).astype("int32"), found)[1]
    places = lax.iota("int32", count - 1)
    unknown = lax.full_like(found, complex("nan+nanj"))
    return lax.select(places < count - 1 - leading, found, unknown)


def _roots(p: Array) -> Array:
    count = p.size - 1
    if count < 1:
        return lax.full((0,), 0, dtypes.to_complex_dtype(p.dtype))
    below = eye(count, k=-1, dtype=p.dtype)
    row = lax.reshape(-p[1:] / p[0], (1, count))
    return eigvals(lax.dynamic_update_slice(below, row, (0, 0)))


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Any:
    """The polynomial of a degree that is closest to data in the sense of least squares.

    Args:
      x: float[m]: the points of the data.
      y: float[m] or float[m, k]: one or k series of values.
      deg: the degree.
      rcond: singular values below this fraction of the largest count as zero; by default m times
        the machine epsilon.
      full: whether to return everything that the solver computes.
      w: float[m]: weights of the distances.
      cov: whether to return the covariances of the coefficients too; "unscaled" for those of data
        whose variances are 1.

    Returns:
      The coefficients, float[deg + 1] or float[deg + 1, k], the highest power first; with `full` a
      tuple (coefficients, sums of squared distances, rank, singular values, rcond), with `cov` a
      tuple (coefficients, covariances).

    Raises:
      ValueError: the degree is negative, or there are too few data points for a variance.
      TypeError: shapes do not match.

    Example:
      >>> polyfit(dnp.arange(4.0), dnp.arange(4.0) ** 2, 2).round(3) + 0
      Array([1., 0., 0.], dtype=float32)
    """
    places, data = inexact("polyfit", x), inexact("polyfit", y)
    if deg < 0:
        raise value_error(f"polyfit: deg must be at least 0, got: {deg}")
    if places.ndim != 1 or places.size == 0:
        raise type_error(f"polyfit: x must be a vector with elements, got: shape {places.shape}")
    if data.ndim not in (1, 2) or data.shape[0] != places.size:
        raise type_error(
            f"polyfit: y must have shape ({places.size},) or ({places.size}, k), as x has "
            f"{places.size} elements, got: {data.shape}"
        )
    if rcond is None:
        rcond = places.size * float(dtypes.finfo(places.dtype).eps)
    powers = vander(places, deg + 1)
    if w is not None:
        weights = inexact("polyfit", w)
        if weights.shape != places.shape:
            raise type_error(
                f"polyfit: w must have the shape of x, {places.shape}, got: {weights.shape}"
            )
        powers = powers * weights[:, None]
        data = data * (weights if data.ndim == 1 else weights[:, None])
    # Columns of one length: the condition number is that of their directions.
    scale = lax.sqrt((powers * powers).sum(0))
    powers = powers / scale
    coefficients, residuals, rank, singular = lstsq(powers, data, rcond)
    coefficients = coefficients / (scale if data.ndim == 1 else scale[:, None])
    if full:
        return coefficients, residuals, rank, singular, lax.full((), rcond, singular.dtype)
    if not cov:
        return coefficients
    covariance = inv(powers.T @ powers) / outer(scale, scale)
    if isinstance(cov, str) and cov == "unscaled":
        return coefficients, covariance if data.ndim == 1 else covariance[:, :, None]
    if places.size <= deg + 1:
        raise value_error(
            "polyfit: there must be more data than coefficients for covariances, got: "
            f"{places.size} for {deg + 1}; use cov='unscaled'"
        )
    variance = residuals / (places.size - deg - 1)
    if data.ndim == 1:
        return coefficients, covariance * variance
    return coefficients, covariance[:, :, None] * variance
