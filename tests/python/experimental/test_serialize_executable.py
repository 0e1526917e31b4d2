"""Compiled programs as bytes: loaded here, in another process, damaged, and unsuitable ones."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import serialize_executable
from dovetail.experimental.serialize_executable import deserialize_and_load

WEIGHTS = np.arange(12, dtype=np.float32).reshape(3, 4)


def compiled():
    def f(params, x, *, scale):
        return {"y": dnp.tanh(x @ params["w"] + WEIGHTS[0]) * scale, "n": x.astype(int).sum()}

    return dt.jit(f).lower({"w": WEIGHTS}, np.ones((2, 3), np.float32), scale=2.0).compile()


def check(loaded, expected):
    made = loaded({"w": WEIGHTS}, np.ones((2, 3), np.float32), scale=2.0)
    np.testing.assert_allclose(made["y"], expected["y"], rtol=1e-6)
    assert int(made["n"]) == int(expected["n"])
    assert (made["y"].dtype, made["n"].dtype) == (np.float32, np.int32)


def test_here():
    program = compiled()
    expected = program({"w": WEIGHTS}, np.ones((2, 3), np.float32), scale=2.0)
    data, in_tree, out_tree = serialize_executable.serialize(program)
    loaded = deserialize_and_load(data, in_tree, out_tree)
    check(loaded, expected)
    assert loaded.in_tree == program.in_tree
    assert loaded.args_info[0][0]["w"].shape == (3, 4)
    with pytest.raises(TypeError, match="does not match the input pytree"):
        loaded({"w": WEIGHTS}, np.ones((2, 3), np.float32))
    with pytest.raises(TypeError, match="Argument types differ"):
        loaded({"w": WEIGHTS}, np.ones((4, 3), np.float32), scale=2.0)


def test_in_another_process(tmp_path):
    program = compiled()
    saved = tmp_path / "program"
    saved.write_bytes(pickle.dumps(serialize_executable.serialize(program)))
    code = f"""
import pickle, numpy as np, dovetail as dt
from dovetail.experimental.serialize_executable import deserialize_and_load
loaded = deserialize_and_load(*pickle.loads(open({str(saved)!r}, "rb").read()))
w = np.arange(12, dtype=np.float32).reshape(3, 4)
print(float(loaded({{"w": w}}, np.ones((2, 3), np.float32), scale=2.0)["y"].sum()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    expected = program({"w": WEIGHTS}, np.ones((2, 3), np.float32), scale=2.0)
    np.testing.assert_allclose(float(done.stdout), float(expected["y"].sum()), rtol=1e-6)


def test_errors():
    data, in_tree, out_tree = serialize_executable.serialize(compiled())
    with pytest.raises(ValueError, match="damaged"):
        deserialize_and_load(data[:-1], in_tree, out_tree)
    with pytest.raises(ValueError, match="other bytes"):
        deserialize_and_load(b"abc", in_tree, out_tree)
    with pytest.raises(ValueError, match="backend must be 'cpu'"):
        deserialize_and_load(data, in_tree, out_tree, "cuda")
    called = dt.jit(lambda x: dt.pure_callback(np.sin, x, x)).lower(np.float32(1)).compile()
    with pytest.raises(ValueError, match="Python"):
        serialize_executable.serialize(called)
