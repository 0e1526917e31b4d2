"""x.at[index]: elements read, or changed in a copy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.base.errors import value_error, warn
from dovetail.eager.cache import remembered
from dovetail.lax.application import applied_again
from dovetail.lax.indexing import GatherScatterMode, scatter_subtract
from dovetail.numpy.arithmetic import divide
from dovetail.numpy.creation import asarray
from dovetail.numpy.elementary import power
from dovetail.numpy.index_equations import Promises, scattered_equation
from dovetail.numpy.index_plan import plan
from dovetail.numpy.indexing import (
    applied,
    by_numpy,
    checked_mode,
    gathered,
    is_empty,
    new_if_empty,
)
from dovetail.numpy.promotion import promote, with_dtype
from dovetail.ops.operands import ArrayLike, broadcast_shapes, broadcast_to, check_kind
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.bind import constant
from dovetail.tracing.composed import makes_equations
from dovetail.transforms.out_sharding import placed


class _Way(NamedTuple):
    """A kind of update: its function in `lax`, its op, its NumPy equivalent, and the element kinds
    that it supports.
    """

    function: str
    op: Callable[..., Array]
    ufunc: np.ufunc | None
    kinds: str


_WAYS = {
    "set": _Way("scatter", ops.scatter, None, "bifuc"),
    "add": _Way("scatter_add", ops.scatter_add, np.add, "ifuc"),
    "subtract": _Way("scatter_sub", scatter_subtract, np.subtract, "ifuc"),
    "multiply": _Way("scatter_mul", ops.scatter_mul, np.multiply, "ifuc"),
    "min": _Way("scatter_min", ops.scatter_min, np.minimum, "bifuc"),
    "max": _Way("scatter_max", ops.scatter_max, np.maximum, "bifuc"),
}


def _way_of(name: str) -> _Way:
    # Division and powers first multiply ones by the values at the indices.
    return _WAYS.get(name, _WAYS["multiply"])


class At:
    """`x.at`: index it, then call a method of the result.

    Args:
      array: the array whose elements are read, or changed in a copy.

    Example:
      >>> dnp.zeros(3).at[1].set(2.0)
      Array([0., 2., 0.], dtype=float32)
    """

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Places:
        return Places(self._array, index)

    def __repr__(self) -> str:
        return f"At({self._array!r})"


class Places:
    """The elements of an array at an index, to be read or, in a copy, changed.

    Every method takes these options:
      mode: what happens to indices out of bounds: `drop` (or `fill`) ignores them, which is the
        default for changes, `clip` moves them to the nearest element, the default for `get`;
        `promise_in_bounds` states that there are none.
      wrap_negative_indices: whether negative integers count from the end; otherwise they are out of
        bounds.
      unique_indices: promises that no element is indexed twice.
      indices_are_sorted: accepted.
      out_sharding: the sharding of the result over explicit axes of a mesh.

    Changes are computed in the promoted type of array and values, and converted to the array's.

    >>> from dovetail import numpy as dnp
    >>> dnp.zeros(4).at[dnp.array([1, 1, 3])].add(1.0)
    Array([0., 2., 0., 1.], dtype=float32)
    """

    def __init__(self, array: Array, index: Any) -> None:
        self._array = array
        self._index = index

    def __repr__(self) -> str:
        return f"At({self._array!r})[{self._index!r}]"

    def get(
        self,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: str | GatherScatterMode | None = None,
        fill_value: Any = None,
        out_sharding: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The elements; `fill_value` out of bounds if `mode` is `fill`."""
        promises = Promises(unique_indices, indices_are_sorted)
        options = mode, fill_value, wrap_negative_indices, promises
        if out_sharding is not None:
            return placed(".get", _read, out_sharding, self._array, self._index, *options)
        return new_if_empty(self._array, _read(self._array, self._index, *options))

    def set(self, values: Any, **options: Any) -> Array:
        """The array with these elements replaced."""
        return _changed(self._array, self._index, values, "set", **options)

    def add(self, values: Any, **options: Any) -> Array:
        """The array with values added to these elements."""
        return _changed(self._array, self._index, values, "add", **options)

    def subtract(self, values: Any, **options: Any) -> Array:
        """The array with values subtracted from these elements."""
        return _changed(self._array, self._index, values, "subtract", **options)

    def multiply(self, values: Any, **options: Any) -> Array:
        """The array with these elements multiplied by values."""
        return _changed(self._array, self._index, values, "multiply", **options)

    mul = multiply

    def divide(self, values: Any, **options: Any) -> Array:
        """The array with these elements divided by values."""
        return _changed(self._array, self._index, values, "divide", **options)

    def power(self, values: Any, **options: Any) -> Array:
        """The array with these elements raised to powers; each must be indexed at most once."""
        return _changed(self._array, self._index, values, "power", **options)

    def min(self, values: Any, **options: Any) -> Array:
        """The array with the smaller of each of these elements and a value."""
        return _changed(self._array, self._index, values, "min", **options)

    def max(self, values: Any, **options: Any) -> Array:
        """The array with the larger of each of these elements and a value."""
        return _changed(self._array, self._index, values, "max", **options)

    def apply(self, func: Any, **options: Any) -> Array:
        """The array with a function applied to the indexed elements, once per occurrence."""
        wrap = options.get("wrap_negative_indices", True)
        values = func(self.get(wrap_negative_indices=wrap))
        indexed, entries = applied(self._array, self._index)
        shape = indexed.shape
        if options.get("unique_indices") or plan(shape, entries, "clip", wrap).unique(shape):
            return self.set(values, **options)
        met = Places(lax.full(self._array.shape, 0, dtypes.int32), self._index).add(1, **options)
        counts = Places(met, self._index).get(wrap_negative_indices=wrap)
        like = self._array
        values = with_dtype(values, like.dtype, like.weak_type)
        # All elements that are indexed more than once, until the most frequent one is done.
        return self.set(applied_again(func, values, counts), **options)


def _read(
    x: ArrayLike, index: Any, mode: Any, fill_value: Any, wrap: bool, promises: Promises
) -> Array:
    """`Places.get`."""
    if np.ndim(fill_value):
        raise value_error(f"fill_value must be a scalar, got: shape {np.shape(fill_value)}")
    indexed, entries = applied(x, index)  # type: ignore[arg-type]
    return gathered(indexed, entries, checked_mode(mode, "promised"), fill_value, wrap, promises)


def _changed(
    array: ArrayLike,
    index: Any,
    values: ArrayLike,
    name: str,
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: str | GatherScatterMode | None = None,
    out_sharding: Any = None,
    wrap_negative_indices: bool = True,
) -> Array:
    """The method of `Places` of that name."""
    if out_sharding is not None:
        change = functools.partial(
            _changed,
            name=name,
            unique_indices=unique_indices,
            mode=mode,
            wrap_negative_indices=wrap_negative_indices,
        )
        return placed(f".{name}", change, out_sharding, array, index, values)
    like: Any = array
    x, entries = applied(like, index)
    if name in ("divide", "power"):
        x = lax.full_like(x, 1)
    x, new = _promoted(name, x, values)
    options = {
        "name": name,
        "mode": checked_mode(mode, "fill"),
        "promises": Promises(unique_indices, indices_are_sorted),
        "wrap": wrap_negative_indices,
    }
    fast = functools.partial(_scattered_by_numpy, name=name)
    result = by_numpy(fast, _scattered, x, entries, new, **options)
    result = lax.reshape(with_dtype(result, like.dtype, like.weak_type), like.shape)
    if name == "divide":
        return divide(like, result)
    return power(like, result) if name == "power" else result


def _promoted(name: str, x: Array, values: ArrayLike) -> tuple[Array, Array]:
    """The indexed array and the values in the type of the computation."""
    given, is_weak = x.dtype, x.weak_type
    if config.numpy_dtype_promotion.value == "strict" and hasattr(values, "dtype"):
        # The array is not among the arguments of the method that the user called.
        pairs = map(dtypes.dtype_and_weakness, (x, values))
        dtypes.promote(*pairs, operands=(values,))
    if isinstance(values, (list, tuple)):
        values = asarray(values)
    x, new = promote(f"at[...].{name}", x, values)
    check_kind(f"at[...].{name}", x, _way_of(name).kinds)
    if x.dtype != given and not is_weak:
        warn(
            f"at[...].{name}: scatter inputs have incompatible types: cannot safely cast value to "
            f"dtype={given.name}, with which it promotes to {x.dtype.name}; convert it with "
            "astype, since this will be an error",
            stacklevel=4,  # The user, behind the method and `_changed`.
            category=FutureWarning,
        )
    return x, new


def _scattered_by_numpy(
    x: np.ndarray, index: Any, new: np.ndarray, *, name: str
) -> np.ndarray | None:
    ufunc = _way_of(name).ufunc
    # NumPy's unbuffered operations support NumPy's own types only.
    if ufunc and x.dtype.isbuiltin != 1:
        return None
    result = np.array(x)
    # For values, NumPy would ignore leading dimensions of size 1.
    if new.ndim > result[index].ndim:
        return None
    try:
        if ufunc:
            ufunc.at(result, index, new)
        else:
            result[index] = new
    except ValueError:
        # The values do not match; the general way has a better message.
        return None
    return result


def _scattered(
    x: Array,
    entries: list[Any],
    new: Array,
    *,
    name: str,
    mode: str,
    promises: Promises,
    wrap: bool,
) -> Array:
    # A scatter in an equation moves indices itself.
    is_equation = makes_equations() and not has_sizes(x.shape)
    what = plan(x.shape, entries, "clip" if mode == "clip" and not is_equation else "fill", wrap)
    try:
        fits = broadcast_shapes(new.shape, what.shape) == what.shape
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise value_error(
            f"at[...].{name}: values must broadcast to {what.shape}, the shape that the index "
            f"selects, got: {new.shape}"
        )
    if is_empty(what.shape) or is_empty(x.shape):
        return x
    new = broadcast_to(new, what.shape)
    way = _way_of(name)
    if is_equation:
        made = scattered_equation(way.function, x, what, entries, new, mode, promises)
        if made is not None:
            return made
        what = plan(x.shape, entries, "clip" if mode == "clip" else "fill", wrap)
    if what.dims:
        updates, indices = what.windows(new, x.shape), what.indices
    else:
        # The whole array.
        indices = constant(np.zeros((1, 0), np.int32))
        updates = lax.reshape(new, (1, *x.shape))
    # Only products need it: they have a derivative if no element is indexed twice.
    unique = promises.unique or (way.op is ops.scatter_mul and what.unique(x.shape))
    return way.op(x, indices, updates, what.dims, what.window, unique)


_read = remembered(_read, __name__, "_read")
_changed = remembered(_changed, __name__, "_changed")
