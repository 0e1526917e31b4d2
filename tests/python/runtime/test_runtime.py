"""The runtime, on hand-written modules: arrays of all kinds, buffers, modules and devices."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from iree.runtime import PyModuleInterface

from dovetail import runtime
from dovetail.runtime import ArraySpec, Buffer, Executable, Signature
from dovetail.runtime.buffer import as_host_array
from support.runtime_modules import (
    ADD,
    ALIASES,
    DTYPES,
    HOST_DEVICES,
    LARGE,
    address,
    aligned,
    element,
    module,
    select,
)


@pytest.fixture(scope="session")
def dtype_module() -> bytes:
    flag = ArraySpec((), np.dtype(bool))
    functions = []
    for dtype in DTYPES:
        for shape in ((), (None, 3)):
            spec = ArraySpec(shape, dtype)
            signature = Signature((flag, spec, spec), (spec,))
            name = f"{dtype.name}_{len(shape)}"
            functions.append(select(name, shape, element(dtype), signature))
    return module(*functions)


# Dtypes and shapes


@pytest.mark.parametrize("device", HOST_DEVICES)
@pytest.mark.parametrize("shape", [(), (5, 3), (0, 3)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_comes_back_as_it_went(
    dtype_module: bytes, dtype: np.dtype, shape: tuple[int, ...], device: str
) -> None:
    loaded = runtime.load(dtype_module, device)
    data = np.random.default_rng(0).integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8)
    if dtype.kind == "b":
        data &= 1
    x = data.view(dtype).reshape(shape)
    zeros = np.zeros(shape, dtype)
    function = loaded[f"{dtype.name}_{len(shape)}"]
    result = function(True, x, zeros)
    assert (result.shape, result.dtype) == (shape, dtype)
    # As bytes: the random ones include most NaNs.
    assert result.numpy().tobytes() == x.tobytes()
    again = function(False, zeros, result)
    assert again.numpy().tobytes() == x.tobytes()


def test_without_a_signature_integers_are_signed_by_default_and_unsigned_on_demand() -> None:
    vmfb = module(select("f", (2,), "i32"))
    x = np.array([2**32 - 1, 7], np.uint32)
    (signed,) = Executable(vmfb, "f")([np.True_, x, x])
    assert signed.dtype == np.int32
    (unsigned,) = Executable(vmfb, "f", output_dtypes=[np.uint32])([np.True_, x, x])
    np.testing.assert_array_equal(unsigned.numpy(), x)


def test_unknown_dtypes_are_rejected(add_module: bytes) -> None:
    with pytest.raises(TypeError, match=r"dtype must be one of bool, .*, got: object; convert"):
        Executable(add_module, "add")([np.array([None] * 4), np.zeros(4, np.float32)])


# Inputs


class OnlyArray:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.arange(4, dtype=np.float32)


class OnlyDLPack:
    def __init__(self) -> None:
        self._array = np.arange(4, dtype=np.float32)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize(
    "make",
    [
        OnlyArray,
        OnlyDLPack,
        lambda: np.arange(4, dtype=">f4"),
        lambda: np.arange(8, dtype=np.float32)[::2] / 2,
        lambda: np.repeat(np.arange(4, dtype=np.float32), 2)[::2],
        lambda: np.broadcast_to(np.float32(0), 4) + np.arange(4, dtype=np.float32),
        lambda: runtime.put(np.arange(4, dtype=np.float32)),
    ],
)
def test_inputs_of_all_kinds(add_module: bytes, make: Any) -> None:
    one = np.ones(4, np.float32)
    (result,) = Executable(add_module, "add")([make(), one])
    np.testing.assert_array_equal(result.numpy(), [1, 2, 3, 4])


@pytest.mark.parametrize("writeable", [True, False])
def test_large_aligned_arrays_are_read_in_place(writeable: bool) -> None:
    device = runtime.get_device("local-sync")
    x = aligned((LARGE,), np.float32)
    x[:] = np.arange(LARGE)
    x.flags.writeable = writeable
    view = device.share(x)
    assert view is not None
    shared = Buffer(view.ref, x.dtype, device)
    assert address(shared) == x.ctypes.data
    del view
    x = x.copy()  # the buffer keeps the old one
    gc.collect()
    np.testing.assert_array_equal(shared.numpy(), x)
    assert device.share(aligned((LARGE,), np.float32, offset=16)) is None
    assert device.share(aligned((4,), np.float32)) is None


@pytest.mark.parametrize("function", ["identity", "reshape"])
@pytest.mark.parametrize("device", HOST_DEVICES)
def test_results_do_not_share_memory_with_arrays(function: str, device: str) -> None:
    executable = Executable(module(ALIASES), function, device)
    x = aligned((LARGE,), np.float32)
    (result,) = executable([x])
    before = result.numpy().copy()
    x[:] = 1
    np.testing.assert_array_equal(result.numpy(), before)


def test_buffers_are_passed_without_a_copy() -> None:
    vmfb = module(ALIASES)
    x = runtime.put(np.zeros(LARGE, np.float32))
    (result,) = Executable(vmfb, "identity", "local-task")([x])
    assert address(result) == address(x)
    (result,) = Executable(vmfb, "identity", "local-sync")([x])
    assert address(result) == address(x)


PASSES_MEMORY = f"""
func.func @twice(%memory: !hal.buffer) -> (!hal.buffer, !hal.buffer) {{
  %x = hal.tensor.import %memory : !hal.buffer -> tensor<2x{LARGE // 2}xf32>
  %y = arith.addf %x, %x : tensor<2x{LARGE // 2}xf32>
  %out = hal.tensor.export %y : tensor<2x{LARGE // 2}xf32> -> !hal.buffer
  return %memory, %out : !hal.buffer, !hal.buffer
}}"""


def test_functions_of_memory_instead_of_views() -> None:
    """They take views and arrays, and what they return is an argument of others."""
    shape = (2, LARGE // 2)
    twice = Executable(
        module(PASSES_MEMORY), "twice", output_dtypes=[np.float32] * 2, output_shapes=[shape] * 2
    )
    x = aligned(shape, np.float32)
    for argument in (x, x[:, ::-1], runtime.put(x, "local-sync"), runtime.put(x, "local-task")):
        [same, result] = twice([argument])
        assert same.shape == result.shape == shape
        np.testing.assert_array_equal(same, x)
        np.testing.assert_array_equal(result, 2 * x)
        [_, again] = twice([result])
        np.testing.assert_array_equal(again, 4 * x)
        [identity] = Executable(module(ALIASES), "identity")([runtime.put(again.numpy().ravel())])
        np.testing.assert_array_equal(identity, 4 * x.ravel())
        flat = again.copy()
        assert address(flat) != address(again)
        np.testing.assert_array_equal(flat, again)


# Buffers


def test_buffer_is_an_array() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    buffer = runtime.put(x, "local-sync")
    assert (buffer.shape, buffer.dtype, buffer.ndim) == ((2, 3), np.float32, 2)
    assert (buffer.size, buffer.nbytes, len(buffer)) == (6, 24, 2)
    assert buffer.block_until_ready() is buffer
    assert buffer.numpy() is buffer.numpy()
    assert not buffer.numpy().flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        buffer.numpy().flags.writeable = True
    np.testing.assert_array_equal(np.asarray(buffer), x)
    assert np.shares_memory(np.asarray(buffer), buffer.numpy())
    assert np.asarray(buffer, dtype=np.float64).dtype == np.float64
    np.testing.assert_array_equal(buffer[1], x[1])
    assert str(buffer) == str(x)
    assert repr(buffer) == "Buffer(shape=(2, 3), dtype=float32, device='local-sync')"
    scalar = runtime.put(np.float32(2.5))
    assert (float(scalar), int(scalar), bool(scalar), scalar.item()) == (2.5, 2, True, 2.5)
    with pytest.raises(TypeError, match="rank 1 or more, got: rank 0"):
        len(scalar)


def test_buffer_exports_dlpack() -> None:
    buffer = runtime.put(np.arange(4, dtype=np.float32))
    back = np.from_dlpack(buffer)  # pyright: ignore[reportArgumentType]
    np.testing.assert_array_equal(back, [0, 1, 2, 3])
    assert np.shares_memory(back, buffer.numpy())


def test_put_copies() -> None:
    x = aligned((LARGE,), np.float32)
    buffer = runtime.put(x)
    x[:] = 1
    assert not buffer.numpy().any()


def test_arrays_outlive_everything(add_module: bytes) -> None:
    x = np.arange(4, dtype=np.float32)
    array = runtime.load(add_module).add(x, x).numpy()
    gc.collect()
    filler = [np.full(4, 9, np.float32) for _ in range(100)]
    np.testing.assert_array_equal(array, 2 * x)
    del filler


def test_host_arrays_are_not_copied_without_need() -> None:
    x = np.arange(4, dtype=np.float32)
    assert as_host_array(x) is x
    buffer = runtime.put(x)
    assert np.shares_memory(as_host_array(buffer), buffer.numpy())


# Modules and devices


def test_functions_by_name(add_module: bytes) -> None:
    loaded = runtime.load(add_module)
    assert loaded["add"] is loaded.add
    assert "add" in dir(loaded)
    assert repr(loaded) == "<module m on local-task: add>"
    with pytest.raises(AttributeError, match="no function 'sub'; it has: add"):
        _ = loaded.sub
    with pytest.raises(KeyError, match="no function 'sub'; it has: add"):
        _ = loaded["sub"]
    with pytest.raises(KeyError, match="function must be one of add, got: 'sub'"):
        Executable(add_module, "sub")


def test_devices_are_made_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        devices = list(pool.map(lambda _: runtime.get_device("local-task"), range(32)))
    assert len(set(map(id, devices))) == 1
    assert runtime.get_device("cpu") is devices[0]
    assert runtime.get_device("cpu:1") is runtime.get_device("local-task:1")
    with pytest.raises(ValueError, match=r"device must be one of local-task, .*, got: 'tpu'"):
        runtime.get_device("tpu")
    with pytest.raises(ValueError, match="device 'metal' is not available on this machine"):
        runtime.get_device("metal")
    with pytest.raises(ValueError, match=r"device must be one of .* got: 'cpu:x'"):
        runtime.get_device("cpu:x")


def test_a_module_for_another_device_is_rejected() -> None:
    vmfb = module(ADD, target="cuda")
    with pytest.raises(ValueError, match="it was compiled for 'cuda' devices; compile it for that"):
        runtime.load(vmfb, "local-sync")


@pytest.mark.usefixtures("vulkan")
def test_vulkan() -> None:
    loaded = runtime.load(module(ADD, target="vulkan"))
    assert loaded.device.name == "vulkan"
    x = np.arange(4, dtype=np.float32)
    first = loaded.add(x, x)
    second = loaded.add(first, runtime.put(x, "local-task"))
    np.testing.assert_array_equal(second.numpy(), 3 * x)
    (third,) = Executable(module(ADD), "add")([second, x])
    np.testing.assert_array_equal(third.numpy(), 4 * x)


def test_imports_are_linked() -> None:
    class Host:
        def __init__(self, interface: Any) -> None:
            pass

        def double(self, value: int) -> int:
            return 2 * value

    interface = PyModuleInterface("host", Host)
    interface.export("double", "0i_i", Host.double)
    vmfb = module(
        """
        func.func private @host.double(i32) -> i32
        func.func @f(%a: tensor<i32>) -> tensor<i32> {
          %0 = tensor.extract %a[] : tensor<i32>
          %1 = call @host.double(%0) : (i32) -> i32
          %2 = tensor.from_elements %1 : tensor<i32>
          return %2 : tensor<i32>
        }"""
    )
    loaded = runtime.load(vmfb, imports=[interface.create()])
    assert loaded.f(np.int32(21)).item() == 42


@pytest.mark.parametrize("device", HOST_DEVICES)
def test_threads_call_at_the_same_time(dtype_module: bytes, device: str) -> None:
    function = runtime.load(dtype_module, device)["float32_2"]
    start = threading.Barrier(8)

    def work(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        start.wait()
        for _ in range(200):
            x, y = (rng.random((rng.integers(1, 50), 3), dtype=np.float32) for _ in range(2))
            y = np.resize(y, x.shape)
            if not np.array_equal(function(seed % 2 == 0, x, y).numpy(), y if seed % 2 else x):
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
