"""Files that several processes write at once, each the parts of arrays that it has."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dovetail.arrays.process_moves import Bounds, bounds_of
from dovetail.arrays.shards import Shards
from dovetail.base.errors import value_error
from dovetail.placement.shardings import blocks
from dovetail.runtime import CollectiveError, processes
from dovetail.runtime.module_file import replacing
from dovetail.runtime.processes import ProcessGroup


class Part(NamedTuple):
    """A part of an array that this process writes.

    Attributes:
      bounds: where in the array it is.
      values: its elements.
    """

    bounds: Bounds
    values: np.ndarray


class _NotWritten(Exception):
    """A process could not write its part."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number
        self.text = text


def connected() -> ProcessGroup:
    """The processes that write together.

    Raises:
      ValueError: this one is not connected with the others.
    """
    group = processes.current()
    if group is None:
        raise value_error(
            "checkpoint.save: processes must be connected to write arrays that all have parts of, "
            "got: a call after distributed.shutdown()"
        )
    return group


def own_parts(data: Shards, index: int) -> Iterator[Part]:
    """The parts of an array that process `index`, this one, writes: each part is written by the
    first process that has it.
    """
    if data.sharding.has_terms:
        raise value_error(
            "checkpoint.save: sums must be done in arrays of several processes, got: one with "
            f"{data.sharding}; reshard it in a jitted function"
        )
    held = {bounds_of(part, data.shape): number for part, number in data.distinct()}
    seen = set()
    for block in blocks(data.sharding, data.shape):
        bounds = bounds_of(block.index, data.shape)
        if bounds in seen or any(start >= stop for start, stop in bounds):
            continue
        seen.add(bounds)
        if block.device.process_index == index:
            values = np.asarray(data.part(held[bounds]))
            yield Part(bounds, np.ascontiguousarray(values).reshape(values.shape))


def gathered(group: ProcessGroup, what: str, value: Any) -> list[Any]:
    """A value of each process that JSON can hold."""
    return [json.loads(data) for data in group.gathered(json.dumps(value).encode(), what)]


def write_together(
    path: Path,
    group: ProcessGroup,
    start: bytes,
    whole: Sequence[tuple[int, np.ndarray]],
    parts: Sequence[tuple[int, tuple[int, ...], Part]],
    size: int,
) -> None:
    """Write a file, which is then complete or, after an error in any process, as it was.

    Args:
      path: the file's name, in a folder that all processes see.
      group: the processes, all of which call this.
      start: the first bytes, which process 0 writes.
      whole: where the file has which arrays, which process 0 writes.
      parts: where the file has arrays of what shapes, and the parts of them that this process
        writes.
      size: the size of the file.

    Raises:
      OSError: a process could not write.
      CollectiveError: a process has ended.
    """
    temporary = ""
    try:
        with contextlib.ExitStack() as stack:
            problem = None
            if group.index == 0:
                try:
                    temporary = str(stack.enter_context(replacing(path)))
                    _write_start(temporary, start, whole, size)
                except OSError as error:
                    problem = error
            temporary = _agreed(group, f"creating {path}", problem, temporary)[0]
            try:
                _write_parts(temporary, parts)
            except OSError as error:
                problem = error
            _agreed(group, f"writing {path}", problem)
            try:
                stack.close()
            except OSError as error:
                problem = error
            _agreed(group, f"finishing {path}", problem)
    except CollectiveError:
        if temporary and group.index != 0:
            # That is the task of process 0, which may have ended.
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise
    except _NotWritten as error:
        raise OSError(
            error.number, f"the file cannot be written: {error.text}", str(path)
        ) from None


def _agreed(group: ProcessGroup, what: str, problem: OSError | None, value: str = "") -> list[str]:
    """A value of each process, unless one has a problem."""
    told = None if problem is None else [problem.errno or errno.EIO, problem.strerror]
    found = gathered(group, f"checkpoint.save: {what}", [told, value])
    for process, (other, _) in enumerate(found):
        if other is not None:
            raise _NotWritten(other[0], f"{os.strerror(other[0])} in process {process}")
    return [value for _, value in found]


def _write_start(
    path: str, start: bytes, whole: Sequence[tuple[int, np.ndarray]], size: int
) -> None:
    with open(path, "r+b", buffering=0) as file:
        os.truncate(file.fileno(), size)
        _write_at(file.fileno(), 0, memoryview(start))
        for offset, values in whole:
            _write_at(file.fileno(), offset, values.reshape(-1).view(np.uint8).data)


def _write_parts(path: str, parts: Sequence[tuple[int, tuple[int, ...], Part]]) -> None:
    if not parts:
        return
    with open(path, "r+b", buffering=0) as file:
        for offset, shape, part in parts:
            for place, run in runs(shape, part):
                _write_at(file.fileno(), offset + place, run)
        # A full disk is reported here at the latest.
        os.fsync(file.fileno())


def runs(shape: tuple[int, ...], part: Part) -> Iterator[tuple[int, memoryview]]:
    """The bytes of a part that lie next to each other in an array, and where they begin there.

    >>> part = Part(((0, 2), (2, 4)), np.arange(4, dtype=np.uint8).reshape(2, 2))
    >>> [(place, bytes(run)) for place, run in runs((2, 4), part)]
    [(2, b'\\x00\\x01'), (6, b'\\x02\\x03')]
    """
    # From the last dimension on, those that the part has all of.
    dim = len(shape)
    while dim > 0 and part.bounds[dim - 1] == (0, shape[dim - 1]):
        dim -= 1
    outer = max(dim - 1, 0)
    item = part.values.dtype.itemsize
    strides = [item] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    data = part.values.reshape(-1).view(np.uint8).data
    counts = [stop - start for start, stop in part.bounds[:outer]]
    length = len(data) // max(int(np.prod(counts)), 1)
    first = sum(start * stride for (start, _), stride in zip(part.bounds, strides, strict=True))
    for number, index in enumerate(np.ndindex(*counts)):
        place = first + sum(i * stride for i, stride in zip(index, strides, strict=False))
        yield place, data[number * length : (number + 1) * length]


def _write_at(file: int, offset: int, data: memoryview) -> None:
    while data:
        count = os.pwrite(file, data[: 1 << 30], offset)
        data, offset = data[count:], offset + count
