"""The platforms of this machine and their devices, and what the runtime calls them."""

from __future__ import annotations

import functools
import importlib.metadata
from typing import Any, NamedTuple

from dovetail import config
from dovetail.errors import value_error
from dovetail.placement import Device, Sharding, SingleDeviceSharding

PLATFORMS = ("cpu", "cuda", "rocm", "vulkan", "metal")
# One name for several platforms, as in JAX.
_ALIASES = {"gpu": ("cuda", "rocm")}


class Client(NamedTuple):
    """What has the devices of a platform.

    Args:
      platform: its name.

    Example:
      >>> Client("cpu").device_count()
      1
    """

    platform: str

    @property
    def platform_version(self) -> str:
        """The version of what runs programs."""
        return f"IREE {importlib.metadata.version('iree-base-runtime')}"

    @property
    def runtime_type(self) -> str:
        """The kind of what runs programs."""
        return "iree"

    def devices(self) -> list[Device]:
        """The devices."""
        return list(devices_of(self.platform))

    local_devices = devices

    def device_count(self) -> int:
        """How many devices there are."""
        return len(devices_of(self.platform))

    local_device_count = device_count

    def process_index(self) -> int:
        """The number of this process."""
        return 0


@functools.cache
def allowed() -> tuple[str, ...]:
    """The platforms that may be used, the first of which has the default devices."""
    names = config.platforms.use()
    chosen = PLATFORMS
    if names:
        chosen = tuple(name for part in names.split(",") for name in _meant(part.strip().lower()))
    first = config.platform_name.use()
    if first:
        wanted = [name for name in _meant(first.lower()) if name in chosen]
        if not wanted:
            raise RuntimeError(
                f"platform_name must be one of platforms, {', '.join(chosen)}, got: {first!r}"
            )
        chosen = (*wanted, *(name for name in chosen if name not in wanted))
    return chosen


def _meant(name: str) -> tuple[str, ...]:
    if name not in PLATFORMS and name not in _ALIASES:
        raise RuntimeError(
            f"a platform must be one of {', '.join((*PLATFORMS, *_ALIASES))}, got: {name!r}"
        )
    return _ALIASES.get(name, (name,))


@functools.cache
def devices_of(platform: str) -> tuple[Device, ...]:
    """The devices of a platform.

    Raises:
      RuntimeError: there are none on this machine.
    """
    if platform == "cpu":
        return tuple(Device("cpu", i) for i in range(config.num_cpu_devices.use()))
    return tuple(Device(platform, i) for i in range(len(_models(platform))))


@functools.cache
def _models(platform: str) -> list[str]:
    from dovetail.runtime.devices import models

    try:
        found = models(_driver_of(platform))
    except ValueError as error:
        raise RuntimeError(
            f"platform {platform!r} has no devices on this machine: {error}"
        ) from error
    if not found:
        raise RuntimeError(f"platform {platform!r} has no devices on this machine")
    return found


def devices(backend: str | None = None) -> tuple[Device, ...]:
    """The devices of a platform, by default of the first one that may be used.

    Raises:
      RuntimeError: there is no such platform, or it has no devices.

    >>> devices("cpu")
    (CpuDevice(id=0),)
    """
    if backend is None:
        return devices_of(allowed()[0])
    problems = []
    for name in _meant(backend):
        if name not in allowed():
            problems.append(
                f"platform must be one of {', '.join(allowed())}, as the setting `platforms` says, "
                f"got: {name!r}"
            )
            continue
        try:
            return devices_of(name)
        except RuntimeError as error:
            problems.append(str(error))
    raise RuntimeError("; ".join(problems))


@functools.cache
def first() -> Device:
    """The device of arrays of which nothing is said."""
    return devices()[0]


def default() -> Device:
    """The device of arrays that are made here and not committed to one."""
    place = config.snapshot().place
    return first() if place is None else place.device


def as_default(value: Any) -> Any:
    """What the setting `default_device` may be: a device, or the name of a platform."""
    if not isinstance(value, Device) and value not in (*PLATFORMS, *_ALIASES):
        raise ValueError(
            "default_device must be a device, such as dovetail.devices('cpu')[0], the name of a "
            f"platform, {', '.join((*PLATFORMS, *_ALIASES))}, or None, got: {value!r}"
        )
    return value


def device_meant(value: Any) -> Device:
    """The device that a `Device`, a sharding or a text such as "cpu" or "cpu:0" means.

    Raises:
      ValueError: there is no such device.

    >>> device_meant("cpu")
    CpuDevice(id=0)
    """
    if isinstance(value, SingleDeviceSharding):
        value = value.device
    platform, number = "", 0
    if isinstance(value, Device):
        platform, number = value.platform, value.id
    elif isinstance(value, str):
        platform, _, digits = value.partition(":")
        number = int(digits) if digits.isdecimal() else -1 if ":" in value else 0
    elif isinstance(value, Sharding):
        raise value_error(f"sharding must be on a single device, got: {value!r}")
    problem = ""
    if platform in PLATFORMS or platform in _ALIASES:
        try:
            found = devices(platform)
            if 0 <= number < len(found):
                return found[number]
        except RuntimeError as error:
            problem = f" ({error})"
    known = ", ".join(map(str, devices()))
    raise value_error(
        f"device must be one of {known}, or of those that dovetail.devices(platform) lists, got: "
        f"{value!r}{problem}"
    )


# What the runtime has -----------------------------------------------------------------------------


def _driver_of(platform: str) -> str:
    """The runtime's driver for a platform; for CPUs that of large programs."""
    from dovetail.targets import Target

    return Target(platform).device


def model_of(device: Device) -> str:
    """The model of a device, as its driver calls it."""
    return "cpu" if device.platform == "cpu" else _models(device.platform)[device.id]


def runtime_name(device: Device, is_small: bool = True) -> str:
    """What the runtime calls a device.

    Args:
      device: the device.
      is_small: of the two of a CPU, whether to take the one that runs programs on the calling
        thread.

    >>> runtime_name(Device("cpu", 0)), runtime_name(Device("rocm", 1))
    ('local-sync', 'hip:1')
    """
    is_inline = device.platform == "cpu" and is_small
    driver = "local-sync" if is_inline else _driver_of(device.platform)
    return f"{driver}:{device.id}" if device.id else driver


def device_named(name: str) -> Device:
    """The device that the runtime calls so.

    >>> device_named("hip:1"), device_named("local-sync")
    (RocmDevice(id=1), CpuDevice(id=0))
    """
    driver, _, number = name.partition(":")
    known = {_driver_of(platform): platform for platform in PLATFORMS} | {"local-sync": "cpu"}
    return Device(known.get(driver, driver), int(number or 0))


def memory_of(device: Device) -> dict[str, int] | None:
    """The bytes that arrays on a device take, where the device has memory of its own."""
    if device.platform == "cpu":
        return None
    from dovetail.runtime import get_device

    statistics = get_device(runtime_name(device)).hal.allocator.statistics
    return {
        "bytes_in_use": statistics["device_bytes_allocated"] - statistics["device_bytes_freed"],
        "peak_bytes_in_use": statistics["device_bytes_peak"],
    }
