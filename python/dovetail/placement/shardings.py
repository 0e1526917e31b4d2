"""Where arrays are: on which device, committed to it or not, and how their elements are spread."""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple
from weakref import WeakValueDictionary

from dovetail.base import config
from dovetail.base.errors import value_error
from dovetail.placement.devices import MEMORY_KINDS, Device, one_of

Index = tuple[slice, ...]


class Tiling(NamedTuple):
    """The tiles that an array is cut into, and the one that each device holds.

    Attributes:
      counts: the number of tiles along each dimension.
      tiles: for each device the number of its tile along each dimension.
    """

    counts: tuple[int, ...]
    tiles: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Block:
    """The part of an array of some shape that one device holds.

    Attributes:
      device: the device.
      index: a slice for each dimension.
      replica_id: the number of the device among those that hold the same part.
      term: the number of the term that it holds, of a sum over devices that is left to do.
    """

    device: Device
    index: Index
    replica_id: int
    term: int = 0

    def shape_in(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the part, given that of the array."""
        return tuple(
            part.stop - part.start if part.stop is not None else size
            for part, size in zip(self.index, shape, strict=True)
        )


class UnspecifiedValue:
    """The class of what stands for a sharding that is not stated."""

    def __repr__(self) -> str:
        return "UnspecifiedValue"


UNSPECIFIED = UnspecifiedValue()


class Sharding:
    """The distribution of an array's elements over devices.

    Dimensions need not divide: the last shards are smaller, or empty.

    Example:
      >>> import dovetail.numpy as dnp
      >>> isinstance(dnp.zeros(3).sharding, Sharding)
      True
    """

    __slots__ = ()

    memory_kind: str | None

    # What subclasses state ------------------------------------------------------------------------

    @property
    def _device_assignment(self) -> tuple[Device, ...]:
        """The devices in order."""
        raise NotImplementedError(f"a sharding must have devices, got: {type(self).__name__}")

    def _tiling(self, ndim: int) -> Tiling:
        """The tiles of arrays of a rank; those of devices are in the order of the assignment."""
        raise NotImplementedError(f"a sharding must have tiles, got: {type(self).__name__}")

    @property
    def has_terms(self) -> bool:
        """True if devices hold terms of a sum that is left to do."""
        return False

    def _terms(self) -> Sequence[int]:
        """The number of the term that each device holds."""
        return [0] * self.num_devices

    @property
    def is_fully_replicated(self) -> bool:
        """True if every device holds all elements."""
        raise NotImplementedError(f"a sharding must tell, got: {type(self).__name__}")

    @property
    def is_explicit(self) -> bool:
        """True if it is part of the types of arrays: over a mesh with axes of type `Explicit`."""
        return False

    def replicated(self) -> Sharding:
        """The sharding over the same devices in which each holds all elements."""
        raise NotImplementedError(f"a sharding must have devices, got: {type(self).__name__}")

    def with_memory_kind(self, kind: str) -> Sharding:
        """The same in another memory."""
        raise NotImplementedError(f"a sharding must have a memory, got: {type(self).__name__}")

    def check_compatible_aval(self, aval_shape: Sequence[int]) -> None:
        """Check that arrays of a shape can be sharded so; by default all can."""

    # What follows ---------------------------------------------------------------------------------

    @property
    def device_set(self) -> set[Device]:
        """The devices that hold elements."""
        return set(self._device_assignment)

    @property
    def num_devices(self) -> int:
        """The number of devices."""
        return len(self._device_assignment)

    @property
    def _addressable_device_assignment(self) -> tuple[Device, ...]:
        """The devices of this process in order."""
        devices = self._device_assignment
        return tuple(d for d in devices if d.process_index == d.client.process_index())

    @property
    def addressable_devices(self) -> set[Device]:
        """The subset that this process can address."""
        return set(self._addressable_device_assignment)

    @property
    def has_addressable_devices(self) -> bool:
        """True if any of the devices is addressable."""
        return bool(self._addressable_device_assignment)

    @property
    def is_fully_addressable(self) -> bool:
        """True if this process can address all of the devices."""
        return len(self._addressable_device_assignment) == self.num_devices

    def shard_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the largest shards of an array, given the array's shape."""
        self.check_compatible_aval(global_shape)
        counts = self._tiling(len(global_shape)).counts
        return tuple(-(-size // count) for size, count in zip(global_shape, counts, strict=True))

    def devices_indices_map(self, global_shape: Sequence[int]) -> Mapping[Device, Index]:
        """The part of an array that each device holds, given the array's shape."""
        return {block.device: block.index for block in blocks(self, tuple(global_shape))}

    def addressable_devices_indices_map(
        self, global_shape: Sequence[int]
    ) -> Mapping[Device, Index]:
        """The part of an array that each device of this process holds."""
        found = addressable_blocks(self, tuple(global_shape))
        return {block.device: block.index for block in found}

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """True if both put the same elements of arrays of a rank on the same devices."""
        return (
            self.memory_kind == other.memory_kind
            and self._tiling(ndim) == other._tiling(ndim)
            and self._device_assignment == other._device_assignment
        )


@functools.lru_cache(4096)
def blocks(sharding: Sharding, shape: tuple[int, ...]) -> tuple[Block, ...]:
    """The part of an array of a shape that each device of a sharding holds, in their order."""
    sharding.check_compatible_aval(shape)
    counts, tiles = sharding._tiling(len(shape))
    replicas: Counter[tuple[int, ...]] = Counter()
    found = []
    devices = sharding._device_assignment
    for device, tile, term in zip(devices, tiles, sharding._terms(), strict=True):
        index = tuple(map(_tile, shape, counts, tile))
        found.append(Block(device, index, replicas[tile], term))
        replicas[tile] += 1
    return tuple(found)


def _tile(size: int, count: int, number: int) -> slice:
    """The elements of one tile along a dimension that is cut into `count` tiles."""
    if count == 1:
        return slice(None)
    length = -(-size // count)
    start = min(number * length, size)
    return slice(start, min(start + length, size))


def addressable_blocks(sharding: Sharding, shape: tuple[int, ...]) -> tuple[Block, ...]:
    """Those of `blocks` on devices of this process."""
    found = blocks(sharding, shape)
    if sharding.is_fully_addressable:
        return found
    local = sharding.addressable_devices
    return tuple(block for block in found if block.device in local)


def memory_of(kind: str | None, devices: Sequence[Device]) -> str:
    """The memory that a sharding's `memory_kind` means.

    Raises:
      ValueError: the devices have no such memory.
    """
    kinds = devices[0].memory_kinds
    if kind is None:
        return kinds[0]
    if kind not in kinds:
        raise value_error(
            f"Could not find memory addressable by device {devices[0].device_kind}: memory_kind "
            f"must be {one_of(kinds)}, got: {kind!r}"
        )
    return kind


def memory_of_results(sharding: Sharding) -> str:
    """The memory of what is computed of an array: "pinned_host" is kept, as in JAX."""
    kind = sharding.memory_kind
    return kind if kind == "pinned_host" else MEMORY_KINDS[0]


@dataclass(frozen=True, init=False, repr=False)
class SingleDeviceSharding(Sharding):
    """All elements are on one device.

    Args:
      device: the device.
      memory_kind: which of its memories; by default "device".

    Raises:
      ValueError: there is no such memory.

    Example:
      >>> import dovetail as dt
      >>> SingleDeviceSharding(dt.devices("cpu")[0])
      SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """

    device: Device
    memory_kind: str | None

    def __init__(self, device: Device, memory_kind: str | None = None) -> None:
        object.__setattr__(self, "device", device)
        object.__setattr__(self, "memory_kind", memory_of(memory_kind, [device]))

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self.device!r}, memory_kind={self.memory_kind})"

    @property
    def _device_assignment(self) -> tuple[Device, ...]:
        return (self.device,)

    def _tiling(self, ndim: int) -> Tiling:
        return Tiling((1,) * ndim, ((0,) * ndim,))

    @property
    def is_fully_replicated(self) -> bool:
        """True: the device holds all elements."""
        return True

    def replicated(self) -> Sharding:
        """The sharding itself."""
        return self

    def with_memory_kind(self, kind: str) -> SingleDeviceSharding:
        """The same in another memory."""
        return SingleDeviceSharding(self.device, kind)


def make_single_device_sharding(
    device: Device, *, memory_kind: str | None = None
) -> SingleDeviceSharding:
    """The sharding of arrays that are on one device.

    Args:
      device: the device.
      memory_kind: which of its memories; by default "device".

    Returns:
      A `SingleDeviceSharding`.

    Raises:
      ValueError: there is no such memory.

    Example:
      >>> import dovetail as dt
      >>> make_single_device_sharding(dt.devices()[0])
      SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """
    return SingleDeviceSharding(device, memory_kind)


@dataclass(frozen=True, repr=False)
class Shard:
    """The part of an array on one device.

    Attributes:
      device: the device.
      index: a slice for each dimension: the part of the array that it holds.
      replica_id: a number among the devices that hold the same part.
      data: the part, an array; None on a device of another process.

    Example:
      >>> [shard] = dnp.zeros((2, 3)).addressable_shards
      >>> str(shard.device), shard.index
      ('cpu:0', (slice(None, None, None), slice(None, None, None)))
    """

    device: Device
    index: Index
    replica_id: int
    data: Any = field(compare=False)

    def __repr__(self) -> str:
        return (
            f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, "
            f"data={self.data})"
        )


# Places -------------------------------------------------------------------------------------------


class Place:
    """Where an array is; there is one object of each place.

    Attributes:
      sharding: over which devices, and how.
      is_committed: whether the array must stay there, and what is computed of it too.
      device: the device, the first one if there are several.
      is_spread: whether there are several devices.
      is_explicit: whether the sharding, or part of it, belongs to the types of arrays.
      any_spread: whether there has been a place of several devices.
    """

    any_spread: ClassVar[bool] = False
    __slots__ = (
        "__weakref__",
        "_results",
        "device",
        "is_committed",
        "is_explicit",
        "is_spread",
        "sharding",
    )

    def __init__(self, sharding: Sharding, is_committed: bool) -> None:
        self.sharding = sharding
        self.is_committed = is_committed
        self.device = sharding._device_assignment[0]
        self.is_spread = sharding.num_devices > 1
        if self.is_spread:
            Place.any_spread = True
        self.is_explicit = sharding.is_explicit
        replicated = sharding.replicated()
        self._results = None if replicated is sharding else place_of(replicated)

    def __str__(self) -> str:
        return ", ".join(map(str, self.sharding._device_assignment))

    def __repr__(self) -> str:
        return f"Place({self.sharding!r}, is_committed={self.is_committed})"

    @property
    def shown(self) -> str:
        """The devices as JAX's messages name them.

        >>> place_on(Device("cpu", 0), True).shown
        'device ids [0] on platform CPU'
        """
        numbers = [device.id for device in self.sharding._device_assignment]
        return f"device ids {numbers} on platform {self.device.platform.upper()}"

    def has_devices_of(self, other: Place) -> bool:
        """True if both are the same devices in the same order."""
        return self is other or (
            self.sharding._device_assignment == other.sharding._device_assignment
        )

    def of_results(self) -> Place:
        """Where results are that are computed of whole arrays here: each device has all of them.

        The compiler decides how the results of ops and programs that it partitions are sharded.
        """
        return self if self._results is None else self._results


class OperandPlace(Place):
    """Where an operand is that does not decide like others how the result of an op is sharded.

    Attributes:
      source: how the elements are sharded of which the op makes the operand.
      shape: their shape; the op repeats them.
    """

    __slots__ = ("shape", "source")

    def __init__(self, sharding: Sharding, source: Sharding, shape: tuple[int, ...]) -> None:
        super().__init__(sharding, True)
        self.source, self.shape = source, shape


@functools.cache
def place_on(device: Device, is_committed: bool) -> Place:
    """The place on a device: the same object for the same one.

    >>> place_on(Device("cpu", 0), True) is place_on(Device("cpu", 0), True)
    True
    """
    return Place(SingleDeviceSharding(device), is_committed)


_places: WeakValueDictionary[Sharding, Place] = WeakValueDictionary()
_lock = threading.RLock()


def place_of(sharding: Sharding) -> Place:
    """The place of arrays that are committed to a sharding: the same object for equal shardings.

    >>> place_of(SingleDeviceSharding(Device("cpu", 0))) is place_on(Device("cpu", 0), True)
    True
    """
    if type(sharding) is SingleDeviceSharding and sharding.memory_kind == MEMORY_KINDS[0]:
        return place_on(sharding.device, True)
    with _lock:
        place = _places.get(sharding)
        if place is None:
            place = _places[sharding] = Place(sharding, True)
        return place


def common_place(
    operands: Sequence[Any], name: str = "", describe: Callable[[int], str] | None = None
) -> Place | None:
    """Where an op of the given arrays runs, and its results are: on the devices to which they are
    committed, or else on the default device. None stands for the first device, uncommitted.

    Args:
      operands: arrays and tracers.
      name: of what is computed, for messages.
      describe: what messages call the operand of a number.

    Raises:
      ValueError: they are committed to several devices.
    """
    found: Place | None = None
    first = 0
    for number, operand in enumerate(operands):
        place = operand._place
        if place is None or not place.is_committed or place is found:
            continue
        if found is None:
            found, first = place, number
        elif not place.has_devices_of(found):
            got = []
            for i, where in ((first, found), (number, place)):
                which = f"{describe(i)} of " if describe else "of " if name else ""
                shape = operands[i].aval
                got.append(f"argument {which}{name} with shape {shape} and {where.shown}")
            raise incompatible(" and ".join(got))
    default = config.snapshot().place
    if found is None:
        return default
    if default is not None and default.is_committed and not default.has_devices_of(found):
        which = f"{describe(first)} of " if describe else "of " if name else ""
        raise incompatible(
            f"argument {which}{name} with shape {operands[first].aval} and {found.shown} and the "
            f"mesh of the context with {default.shown}"
        )
    return found.of_results()


def incompatible(got: str) -> Exception:
    """The error of arrays that are committed to different devices."""
    return value_error(
        f"Received incompatible devices for jitted computation. Got {got}; move one of them with "
        "dovetail.device_put"
    )
