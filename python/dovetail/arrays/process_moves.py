"""Moves of arrays whose parts are in several processes, which send each other what they miss."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dovetail.base.errors import value_error
from dovetail.placement.devices import process_index
from dovetail.placement.shardings import Sharding, blocks

# The first element along each dimension, and the one after the last.
Bounds = tuple[tuple[int, int], ...]


class Move(NamedTuple):
    """Elements that one process sends to another, or has itself."""

    source: int
    target: int
    bounds: Bounds


def bounds_of(index: tuple[slice, ...], shape: tuple[int, ...]) -> Bounds:
    """The bounds of a slice of each dimension."""
    return tuple(part.indices(size)[:2] for part, size in zip(index, shape, strict=True))


def within(part: Bounds, whole: Bounds) -> tuple[slice, ...]:
    """The index of a part of an array in a larger part of it."""
    return tuple(
        slice(start - first, stop - first)
        for (start, stop), (first, _) in zip(part, whole, strict=True)
    )


def overlap(a: Bounds, b: Bounds) -> Bounds | None:
    """What two parts have in common; None if that is nothing."""
    both = tuple((max(i, k), min(j, m)) for (i, j), (k, m) in zip(a, b, strict=True))
    return None if any(start >= stop for start, stop in both) else both


def _held(sharding: Sharding, shape: tuple[int, ...]) -> dict[Bounds, list[int]]:
    """The distinct parts of an array, and the processes that have each."""
    found: dict[Bounds, dict[int, None]] = {}
    for block in blocks(sharding, shape):
        bounds = bounds_of(block.index, shape)
        found.setdefault(bounds, {})[block.device.process_index] = None
    return {bounds: list(processes) for bounds, processes in found.items()}


def plan(source: Sharding, target: Sharding, shape: tuple[int, ...]) -> list[Move]:
    """What each process needs, and who has it; the same list in all processes."""
    held = _held(source, shape)
    moves = []
    for wanted, targets in _held(target, shape).items():
        for process in targets:
            for has, sources in held.items():
                both = overlap(wanted, has)
                if both is not None:
                    near = process if process in sources else sources[process % len(sources)]
                    moves.append(Move(near, process, both))
    return list(dict.fromkeys(moves))


def fetched(data: Any, target: Sharding) -> dict[Bounds, np.ndarray]:
    """The elements that this process needs for another sharding, in pieces.

    All processes with devices of either sharding must call this.

    Args:
      data: `Shards` over devices of several processes.
      target: the other sharding.

    Raises:
      CollectiveError: other processes do something else, or one has ended.
      ValueError: this process is not connected with the others.
    """
    from dovetail.runtime import processes  # lazy

    shape, here = data.shape, process_index()
    moves = plan(data.sharding, target, shape)
    pieces: dict[Bounds, np.ndarray] = {}
    for move in moves:
        if move.source == here and move.bounds not in pieces:
            pieces[move.bounds] = _local(data, move.bounds)
    far = [move for move in moves if move.source != move.target]
    if not far:
        return pieces
    group = processes.current()
    if group is None:
        raise value_error(
            "an array on devices of other processes cannot be moved after distributed.shutdown(), "
            f"got: one with {data.sharding}"
        )
    members = sorted({move.source for move in moves} | {move.target for move in moves})
    sends: dict[int, list[np.ndarray]] = {}
    receives: dict[int, list[Bounds]] = {}
    for move in far:
        if move.source == here:
            sends.setdefault(move.target, []).append(pieces[move.bounds].reshape(-1))
        elif move.target == here:
            receives.setdefault(move.source, []).append(move.bounds)
    what = f"moving {data.dtype}{list(shape)} from {_shown(data.sharding)} to {_shown(target)}"
    with group.doing(what, members):
        arrived = {
            process: np.empty(sum(map(_size, wanted)), data.dtype)
            for process, wanted in receives.items()
        }
        group.exchange(
            [(other, _bytes(np.concatenate(parts))) for other, parts in sends.items()],
            [(other, _bytes(memory)) for other, memory in arrived.items()],
        )
    for process, wanted in receives.items():
        start = 0
        for bounds in wanted:
            stop = start + _size(bounds)
            sizes = [last - first for first, last in bounds]
            pieces[bounds] = arrived[process][start:stop].reshape(sizes)
            start = stop
    return pieces


def _local(data: Any, bounds: Bounds) -> np.ndarray:
    """Elements that one part of this process has."""
    for index, number in data.distinct():
        has = bounds_of(index, data.shape)
        if overlap(bounds, has) == bounds:
            return np.asarray(data.part(number))[within(bounds, has)]
    raise AssertionError(bounds)


def _size(bounds: Bounds) -> int:
    size = 1
    for start, stop in bounds:
        size *= stop - start
    return size


def _bytes(array: np.ndarray) -> np.ndarray:
    return array.view(np.uint8)


def _shown(sharding: Sharding) -> str:
    devices = ", ".join(str(device.id) for device in sharding._device_assignment[:8])
    return f"{sharding} of devices {devices}{' …' * (sharding.num_devices > 8)}"


def assembled(bounds: Bounds, pieces: dict[Bounds, np.ndarray], dtype: np.dtype) -> np.ndarray:
    """One part of an array, of pieces."""
    if bounds in pieces:
        return pieces[bounds]
    result = np.empty([stop - start for start, stop in bounds], dtype)
    for has, piece in pieces.items():
        both = overlap(bounds, has)
        if both is not None:
            result[within(both, bounds)] = piece[within(both, has)]
    return result
