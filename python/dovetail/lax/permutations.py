"""Permutations of values among the elements of named axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.lax.named_axes import (
    AxisName,
    bind_over,
    element_number,
    find_axes,
    names_of,
    places,
    size_of,
)
from dovetail.ops.operands import as_operand
from dovetail.trees.pytree import map_leaves


def ppermute(x: Any, axis_name: AxisName, perm: Sequence[tuple[int, int]]) -> Any:
    """Permute values among the elements of named axes.

    Args:
      x: a tree of arrays.
      axis_name: the name that `vmap` gave the axis, or several: the elements of their product are
        numbered in row-major order.
      perm: pairs of the number of the element that sends and of the one that receives.

    Returns:
      The tree of what is received; zeros for elements that receive nothing.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: a number is out of bounds, or an element sends or receives twice.

    Example:
      >>> dt.vmap(lambda x: lax.ppermute(x, "i", [(0, 1), (1, 2)]), axis_name="i")(
      ...     dnp.array([5, 6, 7]))
      Array([0, 5, 6], dtype=int32)
    """
    axes = find_axes("ppermute", names_of(axis_name))
    size = size_of(axes)
    pairs = [tuple(pair) for pair in perm]
    if any(len(pair) != 2 for pair in pairs):
        raise type_error(f"ppermute: perm must be pairs of source and target, got: {perm!r}")
    sources = [element_number("ppermute", "a source", pair[0], size) for pair in pairs]
    targets = [element_number("ppermute", "a target", pair[1], size) for pair in pairs]
    for what, numbers in (("sources", sources), ("targets", targets)):
        if len(set(numbers)) != len(numbers):
            raise value_error(f"ppermute: {what} must be distinct, got: {numbers}")
    if not axes:
        return x
    attributes = {"sources": tuple(sources), "targets": tuple(targets), **places(axes)}
    return map_leaves(
        lambda leaf: bind_over("permute", as_operand("ppermute", leaf), **attributes), x
    )


def pshuffle(x: Any, axis_name: AxisName, perm: Sequence[int]) -> Any:
    """Element i of named axes gets what element `perm[i]` has.

    Args:
      x: a tree of arrays.
      axis_name: the name that `vmap` gave the axis, or several.
      perm: the numbers of all elements, in another order.

    Returns:
      The tree of what is received.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: `perm` is no permutation.

    Example:
      >>> dt.vmap(lambda x: lax.pshuffle(x, "i", [2, 0, 1]), axis_name="i")(dnp.array([5, 6, 7]))
      Array([7, 5, 6], dtype=int32)
    """
    if sorted(perm) != list(range(len(perm))):
        raise value_error(
            f"`perm` does not represent a permutation: {perm}; each number must be in it once, for "
            "pshuffle"
        )
    return ppermute(x, axis_name, list(zip(perm, range(len(perm)), strict=True)))
