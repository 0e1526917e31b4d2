"""Saved trees: every type of leaf, structures, files that do not match or are damaged."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import numpy as plain

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, random, tree_util
from dovetail.base import dtypes
from dovetail.checkpoint import load, save
from dovetail.saving import files


class Layer(NamedTuple):
    w: Any
    b: Any


class Box:
    """A registered class without names for its children."""

    def __init__(self, *content: Any) -> None:
        self.content = content


tree_util.register_pytree_node(Box, lambda b: (b.content, None), lambda _, c: Box(*c))


def test_names() -> None:
    module = importlib.import_module("dovetail.checkpoint")
    assert dt.checkpoint is module
    assert dt.checkpoint.save is save
    assert dt.checkpoint.load is load
    f = dt.checkpoint(lambda x: dnp.sin(dnp.sin(x)))
    assert dt.grad(f)(0.0) == 1
    assert dt.grad(dt.checkpoint(policy=dt.checkpoint_policies.dots_saveable)(dnp.sin))(0.0) == 1
    # However it is imported first.
    for first in ("import dovetail.checkpoint", "from dovetail.checkpoint import load"):
        code = (
            f"{first}\nimport dovetail as dt\nassert dt.grad(dt.checkpoint(lambda x: x))(1.0) == 1"
        )
        subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("dtype", dtypes.KINDS, ids=lambda dtype: dtype.name)
def test_element_types(tmp_path: Path, dtype: np.dtype) -> None:
    with config.enable_x64(True):
        kind = dtypes.KINDS[dtype]
        values = np.array([[0, 1, 1], [1, 0, 1]])
        raw = (values + (1j * values if kind == "c" else 0)).astype(dtype)
        tree = {
            "array": dnp.asarray(raw),
            "numpy": raw,
            "scalar": raw[0, 1],
            "rank0": dnp.asarray(raw[0, 1]),
            "empty": dnp.zeros((0, 3), dtype),
            "turned": raw.T,
        }
        save(tmp_path / "x", tree)
        for back in (load(tmp_path / "x"), load(tmp_path / "x", tree)):
            assert sorted(back) == sorted(tree)
            for name, value in tree.items():
                assert type(back[name]) is type(value), name
                assert back[name].dtype == dtype
                assert back[name].shape == value.shape
                assert np.asarray(back[name]).tobytes() == np.asarray(value).tobytes(), name


def test_bits_are_kept(tmp_path: Path) -> None:
    bits = np.array([0x7FC00001, 0x80000000, 0x7F800000, 1], np.uint32)
    save(tmp_path / "x", bits.view(np.float32))
    np.testing.assert_array_equal(load(tmp_path / "x").view(np.uint32), bits)


def test_numbers_and_weak_types(tmp_path: Path) -> None:
    numbers = [True, 7, -(2**63), 0.1, float("inf"), 1 + 2j]
    tree = {"numbers": numbers, "weak": dnp.asarray(1.0) * 1, "strong": dnp.float32(1)}
    tree["weak"] = dt.jit(lambda: 1.0)()
    assert tree["weak"].weak_type
    save(tmp_path / "x", tree)
    for back in (load(tmp_path / "x"), load(tmp_path / "x", tree)):
        assert back["numbers"] == numbers
        assert [type(n) for n in back["numbers"]] == [type(n) for n in numbers]
        assert back["weak"].weak_type
        assert not back["strong"].weak_type
    # Array-likes become arrays.
    save(tmp_path / "y", np.ones(2, np.float32))
    assert isinstance(load(tmp_path / "y", dt.ShapeDtypeStruct((2,), np.float32)), dt.Array)
    assert type(load(tmp_path / "y", np.zeros(2, np.float32))) is np.ndarray


def test_random_keys(tmp_path: Path) -> None:
    tree = {"one": random.key(3), "many": random.split(random.key(1), 4), "raw": random.PRNGKey(5)}
    save(tmp_path / "x", tree)
    like = dt.eval_shape(lambda: tree)
    for back in (load(tmp_path / "x"), load(tmp_path / "x", tree), load(tmp_path / "x", like)):
        for name, keys in tree.items():
            assert back[name].dtype == keys.dtype
            assert back[name].shape == keys.shape
            bits = random.key_data(back[name]), random.key_data(keys)
            np.testing.assert_array_equal(*bits)
        assert random.normal(back["one"]) == random.normal(tree["one"])
    with pytest.raises(ValueError, match=r"many is key<fry>\[3\] here, in the file random keys"):
        load(tmp_path / "x", tree | {"many": tree["many"][:3]})
    with pytest.raises(ValueError, match=r"raw is key<fry>\[\] here, in the file uint32\[2\]"):
        load(tmp_path / "x", tree | {"raw": tree["one"]})


def test_structures(tmp_path: Path) -> None:
    one = dnp.ones(2)
    tree = {
        "layers": [Layer(one, None), Layer(2 * one, 3)],
        "empty": {"dict": {}, "list": [], "tuple": (), "none": None},
        "box": Box(4, {"deep": 5}),
        "text/with [signs]": 6,
        3: (7, 8),
    }
    tree = {str(k): v for k, v in tree.items()}
    save(tmp_path / "x", tree)
    back = load(tmp_path / "x", tree)
    assert dt.tree.structure(back) == dt.tree.structure(tree)
    assert dt.tree.all(dt.tree.map(lambda x, y: bool(np.all(np.equal(x, y))), back, tree))
    freely = load(tmp_path / "x")
    assert freely["empty"] == tree["empty"]
    assert freely["box"] == [4, {"deep": 5}]
    assert freely["text/with [signs]"] == 6
    assert freely["3"] == [7, 8]
    assert freely["layers"][0]["b"] is None
    np.testing.assert_array_equal(freely["layers"][1]["w"], [2, 2])
    for alone in (1.5, None, {}, [], np.arange(3)):
        save(tmp_path / "alone", alone)
        assert np.all(load(tmp_path / "alone") == alone)


def test_keys_that_look_alike(tmp_path: Path) -> None:
    tree = {1: {"a": 1.0}, 2: {"a/b": 2.0, "a": {"b": 3.0}}}
    save(tmp_path / "x", tree)
    assert load(tmp_path / "x") == tree
    assert load(tmp_path / "x", tree) == tree
    odd = {(1, 2): 4.0}
    save(tmp_path / "y", odd)
    assert load(tmp_path / "y", odd) == odd
    assert load(tmp_path / "y") == {"(1, 2)": 4.0}


LEAVES = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.none()
)
TREES = st.recursive(
    LEAVES, lambda t: st.lists(t, max_size=3) | st.dictionaries(st.text(), t, max_size=3)
)


@settings(max_examples=60)
@given(TREES)
def test_any_tree(tmp_path_factory: pytest.TempPathFactory, tree: Any) -> None:
    path = tmp_path_factory.mktemp("trees") / "x"
    save(path, tree)
    assert load(path) == tree
    back = load(path, tree)
    assert back == tree
    assert dt.tree.structure(back) == dt.tree.structure(tree)


def test_leaves_that_do_not_fit_are_all_named(tmp_path: Path) -> None:
    save(tmp_path / "x", {"a": dnp.zeros(3), "b": dnp.zeros((2, 2)), "c": 1, "d": dnp.ones(1)})
    like = {"a": dnp.zeros(3), "b": dnp.zeros(4), "c": 1.0, "e": 0, "f": dnp.zeros(())}
    with pytest.raises(ValueError, match=r"checkpoint.load: the leaves of `like`") as caught:
        load(tmp_path / "x", like)
    text = str(caught.value)
    assert "b is float32[4] here, in the file float32[2,2]" in text
    assert "c is a Python float here, in the file int64[]" in text
    assert "e is missing in the file" in text
    assert "f is missing in the file" in text
    assert "d is in the file only" in text
    assert "a is" not in text
    with pytest.raises(TypeError, match=r"leaves of `like` must be arrays.*got: str at a"):
        load(tmp_path / "x", {"a": "text"})


def test_leaves_that_cannot_be_saved(tmp_path: Path) -> None:
    for leaf, got in (("text", "str"), (np.array(["a"]), "ndarray of <U1"), (print, "builtin")):
        with pytest.raises(TypeError, match=rf"got: {got}.* at layers/0"):
            save(tmp_path / "x", {"layers": [leaf]})
    with pytest.raises(ValueError, match=r"must fit int64, got: 9223372036854775808 at n"):
        save(tmp_path / "x", {"n": 2**63})
    with pytest.raises(dt.errors.TracerArrayConversionError):
        dt.jit(lambda x: save(tmp_path / "x", x))(1.0)
    assert os.listdir(tmp_path) == []


def test_64_bits_need_the_setting(tmp_path: Path) -> None:
    with config.enable_x64(True):
        save(tmp_path / "x", {"a": dnp.zeros(3)})
    with pytest.raises(ValueError, match=r"need enable_x64, got: float64\[3\] at a"):
        load(tmp_path / "x")
    assert load(tmp_path / "x", {"a": np.zeros(3)})["a"].dtype == np.float64


def test_an_old_file_stays_until_the_new_one_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "x", {"a": 1})

    def fail(*_: Any) -> None:
        raise OSError("no space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            with pytest.raises(OSError, match="no space"):
                save(tmp_path / "x", {"a": 2})
        assert load(tmp_path / "x") == {"a": 1}
        assert os.listdir(tmp_path) == ["x"]
    save(str(tmp_path / "x"), {"a": 2})
    assert load(str(tmp_path / "x")) == {"a": 2}
    with pytest.raises(FileNotFoundError):
        save(tmp_path / "nowhere" / "x", 1)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")


def test_damaged_files(tmp_path: Path) -> None:
    save(tmp_path / "x", {"weights": dnp.arange(100.0), "n": 3})
    whole = (tmp_path / "x").read_bytes()
    damaged = {
        "cut": whole[:-10],
        "empty": b"",
        "text": b"this is not a checkpoint at all",
        "begin": b"\xff" + whole[1:],
        "header": whole[:20] + b"\xff\xff" + whole[22:],
    }
    for name, data in damaged.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=rf"{name}: it is no whole safetensors file"):
            load(tmp_path / name)
    # A bit anywhere among the elements.
    at = len(whole) - 50
    (tmp_path / "bit").write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
    with pytest.raises(ValueError, match="the bytes of weights are not those that were saved"):
        load(tmp_path / "bit")


def test_damage_to_the_meaning_of_bytes(tmp_path: Path) -> None:
    save(tmp_path / "x", {"weights": dnp.ones((2, 30)), "n": dnp.asarray(2.0)})
    whole = (tmp_path / "x").read_bytes()
    for name, old, new in [
        ("shape", b"[2,30]", b"[30,2]"),
        ("type", b'"float32', b'"int32  '),
        ("path", b"weights\\", b"weighty\\"),
        ("weak", b"weak", b"wean"),
        ("name of the notes", b"dovetail.checkpoint", b"dovetail.checkpoinu"),
        ("name of the digest", b"dovetail.sha256", b"dovetail.sha257"),
    ]:
        assert old in whole, (name, whole)
        (tmp_path / "y").write_bytes(whole.replace(old, new))
        with pytest.raises(ValueError, match="its notes"):
            load(tmp_path / "y")


@settings(max_examples=150)
@given(st.integers(0, 10**6), st.integers(1, 255))
def test_every_bit_of_a_file_is_checked(
    tmp_path_factory: pytest.TempPathFactory, place: int, change: int
) -> None:
    path = tmp_path_factory.mktemp("bits") / "x"
    tree = {"weights": [1.5, -2.0], "step": 7}
    save(path, tree)
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= change
    path.write_bytes(data)
    with contextlib.suppress(ValueError):
        assert load(path) == tree


def test_versions_and_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "FIRST_VERSION", 3)
        save(tmp_path / "later", 1)
    with pytest.raises(ValueError, match=r"version must be at most 2, got: 3.*install a later"):
        load(tmp_path / "later")
    # Files of other programs, and our files read by them.
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    plain.save_file({"layer.w": x, "n": np.array(3)}, tmp_path / "other")
    back = load(tmp_path / "other", {"layer.w": dnp.zeros((2, 3)), "n": np.array(0)})
    np.testing.assert_array_equal(back["layer.w"], x)
    assert back["n"] == 3
    save(tmp_path / "ours", {"layer": [x]})
    np.testing.assert_array_equal(plain.load_file(tmp_path / "ours")["layer/0"], x)
    data = (tmp_path / "ours").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    notes = json.loads(header["__metadata__"]["dovetail.checkpoint"])
    assert notes["version"] == 1
    assert re.fullmatch("layer/0", next(iter(notes["leaves"])))
