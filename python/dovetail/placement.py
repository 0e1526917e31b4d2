"""Where arrays live: devices, and how an array is spread over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from dovetail.errors import value_error


class Device(NamedTuple):
    """A device, which has memory of its own and runs programs.

    Attributes:
      platform: the kind of device, such as "cpu".
      id: its number among those of the platform.

    Example:
      >>> str(Device("cpu", 0))
      'cpu:0'
    """

    platform: str
    id: int

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"


HOST = Device("cpu", 0)

# Those that functions outside of compiled programs compute on.
DEVICES = (HOST,)


class SingleDeviceSharding(NamedTuple):
    """All elements are on one device."""

    device: Device

    @property
    def device_set(self) -> set[Device]:
        """The devices that hold elements."""
        return {self.device}

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process reaches all the devices."""
        return True

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each device holds all elements."""
        return True


@dataclass(frozen=True)
class Shard:
    """What one device holds of an array.

    Attributes:
      device: the device.
      index: a slice for each dimension: the part of the array that it holds.
      replica_id: a number among the devices that hold the same part.
      data: the part, an array.

    Example:
      >>> [shard] = dnp.zeros((2, 3)).addressable_shards
      >>> str(shard.device), shard.index
      ('cpu:0', (slice(None, None, None), slice(None, None, None)))
    """

    device: Device
    index: tuple[slice, ...]
    replica_id: int
    data: Any


def as_device(device: Any) -> Device:
    """The device that a `Device`, a sharding or a text such as "cpu" or "cpu:0" means.

    >>> as_device("cpu")
    Device(platform='cpu', id=0)
    """
    asked = device.device if isinstance(device, SingleDeviceSharding) else device
    for known in DEVICES:
        if asked == known or asked in (str(known), known.platform):
            return known
    raise value_error(
        f"device must be one of {', '.join(map(str, DEVICES))}, got {device!r}; compiled programs "
        "for other devices are run by dovetail.runtime"
    )
