"""Collectives in which elements of named axes send parts to others."""

from __future__ import annotations

from typing import Any

from dovetail.arrays.array import Array
from dovetail.lax import basics as lax
from dovetail.lax.axis_groups import Groups
from dovetail.lax.collectives import all_gather, divided, each_leaf, merged
from dovetail.lax.named_axes import (
    AxisName,
    bind_over,
    element_number,
    find_axes,
    names_of,
    over_mesh,
    places,
    size_of,
)
from dovetail.ops.operands import as_operand, canonical_axis
from dovetail.ops.shapes import move_dim
from dovetail.tracing.composed import makes_equations


def all_to_all(
    x: Any,
    axis_name: AxisName,
    split_axis: int,
    concat_axis: int,
    *,
    axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:
    """Slice j of element i of named axes becomes slice i of element j.

    Args:
      x: a tree of arrays.
      axis_name: the name that `vmap` gave the axis, or several: the elements of their product are
        numbered in row-major order.
      split_axis: the dimension of the arrays that is divided among the elements; it has one slice
        for each and becomes the named axis.
      concat_axis: the dimension of the results that the named axis becomes.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.
      tiled: whether the results keep the dimension `split_axis`, divided by the number of elements,
        and what the elements send follows each other along the dimension `concat_axis`, which the
        arrays have.

    Returns:
      The tree of exchanged arrays.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: a dimension does not exist, or `split_axis` cannot be divided so.

    Example:
      >>> x = dnp.array([[1, 2], [3, 4]])
      >>> dt.vmap(lambda x: lax.all_to_all(x, "i", 0, 0), axis_name="i")(x)
      Array([[1, 3],
             [2, 4]], dtype=int32)
    """
    axes = find_axes("all_to_all", names_of(axis_name))
    groups = Groups.if_any("all_to_all", axes, axis_index_groups)
    if not axes:
        return x
    size = size_of(axes) if groups is None else groups.size

    def exchange(leaf: Any) -> Array:
        operand = as_operand("all_to_all", leaf)
        split = canonical_axis(split_axis, operand.ndim, "split_axis")
        concat = canonical_axis(concat_axis, operand.ndim, "concat_axis")
        if tiled or not makes_equations():
            return exchanged(operand, split, concat, tiled)
        # JAX's primitive keeps both dimensions.
        new, old = concat + (split < concat), split + (concat < split)
        if split != concat:
            operand = lax.expand_dims(operand, (new,))
        result = exchanged(operand, old, new, True)
        return result if split == concat else lax.squeeze(result, (old,))

    def exchanged(operand: Array, split: int, concat: int, keeps: bool) -> Array:
        params = {"split_axis": split, "concat_axis": concat, "tiled": tiled}
        return over_mesh(
            "all_to_all",
            lambda x: sent(x, split, concat, keeps),
            operand,
            axes,
            axis_name=axis_name,
            axis_index_groups=None if groups is None else groups.indices,
            **params,
        )

    def sent(operand: Array, split: int, concat: int, keeps: bool) -> Array:
        operand = divided("all_to_all", operand, split, size, keeps)
        if groups is not None:
            parts = groups.own(groups.gathered(operand), split + 1)
            result = move_dim(parts, 0, concat)
            return merged(result, concat) if keeps else result
        rest = operand.shape[:split] + operand.shape[split + 1 :]
        attributes = {"from": split, "to": concat, **places(axes)}
        attributes["shape"] = (*rest[:concat], size_of(axes), *rest[concat:])
        result = bind_over("all_to_all", operand, **attributes)
        return merged(result, concat) if keeps else result

    return each_leaf(exchange, x)


def pswapaxes(x: Any, axis_name: AxisName, axis: int, *, axis_index_groups: Any = None) -> Any:
    """A named axis and a dimension of the arrays, of equal size, change places.

    Args:
      x: a tree of arrays.
      axis_name: the name that `vmap` gave the axis, or several.
      axis: the dimension.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.

    Returns:
      The tree of exchanged arrays.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: the dimension does not exist, or has another size.

    Example:
      >>> x = dnp.array([[1, 2], [3, 4]])
      >>> dt.vmap(lambda x: lax.pswapaxes(x, "i", 0), axis_name="i")(x)
      Array([[1, 3],
             [2, 4]], dtype=int32)
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def pbroadcast(x: Any, axis_name: AxisName, source: int) -> Any:
    """Broadcast one element's value to all elements of named axes.

    Args:
      x: a tree of arrays.
      axis_name: the name that `vmap` gave the axis, or several.
      source: the number of the element.

    Returns:
      The tree of what is received.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: `source` is out of bounds.

    Example:
      >>> dt.vmap(lambda x: lax.pbroadcast(x, "i", 1), axis_name="i")(dnp.array([5, 6, 7]))
      Array([6, 6, 6], dtype=int32)
    """
    axes = find_axes("pbroadcast", names_of(axis_name))
    number = element_number("pbroadcast", "source", source, size_of(axes))
    if not axes:
        return x

    def receive(leaf: Any) -> Array:
        operand = as_operand("pbroadcast", leaf)
        return over_mesh("pbroadcast", received, operand, axes, axis_name=axis_name, source=number)

    def received(operand: Array) -> Array:
        return lax.index_in_dim(all_gather(operand, axis_name), number, 0, keepdims=False)

    return each_leaf(receive, x)
