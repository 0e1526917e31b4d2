"""The uniform distribution on [loc, loc + scale]."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import at_least, at_most, reals
from dovetail.scipy.stats.docstrings import CONTINUOUS
from dovetail.scipy.stats.scaled import scaled

_PARAMETERS = """
    Args:
      loc, scale: the smallest value, and the length of the interval.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The logarithm of the density of the uniform distribution on [loc, loc + scale].

    Example:
      >>> logpdf(0.25)
      Array(-0., dtype=float32, weak_type=True)
    """
    x, loc, scale = reals("uniform.logpdf", x, loc, scale)
    return where((x < loc) | (x > loc + scale), -math.inf, -ops.log(scale))


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The density of the uniform distribution on [loc, loc + scale].

    Example:
      >>> pdf(0.25)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, loc, scale))


@documented(CONTINUOUS, _PARAMETERS)
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The distribution function of the uniform distribution on [loc, loc + scale].

    Example:
      >>> cdf(0.25)
      Array(0.25, dtype=float32, weak_type=True)
    """
    z, _ = scaled("uniform.cdf", x, loc, scale)
    return at_most(at_least(z, 0), 1)


@documented(CONTINUOUS, _PARAMETERS)
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """The quantiles, the inverse of `cdf`, of the uniform distribution on [loc, loc + scale].

    Example:
      >>> ppf(0.25)
      Array(0.25, dtype=float32, weak_type=True)
    """
    q, loc, scale = reals("uniform.ppf", q, loc, scale)
    return where((q >= 0) & (q <= 1), loc + scale * q, math.nan)
