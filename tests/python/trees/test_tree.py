"""Pytrees: the public functions, registered classes, and classes in transforms."""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import flatten_util, tree, tree_util


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
    with pytest.raises(TypeError, match=r"2 x 2 leaves.*got: PyTreeDef\(\[\(\*, \*\)\]\)"):
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
    with pytest.raises(TypeError, match="must both be specified"):
        tree_util.register_dataclass(Layer, data_fields=["weights"])


def test_trees_as_vectors() -> None:
    pytree = {"a": dnp.ones((2, 2)), "b": 3, "c": np.complex64(1j), "d": None}
    vector, unravel = flatten_util.ravel_pytree(pytree)
    assert vector.dtype == np.complex64
    np.testing.assert_array_equal(vector, [1, 1, 1, 1, 3, 1j])
    back = dt.jit(unravel)(2 * vector)
    assert [x.dtype.name for x in tree.leaves(back)] == ["float32", "int32", "complex64"]
    np.testing.assert_array_equal(back["a"], np.full((2, 2), 2))
    assert flatten_util.ravel_pytree(pytree)[1] == unravel
    with pytest.raises(ValueError, match=r"must have shape \(6,\), got: \(5,\)"):
        unravel(vector[:5])
    with pytest.raises(TypeError, match=r"float32, but expected dtype complex64"):
        unravel(vector.real)
    # Leaves of one type may come back with another one.
    vector, unravel = flatten_util.ravel_pytree((dnp.zeros(2), dnp.zeros(())))
    assert unravel(vector < 1)[0].dtype == bool
    vector, unravel = flatten_util.ravel_pytree([])
    assert vector.shape == (0,)
    assert unravel(vector) == []
    gradient = dt.grad(lambda v: unravel_sum(v))(dnp.ones(3))
    np.testing.assert_array_equal(gradient, [1, 1, 2])


def unravel_sum(vector: Any) -> Any:
    unravel = flatten_util.ravel_pytree((dnp.zeros(2), dnp.zeros(())))[1]
    a, b = unravel(vector)
    return a.sum() + 2 * b


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"data_fields": ["x"]}, TypeError, r"Got data_fields=\['x'\] meta_fields=None"),
        ({"data_fields": ["x"], "meta_fields": []}, ValueError, "Missing fields: {'y'}"),
        (
            {"data_fields": ["x"], "meta_fields": ["y", "z"]},
            ValueError,
            "Unexpected fields: {'z'}",
        ),
        (
            {"data_fields": ["x", "y"], "meta_fields": ["x"]},
            ValueError,
            "fields: {'x'}",
        ),
    ],
)
def test_fields_of_dataclasses(fields: Any, error: type[Exception], message: str) -> None:
    @dataclasses.dataclass
    class Pair:
        x: Any
        y: Any = 5

    with pytest.raises(error, match=message):
        tree_util.register_dataclass(Pair, **fields)
    tree_util.register_dataclass(Pair, data_fields=["x"], meta_fields=[], drop_fields=["y"])
    assert tree.map(lambda x: x + 1, Pair(1, 7)) == Pair(2, 5)


def test_metadata_may_declare_a_field_not_static() -> None:
    assert tree.static(metadata={"name": 1}).metadata == {"static": True, "name": 1}
    assert tree.static(metadata={"static": False}).metadata == {"static": False}


def test_dataclasses_need_fields() -> None:
    class Plain:
        pass

    with pytest.raises(TypeError, match=r"not a dataclass. Got nodetype=.*Plain"):
        tree_util.register_dataclass(Plain)


@pytest.mark.parametrize("made", ["hello", (1, 2, 3, 4), (5, None), ([1], None, (), ())])
def test_nodes_that_flatten_to_nonsense(made: Any) -> None:
    class Node:
        pass

    tree_util.register_pytree_node(Node, lambda _: made, lambda _, c: Node())
    with pytest.raises(ValueError, match=r"return a \(children, aux_data\) tuple"):
        tree.leaves(Node())


def test_keys_of_a_node() -> None:
    class Node:
        def __init__(self, x: Any) -> None:
            self.x = x

    key = tree_util.GetAttrKey
    tree_util.register_pytree_node(
        Node, lambda n: ((n.x,), None), lambda _, c: Node(*c), lambda n: (((key("x"), n.x),), None)
    )
    assert tree_util.keystr(tree_util.tree_leaves_with_path(Node(1))[0][0]) == ".x"


def test_partials_of_partials_are_equal() -> None:
    given = functools.partial(print, 1)
    first, second = tree_util.Partial(given, 2), tree_util.Partial(given, 2)
    assert first.func == second.func == given == first.func
    assert hash(first.func) == hash(second.func)


def test_keywords_of_transpose() -> None:
    outer, inner = tree.structure([0, 0]), tree.structure((0, 0))
    for transpose in (tree.transpose, tree_util.tree_transpose):
        turned = transpose(
            outer_treedef=outer, inner_treedef=inner, pytree_to_transpose=[(1, 2), (3, 4)]
        )
        assert turned == ([1, 3], [2, 4])


def test_arrays_on_their_way_to_the_host() -> None:
    pytree = {"x": dnp.arange(2), "n": 2, "s": "text"}
    assert dt.copy_to_host_async(pytree) is pytree
    got = dt.device_get(pytree)
    assert [type(leaf) for leaf in (got["x"], got["n"], got["s"])] == [np.ndarray, int, str]


def test_descriptions_of_values() -> None:
    like = dt.ShapeDtypeStruct.like
    assert like(1.0) == dt.ShapeDtypeStruct((), "float32", weak_type=True)
    assert like(np.arange(3)) == like(dnp.arange(3)) == dt.ShapeDtypeStruct((3,), "int32")
    assert like(dnp.arange(3)).sharding is None
    committed = dt.device_put(dnp.arange(3), dt.devices()[0])
    assert like(committed).sharding == committed.sharding == like(like(committed)).sharding


@pytest.mark.parametrize("function", [dt.lax.stop_gradient, dt.lax.optimization_barrier])
def test_registered_classes_are_nodes(function: Any) -> None:
    result = function({"pair": Interval(1.5, dnp.ones(2)), "none": None})
    assert type(result["pair"]) is Interval
    assert result["none"] is None
    np.testing.assert_array_equal(result["pair"].high, 1)
    grad = dt.grad(lambda x: function(Interval(x, x)).low * x)(2.0)
    assert grad == (2 if function is dt.lax.stop_gradient else 4)


def test_named_tuples_may_be_nodes_of_their_own_kind(recwarn: pytest.WarningsRecorder) -> None:
    class Pair(NamedTuple):
        x: Any
        label: str

    dt.tree_util.register_pytree_node(
        Pair, lambda pair: ((pair.x,), pair.label), lambda label, x: Pair(x[0], label)
    )
    assert dt.tree.map(lambda x: x + 1, Pair(1, "a")) == Pair(2, "a")
    assert not recwarn.list
