"""`jax.api_util`: functions of leaves instead of trees, and functions on lists."""

from __future__ import annotations

from typing import Any

from dovetail.api_util import *  # noqa: F403
from dovetail.as_jax.jax._src.util import safe_map as safe_map
from dovetail.trees.pytree import broadcast_prefix, unflatten


def flatten_axes(
    name: str, treedef: Any, axis_tree: Any, *, kws: bool = False, tupled_args: bool = False
) -> list[Any]:
    """An entry of a prefix of a tree for each leaf of the tree.

    Args:
      name: what the error calls the entries.
      treedef: the structure of the tree.
      axis_tree: the prefix, of which None is an entry.
      kws, tupled_args: ignored; for hints.

    Returns:
      The entries, as many as the tree has leaves.

    Raises:
      ValueError: `axis_tree` is no prefix of the tree.

    Example:
      >>> from dovetail import tree_util
      >>> from dovetail.as_jax.jax import api_util
      >>> tree = tree_util.tree_structure((1, {"a": 2, "b": 3}))
      >>> api_util.flatten_axes("in_axes", tree, (0, None))
      [0, None, None]
    """
    return broadcast_prefix(axis_tree, unflatten(treedef, [0] * treedef.num_leaves), name)
