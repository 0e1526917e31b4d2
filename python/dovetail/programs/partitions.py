"""Executables of partitioned programs: all devices run one, each on its parts of the arguments."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.arrays.shards import Shards, joined, moved
from dovetail.placement.partitioning import Partition
from dovetail.placement.shardings import Place, Sharding

if TYPE_CHECKING:
    from dovetail.runtime.participants import Participants, SpmdExecutable


@functools.cache
def participants_of(count: int) -> Participants:
    """The devices of this process that run a program together."""
    from dovetail.runtime.participants import Participants  # lazy

    return Participants(count)


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
    return [data] * sharding.num_devices


def placed(data: np.ndarray, place: Place | None) -> Any:
    """The data of a result that is to be at a place."""
    if place is None or place.sharding.num_devices == 1:
        return data
    return moved(data, place.sharding)
