"""Paths of keys to the leaves of pytrees, and the names that classes give their children."""

from __future__ import annotations

import collections
import dataclasses
import functools
import operator
from typing import Any

import pytest

import dovetail as dt
from dovetail import tree, tree_util
from dovetail.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey, keystr

Point = collections.namedtuple("Point", ["x", "y"])


@tree_util.register_pytree_with_keys_class
class Pair:
    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second

    def tree_flatten_with_keys(self) -> Any:
        return ((GetAttrKey("first"), self.first), ("2nd", self.second)), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Pair:
        return cls(*children)


@tree_util.register_pytree_node_class
class Plain:
    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def tree_flatten(self) -> Any:
        return self.parts, None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Plain:
        return cls(*children)


@tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    weights: Any
    name: str = tree.static(default="dense")


EXAMPLE = {"b": [1, Point(2, None)], "a": Pair(3, Plain(4, (5,))), "c": Layer({"w": 6})}


def test_paths() -> None:
    leaves, structure = tree.flatten_with_path(EXAMPLE)
    assert [keystr(path) for path, _ in leaves] == [
        "['a'].first",
        "['a']2nd[<flat index 0>]",
        "['a']2nd[<flat index 1>][0]",
        "['b'][0]",
        "['b'][1].x",
        "['c'].weights['w']",
    ]
    assert [leaf for _, leaf in leaves] == [3, 4, 5, 1, 2, 6]
    assert structure == tree.structure(EXAMPLE)
    assert leaves[2][0] == (DictKey("a"), "2nd", FlattenedIndexKey(1), SequenceKey(0))
    assert keystr(leaves[5][0], simple=True, separator="/") == "c/weights/w"
    assert SequenceKey(0) != FlattenedIndexKey(0)
    assert tree_util.tree_leaves_with_path(EXAMPLE) == leaves


def test_map_with_path() -> None:
    result = tree.map_with_path(
        lambda path, x, y: (keystr(path), x + y), {"a": [1, 2]}, {"a": [3, 4]}
    )
    assert result == {"a": [("['a'][0]", 4), ("['a'][1]", 6)]}
    with pytest.raises(ValueError, match=r"[Aa]rity|length"):
        tree.map_with_path(lambda path, x, y: x, [1, 2], [1])


def test_leaves_by_path() -> None:
    leaves, _ = tree.flatten_with_path(
        {"a": [1, 2], "b": [3, [4]]},
        is_leaf=lambda path, node: path == (DictKey("a"),) or node == [4],
        is_leaf_takes_path=True,
    )
    assert [(keystr(path), leaf) for path, leaf in leaves] == [
        ("['a']", [1, 2]),
        ("['b'][0]", 3),
        ("['b'][1]", [4]),
    ]


def test_one_level() -> None:
    assert tree_util.flatten_one_level({"a": [1, 2], "b": None}) == ([[1, 2], None], ("a", "b"))
    keyed, _ = tree_util.flatten_one_level_with_keys({"a": [1], "b": None})
    assert keyed == [(DictKey("a"), [1]), (DictKey("b"), None)]
    keyed, _ = tree_util.flatten_one_level_with_keys(EXAMPLE["a"])
    assert [key for key, _ in keyed] == [GetAttrKey("first"), "2nd"]
    assert [key for key, _ in tree_util.flatten_one_level_with_keys(Point(1, 2))[0]] == [
        GetAttrKey("x"),
        GetAttrKey("y"),
    ]
    with pytest.raises(ValueError, match=r"can't tree-flatten type int: tree must be a node"):
        tree_util.flatten_one_level(3)


def test_structures() -> None:
    x, y = tree.structure([1, (2, 3)]), tree.structure({"a": 4})
    assert tree_util.treedef_tuple([x, y]) == tree.structure(([1, (2, 3)], {"a": 4}))
    assert [child.num_leaves for child in tree_util.treedef_children(x)] == [1, 2]
    assert tree_util.treedef_is_leaf(tree.structure(1))
    assert not tree_util.treedef_is_leaf(x)
    assert all(map(tree_util.is_tree_node, (list, tuple, dict, type(None), Point, Pair, Layer)))
    assert not any(map(tree_util.is_tree_node, (int, str, object)))
    assert tree_util.all_leaves([1, 2.0, "x"])
    assert not tree_util.all_leaves([1, [2]])


def test_partial() -> None:
    @dt.jit
    def call(f: Any, x: Any) -> Any:
        return f(x)

    assert float(call(tree_util.Partial(operator.add, 2.0), 3.0)) == 5
    nested = tree_util.Partial(functools.partial(operator.sub, 10.0))
    assert tree.leaves(nested) == []
    assert float(call(nested, 4.0)) == 6
    assert tree.leaves(tree_util.Partial(max, 1, key=2)) == [1, 2]


def test_static_nodes() -> None:
    @tree_util.register_static
    class Mode(str):
        __slots__ = ()

    @dt.jit
    def f(x: Any, mode: Any) -> Any:
        return x + 1 if mode == "up" else x - 1

    assert (float(f(1.0, Mode("up"))), float(f(1.0, Mode("down")))) == (2, 0)


def test_combinations() -> None:
    assert tree.reduce_associative(lambda x, y: f"({x}{y})", list("abcde")) == "(((ab)(cd))e)"
    assert tree.reduce_associative(operator.add, [], identity=7) == 7
    with pytest.raises(TypeError, match="must have leaves where no identity is given"):
        tree.reduce_associative(operator.add, {})
    assert tree.broadcast({"a": 1, "b": 2}, {"a": [0, 0], "b": 0}) == {"a": [1, 1], "b": 2}
    with pytest.raises(ValueError, match=r"[Aa]rity|length"):
        tree.broadcast([1, 2], [1])
