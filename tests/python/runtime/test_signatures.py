"""Signatures of functions in module files: pytrees, wrong arguments, malformed ones."""

from __future__ import annotations

import json
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail import runtime
from dovetail.runtime import ArraySpec, Signature
from dovetail.runtime.signature import decode_tree, encode_tree
from dovetail.runtime.tree import Arguments, unflatten
from support.runtime_modules import ADD, module, select

ROW, ROWS = ArraySpec((4,), np.dtype(np.float32)), ArraySpec(("n", 4), np.dtype(np.float32))
FLAG = ArraySpec((), np.dtype(bool))
TREES = Signature(
    (FLAG, ROWS, ROWS),
    (ROWS,),
    in_tree=({"flag": 0, "pair": (1, None)}, [2]),
    out_tree={"result": [0, None], 3: ()},
    arg_names=("params", "rest"),
)


@pytest.fixture(scope="session")
def tree_function() -> runtime.Function:
    return runtime.load(module(select("f", (None, 4), "f32", TREES)), "local-sync").f


def test_calls_take_and_return_pytrees(tree_function: runtime.Function) -> None:
    x, y = np.ones((2, 4), np.float32), np.zeros((2, 4), np.float32)
    result = tree_function({"flag": True, "pair": (x, None)}, [y])
    assert list(result) == ["result", 3]
    assert result[3] == ()
    assert result["result"][1] is None
    np.testing.assert_array_equal(result["result"][0].numpy(), x)
    result = tree_function(rest=[y], params={"pair": (x, None), "flag": np.False_})
    np.testing.assert_array_equal(result["result"][0].numpy(), y)
    result = tree_function({"flag": 1 == 1, "pair": ([[1, 2, 3, 4]], None)}, rest=[y[:1]])
    np.testing.assert_array_equal(result["result"][0].numpy(), [[1, 2, 3, 4]])
    assert (
        repr(tree_function) == "<function f(bool[], float32[n,4], float32[n,4]) -> (float32[n,4])>"
    )


X = np.zeros((2, 4), np.float32)
PARAMS = {"flag": np.True_, "pair": (X, None)}


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        ((), {}, TypeError, r"f takes 2 arguments \(params, rest\), got: 0"),
        ((PARAMS, [X], X), {}, TypeError, r"takes 2 arguments .*, got: 3"),
        ((PARAMS,), {"params": X}, TypeError, "argument 'params' twice"),
        ((PARAMS,), {"y": X}, TypeError, "no argument 'y'; it has: params, rest"),
        ((), {"rest": [X]}, TypeError, "f needs params, got: rest"),
        ((X, [X]), {}, TypeError, "params must be a dict, got: ndarray"),
        (
            ({"flag": X}, [X]),
            {},
            TypeError,
            r"params must be a dict with the keys \['flag', 'pair'",
        ),
        ((PARAMS, (X,)), {}, TypeError, "rest must be a list, got: tuple"),
        ((PARAMS, [X, X]), {}, TypeError, "rest must be a list of 1 elements, got: 2 elements"),
        (
            ({"flag": True, "pair": (X, X)}, [X]),
            {},
            TypeError,
            r"params\['pair'\]\[1\] must be None, got: ndarray",
        ),
        (
            ({"flag": True, "pair": (X.astype(np.float64), None)}, [X]),
            {},
            TypeError,
            r"params\['pair'\]\[0\] must have dtype float32, got: float64; "
            r"pass x.astype\('float32'\)",
        ),
        ((PARAMS, [X[:, :3]]), {}, TypeError, r"rest\[0\] must be .* got: float32\[2,3\]"),
        ((PARAMS, [X[0]]), {}, TypeError, r"rest\[0\] must be .* got: float32\[4\]"),
        (
            (PARAMS, [X[:1]]),
            {},
            TypeError,
            r"rest\[0\] must be float32\[n,4\] where n = 2, got: float32\[1,4\]",
        ),
        ((PARAMS, ["text"]), {}, TypeError, r"rest\[0\] must be an array .* got: str"),
        ((PARAMS, [None]), {}, TypeError, r"rest\[0\] must be an array .* got: None"),
        ((PARAMS, [[[1j, 0, 0, 0]]]), {}, TypeError, "must have dtype float32, got: complex128"),
        (({"flag": 1, "pair": (X, None)}, [X]), {}, TypeError, "must have dtype bool, got: int64"),
    ],
)
def test_wrong_arguments_are_named(
    tree_function: runtime.Function,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        tree_function(*args, **kwargs)


def test_foreign_modules_are_checked_by_their_declaration() -> None:
    loaded = runtime.load(module(ADD, select("f", (None, 2), "i8")), "local-sync")
    assert loaded.functions == ["add", "f"]
    x = np.ones(4, np.float32)
    np.testing.assert_array_equal(loaded.add(x, [1, 2, 3, 4]).numpy(), [2, 3, 4, 5])
    with pytest.raises(TypeError, match="add takes 2 arguments, got: 1"):
        loaded.add(x)
    with pytest.raises(TypeError, match=r"args\[1\] must be float32\[4\], got: float32\[3\]"):
        loaded.add(x, x[:3])
    with pytest.raises(TypeError, match="no argument 'b'; it has: arguments by position only"):
        loaded.add(x, b=x)
    small = np.ones((3, 2), np.uint8)
    assert loaded.f(True, small, small).dtype == np.int8
    with pytest.raises(TypeError, match=r"args\[1\] must have dtype int8, got: int16"):
        loaded.f(True, small.astype(np.int16), small)


def test_numbers_of_results() -> None:
    loaded = runtime.load(
        module(
            "func.func @none(%a: tensor<4xf32>) { return }",
            "func.func @two(%a: tensor<4xf32>, %b: tensor<4xf32>) -> "
            "(tensor<4xf32>, tensor<4xf32>) { return %b, %a : tensor<4xf32>, tensor<4xf32> }",
        )
    )
    x, y = np.zeros(4, np.float32), np.ones(4, np.float32)
    assert loaded.none(x) is None
    first, second = loaded.two(x, y)
    np.testing.assert_array_equal(first.numpy(), y)
    np.testing.assert_array_equal(second.numpy(), x)


def test_scalar_parameters_are_not_checked() -> None:
    vmfb = module(
        "func.func @f(%a: i32, %b: tensor<complex<f32>>, %c: tensor<1x?xbf16>)"
        " -> tensor<complex<f32>> { return %b : tensor<complex<f32>> }"
    )
    signature = runtime.load(vmfb).f.signature
    assert signature is not None
    complex64, bfloat16 = np.dtype(np.complex64), np.dtype(ml_dtypes.bfloat16)
    assert signature.inputs == (None, ArraySpec((), complex64), ArraySpec((1, None), bfloat16))
    assert signature.outputs == (ArraySpec((), complex64),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"inputs": []}',
        '{"inputs": [{"shape": [-1], "dtype": "float32"}], "outputs": []}',
        '{"inputs": [{"shape": [1], "dtype": "object"}], "outputs": []}',
        '{"inputs": [], "outputs": [], "in_tree": 3, "out_tree": null}',
        '{"inputs": [], "outputs": [], "in_tree": {"set": []}, "out_tree": null}',
        '{"inputs": [], "outputs": [], "in_tree": {"tuple": []}, "out_tree": 0}',
        '{"inputs": [], "outputs": [], "in_tree": {"tuple": []}}',
    ],
)
def test_malformed_signatures_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"'dovetail\.signature' of the function is malformed"):
        Signature.from_json(text)


def test_unknown_specs_survive() -> None:
    signature = Signature((None, ROW), (ROWS, None))
    assert Signature.from_json(signature.to_json()) == signature


def test_only_plain_containers_are_written() -> None:
    with pytest.raises(TypeError, match="dict, list, tuple and None only, got: set"):
        encode_tree({1})
    with pytest.raises(TypeError, match=r"must be a string or an int, got: \(1, 2\)"):
        encode_tree({(1, 2): 0})


trees = st.recursive(
    st.none() | st.just(object()),
    lambda children: (
        st.lists(children, max_size=3)
        | st.lists(children, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), children, max_size=3)
    ),
    max_leaves=10,
)


@given(st.lists(trees, max_size=3).map(tuple))
def test_trees_survive(tree: Any) -> None:
    count = 0

    def number(node: Any) -> Any:
        nonlocal count
        if isinstance(node, dict):
            return {key: number(child) for key, child in node.items()}
        if isinstance(node, tuple | list):
            return type(node)(number(child) for child in node)
        if node is None:
            return None
        count += 1
        return count - 1

    numbered = number(tree)
    data = json.loads(json.dumps(encode_tree(numbered)))
    assert decode_tree(data) == numbered
    specs = (FLAG,) * count
    signature = Signature(specs, specs, numbered, numbered)
    assert Signature.from_json(signature.to_json()) == signature
    leaves = [np.bool_(i % 2 == 1) for i in range(count)]
    flat = Arguments("f", signature).flatten(unflatten(numbered, leaves), {})
    assert [bool(leaf) for leaf in flat] == [bool(leaf) for leaf in leaves]
