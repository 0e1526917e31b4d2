"""Indices of references: parts that are known when a program is traced, and computed ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.symbolic.size import has_sizes
from dovetail.trees.pytree import register_node, unflatten


class Slice(NamedTuple):
    """An index of references: `size` elements from a start that may be computed, `stride` apart.

    Attributes:
      start: an integer, or an integer array of rank 0.
      size: the number of elements.
      stride: their distance.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> dt.new_ref(dt.numpy.arange(8.0))[pl.Slice(1, 3, stride=2)]
      Array([1., 3., 5.], dtype=float32)
    """

    start: Any
    size: int
    stride: int = 1


def dslice(start: Any, size: Any = None, stride: int | None = None) -> Any:
    """An index by a start, which may be computed, and a size: `i:i + size`.

    Args:
      start: an integer, or an integer array of rank 0; without `size`, the size of a slice from 0;
        None for all elements.
      size: the number of elements, an int.
      stride: their distance, by default 1.

    Returns:
      The index, of an array or a reference.

    Raises:
      ValueError: size or stride is out of range.

    Example:
      >>> import dovetail as dt
      >>> dt.jit(lambda x, i: x[dt.ds(i, 2)])(dt.numpy.arange(5), 3)
      Array([3, 4], dtype=int32)
    """
    if start is None:
        return slice(None)
    if size is None:
        start, size = 0, start
    stride = 1 if stride is None else stride
    if size < 0 or stride < 1:
        raise value_error(
            f"ds: size must be 0 or more and stride 1 or more, got: {size} and {stride}"
        )
    return Slice(start, size, stride)


class NDIndexer:
    """An index of a reference in an equation: a node of which the integers and arrays are leaves.

    Args:
      indices: an integer, a slice, `Slice` or an array of integers for each dimension.
      shape: the shape of the reference.
      int_indexer_shape: the shape of the arrays.

    Example:
      >>> NDIndexer((1,), (3,)).shape
      (3,)
    """

    __slots__ = ("indices", "int_indexer_shape", "shape")

    def __init__(
        self,
        indices: Sequence[Any],
        shape: Sequence[int],
        int_indexer_shape: Sequence[int] = (),
    ) -> None:
        self.indices, self.shape = tuple(indices), tuple(shape)
        self.int_indexer_shape = tuple(int_indexer_shape)

    def _flat(self) -> tuple[tuple[Any, ...], Any]:
        split = [
            ((Any,), (item,)) if type(item) is int else parts_of(item) for item in self.indices
        ]
        kinds = tuple(kind for kind, _ in split)
        leaves = tuple(x for _, xs in split for x in xs)
        return leaves, (kinds, self.shape, self.int_indexer_shape)

    @classmethod
    def _unflat(cls, form: Any, children: Sequence[Any]) -> NDIndexer:
        kinds, shape, int_indexer_shape = form
        left = iter(children)
        return cls([item_of(kind, left) for kind in kinds], shape, int_indexer_shape)


def indices_of(index: Any, shape: Sequence[int]) -> tuple[NDIndexer, ...] | None:
    """An index as equations have it; None if it is no index of integers, slices and `...` alone.

    Args:
      index: the index.
      shape: the shape of the reference.
    """
    if is_all(index, len(shape)):
        return ()
    items = list(index) if type(index) is tuple else [index]
    if any(_is_other(item) for item in items):
        return None
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1 or len(items) - len(dots) > len(shape):
        return None
    place = dots[0] if dots else len(items)
    missing = len(shape) - len(items) + len(dots)
    items[place : place + len(dots)] = [slice(None)] * missing
    arrays = [item.shape for item in items if getattr(item, "shape", ())]
    if any(each != arrays[0] for each in arrays):
        return None
    return (NDIndexer(items, shape, arrays[0] if arrays else ()),)


def shape_of_part(indices: Sequence[NDIndexer], shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of what `indices_of` selects."""
    if not indices:
        return tuple(shape)
    known = [
        item if type(item) in (int, slice) else np.zeros(item.shape, int)
        for item in indices[0].indices
    ]
    return np.broadcast_to(False, tuple(shape))[tuple(known)].shape


def _is_other(item: Any) -> bool:
    """Whether an index is none of integers, slices of known places and `...`."""
    if item is Ellipsis or type(item) in (int, slice):
        return False
    dtype = getattr(item, "dtype", None)
    return dtype is None or not dtypes.is_integer(dtype) or has_sizes(item.shape)


def index_of(tree: Any, leaves: Sequence[Any]) -> Any:
    """The index whose parts are the leaves of a tree of `indices_of`."""
    steps = unflatten(tree, leaves)
    return steps[0].indices if steps else ...


def parts_of(item: Any) -> tuple[Any, tuple[Any, ...]]:
    """What of an index is known when a program is traced, and the arrays in it."""
    if type(item) is slice:
        return (slice, item.start, item.stop, item.step), ()
    if type(item) is Slice:
        return (Slice, item.size, item.stride), (item.start,)
    if isinstance(item, list):
        item = np.asarray(item)
    if isinstance(item, np.ndarray) and item.dtype == np.bool_:
        # The number of elements that a mask selects must be known.
        return (np.ndarray, item.tobytes(), item.shape), ()
    return ((Any,), (item,)) if getattr(item, "shape", None) is not None else ((None, item), ())


def item_of(parts: tuple[Any, ...], arrays: Iterator[Any]) -> Any:
    """The index of these parts."""
    kind, *rest = parts
    if kind is slice:
        return slice(*rest)
    if kind is Slice:
        return Slice(next(arrays), *rest)
    if kind is np.ndarray:
        return np.frombuffer(rest[0], np.bool_).reshape(rest[1])
    return next(arrays) if kind is Any else rest[0]


def has_slices(index: Any) -> bool:
    """Whether parts of an index are `Slice`s."""
    items = index if type(index) is tuple else (index,)
    return Slice in map(type, items)


def is_integer(item: Any) -> bool:
    """Whether an index is an integer that is known only when the program runs."""
    dtype = getattr(item, "dtype", None)
    return dtype is not None and item.ndim == 0 and dtypes.is_integer(dtype)


def rank_of(item: Any) -> int:
    """The number of dimensions that an index takes: of masks, several."""
    is_mask = getattr(item, "dtype", None) == np.bool_
    return item.ndim if is_mask else 1


def is_all(index: Any, rank: int) -> bool:
    """Whether an index selects everything as it is."""
    items = index if type(index) is tuple else (index,)
    slices = [item for item in items if type(item) is slice]
    return (
        len(slices) <= rank
        and len(items) - len(slices) <= 1
        and all(type(item) is slice or item is Ellipsis for item in items)
        and all(
            each.start is None and each.stop is None and each.step in (None, 1) for each in slices
        )
    )


register_node(NDIndexer, NDIndexer._flat, NDIndexer._unflat)
