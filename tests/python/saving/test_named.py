"""Arrays by name: files and dictionaries into trees, what does not match, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.base import dtypes
from dovetail.checkpoint import load, load_named, save, save_named

F = np.float32


class Dense(NamedTuple):
    w: Any
    b: Any


STATE = {
    "0.weight": np.arange(6, dtype=F).reshape(3, 2),
    "0.bias": np.ones(3, F),
    "1.weight": np.arange(3, dtype=F).reshape(1, 3),
    "1.bias": np.zeros(1, F),
}
LIKE = [Dense(dnp.zeros((2, 3)), dnp.zeros(3)), Dense(dnp.zeros((3, 1)), dnp.zeros(1))]
NAMES = {r"w$": "weight", r"b$": "bias"}
CONVERT = {r".*\.w": np.transpose}


def check(tree: Any) -> None:
    assert isinstance(tree[0], Dense)
    for i, dense in enumerate(tree):
        np.testing.assert_array_equal(dense.w, STATE[f"{i}.weight"].T)
        np.testing.assert_array_equal(dense.b, STATE[f"{i}.bias"])
        assert isinstance(dense.w, dt.Array)


def write_index(folder: Path) -> Path:
    """Two files, and an index of them."""
    parts = {"a.safetensors": list(STATE)[:2], "b.safetensors": list(STATE)[2:]}
    for file, names in parts.items():
        save_file({name: STATE[name] for name in names}, folder / file)
    weight_map = {name: file for file, names in parts.items() for name in names}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return index


def test_sources(tmp_path: Path) -> None:
    single, several, other = tmp_path / "one", tmp_path / "many", tmp_path / "x.npz"
    single.mkdir()
    several.mkdir()
    save_file(STATE, single / "model.safetensors")
    index = write_index(several)
    np.savez(other, **STATE)  # type: ignore[arg-type]
    tensors = {name: dnp.asarray(x) for name, x in STATE.items()}
    for source in (STATE, tensors, single / "model.safetensors", single, index, several, other):
        tree, matching = load_named(source, LIKE, names=NAMES, convert=CONVERT)
        check(tree)
        assert matching.is_complete
        assert str(matching) == "4 of 4 leaves matched"
        assert matching.matched["1.w"] == "1.weight"
    index.unlink()
    with pytest.raises(ValueError, match=r"one index of several, got: \['a.*', 'b.*'\]"):
        load_named(several, LIKE)
    with pytest.raises(FileNotFoundError):
        load_named(tmp_path / "none.safetensors", LIKE)


def test_names_may_be_a_function() -> None:
    long = {"w": "weight", "b": "bias"}
    tree, _ = load_named(
        STATE, LIKE, names=lambda path: f"{path[:-1]}{long[path[-1]]}", convert=CONVERT
    )
    check(tree)


def test_reports() -> None:
    state = {**STATE, "extra": np.zeros(2, F), "1.bias": np.zeros(2, F)}
    del state["0.bias"]
    with pytest.raises(ValueError, match="each leaf of `like` must have an array") as error:
        load_named(state, LIKE, names=NAMES, convert=CONVERT)
    for line in (
        "2 of 4 leaves matched",
        "missing: 0.b (no 0.bias)",
        "misfit: 1.b is float32[1], and its array float32[2]",
        "unused: extra",
    ):
        assert line in str(error.value)
    tree, matching = load_named(state, LIKE, names=NAMES, convert=CONVERT, strict=False)
    assert not matching.is_complete
    assert matching.missing == {"0.b": "0.bias"}
    assert set(matching.misfits) == {"1.b"}
    assert matching.unused == ("extra",)
    # These stay as they are.
    assert tree[0].b is LIKE[0].b
    assert tree[1].b is LIKE[1].b
    np.testing.assert_array_equal(tree[0].w, STATE["0.weight"].T)
    # Integers are no floats.
    _, matching = load_named({"x": np.zeros(2, np.int32)}, {"x": dnp.zeros(2)}, strict=False)
    assert "int32[2]" in matching.misfits["x"]


def test_types_are_those_of_the_tree() -> None:
    state = {"half": np.ones(2, dtypes.bfloat16), "wide": np.ones(2), "count": np.int64(3)}
    like = {"half": dnp.zeros(2), "wide": dnp.zeros(2, dnp.bfloat16), "count": 0}
    tree, matching = load_named(state, like)
    assert tree["half"].dtype == np.float32
    assert tree["wide"].dtype == dnp.bfloat16
    assert type(tree["count"]) is int
    assert tree["count"] == 3
    assert matching.converted["half"] == dtypes.bfloat16
    described = {"x": dt.ShapeDtypeStruct((2,), np.float16)}
    tree, _ = load_named({"x": np.ones(2, F)}, described)
    assert tree["x"].dtype == np.float16
    tree, _ = load_named({"x": np.ones(2, F)}, {"x": np.zeros(2)})
    assert type(tree["x"]) is np.ndarray


def test_tied_weights_are_read_for_each_leaf() -> None:
    shared = {"table": np.arange(4, dtype=F)}
    like = {"embed": dnp.zeros(4), "head": dnp.zeros(4)}
    tree, matching = load_named(shared, like, names=lambda _: "table")
    np.testing.assert_array_equal(tree["embed"], tree["head"])
    assert matching.is_complete


def test_round_trip(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    tree, _ = load_named(STATE, LIKE, names=NAMES, convert=CONVERT)
    written = save_named(file, tree, names=NAMES, convert=CONVERT)
    assert written == {"0.w": "0.weight", "0.b": "0.bias", "1.w": "1.weight", "1.b": "1.bias"}
    for name, values in load_file(file).items():
        np.testing.assert_array_equal(values, STATE[name])
    assert set(load(file)) == set(STATE)
    check(load_named(file, LIKE, names=NAMES, convert=CONVERT)[0])
    half = {"x": dnp.ones(3, dnp.bfloat16)}
    save_named(file, half)
    assert load_named(file, half)[0]["x"].dtype == dnp.bfloat16
    # What `save` wrote has names, too.
    save(file, {"a": {"b": dnp.ones(2)}})
    tree, _ = load_named(file, {"a": {"b": dnp.zeros(2)}}, names=lambda p: p.replace(".", "/"))
    np.testing.assert_array_equal(tree["a"]["b"], 1)


def test_trees_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    with pytest.raises(TypeError, match="leaves must be arrays, got: str at a"):
        save_named(file, {"a": "text"})
    with pytest.raises(
        TypeError, match="element types must be those of the format, got: complex64"
    ):
        save_named(file, {"a": dnp.ones(2, complex)})
    with pytest.raises(ValueError, match="a name of its own, got: x for a and b"):
        save_named(file, {"a": dnp.ones(2), "b": dnp.ones(2)}, names=lambda _: "x")
    assert not file.exists()
