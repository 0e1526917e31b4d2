"""Padding in NumPy's modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import moments, quantiles, reductions
from dovetail.numpy.creation import asarray
from dovetail.numpy.promotion import with_dtype
from dovetail.numpy.ranges import linspace, moved_from_front
from dovetail.numpy.rounding import round as round_to_even
from dovetail.numpy.vectorization import apply_along_axis
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to
from dovetail.symbolic.size import as_size

Widths = list[tuple[int, int]]

_DEFAULTS: dict[str, dict[str, Any]] = {
    "constant": {"constant_values": 0},
    "empty": {},
    "edge": {},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    "wrap": {},
}

_STATISTICS: dict[str, Callable[..., Array]] = {
    "maximum": reductions.max,
    "mean": moments.mean,
    "median": quantiles.median,
    "minimum": reductions.min,
}


def pad(
    array: ArrayLike, pad_width: Any, mode: str | Callable[..., Any] = "constant", **kwargs: Any
) -> Array:
    """The array with additional elements on each side.

    Args:
      array: an array.
      pad_width: the number of elements: one number, (before, after), or one of these for each
        dimension.
      mode: the values: `constant`; `edge`, `reflect`, `symmetric` and `wrap` repeat elements;
        `linear_ramp` goes to an end value; `maximum`, `mean`, `median` and `minimum` are those of
        the rows; `empty` leaves them unspecified. A function is called with each row with zeros in
        place of the new elements, the widths, the dimension and a dict of `kwargs`, and returns the
        row.
      kwargs: `constant_values`, `end_values` of the ramp, `reflect_type` (`even` or `odd`),
        `stat_length`: the number of elements at the end to use. One value, (before, after), or one
        of these for each dimension.

    Returns:
      An array of the element type of `array`.

    Raises:
      ValueError: a width is negative, the mode has no such option, or there is nothing to repeat.

    Example:
      >>> pad(np.int32([1, 2]), 1)
      Array([0, 1, 2, 0], dtype=int32)
      >>> pad(np.int32([1, 2, 3]), (2, 0), mode="reflect")
      Array([3, 2, 1, 2, 3], dtype=int32)
    """
    x = as_operand("pad", array)
    widths = _widths(pad_width, x.ndim)
    if callable(mode):
        x = _pad_constant(x, widths, 0)
        for dim, width in enumerate(widths):
            x = apply_along_axis(mode, dim, x, width, dim, kwargs)
        return x
    if mode not in _DEFAULTS:
        raise NotImplementedError(
            f"Unimplemented padding mode '{mode}' for np.pad; it must be one of "
            f"{', '.join(_DEFAULTS)}"
        )
    unknown = kwargs.keys() - _DEFAULTS[mode].keys()
    if unknown:
        raise value_error(
            f"pad: unsupported keyword arguments for mode {mode!r}: {sorted(unknown)}; it takes "
            f"{sorted(_DEFAULTS[mode]) or 'none'}"
        )
    options = _DEFAULTS[mode] | kwargs
    if mode in ("constant", "empty"):
        return _pad_constant(x, widths, options.get("constant_values", 0))
    for dim, (before, after) in enumerate(widths):
        if before or after:
            x = _pad_dimension(x, dim, before, after, mode, options)
    return x


def _widths(pad_width: Any, ndim: int) -> Widths:
    if isinstance(pad_width, dict):
        entries = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            entries[axis] = tuple(np.broadcast_to(width, 2).tolist())
        return entries
    values = _pairs("pad_width", pad_width, ndim)
    widths = [(as_size(a), as_size(b)) for a, b in values]
    if any(a < 0 or b < 0 for a, b in widths):
        raise value_error(f"pad: pad_width must not be negative, got: {pad_width}")
    return widths


def _pairs(name: str, value: Any, ndim: int) -> list[tuple[Any, Any]]:
    """A value, a pair, or one of these for each dimension, as a pair for each dimension; entries
    may be traced scalars.
    """
    if isinstance(value, (ArrayMethods, np.ndarray)) and value.ndim:
        value = list(value)
    if not isinstance(value, (list, tuple)):
        return [(value, value)] * ndim
    entries = [list(v) if isinstance(v, (list, tuple)) or np.ndim(v) else v for v in value]
    if all(not isinstance(v, list) for v in entries):
        if len(entries) == 1:
            return [(entries[0], entries[0])] * ndim
        if len(entries) == 2:
            return [(entries[0], entries[1])] * ndim
    pairs = [tuple(v * 2 if len(v) == 1 else v) if isinstance(v, list) else (v, v) for v in entries]
    if len(pairs) == 1:
        pairs = pairs * ndim
    if len(pairs) != ndim or any(len(p) != 2 for p in pairs):
        raise value_error(
            f"pad: {name} must be a value, a pair, or one for each of the {ndim} dimensions, got: "
            f"{value}"
        )
    return pairs  # type: ignore[return-value]


def _pad_constant(x: Array, widths: Widths, values: Any) -> Array:
    pairs = _pairs("constant_values", values, x.ndim)
    if not pairs:
        return x
    if len({id(v) for pair in pairs for v in pair}) == 1:
        value = with_dtype(pairs[0][0], x.dtype)
        return lax.pad(x, value, [(a, b, 0) for a, b in widths])
    for dim, ((before, after), (low, high)) in enumerate(zip(widths, pairs, strict=True)):
        for value, width, side in ((low, before, 0), (high, after, 1)):
            config = [(0, 0, 0)] * x.ndim
            config[dim] = (0, width, 0) if side else (width, 0, 0)
            x = lax.pad(x, with_dtype(value, x.dtype), config)
    return x


def _pad_dimension(
    x: Array, dim: int, before: int, after: int, mode: str, options: dict[str, Any]
) -> Array:
    if x.shape[dim] == 0:
        raise value_error(
            f"pad: mode {mode!r} needs elements to repeat, got: dimension {dim} of size 0"
        )
    if mode == "edge":
        first, last = _part(x, dim, 0, 1), _part(x, dim, x.shape[dim] - 1, None)
        parts = [_repeat(first, dim, before), x, _repeat(last, dim, after)]
    elif mode == "linear_ramp":
        parts = _ramps(
            x, dim, before, after, _pairs("end_values", options["end_values"], x.ndim)[dim]
        )
    elif mode in _STATISTICS:
        lengths = _pairs("stat_length", options["stat_length"], x.ndim)[dim]
        low = _statistic(_part(x, dim, 0, lengths[0]), dim, mode)
        start = None if lengths[1] is None else max(x.shape[dim] - lengths[1], 0)
        high = _statistic(_part(x, dim, start, None), dim, mode)
        parts = [_repeat(low, dim, before), x, _repeat(high, dim, after)]
    else:
        return _periodic(x, dim, before, after, mode, options.get("reflect_type", "even"))
    return lax.concatenate(parts, dim)


def _part(x: Array, dim: int, start: int | None, stop: int | None) -> Array:
    if stop is not None:
        stop = min(stop, x.shape[dim])
    return lax.slice_in_dim(x, start, stop, 1, dim)


def _repeat(x: Array, dim: int, count: int) -> Array:
    return broadcast_to(x, (*x.shape[:dim], count, *x.shape[dim + 1 :]))


def _statistic(x: Array, dim: int, mode: str) -> Array:
    if x.shape[dim] == 0:
        raise value_error("pad: stat_length must be 1 or more, got: 0")
    result = _STATISTICS[mode](x, dim, keepdims=True)
    if result.dtype == x.dtype:
        return result
    # As in NumPy, any mean of bools that is not 0 is true.
    is_bool = dtypes.KINDS[x.dtype] == "b"
    return result != 0 if is_bool else with_dtype(round_to_even(result), x.dtype)


def _ramps(x: Array, dim: int, before: int, after: int, ends: tuple[Any, Any]) -> list[Array]:
    """Steps from the end values to the first and the last elements, which are not repeated."""
    first = lax.index_in_dim(x, 0, dim, keepdims=False)
    last = lax.index_in_dim(x, -1, dim, keepdims=False)
    low = _ramp(asarray(ends[0]), first, before, dim, x)
    high = lax.rev(_ramp(asarray(ends[1]), last, after, dim, x), (dim,))
    return [low, x, high]


def _ramp(end: Array, edge: Array, count: int, dim: int, x: Array) -> Array:
    ramp = linspace(with_dtype(end, x.dtype), edge, count, endpoint=False, dtype=x.dtype)
    return moved_from_front(ramp, dim)


def _periodic(x: Array, dim: int, before: int, after: int, mode: str, reflect_type: str) -> Array:
    """The parts of a periodic continuation that are within the widths."""
    if reflect_type not in ("even", "odd"):
        raise value_error(f"pad: reflect_type must be 'even' or 'odd', got: {reflect_type!r}")
    size = x.shape[dim]
    # What follows the array is a reflection of this part, without the ends if these are not
    # repeated, or the array itself.
    skip = 1 if mode == "reflect" else 0
    start, stop = min(skip, size - 1), max(size - skip, skip)
    length = size if mode == "wrap" or size <= skip else size + stop - start
    first, last = _part(x, dim, 0, 1), _part(x, dim, size - 1, None)

    def reflected(begin: int, end: int) -> Array:
        mirrored = lax.rev(_part(x, dim, stop - end, stop - begin), (dim,))
        return mirrored if reflect_type == "even" else 2 * last - mirrored

    parts = []
    for k in range(-before // length, -(-(size + after) // length)):
        copies = [(k * length, size, lambda begin, end: _part(x, dim, begin, end))]
        if length > size:
            copies.append((k * length + size, length - size, reflected))
        for at, count, copy in copies:
            begin, end = max(-before - at, 0), min(size + after - at, count)
            if begin < end:
                part = copy(begin, end)
                # Each copy of a period is shifted by the same amount if the reflection is odd.
                is_shifted = mode != "wrap" and reflect_type == "odd" and k != 0
                parts.append(part + k * 2 * (last - first) if is_shifted else part)
    return lax.concatenate(parts, dim)
