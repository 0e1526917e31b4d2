"""Leaves of type float0, which hold no data, as parts of a tree's structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.base import dtypes
from dovetail.trees.pytree import flatten, register_node, unflatten


class _Float0:
    """Stands for an array without data in a tree: a node without leaves that unflattens to it."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


register_node(
    _Float0, lambda node: ((), node.shape), lambda shape, _: np.zeros(shape, dtypes.float0)
)


def is_float0(leaf: Any) -> bool:
    """True if a leaf is an array without data, such as the derivative of an integer."""
    return type(leaf) is np.ndarray and leaf.dtype == dtypes.float0


def set_float0_aside(
    leaves: list[Any], spec: Any, shapes: Sequence[tuple[int, ...]] | None = None
) -> tuple[list[Any], Any]:
    """Leaves and structure without the arrays without data, which become part of the structure.

    `shapes` are those of all leaves after unflattening, if they differ.
    """
    if not any(map(is_float0, leaves)):
        return leaves, spec
    if shapes is None:
        shapes = [np.shape(leaf) for leaf in leaves]
    nodes = [
        _Float0(shape) if is_float0(leaf) else leaf
        for leaf, shape in zip(leaves, shapes, strict=True)
    ]
    return flatten(unflatten(spec, nodes))


def set_float0_aside_as(like: Any, leaves: list[Any], spec: Any) -> tuple[list[Any], Any]:
    """The same for derivatives of values with the structure `like`: of those values only that hold
    no data themselves, since the derivatives of integers hold none either.
    """
    if not any(map(is_float0, leaves)):
        return leaves, spec
    # Any leaf that is none of these.
    values, full = flatten(unflatten(like, [0] * like.num_leaves))
    if full != spec or not any(map(is_float0, values)):
        return leaves, spec
    nodes = [
        _Float0(leaf.shape) if is_float0(value) and is_float0(leaf) else leaf
        for value, leaf in zip(values, leaves, strict=True)
    ]
    return flatten(unflatten(spec, nodes))
