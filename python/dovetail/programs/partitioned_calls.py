"""Repeated calls of partitioned programs on arrays that are where the programs need them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from iree.runtime import VmVariantList

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.arrays.shards import Shards
from dovetail.placement.shardings import Sharding
from dovetail.programs.partitions import PartitionedExecutable
from dovetail.runtime import iree_internals
from dovetail.runtime.buffer import Buffer, put
from dovetail.runtime.devices import Device
from dovetail.runtime.executable import Call

_core.set_runtime(Buffer)


def invocation(
    program: PartitionedExecutable,
    avals: Sequence[ShapedArray],
    captured: Sequence[Shards],
    tree: Callable[[list[Any]], Any],
) -> Callable[[list[Any]], Any] | None:
    """A function for `CompiledCalls._cache_call`; None if every call needs more than it does.

    Args:
      program: the executable, which donates nothing.
      avals: the types of the arguments.
      captured: the data of the arrays that the program closes over, its last arguments.
      tree: makes what a call returns from the data of the results.
    """
    executable, devices = program.executable, program.devices
    given = program.arguments[: len(avals)]
    is_even = all(
        _is_even(aval.shape, *argument) for aval, argument in zip(avals, given, strict=True)
    )
    if not is_even:
        return None
    # All devices run one module.
    one = executable.executables[0]
    are_shared = [i in one.sharing for i in range(len(program.results))]
    handed_back = [i for i in one.handed_back if i < len(given)]
    # Equivalent shardings need not be one object; the last one is known to be equivalent.
    shardings: list[Sharding] = [sharding for sharding, _ in given]
    for data in captured:
        _put_host_arrays(data.parts, devices)
    numbers = executable.participants.numbers
    is_replicated = [sharding.is_fully_replicated for sharding in shardings]
    count = len(devices)
    last = [
        [*[data.parts[n]._ref for data in captured], number._ref]
        for n, number in enumerate(numbers)
    ]
    space, result_count = devices[0].space, len(program.results)
    dtypes = [dtype for _, _, _, dtype in program.results]
    begin, end = _core.begin_part_calls, _core.end_part_calls
    push, get = iree_internals.push, iree_internals.get

    def call(leaves: list[Any]) -> Any:
        parts = []
        for i, leaf in enumerate(leaves):
            data = leaf._data if type(leaf) is Array else None
            if is_replicated[i] and type(data) in (np.ndarray, Buffer):
                # All devices share it.
                parts.append([data] * count)
                continue
            if type(data) is not Shards:
                return NotImplemented
            if data.sharding is not shardings[i]:
                if not data.sharding.is_equivalent_to(shardings[i], len(data.shape)):
                    return NotImplemented
                shardings[i] = data.sharding
            parts.append(data.parts)
        lists = begin(VmVariantList, push, space, devices, parts, last, result_count)
        if lists is None:
            for leaf, each in zip(leaves, parts, strict=True):
                _put_host_arrays(each, devices)
                if type(leaf._data) is np.ndarray:
                    leaf.move_to(each[0])
            lists = begin(VmVariantList, push, space, devices, parts, last, result_count)
            if lists is None:
                return NotImplemented
        for i in handed_back:
            for part in parts[i]:
                part._shared = True
        executable.run([Call(_Parts(parts, n), *pair, None) for n, pair in enumerate(lists)])
        return tree(
            [
                Shards(sharding, shape, dtype, of_result)
                for of_result, (_, sharding, shape, dtype) in zip(
                    end(get, lists, dtypes, are_shared, devices), program.results, strict=True
                )
            ]
        )

    return call


class _Parts(Sequence[Any]):
    """The arguments of one device, for errors; made when they are asked for."""

    __slots__ = ("number", "parts")

    def __init__(self, parts: Sequence[Sequence[Any]], number: int) -> None:
        self.parts = parts
        self.number = number

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, i: Any) -> Any:
        return self.parts[i][self.number]


def _put_host_arrays(parts: list[Any], devices: Sequence[Device]) -> None:
    """Replace what every call would copy by buffers; one that several devices have, by one."""
    made: dict[int, Buffer] = {}
    for n, (part, device) in enumerate(zip(parts, devices, strict=True)):
        if type(part) is np.ndarray:
            if id(part) not in made:
                made[id(part)] = put(part, device)
            parts[n] = made[id(part)]


def _is_even(shape: Sequence[Any], sharding: Sharding, part: Sequence[int]) -> bool:
    """Whether parts of this shape have all elements, and nothing that pads them."""
    counts = sharding._tiling(len(part)).counts
    return all(n == size * count for n, size, count in zip(shape, part, counts, strict=True))
