"""Functions of pytrees (nested tuples, lists, dicts, registered classes), by JAX's short names."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import optree
from optree import PyTreeSpec

from dovetail.pytree import NAMESPACE

__all__ = ["all", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten"]

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
