"""The greater and the smaller of two, and limits, element by element."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.lax.lexicographic import complex_order, first_in_order
from dovetail.numpy.docstrings import PROMOTED
from dovetail.numpy.promotion import only_values, pair
from dovetail.ops.operands import PYTHON_SCALARS, ArrayLike, as_operand
from dovetail.tracing.whole import whole_if_repeated


@documented(PROMOTED)
def maximum(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """The greater of x and y, NaN if either is; complex numbers in lexicographic order.

    Example:
      >>> maximum(1, 2)
      Array(2, dtype=int32, weak_type=True)
    """
    only_values("maximum", out, where)
    a, b = pair("maximum", x, y)
    if dtypes.KINDS[a.dtype] == "c":
        return first_in_order(a, b, "gt")
    return ops.max(a, b)


@documented(PROMOTED)
def minimum(x: ArrayLike, y: ArrayLike, /, *, out: None = None, where: None = None) -> Array:
    """The smaller of x and y, NaN if either is; complex numbers in lexicographic order.

    Example:
      >>> minimum(1, 2)
      Array(1, dtype=int32, weak_type=True)
    """
    only_values("minimum", out, where)
    a, b = pair("minimum", x, y)
    if dtypes.KINDS[a.dtype] == "c":
        return first_in_order(a, b, "lt")
    return ops.min(a, b)


@documented(PROMOTED)
def fmax(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The greater of x1 and x2; NaN only if both are.

    Example:
      >>> fmax(1.0, np.nan)
      Array(1., dtype=float32, weak_type=True)
    """
    x, y = pair("fmax", x1, x2)
    if dtypes.KINDS[x.dtype] not in "fc":
        return ops.max(x, y)
    keep = ops.or_(compare_ordered(x, y, "gt"), ops.compare(y, y, "ne"))
    return ops.select(keep, x, y)


@documented(PROMOTED)
def fmin(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The smaller of x1 and x2; NaN only if both are.

    Example:
      >>> fmin(1.0, np.nan)
      Array(1., dtype=float32, weak_type=True)
    """
    x, y = pair("fmin", x1, x2)
    if dtypes.KINDS[x.dtype] not in "fc":
        return ops.min(x, y)
    keep = ops.or_(compare_ordered(x, y, "lt"), ops.compare(y, y, "ne"))
    return ops.select(keep, x, y)


def compare_ordered(x: Array, y: Array, direction: str) -> Array:
    """x compared with y; complex numbers by their real parts first, then their imaginary ones."""
    if dtypes.KINDS[x.dtype] == "c":
        return complex_order(x, y, direction)
    return ops.compare(x, y, direction)


@whole_if_repeated
@documented(PROMOTED)
def clip(arr: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """The elements limited to [min, max]; either may be None, for no limit.

    Args:
      arr: an array or scalar of real numbers.
      min, max: the limits, arrays or scalars, which are promoted and broadcast with `arr`. Where
        `min` is above `max`, the result is `max`.

    Raises:
      ValueError: an operand is complex.

    Example:
      >>> clip(5, 0, 3)
      Array(3, dtype=int32, weak_type=True)
    """
    result = as_operand("clip", arr)
    # Python's scalars take the array's type, which may hold more than their own.
    bounds = [
        b if b is None or isinstance(b, PYTHON_SCALARS) else as_operand("clip", b, i)
        for i, b in enumerate((min, max), 1)
    ]
    kinds = [
        dtypes.KINDS[dtypes.dtype_and_weakness(x)[0]] for x in (result, *bounds) if x is not None
    ]
    if "c" in kinds:
        raise value_error(
            "clip: Complex values have no ordering and cannot be clipped; clip x.real and x.imag"
        )
    low, high = bounds
    if low is not None:
        result = maximum(low, result)
    if high is not None:
        result = minimum(high, result)
    return result
