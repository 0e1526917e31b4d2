"""Process-wide devices: made on first use, shared by all modules and threads."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from typing import Any

import iree.runtime as ireert
import numpy as np
from iree.runtime import BufferUsage, HalBufferView, MemoryType, VmRef

from . import drivers, ending, iree_internals, large_blocks, plugins
from .dtypes import ELEMENT_OF_DTYPE

# Names of targets whose driver has another name.
_DRIVER_OF_TARGET = {"cpu": "local-task", "rocm": "hip"}

# Below this size a copy is as cheap as sharing the memory.
SHARE_BYTES = 1 << 15
# Compiled code loads vectors and relies on IREE's alignment.
SHARE_ALIGNMENT = 64

# Registers IREE's types: without it, lists return nulls for references.
INSTANCE = ireert.VmInstance()

_lock = threading.Lock()
_devices: dict[str, Device] = {}
# As threads have by default; what is not touched costs nothing.
_STACK_BYTES = 8 << 20


class Device:
    """A HAL device, with everything that a call needs.

    Args:
      name: the driver's name, optionally with a number; `get_device` makes one object per device.

    Attributes:
      name: the name, as given to `get_device`.
      has_threads: whether it runs programs on its own threads.
      space: the memory space of its buffers; devices in one space use each other's buffers
        directly.
      hal: the IREE device.
      module: the `hal` VM module bound to it.
      put: copies a C-contiguous array to the device, given its element type; returns the view.

    Example:
      >>> from dovetail import runtime
      >>> runtime.get_device("local-task").space
      'host'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.on_host = name.startswith("local-")
        self.has_threads = name.startswith("local-task")
        self.space = sys.intern("host" if self.on_host else name)
        driver, _, number = name.partition(":")
        if self.on_host:
            with iree_internals.without_mpi():
                self.hal = _host_device(driver)
        else:
            known = drivers.get(driver)
            self.hal = (
                known.create_device(known.query_available_devices()[int(number)], None)
                if number
                else known.create_device_by_uri(driver)
            )
        self.module = ireert.create_hal_module(INSTANCE, self.hal)
        self._allocator = self.hal.allocator
        self._memory_type = int(MemoryType.DEVICE_LOCAL)
        self._usage = int(BufferUsage.DEFAULT)
        if self.on_host:
            self._memory_type |= int(MemoryType.HOST_VISIBLE)
            self._usage |= int(BufferUsage.MAPPING)
        self.put = iree_internals.copier(self.hal, self._memory_type, self._usage)

    def __repr__(self) -> str:
        return f"Device({self.name!r})"

    def can_share(self, array: np.ndarray) -> bool:
        """True if calls can read a contiguous array in place."""
        return self.on_host and array.ctypes.data % SHARE_ALIGNMENT == 0

    def share(self, array: np.ndarray) -> HalBufferView | None:
        """Returns a view of a contiguous array's own memory, or None if that is impossible.

        The view keeps the array alive. Neither side sees it change as long as neither writes.
        """
        if array.nbytes < SHARE_BYTES or not self.can_share(array):
            return None
        address = array.ctypes.data
        # DLPack supports no read-only memory and few dtypes, so it gets the array as writable
        # bytes: IREE only reads arguments. Unlike `import_host_allocation`, whose memory lives only
        # as long as the Python object that it returns, DLPack's is released with the last
        # reference.
        memory: Any = (ctypes.c_byte * array.nbytes).from_address(address)
        memory.owner = array
        capsule = np.frombuffer(memory, np.uint8).__dlpack__()
        buffer = self.hal.from_dlpack_capsule(capsule).get_buffer()
        return HalBufferView(buffer, array.shape, ELEMENT_OF_DTYPE[array.dtype])

    def fetch(self, view: HalBufferView) -> Any:
        """Returns an object with the buffer protocol over the view's bytes in host memory."""
        if self.on_host:
            return view.map()
        staging = self._copy(
            view,
            int(MemoryType.HOST_LOCAL | MemoryType.DEVICE_VISIBLE),
            int(BufferUsage.TRANSFER_TARGET | BufferUsage.MAPPING_SCOPED),
        )
        mapped = np.frombuffer(staging.map(), np.uint8)
        # The memory is the device's, which must end after it.
        memory: Any = (ctypes.c_byte * mapped.nbytes).from_address(mapped.ctypes.data)
        memory.owner, memory.device = mapped, self
        return memory

    def duplicate(self, view: HalBufferView) -> VmRef:
        """Returns a reference to a view of a copy of the view's bytes on the device."""
        copy = self._copy(view, self._memory_type, self._usage)
        return HalBufferView(copy, view.shape, view.element_type).ref

    def _copy(self, view: HalBufferView, memory_type: int, usage: int) -> Any:
        """A buffer of some kind with a copy of the view's bytes."""
        source = view.get_buffer()
        target = self._allocator.allocate_buffer(memory_type, usage, source.byte_length())
        semaphore = self.hal.create_semaphore(0)
        done = ireert.HalFence.create_at(semaphore, 1)
        self.hal.queue_copy(source, target, ireert.HalFence.create_at(semaphore, 0), done)
        done.wait()
        return target


def _host_device(driver: str) -> Any:
    """A new device, not IREE's own, so that it is closed when its last user is gone."""
    # The driver that IREE keeps may not know the package's libraries, or have its threads in
    # another process.
    plugins.register()
    large_blocks.pool()
    # IREE's threads have 128 KiB, on which routines of LAPACK and functions of users run, too.
    ireert.flags.parse_flags(f"--task_worker_stack_size={_STACK_BYTES}")
    device = iree_internals.new_driver(driver).create_default_device()
    large_blocks.learn(device.allocator)
    return device


def models(driver: str) -> list[str]:
    """A driver's names for its devices, by device number.

    Args:
      driver: one of `drivers.DRIVERS`.

    Raises:
      ValueError: this machine has no such driver.

    >>> models("local-sync")
    ['default']
    """
    try:
        return [device["name"] for device in drivers.get(driver).query_available_devices()]
    except Exception as error:  # IREE's status codes come as exceptions of many types
        raise ValueError(f"driver {driver!r} is not available: {error}") from error


def get_device(name: str) -> Device:
    """Returns the device with that name, the same object on every call.

    Args:
      name: a driver, one of `drivers.DRIVERS`, for its first device, or a driver and a number, such
        as "cuda:1"; "cpu" is "local-task", and "rocm" is "hip". The host has as many devices as
        requested.

    Returns:
      The device.

    Raises:
      ValueError: there is no such driver, or this machine has no such device.

    Example:
      >>> from dovetail import runtime
      >>> runtime.get_device("local-sync")
      Device('local-sync')
    """
    device = _devices.get(name)
    if device is not None:
        return device
    driver, colon, number = name.partition(":")
    driver = _DRIVER_OF_TARGET.get(driver, driver)
    if driver not in drivers.DRIVERS or (colon and not number.isdecimal()):
        raise ValueError(f"device must be one of {', '.join(drivers.DRIVERS)}, got: {name!r}")
    # The first one has only one name.
    name = f"{driver}:{int(number)}" if number.strip("0") else driver
    with _lock:
        device = _devices.get(name)
        if device is None:
            try:
                device = _devices[name] = Device(name)
            except Exception as error:  # IREE's status codes come as exceptions of many types
                raise ValueError(
                    f"device {name!r} is not available on this machine: {error}; "
                    "on the CPU, use 'local-task' or 'local-sync' and a module compiled for it"
                ) from error
        return device


# The end of a process, and forks ------------------------------------------------------------------


# IREE's buffers do not keep the device that allocated them alive: freed after it, they crash.
ending.keep(_devices, INSTANCE)

# A fork copies neither the threads of devices, for which the destruction of a device waits, nor the
# threads that hold locks of a device at that moment. A process makes its own devices.


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for name, device in list(_devices.items()):
        if not device.on_host:
            continue
        ending.never_end(device)
        ending.never_end(device.hal)
        ending.in_silence()
        del _devices[name]


os.register_at_fork(after_in_child=_after_fork)
