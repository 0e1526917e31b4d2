"""Arguments become operands: conversion of scalars and NumPy arrays, and the checks that ops
assume."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.arrays.protocols import array_meant
from dovetail.base import dtypes
from dovetail.base.errors import (
    ConcretizationTypeError,
    TracerError,
    axis_error,
    float0_error,
    type_error,
    value_error,
)
from dovetail.eager.recorded_values import ScalarProxy
from dovetail.symbolic.size import Size, as_size
from dovetail.tracing.bind import constant, size_as_array

# The arguments that functions of this package accept as arrays.
ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex | Size
Shape = Sequence[int]

PYTHON_SCALARS = (bool, int, float, complex, Size)
# The largest float that no type except the 8-bit ones, which do not warn, rounds to infinity.
_SURE = 65504.0
_KIND_NAMES = {
    "b": "bool",
    "i": "signed integer",
    "u": "unsigned integer",
    "f": "float",
    "c": "complex",
}


def as_operand(name: str, x: Any, position: int = 0) -> Array:
    """`x` as an operand of the function `name`: arrays unchanged, scalars weakly typed, NumPy
    arrays copied, and the arrays that other objects represent.
    """
    if isinstance(x, ArrayMethods):
        return x  # type: ignore[return-value]
    if isinstance(x, PYTHON_SCALARS):
        dtype, weak = dtypes.dtype_and_weakness(x)
        return scalar(x, dtype, weak)
    if isinstance(x, (np.ndarray, np.generic)):
        try:
            dtype = dtypes.canonicalize_dtype(x.dtype)
        except TypeError as error:
            raise TypeError(f"{_interpreting(name, x, position)} {error}") from None
        return copied(x, dtype)
    if (array := array_meant(x)) is not x:
        return as_operand(name, array, position)
    raise type_error(
        f"{_interpreting(name, x, position)} It must be an array or a scalar; make an array of it "
        "with dovetail.numpy.array"
    )


def _interpreting(name: str, x: Any, position: int) -> str:
    return (
        f"Error interpreting argument to {name} as a JAX value. The problematic value is of type "
        f"{type(x)} and was passed to {name} at position {position}."
    )


def scalar(
    x: bool | int | float | complex | Size,
    dtype: np.dtype,
    weak_type: bool,
    value: Callable[[Any, np.dtype], np.ndarray] | None = None,
) -> Array:
    """A Python scalar as an array of rank 0, by default its `python_value`."""
    value = value or python_value
    if type(x) is Size:
        return size_as_array(x, dtype, weak_type)
    if type(x) is ScalarProxy:
        return x.converted(value, dtype, weak_type)
    return constant(value(x, dtype), weak_type)  # type: ignore[arg-type]


def copied(x: np.ndarray | np.generic, dtype: np.dtype, weak_type: bool = False) -> Array:
    """A copy of a NumPy array."""
    if type(x) is ScalarProxy:
        return x.converted(numpy_value, dtype, weak_type)
    return constant(numpy_value(x, dtype), weak_type)


def python_value(x: bool | int | float | complex, dtype: np.dtype) -> np.ndarray:
    """The rank-0 NumPy array of a Python scalar; an int outside of the default integer type wraps
    around.
    """
    if type(x) is float and not -_SURE <= x <= _SURE:
        with np.errstate(over="ignore"):
            return np.array(x, dtype)
    try:
        return np.array(x, dtype)
    except OverflowError:
        wide = dtypes.default_dtype("i")
        try:
            return np.array(x, wide).astype(dtype)
        except OverflowError:
            raise OverflowError(
                f"Python int {x} too large to convert to {wide.name}; turn on enable_x64, or write "
                "it as a float"
            ) from None


def wrapped_value(x: int, dtype: np.dtype) -> np.ndarray:
    """The rank-0 NumPy array of the low bits of a Python int."""
    return np.array(int(x) % 2**64, np.uint64).astype(dtype)


def numpy_value(x: np.ndarray | np.generic, dtype: np.dtype) -> np.ndarray:
    """A copy of a NumPy array, so that later writes to it cannot change an immutable array."""
    if x.dtype == dtype:
        return np.array(x)
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(dtype)


def check_kind(name: str, x: Array, kinds: str) -> Array:
    """`x`, whose element type must be of one of the `kinds` (letters as in `dtypes.KINDS`)."""
    if dtypes.KINDS[x.dtype] not in kinds:
        accepted = [_KIND_NAMES[k] for k in kinds]
        raise type_error(
            f"{name} does not accept dtype {x.dtype.name}; the element type must be "
            f"{_either(accepted)}: convert it with x.astype(...)"
        )
    return x


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def unary(name: str, x: Any, kinds: str) -> Array:
    """The checked operand of a function of one array."""
    return check_kind(name, as_operand(name, x), kinds)


def same(name: str, xs: Sequence[Any], kinds: str) -> list[Array]:
    """Checked operands of equal element type and shape; scalars and sizes of 1 are broadcast,
    nothing is promoted.
    """
    arrays = [as_operand(name, x, i) for i, x in enumerate(xs)]
    first = arrays[0]
    if any(a.dtype != first.dtype for a in arrays):
        if any(a.dtype == dtypes.float0 for a in arrays):
            raise float0_error()
        types = ", ".join(a.dtype.name for a in arrays)
        raise type_error(
            f"{name} requires arguments to have the same dtypes, got: {types}; convert one with "
            "x.astype(...), or use the function of dovetail.numpy, which promotes"
        )
    check_kind(name, first, kinds)
    shape = first.shape
    if all(a.shape == shape for a in arrays):
        return arrays
    ranks = {a.ndim for a in arrays if a.ndim}
    if len(ranks) > 1:
        raise type_error(
            f"{name}: arrays must have same number of dimensions, got: "
            f"{', '.join(str(a.shape) for a in arrays)}; add dimensions with lax.expand_dims, or "
            "use the function of dovetail.numpy, which broadcasts"
        )
    shape = broadcast_shapes(*(a.shape for a in arrays), name=name)
    return [broadcast_to(a, shape) for a in arrays]


def broadcast_shapes(*shapes: Shape, name: str = "broadcast_shapes") -> tuple[int, ...]:
    """The shape that NumPy's rules broadcast all of `shapes` to.

    Args:
      shapes: sequences of sizes.
      name: the function's name in errors.

    Returns:
      A tuple of sizes; () for no shapes.

    Raises:
      TypeError, ValueError: sizes of a dimension differ, and none is 1.

    Example:
      >>> broadcast_shapes((3, 1), (4,))
      (3, 4)
    """
    if name == "broadcast_shapes":
        shapes = tuple(map(concrete_sizes, shapes))
        for shape in shapes:
            if any(size < 0 for size in shape):
                raise type_error(
                    "Only non-negative indices are allowed when broadcasting static shapes, but "
                    f"got shape {shape}"
                )
    if not shapes:
        return ()
    rank = max(len(s) for s in shapes)
    result = [1] * rank
    for shape in shapes:
        for i, size in enumerate(shape, rank - len(shape)):
            if size == result[i] or size == 1:
                continue
            if result[i] != 1:
                raise _no_broadcast(name, shapes)
            result[i] = size
    return tuple(result)


def _no_broadcast(name: str, shapes: Sequence[Shape]) -> Exception:
    got, remedy = ", ".join(str(tuple(s)) for s in shapes), "sizes must be equal or 1"
    # As in JAX: its operators have their own check for equal ranks.
    if not name.startswith("broadcast") and len({*map(len, shapes)}) == 1:
        return type_error(
            f"{name} got incompatible shapes for broadcasting: {got}. {remedy.capitalize()}"
        )
    prefix = "" if name == "broadcast_shapes" else f"{name}: "
    return value_error(f"{prefix}Incompatible shapes for broadcasting: shapes=[{got}]; {remedy}")


def broadcast_to(x: Array, shape: tuple[int, ...]) -> Array:
    """`x` repeated to `shape`, whose last dimensions are those of `x` or stretch them from size
    1.
    """
    if x.shape == shape:
        return x
    offset = len(shape) - x.ndim
    return broadcast_dims(x, shape, tuple(range(offset, len(shape))))


def broadcast_dims(x: Array, shape: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    """`x` with its dimension i as dimension `dims[i]` of `shape`, stretched if its size is 1."""
    kept = [i for i, d in enumerate(dims) if x.shape[i] == shape[d]]
    if len(kept) != x.ndim:
        x = ops.reshape(x, tuple(x.shape[i] for i in kept))
    if len(kept) == len(shape):
        return x
    return ops.broadcast(x, tuple(dims[i] for i in kept), shape)


def one_or_several(value: Any) -> tuple[Any, ...]:
    """One number, or several in any sequence or vector, as a tuple."""
    if isinstance(value, (tuple, list)):
        return tuple(value)
    rank = getattr(value, "ndim", None)
    is_several = hasattr(value, "__len__") and not isinstance(value, str) if rank is None else rank
    return tuple(value) if is_several else (value,)


def canonical_axis(axis: Any, ndim: int, name: str = "axis") -> int:
    """`axis` as a number in [0, ndim); negative ones count from the end."""
    try:
        index = operator.index(axis)
    except TracerError:
        raise
    except TypeError:
        kind = type(axis).__name__
        raise type_error(f"{name}: {kind!r} object cannot be interpreted as an integer") from None
    if not -ndim <= index < ndim:
        prefix = "" if name == "axis" else f"{name}: "
        raise axis_error(
            f"{prefix}axis {index} is out of bounds for array of dimension {ndim}; it must be in "
            f"[{-ndim}, {ndim})"
        )
    return index % ndim


def canonical_axes(
    axis: Any, ndim: int, name: str = "axis", repeated: str = "duplicate value in '{name}'"
) -> tuple[int, ...]:
    """One axis, several, or None for all, as distinct numbers in [0, ndim), in the given order;
    `repeated` makes the error for duplicates.
    """
    if axis is None:
        return tuple(range(ndim))
    result = tuple(canonical_axis(a, ndim, name) for a in one_or_several(axis))
    if len(set(result)) != len(result):
        raise value_error(f"{repeated.format(name=name)}: {axis}; each may be given once")
    return result


def canonical_shape(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """A shape given as an int or a sequence of ints, as a tuple."""
    result = concrete_sizes(shape, name)
    if any(s < 0 for s in result):
        # Libraries look for how JAX's message begins.
        raise type_error(
            f"Only non-negative indices are allowed: {name} must have no negative size, got: "
            f"{result}"
        )
    return result


def concrete_sizes(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """The sizes of a shape, which may be negative."""
    try:
        return tuple(as_size(s) for s in one_or_several(shape))
    except TypeError as error:
        what = "Shapes must be 1D sequences of concrete values of integer type"
        prefix = f"{name.removesuffix('shape').rstrip(': ')}: ".removeprefix(": ")
        message = f"{prefix}{what}, got: {shape!r}"
        if isinstance(error, ConcretizationTypeError):
            error.args = (f"{message}; {error}",)
            raise
        raise type_error(message) from None
