"""Sorting along one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.dtypes import INT4, KINDS, float32, int8

Array = np.ndarray[Any, Any]


def sort(*xs: Array, dimension: int, num_keys: int) -> tuple[Array, ...]:
    """The operands in the stable order of the first `num_keys` of them."""
    keys = [part for x in xs[:num_keys] for part in _keys(x)]
    order = np.lexsort(keys[::-1], dimension)
    return tuple(np.take_along_axis(x, order, dimension) for x in xs)


def _keys(x: Array) -> list[Array]:
    """Arrays that NumPy orders, one after the other, as `x` is ordered: NaN last, -0 as 0."""
    if KINDS[x.dtype] == "c":
        return [x.real, x.imag]
    if x.dtype in INT4:
        return [x.astype(int8)]
    return [x.astype(float32) if x.dtype.isbuiltin != 1 else x]
