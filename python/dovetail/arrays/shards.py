"""Elements of arrays in parts on several devices: gathered, and moved from one sharding to another.

The elements of an array, its data, are a NumPy array, a buffer of the runtime, or `Shards`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.arrays.process_moves import (
    Bounds,
    assembled,
    bounds_of,
    fetched,
    overlap,
    within,
)
from dovetail.base.errors import value_error
from dovetail.placement import devices
from dovetail.placement.devices import Device
from dovetail.placement.shardings import Block, Index, Sharding, addressable_blocks


class Returned(NamedTuple):
    """What the parts of a program's result have in common.

    Attributes:
      devices: the runtime's devices that have them.
      shape: the shape of each, which may be padded.
      shared: whether something else may refer to their memory.
    """

    devices: Sequence[Any]
    shape: tuple[int, ...]
    shared: bool


# Held while buffers are made of references: two buffers must not have the same memory. Making them
# may run finalizers, which may make others.
_making = threading.RLock()


def _after_fork() -> None:
    global _making
    _making = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)


class Shards:
    """The elements of an array in parts, one for each device of this process.

    Args:
      sharding: the sharding, which assigns a part to each device.
      shape: the shape of the array.
      dtype: the type of its elements.
      parts: NumPy arrays and buffers, in the order of the sharding's devices. Parts may be one
        object if they are the same part. A part may be padded at the ends of dimensions.
    """

    # Results of compiled programs are made by `PartCalls`: most of them only feed the next call,
    # which needs no buffers.
    __slots__ = ("_common", "_parts", "_references", "dtype", "shape", "sharding")

    def __init__(
        self, sharding: Sharding, shape: tuple[int, ...], dtype: np.dtype, parts: Sequence[Any]
    ) -> None:
        self.sharding = sharding
        self.shape = shape
        self.dtype = dtype
        self._parts: list[Any] | None = list(parts)
        # IREE's references to the memory of each part, instead of buffers.
        self._references: list[Any] | None = None
        self._common: Returned | None = None

    @property
    def parts(self) -> list[Any]:
        """NumPy arrays and buffers, in the order of the sharding's devices."""
        parts = self._parts
        if parts is None:
            with _making:
                parts = self._made()
        return parts

    def _made(self) -> list[Any]:
        from dovetail.runtime import Buffer  # lazy

        if self._parts is None:
            assert self._references is not None
            assert self._common is not None
            devices, shape, shared = self._common
            made = [
                Buffer(None, self.dtype, device, shared, memory=memory, shape=shape)
                for device, memory in zip(devices, self._references, strict=True)
            ]
            if self._parts is None:
                self._parts, self._references = made, None
        return self._parts

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The part of the array that each device of this process holds."""
        return addressable_blocks(self.sharding, self.shape)

    @property
    def on_host(self) -> bool:
        """True if the parts are in the host's memory."""
        return all(map(is_on_host, self.parts))

    def has_all_of(self, sharding: Sharding) -> bool:
        """True if processes have the elements that they need for another sharding: the same answer
        in all of them.
        """
        if self.sharding.is_fully_addressable or self.sharding.is_fully_replicated:
            return True
        return self.sharding.is_equivalent_to(sharding, len(self.shape))

    def part(self, number: int) -> Any:
        """The part on a device, without padding."""
        part, shape = self.parts[number], self.blocks[number].shape_in(self.shape)
        return part if part.shape == shape else np.asarray(part)[tuple(map(slice, shape))]

    def distinct(self) -> list[tuple[Index, int]]:
        """The distinct parts, or terms of these: their elements, and the number of a device that
        holds each.
        """
        found = {}
        for number, block in enumerate(self.blocks):
            key = bounds_of(block.index, self.shape), block.term
            found.setdefault(key, (block.index, number))
        return list(found.values())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.elements((slice(None),) * len(self.shape)), dtype, copy=copy)

    def elements(self, index: Index) -> np.ndarray:
        """The elements at a slice of each dimension, without a copy if one part has them all.

        Raises:
          RuntimeError: some are in other processes.
        """
        wanted = bounds_of(index, self.shape)
        if self.sharding.has_terms:
            return self._sums(wanted)
        result = np.empty([stop - start for start, stop in wanted], self.dtype)
        missing = result.size
        for other, number in self.distinct():
            has = bounds_of(other, self.shape)
            both = overlap(wanted, has)
            if both is None:
                continue
            source = np.asarray(self.part(number))[within(both, has)]
            if both == wanted:
                return source
            result[within(both, wanted)] = source
            missing -= source.size
        if missing:
            raise RuntimeError(
                "Fetching value for `dovetail.Array` that spans non-addressable (non process local)"
                f" devices is not possible, got: an array with {self.sharding}; "
                "`addressable_shards` are the parts that this process has, and "
                "multihost_utils.process_allgather gives all"
            )
        return result

    def _sums(self, wanted: Bounds) -> np.ndarray:
        if not self.sharding.is_fully_addressable:
            raise value_error(
                "the terms of a sum that is left to do must be added by a compiled program if they "
                f"are in several processes, got: an array with {self.sharding}; reshard it in a "
                "jitted function"
            )
        result = np.zeros([stop - start for start, stop in wanted], self.dtype)
        for other, number in self.distinct():
            has = bounds_of(other, self.shape)
            both = overlap(wanted, has)
            if both is not None:
                result[within(both, wanted)] += np.asarray(self.part(number))[within(both, has)]
        return result

    def copy(self) -> Shards:
        """The same elements in separate memory."""
        return self._map(lambda part: part.copy())

    def block_until_ready(self) -> None:
        """Nothing to wait for: a call returns only when its results are complete."""

    def _map(self, function: Callable[[Any], Any]) -> Shards:
        """A function of each part, called once for parts that are one object."""
        results = {id(part): function(part) for part in self.parts}
        parts = [results[id(part)] for part in self.parts]
        return Shards(self.sharding, self.shape, self.dtype, parts)


def is_on_host(data: Any) -> bool:
    """True if an array's data is in the host's memory, which CPU devices share."""
    if type(data) is Shards:
        return data.on_host
    return type(data) is np.ndarray or data.device.on_host


# Moves --------------------------------------------------------------------------------------------


def moved(data: Any, sharding: Sharding, copy: bool = False) -> Any:
    """The elements of an array, moved as a sharding states.

    Parts that a device already holds, and parts in memory that devices share, are not copied.

    Args:
      data: the array's data.
      sharding: the sharding of the result.
      copy: whether the result must be in separate memory.

    Returns:
      Data: one object if all devices share it.

    Raises:
      CollectiveError: elements are in other processes, of which one does something else.
    """
    shape = data.shape
    has_terms = type(data) is Shards and data.sharding.has_terms
    if has_terms or sharding.has_terms:
        if not has_terms or not data.sharding.is_equivalent_to(sharding, len(shape)):
            return _moved_terms(data, sharding)
        return Shards(sharding, shape, data.dtype, (data.copy() if copy else data).parts)
    if type(data) is Shards and not data.has_all_of(sharding):
        return _moved_between_processes(data, sharding)
    found: dict[tuple[Any, str], Any] = {}
    parts = []
    for block in addressable_blocks(sharding, shape):
        key = bounds_of(block.index, shape), _memory(block.device)
        if key not in found:
            found[key] = _part(data, block, copy)
        parts.append(found[key])
    return joined(sharding, shape, data.dtype, parts)


def _moved_terms(data: Any, sharding: Sharding) -> Any:
    """The elements as terms of a sum, or the sum of such terms. Of devices with the same part, the
    first has it, and the others have zeros. What is divided over the axes of the sum stays where it
    is, among zeros.
    """
    if not sharding.has_terms:
        whole = (slice(None),) * len(data.shape)
        return moved(data.elements(whole), sharding)
    has = _blocks_over(data, sharding)
    parts = []
    for block in addressable_blocks(sharding, data.shape):
        wanted = bounds_of(block.index, data.shape)
        part = np.zeros([stop - start for start, stop in wanted], data.dtype)
        own = has.get(block.device)
        if own is not None:
            bounds = bounds_of(own, data.shape)
            both = overlap(wanted, bounds)
            if both is not None:
                part[within(both, wanted)] = _elements(data, own)[within(both, bounds)]
        elif not has and block.term == 0:
            part[...] = _elements(data, block.index)
        parts.append(_in_memory(part, block.device, False))
    return Shards(sharding, data.shape, data.dtype, parts)


def _blocks_over(data: Any, sharding: Sharding) -> dict[Device, Index]:
    """The part that each device adds to its term, if the elements are divided over axes of the sum
    and those that divide the terms: to the first term only. Empty if they are not.
    """
    if type(data) is not Shards or data.sharding.has_terms:
        return {}
    targets = {block.device: block for block in addressable_blocks(sharding, data.shape)}
    first_term: dict[Any, int] = {}
    part_of: dict[Any, Any] = {}
    own: dict[Device, Index] = {}
    for block in data.blocks:
        target = targets.get(block.device)
        if target is None:
            return {}
        wanted = bounds_of(target.index, data.shape)
        has = bounds_of(block.index, data.shape)
        is_alike = part_of.setdefault((wanted, target.term), has) == has
        if overlap(wanted, has) != has or not is_alike:
            return {}
        if first_term.setdefault((wanted, has), target.term) == target.term:
            own[block.device] = block.index
    return own


def _moved_between_processes(data: Shards, sharding: Sharding) -> Any:
    pieces, shape = fetched(data, sharding), data.shape
    found: dict[tuple[Any, str], Any] = {}
    parts = []
    for block in addressable_blocks(sharding, shape):
        bounds = bounds_of(block.index, shape)
        key = bounds, _memory(block.device)
        if key not in found:
            found[key] = _in_memory(assembled(bounds, pieces, data.dtype), block.device, False)
        parts.append(found[key])
    return joined(sharding, shape, data.dtype, parts)


def joined(
    sharding: Sharding, shape: tuple[int, ...], dtype: np.dtype, parts: Sequence[Any]
) -> Any:
    """The data of an array in the form of `Shards`; a single part is used directly if all devices
    share it as one object.
    """
    if sharding.is_fully_replicated and len({*map(id, parts)}) == 1:
        return parts[0]
    return Shards(sharding, shape, dtype, parts)


def _part(data: Any, block: Block, copy: bool) -> Any:
    """One part of the elements, in the memory of its device."""
    if not copy:
        held = _held(data, block)
        if held is not None:
            return held
    return _in_memory(_elements(data, block.index), block.device, copy)


def _in_memory(values: np.ndarray, device: Device, copy: bool) -> Any:
    """Elements in the memory of a device."""
    if device.platform == "cpu":
        return np.array(values) if copy else np.ascontiguousarray(values).reshape(values.shape)
    # Loaded only if there are other devices.
    from dovetail.runtime import put  # lazy

    return put(values, devices.runtime_name(device))


def _held(data: Any, block: Block) -> Any:
    """The part in the memory of the device, if it is one object there."""
    wanted = bounds_of(block.index, data.shape)
    if type(data) is not Shards:
        is_whole = wanted == tuple((0, size) for size in data.shape)
        return data if is_whole and _is_in(data, block.device) else None
    candidates = [
        number
        for number, other in enumerate(data.blocks)
        if bounds_of(other.index, data.shape) == wanted and _is_in(data.parts[number], block.device)
    ]
    # That of the device itself rather than of another one with the same memory.
    candidates.sort(key=lambda number: data.blocks[number].device != block.device)
    return data.part(candidates[0]) if candidates else None


def _elements(data: Any, index: Index) -> np.ndarray:
    """The elements at a slice of each dimension, on the host."""
    return data.elements(index) if type(data) is Shards else np.asarray(data)[index]


def _memory(device: Device) -> str:
    """The name of a device's memory: CPUs share the host's."""
    return "host" if device.platform == "cpu" else devices.runtime_name(device)


def _is_in(data: Any, device: Device) -> bool:
    """True if a NumPy array or buffer is in the memory of a device."""
    return _memory(device) == ("host" if is_on_host(data) else data.device.name)
