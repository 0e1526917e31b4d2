"""The registry of classes whose instances are nodes of pytrees, as an object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dovetail.trees import functions, paths
from dovetail.trees.registration import register_dataclass, register_pytree_node
from dovetail.trees.treedef import PyTreeDef


class PyTreeRegistry:
    """The classes whose instances are nodes, with the functions that query them.

    There is one, `tree_util.default_registry`.

    Example:
      >>> from dovetail import tree_util
      >>> tree_util.default_registry.flatten_one_level({"a": [1, 2], "b": 3})
      ([[1, 2], 3], ('a', 'b'))
    """

    def flatten(
        self, tree_: Any, leaf_predicate: Callable[[Any], bool] | None = None
    ) -> tuple[list[Any], PyTreeDef]:
        """The leaves and the structure, as for `tree.flatten`."""
        return functions.flatten(tree_, leaf_predicate)

    def flatten_with_path(
        self, tree_: Any, leaf_predicate: Callable[[Any, Any], bool] | None = None
    ) -> tuple[list[tuple[Any, Any]], PyTreeDef]:
        """The leaves with their paths, and the structure; the predicate takes a path too."""
        return paths.flatten_with_path(tree_, leaf_predicate, is_leaf_takes_path=True)

    def flatten_one_level(self, tree_: Any) -> tuple[list[Any], Any] | None:
        """The children of a node, and its auxiliary data; None for a leaf."""
        return paths.flatten_one_level(tree_) if self._is_inner(tree_) else None

    def flatten_one_level_with_keys(self, tree_: Any) -> tuple[list[tuple[Any, Any]], Any] | None:
        """The children of a node with their keys, and its auxiliary data; None for a leaf."""
        return paths.flatten_one_level_with_keys(tree_) if self._is_inner(tree_) else None

    def is_node(self, type: type) -> bool:
        """True if instances of a class are nodes."""
        return paths.is_tree_node(type)

    def register_node(
        self,
        type: type,
        to_iterable: Callable[[Any], tuple[Iterable[Any], Any]],
        from_iterable: Callable[[Any, Any], Any],
        to_iterable_with_keys: Callable[[Any], Any] | None = None,
    ) -> None:
        """Register a class whose instances are nodes, as `tree_util.register_pytree_node` does."""
        register_pytree_node(type, to_iterable, from_iterable, to_iterable_with_keys)

    def register_dataclass_node(
        self, type: type, data_fields: Sequence[str], meta_fields: Sequence[str]
    ) -> None:
        """Register a dataclass whose instances are nodes, as `tree_util.register_dataclass`
        does.
        """
        register_dataclass(type, data_fields, meta_fields)

    def _is_inner(self, node: Any) -> bool:
        return not paths.all_leaves([node])


default_registry = PyTreeRegistry()
