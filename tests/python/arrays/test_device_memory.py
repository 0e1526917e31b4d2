"""Tensors in memory that the host cannot read, such as CuPy's, by DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import dovetail.numpy as dnp
from dovetail.runtime import capsules


class OnDevice:
    """An array in memory that the host cannot read, whose library knows DLPack 1.0.

    Args:
      x: the elements.
      kind: the DLDeviceType.
      obeys: whether the library copies to the host when it is asked to.
    """

    def __init__(self, x: np.ndarray, kind: int = 2, obeys: bool = True) -> None:
        self.x, self.kind, self.obeys, self.asked = x, kind, obeys, []

    def __dlpack__(self, **options: Any) -> Any:
        self.asked.append(options)
        result = self.x.__dlpack__(**options | {"dl_device": None})
        if not self.obeys:
            # The tensor begins with its address, and the type and number of its device.
            name = capsules._name(result)
            start = capsules._pointer(result, name) + (32 if b"versioned" in name else 0)
            ctypes.c_uint64.from_address(start).value = 16  # nothing may read from there
            ctypes.c_int32.from_address(start + 8).value = self.kind
        return result

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 1


class OldOnDevice(OnDevice):
    """The same, but before DLPack 1.0."""

    def __init__(self) -> None:
        super().__init__(np.ones(3), obeys=False)

    def __dlpack__(self, stream: None = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().__dlpack__()


class WithoutDriver(OnDevice):
    """The same, where the library finds no driver of the device."""

    def __init__(self) -> None:
        super().__init__(np.ones(3))

    def __dlpack__(self, **options: Any) -> Any:
        raise OSError("libcuda.so.1: cannot open shared object file")


@pytest.mark.parametrize("kind", [2, 7, 8, 10, 13, 99])
@pytest.mark.parametrize("convert", [dnp.from_dlpack, dnp.asarray, dnp.array])
def test_memory_of_devices_is_copied_to_the_host(convert: Any, kind: int) -> None:
    x = np.arange(3, dtype=np.float32)
    tensor: Any = OnDevice(x, kind)
    np.testing.assert_array_equal(convert(tensor), x)
    (options,) = tensor.asked
    assert options["dl_device"] == (1, 0)


@pytest.mark.parametrize("convert", [dnp.from_dlpack, dnp.asarray])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (WithoutDriver, "cuda:1 to the host, got: OSError: libcuda.so.1: .* x.get"),
        (OldOnDevice, "cuda:1 to the host, got: TypeError: .* copy them there first"),
        (lambda: OnDevice(np.ones(3), 2, obeys=False), "cuda:1 to the host, got: BufferError"),
        (lambda: OnDevice(np.ones(3), 10, obeys=False), "rocm:1 to the host, got: BufferError"),
        (lambda: OnDevice(np.ones(3), 99, obeys=False), "a device of type 99:1 to the host"),
    ],
)
def test_memory_of_devices_that_is_not_copied(make: Any, message: str, convert: Any) -> None:
    with pytest.raises(BufferError, match=message):
        convert(make())


def test_a_copy_that_is_forbidden() -> None:
    with pytest.raises(BufferError, match=r"memory of cuda:1 must be copied .*got: copy=False"):
        dnp.from_dlpack(OnDevice(np.ones(3)), copy=False)


def test_pinned_memory_is_shared() -> None:
    x = np.arange(3, dtype=np.float32)
    assert dnp.from_dlpack(OnDevice(x, 3), copy=False).unsafe_buffer_pointer() == x.ctypes.data


def test_used_capsules() -> None:
    class Used(OnDevice):
        def __dlpack__(self, **options: Any) -> Any:
            capsule = self.x.__dlpack__()
            np.from_dlpack(Given(capsule))  # pyright: ignore[reportArgumentType]
            return capsule

    with pytest.raises(BufferError, match="must return a new DLPack capsule, got: <capsule"):
        dnp.from_dlpack(Used(np.ones(3), 1))


class Given:
    """What has made its capsule already."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0
