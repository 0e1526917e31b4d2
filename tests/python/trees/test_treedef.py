"""Structures as users see them: their text, parts, bytes and errors."""

from __future__ import annotations

import collections
import copy
import dataclasses
import pickle
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import export, random, tree, tree_util
from dovetail.tree_util import PyTreeDef, default_registry


class Point(NamedTuple):
    x: Any
    y: Any


class Pixel(NamedTuple):
    x: Any
    y: Any


@tree_util.register_dataclass
@dataclasses.dataclass
class Scaled:
    x: Any
    unit: Any = dataclasses.field(default="m", metadata={"static": True})


ORDERED = collections.OrderedDict(b=1, a=2)
DEFAULT = collections.defaultdict(int, a=1)
TREES = {
    "*": 5,
    "None": None,
    "()": (),
    "(*,)": (1,),
    "[(*, None), {'a': *, 'b': []}]": [(1, None), {"b": [], "a": 2}],
    "CustomNode(namedtuple[Point], [*, {2: *}])": Point(1, {2: 3}),
    "CustomNode(OrderedDict[('b', 'a')], [*, *])": ORDERED,
    "CustomNode(defaultdict[(<class 'int'>, ('a',))], [*])": DEFAULT,
    "CustomNode(Scaled[('m',)], [[*]])": Scaled([1]),
}


@pytest.mark.parametrize("text", TREES)
def test_parts_and_copies(text: str) -> None:
    leaves, structure = tree.flatten(TREES[text])
    assert repr(structure) == f"PyTreeDef({text})"
    again = PyTreeDef.from_node_data_and_children(
        default_registry, structure.node_data(), structure.children()
    )
    for other in (again, pickle.loads(pickle.dumps(structure)), copy.deepcopy(structure)):
        assert other == structure
        assert hash(other) == hash(structure)
        assert tree.unflatten(other, leaves) == TREES[text]
    assert structure.flatten_up_to(TREES[text]) == leaves
    assert structure.walk(lambda parts, _: max((1, *parts)), lambda _: 1, leaves) == 1
    assert tree.structure([0]).compose(structure) == tree.structure([TREES[text]])
    assert structure != tree.structure([TREES[text]])
    assert structure != leaves


def test_comparison_with_others() -> None:
    structure = tree.structure((1, 2))
    assert structure not in (None, 2, "PyTreeDef((*, *))")
    assert (structure.num_leaves, structure.num_nodes) == (2, 3)
    assert tree.structure({"b": 1, "a": 2}) == tree.structure({"a": 1, "b": 2})
    assert tree.structure(Point(1, 2)) != tree.structure(Pixel(1, 2))
    with pytest.raises(ValueError, match="while checking equality of metadata fields of pytree"):
        _ = tree.structure(Scaled(1, np.arange(3))) == tree.structure(Scaled(1, np.arange(3)))


@pytest.mark.parametrize(
    ("prefix", "other", "message"),
    [
        ([1], [1, 2], "List arity mismatch: 2 != 1; list: [1, 2].\n"),
        ({"a": (1, 2)}, {"a": (1,)}, "Tuple arity mismatch: 1 != 2; tuple: (1,).\n"),
        ({"a": 1}, {"c": 1, "b": 2}, "expected keys: ['a']; present keys: ['b', 'c'].\n"),
        ({"a": 1}, {"b": 1}, "<class 'dict'> with pytree metadata ('a',), and the tree a <class"),
        (Scaled(1), Scaled(1, "s"), "Scaled'> with pytree metadata ('m',), and the tree a <class"),
        ([None], [3], "Expected None, got 3.\n"),
        ([Point(1, 2)], [(1, 2)], "Expected named tuple, got (1, 2).\n"),
        (Point(1, 2), Pixel(1, 2), f"type mismatch: expected type: {Point}, tuple: Pixel(x=1, y=2"),
        (Scaled(1), 5, f"Custom node type mismatch: expected type: {Scaled}, value: 5.\n"),
        (Scaled(1), Scaled(1, "s"), "Mismatch custom node data: ('m',) != ('s',); value: Scaled("),
        ([ORDERED], [0], f"expected type: {collections.OrderedDict}, value: 0.\n"),
        ([1], list(range(1000)), ", 99, 100, 101,....\npytree structure error: "),
        (
            [1, [2]],
            [1, 2],
            ", got 2.\npytree structure error: different types at key path\n    tr",
        ),
    ],
)
def test_no_prefix(prefix: Any, other: Any, message: str) -> None:
    for flattened in (tree.structure(prefix).flatten_up_to, lambda x: tree.broadcast(prefix, x)):
        with pytest.raises(ValueError, match=re.escape(message)):
            flattened(other)
    with pytest.raises(ValueError, match=r"^[A-Z].*\npytree structure error: "):
        tree.map(lambda x, y: x, prefix, other)


def test_numbers_of_leaves() -> None:
    structure = tree.structure([1, 2])
    with pytest.raises(ValueError, match="Too few leaves for PyTreeDef; expected 2, got 1, at"):
        structure.unflatten([1])
    with pytest.raises(ValueError, match="Too many leaves for PyTreeDef; expected 2, at"):
        tree.unflatten(structure, iter(range(3)))
    with pytest.raises(ValueError, match="Too few leaves for PyTreeDef, at"):
        structure.walk(lambda *_: None, None, [1])

    def refuse(*_: Any) -> Any:
        raise ValueError("of the caller")

    with pytest.raises(ValueError, match=r"^of the caller$"):
        structure.walk(refuse, None, [1, 2])


def test_other_arguments() -> None:
    structure: Any = tree.structure([1])
    for call in (structure.compose, lambda x: tree_util.treedef_tuple([x])):
        with pytest.raises(TypeError, match=r"must be a PyTreeDef.*got: int"):
            call(3)
    with pytest.raises(ValueError, match="must be a container or registered, got: int"):
        PyTreeDef.from_node_data_and_children(default_registry, (int, None), [])
    with pytest.raises(AttributeError):
        structure.note = 1
    assert tree.structure((0, [0])).from_iterable_tree(iter([1, {2}])) == (1, [2])
    with pytest.raises(ValueError, match="shorter"):
        tree.structure((0, [0])).from_iterable_tree([1])


def test_bytes() -> None:
    nested = {"b": [], "a": ({"b": 1, "longer": 2}, None, [0] * 200)}
    structure = tree.structure(nested)
    data = structure.serialize_using_proto()
    assert PyTreeDef.deserialize_using_proto(default_registry, data) == structure
    for wrong in (
        b"",
        b"abc",
        data[:-1],
        data + data,
        b"\n\x04\x08\x01\x10\x04",
        b"\n\x02\x10\x09",
    ):
        with pytest.raises(ValueError, match="Could not deserialize PyTreeDefProto"):
            PyTreeDef.deserialize_using_proto(default_registry, wrong)
    for other, message in ((Point(1, 2), "User-defined nodes"), ({1: 2}, "Only string keys")):
        with pytest.raises(ValueError, match=message):
            tree.structure(other).serialize_using_proto()


def test_registry() -> None:
    flat = default_registry.flatten([1, (2,)], lambda node: type(node) is tuple)
    assert flat == ([1, (2,)], tree.structure([0, 0]))
    assert default_registry.flatten_with_path([1]) == tree.flatten_with_path([1])
    assert default_registry.flatten_one_level({"a": [1]}) == ([[1]], ("a",))
    parts: Any = default_registry.flatten_one_level_with_keys(Scaled(1))
    ((_, child),), data = parts
    assert (child, data) == (1, ("m",))
    assert default_registry.flatten_one_level(3) is None
    assert default_registry.flatten_one_level_with_keys(3) is None
    assert default_registry.is_node(Point)
    assert not default_registry.is_node(int)

    class Box:
        def __init__(self, content: Any) -> None:
            self.content = content

    default_registry.register_node(Box, lambda box: ((box.content,), None), lambda _, c: Box(*c))
    assert tree.leaves(Box([1, 2])) == [1, 2]


def test_structures_of_programs() -> None:
    key = random.key(0)
    argument = {"scaled": Scaled(dnp.ones(2)), "key": key}

    def function(x: Any) -> Any:
        return (Point(x["scaled"], x["key"]),)

    lowered = dt.jit(function).lower(argument)
    exported = export.export(dt.jit(function))(argument)
    for program in (lowered, lowered.compile(), exported):
        assert program.in_tree == tree.structure(((argument,), {}))
        assert program.out_tree == tree.structure(function(argument))
    with pytest.raises(TypeError, match=r"1 array in PyTreeDef\(\[\*\]\)"):
        dt.grad(lambda x: [x])(1.0)


def test_metadata_that_cannot_be_compared() -> None:
    double = dt.jit(lambda scaled: 2 * scaled.x)
    together = dt.jit(lambda x: double(Scaled(x, np.arange(2))) + double(Scaled(x, np.arange(2))))
    assert float(double(Scaled(1.0, np.arange(2)))) == 2
    for call in (lambda: double(Scaled(1.0, np.arange(2))), lambda: together(1.0)):
        with pytest.raises(
            ValueError, match="Exception raised while checking equality of metadata"
        ):
            call()


def test_as_a_static_argument() -> None:
    traced = []

    def total(structure: PyTreeDef, leaves: Any) -> Any:
        traced.append(structure)
        return tree.unflatten(structure, leaves)["a"]

    jitted = dt.jit(total, static_argnums=0)
    for value in (1.0, 2.0):
        leaves, structure = tree.flatten({"a": value})
        assert jitted(structure, leaves) == value
    assert len(traced) == 1
