"""Argument conversion and common parts of location-scale distributions."""

from __future__ import annotations

from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.numpy import where
from dovetail.scipy.operands import reals


def scaled(name: str, x: Any, loc: Any, scale: Any, *parameters: Any) -> tuple[Array, ...]:
    """(x - loc) / scale, the scale and the other parameters, promoted and broadcast."""
    x, loc, scale, *rest = reals(name, x, loc, scale, *parameters)
    return ((x - loc) / scale, scale, *rest)


def log_of(share: Array, rest: Array) -> Array:
    """log(share) for two shares that add to 1, by the smaller one."""
    small = share < 0.5
    return where(small, ops.log(where(small, share, 1)), ops.log1p(-where(small, 0, rest)))
