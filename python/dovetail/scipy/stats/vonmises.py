"""The von Mises distribution on the circle."""

from __future__ import annotations

import math

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy import where
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.operands import reals
from dovetail.scipy.special import i0e
from dovetail.scipy.stats.docstrings import CONTINUOUS

_PARAMETERS = """
    Args:
      kappa: the concentration, positive.
"""


@documented(CONTINUOUS, _PARAMETERS)
def logpdf(x: ArrayLike, kappa: ArrayLike) -> Array:
    """The logarithm of the density of the von Mises distribution on the circle.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.
      https://dlmf.nist.gov/10.32#E1

    Example:
      >>> logpdf(1.0, 2.0)
      Array(-1.5812662, dtype=float32, weak_type=True)
    """
    x, kappa = reals("vonmises.logpdf", x, kappa)
    value = kappa * (ops.cos(x) - 1) - ops.log(2 * math.pi * i0e(kappa))
    return where(kappa > 0, value, math.nan)


@documented(CONTINUOUS, _PARAMETERS)
def pdf(x: ArrayLike, kappa: ArrayLike) -> Array:
    """The density of the von Mises distribution on the circle.

    Example:
      >>> pdf(1.0, 2.0)
      Array(0.20571446, dtype=float32, weak_type=True)
    """
    return ops.exp(logpdf(x, kappa))
