"""Programs on several devices: the program of one of them, and the shardings of its arrays.

A program on the devices of a mesh is partitioned by the phase `shard`. All devices run the result,
each on its parts of the arguments.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail import _core
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.arrays.shards import Shards, joined, moved
from dovetail.base.errors import value_error
from dovetail.placement.attributes import mesh_attribute, named_sharding, sharding_attribute
from dovetail.placement.devices import process_index
from dovetail.placement.meshes import Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.shardings import Place, Sharding

if TYPE_CHECKING:
    from dovetail.runtime.participants import Participants, SpmdExecutable
    from dovetail.runtime.transports import Identity


class Partition(NamedTuple):
    """The program of one device of a mesh.

    Attributes:
      module: its module after the phase `check`.
      arguments: the shardings of the arguments of all devices' program.
      results: those of its results.
      digest: that of the module.
    """

    module: _core.Module
    arguments: tuple[NamedSharding, ...]
    results: tuple[NamedSharding, ...]
    digest: bytes


def mesh_of(place: Place | None) -> Mesh | None:
    """The mesh over whose devices a program at a place is partitioned; None if it runs on one."""
    sharding = None if place is None else place.sharding
    if not isinstance(sharding, NamedSharding) or not isinstance(sharding.mesh, Mesh):
        return None
    mesh = sharding.mesh
    is_cpu = all(device.platform == "cpu" for device in mesh.flat_devices)
    return mesh if mesh.size > 1 and is_cpu else None


def request(module: _core.Module, mesh: Mesh, shardings: Sequence[Sharding | None]) -> None:
    """Ask the phase `shard` for the program of one device.

    Args:
      module: the program.
      mesh: the mesh.
      shardings: those of the arguments; None for one that may get any.
    """

    def stated(sharding: Sharding | None, rank: int) -> _core.ShardingAttribute | None:
        # An array that is sharded in another way is moved before the program runs.
        if not isinstance(sharding, NamedSharding) or sharding.mesh != mesh:
            return None
        return sharding_attribute(sharding, rank)

    ranks = [len(shape) for shape, _ in module.function("main").inputs]
    module.partition_over(
        mesh_attribute(mesh),
        [stated(each, rank) for each, rank in zip(shardings, ranks, strict=True)],
    )


def partition(module: _core.Module, mesh: Mesh) -> Partition | None:
    """The program of one device, if the phase `shard` made it; None if it could not."""
    found = module.shardings()
    if found is None:
        return None
    arguments, results = (tuple(named_sharding(mesh, dims) for dims in each) for each in found)
    digest = hashlib.sha256(module.text().encode()).digest()
    return Partition(module, arguments, results, digest)


def identity(name: str, avals: Sequence[ShapedArray], partition: Partition) -> Identity:
    """What identifies a program among those that processes run together.

    Args:
      name: the Python function's name.
      avals: the types of its arguments.
      partition: the program of one device.
    """
    from dovetail.runtime.processes import identity_of  # lazy

    return identity_of(shown(name, avals), partition.digest)


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


class PartitionedExecutable:
    """The executable of a partitioned program, called with whole arrays.

    Args:
      executable: the program of one device, on all of them.
      partition: how arguments and results are sharded.
      avals: the types of the results.
    """

    def __init__(
        self, executable: SpmdExecutable, partition: Partition, avals: Sequence[ShapedArray]
    ) -> None:
        self._executable = executable
        self._partition = partition
        self._avals = avals

    def placed(self, captured: Sequence[Any]) -> list[Any]:
        """The data of the last arguments, moved to where every call needs it."""
        shardings = self._partition.arguments
        last = shardings[len(shardings) - len(captured) :]
        return [moved(value, sharding) for value, sharding in zip(captured, last, strict=True)]

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """The sharded data of the results, for data of the arguments, which is moved if needed."""
        shards = [
            parts_of(value, sharding)
            for value, sharding in zip(data, self._partition.arguments, strict=True)
        ]
        count = len(self._executable.executables)
        results = self._executable([[parts[i] for parts in shards] for i in range(count)])
        return [
            joined(sharding, aval.shape, aval.dtype, [parts[i] for parts in results])
            for i, (sharding, aval) in enumerate(
                zip(self._partition.results, self._avals, strict=True)
            )
        ]


def parts_of(data: Any, sharding: Sharding) -> Sequence[Any]:
    """The part on each device of data that is to be sharded so."""
    if type(data) is not Shards or data.sharding != sharding:
        data = moved(data, sharding)
    if type(data) is Shards:
        return data.parts
    # All devices share it.
    return [data] * len(sharding._addressable_device_assignment)


def placed(data: np.ndarray, place: Place | None) -> Any:
    """The data of a result that is to be at a place."""
    if place is None or place.sharding.num_devices == 1:
        return data
    return moved(data, place.sharding)
