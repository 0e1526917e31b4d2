"""Structures against JAX's: the same text, parts and bytes."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

import pytest

import dovetail as dt
from support.jax_compare import jax


class Point(NamedTuple):
    x: Any
    y: Any


class Scaled:
    def __init__(self, x: Any, unit: str) -> None:
        self.x, self.unit = x, unit


for library in (dt, jax):
    library.tree_util.register_pytree_node(
        Scaled, lambda node: ((node.x,), node.unit), lambda unit, x: Scaled(x[0], unit)
    )

PLAIN = [5, None, (), (1,), [(1, None), {"b": [], "a": {"long": 2, "b": 3}}], [0] * 200]
OTHERS = [
    Point(1, {2: 3}),
    Scaled([1, None], "m"),
    collections.OrderedDict(b=1, a=(2,)),
    collections.defaultdict(int, b=1, a=2),
    {2: Point(1, Point((), 3)), 1: [Scaled(1, "s")]},
]


@pytest.mark.parametrize("tree", PLAIN + OTHERS)
def test_parts(tree: Any) -> None:
    ours, theirs = dt.tree.structure(tree), jax.tree.structure(tree)
    assert str(ours) == str(theirs)
    assert ours.node_data() == theirs.node_data()
    assert list(map(str, ours.children())) == list(map(str, theirs.children()))
    assert (ours.num_leaves, ours.num_nodes) == (theirs.num_leaves, theirs.num_nodes)
    leaves = dt.tree.leaves(tree)
    walked = [
        structure.walk(lambda *node: node, lambda leaf: [leaf], leaves)
        for structure in (ours, theirs)
    ]
    assert walked[0] == walked[1]


@pytest.mark.parametrize("tree", PLAIN)
def test_bytes(tree: Any) -> None:
    ours, theirs = dt.tree.structure(tree), jax.tree.structure(tree)
    data = theirs.serialize_using_proto()
    assert ours.serialize_using_proto() == data
    read = dt.tree_util.PyTreeDef.deserialize_using_proto(dt.tree_util.default_registry, data)
    assert read == ours


@pytest.mark.parametrize("other", [3, None, [1], [1, 2, 3], (1, 2), {"a": 1}, {"b": 2}, *OTHERS])
@pytest.mark.parametrize("prefix", [None, [1, 2], (1,), {"a": 1}, Point(1, 2), Scaled(1, "m")])
def test_errors(prefix: Any, other: Any) -> None:
    outcomes = []
    for library in (dt, jax):
        try:
            outcomes.append(library.tree.structure(prefix).flatten_up_to(other))
        except ValueError as error:
            outcomes.append(str(error).split("\n")[0])
    if isinstance(prefix, dict) and type(other) is not dict and isinstance(other, dict):
        # One class of dictionaries represents another.
        assert "Dict key mismatch" in outcomes[0]
    else:
        assert outcomes[0] == outcomes[1]
