"""`jax._src.tree_util`: the classes that are nodes of trees, and errors of prefixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from dovetail import tree_util
from dovetail.tree_util import *  # noqa: F403
from dovetail.tree_util import PyTreeDef, default_registry, flatten_one_level  # noqa: F401
from dovetail.trees.differences import no_prefix
from dovetail.trees.treedef import spec_of


class _RegistryEntry(NamedTuple):
    """The functions of a class whose instances are nodes.

    Attributes:
      to_iter: from a node to its children and auxiliary data.
      from_iter: from auxiliary data and children to a node.
    """

    to_iter: Callable[[Any], Any]
    from_iter: Callable[[Any, Iterable[Any]], Any]


class _Registry:
    """The classes whose instances are nodes."""

    def __getitem__(self, type: type) -> _RegistryEntry:
        if type not in self:
            raise KeyError(type)

        def from_iter(data: Any, children: Iterable[Any]) -> Any:
            leaves = list(children)
            leaf = tree_util.tree_structure(0)
            return PyTreeDef.from_node_data_and_children(
                default_registry, (type, data), [leaf] * len(leaves)
            ).unflatten(leaves)

        return _RegistryEntry(default_registry.flatten_one_level, from_iter)

    def __contains__(self, type: type) -> bool:
        return default_registry.is_node(type)


_registry = _Registry()


def prefix_errors(
    prefix_tree: Any, full_tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> list[Callable[[str], ValueError]]:
    """Why a tree is no prefix of another: functions from a name of the tree to errors.

    Args:
      prefix_tree: the tree that should be a prefix.
      full_tree: the other tree.
      is_leaf: what a leaf of `prefix_tree` is.

    Example:
      >>> from dovetail.as_jax.jax._src import tree_util
      >>> tree_util.prefix_errors((1, 2), (1, [2]))
      []
    """
    specs = (
        spec_of(tree_util.tree_structure(prefix_tree, is_leaf)),
        spec_of(tree_util.tree_structure(full_tree)),
    )

    def error(i: int) -> Callable[[str], ValueError]:
        return lambda name: ValueError(no_prefix(*specs, name)[i])

    return [error(i) for i in range(len(no_prefix(*specs, "")))]
