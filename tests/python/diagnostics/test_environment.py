"""Devices, processes, movement of arrays, scopes: the names at the top of the package."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp


def test_devices() -> None:
    (device,) = dt.devices()
    assert (device.platform, device.id, str(device)) == ("cpu", 0, "cpu:0")
    assert dt.devices("cpu") == dt.local_devices() == dt.local_devices(0) == [device]
    assert dt.default_backend() == "cpu"
    assert dt.device_count() == dt.local_device_count("cpu") == dt.process_count() == 1
    assert dt.process_index() == 0
    assert dt.process_indices() == [0]
    assert dnp.ones(2).device == device
    with pytest.raises(RuntimeError, match=r"a platform must be one of cpu, .* got: 'tpu'"):
        dt.devices("tpu")
    with pytest.raises(ValueError, match="it must be below 1, got: 1"):
        dt.local_devices(1)


def test_movement() -> None:
    source = np.arange(3.0)
    tree = {"a": source, "b": [1, None, dnp.ones(2)]}
    moved = dt.device_put(tree, dt.devices()[0])
    assert isinstance(moved["a"], dt.Array)
    assert moved["a"].dtype == np.float32
    assert dt.typeof(moved["b"][0]).weak_type
    assert moved["b"][2].committed
    assert not tree["b"][2].committed
    assert dt.device_put(moved, dt.devices()[0])["a"] is moved["a"]
    assert dt.device_put(tree)["b"][2] is tree["b"][2]
    source[0] = 9
    assert float(moved["a"][0]) == 0
    back = dt.device_get(moved)
    assert type(back["a"]) is np.ndarray
    assert list(back["a"]) == [0, 1, 2]
    with pytest.raises(ValueError, match=r"device must be one of cpu:0, .* got: 'tpu'"):
        dt.device_put(1.0, "tpu")
    assert float(dt.jit(lambda x: dt.device_put(x) * 2)(1.5)) == 3
    assert float(dt.grad(lambda x: dt.device_put(x) * 2)(1.5)) == 2
    dt.copy_to_host_async(moved)
    dt.effects_barrier()


def test_live_arrays() -> None:
    kept = dnp.arange(7) + 1
    gone = dnp.arange(7) + 2
    gone.delete()
    live = dt.live_arrays()
    assert any(array is kept for array in live)
    assert not any(array is gone for array in live)


def test_modules_hold_no_arrays() -> None:
    # NumPyro's tests, for one, begin with a check that none are live.
    names = "numpy, lax, nn, random, scipy.special, image, optim, experimental.sparse"
    program = f"import dovetail as dt, dovetail.{names.replace(', ', ', dovetail.')}\n"
    program += "assert dt.live_arrays() == [], dt.live_arrays()"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_typeof() -> None:
    assert str(dt.typeof(dnp.ones((2, 3)))) == "float32[2,3]"
    assert repr(dt.typeof(1)) == "ShapedArray(int32[], weak_type=True)"
    seen = []
    dt.jit(lambda x: seen.append(dt.typeof(x)))(np.ones(2, "int8"))
    assert [str(aval) for aval in seen] == ["int8[2]"]
    assert dt.typeof(dt.ShapeDtypeStruct((2,), "int8")) == seen[0]
    assert seen[0].sharding == dt.typeof(dnp.ones(2)).sharding
    assert (dt.typeof(1).sharding.spec, seen[0].sharding.spec) == (dt.P(), dt.P(None))
    assert seen[0].sharding.mesh.empty


def test_environment_info(capsys: pytest.CaptureFixture[str]) -> None:
    dt.print_environment_info()
    printed = capsys.readouterr().out
    assert printed.rstrip("\n") == dt.print_environment_info(return_string=True)
    assert "iree-base-compiler: 3." in printed
    assert "devices: cpu:0" in printed
    assert f"compiled programs: {os.environ['DOVETAIL_CACHE_DIR']}" in printed
    assert "enable_x64" not in printed
    with dt.enable_x64():
        assert "setting: enable_x64=True" in str(dt.print_environment_info(return_string=True))


def test_env_command() -> None:
    environment = {**os.environ, "DOVETAIL_ENABLE_X64": "1"}
    command = [sys.executable, "-m", "dovetail", "env"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert f"numpy: {np.__version__}" in done.stdout
    assert "setting: enable_x64=True" in done.stdout
    assert "variable: DOVETAIL_ENABLE_X64=1" in done.stdout
    assert "processor: " in done.stdout


def test_compile_time_evaluation() -> None:
    @dt.jit
    def f(x: Any) -> Any:
        with dt.ensure_compile_time_eval():
            count = int(dnp.sum(dnp.arange(4)))
            if dnp.sqrt(4.0) > 1:
                count += 1
            # An unknown value is part of the program.
            shift = dnp.cos(x)
        return dnp.zeros(count) + shift

    np.testing.assert_array_equal(f(0.0), np.ones(7))
    with dt.ensure_compile_time_eval():
        assert float(dnp.sqrt(4.0)) == 2


def test_named_scopes() -> None:
    @dt.named_scope("layer")
    def layer(x: Any) -> Any:
        with dt.named_scope("activation"):
            return dnp.tanh(x)

    def outer(x: Any) -> Any:
        return dt.named_call(layer, name="first")(x) + layer(x)

    module = dt.jit(outer).lower(1.0)._program.module
    text = module.text(locations=True)
    assert "first/layer/activation/layer" in text
    assert float(dt.jit(outer)(0.0)) == 0
    with dt.debug_nans(), pytest.raises(FloatingPointError, match=r"\(layer/activation/layer\)"):
        layer(np.nan)
    with pytest.raises(TypeError, match="name must be a string, got: 3"), dt.named_scope(3):  # type: ignore[arg-type]
        pass


def test_all_names_exist() -> None:
    for name in dt.__all__:
        getattr(dt, name)
