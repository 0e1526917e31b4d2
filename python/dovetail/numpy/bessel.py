"""The modified Bessel function."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.numpy.docstrings import FLOATS
from dovetail.numpy.promotion import real_inexact
from dovetail.ops.operands import ArrayLike


@documented(FLOATS)
def i0(x: ArrayLike) -> Array:
    """The modified Bessel function of the first kind of order 0.

    Example:
      >>> i0(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    at = real_inexact("i0", x)
    # The sign function gives the magnitude the derivative 0 at 0, as for i0e.
    return ops.exp(at * ops.sign(at)) * ops.bessel_i0e(at)
