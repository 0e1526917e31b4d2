"""Collectives: computations over all elements of named axes, which `vmap` binds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.base.locations import here
from dovetail.lax import basics as lax
from dovetail.lax.axis_groups import Groups
from dovetail.lax.named_axes import (
    AxisName,
    are_taken_one_by_one,
    bind_over,
    find_axes,
    names_of,
    over_mesh,
    places,
    size_of,
)
from dovetail.ops.operands import (
    PYTHON_SCALARS,
    as_operand,
    canonical_axes,
    canonical_axis,
    check_kind,
    unary,
)
from dovetail.ops.shapes import move_dim
from dovetail.symbolic.size import Size
from dovetail.tracing.axes import Axis
from dovetail.tracing.tracer import AnyTracer
from dovetail.trees.pytree import flatten, unflatten


def psum(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The sums over all elements of named axes; each element gets them.

    Args:
      x: a tree of arrays of numbers, or of bools, which are summed as int32.
      axis_name: the name that `vmap` gave the axis, or several; an int names a dimension of the
        arrays, which is summed too.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.

    Returns:
      The tree of sums. What does not depend on the axes is multiplied by their size:
      `psum(1, name)` is the size, as an int.

    Raises:
      NameError: no axis in scope has the name.

    Example:
      >>> dt.vmap(lambda x: x / lax.psum(x, "i"), axis_name="i")(dnp.array([1.0, 3.0]))
      Array([0.25, 0.75], dtype=float32)
    """
    named, dims, groups = _partition("psum", axis_name, axis_index_groups)
    if not named and not dims:
        return x

    def total(operand: Array, groups: Groups) -> Array:
        names, indices = names_of(axis_name), groups.indices
        equation = {"axes": names, "axis_index_groups": indices}
        return over_mesh("psum", groups.total, operand, named, **equation)

    if groups is not None and not groups.are_equal:
        return each_leaf(lambda leaf: total(_as_number("psum", leaf), groups), x)
    if not any(isinstance(leaf, AnyTracer) for leaf in flatten(x)[0]):
        size = size_of(named) if groups is None else groups.size
        return each_leaf(lambda leaf: _multiple(leaf, size, dims), x)

    def reduce(leaf: Any) -> Array:
        operand = _as_number("psum", leaf)
        if groups is not None:
            return total(operand, groups)
        operand = lax.reduce_sum(operand, canonical_axes(dims, operand.ndim)) if dims else operand
        return _over("all_reduce_sum", operand, named)

    return each_leaf(reduce, x)


def pmean(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The means over all elements of named axes; each element gets them.

    Args:
      x: a tree of arrays of numbers or bools.
      axis_name: the name that `vmap` gave the axis, or several.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.

    Returns:
      The tree of means.

    Raises:
      NameError: no axis in scope has the name.

    Example:
      >>> dt.vmap(lambda x: x - lax.pmean(x, "i"), axis_name="i")(dnp.array([1.0, 4.0]))
      Array([-1.5,  1.5], dtype=float32)
    """
    total = psum(x, axis_name, axis_index_groups=axis_index_groups)
    count = psum(1, axis_name, axis_index_groups=axis_index_groups)
    return each_leaf(lambda leaf: leaf / count, total)


def pmax(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The greatest over all elements of named axes, NaN if one is NaN; each element gets them.

    Where several elements are greatest, they share the tangent equally.

    Args:
      x: a tree of arrays of real numbers or bools.
      axis_name: the name that `vmap` gave the axis, or several; an int names a dimension of the
        arrays.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.

    Returns:
      The tree of greatest values.

    Raises:
      NameError: no axis in scope has the name.

    Example:
      >>> dt.vmap(lambda x: lax.pmax(x, "i") - x, axis_name="i")(dnp.array([1, 4, 2]))
      Array([3, 0, 2], dtype=int32)
    """
    return _extreme("pmax", "all_reduce_max", lax.reduce_max, x, axis_name, axis_index_groups)


def pmin(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The least over all elements of named axes, NaN if one is NaN; each element gets them.

    Where several elements are least, they share the tangent equally.

    Args:
      x: a tree of arrays of real numbers or bools.
      axis_name: the name that `vmap` gave the axis, or several; an int names a dimension of the
        arrays.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.

    Returns:
      The tree of least values.

    Raises:
      NameError: no axis in scope has the name.

    Example:
      >>> dt.vmap(lambda x: x - lax.pmin(x, "i"), axis_name="i")(dnp.array([1, 4, 2]))
      Array([0, 3, 1], dtype=int32)
    """
    return _extreme("pmin", "all_reduce_min", lax.reduce_min, x, axis_name, axis_index_groups)


def each_leaf(f: Callable[[Any], Any], x: Any) -> Any:
    """`f` of each leaf, called from here, so that the user's line is found."""
    leaves, spec = flatten(x)
    return unflatten(spec, [f(leaf) for leaf in leaves])


def _partition(
    function: str, axis_name: AxisName, axis_index_groups: Any
) -> tuple[tuple[Axis, ...], tuple[int, ...], Groups | None]:
    """Named axes, dimensions of the operand, and the groups of elements of the axes, if any."""
    names = names_of(axis_name)
    dims = tuple(name for name in names if isinstance(name, int))
    axes = find_axes(function, tuple(name for name in names if not isinstance(name, int)))
    if axis_index_groups is None:
        return axes, dims, None
    if dims:
        raise value_error(
            "axis_index_groups only supported for sums over just named axes, got: "
            f"{function} over {axis_name!r}"
        )
    return axes, dims, Groups.of(function, axes, axis_index_groups)


def _over(op: str, operand: Array, axes: tuple[Axis, ...]) -> Array:
    return bind_over(op, operand, axes=tuple(axis.text for axis in axes)) if axes else operand


def _as_number(function: str, leaf: Any) -> Array:
    operand = as_operand(function, leaf)
    if operand.dtype == np.bool_:
        operand = lax.convert_element_type(operand, np.int32)
    return check_kind(function, operand, "iufc")


def _multiple(leaf: Any, size: int, dims: tuple[int, ...]) -> Any:
    """The sum of `size` copies of a value that is the same for all elements of the axes."""
    if isinstance(leaf, PYTHON_SCALARS) and not isinstance(leaf, bool) and not dims:
        return size * leaf if Size in (type(leaf), type(size)) else _times(size, leaf)
    operand = _as_number("psum", leaf)
    operand = lax.reduce_sum(operand, canonical_axes(dims, operand.ndim)) if dims else operand
    count = size if type(size) is Size else np.int32(size)
    return operand * lax.convert_element_type(count, operand.dtype)


def _times(size: int, number: Any) -> Any:
    return type(number)(size) * number


def _extreme(
    function: str,
    op: str,
    reduce: Callable[[Array, Sequence[int]], Array],
    x: Any,
    axis_name: AxisName,
    axis_index_groups: Any,
) -> Any:
    named, dims, groups = _partition(function, axis_name, axis_index_groups)

    def reduced(operand: Array, groups: Groups) -> Array:
        def extreme(x: Array) -> Array:
            return reduce(groups.gathered(x), (0,))

        equation = {"axes": names_of(axis_name), "axis_index_groups": groups.indices}
        return over_mesh(function, extreme, operand, named, **equation)

    def bind(leaf: Any) -> Array:
        operand = unary(function, leaf, "biuf")
        if groups is not None:
            return reduced(operand, groups)
        operand = reduce(operand, canonical_axes(dims, operand.ndim)) if dims else operand
        return _over(op, operand, named)

    return each_leaf(bind, x)


def all_gather(
    x: Any,
    axis_name: AxisName,
    *,
    axis_index_groups: Any = None,
    axis: int = 0,
    tiled: bool = False,
    to: str = "varying",
) -> Any:
    """Gather the values of all elements of named axes into one array, which each element gets.

    Args:
      x: a tree of arrays.
      axis_name: the name that `vmap` gave the axis, or several: the elements of their product come
        in row-major order.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.
      axis: the new dimension of the results, along which the elements are; if `tiled`, the
        dimension of the arrays along which they follow each other.
      tiled: whether the results have no new dimension.
      to: what the results are along the axes of a mesh: "varying", "invarying" or "reduced", see
        `pcast`. Cotangents of the first are summed by a reduce-scatter; those of the second are
        the same for all elements, and each takes its own part.

    Returns:
      The tree of gathered arrays.

    Raises:
      NameError: no axis in scope has the name.
      NotImplementedError: `axis_index_groups` are given, and `to` is not "varying".
      ValueError: `axis` is out of bounds, or `to` is none of these.

    Example:
      >>> dt.vmap(lambda x: lax.all_gather(x, "i"), axis_name="i")(dnp.array([1, 2]))
      Array([[1, 2],
             [1, 2]], dtype=int32)
    """
    if to not in ("varying", "invarying", "reduced"):
        raise value_error(
            "Got unexpected `to` value for `lax.all_gather`. Allowed `to` values are: {'varying', "
            f"'reduced', 'invarying'}}, got: {to!r}"
        )
    axes = find_axes("all_gather", names_of(axis_name))
    if axis_index_groups is not None and to != "varying":
        raise NotImplementedError(
            f"all_gather: to must be 'varying' with axis_index_groups, got: {to!r} {here()}"
        )
    if axis_index_groups is not None:
        members = Groups.of("all_gather", axes, axis_index_groups, must_be_equal=True)

        def gather_members(leaf: Any) -> Array:
            operand = as_operand("all_gather", leaf)
            dimension = canonical_axis(axis, operand.ndim + (not tiled))

            def gathered(x: Array) -> Array:
                result = move_dim(members.gathered(x), 0, dimension)
                return merged(result, dimension) if tiled else result

            return over_mesh(
                "all_gather",
                gathered,
                operand,
                axes,
                axis_name=names_of(axis_name),
                axis_size=members.size,
                all_gather_dimension=dimension,
                axis_index_groups=members.indices,
                tiled=tiled,
            )

        return each_leaf(gather_members, x)
    if not axes:
        return x
    # The last axis first: its elements are next to each other.
    groups = [(one,) for one in reversed(axes)] if are_taken_one_by_one(axes) else [axes]

    is_checked = all(axis.is_checked for axis in axes)
    kinds = {"invarying": {"invariant": None}, "reduced": {"reduced": None}}
    kind = kinds.get(to, {}) if is_checked else {}

    def gather(leaf: Any) -> Array:
        operand = as_operand("all_gather", leaf)
        dimension = canonical_axis(axis, operand.ndim + (not tiled))
        if kind:
            return gathered(operand, dimension)
        return over_mesh(
            "all_gather",
            lambda x: gathered(x, dimension),
            operand,
            axes,
            axis_name=names_of(axis_name),
            axis_size=size_of(axes),
            all_gather_dimension=dimension,
            axis_index_groups=None,
            tiled=tiled,
        )

    def gathered(operand: Array, dimension: int) -> Array:
        for number, group in enumerate(groups):
            shape = (*operand.shape[:dimension], size_of(group), *operand.shape[dimension:])
            where = {"dimension": dimension, **places(group), **kind}
            operand = bind_over("all_gather", operand, shape=shape, **where)
            operand = merged(operand, dimension) if number else operand
        return merged(operand, dimension) if tiled else operand

    return each_leaf(gather, x)


def psum_scatter(
    x: Any,
    axis_name: AxisName,
    *,
    scatter_dimension: int = 0,
    axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:
    """The sums over all elements of named axes, of which each element gets its own part.

    Args:
      x: a tree of arrays of numbers.
      axis_name: the name that `vmap` gave the axis, or several: the elements of their product get
        their parts in row-major order.
      scatter_dimension: the dimension that is divided among the elements. It has one slice for
        each, and the results do not have it; if `tiled`, they have it divided by the number of
        elements.
      axis_index_groups: lists of the numbers of elements that compute together; None for all.
      tiled: whether the results keep the dimension.

    Returns:
      The tree of parts.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: the dimension does not exist, or cannot be divided so.

    Example:
      >>> x = dnp.array([[1, 2], [10, 20]])
      >>> dt.vmap(lambda x: lax.psum_scatter(x, "i"), axis_name="i")(x)
      Array([11, 22], dtype=int32)
    """
    axes = find_axes("psum_scatter", names_of(axis_name))
    groups = Groups.if_any("psum_scatter", axes, axis_index_groups)
    if not axes:
        return x
    size = size_of(axes) if groups is None else groups.size

    def scatter(leaf: Any) -> Array:
        operand = unary("psum_scatter", leaf, "iufc")
        dimension = canonical_axis(scatter_dimension, operand.ndim)

        def scattered(x: Array) -> Array:
            x = divided("psum_scatter", x, dimension, size, tiled)
            if groups is not None:
                return groups.own(groups.total(x), dimension)
            return bind_over("reduce_scatter", x, dimension=dimension, **places(axes))

        return over_mesh(
            "reduce_scatter",
            scattered,
            operand,
            axes,
            axis_name=names_of(axis_name),
            axis_size=size,
            scatter_dimension=dimension,
            axis_index_groups=None if groups is None else groups.indices,
            tiled=tiled,
        )

    return each_leaf(scatter, x)


def divided(name: str, operand: Array, dimension: int, size: int, tiled: bool) -> Array:
    """The operand with a dimension that has one slice for each element."""
    available = operand.shape[dimension]
    if not tiled:
        if available != size:
            raise value_error(
                f"{name}: dimension {dimension} must be as large as the axes, {size}, got: shape "
                f"{operand.shape}; or use tiled=True"
            )
        return operand
    part = available // max(size, 1)
    if part * size != available:
        raise value_error(
            f"{name}: dimension {dimension} must be divisible by the size of the axes, {size}, "
            f"got: shape {operand.shape}"
        )
    shape = operand.shape
    return lax.reshape(operand, (*shape[:dimension], size, part, *shape[dimension + 1 :]))


def merged(operand: Array, dimension: int) -> Array:
    """A dimension and the next as one."""
    shape = operand.shape
    size = shape[dimension] * shape[dimension + 1]
    return lax.reshape(operand, (*shape[:dimension], size, *shape[dimension + 2 :]))
