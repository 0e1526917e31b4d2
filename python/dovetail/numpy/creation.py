"""Arrays from data, and constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.arrays.keys import is_keys
from dovetail.base import deprecations, dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.data import apart, as_dtype, from_data, shared
from dovetail.numpy.promotion import with_dtype
from dovetail.ops.operands import (
    PYTHON_SCALARS,
    ArrayLike,
    as_operand,
    broadcast_to,
    canonical_shape,
    scalar,
)
from dovetail.programs.transfers import beside, device_put
from dovetail.tracing.bind import constant
from dovetail.transforms.batching import vmap
from dovetail.transforms.out_sharding import accepts_out_sharding

_FILLED = """
    Args:
      shape: an integer, or integers known while tracing.
      dtype: the element type.
      device: the device of the result.

    Returns:
      An array.
"""
_LIKE = """
    Args:
      a: an array, or anything with a shape and an element type.
      prototype: an array, or anything with a shape and an element type.
      dtype, shape, device: as for `full_like`.

    Returns:
      An array.
"""

# Data ---------------------------------------------------------------------------------------------


@accepts_out_sharding
def array(
    object: Any,
    dtype: Any = None,
    *args: Any,
    copy: bool | None = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array from data.

    Args:
      object: an array, a scalar, nested lists of these, or anything that NumPy or DLPack accepts.
      dtype: the element type; by default that of the data.
      args: `copy`, `order` and `ndmin` by position, which is deprecated.
      copy: False to share the memory of a NumPy array or buffer, which must not be written to any
        more, and to reject a `dtype` that it does not have. None to copy only what others can write
        to.
      order: the memory order; only row-major order is supported.
      ndmin: the smallest number of dimensions; missing ones are added in front, with size 1.
      device: the device of the result.

    Returns:
      An array; weakly typed for a Python scalar, unless `dtype` is given.

    Raises:
      TypeError: the data are not numbers, or an argument is given twice.
      ValueError: there is no such order, lists are ragged, or `copy` is False and `dtype` requires
        one.

    Example:
      >>> array([[1, 2], [3, 4]])
      Array([[1, 2],
             [3, 4]], dtype=int32)
    """
    if args:
        copy, order, ndmin = _by_position(args, copy, order, ndmin)
    if order not in (None, "K", "A", "C"):
        raise value_error(
            f"array: order must be 'K' or 'C', got: {order!r}; the layout is the compiler's choice"
        )
    wanted = None if dtype is None else dtypes.requested(dtype, "array")
    result = shared(object, wanted) if copy is False else from_data(object, wanted)
    if copy:
        result = apart(result, object)
    if result.ndim < ndmin:
        result = lax.expand_dims(result, range(ndmin - result.ndim))
    return placed(result, device)


def placed(x: Array, device: Any) -> Array:
    """An array on the requested device; None for any."""
    return x if device is None else x.to_device(device)


@accepts_out_sharding
def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Like `array`. NumPy arrays are copied, so that writing to them later changes nothing, unless
    `copy` is False.

    Args:
      a: like `object` of `array`.
      dtype, order, copy, device: as for `array`.

    Returns:
      An array; weakly typed for a Python scalar, unless `dtype` is given.

    Raises:
      TypeError, ValueError: as for `array`.

    Example:
      >>> asarray(1.5)
      Array(1.5, dtype=float32, weak_type=True)
    """
    return array(a, dtype, copy=copy, order=order, device=device)


def _by_position(args: tuple[Any, ...], *named: Any) -> list[Any]:
    """The values of `copy`, `order` and `ndmin` of `array`, some of them passed by position."""
    if len(args) > 3:
        raise TypeError(f"array() takes at most 5 positional arguments, got: {len(args) + 2}")
    defaults = (True, "K", 0)
    for name, value, default in zip(
        ("copy", "order", "ndmin")[: len(args)], named, defaults, strict=False
    ):
        if value != default:
            raise TypeError(f"array() got multiple values for argument '{name}'")
    deprecations.ARRAY_POSITIONS.warn()
    return [*args, *named[len(args) :]]


def copy(a: ArrayLike, order: str | None = None) -> Array:
    """An array with the same elements.

    Args:
      a: an array, a scalar or nested lists.
      order: as for `array`.

    Returns:
      An array like `a`.

    Raises:
      ValueError: there is no such order.

    Example:
      >>> copy(1)
      Array(1, dtype=int32, weak_type=True)
    """
    return array(a, copy=True, order=order)


def astype(x: ArrayLike, dtype: Any, /, *, copy: bool = False, device: Any = None) -> Array:
    """The elements as another type: float to integer saturates, complex to real takes the real
    part, with a `DeprecationWarning`.

    Args:
      x: an array or scalar, or keys, whose element type can only be their own.
      dtype: the element type; None is the default float.
      copy: True for a result in its own memory even where nothing is converted.
      device: the device of the result.

    Returns:
      An array of the shape of `x`; for bools, whether elements are not zero.

    Raises:
      TypeError: `dtype` is not an element type.

    Example:
      >>> astype(1.7, "int32")
      Array(1, dtype=int32)
    """
    if is_keys(x) and dtype == (keys := cast("Any", x)).dtype:
        return keys if device is None else device_put(keys, device)
    wanted = dtypes.requested(dtype, "astype", dtypes.float64)
    operand = placed(as_operand("astype", x), device)
    if wanted == dtypes.bool_:
        result = operand if operand.dtype == wanted else operand != 0
    else:
        if dtypes.KINDS[operand.dtype] == "c" and dtypes.KINDS[wanted] != "c":
            deprecations.COMPLEX_TO_REAL.warn()
        result = as_dtype(operand, wanted)
    return apart(result, x) if copy else result


def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kwargs: Any
) -> Any:
    """A function of the indices along each dimension, batched by `vmap` over all of them.

    Args:
      function: takes one scalar for each dimension: the index along it.
      shape: an integer, or integers known while tracing.
      dtype: the element type of the indices.
      kwargs: further arguments of `function`.

    Returns:
      The results of `function`, with the dimensions of `shape` in front of their own.

    Example:
      >>> fromfunction(lambda i, j: 10 * i + j, (2, 2), dtype=int)
      Array([[ 0,  1],
             [10, 11]], dtype=int32)
    """
    sizes = canonical_shape(shape)
    indices = [lax.iota(dtype, size) for size in sizes]

    def at(*each: Any) -> Any:
        return function(*each, **kwargs)

    for i in reversed(range(len(sizes))):
        at = vmap(at, tuple([0 if i == j else None for j in range(len(sizes))]))
    return at(*indices)


# Constants ----------------------------------------------------------------------------------------


@accepts_out_sharding
@documented(_FILLED)
def full(
    shape: Any,
    fill_value: ArrayLike,
    dtype: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """An array of `shape` filled with `fill_value`, which is broadcast.

    Args:
      fill_value: an array or scalar.

    Returns:
      An array, by default of the type of `fill_value`.

    Example:
      >>> full(2, 7)
      Array([7, 7], dtype=int32, weak_type=True)
    """
    sizes = canonical_shape(shape)
    wanted = None if dtype is None else dtypes.requested(dtype, "full")
    if wanted is not None and type(fill_value) is int:
        # It wraps around, as JAX's does.
        value = scalar(fill_value, wanted, False)
    else:
        value = asarray(fill_value, wanted)
    return placed(broadcast_to_shape("full", value, sizes), device)


def broadcast_to_shape(name: str, x: Array, shape: tuple[int, ...]) -> Array:
    """`x` broadcast to exactly `shape`."""
    sizes = x.shape
    if len(sizes) > len(shape):
        raise value_error(
            f"{name}: Cannot broadcast to shape with fewer dimensions: {sizes} to {shape}"
        )
    if any(s not in (1, t) for s, t in zip(reversed(sizes), reversed(shape), strict=False)):
        raise value_error(
            f"{name}: Incompatible shapes for broadcasting: {sizes} and requested shape {shape}"
        )
    return broadcast_to(x, shape)


@accepts_out_sharding
@documented(_FILLED)
def zeros(shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Array:
    """An array of zeros, by default of floats.

    Example:
      >>> zeros(2)
      Array([0., 0.], dtype=float32)
    """
    return placed(_constant("zeros", shape, dtype, 0), device)


@accepts_out_sharding
@documented(_FILLED)
def ones(shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Array:
    """An array of ones, by default of floats.

    Example:
      >>> ones(2)
      Array([1., 1.], dtype=float32)
    """
    return placed(_constant("ones", shape, dtype, 1), device)


@accepts_out_sharding
@documented(_FILLED)
def empty(shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Array:
    """An array whose elements are unspecified; they are zero.

    Args:
      dtype: the element type; by default the default float.
      device: the device of the result.

    Example:
      >>> empty(2).shape
      (2,)
    """
    return placed(_constant("empty", shape, dtype, 0), device)


def _constant(name: str, shape: Any, dtype: Any, value: int) -> Array:
    if type(shape) is type(dtype) is int:
        raise type_error(
            f"{name}: Cannot interpret '{dtype}' as a data type. Did you accidentally write "
            f"`{name}({shape}, {dtype})` when you meant `{name}(({shape}, {dtype}))`, with a "
            "single tuple for the shape?"
        )
    element = dtypes.requested(dtype, name, dtypes.float64)
    if element == dtypes.float0:
        return np.zeros(canonical_shape(shape), element)  # type: ignore[return-value]
    return broadcast_to(constant(np.array(value, element)), canonical_shape(shape))


@accepts_out_sharding
@documented(_FILLED, _LIKE)
def full_like(
    a: Any,
    fill_value: ArrayLike,
    dtype: Any = None,
    shape: Any = None,
    *,
    device: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Like `full`, with the shape and the element type of `a` unless others are given.

    Args:
      fill_value: an array or scalar, which is broadcast.
      shape: the sizes.
      device: the device of the result.

    Raises:
      ValueError: `fill_value` does not broadcast to the shape.

    Example:
      >>> full_like(np.zeros(2, np.int8), 7)
      Array([7, 7], dtype=int8)
    """
    return placed(_like("full_like", a, fill_value, dtype, shape), device)


@accepts_out_sharding
@documented(_LIKE)
def zeros_like(
    a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Array:
    """Like `zeros`, with the shape and the element type of `a` unless others are given.

    Example:
      >>> zeros_like(np.ones(2, np.int8))
      Array([0, 0], dtype=int8)
    """
    return placed(_like("zeros_like", a, 0, dtype, shape), device)


@accepts_out_sharding
@documented(_LIKE)
def ones_like(
    a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Array:
    """Like `ones`, with the shape and the element type of `a` unless others are given.

    Example:
      >>> ones_like(np.zeros(2, np.int8))
      Array([1, 1], dtype=int8)
    """
    return placed(_like("ones_like", a, 1, dtype, shape), device)


@documented(_LIKE)
def empty_like(
    prototype: Any, dtype: Any = None, shape: Any = None, *, device: Any = None
) -> Array:
    """Like `empty`, with the shape and the element type of `prototype` unless others are given.

    Example:
      >>> empty_like(np.zeros(2)).shape
      (2,)
    """
    return placed(_like("empty_like", prototype, 0, dtype, shape), device)


def _like(name: str, a: Any, value: ArrayLike, dtype: Any, shape: Any) -> Array:
    # Anything with a shape and a dtype will do, so that descriptions of arrays do too.
    if not (hasattr(a, "shape") and hasattr(a, "dtype")):
        a = as_operand(name, a)
    sizes = a.shape if shape is None else canonical_shape(shape)
    weak = getattr(a, "weak_type", None)
    # An array, or a description of one, already has a valid type.
    element = dtypes.canonicalize_dtype(a.dtype) if weak is None else a.dtype
    if dtype is not None:
        element, weak = dtypes.requested(dtype, name), False
    if element == dtypes.float0:
        return np.zeros(sizes, element)  # type: ignore[return-value]
    if isinstance(value, PYTHON_SCALARS):
        result = broadcast_to(constant(np.array(value).astype(element), bool(weak)), sizes)
    else:
        filled = with_dtype(as_operand(name, value), element, bool(weak))
        result = broadcast_to_shape(name, filled, sizes)
        if filled.ndim:
            # Its elements are divided as they are given.
            return result
    return beside(result, a)
