"""The Gumbel distribution of least values."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.nn import log1mexp
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      loc, scale: the mode, and the unit of `x`.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the Gumbel distribution of least values.

    Example:
      >>> logpdf(1.0)
      Array(-1.7182817, dtype=float32, weak_type=True)
    """
    z, scale = scaled("gumbel_l.logpdf", x, loc, scale)
    value = z - ops.exp(z) - ops.log(where(scale > 0, scale, 1))
    return where(scale > 0, value, math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the Gumbel distribution of least values.

    Example:
      >>> pdf(1.0)
      Array(0.1793741, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the Gumbel distribution of least values.

    Example:
      >>> logcdf(1.0)
      Array(-0.06826603, dtype=float32, weak_type=True)
    """
    z, scale = scaled("gumbel_l.logcdf", x, loc, scale)
    return where(scale > 0, log1mexp(ops.exp(z)), math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the Gumbel distribution of least values.

    Example:
      >>> cdf(1.0)
      Array(0.93401194, dtype=float32, weak_type=True)
    """
    z, scale = scaled("gumbel_l.cdf", x, loc, scale)
    return where(scale > 0, -ops.expm1(-ops.exp(z)), math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the Gumbel distribution of least values.

    Example:
      >>> logsf(1.0)
      Array(-2.7182817, dtype=float32, weak_type=True)
    """
    z, scale = scaled("gumbel_l.logsf", x, loc, scale)
    return where(scale > 0, -ops.exp(z), math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the Gumbel distribution of least values.

    Example:
      >>> sf(1.0)
      Array(0.06598804, dtype=float32, weak_type=True)
    """
    return ops.exp(logsf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def ppf(p: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the Gumbel distribution of least values.

    Example:
      >>> ppf(0.5)
      Array(-0.36651292, dtype=float32, weak_type=True)
    """
    p, loc, scale = reals("gumbel_l.ppf", p, loc, scale)
    value = loc + scale * ops.log(-ops.log1p(-p))
    return where((p >= 0) & (p <= 1), value, math.nan)
