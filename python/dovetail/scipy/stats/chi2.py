"""The chi-squared distribution."""

from __future__ import annotations

from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.stats import gamma
from dovetail.scipy.stats.docstrings import CONTINUOUS

_PARAMETERS = """
    Args:
      df: the degrees of freedom, positive.
      loc, scale: the smallest value, and the unit of `x`.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the chi-squared distribution.

    Example:
      >>> logpdf(1.5, 2.0)
      Array(-1.4431472, dtype=float32, weak_type=True)
    """
    return gamma.logpdf(*_doubled("chi2.logpdf", x, df, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the chi-squared distribution.

    Example:
      >>> pdf(1.5, 2.0)
      Array(0.23618327, dtype=float32, weak_type=True)
    """
    return gamma.pdf(*_doubled("chi2.pdf", x, df, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the chi-squared distribution.

    Example:
      >>> cdf(1.5, 2.0)
      Array(0.5276334, dtype=float32, weak_type=True)
    """
    return gamma.cdf(*_doubled("chi2.cdf", x, df, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def logcdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the distribution function of the chi-squared distribution.

    Example:
      >>> logcdf(1.5, 2.0)
      Array(-0.63935345, dtype=float32, weak_type=True)
    """
    return gamma.logcdf(*_doubled("chi2.logcdf", x, df, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def sf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The upper tail, 1 - cdf, of the chi-squared distribution.

    Example:
      >>> sf(1.5, 2.0)
      Array(0.47236654, dtype=float32, weak_type=True)
    """
    return gamma.sf(*_doubled("chi2.sf", x, df, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def logsf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the upper tail of the chi-squared distribution.

    Example:
      >>> logsf(1.5, 2.0)
      Array(-0.75, dtype=float32, weak_type=True)
    """
    return gamma.logsf(*_doubled("chi2.logsf", x, df, loc, scale))


def _doubled(
    name: str, x: ArrayLike, df: ArrayLike, loc: ArrayLike, scale: ArrayLike
) -> tuple[Array, Array, Array, Array]:
    """The arguments for the gamma distribution: half the degrees of freedom, twice the scale."""
    x, df, loc, scale = reals(name, x, df, loc, scale)
    return x, df / 2, loc, scale * 2
