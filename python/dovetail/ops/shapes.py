"""Ops that convert, create and move elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.tracing.tracer import bind, bind_all

# An Array or a Tracer.
Operand = Any
Dims = tuple[int, ...]

# Conversions --------------------------------------------------------------------------------------


def convert(x: Operand, dtype: np.dtype, weak_type: bool = False) -> Operand:
    return bind("convert", x, dtype=dtype, weak_type=weak_type)


def bitcast(x: Operand, dtype: np.dtype) -> Operand:
    return bind("bitcast", x, dtype=dtype, weak_type=False)


def stop_gradient(x: Operand) -> Operand:
    return bind("stop_gradient", x)


# Creation and shape -------------------------------------------------------------------------------


def iota(dtype: np.dtype, shape: Dims, dimension: int) -> Operand:
    return bind("iota", shape=shape, dtype=dtype, weak_type=False, dimension=dimension)


def reshape(x: Operand, shape: Dims) -> Operand:
    return bind("reshape", x, shape=shape)


def broadcast(x: Operand, shape: Dims, dims: Dims) -> Operand:
    return bind("broadcast", x, shape=shape, dims=dims)


def slice(x: Operand, starts: Dims, strides: Dims, shape: Dims) -> Operand:
    return bind("slice", x, shape=shape, starts=starts, strides=strides)


def pad(x: Operand, value: Operand, low: Dims, interior: Dims, shape: Dims) -> Operand:
    return bind("pad", x, value, shape=shape, weak_type=x.weak_type, low=low, interior=interior)


def transpose(x: Operand, permutation: Dims) -> Operand:
    return bind("transpose", x, permutation=permutation)


def reverse(x: Operand, dims: Dims) -> Operand:
    return bind("reverse", x, dims=dims)


def concatenate(xs: Sequence[Operand], dimension: int) -> Operand:
    return bind("concatenate", *xs, dimension=dimension)


def optimization_barrier(xs: Sequence[Operand]) -> list[Operand]:
    return bind_all("optimization_barrier", *xs)
