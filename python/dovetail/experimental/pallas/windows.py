"""Reads and writes of windows of references, with masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import numpy as dnp
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.experimental.pallas.reaching import reaching
from dovetail.tracing.held_indices import dslice as dslice

ds = dslice


def _reaching(what: str, ref: Any, idx: Any, mask: Any) -> tuple[Any, Any]:
    if dtypes.dtype(mask) != np.bool_:
        raise type_error(f"{what}: mask must be of bools, got: {dtypes.dtype(mask)}")
    return reaching(ref, idx)


def load(ref: Any, idx: Any, *, mask: Any = None, other: Any = None, **hints: Any) -> Any:
    """The elements of a reference at an index.

    Args:
      ref: a reference.
      idx: any index of it. With a mask, `ds` may reach beyond the reference.
      mask: a bool array of the shape of `ref[idx]`: elsewhere, the result is `other`.
      other: an array that broadcasts to that shape, by default 0.
      hints: accepted for JAX's sake, and ignored: cache_modifier, eviction_policy, volatile.

    Returns:
      An array.

    Raises:
      TypeError: the mask is not of bools.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> ref = dt.new_ref(dt.numpy.arange(1, 4))
      >>> pl.load(ref, ..., mask=dt.numpy.array([True, False, True]), other=-1)
      Array([ 1, -1,  3], dtype=int32)
    """
    if mask is None:
        return ref[idx]
    ref, idx = _reaching("load", ref, idx, mask)
    value = ref[idx]
    return dnp.where(mask, value, dnp.asarray(0 if other is None else other, value.dtype))


def store(ref: Any, idx: Any, val: Any, *, mask: Any = None, **hints: Any) -> None:
    """Replace the elements of a reference at an index.

    Args:
      ref: a reference.
      idx: any index of it. With a mask, `ds` may reach beyond the reference.
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
    if mask is not None:
        ref, idx = _reaching("store", ref, idx, mask)
        val = dnp.where(mask, val, ref[idx])
    ref[idx] = val


def swap(ref: Any, idx: Any, val: Any, *, mask: Any = None, **hints: Any) -> Any:
    """Replace the elements of a reference at an index, as `store` does.

    Args:
      ref, idx, val, mask: those of `store`.
      hints: accepted for JAX's sake, and ignored.

    Returns:
      The elements before; where the mask does not hold, `val`.

    Raises:
      TypeError: the mask is not of bools.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> pl.swap(dt.new_ref(dt.numpy.arange(1, 4)), 0, 7)
      Array(1, dtype=int32)
    """
    if mask is not None:
        ref, idx = _reaching("swap", ref, idx, mask)
    before = ref[idx]
    ref[idx] = val if mask is None else dnp.where(mask, val, before)
    return before if mask is None else dnp.where(mask, before, dnp.asarray(val, before.dtype))
