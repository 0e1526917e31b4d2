"""Functions of pytrees (nested tuples, lists, dicts, registered classes), by JAX's short names."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any

import optree
from optree import PyTreeSpec

from dovetail.pytree import NAMESPACE
from dovetail.tree_paths import flatten_with_path, leaves_with_path, map_with_path

__all__ = [
    "all",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "reduce_associative",
    "static",
    "structure",
    "transpose",
    "unflatten",
]

IsLeaf = Callable[[Any], bool] | None
_all = all
_ABSENT = object()


def map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree of `f` applied to corresponding leaves; `tree` must be a prefix of the trees in
    `rest`.

    Example:
      >>> from dovetail import tree
      >>> tree.map(lambda x, y: x + y, {"a": 1, "b": (2, None)}, {"a": 10, "b": (20, None)})
      {'a': 11, 'b': (22, None)}
    """
    return optree.tree_map(f, tree, *rest, is_leaf=is_leaf, namespace=NAMESPACE)


def leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves, in order.

    Example:
      >>> from dovetail import tree
      >>> tree.leaves({"b": 2, "a": (1, None)})
      [1, 2]
    """
    return optree.tree_leaves(tree, is_leaf, namespace=NAMESPACE)


def flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], PyTreeSpec]:
    """The leaves and the structure; `unflatten` is the inverse."""
    leaves, spec = optree.tree_flatten(tree, is_leaf, namespace=NAMESPACE)
    return leaves, spec


def unflatten(treedef: PyTreeSpec, leaves: Iterable[Any]) -> Any:
    """The tree of that structure and those leaves.

    Example:
      >>> from dovetail import tree
      >>> leaves, structure = tree.flatten((1, [2, 3]))
      >>> tree.unflatten(structure, [10, 20, 30])
      (10, [20, 30])
    """
    return treedef.unflatten(leaves)


def structure(tree: Any, is_leaf: IsLeaf = None) -> PyTreeSpec:
    """The structure without the leaves."""
    return optree.tree_structure(tree, is_leaf, namespace=NAMESPACE)


def reduce(
    function: Callable[[Any, Any], Any],
    tree: Any,
    initializer: Any = _ABSENT,
    is_leaf: IsLeaf = None,
) -> Any:
    """The leaves combined from left to right.

    Example:
      >>> import operator
      >>> from dovetail import tree
      >>> tree.reduce(operator.add, [1, (2, 3)])
      6
    """
    values = leaves(tree, is_leaf)
    if initializer is _ABSENT:
        return functools.reduce(function, values)
    return functools.reduce(function, values, initializer)


def reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: Any,
    *,
    identity: Any = _ABSENT,
    is_leaf: IsLeaf = None,
) -> Any:
    """The leaves combined by an associative function, halves first, which loses less to rounding.

    Args:
      operation: the function of two leaves.
      tree: the tree.
      identity: what a tree without leaves gives.
      is_leaf: what says that a subtree is a leaf.

    Raises:
      TypeError: there are neither leaves nor `identity`.

    Example:
      >>> import operator
      >>> from dovetail import tree
      >>> tree.reduce_associative(operator.add, [1, (2, 3)])
      6
    """
    values = leaves(tree, is_leaf)
    if not values:
        if identity is _ABSENT:
            raise TypeError("tree must have leaves where no identity is given, got: none")
        return identity
    while len(values) > 1:
        unpaired = values[len(values) // 2 * 2 :]
        pairs = zip(values[::2], values[1::2], strict=False)
        values = [operation(x, y) for x, y in pairs] + unpaired
    return values[0]


def broadcast(prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree of the structure of `full_tree` whose leaves are those of a prefix of it, repeated.

    Example:
      >>> from dovetail import tree
      >>> tree.broadcast((1, 2), ([0, 0], {"a": 0}))
      ([1, 1], {'a': 2})
    """
    return optree.tree_broadcast_prefix(prefix_tree, full_tree, is_leaf, namespace=NAMESPACE)


def static(**options: Any) -> Any:
    """A field of a dataclass that is part of the structure, for `tree_util.register_dataclass`.

    Takes the arguments of `dataclasses.field`.

    Example:
      >>> import dataclasses
      >>> from dovetail import tree, tree_util
      >>> @tree_util.register_dataclass
      ... @dataclasses.dataclass
      ... class Layer:
      ...     weights: object
      ...     name: str = tree.static(default="dense")
      >>> tree.leaves(Layer([1, 2]))
      [1, 2]
    """
    metadata = {**(options.pop("metadata", None) or {}), "static": True}
    return dataclasses.field(metadata=metadata, **options)


def all(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Whether all leaves are true."""
    return _all(leaves(tree, is_leaf))


def transpose(outer_treedef: PyTreeSpec, inner_treedef: PyTreeSpec | None, tree: Any) -> Any:
    """A tree of trees turned inside out; without `inner_treedef`, that of the first inner tree.

    Example:
      >>> from dovetail import tree
      >>> tree.transpose(tree.structure([0, 0]), tree.structure((0, 0)), [(1, 2), (3, 4)])
      ([1, 3], [2, 4])
    """
    if inner_treedef is None:
        inner_treedef = structure(outer_treedef.flatten_up_to(tree)[0])
    return optree.tree_transpose(outer_treedef, inner_treedef, tree)
