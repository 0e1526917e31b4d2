"""Devices: several CPUs in one process, Vulkan if available, platforms that this machine lacks."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.compiler.forms import compile_lowered as compiled_module
from dovetail.placement import devices, platforms
from dovetail.placement.devices import Device
from dovetail.placement.shardings import place_on

HERE = Path(__file__).parent


def run(*arguments: str, **environment: str) -> str:
    """The output of a Python process that must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=HERE,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


FILES = sorted(path.name for path in HERE.glob("eight_*.py"))
# A process takes two seconds to start, and another to start its compiler. All of so few cases run.
PROCESSES = 3


@pytest.mark.parametrize("files", [FILES[i::PROCESSES] for i in range(PROCESSES)], ids=" ".join)
def test_eight_cpus(files: list[str]) -> None:
    """The tests on several devices, those of several files in one process."""
    options = ("-q", "-n", "0", "-p", "no:cacheprovider")
    run("-m", "pytest", *options, *files, DOVETAIL_NUM_CPU_DEVICES="8")


VULKAN = """
import gc
import numpy as np
import dovetail as dt, dovetail.numpy as dnp
from dovetail import config
from dovetail.placement import devices, platforms

first, vulkan = dt.devices()[0], dt.devices("vulkan")[0]
assert first == vulkan and dt.default_backend() == "vulkan"
cpu = dt.devices("cpu")[0]
assert str(vulkan) == "vulkan:0" and repr(vulkan) == "VulkanDevice(id=0)"
assert vulkan.device_kind == devices.model_of(vulkan) != "cpu"
w = np.linspace(-1, 1, 9, dtype=np.float32).reshape(3, 3)
x = np.float32([0, 1, 2])
layer = dt.jit(lambda w, x: dnp.sum(w @ x + 1))
expected = np.sum(w @ x + 1)

# Nothing is said: on the first device. What is known there stays there between calls.
result = layer(w, x)
assert (result.device, result.committed) == (vulkan, False)
np.testing.assert_allclose(result, expected, rtol=1e-5)
assert not result.buffer.device.on_host
# Committed to it, and to the host.
put = dt.device_put(w, vulkan)
assert put.buffer.device.name == "vulkan" and put.committed
np.testing.assert_array_equal(put, w)
result = layer(put, x)
assert (result.device, result.committed) == (vulkan, True)
np.testing.assert_allclose(result, expected, rtol=1e-5)
result = layer(dt.device_put(w, cpu), x)
assert (result.device, result.committed) == (cpu, True) and result.buffer.device.on_host
np.testing.assert_allclose(result, expected, rtol=1e-5)
try:
    layer(put, dt.device_put(x, cpu))
    raise SystemExit("no error")
except ValueError as error:
    assert "on platform VULKAN and argument x" in str(error), error
# Eager functions compute on the host; programs get their results.
doubled = put * 2
assert (doubled.device, doubled.committed) == (vulkan, True)
np.testing.assert_array_equal(doubled, 2 * w)
np.testing.assert_allclose(layer(doubled, x), np.sum(2 * w @ x + 1), rtol=1e-5)
back = dt.device_put(put, cpu)
assert back.device == cpu
np.testing.assert_array_equal(back, w)
np.testing.assert_array_equal(np.from_dlpack(put), w)
np.testing.assert_allclose(
    dt.jit(dt.grad(lambda x: dnp.sum(put @ x)))(dt.device_put(x, vulkan)), w.sum(0), atol=1e-6
)
with dt.default_device("cpu"):
    assert layer(w, x).device == cpu
stats = vulkan.memory_stats()
assert stats["peak_bytes_in_use"] >= stats["bytes_in_use"] >= put.nbytes
text = layer.lower(put, x).compile()
"""


@pytest.mark.usefixtures("vulkan")
def test_vulkan() -> None:
    run("-c", VULKAN, DOVETAIL_PLATFORMS="vulkan,cpu")


PLATFORMS = """
import dovetail as dt
from dovetail import config

config.update("jax_platforms", "cpu")
for name, message in [("vulkan", "as the setting `platforms` says"), ("tpu", "must be one of cpu")]:
    try:
        dt.devices(name)
        raise SystemExit("no error")
    except RuntimeError as error:
        assert message in str(error), error
assert dt.default_backend() == "cpu"
"""


def test_platforms() -> None:
    run("-c", PLATFORMS)
    run("-c", "import dovetail as dt; assert dt.devices()", DOVETAIL_PLATFORM_NAME="cpu")
    wrong = "import dovetail as dt\ntry: dt.devices()\nexcept RuntimeError as e: print(e)"
    assert "got: 'tpu'" in run("-c", wrong, DOVETAIL_PLATFORMS="tpu,cpu")


def test_names() -> None:
    assert devices.runtime_name(Device("cpu", 0), is_small=False) == "local-task"
    assert devices.runtime_name(Device("cpu", 2), is_small=False) == "local-task:2"
    for device in (Device("cpu", 0), Device("cuda", 1), Device("rocm", 0), Device("metal", 0)):
        assert devices.device_named(devices.runtime_name(device)) == device
    assert repr(Device("cuda", 1)) == "CudaDevice(id=1)"
    assert platforms.device_meant("cpu:0") == Device("cpu", 0)
    for text in ("cpu:x", "cpu:", "cpu:1", "", "gpu:7"):
        with pytest.raises(ValueError, match="device must be one of cpu:0, or of those that"):
            platforms.device_meant(text)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("num_cpu_devices", 0, "must be an int of at least 1, got: 0"),
        ("num_cpu_devices", "many", "must be an int of at least 1, got: 'many'"),
        ("platforms", 3, "must be names with commas between, or None, got: 3"),
        ("default_device", "tpu", "default_device must be a device, .*got: 'tpu'"),
    ],
)
def test_settings(name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        config.update(name, value)


def test_transfer_guards(caplog: pytest.LogCaptureFixture) -> None:
    x, value = dnp.arange(3.0), np.ones(3, np.float32)
    f = dt.jit(lambda a: a + 1)
    implicit = [
        *(lambda: x + value, lambda: dnp.sin(value), lambda: x + 1, lambda: f(value)),
        *(lambda: dnp.asarray(value), lambda: dnp.ones(3), lambda: f(1.0)),
    ]
    for _ in range(3):
        for call in implicit:
            call()
            with (
                dt.transfer_guard("disallow"),
                pytest.raises(RuntimeError, match="host-to-device transfers must not be made here"),
            ):
                call()
    assert not caplog.records
    with dt.transfer_guard_host_to_device("log"):
        dnp.asarray(value)
        dt.device_put(value)
    (record,) = caplog.records
    assert record.getMessage().startswith("host-to-device transfer of float32[3] at ")
    with dt.transfer_guard("disallow"):
        y = f(dt.device_put(value))
        assert dt.device_get(x * y).tolist() == [0, 2, 4]
        with dt.transfer_guard("allow"):
            dnp.ones(3)
    with (
        dt.transfer_guard("disallow_explicit"),
        pytest.raises(RuntimeError, match=r"got: one of float32\[3\] .*device_put"),
    ):
        dt.device_put(value)
    config.update("transfer_guard", "disallow")
    assert config.transfer_guard_device_to_host.value == "disallow"
    with pytest.raises(RuntimeError, match="must not be made here"):
        dnp.asarray(value)
    config.update("transfer_guard", "allow")


@pytest.mark.parametrize("platform", ["cuda", "rocm", "metal"])
def test_compiles_for_other_platforms(platform: str) -> None:
    lowered = dt.jit(lambda x: x @ x + 1).lower(dt.ShapeDtypeStruct((8, 8), "float32"))
    program = replace(lowered.program, place=place_on(Device(platform, 0), True))
    assert len(compiled_module(program.after("lower"), program.device.platform)) > 1000


def test_memories() -> None:
    device = dt.devices("cpu")[0]
    kinds = ["device", "pinned_host", "unpinned_host"]
    assert device.addressable_memories() == [device.memory(kind) for kind in kinds]
    assert device.default_memory() == device.memory("device")
    assert device.default_memory().kind == "device"
    with pytest.raises(ValueError, match=r"must be of the kind 'device' or .*, got: 'other'"):
        device.memory("other")
    sharding = dt.sharding.SingleDeviceSharding(device, memory_kind="pinned_host")
    assert dt.device_put(1.0, sharding).sharding == sharding
    assert Device("cuda", 0).memory_kinds == ("device",)
