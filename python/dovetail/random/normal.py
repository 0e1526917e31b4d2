"""The normal distribution, and distributions derived from it alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.ops.operands import ArrayLike
from dovetail.random.docstrings import SAMPLER, parametrized
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    as_floats,
    element_type,
    sampler,
    shape_with,
    sizes_of,
    split_keys,
    spread,
)
from dovetail.random.uniform import uniform_of


@sampler
@documented(SAMPLER)
def normal(
    key: KeyLike, shape: Shape = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Normal numbers with mean 0 and variance 1.

    Args:
      dtype: a float or complex type; the parts of complex numbers have variance 1/2.

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


@sampler
@documented(parametrized("the bounds"))
def truncated_normal(
    key: KeyLike,
    lower: ArrayLike,
    upper: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Normal numbers between two bounds.

    Args:
      lower, upper: the bounds, which are excluded.
      dtype: a float type.

    Example:
      >>> from dovetail import random
      >>> random.truncated_normal(random.key(0), -1.0, 1.0, (2,))
      Array([0.8618594, 0.9412884], dtype=float32)
    """
    element = element_type("truncated_normal", dtype)
    low, high = (lax.convert_element_type(bound, element) for bound in (lower, upper))
    sizes = shape_with("truncated_normal", shape, low.shape, high.shape)
    root = np.array(np.sqrt(2), element)
    ends = (lax.erf(lax.div(bound, root)) for bound in (low, high))
    x = lax.mul(lax.erf_inv(uniform_of(key, sizes, element, *ends)), root)
    infinity = np.array(np.inf, element)
    least = lax.nextafter(lax.stop_gradient(low), infinity)
    greatest = lax.nextafter(lax.stop_gradient(high), -infinity)
    return dnp.clip(x, least, greatest)


@sampler
@documented(parametrized("`sigma`"))
def lognormal(
    key: KeyLike,
    sigma: ArrayLike = np.float32(1),  # noqa: B008 - a scalar.
    shape: Shape | None = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Numbers whose logarithms are normal with mean 0.

    Args:
      sigma: the standard deviation of the logarithms.

    Example:
      >>> from dovetail import random
      >>> random.lognormal(random.key(0), 1.0, (2,))
      Array([5.066..., 7.578...], dtype=float32)
    """
    element = element_type("lognormal", dtype, "fc")
    (sigma,) = as_floats("lognormal", element, sigma)
    sizes = shape_with("lognormal", shape, sigma.shape)
    return lax.exp(lax.mul(normal_of(key, sizes, element), spread(sigma, sizes)))
