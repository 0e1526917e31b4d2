"""Pytrees as the transforms use them: `None` has no leaves, dictionaries are ordered by sorted
keys.
"""

from __future__ import annotations

import atexit
import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import optree
from optree import PyTreeSpec

from dovetail.trees.differences import no_prefix

# The namespace of users' nodes; that of the transforms also has arrays that consist of others.
NAMESPACE = "dovetail"
DATA_NAMESPACE = "dovetail.data"
# Classes of the latter.
ARRAY_NODES: set[type] = set()
# Classes of users' nodes.
_NODES: list[type] = []


def flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], PyTreeSpec]:
    """The leaves and the structure.

    Args:
      tree: the tree.
      is_leaf: a predicate for subtrees that count as leaves.

    Returns:
      (list of leaves, structure).

    Example:
      >>> leaves, structure = flatten({"b": 2, "a": (1, None)})
      >>> leaves, structure.num_leaves
      ([1, 2], 2)
    """
    leaves, spec = optree.tree_flatten(tree, is_leaf, namespace=DATA_NAMESPACE)
    return leaves, spec


def unflatten(spec: PyTreeSpec, leaves: Sequence[Any]) -> Any:
    """The tree with that structure.

    Args:
      spec: the structure.
      leaves: as many values as the structure has leaves, in order.

    Returns:
      The tree.

    Raises:
      ValueError: there are more or fewer leaves.

    Example:
      >>> leaves, structure = flatten((1, [2, 3]))
      >>> unflatten(structure, [10, 20, 30])
      (10, [20, 30])
    """
    return spec.unflatten(leaves)


def register_node(
    cls: type,
    flatten_func: Any,
    unflatten_func: Any,
    path_entry_type: type[optree.PyTreeEntry] = optree.FlattenedEntry,
) -> None:
    """Register a class whose instances are nodes.

    Args:
      cls: the class.
      flatten_func: maps an instance to (children, auxiliary data), optionally with the entries of
        the children as a third element.
      unflatten_func: maps (auxiliary data, children) to an instance.
      path_entry_type: makes a path entry from an entry.

    Raises:
      ValueError: the class is registered already.

    Example:
      >>> class Box:
      ...     def __init__(self, content):
      ...         self.content = content
      >>> register_node(Box, lambda box: ((box.content,), None), lambda _, children: Box(*children))
      >>> flatten(Box([1, 2]))[0]
      [1, 2]
    """

    @functools.wraps(flatten_func)
    def checked(node: Any) -> Any:
        made = flatten_func(node)
        if not isinstance(made, tuple) or len(made) not in (2, 3) or not _is_iterable(made[0]):
            is_pair = isinstance(made, tuple) and len(made) == 2
            what = "tuple where 'children' is iterable" if is_pair else "tuple"
            raise ValueError(
                "The to_iterable function for a custom PyTree node should return a (children, "
                f"aux_data) {what}, got {made!r} for the registered class {cls.__name__}"
            )
        return made

    with warnings.catch_warnings():
        # That a named tuple is a node of its own kind is meant.
        warnings.filterwarnings("ignore", "PyTree type", UserWarning)
        for namespace in (NAMESPACE, DATA_NAMESPACE):
            optree.register_pytree_node(
                cls, checked, unflatten_func, path_entry_type=path_entry_type, namespace=namespace
            )
    _NODES.append(cls)
    is_named_tuple.cache_clear()


@atexit.register
def _unregister_nodes() -> None:
    """Unregister users' classes at exit. The registry would otherwise keep them, and the arrays and
    jitted functions they refer to, alive, and extension modules report objects that outlive the
    process.
    """
    while _NODES:
        cls = _NODES.pop()
        for namespace in (NAMESPACE, DATA_NAMESPACE):
            optree.unregister_pytree_node(cls, namespace=namespace)
    is_named_tuple.cache_clear()


def _is_iterable(x: Any) -> bool:
    return hasattr(type(x), "__iter__") or hasattr(type(x), "__getitem__")


def register_array(cls: type, flatten_func: Any, unflatten_func: Any, entry: str) -> None:
    """Register a class whose instances are leaves for users, and nodes of one array for the
    transforms.

    Args:
      cls: the class; `hidden_ndim` is the number of the array's trailing dimensions that its
        instances do not show.
      flatten_func, unflatten_func: as those of `register_node`.
      entry: the name of the array in messages.
    """
    ARRAY_NODES.add(cls)

    def flatten_one(instance: Any) -> tuple[Any, Any, tuple[str]]:
        return *flatten_func(instance), (entry,)

    optree.register_pytree_node(
        cls,
        flatten_one,
        unflatten_func,
        path_entry_type=optree.GetAttrEntry,
        namespace=DATA_NAMESPACE,
    )


@functools.lru_cache(256)
def is_named_tuple(cls: type) -> bool:
    """True if instances of a class are nodes because they are named tuples, not by registration."""
    entry = optree.register_pytree_node.get(cls, namespace=DATA_NAMESPACE)
    return entry is not None and entry.kind is optree.PyTreeKind.NAMEDTUPLE


def map_leaves(function: Callable[..., Any], tree: Any) -> Any:
    """The tree of `function` applied to each leaf.

    Args:
      function: the function of a leaf.
      tree: the tree.

    Returns:
      The tree of the results, of the same structure.

    Example:
      >>> map_leaves(lambda x: 10 * x, {"a": 1, "b": (2, None)})
      {'a': 10, 'b': (20, None)}
    """
    return optree.tree_map(function, tree, namespace=DATA_NAMESPACE)


def is_leaf_spec(spec: PyTreeSpec) -> bool:
    """True if a structure is a single leaf."""
    return spec.num_nodes == 1 and spec.num_leaves == 1


def count_leaves(tree: Any) -> int:
    """The number of leaves of a tree."""
    return len(flatten(tree)[0])


def leaf_names(tree: Any, root: str) -> list[str]:
    """Names of the leaves of an argument, for messages: `params['w'][0]`."""
    return [
        root + accessor.codify("")
        for accessor in optree.tree_accessors(tree, namespace=DATA_NAMESPACE)
    ]


def broadcast_prefix(prefix: Any, tree: Any, what: str, hint: str = "") -> list[Any]:
    """One entry of `prefix` for each leaf of `tree`; an entry, or None, can stand for a whole
    subtree.

    Raises:
      ValueError: `prefix` is not a prefix of the tree; the message calls it `what`, and ends with
        `hint`.
    """
    if prefix is None or (isinstance(prefix, int) and prefix >= 0):
        return [prefix] * count_leaves(tree)
    entries: list[Any] = []
    walk: Any = optree.tree_map_

    def fill(entry: Any, subtree: Any) -> None:
        if isinstance(entry, int) and entry < 0:
            # Counted from the last dimension that users see.
            nodes = flatten(subtree, lambda node: type(node) in ARRAY_NODES)[0]
            entries.extend([entry - getattr(node, "hidden_ndim", 0) for node in nodes])
        else:
            entries.extend([entry] * count_leaves(subtree))

    if isinstance(prefix, list) and isinstance(tree, tuple):
        prefix = tuple(prefix)
    try:
        walk(fill, prefix, tree, is_leaf=_is_none, none_is_leaf=True, namespace=DATA_NAMESPACE)
    except ValueError as error:
        structure: Any = optree.tree_structure
        spec, whole = (
            structure(x, _is_none, none_is_leaf=True, namespace=DATA_NAMESPACE)
            for x in (prefix, tree)
        )
        places = no_prefix(spec, whole, what) or [str(error)]
        details = "\n".join(places)
        raise ValueError(
            f"{what} specification must be a tree prefix of the corresponding value; got: "
            f"{prefix!r}{hint}\nMismatch details ({len(places)} found):\n{details}"
        ) from None
    return entries


def _is_none(node: Any) -> bool:
    return node is None
