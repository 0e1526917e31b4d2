"""Reductions over sliding windows."""

from __future__ import annotations

from typing import Any

from dovetail.tracing.tracer import bind

# An Array or a Tracer.
Operand = Any
Dims = tuple[int, ...]


def reduce_window_sum(x: Operand, window: Dims, strides: Dims, dilations: Dims) -> Operand:
    return bind("reduce_window_sum", x, window=window, strides=strides, dilations=dilations)


def reduce_window_max(x: Operand, window: Dims, strides: Dims, dilations: Dims) -> Operand:
    return bind("reduce_window_max", x, window=window, strides=strides, dilations=dilations)


def reduce_window_min(x: Operand, window: Dims, strides: Dims, dilations: Dims) -> Operand:
    return bind("reduce_window_min", x, window=window, strides=strides, dilations=dilations)


def window_argmax(x: Operand, window: Dims, strides: Dims, dilations: Dims) -> Operand:
    return bind(
        "window_argmax", x, weak_type=False, window=window, strides=strides, dilations=dilations
    )


def window_argmin(x: Operand, window: Dims, strides: Dims, dilations: Dims) -> Operand:
    return bind(
        "window_argmin", x, weak_type=False, window=window, strides=strides, dilations=dilations
    )


def window_take(
    x: Operand, offsets: Operand, window: Dims, strides: Dims, dilations: Dims
) -> Operand:
    return bind(
        "window_take",
        x,
        offsets,
        weak_type=x.weak_type,
        window=window,
        strides=strides,
        dilations=dilations,
    )


def window_put(x: Operand, offsets: Operand, window: Dims, dilations: Dims) -> Operand:
    return bind("window_put", x, offsets, weak_type=x.weak_type, window=window, dilations=dilations)
