"""x[index]: integers, slices, `...`, `None`, arrays of integers and masks."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import dtypes, lax, ops
from dovetail.array import Array, ArrayMethods
from dovetail.errors import index_error, type_error, value_error
from dovetail.lax.indexing import GatherScatterMode, filled, scatter_subtract
from dovetail.lax.operands import broadcast_to, check_kind
from dovetail.numpy.arithmetic import divide
from dovetail.numpy.creation import asarray
from dovetail.numpy.elementary import power
from dovetail.numpy.index_plan import Entry, plan, selected
from dovetail.numpy.promotion import promote, with_dtype
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
    x, entries = applied(x, index)
    for entry in entries:
        if not (entry is None or entry is Ellipsis or isinstance(entry, (int, slice))):
            return gathered(x, entries, "clip")
    return _basic(x, entries)


def gathered(
    x: Array, entries: list[Entry | None], mode: str, fill_value: Any = None, wrap: bool = True
) -> Array:
    """The elements that an index selects; `mode` decides on those out of bounds."""
    what = plan(x.shape, entries, mode, wrap)
    if not x.size and math.prod(what.shape):
        raise index_error(
            f"an array of shape {x.shape} has no elements, got an index that selects {what.shape}"
        )
    if not what.dims:
        return lax.reshape(x, what.shape)
    if 0 in what.shape:
        return lax.full_like(x, 0, shape=what.shape)
    windows = ops.gather(x, what.indices, what.dims, what.window)
    if mode == "fill":
        windows = filled(x, windows, what.indices, what.dims, what.window, fill_value)
    return what.result(windows, x.shape)


def checked_mode(mode: str | GatherScatterMode | None, default: str, promised: str = "clip") -> str:
    """`clip` or `fill`, for a mode: `default` for None, `promised` for indices said to be in
    bounds.
    """
    if mode is None:
        return default
    parsed = GatherScatterMode.from_any(mode)
    if parsed is GatherScatterMode.PROMISE_IN_BOUNDS:
        return promised
    return "clip" if parsed is GatherScatterMode.CLIP else "fill"


def _basic(x: Array, entries: Sequence[Any]) -> Array:
    starts, strides, sizes = [], [], []
    reversed_dims, result_shape = [], []
    for entry in entries:
        if entry is None:
            result_shape.append(1)
            continue
        if entry is Ellipsis:
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


def applied(x: Array, index: Any) -> tuple[Array, list[Entry | None]]:
    """An array and one entry for each of its dimensions, and None for each new one; `...` where it
    stands for no dimension.

    A scalar bool indexes a new dimension of size 1, so the array may get more dimensions.
    """
    entries = _expanded(x.shape, index)
    of_dims = [e for e in entries if e is not None and e is not Ellipsis]
    added = [dim for dim, entry in enumerate(of_dims) if isinstance(entry, _Mask)]
    if added:
        x = lax.expand_dims(x, added)
        entries = [selected(e.mask)[0] if isinstance(e, _Mask) else e for e in entries]
    for dim, entry in enumerate(of_dims):
        if isinstance(entry, _Mask):
            continue
        if not x.shape[dim] and not isinstance(entry, slice) and not np.ndim(entry):
            raise index_error(f"an integer is out of bounds for dimension {dim} of size 0")
    return x, entries


def _expanded(shape: tuple[int, ...], index: Any) -> list[Any]:
    """The entries of an index, in which a mask is left only if it is a scalar."""
    given = index if isinstance(index, tuple) else (index,)
    checked = [entry if entry is Ellipsis else _checked(entry) for entry in given]
    dots = sum(entry is Ellipsis for entry in checked)
    if dots > 1:
        raise index_error(f"an index can contain ... once, got {dots} times")
    used = sum(map(_rank, checked))
    if used > len(shape):
        raise index_error(
            f"there must be at most {len(shape)} indices for shape {shape}, got {used}"
        )
    entries: list[Any] = []
    dim = 0
    for entry in checked if dots else [*checked, Ellipsis]:
        if entry is Ellipsis:
            # Even of no dimensions it stands between arrays, whose dimensions then come first.
            entries += [slice(None)] * (len(shape) - used) or [...]
            dim += len(shape) - used
            continue
        rank = _rank(entry)
        if isinstance(entry, _Mask) and rank:
            entries += entry.arrays(shape[dim : dim + rank])
        else:
            entries.append(entry)
        dim += rank
    return entries


class _Mask:
    """An index of bools."""

    def __init__(self, mask: Any) -> None:
        self.mask = mask
        self.shape = mask.shape if isinstance(mask, ArrayMethods) else np.shape(mask)

    def arrays(self, expected: tuple[int, ...]) -> list[np.ndarray]:
        """The indices of the true elements, an array for each dimension of the mask."""
        # A size of 0 fits any, as there is nothing that it would select.
        fits = len(self.shape) == len(expected) and all(
            mine in (size, 0) for mine, size in zip(self.shape, expected, strict=True)
        )
        if not fits:
            raise index_error(
                f"a mask must have the shape of what it indexes, {expected}, got {self.shape}"
            )
        return list(selected(self.mask))


def _rank(entry: Any) -> int:
    """How many dimensions of an array an entry is for."""
    if isinstance(entry, _Mask):
        return len(entry.shape)
    return 0 if entry is None or entry is Ellipsis else 1


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
        raise index_error(f"{_ACCEPTED}, got {type(entry).__name__}") from error


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

    Every method takes these options:
      mode: what happens to indices out of bounds: `drop` (or `fill`) leaves them out, which is the
        default for changes, `clip` moves them to the nearest element, the default for `get`;
        `promise_in_bounds` says that there are none.
      wrap_negative_indices: whether negative integers count from the end; else they are out of
        bounds.
      unique_indices: promises that no element is met twice.
      indices_are_sorted: accepted.

    Changes are computed in the promoted type of array and values, and converted to the array's.

    >>> from dovetail import numpy as dnp
    >>> dnp.zeros(4).at[dnp.array([1, 1, 3])].add(1.0)
    Array([0., 2., 0., 1.], dtype=float32)
    """

    def __init__(self, array: Array, index: Any) -> None:
        self._array = array
        self._indexed, self._entries = applied(array, index)

    def get(
        self,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | GatherScatterMode | None = None,
        fill_value: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The elements; `fill_value` is read out of bounds if `mode` is `fill`."""
        if np.ndim(fill_value):
            raise value_error(f"fill_value must be a scalar, got shape {np.shape(fill_value)}")
        mode = checked_mode(mode, "clip")
        return gathered(self._indexed, self._entries, mode, fill_value, wrap_negative_indices)

    def set(self, values: Any, **options: Any) -> Array:
        """The array with these elements replaced."""
        return self._changed(ops.scatter, "set", "bifuc", values, **options)

    def add(self, values: Any, **options: Any) -> Array:
        """The array with values added to these elements."""
        return self._changed(ops.scatter_add, "add", "ifuc", values, **options)

    def subtract(self, values: Any, **options: Any) -> Array:
        """The array with values subtracted from these elements."""
        return self._changed(scatter_subtract, "subtract", "ifuc", values, **options)

    def multiply(self, values: Any, **options: Any) -> Array:
        """The array with these elements multiplied by values."""
        return self._changed(ops.scatter_mul, "multiply", "ifuc", values, **options)

    mul = multiply

    def divide(self, values: Any, **options: Any) -> Array:
        """The array divided by values at these elements, by 1 elsewhere."""
        return divide(self._array, self._ones("divide", values, options))

    def power(self, values: Any, **options: Any) -> Array:
        """The array with these elements raised to powers, which must meet each at most once."""
        return power(self._array, self._ones("power", values, options))

    def min(self, values: Any, **options: Any) -> Array:
        """The array with the lesser of each of these elements and a value."""
        return self._changed(ops.scatter_min, "min", "bifuc", values, **options)

    def max(self, values: Any, **options: Any) -> Array:
        """The array with the greater of each of these elements and a value."""
        return self._changed(ops.scatter_max, "max", "bifuc", values, **options)

    def apply(self, func: Any, **options: Any) -> Array:
        """The array with a function applied to these elements, once to each."""
        wrap = options.get("wrap_negative_indices", True)
        return self.set(func(self.get(wrap_negative_indices=wrap)), **options)

    def _ones(self, name: str, values: Any, options: dict[str, Any]) -> Array:
        """An array of ones, but for the values at these elements."""
        ones = Places.__new__(Places)
        ones._array, ones._entries = lax.full_like(self._array, 1), self._entries
        ones._indexed = lax.full_like(self._indexed, 1)
        return ones._changed(ops.scatter_mul, name, "ifuc", values, **options)

    def _promoted(self, name: str, kinds: str, values: Any) -> tuple[Array, Array]:
        """The indexed array and the values in the type of the computation."""
        if isinstance(values, (list, tuple)):
            values = asarray(values)
        x, new = promote(f"at[...].{name}", self._indexed, values)
        check_kind(f"at[...].{name}", x, kinds)
        if dtypes.KINDS[x.dtype] == "c" != dtypes.KINDS[self._array.dtype]:
            raise type_error(
                f"at[...].{name}: values must be real, as the array of {self._array.dtype.name} "
                f"is, got {x.dtype.name}; take values.real first"
            )
        return x, new

    def _changed(
        self,
        scatter: Any,
        name: str,
        kinds: str,
        values: Any,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | GatherScatterMode | None = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        x, new = self._promoted(name, kinds, values)
        mode = checked_mode(mode, "fill", promised="fill")
        what = plan(x.shape, self._entries, mode, wrap_negative_indices)
        try:
            fits = np.broadcast_shapes(new.shape, what.shape) == what.shape
        except ValueError:
            fits = False
        if not fits:
            raise value_error(
                f"at[...].{name}: values must broadcast to {what.shape}, the shape that the index "
                f"selects, got {new.shape}"
            )
        if 0 in what.shape or not x.size:
            return self._array
        new = broadcast_to(new, what.shape)
        if what.dims:
            updates, indices = what.windows(new, x.shape), what.indices
        else:
            # The whole array.
            indices = constant(np.zeros((1, 0), np.int32))
            updates = lax.reshape(new, (1, *x.shape))
        # Only products need it: they have a derivative where no element is met twice.
        unique = unique_indices or (scatter is ops.scatter_mul and what.unique(x.shape))
        result = scatter(x, indices, updates, what.dims, what.window, unique)
        like = self._array
        return lax.reshape(with_dtype(result, like.dtype, like.weak_type), like.shape)
