"""Positions of leaves in a pytree: keys, paths of keys, and functions that return or take them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import astuple, dataclass
from typing import Any

import optree

from dovetail.trees.pytree import NAMESPACE
from dovetail.trees.treedef import PyTreeDef, spec_of

IsLeaf = Callable[..., bool] | None
KeyEntry = Any
KeyPath = tuple[KeyEntry, ...]


@dataclass(frozen=True)
class SequenceKey:
    """An index into a list or tuple.

    Attributes:
      idx: the index, counted from 0.

    Example:
      >>> from dovetail import tree_util
      >>> [(path, _)] = tree_util.tree_leaves_with_path([5])
      >>> path
      (SequenceKey(idx=0),)
    """

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"


@dataclass(frozen=True)
class DictKey:
    """A key of a dictionary.

    Attributes:
      key: the key.

    Example:
      >>> from dovetail import tree_util
      >>> [(path, _)] = tree_util.tree_leaves_with_path({"a": 5})
      >>> path
      (DictKey(key='a'),)
    """

    key: Hashable

    def __str__(self) -> str:
        return f"[{self.key!r}]"


@dataclass(frozen=True)
class GetAttrKey:
    """An attribute of an object, or a field of a named tuple.

    Attributes:
      name: the attribute's name.

    Example:
      >>> from typing import NamedTuple
      >>> from dovetail import tree_util
      >>> class Point(NamedTuple):
      ...     x: float
      >>> [(path, _)] = tree_util.tree_leaves_with_path(Point(5.0))
      >>> path
      (GetAttrKey(name='x'),)
    """

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclass(frozen=True)
class FlattenedIndexKey:
    """The index of a child of a node whose class does not name its children.

    Attributes:
      key: the index, counted from 0.

    Example:
      >>> from dovetail import tree_util
      >>> class Box:
      ...     def __init__(self, content):
      ...         self.content = content
      >>> tree_util.register_pytree_node(Box, lambda b: ((b.content,), None), lambda _, c: Box(*c))
      >>> [(path, _)] = tree_util.tree_leaves_with_path(Box(5))
      >>> path
      (FlattenedIndexKey(key=0),)
    """

    key: int

    def __hash__(self) -> int:
        return hash((FlattenedIndexKey, self.key))

    def __str__(self) -> str:
        return f"[<flat index {self.key}>]"


class NamedChild(optree.PyTreeEntry):
    """A child that its parent's class has named by a key.

    Example:
      >>> NamedChild(GetAttrKey("weights"), object, None).codify("layer")
      'layer.weights'
    """

    def codify(self, node: str = "") -> str:
        """The child in Python syntax."""
        return f"{node}{self.entry}"


def _key(entry: Any) -> KeyEntry:
    """The key of a path entry, in `optree`'s sense."""
    if isinstance(entry, NamedChild):
        return entry.entry
    if isinstance(entry, optree.MappingEntry):
        return DictKey(entry.entry)
    if isinstance(entry, (optree.NamedTupleEntry, optree.StructSequenceEntry)):
        return GetAttrKey(entry.field)
    if isinstance(entry, optree.SequenceEntry):
        return SequenceKey(entry.entry)
    return FlattenedIndexKey(entry.entry)


def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """A path as text.

    Args:
      keys: the path.
      simple: whether to omit brackets and quotes.
      separator: the text between keys.

    Example:
      >>> from dovetail import tree_util
      >>> [(path, _)] = tree_util.tree_leaves_with_path({"a": [1]})
      >>> tree_util.keystr(path), tree_util.keystr(path, simple=True, separator="/")
      ("['a'][0]", 'a/0')
    """
    known = SequenceKey, DictKey, GetAttrKey, FlattenedIndexKey
    return separator.join(
        str(astuple(key)[0]) if simple and isinstance(key, known) else str(key) for key in keys
    )


def flatten_with_path(
    tree: Any, is_leaf: IsLeaf = None, is_leaf_takes_path: bool = False
) -> tuple[list[tuple[KeyPath, Any]], PyTreeDef]:
    """The leaves with their paths, and the structure.

    Args:
      tree: the tree.
      is_leaf: a predicate for subtrees that count as leaves.
      is_leaf_takes_path: whether it takes a path and the subtree there.

    Example:
      >>> from dovetail import tree
      >>> tree.flatten_with_path({"a": 1, "b": (2,)})[0]
      [((DictKey(key='a'),), 1), ((DictKey(key='b'), SequenceKey(idx=0)), 2)]
    """
    if is_leaf is not None and is_leaf_takes_path:
        # `is_leaf` is called in the order of a walk, so another walk can replay its answers.
        answers = iter(_answers((), tree, is_leaf))
        is_leaf = lambda _: next(answers)  # noqa: E731
    accessors, leaves, spec = optree.tree_flatten_with_accessor(tree, is_leaf, namespace=NAMESPACE)
    paths = [tuple(map(_key, accessor)) for accessor in accessors]
    return list(zip(paths, leaves, strict=True)), PyTreeDef(spec)


def _answers(path: KeyPath, node: Any, is_leaf: Callable[..., bool]) -> list[bool]:
    """The answers of `is_leaf` for a subtree and its descendants, down to the first true one."""
    answer = bool(is_leaf(path, node))
    if answer or optree.tree_is_leaf(node, namespace=NAMESPACE):
        return [answer]
    children, _ = flatten_one_level_with_keys(node)
    return [answer, *(a for key, child in children for a in _answers((*path, key), child, is_leaf))]


def leaves_with_path(
    tree: Any, is_leaf: IsLeaf = None, is_leaf_takes_path: bool = False
) -> list[tuple[KeyPath, Any]]:
    """The leaves with their paths.

    Args:
      tree: the tree.
      is_leaf: a predicate for subtrees that count as leaves.
      is_leaf_takes_path: whether it takes a path and the subtree there.

    Returns:
      A list of pairs (path, leaf); a path is a tuple of keys.

    Example:
      >>> from dovetail import tree
      >>> tree.leaves_with_path({"a": 1, "b": (2,)})
      [((DictKey(key='a'),), 1), ((DictKey(key='b'), SequenceKey(idx=0)), 2)]
    """
    return flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: IsLeaf = None,
    is_leaf_takes_path: bool = False,
) -> Any:
    """The tree of `f` applied to each path with the corresponding leaves.

    Args:
      f: a function of a path and as many leaves as there are trees.
      tree: the tree whose structure the result has.
      *rest: trees that have `tree` as a prefix; where they continue, `f` gets a subtree.
      is_leaf: a predicate for subtrees of `tree` that count as leaves.
      is_leaf_takes_path: whether it takes a path and the subtree there.

    Returns:
      The tree of the results.

    Raises:
      ValueError: `tree` is not a prefix of another tree.

    Example:
      >>> from dovetail import tree
      >>> tree.map_with_path(lambda path, x, y: f"{len(path)}{x + y}", {"a": 1}, {"a": 2})
      {'a': '13'}
    """
    leaves, spec = flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = [spec.flatten_up_to(other) for other in rest]
    return spec.unflatten(
        f(*items, *others_) for items, *others_ in zip(leaves, *others, strict=True)
    )


# One level ----------------------------------------------------------------------------------------


def _one_level(tree: Any) -> Any:
    if optree.tree_is_leaf(tree, namespace=NAMESPACE):
        raise ValueError(
            f"can't tree-flatten type {type(tree).__name__}: tree must be a node, such as a list "
            "or an instance of a registered class"
        )
    return optree.tree_flatten_one_level(tree, namespace=NAMESPACE)


def flatten_one_level(tree: Any) -> tuple[list[Any], Any]:
    """The children of a node, and its auxiliary data.

    Args:
      tree: a node: a container, or an instance of a registered class.

    Returns:
      (list of children, auxiliary data: the keys of a dictionary, None for a list, or what the
      class returns).

    Raises:
      ValueError: `tree` is a leaf.

    Example:
      >>> from dovetail import tree_util
      >>> tree_util.flatten_one_level({"a": [1, 2], "b": 3})
      ([[1, 2], 3], ('a', 'b'))
    """
    children, metadata, *_ = _one_level(tree)
    return children, tuple(metadata) if isinstance(metadata, list) else metadata


def flatten_one_level_with_keys(tree: Any) -> tuple[list[tuple[KeyEntry, Any]], Any]:
    """The children of a node with their keys, and its auxiliary data.

    Args:
      tree: a node: a container, or an instance of a registered class.

    Returns:
      (list of pairs (key, child), auxiliary data as for `flatten_one_level`).

    Raises:
      ValueError: `tree` is a leaf.

    Example:
      >>> from dovetail import tree_util
      >>> tree_util.flatten_one_level_with_keys({"a": [1, 2], "b": 3})
      ([(DictKey(key='a'), [1, 2]), (DictKey(key='b'), 3)], ('a', 'b'))
    """
    children, metadata = flatten_one_level(tree)
    level = _one_level(tree)
    steps = [level.path_entry_type(entry, type(tree), level.kind) for entry in level.entries]
    return list(zip(map(_key, steps), children, strict=True)), metadata


# Structures ---------------------------------------------------------------------------------------


def treedef_children(treedef: PyTreeDef) -> list[PyTreeDef]:
    """The structures of the children of a node.

    Args:
      treedef: the structure of the node.

    Returns:
      A list of structures, empty for a leaf.

    Example:
      >>> from dovetail import tree, tree_util
      >>> tree_util.treedef_children(tree.structure((1, [2, 3])))[1].num_leaves
      2
    """
    return treedef.children()


def treedef_tuple(treedefs: Iterable[PyTreeDef]) -> PyTreeDef:
    """The structure of a tuple of trees with the given structures.

    Args:
      treedefs: the structures.

    Returns:
      The structure of the tuple.

    Example:
      >>> from dovetail import tree, tree_util
      >>> inner = tree.structure([0, 0])
      >>> tree_util.treedef_tuple([inner, inner]) == tree.structure(([0, 0], [0, 0]))
      True
    """
    return PyTreeDef(optree.treespec_tuple(map(spec_of, treedefs), namespace=NAMESPACE))


def treedef_is_leaf(treedef: PyTreeDef) -> bool:
    """True if the structure is a single node without children.

    Args:
      treedef: the structure.

    Returns:
      A bool: True for a leaf, and for None and empty containers.

    Example:
      >>> from dovetail import tree, tree_util
      >>> [tree_util.treedef_is_leaf(tree.structure(x)) for x in (1, [1])]
      [True, False]
    """
    return treedef.num_nodes == 1


def is_tree_node(typ: type) -> bool:
    """True if instances of a class are nodes.

    Args:
      typ: the class.

    Returns:
      A bool: True for containers, named tuples and registered classes.

    Example:
      >>> from dovetail import tree_util
      >>> tree_util.is_tree_node(list), tree_util.is_tree_node(int)
      (True, False)
    """
    known = optree.register_pytree_node.get(typ, namespace=NAMESPACE)  # type: ignore[attr-defined]
    return known is not None or optree.is_namedtuple_class(typ)


def all_leaves(iterable: Iterable[Any], is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """True if all elements of an iterable are leaves.

    Args:
      iterable: the sequence, of trees.
      is_leaf: a predicate for trees that count as leaves, in addition to those that are not nodes.

    Returns:
      A bool.

    Example:
      >>> from dovetail import tree_util
      >>> tree_util.all_leaves([1, 2]), tree_util.all_leaves([1, (2,)])
      (True, False)
    """
    return optree.all_leaves(iterable, is_leaf, namespace=NAMESPACE)
