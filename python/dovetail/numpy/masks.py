"""Elements replaced where a mask is true."""

from __future__ import annotations

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy.choice import where
from dovetail.numpy.cumulative import cumsum
from dovetail.numpy.logic import truth
from dovetail.numpy.promotion import with_dtype
from dovetail.numpy.shape import ravel
from dovetail.numpy.taking import take
from dovetail.ops.operands import ArrayLike, as_operand


def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike, *, inplace: bool = True) -> Array:
    """A copy of an array with the elements where a mask is true replaced by values in order.

    Args:
      arr: an array.
      mask: an array with as many elements as `arr`.
      vals: values, repeated if there are fewer than true elements.
      inplace: must be False: arrays are immutable.

    Returns:
      The modified copy.

    Raises:
      ValueError: `inplace` is true, the sizes differ, or there is no value.

    Example:
      >>> place(dnp.arange(4), dnp.arange(4) != 1, dnp.array([7, 8]), inplace=False)
      Array([7, 1, 8, 7], dtype=int32)
    """
    if inplace:
        raise value_error("place: arrays are immutable, so inplace must be False; use the result")
    x = as_operand("place", arr)
    chosen = ravel(truth("place", np.asarray(mask) if isinstance(mask, (list, tuple)) else mask))
    values = ravel(as_operand("place", np.asarray(vals) if isinstance(vals, list) else vals, 2))
    if chosen.size != x.size:
        raise value_error(f"place: mask must have {x.size} elements, as arr, got: {chosen.size}")
    if not values.size:
        raise value_error("place: there must be a value, got: none")
    if not x.size:
        return x
    number = cumsum(chosen, dtype=dtypes.default_dtype("i")) - 1
    given = take(values, number, mode="wrap")
    return lax.reshape(where(chosen, with_dtype(given, x.dtype), ravel(x)), x.shape)
