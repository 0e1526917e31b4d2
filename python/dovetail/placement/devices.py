"""Devices of the runtime's drivers, by platform."""

from __future__ import annotations

import bisect
import functools
import importlib.metadata
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dovetail.base import config

# The runtime's driver for each platform; for CPUs that of large programs.
DRIVERS = {
    "cpu": "local-task",
    "cuda": "cuda",
    "rocm": "hip",
    "vulkan": "vulkan",
    "metal": "metal",
}
PLATFORMS = tuple(DRIVERS)


@dataclass(frozen=True)
class Device:
    """A device, which has memory of its own and runs programs. `dovetail.devices` lists them.

    Attributes:
      platform: the kind of device: "cpu", "cuda", "rocm", "vulkan" or "metal".
      id: its number among those of the platform; CPUs are numbered through all processes.

    Example:
      >>> import dovetail as dt
      >>> device = dt.devices("cpu")[0]
      >>> device, str(device), device.platform, device.id
      (CpuDevice(id=0), 'cpu:0', 'cpu', 0)
    """

    platform: str
    id: int

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"

    def __repr__(self) -> str:
        return f"{self.platform.capitalize()}Device(id={self.id})"

    @property
    def process_index(self) -> int:
        """The number of the process that the device belongs to."""
        if self.platform != "cpu":
            return _processes.index
        return max(bisect.bisect_right(_processes.firsts, self.id) - 1, 0)

    @property
    def host_id(self) -> int:
        """JAX's older name of `process_index`."""
        return self.process_index

    @property
    def local_hardware_id(self) -> int:
        """The number of the device among those of the platform in its process."""
        if self.platform != "cpu":
            return self.id
        return self.id - _processes.firsts[self.process_index]

    @property
    def device_kind(self) -> str:
        """The model, as its driver calls it; "cpu" for CPUs."""
        return model_of(self)

    @property
    def client(self) -> Any:
        """The platform's `Client`, which owns the device."""
        return Client(self.platform)

    def memory_stats(self) -> dict[str, int] | None:
        """The bytes that arrays take now and took at most; None for CPUs, whose memory is the
        host's.
        """
        return memory_of(self)

    @property
    def memory_kinds(self) -> tuple[str, ...]:
        """The kinds of memory in which its arrays may be, first the default; of CPUs, the names of
        one memory.
        """
        return MEMORY_KINDS if self.platform == "cpu" else MEMORY_KINDS[:1]

    def default_memory(self) -> Memory:
        """The memory in which the device's arrays are."""
        return Memory(self)

    def memory(self, kind: str) -> Memory:
        """The memory of a kind.

        Raises:
          ValueError: the device has none.
        """
        if kind not in self.memory_kinds:
            raise ValueError(
                f"the memory of {self} must be of the kind {one_of(self.memory_kinds)}, "
                f"got: {kind!r}"
            )
        return Memory(self, kind)

    def addressable_memories(self) -> list[Memory]:
        """All memories in which its arrays may be."""
        return [Memory(self, kind) for kind in self.memory_kinds]


# Where programs for devices with memory of their own put arrays.
MEMORY_KINDS = ("device", "pinned_host", "unpinned_host")


def one_of(kinds: Sequence[str]) -> str:
    """Kinds of memory, for messages."""
    return " or ".join(map(repr, kinds))


class Memory(NamedTuple):
    """A memory of a device.

    Args:
      device: the device.
      kind: its kind, as shardings name it.

    Example:
      >>> import dovetail as dt
      >>> memory = dt.devices()[0].default_memory()
      >>> memory.kind, memory.platform, memory.addressable_by_devices()
      ('device', 'cpu', [CpuDevice(id=0)])
    """

    device: Device
    kind: str = MEMORY_KINDS[0]

    @property
    def platform(self) -> str:
        """The device's platform."""
        return self.device.platform

    @property
    def process_index(self) -> int:
        """The number of the process that the device belongs to."""
        return self.device.process_index

    def addressable_by_devices(self) -> list[Device]:
        """The devices that read it."""
        return [self.device]


class Client(NamedTuple):
    """The owner of a platform's devices, after JAX's class of the same name.

    Args:
      platform: its name.

    Example:
      >>> Client("cpu").device_count()
      1
    """

    platform: str

    @property
    def platform_version(self) -> str:
        """The version of the runtime."""
        return f"IREE {importlib.metadata.version('iree-base-runtime')}"

    @property
    def runtime_type(self) -> str:
        """The name of the runtime."""
        return "iree"

    def devices(self) -> list[Device]:
        """The devices of all processes."""
        return list(devices_of(self.platform))

    def local_devices(self) -> list[Device]:
        """The devices of this process."""
        return list(local_devices_of(self.platform))

    def device_count(self) -> int:
        """The number of devices of all processes."""
        return len(devices_of(self.platform))

    def local_device_count(self) -> int:
        """The number of devices of this process."""
        return len(local_devices_of(self.platform))

    def process_index(self) -> int:
        """The number of this process."""
        return _processes.index


# Processes ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Processes:
    """The processes that share a program.

    Attributes:
      index: the number of this one.
      firsts: the id of the first CPU device of each.
      cpus: how many CPU devices there are; None for those of the settings.
      accelerators: the numbers of the devices of other platforms that this one uses; None for all.
    """

    index: int = 0
    firsts: tuple[int, ...] = (0,)
    cpus: int | None = None
    accelerators: tuple[int, ...] | None = None


_processes = _Processes()


def spread_over_processes(
    index: int, cpus: Sequence[int], accelerators: Sequence[int] | None = None
) -> None:
    """Number the devices through several processes.

    Args:
      index: the number of this process.
      cpus: how many CPU devices each has.
      accelerators: the numbers of the devices of other platforms that this one uses; None for all.
    """
    global _processes
    firsts = (0, *itertools.accumulate(cpus[:-1]))
    chosen = None if accelerators is None else tuple(accelerators)
    _processes = _Processes(index, firsts, sum(cpus), chosen)
    for cached in (devices_of, local_devices_of):
        cached.cache_clear()


def process_index() -> int:
    """The number of this process among those that share the program."""
    return _processes.index


def process_count() -> int:
    """The number of processes that share the program."""
    return len(_processes.firsts)


def are_in_use() -> bool:
    """True if anything has asked for devices."""
    return devices_of.cache_info().currsize > 0


def is_host(device: Device) -> bool:
    """True for the CPU device that computes what is on no device in particular."""
    return device.platform == "cpu" and device.id == _processes.firsts[_processes.index]


@functools.cache
def devices_of(platform: str) -> tuple[Device, ...]:
    """The devices of a platform: CPUs of all processes, others of this one.

    Raises:
      RuntimeError: there are none on this machine.
    """
    if platform == "cpu":
        own = config.num_cpu_devices.use()
        count = own if _processes.cpus is None else _processes.cpus
        return tuple(Device("cpu", i) for i in range(count))
    chosen = _processes.accelerators
    models = range(len(_models(platform)))
    return tuple(Device(platform, i) for i in models if chosen is None or i in chosen)


@functools.cache
def local_devices_of(platform: str) -> tuple[Device, ...]:
    """The devices of a platform that belong to this process."""
    return tuple(d for d in devices_of(platform) if d.process_index == _processes.index)


@functools.cache
def _models(platform: str) -> list[str]:
    from dovetail.runtime.devices import models  # lazy

    try:
        found = models(DRIVERS[platform])
    except ValueError as error:
        raise RuntimeError(
            f"platform {platform!r} has no devices on this machine: {error}"
        ) from error
    if not found:
        raise RuntimeError(f"platform {platform!r} has no devices on this machine")
    return found


# The runtime's view ------------------------------------------------------------------------------


def model_of(device: Device) -> str:
    """The model of a device, as its driver calls it."""
    return "cpu" if device.platform == "cpu" else _models(device.platform)[device.id]


def runtime_name(device: Device, is_small: bool = True) -> str:
    """The runtime's name of a device.

    Args:
      device: the device.
      is_small: of the two of a CPU, whether to take the one that runs programs on the calling
        thread.

    >>> runtime_name(Device("cpu", 0)), runtime_name(Device("rocm", 1))
    ('local-sync', 'hip:1')
    """
    is_inline = device.platform == "cpu" and is_small
    driver = "local-sync" if is_inline else DRIVERS[device.platform]
    number = device.local_hardware_id
    return f"{driver}:{number}" if number else driver


def device_named(name: str) -> Device:
    """The device that the runtime calls so.

    >>> device_named("hip:1"), device_named("local-sync")
    (RocmDevice(id=1), CpuDevice(id=0))
    """
    driver, _, number = name.partition(":")
    known = {DRIVERS[platform]: platform for platform in PLATFORMS} | {"local-sync": "cpu"}
    platform = known.get(driver, driver)
    first = _processes.firsts[_processes.index] if platform == "cpu" else 0
    return Device(platform, first + int(number or 0))


def memory_of(device: Device) -> dict[str, int] | None:
    """The bytes that arrays on a device take, where the device has memory of its own."""
    if device.platform == "cpu":
        return None
    from dovetail.runtime import get_device  # lazy

    statistics = get_device(runtime_name(device)).hal.allocator.statistics
    return {
        "bytes_in_use": statistics["device_bytes_allocated"] - statistics["device_bytes_freed"],
        "peak_bytes_in_use": statistics["device_bytes_peak"],
    }
