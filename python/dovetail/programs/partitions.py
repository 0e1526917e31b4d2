"""Executables of partitioned programs: all devices run one, each on its parts of the arguments."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.arrays.shards import Shards, is_on_host, moved
from dovetail.base.errors import value_error
from dovetail.placement.devices import process_index
from dovetail.placement.meshes import Mesh
from dovetail.placement.partitioning import Partition
from dovetail.placement.shardings import Place, Sharding
from dovetail.programs.donation import own_parts
from dovetail.runtime.parts import padded

if TYPE_CHECKING:
    from dovetail.runtime.participants import Participants, SpmdExecutable
    from dovetail.runtime.transports import Identity


def identity(name: str, avals: Sequence[ShapedArray], partition: Partition) -> Identity:
    """What identifies a program among those that processes run together.

    Args:
      name: the Python function's name.
      avals: the types of its arguments.
      partition: the program of one device.
    """
    from dovetail.runtime.processes import identity_of  # lazy

    return identity_of(shown(name, avals), digest_of(partition))


def digest_of(partition: Partition) -> bytes:
    """A digest of a program, by which processes compare theirs."""
    return hashlib.sha256(partition.module.text().encode()).digest()


def shown(name: str, avals: Sequence[ShapedArray]) -> str:
    """A program in messages: its name and the types of its arguments."""
    types = ", ".join(map(str, avals))
    return f"`{name}`({types if len(types) < 200 else f'{types[:200]} …'})"


def participants_of(mesh: Mesh) -> Participants:
    """The devices of a mesh, which run a program together.

    Raises:
      ValueError: none of them belongs to this process.
    """
    if not mesh.is_multi_process:
        return _participants_of(mesh.size, None)
    if not mesh.local_devices:
        raise value_error(
            "a program must run on devices of this process, among others, got: a mesh of "
            f"{', '.join(map(str, mesh.flat_devices))} in process {process_index()}"
        )
    owners = tuple(device.process_index for device in mesh.flat_devices)
    return _participants_of(len(mesh.local_devices), owners)


@functools.cache
def _participants_of(count: int, owners: tuple[int, ...] | None) -> Participants:
    from dovetail.runtime import processes  # lazy
    from dovetail.runtime.participants import Participants  # lazy

    if owners is None:
        return Participants(count)
    group = processes.current()
    if group is None:
        raise value_error(
            "a program on devices of several processes must run between distributed.initialize() "
            f"and distributed.shutdown(), got: one on devices of {len({*owners})} processes"
        )
    return Participants(count, group.timeout, group.transport, processes=owners, turn=group.turn)


def result_parts(partition: Partition) -> list[tuple[int, ...]]:
    """The shape of the parts of each result of a program, which all devices have alike."""
    return [shape for shape, _ in partition.module.function("main").outputs]


class PartitionedExecutable:
    """The executable of a partitioned program, called with whole arrays.

    Args:
      executable: the program of one device, on all of them.
      partition: how arguments and results are sharded.
      avals: the types of the results.
      donated: the arguments that it may overwrite.

    Attributes:
      executable: the program of one device, on all of them.
      arguments: the sharding of each argument, and the shape of its parts.
      results: the number, the sharding, the shape and the dtype of each result.
      result_parts: the shape of the parts of each result.
      devices: the runtime devices.
    """

    def __init__(
        self,
        executable: SpmdExecutable,
        partition: Partition,
        avals: Sequence[ShapedArray],
        donated: Sequence[int] = (),
    ) -> None:
        self.executable = executable
        shapes = [shape for shape, _ in partition.module.function("main").inputs]
        self.arguments = [*zip(partition.arguments, shapes, strict=True)]
        self.results = [
            (i, sharding, aval.shape, aval.dtype)
            for i, (sharding, aval) in enumerate(zip(partition.results, avals, strict=True))
        ]
        self.result_parts = result_parts(partition)
        self._donated = donated
        self.devices = [each.device for each in executable.executables]

    def placed(self, captured: Sequence[Any]) -> list[Any]:
        """The data of the last arguments, moved to where every call needs it, and padded."""
        last = self.arguments[len(self.arguments) - len(captured) :]
        return [
            Shards(sharding, value.shape, value.dtype, parts_of(value, sharding, shape))
            for value, (sharding, shape) in zip(captured, last, strict=True)
        ]

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """The sharded data of the results, for data of the arguments, which is moved if needed."""
        shards = [
            parts_of(value, sharding, shape)
            for value, (sharding, shape) in zip(data, self.arguments, strict=True)
        ]
        for number in self._donated:
            own_parts(shards[number], self.devices)
        count = len(self.devices)
        results = self.executable([[parts[i] for parts in shards] for i in range(count)])
        return [
            # Each device has its own copy of an array that all have.
            Shards(sharding, shape, dtype, [parts[i] for parts in results])
            for i, sharding, shape, dtype in self.results
        ]


def parts_of(data: Any, sharding: Sharding, shape: tuple[int, ...]) -> list[Any]:
    """The part on each device of data that is to be sharded so, in a new list.

    Args:
      data: the elements of the array.
      sharding: the sharding.
      shape: the shape of a part. Those at the ends of dimensions may be shorter, and are padded.
    """
    if type(data) is Shards:
        has = data.sharding
        if has is not sharding and not has.is_equivalent_to(sharding, len(data.shape)):
            data = moved(data, sharding)
    elif not (sharding.is_fully_replicated and is_on_host(data)):
        data = moved(data, sharding)
    if type(data) is not Shards:
        # All devices share it.
        return [data] * len(sharding._addressable_device_assignment)
    return [padded(part, shape) for part in data.parts]


def placed(data: np.ndarray, place: Place | None) -> Any:
    """The data of a result that is to be at a place."""
    if place is None or place.sharding.num_devices == 1:
        return data
    return moved(data, place.sharding)
