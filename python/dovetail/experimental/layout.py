"""Orders of dimensions in memory."""

from __future__ import annotations

from typing import Any

import dovetail as dt
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.placement.layouts import Format as Format
from dovetail.placement.layouts import Layout as Layout
from dovetail.tree_util import tree_flatten, tree_map

__all__ = ["Format", "Layout", "with_layout_constraint"]


def with_layout_constraint(x: Any, layouts: Any) -> Any:
    """Arrays in given layouts; they are in the only one that there is, which is row-major.

    Args:
      x: a tree of arrays.
      layouts: a `Layout`, or a tree of them.

    Returns:
      The arrays.

    Raises:
      ValueError: something is no `Layout`, or has another number of dimensions.
      NotImplementedError: a layout is not row-major.

    Example:
      >>> from dovetail.experimental.layout import Layout, with_layout_constraint
      >>> with_layout_constraint(dnp.ones((1, 2)), Layout((0, 1)))
      Array([[1., 1.]], dtype=float32)
    """
    leaves = tree_flatten(x)[0]
    if isinstance(layouts, Layout):
        wanted = [layouts] * len(leaves)
    else:
        wanted = tree_flatten(layouts, is_leaf=lambda leaf: isinstance(leaf, Layout))[0]
    for leaf, layout in zip(leaves, wanted, strict=True):
        if not isinstance(layout, Layout):
            raise value_error(
                "with_layout_constraint: layouts must be of type `Layout`; make one of the order "
                f"of the dimensions, got: {layout!r}"
            )
        layout.check_row_major(dt.numpy.shape(leaf), "with_layout_constraint")
    return tree_map(lambda leaf: leaf if isinstance(leaf, Array) else dt.numpy.asarray(leaf), x)
