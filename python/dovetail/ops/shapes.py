"""Compositions of ops that change shapes, for functions of several layers."""

from __future__ import annotations

from typing import Any

from dovetail.ops.functions import transpose


def move_dim(x: Any, source: int, target: int) -> Any:
    """An array with a dimension moved; dimensions count from 0."""
    if source == target:
        return x
    order = [dim for dim in range(x.ndim) if dim != source]
    order.insert(target, source)
    return transpose(x, tuple(order))
