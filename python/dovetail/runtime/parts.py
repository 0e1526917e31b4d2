"""Arrays in parts, and how a program on several devices divides them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Index = tuple[slice, ...]
# The axes of a mesh over which each dimension is divided.
Dims = Sequence[Sequence[str]]


def index_of(
    participant: int, axes: Sequence[tuple[str, int]], dims: Dims, shape: Sequence[int]
) -> Index:
    """The part of an array that a participant has; the last parts along a dimension may be shorter.

    Args:
      participant: its number.
      axes: the names and sizes of the mesh's axes.
      dims: over which of them each dimension is divided.
      shape: the shape of the array.

    >>> index_of(5, [("x", 2), ("y", 4)], [["y"], ["x"]], (8, 6))
    (slice(2, 4, None), slice(3, 6, None))
    >>> [index_of(i, [("x", 4)], [["x"]], (7,))[0].stop for i in range(4)]
    [2, 4, 6, 7]
    """
    sizes = [size for _, size in axes]
    names = [name for name, _ in axes]
    place = dict(zip(names, np.unravel_index(participant, sizes), strict=True))
    size_of = dict(axes)
    index = []
    for size, over, length in zip(shape, dims, shape_of_parts(axes, dims, shape), strict=True):
        tile = 0
        for name in over:
            tile = tile * size_of[name] + int(place[name])
        index.append(slice(min(tile * length, size), min((tile + 1) * length, size)))
    return tuple(index)


def shape_of_parts(
    axes: Sequence[tuple[str, int]], dims: Dims, shape: Sequence[int]
) -> tuple[int, ...]:
    """The shape of the parts of an array, to which those that are shorter are padded.

    >>> shape_of_parts([("x", 2), ("y", 4)], [["y"], ["x"]], (7, 6))
    (2, 3)
    """
    size_of = dict(axes)
    counts = [math.prod(size_of[name] for name in over) for over in dims]
    return tuple(-(-size // count) for size, count in zip(shape, counts, strict=True))


def padded(part: Any, shape: tuple[int, ...]) -> Any:
    """A part with zeros at the ends of its dimensions, unless it has that shape."""
    if part.shape == shape:
        return part
    values = np.asarray(part)
    result = np.zeros(shape, values.dtype)
    result[tuple(map(slice, values.shape))] = values
    return result


class Parts:
    """An array of which each participant in this process has a part.

    Programs on several devices take and return such arrays. `numpy.asarray` joins the parts if this
    process has all of them.

    Args:
      shape: the shape of the whole array.
      parts: the part of each participant, in their order.
      indices: where in the array they are; of an argument, the program knows it.

    Example:
      >>> parts = Parts((4,), [np.arange(2), np.arange(2, 4)], [(slice(0, 2),), (slice(2, 4),)])
      >>> np.asarray(parts)
      array([0, 1, 2, 3])
    """

    def __init__(
        self, shape: Sequence[int], parts: Sequence[Any], indices: Sequence[Index] | None = None
    ) -> None:
        self.shape = tuple(shape)
        self.parts = list(parts)
        self.indices = None if indices is None else list(indices)
        self.dtype = self.parts[0].dtype

    def __repr__(self) -> str:
        return f"Parts(shape={self.shape}, dtype={self.dtype}, {len(self.parts)} here)"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.indices is None:
            raise ValueError(f"Parts: indices must be given to join parts, got: None for {self}")
        result = np.empty(self.shape, self.dtype)
        distinct = {str(index): number for number, index in enumerate(self.indices)}
        for number in distinct.values():
            result[self.indices[number]] = np.asarray(self.parts[number])
        if sum(math.prod(self.parts[number].shape) for number in distinct.values()) < result.size:
            raise RuntimeError(
                "Parts: a process must have all parts to join them, got: an array of shape "
                f"{self.shape} of which {self.indices} are here"
            )
        return result if dtype is None else result.astype(dtype)
