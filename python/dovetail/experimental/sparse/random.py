"""Random sparse arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import dovetail as dt
from dovetail import numpy as dnp
from dovetail import random
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.experimental.sparse import util
from dovetail.experimental.sparse.bcoo import BCOO


def random_bcoo(
    key: Any,
    shape: Sequence[int],
    *,
    dtype: Any = float,
    indices_dtype: Any = None,
    nse: float = 0.2,
    n_batch: int = 0,
    n_dense: int = 0,
    unique_indices: bool = True,
    sorted_indices: bool = False,
    generator: Callable[..., Array] = random.uniform,
    **kwds: Any,
) -> BCOO:
    """A sparse array with random elements at random places.

    Args:
      key: a random key.
      shape: the shape.
      dtype: the element type.
      indices_dtype: the type of the indices, by default int.
      nse: the number of specified elements of each batch, or the part of all if it is below 1.
      n_batch, n_dense: the numbers of batch and dense dimensions.
      unique_indices: whether indices are distinct.
      sorted_indices: whether they are in order.
      generator: a function of a key, `shape` and `dtype` for the elements.
      kwds: more arguments of `generator`.

    Raises:
      ValueError: the array has not so many dimensions or elements, or `indices_dtype` is too small.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.random_bcoo(dt.random.key(0), (4, 5), nse=3)
      BCOO(float32[4, 5], nse=3)
    """
    shape = tuple(map(operator.index, shape))
    if min(n_batch, n_dense, len(shape) - n_batch - n_dense) < 0:
        raise value_error(
            f"random_bcoo: Invalid n_batch={n_batch}, n_dense={n_dense} for shape={shape}"
        )
    n_sparse = len(shape) - n_batch - n_dense
    batch, sizes, dense = util.split(shape, n_batch, n_sparse)
    total = math.prod(sizes)
    if not 0 <= nse < max(total, 1):
        raise value_error(f"random_bcoo: nse must be between 0 and {total}, got: {nse}")
    number = math.ceil(nse * total) if 0 < nse < 1 else operator.index(nse)  # type: ignore[arg-type]
    indices_dtype = dnp.dtype(dt.dtypes.canonicalize_dtype(indices_dtype or int))
    if total > dnp.iinfo(indices_dtype).max:
        raise value_error(
            f"random_bcoo: indices_dtype={indices_dtype} does not have enough range to generate "
            f"sparse indices of size {total}."
        )

    def places(one: Any) -> Array:
        if not sizes:
            return dnp.zeros((number, 0), indices_dtype)
        flat = random.choice(one, total, shape=(number,), replace=not unique_indices)
        return util.unraveled(flat, sizes, indices_dtype)

    data_key, *keys = random.split(key, math.prod(batch) + 1)
    data = generator(data_key, shape=(*batch, number, *dense), dtype=dtype, **kwds)
    stacked = dnp.stack([places(one) for one in keys]) if keys else dnp.zeros((0, number, n_sparse))
    indices = stacked.astype(indices_dtype).reshape(*batch, number, n_sparse)
    made = BCOO((data, indices), shape=shape)
    return made.sort_indices() if sorted_indices else made
