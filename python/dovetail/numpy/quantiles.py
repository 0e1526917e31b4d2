"""Order statistics: quantiles, percentiles and medians."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import value_error
from dovetail.lax.sort import numbered
from dovetail.numpy.bounds import clip
from dovetail.numpy.choice import where as choose
from dovetail.numpy.docstrings import REDUCTION
from dovetail.numpy.logic import isnan
from dovetail.numpy.promotion import inexact, no_out, real_inexact, with_dtype
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_dims, canonical_axes
from dovetail.transforms.out_sharding import accepts_out_sharding

Axis = Any


def along_first(x: Array, indices: Array) -> Array:
    """The elements of x[:, ...] selected by `indices`, of the same rank, for each place in the
    other dimensions.
    """
    places = [numbered(indices, d) for d in range(1, indices.ndim)]
    vectors = [lax.expand_dims(with_dtype(i, dtypes.int32), (x.ndim,)) for i in [indices, *places]]
    index = lax.concatenate(vectors, x.ndim)
    dims = tuple(range(x.ndim))
    return lax.reshape(ops.gather(x, index, dims, (1,) * x.ndim), indices.shape)


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")


@documented(REDUCTION)
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """The values below which a fraction `q` of the elements over `axis` (all by default) is; NaN if
    one is NaN.

    Args:
      a: an array of real numbers.
      q: a fraction from 0 to 1, or a vector of fractions, which become the first dimension of the
        result.
      overwrite_input: must be False.
      method: between two elements, the `linear` interpolation, the `lower`, the `higher`, the
        `nearest` or their `midpoint`; `inverted_cdf` is the first element at which the fraction is
        reached.
      weights: how often each element counts, of the shape of `a` or of its dimensions `axis`; for
        `inverted_cdf` only. Negative weights and NaN count as 0.

    Returns:
      An array of floats without those dimensions.

    Raises:
      ValueError: the elements are complex, there is no such method or no element, `q` has rank 2 or
        more, or the weights have another shape.
      NotImplementedError: there are weights with another method.

    Example:
      >>> quantile(np.float32([1, 2, 3, 4]), 0.5)
      Array(2.5, dtype=float32)
    """
    refused = out, overwrite_input
    return _quantile("quantile", a, q, axis, refused, method, keepdims, False, weights)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """`quantile` of the elements that are not NaN; NaN if there is none.

    Args:
      a, q, axis, out, overwrite_input, method, keepdims, weights: as for `quantile`.

    Returns:
      An array of floats without those dimensions.

    Raises:
      ValueError, NotImplementedError: as for `quantile`.

    Example:
      >>> nanquantile(np.float32([1, np.nan, 3]), 0.5)
      Array(2., dtype=float32)
    """
    refused = out, overwrite_input
    return _quantile("nanquantile", a, q, axis, refused, method, keepdims, True, weights)


@accepts_out_sharding
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
    out_sharding: Any = None,
) -> Array:
    """Like `quantile`, for `q` in percent.

    Args:
      q: a percentage from 0 to 100, or a vector of them.
      a, axis, out, overwrite_input, method, keepdims, weights: as for `quantile`.

    Returns:
      An array of floats without those dimensions.

    Raises:
      ValueError, NotImplementedError: as for `quantile`.

    Example:
      >>> percentile(np.float32([1, 2, 3, 4]), 50)
      Array(2.5, dtype=float32)
    """
    part = real_inexact("percentile", q) / 100
    refused = out, overwrite_input
    return _quantile("percentile", a, part, axis, refused, method, keepdims, False, weights)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Like `nanquantile`, for `q` in percent.

    Args:
      q: a percentage from 0 to 100, or a vector of them.
      a, axis, out, overwrite_input, method, keepdims, weights: as for `quantile`.

    Returns:
      An array of floats without those dimensions.

    Raises:
      ValueError, NotImplementedError: as for `quantile`.

    Example:
      >>> nanpercentile(np.float32([1, np.nan, 3]), 50)
      Array(2., dtype=float32)
    """
    part = real_inexact("nanpercentile", q) / 100
    refused = out, overwrite_input
    return _quantile("nanpercentile", a, part, axis, refused, method, keepdims, True, weights)


def median(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle of the sorted elements over `axis`, or the mean of the two middle ones; NaN if one
    is NaN.

    Args:
      a: an array of real numbers.
      axis: one or more dimensions; None for all.
      out: must be None.
      overwrite_input: accepted.
      keepdims: whether to keep those dimensions, with size 1.

    Returns:
      An array of floats without those dimensions.

    Example:
      >>> median(np.float32([3, 1, 2]))
      Array(2., dtype=float32)
    """
    return _quantile("median", a, 0.5, axis, (out, overwrite_input), "midpoint", keepdims, False)


def nanmedian(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """`median` of the elements that are not NaN.

    Args:
      a: an array of real numbers.
      axis: one or more dimensions; None for all.
      out: must be None.
      overwrite_input: accepted.
      keepdims: whether to keep those dimensions, with size 1.

    Returns:
      An array of floats without those dimensions.

    Example:
      >>> nanmedian(np.float32([3, np.nan, 2]))
      Array(2.5, dtype=float32)
    """
    return _quantile("nanmedian", a, 0.5, axis, (out, overwrite_input), "midpoint", keepdims, True)


def _quantile(
    name: str,
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis,
    refused: tuple[Any, bool],
    method: str,
    keepdims: bool,
    skip_nan: bool,
    weights: ArrayLike | None = None,
) -> Array:
    no_out(name, refused[0])
    if refused[1]:
        raise value_error(f"{name}: arrays are immutable, so overwrite_input must be False")
    if method not in _METHODS:
        raise value_error(f"{name}: method must be one of {', '.join(_METHODS)}, got: {method!r}")
    x = inexact(name, a)
    if dtypes.KINDS[x.dtype] == "c":
        raise value_error(f"{name}: the elements must be real, got: {x.dtype.name}")
    dims = canonical_axes(axis, x.ndim)
    given = None if weights is None else _weights(name, weights, method, x, dims)
    part = with_dtype(real_inexact(name, q), x.dtype)
    if part.ndim > 1:
        raise value_error(f"{name}: q must have rank 0 or 1, got: shape {part.shape}")
    kept = [d for d in range(x.ndim) if d not in dims]
    shape = tuple(x.shape[d] for d in kept)
    size = math.prod(x.shape[d] for d in dims)
    if not size:
        raise value_error(f"{name}: there must be an element, got: shape {x.shape} and axis {axis}")

    def rows(y: Array) -> Array:
        return lax.reshape(lax.transpose(y, [*dims, *kept]), (size, *shape))

    # Narrow floats cannot count very far.
    compute = dtypes.float32 if x.dtype.itemsize < 4 else x.dtype
    values = with_dtype(rows(x), compute)
    bad = isnan(values)
    parts = lax.reshape(with_dtype(part, compute), (part.size,))
    if method == "inverted_cdf":
        counts = lax.full_like(values, 1) if given is None else with_dtype(rows(given), compute)
        result = _reached(values, counts, parts)
    else:
        result = _between(values, parts, method)
    places = (part.size, *shape)
    unknown = lax.reduce_and(bad, (0,)) if skip_nan else lax.reduce_or(bad, (0,))
    everywhere = broadcast_dims(unknown, places, tuple(range(1, len(places))))
    result = with_dtype(choose(everywhere, math.nan, result), x.dtype)
    if keepdims:
        shape = tuple(1 if d in dims else s for d, s in enumerate(x.shape))
    return lax.reshape(result, part.shape + shape)


def _weights(name: str, weights: ArrayLike, method: str, x: Array, dims: Sequence[int]) -> Array:
    """The weights of all elements, in their type."""
    given = as_operand(name, weights)
    if dtypes.KINDS[given.dtype] == "c":
        raise value_error(f"{name}: weights must be real, got: {given.dtype.name}")
    if method != "inverted_cdf":
        raise NotImplementedError(
            f"{name}: weights are for method 'inverted_cdf' only, got: {method!r}"
        )
    if given.shape == x.shape:
        return given
    if given.shape != tuple(x.shape[d] for d in dims) or len(dims) == x.ndim:
        raise value_error(
            f"{name}: weights must have the shape of a or of its dimensions {tuple(dims)}, got: "
            f"{given.shape} for {x.shape}"
        )
    return broadcast_dims(given, x.shape, tuple(dims))


def _between(rows: Array, parts: Array, method: str) -> Array:
    """For each fraction and row, the element at that fraction of the way from first to last."""
    places = (parts.size, *rows.shape[1:])
    (ordered,) = ops.sort([rows], 0, 1)
    count = lax.reduce_sum(with_dtype(ops.not_(isnan(ordered)), dtypes.int32), (0,))
    # The two elements on either side, and the distance from the first.
    within = broadcast_dims(parts, places, (0,))
    number = with_dtype(count, rows.dtype)
    last = broadcast_dims(number, places, tuple(range(1, len(places)))) - 1
    end = choose(last < 0, 0, last)
    position = within * end
    low = ops.floor(position)
    weight = position - low
    # Fractions below 0 or above 1 are at the ends.
    below = with_dtype(clip(low, 0, end), dtypes.int32)
    above = with_dtype(clip(ops.ceil(position), 0, end), dtypes.int32)
    first, second = along_first(ordered, below), along_first(ordered, above)
    match method:
        case "linear":
            return first * (1 - weight) + second * weight
        case "lower":
            return first
        case "higher":
            return second
        case "nearest":
            is_first = (weight < 0.5) | ((weight == 0.5) & (below % 2 == 0))
            return choose(is_first, first, second)
        case _:
            return choose(weight == 0, first, (first + second) * 0.5)


def _reached(rows: Array, weights: Array, parts: Array) -> Array:
    """For each fraction and row, the element at which the accumulated weight reaches that
    fraction.
    """
    places = (parts.size, *rows.shape[1:])
    ignored = isnan(rows) | isnan(weights) | (weights < 0)
    ordered, counted = ops.sort([rows, choose(ignored, 0, weights)], 0, 1)
    sums = ops.cumsum(counted, 0)
    total = lax.index_in_dim(sums, -1, 0, keepdims=False)
    goal = broadcast_dims(parts, places, (0,)) * broadcast_dims(
        total, places, tuple(range(1, len(places)))
    )
    pairs = (*places[:1], *rows.shape)
    before = broadcast_dims(sums, pairs, tuple(range(1, len(pairs)))) < broadcast_dims(
        goal, pairs, (0, *range(2, len(pairs)))
    )
    index = lax.reduce_sum(with_dtype(before, dtypes.int32), (1,))
    known = lax.reduce_sum(with_dtype(ops.not_(isnan(ordered)), dtypes.int32), (0,))
    last = broadcast_dims(known, places, tuple(range(1, len(places)))) - 1
    return along_first(ordered, clip(index, 0, choose(last < 0, 0, last)))
