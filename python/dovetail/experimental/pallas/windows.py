"""Reads and writes of windows of references, with masks."""

from __future__ import annotations

from typing import Any

from dovetail import numpy as dnp
from dovetail.tracing.held_indices import dslice as dslice

ds = dslice


def load(ref: Any, idx: Any, *, mask: Any = None, other: Any = None, **hints: Any) -> Any:
    """The elements of a reference at an index.

    Args:
      ref: a reference.
      idx: any index of it.
      mask: a bool array of the shape of `ref[idx]`: elsewhere, the result is `other`.
      other: an array that broadcasts to that shape, by default 0.
      hints: accepted for JAX's sake, and ignored: cache_modifier, eviction_policy, volatile.

    Returns:
      An array.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> ref = dt.new_ref(dt.numpy.arange(1, 4))
      >>> pl.load(ref, ..., mask=dt.numpy.array([True, False, True]), other=-1)
      Array([ 1, -1,  3], dtype=int32)
    """
    value = ref[idx]
    if mask is None:
        return value
    return dnp.where(mask, value, dnp.asarray(0 if other is None else other, value.dtype))


def store(ref: Any, idx: Any, val: Any, *, mask: Any = None, **hints: Any) -> None:
    """Replace the elements of a reference at an index.

    Args:
      ref: a reference.
      idx: any index of it.
      val: an array that broadcasts to the shape of `ref[idx]`.
      mask: a bool array of that shape: other elements stay.
      hints: accepted for JAX's sake, and ignored: eviction_policy.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> ref = dt.new_ref(dt.numpy.arange(1, 4))
      >>> pl.store(ref, ..., 0, mask=dt.numpy.array([True, False, True]))
      >>> ref[...]
      Array([0, 2, 0], dtype=int32)
    """
    ref[idx] = val if mask is None else dnp.where(mask, val, ref[idx])


def swap(ref: Any, idx: Any, val: Any, *, mask: Any = None, **hints: Any) -> Any:
    """Replace the elements of a reference at an index, as `store` does.

    Args:
      ref, idx, val, mask: those of `store`.
      hints: accepted for JAX's sake, and ignored.

    Returns:
      The elements before; where the mask does not hold, `val`.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> pl.swap(dt.new_ref(dt.numpy.arange(1, 4)), 0, 7)
      Array(1, dtype=int32)
    """
    before = ref[idx]
    store(ref, idx, val, mask=mask)
    return before if mask is None else dnp.where(mask, before, dnp.asarray(val, before.dtype))


def multiple_of(x: Any, values: int | tuple[int, ...]) -> Any:
    """The value, which is promised to be a multiple of a number; nothing depends on it here.

    Args:
      x: an integer, or an integer array.
      values: the number, or one for each dimension.

    Returns:
      The value itself.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.multiple_of(8, 4)
      8
    """
    return x


def cdiv(a: Any, b: Any) -> Any:
    """The quotient of two integers, rounded up.

    Args:
      a, b: integers, or integer arrays; `b` is positive.

    Returns:
      The smallest integer that is not below a / b.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.cdiv(7, 2), pl.cdiv(8, 2)
      (4, 4)
    """
    return (a + b - 1) // b
