"""Sorting along one dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail.base.dtypes import SMALL_INTS, float32, int8
from dovetail.reference.op import NS, Call, count, op, slowness

Array = np.ndarray[Any, Any]


def _cost(call: Call) -> float:
    size = count(call.operands[0])
    return 8 * NS * len(call.operands) * size * math.log2(size + 2) * slowness(call.elements)


@op("sort", cost=_cost, only_moves=True)
def sort(
    *xs: Array,
    dimension: int,
    num_keys: int,
    first: int | None = None,
    descending: bool = False,
    carried: bool | None = None,
) -> tuple[Array, ...]:
    """The operands in the stable order of the first `num_keys` of them."""
    del carried
    if first is not None:
        kept = (slice(None),) * dimension + (slice(first),)
        if first == 0:
            return tuple(x[kept] for x in xs)
        results = sort(*xs, dimension=dimension, num_keys=num_keys, descending=descending)
        return tuple(x[kept] for x in results)
    if descending:
        # Reversed before and after, so that equal elements keep their order.
        backwards = [np.flip(x, dimension) for x in xs]
        results = sort(*backwards, dimension=dimension, num_keys=num_keys)
        return tuple(np.flip(x, dimension) for x in results)
    keys = [part for x in xs[:num_keys] for part in _keys(x)]
    if len(keys) == 1:
        if len(xs) == 1 and keys[0] is xs[0]:
            result = keys[0].copy()
            result.sort(dimension, kind="stable")
            return (result,)
        order = keys[0].argsort(dimension, kind="stable")
    else:
        order = np.lexsort(keys[::-1], dimension)
    if order.ndim == 1:
        return tuple(x[order] for x in xs)
    return tuple(np.take_along_axis(x, order, dimension) for x in xs)


def _keys(x: Array) -> list[Array]:
    """Arrays that NumPy orders, one after the other, as `x` is ordered: NaN last, -0 as 0."""
    if x.dtype.isbuiltin == 1:
        return [x.real, x.imag] if x.dtype.kind == "c" else [x]
    return [x.astype(int8 if x.dtype in SMALL_INTS else float32)]
