"""Reductions, running reductions and sorting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.tracing.tracer import bind, bind_all

# An Array or a Tracer.
Operand = Any
Dims = tuple[int, ...]


def reduce_sum(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_sum", x, dims=dims)


def reduce_prod(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_prod", x, dims=dims)


def reduce_max(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_max", x, dims=dims)


def reduce_min(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_min", x, dims=dims)


def reduce_and(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_and", x, dims=dims)


def reduce_or(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_or", x, dims=dims)


def reduce_xor(x: Operand, dims: Dims) -> Operand:
    return bind("reduce_xor", x, dims=dims)


def cumsum(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cumsum", x, dimension=dimension, reverse=reverse)


def cumprod(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cumprod", x, dimension=dimension, reverse=reverse)


def cummax(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cummax", x, dimension=dimension, reverse=reverse)


def cummin(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cummin", x, dimension=dimension, reverse=reverse)


def cumlogsumexp(x: Operand, dimension: int, reverse: bool = False) -> Operand:
    return bind("cumlogsumexp", x, dimension=dimension, reverse=reverse)


def linear_recurrence(
    factor: Operand, x: Operand, dimension: int, reverse: bool = False
) -> Operand:
    return bind("linear_recurrence", factor, x, dimension=dimension, reverse=reverse)


def sort(xs: Sequence[Operand], dimension: int, num_keys: int) -> list[Operand]:
    return bind_all("sort", *xs, dimension=dimension, num_keys=num_keys)


def argmax(x: Operand, dimension: int, dtype: np.dtype) -> Operand:
    return bind("argmax", x, dtype=dtype, weak_type=False, dimension=dimension)


def argmin(x: Operand, dimension: int, dtype: np.dtype) -> Operand:
    return bind("argmin", x, dtype=dtype, weak_type=False, dimension=dimension)
