"""Arithmetic on sizes of dynamic shapes, which are numbers of type `index`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.reference.op import op

Array = np.ndarray[Any, Any]

op("arith.addi")(np.add)
op("arith.subi")(np.subtract)
op("arith.muli")(np.multiply)
op("arith.maxsi")(np.maximum)
op("arith.minsi")(np.minimum)
op("arith.divui", "arith.floordivsi")(np.floor_divide)


@op("dim", cost=0.0, only_moves=True)
def dim(x: Array, *, dimension: int) -> Array:
    """The size of one dimension."""
    return np.array(x.shape[dimension])


@op("index")
def index(x: Array) -> Array:
    """A number as a size."""
    return np.asarray(x, np.int64)


@op("from_index", only_moves=True)
def from_index(size: Array, *, dtype: np.dtype) -> Array:
    """A size as a number."""
    return np.asarray(size).astype(dtype)


@op("assume", only_moves=True)
def assume(size: Array, *, min: int, max: int, multiple: int) -> Array:
    """The size."""
    return size


@op("with_sizes", only_moves=True)
def with_sizes(x: Array, *sizes: Array) -> Array:
    """The array, whose sizes are those."""
    return x
