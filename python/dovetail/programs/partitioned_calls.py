"""Repeated calls of partitioned programs on arrays that are where the programs need them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from iree.runtime import VmVariantList

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.shards import Returned, Shards
from dovetail.placement.shardings import Sharding
from dovetail.programs.donation import remains_of
from dovetail.programs.partitions import PartitionedExecutable
from dovetail.programs.program import Program
from dovetail.runtime import iree_internals
from dovetail.runtime.buffer import Buffer, put
from dovetail.runtime.devices import Device
from dovetail.runtime.executable import Call
from dovetail.trees.pytree import unflatten

_core.set_runtime(Buffer)


def invocation(
    partitioned: PartitionedExecutable, program: Program, captured: Sequence[Shards]
) -> Callable[[list[Any]], Any] | None:
    """A function for `CompiledCalls._cache_call`; None if every call needs more than it does.

    Args:
      partitioned: the executable.
      program: the program.
      captured: the data of the arrays that the program closes over, its last arguments.
    """
    executable, devices, avals = (
        partitioned.executable,
        partitioned.devices,
        program.signature.avals,
    )
    given = partitioned.arguments[: len(avals)]
    if not all(_is_even(aval.shape, *has) for aval, has in zip(avals, given, strict=True)):
        return None
    # All devices run one module.
    one = executable.executables[0]
    for data in captured:
        _put_host_arrays(data.parts, devices)
    calls = _core.PartCalls(
        inputs=[
            (
                sharding,
                sharding.is_fully_replicated,
                remains_of(aval) if i in program.donated else None,
                i in one.handed_back,
            )
            for i, (aval, (sharding, _)) in enumerate(zip(avals, given, strict=True))
        ],
        outputs=[
            (
                sharding,
                shape,
                dtype,
                place,
                Returned(devices, part, i in one.sharing),
                aval.weak_type,
            )
            for (i, sharding, shape, dtype), part, aval, place in zip(
                partitioned.results,
                partitioned.result_parts,
                program.avals,
                program.places,
                strict=True,
            )
        ],
        example=unflatten(program.out_spec, range(len(program.avals))),
        unflatten=program.out_spec.unflatten,
        shards=Shards,
        list=VmVariantList,
        push=iree_internals.push,
        get=iree_internals.get,
        space=devices[0].space,
        devices=devices,
        last=[
            [*[data.parts[n].memory for data in captured], number.memory]
            for n, number in enumerate(executable.participants.numbers)
        ],
    )
    begin, run, end = calls.begin, executable.run, calls.end
    # For errors, which tell shapes: those of the parts are the same in each call.
    stand_ins = [
        np.broadcast_to(np.zeros((), aval.dtype), part)
        for aval, (_, part) in zip(avals, given, strict=True)
    ]

    def call(leaves: list[Any]) -> Any:
        begun = begin(leaves)
        if begun is None:
            for leaf in leaves:
                _move_to_buffers(leaf, devices)
            begun = begin(leaves)
            if begun is None:
                return NotImplemented
        # The donated arrays live until the program has run.
        lists, _held = begun
        run([Call(stand_ins, arguments, results, None) for arguments, results in lists])
        return end(lists)

    return call


def _move_to_buffers(leaf: Any, devices: Sequence[Device]) -> None:
    """Keep what every call would copy in buffers."""
    data = leaf._data if type(leaf) is Array else None
    if type(data) is np.ndarray:
        leaf.move_to(put(data, devices[0]))
    elif type(data) is Shards:
        _put_host_arrays(data.parts, devices)


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
