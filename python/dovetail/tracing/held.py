"""What references and their windows have in common: how indices read and write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.base.late import lax
from dovetail.base.late import numpy as dnp
from dovetail.base.locations import here
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.held_indices import (
    Slice,
    has_slices,
    is_all,
    is_integer,
    item_of,
    parts_of,
    rank_of,
)
from dovetail.trees.pytree import register_node


class Held:
    """What references and their windows have in common: an array that is read and written."""

    __slots__ = ()

    def _read(self) -> Any:
        raise NotImplementedError

    def _write(self, value: Any) -> None:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._read().shape

    @property
    def dtype(self) -> np.dtype:
        """Its element type."""
        return self._read().dtype

    @property
    def ndim(self) -> int:
        """Its rank."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of its elements."""
        return self._read().size

    @property
    def at(self) -> _Indexer:
        """`ref.at[index]` is the window of the reference at the index, which is read and written
        as the reference is.
        """
        return _Indexer(self)

    @property
    def T(self) -> Rearranged:
        """The reference with its dimensions in reversed order; writes to it are writes to this."""
        return self.transpose(tuple(reversed(range(self.ndim))))

    def reshape(self, *shape: Any) -> Rearranged:
        """The reference with another shape, as `reshape` of arrays; writes to it are writes to
        this.
        """
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        try:
            to = np.broadcast_to(False, self.shape).reshape(shape).shape
        except ValueError:
            raise value_error(
                f"cannot reshape shape {self.shape} into shape {shape}, got: a reference of "
                f"{self.size} elements"
            ) from None
        return Rearranged(self, "reshape", to)

    def transpose(self, permutation: Sequence[int]) -> Rearranged:
        """The reference with its dimensions in another order, as `transpose` of arrays."""
        order = tuple(permutation)
        if sorted(order) != list(range(self.ndim)):
            raise value_error(
                f"transpose of a reference must name each of its {self.ndim} dimensions once, got: "
                f"{order}"
            )
        return Rearranged(self, "transpose", order)

    def bitcast(self, dtype: Any) -> Rearranged:
        """The reference with its bits as elements of another type of the same size."""
        to = dtypes.dtype(np.dtype(dtype))
        if to.itemsize != self.dtype.itemsize:
            raise value_error(
                f"bitcast of a reference must have elements of {self.dtype.itemsize} bytes, got: "
                f"{to}, of {to.itemsize}"
            )
        return Rearranged(self, "bitcast", to)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        if has_slices(index):
            window, rest, _ = narrowed(self, index)
            return window[rest]
        whole = self._read()
        _check_integers(index, whole.shape)
        return whole if is_all(index, whole.ndim) else whole[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._update("swap", index, value)

    def get(self, index: Any = ...) -> Any:
        """The elements at an index, like `ref[index]`."""
        return self[index]

    def set(self, value: Any, index: Any = ...) -> None:
        """Replace the elements at an index, like `ref[index] = value`."""
        self[index] = value

    def swap(self, value: Any, index: Any = ...) -> Any:
        """Replace the elements at an index; returns those before."""
        before = self[index]
        self[index] = value
        return before

    def addupdate(self, x: Any, idx: Any = ...) -> None:
        """Add to the elements at an index; to one that occurs several times, each time."""
        self._update("addupdate", idx, x)

    def _update(self, how: str, index: Any, value: Any) -> None:
        if has_slices(index):
            window, rest, is_inside = narrowed(self, index)
            if is_inside is not None:
                # What is written outside is dropped.
                value = of_type(how, value, self.dtype)
                value = dnp.where(is_inside, value, window[rest] if how == "swap" else 0 * value)
            return window._update(how, rest, value)
        whole = self._read()
        _check_integers(index, whole.shape)
        value = of_type(how, value, whole.dtype)
        if not is_all(index, whole.ndim):
            part = whole.at[index]
            self._write(part.set(value) if how == "swap" else part.add(value))
            return
        if value.shape != whole.shape:
            try:
                value = dnp.broadcast_to(value, whole.shape)
            except ValueError:
                raise ValueError(
                    f"Invalid shape for `{how}`. Ref shape: {whole.shape}. Value shape: "
                    f"{value.shape}, got: a value that does not broadcast to the reference {here()}"
                ) from None
        self._write(value if how == "swap" else whole + value)


class RefView(Held):
    """A window of a reference, `ref.at[index]`.

    Args:
      whole: the reference, or a window of it.
      index: the index of the window in that.
    """

    __slots__ = ("_index", "_whole")

    def __init__(self, whole: Any, index: Any) -> None:
        self._whole, self._index = whole, index

    def _read(self) -> Any:
        return self._whole[self._index]

    def _write(self, value: Any) -> None:
        self._whole[self._index] = value

    def _flat(self) -> tuple[tuple[Any, ...], Any]:
        items = self._index if type(self._index) is tuple else (self._index,)
        split = [parts_of(item) for item in items]
        return (self._whole, *(x for _, xs in split for x in xs)), tuple(kind for kind, _ in split)

    @classmethod
    def _unflat(cls, kinds: Any, children: Sequence[Any]) -> RefView:
        whole, *arrays = children
        left = iter(arrays)
        return cls(whole, tuple(item_of(kind, left) for kind in kinds))


class Rearranged(Held):
    """A reference, or a window of one, with its elements in another form.

    Args:
      whole: the reference.
      how: `reshape`, `transpose` or `bitcast`.
      to: the shape, the order of dimensions, or the element type.
    """

    __slots__ = ("_how", "_to", "_whole")

    def __init__(self, whole: Held, how: str, to: Any) -> None:
        self._whole, self._how, self._to = whole, how, to

    def _read(self) -> Any:
        return _rearranged(self._whole._read(), self._how, self._to)

    def _write(self, value: Any) -> None:
        to: Any = self._to
        if self._how == "reshape":
            to = self._whole.shape
        elif self._how == "transpose":
            to = tuple(int(d) for d in np.argsort(to))
        else:
            to = self._whole.dtype
        self._whole._write(_rearranged(value, self._how, to))

    def _flat(self) -> tuple[tuple[Any, ...], Any]:
        return (self._whole,), (self._how, self._to)

    @classmethod
    def _unflat(cls, form: Any, children: Sequence[Any]) -> Rearranged:
        return cls(children[0], *form)


def _rearranged(x: Any, how: str, to: Any) -> Any:
    if how == "reshape":
        return dnp.reshape(x, to)
    return dnp.transpose(x, to) if how == "transpose" else lax.bitcast_convert_type(x, to)


class Window(Held):
    """Adjacent elements of a reference, of a known shape.

    Args:
      whole: the reference, or a window of it.
      starts: the index of the first element; the window must be inside.
      shape: the shape.
    """

    __slots__ = ("_shape", "_starts", "_whole")

    def __init__(self, whole: Held, starts: Sequence[Any], shape: Sequence[int]) -> None:
        self._whole, self._starts, self._shape = whole, tuple(starts), tuple(shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        """The element type."""
        return self._whole.dtype

    def _read(self) -> Any:
        whole = self._whole._read()
        if self.shape == whole.shape:
            return whole
        return lax.dynamic_slice(whole, self._starts, self.shape)

    def _write(self, value: Any) -> None:
        whole = self._whole._read()
        if self.shape != whole.shape:
            value = lax.dynamic_update_slice(whole, value, self._starts)
        self._whole._write(value)

    def _flat(self) -> tuple[tuple[Any, ...], Any]:
        return (self._whole, *self._starts), self._shape

    @classmethod
    def _unflat(cls, shape: Any, children: Sequence[Any]) -> Window:
        return cls(children[0], children[1:], shape)


# Functions that are traced take windows as they take references: by what they are made of.
for _class in (RefView, Rearranged, Window):
    register_node(_class, _class._flat, _class._unflat)


def narrowed(held: Held, index: Any) -> tuple[Window, tuple[Any, ...], Any]:
    """The window that the slices and integers of an index select, the rest of the index, and
    whether computed integers are inside; None if there are none.
    """
    items = list(index) if type(index) is tuple else [index]
    taken = [0 if item is None or item is Ellipsis else rank_of(item) for item in items]
    shape = held.shape
    _check_integers(index, shape)
    if not any(item is Ellipsis for item in items):
        items.append(Ellipsis)
        taken.append(0)
    if sum(taken) > len(shape):
        raise IndexError(
            f"too many indices for a reference of rank {len(shape)}, got: {sum(taken)} {here()}"
        )
    starts, sizes, rest, dim, is_inside = [0] * len(shape), list(shape), [], 0, None
    for item, count in zip(items, taken, strict=True):
        if type(item) is Slice:
            starts[dim], sizes[dim] = item.start, max((item.size - 1) * item.stride + 1, 0)
            if sizes[dim] > shape[dim]:
                raise IndexError(
                    f"a slice of a reference must fit its dimension {dim} of size {shape[dim]}, "
                    f"got: {item.size} elements, {item.stride} apart {here()}"
                )
            _check_known(item, shape[dim])
            item = slice(None, None, item.stride)
        elif is_integer(item) and shape[dim] > 0:
            start = dnp.where(item < 0, item + shape[dim], item)
            starts[dim], sizes[dim] = dnp.clip(start, 0, shape[dim] - 1), 1
            own = (start >= 0) & (start < shape[dim])
            is_inside = own if is_inside is None else is_inside & own
            item = 0
        elif type(item) is int and -shape[dim] <= item < shape[dim]:
            starts[dim], sizes[dim], item = item % shape[dim], 1, 0
        elif type(item) is slice and item.step in (None, 1) and not has_sizes(shape):
            start, stop, _ = item.indices(shape[dim])
            starts[dim], sizes[dim], item = start, max(stop - start, 0), slice(None)
        rest.append(item)
        dim += len(shape) - sum(taken) if item is Ellipsis else count
    return Window(held, starts, sizes), tuple(rest), is_inside


def _check_integers(index: Any, shape: Sequence[int]) -> None:
    """Reject integers that are known and outside of a reference of that shape."""
    items = index if type(index) is tuple else (index,)
    if int not in map(type, items):
        return
    taken = [0 if item is None or item is Ellipsis else rank_of(item) for item in items]
    dim = 0
    for item, count in zip(items, taken, strict=True):
        if type(item) is int and dim < len(shape):
            size = shape[dim]
            if not has_sizes((size,)) and not -size <= item < size:
                raise ValueError(
                    f"Out of bound indexer: idx={item}, dim={size}, got: an index of a reference "
                    f"that is not within it {here()}"
                )
        dim += len(shape) - sum(taken) if item is Ellipsis else count


def _check_known(item: Slice, size: int) -> None:
    """Reject a slice whose start is known, and that is not within a dimension of that size."""
    start = item.start
    if not isinstance(start, (int, np.integer)) or item.size == 0:
        return
    if start < 0 or start + (item.size - 1) * item.stride >= size:
        raise ValueError(
            f"Out of bound slice: start={start}, size={item.size}, stride={item.stride}, "
            f"dim={size}, got: a slice of a reference that is not within it {here()}; mask what is "
            "outside, or give it a smaller size"
        )


class _Indexer:
    """`ref.at`, which has no meaning without an index."""

    __slots__ = ("_whole",)

    def __init__(self, whole: Held) -> None:
        self._whole = whole

    def __getitem__(self, index: Any) -> RefView:
        return RefView(self._whole, index)


def of_type(how: str, value: Any, dtype: np.dtype) -> Any:
    """A value to be written to a reference, of its element type."""
    if isinstance(value, Held):
        raise value_error(
            f"Cannot store a Ref into another Ref, got: {how} of a reference {here()}; read it "
            "first, ref[...]"
        )
    value = dnp.asarray(value)
    if value.dtype == dtype:
        return value
    is_implied = value.weak_type and dtypes.promote((value.dtype, True), (dtype, False))[0] == dtype
    if not is_implied and not (dtypes.is_integer(value.dtype) and dtypes.is_integer(dtype)):
        raise ValueError(
            f"Invalid dtype for `{how}`. Ref dtype: {dtype}. Value dtype: {value.dtype}, got: a "
            f"value of another element type {here()}; convert it with astype"
        )
    return value.astype(dtype)
