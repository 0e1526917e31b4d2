"""Pytrees: the public functions, registered classes, and classes in transforms."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import tree, tree_util


@tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    weights: Any
    bias: Any
    activation: str = dataclasses.field(default="tanh", metadata={"static": True})


@tree_util.register_pytree_node_class
class Interval:
    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = low, high

    def tree_flatten(self) -> Any:
        return (self.low, self.high), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Interval:
        return cls(*children)


def test_functions() -> None:
    example = {"b": [1, None], "a": (2, 3)}
    leaves, structure = tree.flatten(example)
    assert leaves == tree.leaves(example) == tree_util.tree_leaves(example) == [2, 3, 1]
    assert structure == tree.structure(example)
    assert tree.unflatten(structure, leaves) == example
    assert tree.map(operator.add, example, example) == {"b": [2, None], "a": (4, 6)}
    assert tree.map(lambda x, y: (x, y), (1, 2), ([3], {"k": 4})) == ((1, [3]), (2, {"k": 4}))
    assert tree.reduce(operator.add, example) == 6
    assert tree.reduce(operator.add, {}, 5) == 5
    assert tree.all(example)
    assert not tree.all([1, 0])
    assert tree.leaves(example, is_leaf=lambda node: isinstance(node, tuple)) == [(2, 3), 1]
    turned = tree.transpose(tree.structure([0, 0]), None, [(1, 2), (3, 4)])
    assert turned == ([1, 3], [2, 4])


def test_transpose_of_other_structures() -> None:
    pair, couple, nothing = tree.structure([0, 0]), tree.structure((0, 0)), tree.structure([])
    with pytest.raises(TypeError, match=r"2 x 2 leaves.*got PyTreeSpec\(\[\(\*, \*\)\]\)"):
        tree.transpose(pair, couple, [(1, 2)])
    with pytest.raises(TypeError, match="2 x 2 leaves"):
        tree.transpose(pair, None, [(1, 2), (3, 4, 5)])
    with pytest.raises(ValueError, match="list"):
        tree.transpose(pair, None, ((1, 2), (3, 4)))
    with pytest.raises(IndexError, match="give inner_treedef"):
        tree.transpose(nothing, None, [])
    # As in JAX, leaves are counted and containers are not compared.
    assert tree.transpose(pair, couple, {"a": [1, 2], "b": [3, 4]}) == ([1, 3], [2, 4])
    assert tree.transpose(pair, tree.structure((0, None)), [(1, None), (3, None)]) == ([1, 3], None)
    assert tree.transpose(pair, tree.structure(()), [(), ()]) == ()
    assert tree.transpose(nothing, couple, []) == ([], [])


def test_registered_classes_go_through_transforms() -> None:
    def loss(layer: Layer, x: Any) -> Any:
        assert layer.activation == "tanh"
        return dnp.sum(dnp.tanh(x @ layer.weights + layer.bias))

    layer = Layer(np.ones((2, 3), np.float32), np.zeros(3, np.float32))
    gradient = dt.grad(loss)(layer, np.ones(2, np.float32))
    assert isinstance(gradient, Layer)
    assert gradient.activation == "tanh"
    assert gradient.weights.shape == (2, 3)
    compiled = dt.jit(lambda layer: Layer(layer.bias, layer.weights, layer.activation))(layer)
    assert compiled.bias.shape == (2, 3)
    batched = dt.vmap(lambda i: Interval(i.low - 1, i.high + 1))(
        Interval(dnp.zeros(2), dnp.ones(2))
    )
    np.testing.assert_array_equal(batched.high, [2, 2])
    mixed = dt.vmap(lambda i: i.low * i.high, in_axes=(Interval(0, None),))(
        Interval(dnp.ones(2), 3.0)
    )
    np.testing.assert_array_equal(mixed, [3, 3])


def test_static_fields_are_part_of_the_signature() -> None:
    seen = []
    f = dt.jit(lambda layer: seen.append(layer.activation) or layer.bias)
    for activation in ("tanh", "relu", "tanh"):
        f(Layer(1.0, 2.0, activation))
    assert seen == ["tanh", "relu"]


def test_registration_is_checked() -> None:
    with pytest.raises(ValueError, match="already registered"):
        tree_util.register_pytree_node_class(Interval)
    with pytest.raises(TypeError, match="together"):
        tree_util.register_dataclass(Layer, data_fields=["weights"])
