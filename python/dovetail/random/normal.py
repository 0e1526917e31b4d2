"""Normal numbers, and what is made of them alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import dtypes, lax
from dovetail.array import Array
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    element_type,
    sampler,
    sizes_of,
    split_keys,
)
from dovetail.random.uniform import uniform_of


@sampler
def normal(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: None = None
) -> Array:
    """Normal numbers with mean 0 and variance 1.

    Args:
      key: a key.
      shape: of the result.
      dtype: a float or complex type; the parts of complex numbers have variance 1/2.

    Returns:
      An array of `dtype`.

    Raises:
      ValueError: `dtype` is neither.

    Example:
      >>> from dovetail import random
      >>> random.normal(random.key(0), (2,))
      Array([1.622642 , 2.0252647], dtype=float32)
    """
    element = element_type("normal", dtype, "fc")
    return normal_of(key, sizes_of("normal", shape), element)


def normal_of(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Normal numbers; see `normal`."""
    if dtypes.KINDS[dtype] == "c":
        part = dtypes.to_real_dtype(dtype)
        re, im = (normal_of(subkey, shape, part) for subkey in split_keys(key))
        return lax.div(lax.complex(re, im), np.array(np.sqrt(2), dtype))
    one = np.ones((), dtype)
    least = np.nextafter(-one, np.zeros((), dtype))
    u = uniform_of(key, shape, dtype, np.asarray(least, dtype), one)
    return lax.mul(np.array(np.sqrt(2), dtype), lax.erf_inv(u))
