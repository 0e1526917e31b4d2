"""Symbolic shapes of the arguments of exported functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.errors import value_error
from dovetail.symbolic.parse import entries
from dovetail.symbolic.parse import shape as parsed
from dovetail.symbolic.scope import SymbolicScope
from dovetail.tracing.arguments import as_operand
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten


def symbolic_shape(
    shape_spec: str,
    *,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
    like: Sequence[int] | None = None,
) -> tuple[Any, ...]:
    """A shape with names for sizes.

    Args:
      shape_spec: sizes separated by commas: integers, names, and expressions of these with `+ - *
        // %`, `^`, `mod`, `floordiv`, `max` and `min`. `_` is the size of `like` in that place,
        `...` all sizes of `like` that are not written.
      constraints: known facts about the names, such as `"b <= 4096"` or `"b % 8 == 0"`. Sizes are 1
        or more by default.
      scope: the scope of the names, instead of a new one with the constraints.
      like: a shape.

    Returns:
      A tuple of ints and symbolic sizes.

    Raises:
      ValueError: the text is not a shape, or there are both constraints and a scope.

    Example:
      >>> from dovetail import export
      >>> export.symbolic_shape("b, 2*b + 1, 3", constraints=["b <= 64"])
      (b, 2*b + 1, 3)
    """
    return parsed(shape_spec, _scope(constraints, scope), like)


def _scope(constraints: Sequence[str], scope: SymbolicScope | None) -> SymbolicScope:
    if scope is None:
        return SymbolicScope(constraints)
    if constraints:
        raise value_error(
            f"constraints must be those of the scope, if one is given, got: {list(constraints)}"
        )
    return scope


def symbolic_args_specs(
    args: Any,
    shapes_specs: Any,
    constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
) -> Any:
    """Descriptions of arguments with symbolic shapes.

    Args:
      args: a tree of arrays or of objects with `shape` and `dtype`.
      shapes_specs: texts as for `symbolic_shape`, a prefix of that tree; None for shapes that are
        unchanged.
      constraints, scope: as for `symbolic_shape`.

    Returns:
      The tree with `ShapeDtypeStruct`s in place of arrays.

    Raises:
      ValueError: a text is not a shape of the argument's rank.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.export.symbolic_args_specs((dnp.zeros((4, 3)), dnp.zeros(3)), ("b, ...", None))[0]
      ShapeDtypeStruct(shape=(b, 3), dtype=float32)
    """
    names = _scope(constraints, scope)
    leaves, spec = flatten(args)
    structs = []
    for leaf, text in zip(
        leaves, broadcast_prefix(shapes_specs, args, "shapes_specs"), strict=True
    ):
        known = leaf if hasattr(leaf, "shape") and hasattr(leaf, "dtype") else as_operand(leaf, "x")
        shape = tuple(known.shape)
        if text is not None:
            # The sizes in a text need not be those of the array.
            size_of = shape if {"...", "_"} & {*entries(text)} else None
            shape = parsed(text, names, size_of)
        weak = bool(getattr(known, "weak_type", False))
        structs.append(ShapeDtypeStruct(shape, known.dtype, weak_type=weak))
    return unflatten(spec, structs)
