"""Functions of pytrees, under JAX's long names, and registration of classes as nodes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from dovetail.trees.functions import all as tree_all
from dovetail.trees.functions import broadcast as tree_broadcast
from dovetail.trees.functions import flatten as tree_flatten
from dovetail.trees.functions import leaves as tree_leaves
from dovetail.trees.functions import map as tree_map
from dovetail.trees.functions import reduce as tree_reduce
from dovetail.trees.functions import reduce_associative as tree_reduce_associative
from dovetail.trees.functions import structure as tree_structure
from dovetail.trees.functions import transpose as tree_transpose
from dovetail.trees.functions import unflatten as tree_unflatten
from dovetail.trees.paths import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyEntry,
    KeyPath,
    SequenceKey,
    all_leaves,
    flatten_one_level,
    flatten_one_level_with_keys,
    is_tree_node,
    keystr,
    treedef_children,
    treedef_is_leaf,
    treedef_tuple,
)
from dovetail.trees.paths import flatten_with_path as tree_flatten_with_path
from dovetail.trees.paths import leaves_with_path as tree_leaves_with_path
from dovetail.trees.paths import map_with_path as tree_map_with_path
from dovetail.trees.registration import (
    register_dataclass,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
)
from dovetail.trees.registry import PyTreeRegistry, default_registry
from dovetail.trees.treedef import PyTreeDef

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "Partial",
    "PyTreeDef",
    "PyTreeRegistry",
    "SequenceKey",
    "all_leaves",
    "default_registry",
    "flatten_one_level",
    "flatten_one_level_with_keys",
    "is_tree_node",
    "keystr",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
    "tree_all",
    "tree_broadcast",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_reduce",
    "tree_reduce_associative",
    "tree_structure",
    "tree_transpose",
    "tree_unflatten",
    "treedef_children",
    "treedef_is_leaf",
    "treedef_tuple",
]

T = TypeVar("T")


class Partial(functools.partial):
    """A `functools.partial` whose arguments are leaves, so that it can be passed to a transformed
    function.

    Example:
      >>> import operator
      >>> from dovetail import tree_util
      >>> tree_util.tree_leaves(tree_util.Partial(operator.add, 1))
      [1]
    """

    def __new__(cls, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Partial:
        """A function with arguments; a `partial` as the function stays one."""
        if isinstance(func, functools.partial):
            # Otherwise its arguments would become those of this object.
            func = _Hidden(func)
        return super().__new__(cls, func, *args, **kwargs)


class _Hidden:
    """A callable that hides that it is a `functools.partial`; equal if the partial objects are."""

    def __init__(self, partial: functools.partial[Any]) -> None:
        self._partial = partial

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._partial(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return self._partial == (other._partial if isinstance(other, _Hidden) else other)

    def __hash__(self) -> int:
        return hash(self._partial)


register_pytree_node(
    Partial,
    lambda node: ((node.args, node.keywords), node.func),
    lambda func, children: Partial(func, *children[0], **children[1]),
)
