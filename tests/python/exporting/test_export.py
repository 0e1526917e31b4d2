"""Compiled functions as files: the same numbers, trees and names without a compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import runtime


class State(NamedTuple):
    step: Any
    params: Any


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Any:
    table = np.arange(40, dtype=np.float32)

    def f(state: Any, power: int, x: Any, *, scale: Any, b: Any) -> Any:
        y = x**power * scale + dnp.sum(table) * 0
        params = {k: v - dnp.sum(y) for k, v in state.params.items()}
        return State(state.step + 1, params), [y, (b["low"], None)]

    args = (
        State(np.int32(3), {"w": np.ones((2, 2), np.float32), "a": np.float32(2)}),
        2,
        np.array([1, 2], np.float32),
    )
    named = {"scale": np.float32(0.5), "b": {"low": np.int8(-3), "high": np.uint8(200)}}
    path = tmp_path_factory.mktemp("export") / "f.vmfb"
    jitted = dt.jit(f, static_argnums=1)
    jitted.lower(*args, **named).compile().save(path)
    table[:] = 1e9
    return path, jitted, args, named


def test_loaded_function_is_the_same(saved: tuple[Path, Any, Any, Any]) -> None:
    path, jitted, (state, power, x), named = saved
    expected = jitted(state, power, x, **named)
    plain = (state.step, state.params)
    main = runtime.load(path).main
    for result in (main(plain, x, **named), main(plain, x, named["b"], named["scale"])):
        leaves, spec = dt.tree.flatten(expected)
        (step, params), (y, (low, nothing)) = result
        assert (result[0].step, result[0].params) == (step, params)
        assert isinstance(result[1], list)
        assert nothing is None
        got = [step, params["a"], params["w"], y, low]
        assert spec.num_leaves == len(got)
        for a, b in zip(leaves, got, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(np.asarray(a), np.asarray(b))


def test_loaded_function_explains_wrong_arguments(saved: tuple[Path, Any, Any, Any]) -> None:
    path, _, (state, _, x), named = saved
    main = runtime.load(path).main
    plain = (state.step, state.params)
    with pytest.raises(TypeError, match=r"x must be float32\[2\], got: float32\[3\]"):
        main(plain, np.ones(3, np.float32), **named)
    with pytest.raises(TypeError, match="scale"):
        main(plain, x, b=named["b"])
    wrong = {**state.params, "w": np.ones((2, 3), np.float32)}
    for given, message in [
        (
            state._replace(params=wrong),
            r"state\.params\['w'\] must be float32\[2,2\], got: .*2,3\]",
        ),
        ((state.step, wrong), r"state\.params\['w'\] must be float32\[2,2\], got: .*2,3\]"),
        (state._replace(params=x), r"state\.params must be a dict, got: ndarray"),
        (state._replace(step=1.5), r"state\.step must have dtype int32, got: float64"),
        (x, r"state must be an object with step, params, got: ndarray without step"),
    ]:
        with pytest.raises(TypeError, match=message):
            main(given, x, **named)


def test_registered_classes_are_tuples_in_files(tmp_path: Path) -> None:
    class Box:
        def __init__(self, content: Any, label: str) -> None:
            self.content, self.label = content, label

    dt.tree_util.register_pytree_node(
        Box, lambda box: ((box.content,), box.label), lambda label, content: Box(content[0], label)
    )
    path = tmp_path / "box.vmfb"
    f = dt.jit(lambda box: Box({"sum": box.content[0] + box.content[1]}, box.label + "!"))
    box = f(Box((1.0, 2.0), "name"))
    assert box.label == "name!"
    f.lower(Box((1.0, 2.0), "name")).compile().save(path)
    (result,) = runtime.load(path).main(((1.0, 2.0),))
    assert float(result["sum"]) == float(box.content["sum"]) == 3
