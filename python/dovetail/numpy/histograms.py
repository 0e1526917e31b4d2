"""Histograms in one or more dimensions."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import reductions
from dovetail.numpy.bisection import searchsorted
from dovetail.numpy.choice import where
from dovetail.numpy.creation import asarray
from dovetail.numpy.differences import diff
from dovetail.numpy.promotion import promote, static
from dovetail.numpy.ranges import linspace
from dovetail.numpy.shape import ravel
from dovetail.numpy.taking import bincount
from dovetail.ops.operands import ArrayLike, as_operand


def histogram_bin_edges(
    a: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
) -> Array:
    """The edges of the bins of a histogram.

    Args:
      a: an array of any shape.
      bins: the number of bins, all of one width, or a vector of edges, which is returned.
      range: the first and the last edge, by default the smallest and the largest element; if both
        are equal, half below and half above.
      weights: accepted.

    Returns:
      A vector of floats: the bins' edges, one more than the number of bins.

    Raises:
      NotImplementedError: `bins` is the name of a rule.
      ValueError: `range` is not a pair.

    Example:
      >>> histogram_bin_edges(dnp.array([0, 2, 4]), bins=4)
      Array([0., 1., 2., 3., 4.], dtype=float32)
    """
    if isinstance(bins, str):
        raise NotImplementedError(
            f"histogram_bin_edges: bins must be a number or edges, got: {bins!r}; compute the "
            "number with numpy.histogram_bin_edges"
        )
    x = as_operand("histogram_bin_edges", a)
    dtype = dtypes.to_inexact_dtype(x.dtype)
    if isinstance(bins, (list, tuple)) or np.ndim(bins) == 1:
        return asarray(bins, dtype=dtype)
    if range is None:
        first, last = reductions.min(x), reductions.max(x)
    elif len(range) == 2:
        first, last = range
    else:
        raise value_error(f"histogram_bin_edges: range must be a pair, got: {range}")
    first, last = asarray(first, dtype=dtype), asarray(last, dtype=dtype)
    is_point = first == last
    first, last = where(is_point, first - 0.5, first), where(is_point, last + 0.5, last)
    count = operator.index(static(bins, "the histogram_bin_edges argument 'bins'"))
    return linspace(first, last, count + 1, dtype=dtype)


def _bins(x: Array, edges: Array) -> Array:
    """The number of each element's bin, from 1; 0 and the number of edges for those outside."""
    count = edges.shape[0]
    place = searchsorted(edges, x, "right")
    # The last bin includes its upper edge.
    return where(x == edges[-1], count - 1, place)


def histogram(
    a: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array]:
    """The number of elements in each bin.

    Args:
      a: an array of any shape.
      bins, range: as for `histogram_bin_edges`; elements outside are not counted.
      weights: the weight of each element, of the shape of `a`.
      density: whether to divide by the widths and the total, so that the integral is 1.

    Returns:
      The counts as floats, and the edges.

    Raises:
      ValueError: `weights` has another shape.

    Example:
      >>> histogram(dnp.array([1, 2, 2, 4]), bins=3)
      (Array([1., 2., 1.], dtype=float32), Array([1., 2., 3., 4.], dtype=float32))
    """
    if weights is None:
        (x,) = promote("histogram", a, to=dtypes.to_inexact_dtype)
        amounts = lax.full_like(x, 1)
    else:
        x, amounts = promote("histogram", a, weights, to=dtypes.to_inexact_dtype)
    if amounts.shape != x.shape:
        raise value_error(
            f"histogram: weights must have the shape of a, got: {amounts.shape} and {x.shape}"
        )
    edges = histogram_bin_edges(x, bins, range)
    place = _bins(ravel(x), edges)
    counts = bincount(place, ravel(amounts), length=edges.shape[0])[1:]
    if density:
        counts = counts / diff(edges) / reductions.sum(counts)
    return counts, edges


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array, Array]:
    """The number of points of a plane in each bin.

    Args:
      x, y: the coordinates, vectors of one size.
      bins: a number or edges for both dimensions, or a pair with an entry for each.
      range: a pair of pairs, as for `histogramdd`.
      weights, density: as for `histogramdd`.

    Returns:
      The counts, the edges of x, and those of y.

    Example:
      >>> x, y = dnp.array([0.0, 1.0, 1.0]), dnp.array([0.0, 0.0, 2.0])
      >>> histogram2d(x, y, bins=2)[0]
      Array([[1, 0],
             [1, 1]], dtype=int32)
    """
    if isinstance(bins, (list, tuple)) or np.ndim(bins) == 1:
        bins = bins if len(bins) in (1, 2) else [bins, bins]
    columns = promote("histogram2d", x, y)
    if columns[0].ndim != 1 or columns[0].shape != columns[1].shape:
        raise value_error(
            "histogram2d: x and y must be vectors of one size, got: shapes "
            f"{columns[0].shape} and {columns[1].shape}"
        )
    counts, edges = histogramdd(lax.stack(columns, 1), bins, range, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: ArrayLike,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, list[Array]]:
    """The number of points in each bin of a grid.

    Args:
      sample: the points, of shape (N, D).
      bins: a number for all D dimensions, or a number or a vector of edges for each.
      range: None or a pair for each dimension, as for `histogram_bin_edges`.
      weights: the weight of each point, of shape (N,).
      density: whether to divide by the volumes and the total, so that the integral is 1.

    Returns:
      The counts, an array of rank D, integers unless there are weights; and the D vectors of edges.

    Raises:
      ValueError: a shape or length is not as above.

    Example:
      >>> counts, edges = histogramdd(dnp.array([[0.0, 0.0], [1.0, 3.0]]), bins=(1, 2))
      >>> counts
      Array([[1, 1]], dtype=int32)
    """
    if weights is None:
        (points,), amounts = promote("histogramdd", sample, to=dtypes.to_inexact_dtype), None
    else:
        points, amounts = promote("histogramdd", sample, weights, to=dtypes.to_inexact_dtype)
    if points.ndim != 2:
        raise value_error(f"histogramdd: sample must have rank 2, got: shape {points.shape}")
    rank = points.shape[1]
    if amounts is not None and amounts.shape != points.shape[:1]:
        raise value_error(
            f"histogramdd: there must be {points.shape[0]} weights, one for each point, got: shape "
            f"{amounts.shape}"
        )
    given = _for_each("bins", bins, rank)
    ranges = [None] * rank if range is None else _for_each("range", range, rank)
    columns = [lax.squeeze(c, (1,)) for c in lax.split(points, [1] * rank, 1)]
    edges = [histogram_bin_edges(c, b, r) for c, b, r in zip(columns, given, ranges, strict=True)]
    shape = tuple(e.shape[0] - 1 for e in edges)
    flat, inside = lax.full(columns[0].shape, 0, dtypes.default_dtype("i")), None
    for column, edge, size in zip(columns, edges, shape, strict=True):
        place = _bins(column, edge) - 1
        within = (place >= 0) & (place < size)
        inside = within if inside is None else inside & within
        flat = flat * size + place
    total = math.prod(shape)
    if inside is not None:
        flat = where(inside, flat, total)
    counts = lax.reshape(bincount(flat, amounts, length=total), shape)
    if density:
        counts = counts.astype(points.dtype)
        counts = counts / reductions.sum(counts)
        for d, edge in enumerate(edges):
            widths = [-1 if i == d else 1 for i, _ in enumerate(edges)]
            counts = counts / diff(edge).reshape(widths)
    return counts, edges


def _for_each(what: str, given: Any, rank: int) -> list[Any]:
    """One entry for each dimension."""
    if isinstance(given, (int, np.integer)) or (
        isinstance(given, (ArrayMethods, np.ndarray)) and not given.ndim
    ):
        return [given] * rank
    entries = list(given)
    if len(entries) != rank:
        raise value_error(
            f"histogramdd: {what} must have one entry for each of {rank} dimensions, got: "
            f"{len(entries)}"
        )
    return entries
