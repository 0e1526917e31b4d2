"""Named axes, which `vmap` binds: their sizes, and the number of the element that computes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.base.locations import here
from dovetail.base.mlir_types import dtype_name
from dovetail.base.trace_stack import current
from dovetail.ops.operands import as_operand, scalar
from dovetail.reference.table import RAW
from dovetail.symbolic.size import UNKNOWN, has_sizes, plain
from dovetail.tracing.axes import Axis, axes_in_scope
from dovetail.tracing.composed import as_equation, makes_equations
from dovetail.tracing.varying import part_texts
from dovetail.trees.pytree import flatten, unflatten

# One name, or several.
AxisName = Hashable | tuple[Hashable, ...] | list[Hashable]


def names_of(axis_name: AxisName) -> tuple[Any, ...]:
    """One name or several as a tuple."""
    return tuple(axis_name) if isinstance(axis_name, (tuple, list)) else (axis_name,)


def find_axes(function: str, names: tuple[Any, ...]) -> tuple[Axis, ...]:
    """The axes of these names.

    Raises:
      NameError: no transform binds one of them.
      ValueError: one is given twice.
    """
    scope = axes_in_scope()
    for name in names:
        if name in scope:
            continue
        known = ", ".join(f"{other!r} of size {axis.size}" for other, axis in scope.items())
        raise NameError(
            f"{function}: unbound axis name: {name}; the axes in scope are {known or 'none'}, "
            f"{here()}; bind it with vmap(..., axis_name={name!r})"
        )
    if len(set(names)) != len(names):
        raise value_error(f"{function}: axis names must be distinct, got: {names!r}")
    return tuple(scope[name] for name in names)


def size_of(axes: tuple[Axis, ...]) -> int:
    """The product of the sizes of the axes."""
    return math.prod(axis.size for axis in axes)


def bind_over(name: str, *operands: Any, shape: Any = None, **attributes: Any) -> Any:
    """Apply a collective in the trace in progress.

    Args:
      shape: of the result, where it has the size of an axis that is not known.
    """
    in_progress = current()
    assert in_progress is not None, "axes are bound by traces only"
    weak = bool(operands) and all(operand.weak_type for operand in operands)
    types = [(shape, dtype_name(operands[0].dtype))] if has_sizes(shape or ()) else None
    return in_progress.emit(name, operands, attributes, types, (weak,), RAW[name], attributes)[0]


def over_mesh(
    primitive: str,
    function: Callable[[Array], Array],
    operand: Array,
    axes: tuple[Axis, ...],
    /,
    **params: Any,
) -> Any:
    """Apply a collective; over axes of a mesh, it is an equation of what `make_jaxpr` makes, unless
    `axes` is empty.
    """
    if axes and makes_equations() and all(axis.is_manual for axis in axes):
        return as_equation(primitive, lambda x, **_: function(x), [operand], params)
    return function(operand)


def places(axes: tuple[Axis, ...]) -> dict[str, Any]:
    """The attributes of a collective for which the places of elements count."""
    return {
        "axes": tuple(axis.text for axis in axes),
        "sizes": plain(tuple(axis.size for axis in axes), UNKNOWN),
    }


def are_taken_one_by_one(axes: tuple[Axis, ...]) -> bool:
    """True if several axes must be processed one at a time: the compiler can only multiply known
    sizes.
    """
    return len(axes) > 1 and has_sizes([axis.size for axis in axes])


def axis_index(axis_name: AxisName) -> Array:
    """The number of the element of a named axis that computes.

    Args:
      axis_name: the name that `vmap` gave the axis, or several: the elements of their product are
        numbered in row-major order.

    Returns:
      An int32 array of rank 0.

    Raises:
      NameError: no axis in scope has the name.

    Example:
      >>> dt.vmap(lambda x: x * lax.axis_index("i"), axis_name="i")(dnp.array([5, 6, 7]))
      Array([ 0,  6, 14], dtype=int32)
    """
    axes = find_axes("axis_index", names_of(axis_name))
    if not axes:
        return scalar(0, np.dtype(np.int32), False)
    if are_taken_one_by_one(axes):
        number: Any = 0
        for axis in axes:
            number = number * axis.size + bind_over("axis_index", **places((axis,)))
        return number
    return bind_over("axis_index", **places(axes))


def axis_size(axis_name: AxisName) -> int:
    """The number of elements of a named axis.

    Args:
      axis_name: the name that `vmap` gave the axis, or several: then the product of their sizes.

    Returns:
      An int, known while tracing.

    Raises:
      NameError: no axis in scope has the name.

    Example:
      >>> dt.vmap(lambda x: x / lax.axis_size("i"), axis_name="i")(dnp.array([4.0, 8.0]))
      Array([2., 4.], dtype=float32)
    """
    return size_of(find_axes("axis_size", names_of(axis_name)))


def pcast(x: Any, axis_name: AxisName, *, to: str) -> Any:
    """`x` as a value that depends on named axes in another way.

    Along the axes of a `vmap` every value may vary, so nothing is done. Along those of a mesh, an
    array is

    - invariant: all elements have one value, and so is its cotangent;
    - varying: each has its own;
    - unreduced: each has a term of a sum over the axes;
    - reduced: all have one value, and terms of its cotangent.

    `x` may be invariant or reduced for `to="varying"`: the cotangent of the result varies, and that
    of `x` is its sum. It must vary for "unreduced", and be invariant for "reduced".

    Args:
      x: a tree of arrays.
      axis_name: a name, or several.
      to: "varying", "unreduced" or "reduced".

    Returns:
      The tree with the same elements.

    Raises:
      NameError: no axis in scope has the name.
      ValueError: `to` is anything else, or `x` is not what it must be.

    Example:
      >>> dt.vmap(lambda x: lax.pcast(x, "i", to="varying"), axis_name="i")(dnp.array([1, 2]))
      Array([1, 2], dtype=int32)
    """
    axes = find_axes("pcast", names_of(axis_name))
    if to not in _CASTS:
        raise value_error(
            "Got unexpected `to` value. Allowed `to` values are: {'unreduced', 'reduced', "
            f"'varying'}}, got: pcast with to={to!r}"
        )
    axes = tuple(axis for axis in axes if axis.is_checked)
    if not axes:
        return x

    def cast(leaf: Any) -> Any:
        operand = as_operand("pcast", leaf)
        if to != "varying" or any(part_texts(operand)[1]):
            source = _state_of("pcast", operand, axes)
            if source not in _CASTS[to]:
                raise value_error(
                    f"Unsupported pcast from={source}, to='{to}', got: axes {axis_name!r}"
                )
        kind = {} if to == "varying" else {to: None}
        return bind_over("vary", operand, axes=tuple(axis.text for axis in axes), **kind)

    leaves, spec = flatten(x)
    return unflatten(spec, [cast(leaf) for leaf in leaves])


# What a value may be before it is cast.
_CASTS = {
    "varying": ("invarying", "reduced", "varying"),
    "unreduced": ("varying",),
    "reduced": ("invarying",),
}


def _state_of(function: str, operand: Any, axes: tuple[Axis, ...]) -> str:
    """How a value depends on axes, which must be in one way."""
    sets = dict(zip(("varying", "unreduced", "reduced"), part_texts(operand), strict=True))
    states = {
        next((state for state, texts in sets.items() if axis.text in texts), "invarying")
        for axis in axes
    }
    if len(states) > 1:
        raise value_error(
            f"{function} can only accept axis_name which corresponds to one of varying, unreduced, "
            f"reduced or invarying state of the input, got: {sorted(states)}"
        )
    return states.pop()


def element_number(function: str, what: str, number: Any, size: int) -> int:
    """The number of an element of the axes."""
    try:
        value = operator.index(number)
    except TypeError:
        raise type_error(f"{function}: {what} must be an int, got: {number!r}") from None
    if not 0 <= value < size:
        raise value_error(
            f"{function}: {what} must be at least 0 and less than the size of the axes, {size}, "
            f"got: {value}"
        )
    return value
