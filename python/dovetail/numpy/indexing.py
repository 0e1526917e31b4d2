"""x[index]: integers, slices, `...`, `None`, arrays of integers and masks."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from dovetail import dtypes, lax, ops
from dovetail.array import Array, ArrayMethods
from dovetail.errors import index_error, type_error, value_error
from dovetail.lax.indexing import filled
from dovetail.numpy.index_plan import MODES, Entry, plan, selected
from dovetail.tracer import Tracer, constant

_ACCEPTED = "an index must be an integer, a slice, ..., None, an array of integers or bools"


def getitem(x: Array, index: Any) -> Array:
    """The elements that an index selects. Integers out of bounds are moved to the nearest element.

    >>> from dovetail import numpy as dnp
    >>> dnp.arange(5)[1:-1]
    Array([1, 2, 3], dtype=int32)
    >>> dnp.arange(5)[dnp.array([3, 0])]
    Array([3, 0], dtype=int32)
    """
    entries = expanded(x.shape, index)
    for entry in entries:
        if not (entry is None or type(entry) is int or isinstance(entry, slice)):
            return gathered(x, entries, "clip")
    return _basic(x, entries)  # type: ignore[arg-type]


def gathered(x: Array, entries: list[Entry | None], mode: str, fill_value: Any = None) -> Array:
    """The elements that an index selects; `mode` decides on those out of bounds."""
    what = plan(x.shape, entries, mode)
    if not what.dims:
        return lax.reshape(x, what.shape)
    windows = ops.gather(x, what.indices, what.dims, what.window)
    if mode == "fill":
        windows = filled(x, windows, what.indices, what.dims, what.window, fill_value)
    return what.result(windows, x.shape)


def checked_mode(mode: str | None, default: str) -> str:
    """The name of a mode, which is the default where none is given."""
    if mode is None:
        return default
    if mode not in MODES:
        raise value_error(f"mode must be one of {', '.join(MODES)}, got: {mode!r}")
    return "fill" if mode == "drop" else "clip" if mode == "promise_in_bounds" else mode


def _basic(x: Array, entries: list[int | slice | None]) -> Array:
    starts, strides, sizes = [], [], []
    reversed_dims, result_shape = [], []
    for entry in entries:
        if entry is None:
            result_shape.append(1)
            continue
        dim = len(starts)
        size = x.shape[dim]
        if isinstance(entry, slice):
            start, count, step = _range_of(entry, size)
            if step < 0:
                # Forwards through the reversed dimension.
                start, step = size - 1 - start if count else 0, -step
                reversed_dims.append(dim)
            result_shape.append(count)
        else:
            if size == 0:
                raise index_error(f"index {entry} is out of bounds for dimension {dim} of size 0")
            start, count, step = min(max(entry + size if entry < 0 else entry, 0), size - 1), 1, 1
        starts.append(start)
        strides.append(step)
        sizes.append(count)
    shape = tuple(sizes)
    if reversed_dims:
        x = ops.reverse(x, tuple(reversed_dims))
    if shape != x.shape:
        x = ops.slice(x, tuple(starts), tuple(strides), shape)
    return lax.reshape(x, result_shape)


def expanded(shape: tuple[int, ...], index: Any) -> list[Entry | None]:
    """One entry for each dimension of an array, and None for each new one."""
    given = index if isinstance(index, tuple) else (index,)
    entries: list[Any] = []
    used = 0
    for entry in given:
        if entry is Ellipsis:
            entries.append(entry)
            continue
        checked = _checked(entry)
        if isinstance(checked, _Mask):
            entries.extend(checked.arrays(shape, used, given))
            used += checked.rank
            continue
        entries.append(checked)
        used += checked is not None
    if used > len(shape):
        raise index_error(
            f"there must be at most {len(shape)} indices for shape {shape}, got {used}"
        )
    dots = [i for i, e in enumerate(entries) if e is Ellipsis]
    if len(dots) > 1:
        raise index_error(f"an index can contain ... once, got {len(dots)} times")
    at = dots[0] if dots else len(entries)
    rest = [slice(None)] * (len(shape) - used)
    return entries[:at] + rest + entries[at + 1 :]


class _Mask:
    """An index of bools."""

    def __init__(self, mask: Any) -> None:
        self.mask = mask
        self.rank = np.ndim(mask) if not isinstance(mask, ArrayMethods) else mask.ndim

    def arrays(self, shape: tuple[int, ...], used: int, given: tuple[Any, ...]) -> list[np.ndarray]:
        """The indices of the true elements, an array for each dimension of the mask."""
        size = np.shape(self.mask) if not isinstance(self.mask, ArrayMethods) else self.mask.shape
        if Ellipsis not in [
            e for e in given if not isinstance(e, (np.ndarray, ArrayMethods, list))
        ]:
            expected = shape[used : used + self.rank]
            if size != expected:
                raise index_error(
                    f"a mask must have the shape of what it indexes, {expected}, got {size}"
                )
        if not self.rank:
            raise index_error("a mask must have a dimension, got a scalar bool; use where")
        return list(selected(self.mask))


def _checked(entry: Any) -> Any:
    if entry is None or type(entry) is int:
        return entry
    if isinstance(entry, slice):
        return slice(*(_bound(v) for v in (entry.start, entry.stop, entry.step)))
    if isinstance(entry, (float, complex, str)):
        raise type_error(f"{_ACCEPTED}, got {type(entry).__name__} {entry!r}")
    if isinstance(entry, (list, tuple)):
        entry = np.asarray(entry) if entry else np.zeros(0, np.int32)
    if isinstance(entry, (bool, np.bool_)) or getattr(entry, "dtype", None) == dtypes.bool_:
        return _Mask(entry)
    if isinstance(entry, (np.ndarray, np.generic)):
        entry = np.asarray(entry)
        if entry.dtype.kind not in "iu":
            raise type_error(f"{_ACCEPTED}, got an array of {entry.dtype}")
        return int(entry) if not entry.ndim else entry
    if isinstance(entry, ArrayMethods):
        if dtypes.KINDS[entry.dtype] not in "iu":
            raise type_error(f"{_ACCEPTED}, got an array of {entry.dtype.name}")
        return int(entry) if type(entry) is Array and not entry.shape else entry
    try:
        return operator.index(entry)
    except TypeError as error:
        raise type_error(f"{_ACCEPTED}, got {type(entry).__name__}") from error


def _bound(value: Any) -> int | None:
    if type(value) is Tracer:
        try:
            return operator.index(value)
        except TypeError as error:
            raise type(error)(
                f"{error}; for a slice of constant size that starts at a traced index use "
                "dovetail.lax.dynamic_slice"
            ) from None
    return None if value is None else operator.index(value)


def _range_of(entry: slice, size: int) -> tuple[int, int, int]:
    start, stop, step = entry.indices(size)
    return start, len(range(start, stop, step)), step


class At:
    """`x.at`: index it, then call a method of the result."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Places:
        return Places(self._array, index)

    def __repr__(self) -> str:
        return f"At({self._array!r})"


class Places:
    """The elements of an array at an index, to be read or, in a copy, changed.

    Every method takes `mode`, for indices out of bounds: `drop` (or `fill`) leaves them out, `clip`
    moves them to the nearest element; `unique_indices` promises that no element is met twice;
    `indices_are_sorted` is accepted.

    >>> from dovetail import numpy as dnp
    >>> dnp.zeros(4).at[dnp.array([1, 1, 3])].add(1.0)
    Array([0., 2., 0., 1.], dtype=float32)
    """

    def __init__(self, array: Array, index: Any) -> None:
        self._array = array
        self._entries = expanded(array.shape, index)

    def get(
        self,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | None = None,
        fill_value: Any = None,
    ) -> Array:
        """The elements; `mode` is `clip` by default, or `fill` with `fill_value`."""
        default = "clip" if fill_value is None else "fill"
        return gathered(self._array, self._entries, checked_mode(mode, default), fill_value)

    def set(self, values: Any, **options: Any) -> Array:
        """The array with these elements replaced."""
        return self._changed(ops.scatter, "set", values, **options)

    def add(self, values: Any, **options: Any) -> Array:
        """The array with values added to these elements."""
        return self._changed(ops.scatter_add, "add", values, **options)

    def subtract(self, values: Any, **options: Any) -> Array:
        """The array with values subtracted from these elements."""
        x, values = self._array, self._values(values)
        if dtypes.KINDS[x.dtype] == "b":
            raise type_error("subtract: the element type must be a number, got bool")
        return self._changed(ops.scatter_add, "subtract", lax.neg(values), **options)

    def multiply(self, values: Any, **options: Any) -> Array:
        """The array with these elements multiplied by values."""
        return self._changed(ops.scatter_mul, "multiply", values, **options)

    mul = multiply

    def divide(self, values: Any, **options: Any) -> Array:
        """The array with these elements divided by values."""
        x = self._array
        ones = self._with(lax.full_like(x, 1))._changed(
            ops.scatter_mul, "divide", values, **options
        )
        return lax.div(x, ones)

    def power(self, values: Any, **options: Any) -> Array:
        """The array with these elements raised to powers, which must meet each at most once."""
        powers = lax.full_like(self._array, 1)
        powers = self._with(powers)._changed(ops.scatter_mul, "power", values, **options)
        return lax.pow(self._array, powers)

    def min(self, values: Any, **options: Any) -> Array:
        """The array with the lesser of each of these elements and a value."""
        return self._changed(ops.scatter_min, "min", values, **options)

    def max(self, values: Any, **options: Any) -> Array:
        """The array with the greater of each of these elements and a value."""
        return self._changed(ops.scatter_max, "max", values, **options)

    def apply(self, func: Any, **options: Any) -> Array:
        """The array with a function applied to these elements, once to each."""
        return self.set(func(self.get()), **options)

    def _with(self, array: Array) -> Places:
        other = Places.__new__(Places)
        other._array, other._entries = array, self._entries
        return other

    def _values(self, values: Any) -> Array:
        from dovetail.numpy.promotion import as_operand, with_dtype

        x = self._array
        if isinstance(values, (bool, int, float, complex)):
            return with_dtype(values, x.dtype)
        array = as_operand("at", values)
        return with_dtype(array, x.dtype)

    def _changed(
        self,
        scatter: Any,
        name: str,
        values: Any,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | None = None,
    ) -> Array:
        from dovetail.lax.operands import broadcast_to

        x = self._array
        what = plan(x.shape, self._entries, checked_mode(mode, "fill"))
        values = self._values(values)
        try:
            fits = np.broadcast_shapes(values.shape, what.shape) == what.shape
        except ValueError:
            fits = False
        if not fits:
            raise value_error(
                f"at[...].{name}: values must broadcast to {what.shape}, the shape that the index "
                f"selects, got {values.shape}"
            )
        values = broadcast_to(values, what.shape)
        if not what.dims:
            # The whole array.
            indices = constant(np.zeros((1, 0), np.int32))
            updates = lax.reshape(values, (1, *x.shape))
            return scatter(x, indices, updates, (), (), unique_indices)
        updates = what.windows(values, x.shape)
        return scatter(x, what.indices, updates, what.dims, what.window, unique_indices)
