"""Reductions over sliding windows, and convolutions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dovetail.base.dtypes import int32
from dovetail.reference import reductions
from dovetail.reference.contractions import dot_general
from dovetail.reference.op import WINDOW, Call, count, of_windows, op, product_rate

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]


def _windows(x: Array, window: Dims, strides: Dims, dilations: Dims) -> Array:
    """A view of all windows: first the dimensions of `x` with one entry per window, then those of
    a window.
    """
    counts = []
    for size, width, stride, dilation in zip(x.shape, window, strides, dilations, strict=True):
        span = (width - 1) * dilation + 1 if width else 0
        counts.append(max(size - span + stride, 0) // stride)
    steps = [step * stride for step, stride in zip(x.strides, strides, strict=True)]
    within = [step * dilation for step, dilation in zip(x.strides, dilations, strict=True)]
    # The types of ml_dtypes are unknown to as_strided.
    plain = x if x.dtype.isbuiltin == 1 else x.view(f"u{x.itemsize}")
    view = as_strided(plain, (*counts, *window), (*steps, *within), writeable=False)
    return view.view(x.dtype)


def _over_windows(reduce: Callable[..., Array]) -> Callable[..., Array]:
    """The reduction of each window."""

    def reduce_window(x: Array, *, window: Dims, strides: Dims, dilations: Dims) -> Array:
        within = tuple(range(x.ndim, 2 * x.ndim))
        return reduce(_windows(x, window, strides, dilations), dims=within)

    return reduce_window


reduce_window_sum = op("reduce_window_sum", cost=of_windows)(_over_windows(reductions.reduce_sum))
reduce_window_max = op("reduce_window_max", cost=of_windows)(_over_windows(reductions.reduce_max))
reduce_window_min = op("reduce_window_min", cost=of_windows)(_over_windows(reductions.reduce_min))


def _flat(x: Array, window: Dims, strides: Dims, dilations: Dims) -> Array:
    """The windows with the elements of each in one last dimension."""
    windows = _windows(x, window, strides, dilations)
    return windows.reshape(*windows.shape[: x.ndim], math.prod(window))


@op("window_argmax", cost=of_windows)
def window_argmax(x: Array, *, window: Dims, strides: Dims, dilations: Dims) -> Array:
    """The offset of the first greatest element of each window."""
    flat = _flat(x, window, strides, dilations)
    return reductions.argmax(flat, dimension=x.ndim, dtype=int32)


@op("window_argmin", cost=of_windows)
def window_argmin(x: Array, *, window: Dims, strides: Dims, dilations: Dims) -> Array:
    """The offset of the first least element of each window."""
    flat = _flat(x, window, strides, dilations)
    return reductions.argmin(flat, dimension=x.ndim, dtype=int32)


@op("window_take", cost=of_windows)
def window_take(x: Array, offsets: Array, *, window: Dims, strides: Dims, dilations: Dims) -> Array:
    """The element of each window at its offset; zero for an offset that is none."""
    flat = _flat(x, window, strides, dilations)
    exists = (offsets >= 0) & (offsets < flat.shape[-1])
    index = np.where(exists, offsets, 0)[..., None]
    return np.where(exists, np.take_along_axis(flat, index, -1)[..., 0], np.zeros((), x.dtype))


@op("window_put", cost=of_windows)
def window_put(x: Array, offsets: Array, *, window: Dims, dilations: Dims) -> Array:
    """The sums of the elements whose offset, counted from the end, is their place in the window."""
    ones = (1,) * x.ndim
    values = _flat(x, window, ones, dilations)
    last = values.shape[-1] - 1
    falls_here = _flat(offsets, window, ones, dilations) == last - np.arange(last + 1)
    chosen = np.where(falls_here, values, np.zeros((), x.dtype))
    return reductions.reduce_sum(chosen, dims=(x.ndim,))


def _cost_of_convolution(call: Call) -> float:
    attributes, kernel = call.attributes, call.operands[1]
    labelled = zip(attributes["rhs_dims"], kernel, strict=True)
    within = [size for label, size in labelled if label not in attributes["ans_dims"]]
    window = [kernel[attributes["rhs_dims"].index(w)] for w in attributes["windows"]]
    products = count(call.results[0]) * count([*within, *window])
    gathered = WINDOW * count(call.operands[0]) * count(window)
    return products * product_rate(call.elements[0]) + gathered


@op("conv", cost=_cost_of_convolution)
def conv(
    lhs: Array,
    rhs: Array,
    *,
    lhs_dims: Dims,
    rhs_dims: Dims,
    ans_dims: Dims,
    windows: Dims,
    strides: Dims,
    dilations: Dims,
    element: np.dtype | None = None,
) -> Array:
    """The contraction of the windows of `lhs` with the kernel `rhs`; dimensions by their labels."""
    width, stride, dilation = ([1] * lhs.ndim for _ in range(3))
    for i, label in enumerate(windows):
        d = lhs_dims.index(label)
        width[d] = rhs.shape[rhs_dims.index(label)]
        stride[d], dilation[d] = strides[i], dilations[i]
    view = _windows(lhs, tuple(width), tuple(stride), tuple(dilation))
    # Drop dimensions outside of windows; label those within windows apart from the windows
    # themselves.
    within = max((*lhs_dims, *rhs_dims, *ans_dims), default=0) + 1
    places = tuple(lhs.ndim + d for d, label in enumerate(lhs_dims) if label not in windows)
    left = (*lhs_dims, *(within + label for label in lhs_dims if label in windows))
    right = tuple(within + label if label in windows else label for label in rhs_dims)
    batch = [label for label in left if label in right and label in ans_dims]
    contract = [label for label in left if label in right and label not in ans_dims]
    result = dot_general(
        view.squeeze(places),
        rhs,
        lhs_batch=tuple(map(left.index, batch)),
        rhs_batch=tuple(map(right.index, batch)),
        lhs_contract=tuple(map(left.index, contract)),
        rhs_contract=tuple(map(right.index, contract)),
        element=element,
    )
    shared = {*batch, *contract}
    labels = [*batch, *(n for n in (*left, *right) if n not in shared)]
    return result.transpose([labels.index(label) for label in ans_dims])
