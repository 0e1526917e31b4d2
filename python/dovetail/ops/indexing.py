"""Ops that read and write windows at places known only at run time."""

from __future__ import annotations

from typing import Any

from dovetail.tracing.tracer import bind

# An Array or a Tracer.
Operand = Any
Dims = tuple[int, ...]


def gather(x: Operand, indices: Operand, dims: Dims, window: Dims) -> Operand:
    return bind("gather", x, indices, weak_type=x.weak_type, dims=dims, window=window)


def scatter(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter", x, indices, updates, dims, window, unique)


def scatter_add(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_add", x, indices, updates, dims, window, unique)


def scatter_mul(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_mul", x, indices, updates, dims, window, unique)


def scatter_min(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_min", x, indices, updates, dims, window, unique)


def scatter_max(
    x: Operand, indices: Operand, updates: Operand, dims: Dims, window: Dims, unique: bool = False
) -> Operand:
    return _scatter("scatter_max", x, indices, updates, dims, window, unique)


def _scatter(
    name: str,
    x: Operand,
    indices: Operand,
    updates: Operand,
    dims: Dims,
    window: Dims,
    unique: bool,
) -> Operand:
    attributes: dict[str, Any] = {"dims": dims, "window": window}
    if unique:
        attributes["unique"] = True
    return bind(name, x, indices, updates, weak_type=x.weak_type, **attributes)
