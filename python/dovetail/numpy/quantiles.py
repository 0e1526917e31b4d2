"""Order statistics: quantiles, percentiles and medians."""

from __future__ import annotations

import math
from typing import Any

from dovetail import dtypes, lax, ops
from dovetail.array import Array
from dovetail.errors import value_error
from dovetail.lax.operands import ArrayLike, broadcast_dims, canonical_axes
from dovetail.lax.sort import numbered
from dovetail.numpy.choice import where as choose
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import no_out, real_inexact, with_dtype

Axis = Any


def along_first(x: Array, indices: Array) -> Array:
    """The elements of x[:, ...] that `indices`, of the same rank, names for each place of the
    other dimensions.
    """
    places = [numbered(indices, d) for d in range(1, indices.ndim)]
    vectors = [lax.expand_dims(with_dtype(i, dtypes.int32), (x.ndim,)) for i in [indices, *places]]
    index = lax.concatenate(vectors, x.ndim)
    dims = tuple(range(x.ndim))
    return lax.reshape(ops.gather(x, index, dims, (1,) * x.ndim), indices.shape)


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """The values below which a part `q` of the elements over `axis` (all by default) lies; NaN if
    one is NaN.

    Args:
      a: an array of real numbers.
      q: a part from 0 to 1, or a vector of parts, which become the first dimension of the result.
      axis: the dimension or dimensions; None is all of them.
      out: must be None.
      overwrite_input: must be False.
      method: between two elements the `linear` interpolation, the `lower`, the `higher`, the
        `nearest` or their `midpoint`.
      keepdims: whether these dimensions stay, with size 1.

    Returns:
      An array of floats without these dimensions.

    Raises:
      TypeError: the elements are complex.
      ValueError: there is no such method or no element, or `q` has rank 2 or more.

    Example:
      >>> quantile(np.float32([1, 2, 3, 4]), 0.5)
      Array(2.5, dtype=float32)
    """
    return _quantile("quantile", a, q, axis, out, overwrite_input, method, keepdims, False)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """As `quantile`, of the elements that are not NaN; NaN if there is none.

    Args:
      a, q, axis, out, overwrite_input, method, keepdims: as for `quantile`.

    Returns:
      An array of floats without these dimensions.

    Raises:
      TypeError, ValueError: as of `quantile`.

    Example:
      >>> nanquantile(np.float32([1, np.nan, 3]), 0.5)
      Array(2., dtype=float32)
    """
    return _quantile("nanquantile", a, q, axis, out, overwrite_input, method, keepdims, True)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """As `quantile`, for `q` in percent.

    Args:
      q: a percentage from 0 to 100, or a vector of them.
      a, axis, out, overwrite_input, method, keepdims: as for `quantile`.

    Returns:
      An array of floats without these dimensions.

    Raises:
      TypeError, ValueError: as of `quantile`.

    Example:
      >>> percentile(np.float32([1, 2, 3, 4]), 50)
      Array(2.5, dtype=float32)
    """
    part = real_inexact("percentile", q) / 100
    return _quantile("percentile", a, part, axis, out, overwrite_input, method, keepdims, False)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """As `nanquantile`, for `q` in percent.

    Args:
      q: a percentage from 0 to 100, or a vector of them.
      a, axis, out, overwrite_input, method, keepdims: as for `quantile`.

    Returns:
      An array of floats without these dimensions.

    Raises:
      TypeError, ValueError: as of `quantile`.

    Example:
      >>> nanpercentile(np.float32([1, np.nan, 3]), 50)
      Array(2., dtype=float32)
    """
    part = real_inexact("nanpercentile", q) / 100
    return _quantile("nanpercentile", a, part, axis, out, overwrite_input, method, keepdims, True)


def median(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle of the sorted elements over `axis`, of two the mean; NaN if one is NaN.

    Args:
      a: an array of real numbers.
      axis: the dimension or dimensions; None is all of them.
      out: must be None.
      overwrite_input: accepted.
      keepdims: whether these dimensions stay, with size 1.

    Returns:
      An array of floats without these dimensions.

    Example:
      >>> median(np.float32([3, 1, 2]))
      Array(2., dtype=float32)
    """
    return _quantile("median", a, 0.5, axis, out, overwrite_input, "midpoint", keepdims, False)


def nanmedian(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """As `median`, of the elements that are not NaN.

    Args:
      a: an array of real numbers.
      axis: the dimension or dimensions; None is all of them.
      out: must be None.
      overwrite_input: accepted.
      keepdims: whether these dimensions stay, with size 1.

    Returns:
      An array of floats without these dimensions.

    Example:
      >>> nanmedian(np.float32([3, np.nan, 2]))
      Array(2.5, dtype=float32)
    """
    return _quantile("nanmedian", a, 0.5, axis, out, overwrite_input, "midpoint", keepdims, True)


def _quantile(
    name: str,
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis,
    out: Any,
    overwrite_input: bool,
    method: str,
    keepdims: bool,
    skip_nan: bool,
) -> Array:
    no_out(name, out)
    if overwrite_input:
        raise value_error(f"{name}: arrays are immutable, so overwrite_input must be False")
    if method not in _METHODS:
        raise value_error(f"{name}: method must be one of {', '.join(_METHODS)}, got {method!r}")
    x = real_inexact(name, a)
    part = with_dtype(real_inexact(name, q), x.dtype)
    if part.ndim > 1:
        raise value_error(f"{name}: q must have rank 0 or 1, got shape {part.shape}")
    dims = canonical_axes(axis, x.ndim)
    kept = [d for d in range(x.ndim) if d not in dims]
    shape = tuple(x.shape[d] for d in kept)
    size = math.prod(x.shape[d] for d in dims)
    if not size:
        raise value_error(f"{name}: there must be an element, got shape {x.shape} and axis {axis}")
    rows = lax.reshape(lax.transpose(x, [*dims, *kept]), (size, *shape))
    # Narrow floats do not count far.
    narrow = x.dtype.itemsize < 4
    compute = dtypes.float32 if narrow else x.dtype
    (ordered,) = ops.sort([with_dtype(rows, compute)], 0, 1)
    bad = isnan(ordered)
    count = with_dtype(lax.reduce_sum(with_dtype(ops.not_(bad), dtypes.int32), (0,)), compute)
    # Of each part and each row: between which two of its elements, and how far.
    parts = lax.reshape(with_dtype(part, compute), (part.size,))
    places = (part.size, *shape)
    within = broadcast_dims(parts, places, (0,))
    last = broadcast_dims(count, places, tuple(range(1, len(places)))) - 1
    position = within * choose(last < 0, 0, last)
    low = ops.floor(position)
    weight = position - low
    below = with_dtype(low, dtypes.int32)
    above = with_dtype(ops.ceil(position), dtypes.int32)
    first, second = along_first(ordered, below), along_first(ordered, above)
    match method:
        case "linear":
            result = first * (1 - weight) + second * weight
        case "lower":
            result = first
        case "higher":
            result = second
        case "nearest":
            is_first = (weight < 0.5) | ((weight == 0.5) & (below % 2 == 0))
            result = choose(is_first, first, second)
        case _:
            result = choose(weight == 0, first, (first + second) * 0.5)
    unknown = lax.reduce_and(bad, (0,)) if skip_nan else lax.reduce_or(bad, (0,))
    everywhere = broadcast_dims(unknown, places, tuple(range(1, len(places))))
    result = with_dtype(choose(everywhere, math.nan, result), x.dtype)
    if keepdims:
        shape = tuple(1 if d in dims else s for d, s in enumerate(x.shape))
    return lax.reshape(result, part.shape + shape)
