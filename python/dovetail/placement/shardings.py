"""Where arrays are: on which device, committed to it or not, and how their elements are spread."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dovetail.base import config
from dovetail.base.errors import value_error
from dovetail.placement.devices import Device


class Place(NamedTuple):
    """Where an array is; `place_on` makes one object of each.

    Attributes:
      device: the device.
      is_committed: whether the array must stay there, and what is computed of it too.
    """

    device: Device
    is_committed: bool


@functools.cache
def place_on(device: Device, is_committed: bool) -> Place:
    """The place on a device: the same object for the same one.

    >>> place_on(Device("cpu", 0), True) is place_on(Device("cpu", 0), True)
    True
    """
    return Place(device, is_committed)


def common_place(
    operands: Sequence[Any], name: str = "", describe: Callable[[int], str] | None = None
) -> Place | None:
    """The device on which an op of the given arrays runs: that to which they are committed, or else
    the default device. None stands for the first device, uncommitted.

    Args:
      operands: arrays and tracers.
      name: of what is computed, for messages.
      describe: what messages call the operand of a number; by default its type.

    Raises:
      ValueError: they are committed to several devices.
    """
    found: Place | None = None
    first = 0
    for number, operand in enumerate(operands):
        place = operand._place
        if place is not None and place.is_committed and place is not found:
            if found is not None:
                called = describe or (lambda i: str(operands[i].aval))
                raise incompatible(
                    f"operands of `{name}`" if name else "operands",
                    f"{called(first)} on {found.device} and {called(number)} on {place.device}",
                )
            found, first = place, number
    return config.snapshot().place if found is None else found


def incompatible(what: str, got: str) -> Exception:
    """The error of arrays that are committed to different devices."""
    return value_error(
        f"{what} must be committed to the same device, got: {got}; move one of them with "
        "dovetail.device_put"
    )


class Sharding:
    """The distribution of an array's elements over devices.

    Example:
      >>> import dovetail.numpy as dnp
      >>> isinstance(dnp.zeros(3).sharding, Sharding)
      True
    """

    __slots__ = ()


@dataclass(frozen=True, repr=False)
class SingleDeviceSharding(Sharding):
    """All elements are on one device.

    Args:
      device: the device.
      memory_kind: which of its memories; there is but "device".

    Raises:
      ValueError: there is no such memory.

    Example:
      >>> import dovetail as dt
      >>> SingleDeviceSharding(dt.devices("cpu")[0])
      SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """

    device: Device
    memory_kind: str = "device"

    def __post_init__(self) -> None:
        if self.memory_kind is None:
            object.__setattr__(self, "memory_kind", "device")
        if self.memory_kind != "device":
            raise value_error(f"memory_kind must be 'device', got: {self.memory_kind!r}")

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self.device!r}, memory_kind={self.memory_kind})"

    @property
    def device_set(self) -> set[Device]:
        """The devices that hold elements."""
        return {self.device}

    @property
    def addressable_devices(self) -> set[Device]:
        """The subset that this process can address."""
        return {self.device}

    @property
    def has_addressable_devices(self) -> bool:
        """True if any of the devices is addressable."""
        return True

    @property
    def num_devices(self) -> int:
        """The number of devices."""
        return 1

    @property
    def is_fully_addressable(self) -> bool:
        """True if this process can address all of the devices."""
        return True

    @property
    def is_fully_replicated(self) -> bool:
        """True if every device holds all elements."""
        return True

    def with_memory_kind(self, kind: str) -> SingleDeviceSharding:
        """The same in another memory."""
        return SingleDeviceSharding(self.device, kind)

    def devices_indices_map(
        self, global_shape: Sequence[int]
    ) -> Mapping[Device, tuple[slice, ...]]:
        """The part of an array that each device holds."""
        return {self.device: (slice(None),) * len(global_shape)}

    addressable_devices_indices_map = devices_indices_map

    def shard_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of that part."""
        return tuple(global_shape)

    def check_compatible_aval(self, aval_shape: Sequence[int]) -> None:
        """Nothing: all shapes fit."""

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """True if both put the same elements on the same devices."""
        return self == other


@dataclass(frozen=True)
class Shard:
    """The part of an array on one device.

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
