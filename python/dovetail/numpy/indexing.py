"""x[index]: integers, slices, `...`, `None`, arrays of integers and masks."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import index_error, type_error
from dovetail.lax.indexing import GatherScatterMode, filled
from dovetail.lax.pieces import cut_anywhere
from dovetail.numpy.creation import asarray
from dovetail.numpy.index_equations import NO_PROMISES, Promises, gathered_equation
from dovetail.numpy.index_plan import Entry, plan, selected
from dovetail.numpy.index_slices import cut_at_slices, has_slices, indices_of_slices
from dovetail.reference.checks import unwanted
from dovetail.symbolic.size import Size, as_size, has_sizes
from dovetail.symbolic.slices import range_of, within
from dovetail.tracing.bind import apply_known, constant, is_eager, is_for_host
from dovetail.tracing.composed import makes_equations
from dovetail.tracing.held_indices import Slice
from dovetail.tracing.tracer import AnyTracer
from dovetail.tracing.whole import whole
from dovetail.trees.pytree import flatten

_NO_PLACES = np.zeros(0, np.int32)
_ACCEPTED = "an index must be an integer, a slice, ..., None, an array of integers or bools"
_NO_INDEX = "Indexer must have integer or boolean type, got indexer with type"


def getitem(x: Array, index: Any) -> Array:
    """The elements that an index selects. Integers out of bounds are moved to the nearest element.

    Args:
      x: an array.
      index: an integer, a slice, `...`, `None`, an array of integers or bools, or a tuple of these.
        Negative integers count from the end; a mask must be known while tracing.

    Returns:
      An array of the type of `x`, its shape as for NumPy.

    Raises:
      IndexError: there are more entries than dimensions, a mask has another shape, or a dimension
        of size 0 is indexed with an integer.
      TypeError: an entry is a float, a complex number, a string or an array of floats or complex
        numbers.

    Example:
      >>> from dovetail import numpy as dnp
      >>> dnp.arange(5)[1:-1]
      Array([1, 2, 3], dtype=int32)
      >>> dnp.arange(5)[dnp.array([3, 0])]
      Array([3, 0], dtype=int32)
    """
    return new_if_empty(x, _selected(x, index))


def new_if_empty(x: Array, selected: Array) -> Array:
    """What an index selects of an array; nothing of it is an array of its own, which as in JAX is
    not on the devices that the array is on.
    """
    # Looked at last: a shape that values decide keeps a call from being recorded.
    if type(selected) is not Array or selected._place is None or 0 not in selected.shape:
        return selected
    before, after = ([n for n in each.shape if n != 1] for each in (x, selected))
    return selected if before == after else Array(selected._value(), selected.weak_type)


def _selected(x: Array, index: Any) -> Array:
    if isinstance(index, ArrayMethods) and index.dtype == dtypes.bool_ and is_eager(x, index):
        rank = index.ndim
        if rank and index.shape == x.shape[:rank]:
            return apply_known(operator.getitem, x, index, weak_type=x.weak_type, is_sized=False)
    if isinstance(index, Slice) or (isinstance(index, tuple) and has_slices(index)):
        x, index = cut_at_slices(x, index)
    x, entries = applied(x, index)
    for entry in entries:
        if not (entry is None or entry is Ellipsis or isinstance(entry, (int, slice, Size))):
            return gathered(x, entries, "promised")
    inside = _clamped(x.shape, entries)
    if is_for_host(x):
        index = inside if Ellipsis in inside else (*inside, ...)
        return apply_known(operator.itemgetter(index), x, weak_type=x.weak_type)
    if (seen := _as_arrays(x.shape, entries)) is not None:
        return gathered(x, seen, "promised")
    return _basic(x, inside)


def _as_arrays(shape: tuple[int, ...], entries: Sequence[Any]) -> list[Any] | None:
    """An index whose integers out of bounds are arrays, so that functions with checks find them;
    None if all are within bounds.
    """
    sizes = iter(shape)
    made: list[Any] = []
    for entry in entries:
        size = 0 if entry is None or entry is Ellipsis else next(sizes)
        if isinstance(entry, int) and isinstance(size, int) and not -size <= entry < size:
            made.append(asarray(np.int32(entry)))
        else:
            made.append(entry)
    return made if any(a is not b for a, b in zip(made, entries, strict=True)) else None


def _clamped(shape: tuple[int, ...], entries: Sequence[Any]) -> tuple[Any, ...]:
    """An index without arrays, its integers within bounds."""
    sizes = iter(shape)
    inside: list[Any] = []
    for entry in entries:
        size = 0 if entry is None or entry is Ellipsis else next(sizes)
        if isinstance(entry, (int, Size)):
            entry = within(entry, size, 0, size - 1)
        inside.append(entry)
    return tuple(inside)


def gathered(
    x: Array,
    entries: list[Entry | None],
    mode: str,
    fill_value: Any = None,
    wrap: bool = True,
    promises: Promises = NO_PROMISES,
) -> Array:
    """The elements that an index selects; `mode` applies to those out of bounds."""
    options = {"mode": mode, "fill_value": fill_value, "wrap": wrap, "promises": promises}
    return by_numpy(operator.getitem, _gathered, x, entries, **options)


@whole
def _gathered(
    x: Array,
    entries: list[Entry | None],
    mode: str,
    fill_value: Any,
    wrap: bool,
    promises: Promises,
) -> Array:
    if makes_equations() and not has_sizes(x.shape) and not is_empty(x.shape):
        made = gathered_equation(x, entries, mode, fill_value, wrap, promises)
        if made is not None:
            return made
    what = plan(x.shape, entries, "fill" if mode == "fill" else "clip", wrap)
    if is_empty(x.shape) and not is_empty(what.shape):
        raise index_error(
            f"an array of shape {x.shape} has no elements, got: an index that selects {what.shape}"
        )
    if not what.dims:
        return _with_new_dimensions(x, entries, what.shape)
    if is_empty(what.shape):
        return lax.full_like(x, 0, shape=what.shape)
    windows = ops.gather(x, what.indices, what.dims, what.window)
    if mode == "fill":
        windows = filled(x, windows, what.indices, what.dims, what.window, fill_value)
    return what.result(windows, x.shape)


def is_empty(shape: Sequence[Any]) -> bool:
    """True if an array is known to be empty. If a symbolic size turns out to be 0, the program
    reads zeros.
    """
    return any(type(size) is not Size and not size for size in shape)


def by_numpy(
    fast: Callable[..., np.ndarray | None],
    general: Callable[..., Array],
    x: Array,
    entries: Sequence[Any],
    *others: Array,
    wrap: bool,
    **options: Any,
) -> Array:
    """Apply an index by `general`. Outside of traces, `fast` on NumPy arrays is tried first; it
    returns None or raises IndexError if NumPy gives the index another meaning or an index is out of
    bounds.

    Args:
      x, entries, others: arguments of both functions, whose entries `fast` gets as a tuple.
      wrap: whether negative integers count from the end, as for NumPy.
      options: further options of `general`.
    """
    fill_value = options.get("fill_value")
    is_known = is_for_host(x, *entries, *others) and not isinstance(
        fill_value, (ArrayMethods, np.ndarray)
    )
    if not (is_known and wrap) or unwanted():
        return general(x, entries, *others, wrap=wrap, **options)
    known = [constant(e) if isinstance(e, np.ndarray) else e for e in entries]
    arrays = [e for e in known if isinstance(e, ArrayMethods)]
    rest = [Array if isinstance(e, ArrayMethods) else e for e in known]
    call = _attempt(fast, general, rest, options)
    return apply_known(call, x, *arrays, *others, weak_type=x.weak_type)


def _attempt(
    fast: Callable[..., np.ndarray | None],
    general: Callable[..., Array],
    rest: Sequence[Any],
    options: dict[str, Any],
) -> Callable[..., np.ndarray]:
    """`by_numpy` of arrays, in the order in which `rest` has `Array` in their place, then
    others.
    """
    places = [i for i, entry in enumerate(rest) if entry is Array]
    count = len(places)
    are_all = count == len(rest)

    def call(x: np.ndarray, *arrays: np.ndarray) -> np.ndarray:
        others = arrays[count:]
        if are_all:
            entries: Any = arrays[:count] if others else arrays
        else:
            filled = list(rest)
            for i, array in zip(places, arrays, strict=False):
                filled[i] = array
            entries = tuple(filled)
        try:
            result = fast(x, entries, *others)
        except IndexError:
            result = None
        if result is not None:
            return result
        known = [Array(entry) if isinstance(entry, np.ndarray) else entry for entry in entries]
        return general(Array(x), known, *map(Array, others), wrap=True, **options)._value()

    return call


def checked_mode(mode: str | GatherScatterMode | None, default: str) -> str:
    """`clip`, `fill` or `promised`, for a mode: `default` for None. Reads that are promised to be
    in bounds are treated as under `clip`, changes as under `fill`.
    """
    if mode is None:
        return default
    return _MODES[GatherScatterMode.from_any(mode)]


_MODES = {
    GatherScatterMode.CLIP: "clip",
    GatherScatterMode.FILL_OR_DROP: "fill",
    GatherScatterMode.PROMISE_IN_BOUNDS: "promised",
}


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
            start, count, step = range_of(entry, size)
            if step < 0:
                # Forwards through the reversed dimension.
                start, step = size - 1 - start, -step
                reversed_dims.append(dim)
            result_shape.append(count)
        else:
            start, count, step = entry, 1, 1
        starts.append(start)
        strides.append(step)
        sizes.append(count)
    shape = tuple(sizes)
    if reversed_dims:
        x = ops.reverse(x, tuple(reversed_dims))
    if shape != x.shape:
        x = cut_anywhere(x, tuple(starts), tuple(strides), shape)
    if None not in entries:
        of_dims = [entry for entry in entries if entry is not Ellipsis]
        return lax.squeeze(x, [d for d, e in enumerate(of_dims) if not isinstance(e, slice)])
    return _with_new_dimensions(x, entries, result_shape)


def applied(x: Array, index: Any) -> tuple[Array, list[Entry | None]]:
    """The array, with one entry of the index for each of its dimensions and None for each new one;
    `...` if it covers no dimension.

    A scalar bool indexes a new dimension of size 1, so the array may get more dimensions.
    """
    entries = _expanded(x.shape, index)
    of_dims = [e for e in entries if e is not None and e is not Ellipsis]
    added = [dim for dim, entry in enumerate(of_dims) if isinstance(entry, _Mask)]
    if added:
        x = lax.expand_dims(x, added)
        entries = [selected(e.mask)[0] if isinstance(e, _Mask) else e for e in entries]
    # An index array without elements reads none.
    reads = not any(0 in getattr(entry, "shape", ()) for entry in of_dims)
    for dim, entry in enumerate(of_dims):
        if isinstance(entry, _Mask) or not reads:
            continue
        # A symbolic size is compared with 0 only for known integers.
        may_ask = not isinstance(entry, AnyTracer) or type(x.shape[dim]) is not Size
        if may_ask and not isinstance(entry, slice) and not np.ndim(entry) and not x.shape[dim]:
            raise index_error(f"index {entry} is out of bounds for axis {dim} with size 0")
    return x, entries


def _expanded(shape: tuple[int, ...], index: Any) -> list[Any]:
    """The entries of an index, with masks only if they are scalars."""
    given = index if isinstance(index, tuple) and not isinstance(index, Slice) else (index,)
    if has_slices(given):
        given = indices_of_slices(given)
    checked = [entry if entry is Ellipsis else _checked(entry) for entry in given]
    dots = sum(entry is Ellipsis for entry in checked)
    if dots > 1:
        raise index_error(f"an index can contain ... once, got: {dots} times")
    used = sum(map(_rank, checked))
    if used > len(shape):
        raise index_error(
            f"Too many indices: array is {len(shape)}-dimensional, but {used} were indexed"
        )
    entries: list[Any] = []
    dim = 0
    for entry in checked if dots else [*checked, Ellipsis]:
        if entry is Ellipsis:
            # Even without dimensions it separates arrays, whose dimensions then come first.
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
        # A size of 0 matches any, since it would select nothing.
        fits = len(self.shape) == len(expected) and all(
            mine in (size, 0) for mine, size in zip(self.shape, expected, strict=True)
        )
        if not fits:
            raise index_error(
                "boolean index did not match shape of what it indexes: got "
                f"{self.shape}, expected {expected}"
            )
        return list(selected(self.mask))


def _rank(entry: Any) -> int:
    """The number of dimensions that an entry of an index consumes."""
    if isinstance(entry, _Mask):
        return len(entry.shape)
    return 0 if entry is None or entry is Ellipsis else 1


def _checked(entry: Any) -> Any:
    if entry is None or type(entry) in (int, Size):
        return entry
    if isinstance(entry, slice):
        return slice(*(_bound(v) for v in (entry.start, entry.stop, entry.step)))
    if isinstance(entry, (float, complex)):
        raise type_error(f"{_NO_INDEX} {type(entry).__name__}: {entry!r}; convert it with int")
    if isinstance(entry, str):
        raise type_error(f"{_ACCEPTED}, got: {type(entry).__name__} {entry!r}")
    if isinstance(entry, Sequence):
        entry = _array_of(entry)
    if isinstance(entry, (bool, np.bool_)) or getattr(entry, "dtype", None) == dtypes.bool_:
        return _Mask(entry)
    if isinstance(entry, (np.ndarray, np.generic)):
        entry = np.asarray(entry)
        if entry.dtype.kind not in "iu":
            raise type_error(f"{_NO_INDEX} {entry.dtype}; convert it with astype")
        return int(entry) if not entry.ndim else entry
    if isinstance(entry, ArrayMethods):
        if dtypes.KINDS[entry.dtype] not in "iu":
            raise type_error(f"{_NO_INDEX} {entry.dtype.name}; convert it with astype")
        return int(entry) if type(entry) is Array and not entry.shape else entry
    try:
        return operator.index(entry)
    except TypeError as error:
        raise index_error(f"{_ACCEPTED}, got: {type(entry).__name__}") from error


def _array_of(entry: Sequence[Any]) -> Any:
    """The array of ints or bools that a sequence means."""
    if any(isinstance(leaf, AnyTracer) for leaf in flatten(entry)[0]):
        return asarray(entry)
    if not entry:
        return _NO_PLACES
    try:
        made = np.asarray(entry)
    except ValueError:
        made = None
    if made is None or made.dtype == object:
        raise type_error(
            "Using a non-tuple sequence for multidimensional indexing is not allowed; use "
            f"`arr[tuple(seq)]` instead of `arr[seq]`, got: {type(entry).__name__} {entry!r}"
        )
    return made


def _bound(value: Any) -> int | None:
    if isinstance(value, AnyTracer):
        try:
            return operator.index(value)
        except TypeError as error:
            raise IndexError(
                f"{error}; for a slice of constant size that starts at a traced index use "
                "dovetail.lax.dynamic_slice"
            ) from None
    return None if value is None else as_size(value)


def _with_new_dimensions(x: Array, entries: Sequence[Any], shape: Sequence[int]) -> Array:
    """An array of that shape; new dimensions are one equation if nothing else differs."""
    if makes_equations() and all(e is None or e is Ellipsis or type(e) is slice for e in entries):
        before = list(itertools.takewhile(lambda e: e is not Ellipsis, entries))
        after = list(reversed(entries[len(before) + 1 :]))
        rank = len(shape)
        new = [i for i, e in enumerate(before) if e is None]
        return lax.expand_dims(x, [*new, *(rank - 1 - i for i, e in enumerate(after) if e is None)])
    return lax.reshape(x, tuple(shape))
