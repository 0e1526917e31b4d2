"""Functions of pytrees (nested tuples, lists, dicts, registered classes), under JAX's short
names.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any

import optree

from dovetail.base import errors
from dovetail.trees.paths import flatten_with_path, leaves_with_path, map_with_path
from dovetail.trees.pytree import NAMESPACE
from dovetail.trees.treedef import PyTreeDef, spec_of, subtrees

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
_all, _map = all, map
_ABSENT = object()


def map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree of `f` applied to corresponding leaves.

    Args:
      f: a function of as many leaves as there are trees.
      tree: the tree whose structure the result has.
      *rest: trees that have `tree` as a prefix; where they continue, `f` gets a subtree.
      is_leaf: a predicate for subtrees of `tree` that count as leaves.

    Returns:
      The tree of the results.

    Raises:
      ValueError: `tree` is not a prefix of another tree.

    Example:
      >>> from dovetail import tree
      >>> tree.map(lambda x, y: x + y, {"a": 1, "b": (2, None)}, {"a": 10, "b": (20, None)})
      {'a': 11, 'b': (22, None)}
    """
    values, spec = optree.tree_flatten(tree, is_leaf, namespace=NAMESPACE)
    return spec.unflatten(_map(f, values, *(subtrees(spec, other) for other in rest)))


def leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves, in order: dictionaries are ordered by sorted keys, and None has no leaves.

    Args:
      tree: the tree.
      is_leaf: a predicate for subtrees that count as leaves.

    Returns:
      A list of the leaves.

    Example:
      >>> from dovetail import tree
      >>> tree.leaves({"b": 2, "a": (1, None)})
      [1, 2]
    """
    return optree.tree_leaves(tree, is_leaf, namespace=NAMESPACE)


def flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], PyTreeDef]:
    """The leaves and the structure; `unflatten` is the inverse.

    Args:
      tree: the tree.
      is_leaf: a predicate for subtrees that count as leaves.

    Returns:
      (list of leaves, structure).

    Example:
      >>> from dovetail import tree
      >>> leaves, structure = tree.flatten({"b": 2, "a": (1, None)})
      >>> leaves, structure.num_leaves
      ([1, 2], 2)
    """
    leaves, spec = optree.tree_flatten(tree, is_leaf, namespace=NAMESPACE)
    return leaves, PyTreeDef(spec)


def unflatten(treedef: PyTreeDef, leaves: Iterable[Any]) -> Any:
    """The tree with that structure and those leaves.

    Args:
      treedef: the structure.
      leaves: as many values as the structure has leaves, in order.

    Returns:
      The tree.

    Raises:
      ValueError: there are more or fewer leaves.

    Example:
      >>> from dovetail import tree
      >>> leaves, structure = tree.flatten((1, [2, 3]))
      >>> tree.unflatten(structure, [10, 20, 30])
      (10, [20, 30])
    """
    return treedef.unflatten(leaves)


def structure(tree: Any, is_leaf: IsLeaf = None) -> PyTreeDef:
    """The structure without the leaves.

    Args:
      tree: the tree.
      is_leaf: a predicate for subtrees that count as leaves.

    Returns:
      The structure; trees that differ only in their leaves have equal structures.

    Example:
      >>> from dovetail import tree
      >>> tree.structure((1, [2])) == tree.structure(("a", ["b"]))
      True
    """
    return PyTreeDef(optree.tree_structure(tree, is_leaf, namespace=NAMESPACE))


def reduce(
    function: Callable[[Any, Any], Any],
    tree: Any,
    initializer: Any = _ABSENT,
    is_leaf: IsLeaf = None,
) -> Any:
    """The leaves combined from left to right.

    Args:
      function: takes the combined value so far and a leaf, and returns the new one.
      tree: the tree.
      initializer: the initial value; by default the first leaf.
      is_leaf: a predicate for subtrees that count as leaves.

    Returns:
      The combined value of all leaves.

    Raises:
      TypeError: there are neither leaves nor `initializer`.

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
    """The leaves combined by an associative function, halves first, which reduces rounding errors.

    Args:
      operation: the function of two leaves.
      tree: the tree.
      identity: the result for a tree without leaves.
      is_leaf: a predicate for subtrees that count as leaves.

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
    """The tree with the structure of `full_tree` whose leaves are those of a prefix of it,
    repeated.

    Args:
      prefix_tree: the prefix, a tree that has leaves where `full_tree` may have subtrees.
      full_tree: the tree whose structure the result has.
      is_leaf: a predicate for subtrees of `prefix_tree` that count as leaves.

    Returns:
      The tree.

    Raises:
      ValueError: `prefix_tree` is not a prefix of `full_tree`.

    Example:
      >>> from dovetail import tree
      >>> tree.broadcast((1, 2), ([0, 0], {"a": 0}))
      ([1, 1], {'a': 2})
    """
    values, prefix = flatten(prefix_tree, is_leaf)
    repeated: list[Any] = []
    for value, subtree in zip(values, prefix.flatten_up_to(full_tree), strict=True):
        repeated += [value] * structure(subtree).num_leaves
    return structure(full_tree).unflatten(repeated)


def static(**options: Any) -> Any:
    """A field of a dataclass that is part of the structure, for `tree_util.register_dataclass`.

    Args:
      **options: arguments of `dataclasses.field`; `metadata` is extended.

    Returns:
      The field.

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
    metadata = {"static": True, **(options.pop("metadata", None) or {})}
    return dataclasses.field(metadata=metadata, **options)


def all(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Test whether all leaves are true.

    Args:
      tree: a tree whose leaves have a truth value: numbers, or arrays of one element.
      is_leaf: a predicate for subtrees that count as leaves.

    Returns:
      A bool, True if there are no leaves.

    Example:
      >>> from dovetail import tree
      >>> tree.all({"a": True, "b": (1, 0)})
      False
    """
    return _all(leaves(tree, is_leaf))


def transpose(
    outer_treedef: PyTreeDef, inner_treedef: PyTreeDef | None, pytree_to_transpose: Any
) -> Any:
    """A tree of trees, turned inside out.

    Args:
      outer_treedef: the structure of the outer tree.
      inner_treedef: the structure of each inner tree; None for that of the first.
      pytree_to_transpose: a tree of the outer structure with trees of the inner one as leaves.

    Returns:
      A tree of the inner structure with trees of the outer one as leaves.

    Raises:
      TypeError: the number of leaves is not the product of those of both structures; as in JAX, the
        containers themselves are not checked.
      ValueError: no inner structure is given, and the tree does not start with the outer one.
      IndexError: no inner structure is given, and the outer one has no leaves.

    Example:
      >>> from dovetail import tree
      >>> tree.transpose(tree.structure([0, 0]), tree.structure((0, 0)), [(1, 2), (3, 4)])
      ([1, 3], [2, 4])
    """
    if inner_treedef is None:
        inner = subtrees(spec_of(outer_treedef), pytree_to_transpose)
        if not inner:
            raise errors.index_error(
                f"tree.transpose: the outer structure must have leaves, got: {outer_treedef}; give "
                "inner_treedef"
            )
        inner_treedef = structure(inner[0])
    elements, treedef = flatten(pytree_to_transpose)
    outer, inner = outer_treedef.num_leaves, inner_treedef.num_leaves
    if len(elements) != outer * inner:
        raise errors.type_error(
            f"tree.transpose: the tree must have {outer} x {inner} leaves, those of "
            f"{outer_treedef.compose(inner_treedef)}, got: {treedef}; give the structures of this "
            "tree"
        )
    return inner_treedef.unflatten(
        outer_treedef.unflatten(elements[i::inner]) for i in range(inner)
    )
