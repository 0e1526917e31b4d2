"""Permutations of values among the elements of named axes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.lax.convert import convert_element_type
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
from dovetail.trees.pytree import map_leaves, register_node


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
    return _permuted("ppermute", x, axis_name, perm)


def _permuted(function: str, x: Any, axis_name: AxisName, perm: Sequence[tuple[int, int]]) -> Any:
    axes = find_axes(function, names_of(axis_name))
    size = size_of(axes)
    pairs = [tuple(pair) for pair in perm]
    if any(len(pair) != 2 for pair in pairs):
        raise type_error(f"{function}: perm must be pairs of source and target, got: {perm!r}")
    sources = [element_number(function, "a source", pair[0], size) for pair in pairs]
    targets = [element_number(function, "a target", pair[1], size) for pair in pairs]
    if any(len(set(numbers)) != len(numbers) for numbers in (sources, targets)):
        raise value_error(f"{function} sources and destinations must be unique, got: {perm!r}")
    if not axes:
        return x
    attributes = {"sources": tuple(sources), "targets": tuple(targets), **places(axes)}
    return map_leaves(
        lambda leaf: bind_over("permute", as_operand(function, leaf), **attributes), x
    )


@dataclass(frozen=True, slots=True)
class Token:
    """An array on its way from `psend` to `precv`.

    Attributes:
      received: what this element will receive.
      route: the names of the axes, and the pairs of elements.
    """

    received: Array
    route: tuple[tuple[Hashable, ...], tuple[tuple[int, int], ...]]


# The array is a leaf: transforms see it.
register_node(
    Token,
    lambda token: ((token.received,), token.route),
    lambda route, arrays: Token(arrays[0], route),
)


def psend(x: Any, axis_name: AxisName, perm: Sequence[tuple[int, int]]) -> Any:
    """Send values to other elements of named axes, which get them by `precv`.

    Both together are `ppermute`, and have its derivatives.

    Args:
      x: a tree of arrays.
      axis_name: the name of the axis, or several.
      perm: pairs of the number of the element that sends and of the one that receives.

    Returns:
      The tree of tokens, one for each array; `lax.optimization_barrier` takes them, too.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: a number is out of bounds, or an element sends or receives twice.

    Example:
      >>> def shifted(x):
      ...     token = lax.psend(x, "i", [(0, 1), (1, 2)])
      ...     return lax.precv(token, x, "i", [(0, 1), (1, 2)])
      >>> dt.vmap(shifted, axis_name="i")(dnp.array([5, 6, 7]))
      Array([0, 5, 6], dtype=int32)
    """
    route = _route(axis_name, perm)
    return map_leaves(lambda leaf: Token(leaf, route), _permuted("psend", x, axis_name, perm))


def precv(token: Any, out_shape: Any, axis_name: AxisName, perm: Sequence[tuple[int, int]]) -> Any:
    """What another element of named axes sent.

    Args:
      token: what `psend` returned for the array.
      out_shape: an array, a `ShapeDtypeStruct` or the like that has the array's shape and dtype.
      axis_name: the names that `psend` was given.
      perm: the pairs that `psend` was given.

    Returns:
      The array; zeros for elements that receive nothing.

    Raises:
      NameError: no axis in scope has the name.
      TypeError: `token` is no token, or out_shape has no shape and dtype.
      ValueError: the token is for other axes or pairs, or for an array of another shape or dtype.

    Example:
      >>> def swapped(x):
      ...     token = lax.psend(x, "i", [(0, 1), (1, 0)])
      ...     return lax.precv(token, dt.ShapeDtypeStruct((), x.dtype), "i", [(0, 1), (1, 0)])
      >>> dt.vmap(swapped, axis_name="i")(dnp.array([5, 6]))
      Array([6, 5], dtype=int32)
    """
    find_axes("precv", names_of(axis_name))
    if not isinstance(token, Token):
        raise type_error(f"precv: token must be what psend returned for one array, got: {token!r}")
    route = _route(axis_name, perm)
    if route != token.route:
        raise value_error(
            "precv: axis_name and perm must be those that psend was given, "
            f"{token.route[0]!r} and {token.route[1]!r}, got: {route[0]!r} and {route[1]!r}"
        )
    try:
        wanted = tuple(out_shape.shape), np.dtype(out_shape.dtype)
    except AttributeError:
        raise type_error(
            "precv: out_shape must have a shape and a dtype, such as ShapeDtypeStruct(shape, "
            f"dtype), got: {out_shape!r}"
        ) from None
    sent = token.received.shape, token.received.dtype
    if wanted != sent:
        raise value_error(
            "precv: out_shape must have the shape and dtype of the array that was sent, "
            f"{sent[0]} and {sent[1]}, got: {wanted[0]} and {wanted[1]}"
        )
    return convert_element_type(token.received, sent[1])


def _route(axis_name: AxisName, perm: Sequence[tuple[int, int]]) -> Any:
    """The names of axes, and the pairs in the order of their sources."""
    return names_of(axis_name), tuple(sorted((int(pair[0]), int(pair[1])) for pair in perm))


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
