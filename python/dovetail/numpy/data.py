"""Data that arrays are made from: numbers, nested lists, buffers, arrays of this and other
libraries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.arrays.dlpack import from_dlpack
from dovetail.arrays.protocols import array_meant
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax.create import copied
from dovetail.ops.operands import PYTHON_SCALARS, as_operand, numpy_value
from dovetail.tracing.bind import constant
from dovetail.tracing.tracer import AnyTracer


def from_data(data: Any, dtype: np.dtype | None) -> Array:
    """An array of data, of the element type `dtype` or else of that of the data."""
    if isinstance(data, ArrayMethods):
        return as_dtype(data, dtype)  # type: ignore[arg-type]
    if isinstance(data, PYTHON_SCALARS):
        if dtype is None:
            return as_operand("array", data)
        return constant(_converted(data, dtype))
    if isinstance(data, (list, tuple)):
        return _from_sequence(data, dtype)
    if (meant := array_meant(data)) is not data:
        return from_data(meant, dtype)
    if data is None:
        raise value_error(
            "None is not a valid value for jnp.array; use an array, a number or nested lists of "
            "numbers"
        )
    has_capsules = hasattr(data, "__dlpack__") and hasattr(data, "__dlpack_device__")
    try:
        value = np.asarray(data)
    except TypeError:
        # E.g. from a tensor of a type that NumPy does not know, or on a device.
        if not has_capsules:
            raise
        return as_dtype(from_dlpack(data, copy=True), dtype)
    if has_capsules and value.dtype == object:
        # It has no other protocol, so that NumPy took it for a value.
        return as_dtype(from_dlpack(data, copy=True), dtype)
    if value.dtype.kind not in "biufc" and value.dtype not in dtypes.KINDS:
        raise type_error(
            f"array: the data must be numbers, got: {type(data).__name__} with element type "
            f"{value.dtype}"
        )
    return constant(numpy_value(value, dtype or dtypes.canonicalize_dtype(value.dtype)))


def _converted(data: Any, dtype: np.dtype) -> np.ndarray:
    """A Python scalar, converted to a requested type."""
    if type(data) is not int:
        return numpy_value(np.asarray(data), dtype)
    try:
        return np.array(data, dtype)
    except OverflowError:
        raise OverflowError(
            f"a Python int must fit {dtype.name}, the element type asked for, got: {data}; for its "
            "low bits convert an array of a wider type with astype"
        ) from None


def apart(result: Array, source: Any) -> Array:
    """The result of a conversion in its own memory: with the same element type it would share the
    source's. Traced arrays have no memory yet, but an equation.
    """
    is_copy = isinstance(source, ArrayMethods) and result.dtype == source.dtype
    if is_copy and isinstance(result, AnyTracer):
        return copied(result)
    # Tracers are instances of `Array`, but not of a class derived from it.
    if issubclass(type(result), Array) and isinstance(source, Array):
        return result.copy() if result.dtype == source.dtype else result
    return result


def shared(data: Any, dtype: np.dtype | None) -> Array:
    """The array that is the data, or a NumPy array's memory as one."""
    data = array_meant(data)
    if isinstance(data, (*PYTHON_SCALARS, list, tuple, type(None))):
        # There is no memory to share.
        return from_data(data, dtype)
    value = data if isinstance(data, ArrayMethods) else np.asarray(data)
    if dtype is not None and value.dtype != dtype:
        raise value_error(
            "array: the data must be an array of the element type wanted where copy is False, got: "
            f"{value.dtype}; leave out copy"
        )
    # A type narrowed for lack of `enable_x64` was not requested, so it is converted in any case.
    if value is data and isinstance(data, ArrayMethods):
        return data  # type: ignore[return-value]
    return Array(value) if dtypes.dtype(value) == value.dtype else from_data(value, None)


def as_dtype(x: Array, dtype: np.dtype | None) -> Array:
    """`x` converted to `dtype`, not weakly typed; unchanged if `dtype` is None."""
    if dtype is None or (x.dtype == dtype and not x.weak_type):
        return x
    return ops.convert(x, dtype)


def _from_sequence(data: Sequence[Any], dtype: np.dtype | None) -> Array:
    leaves = list(_leaves(data))
    kinds = set(map(type, leaves))
    if dtype is None:
        dtype = _common_dtype(leaves, kinds)
    if not any(issubclass(k, ArrayMethods) for k in kinds):
        # NumPy reports ragged lists, and ints that do not fit.
        return constant(np.array(data, dtype))
    rows = [from_data(x, dtype) for x in data]
    if any(r.shape != rows[0].shape for r in rows):
        raise value_error(
            "array: nested lists must be rectangular, got: parts of shapes "
            f"{', '.join(str(r.shape) for r in rows)}"
        )
    return lax.stack(rows)


def _leaves(data: Any) -> Iterator[Any]:
    for x in data:
        if isinstance(x, (list, tuple)):
            yield from _leaves(x)
        elif x is None:
            raise value_error(
                "None is not a valid value for jnp.array; use NaN or 0 for what is missing"
            )
        else:
            meant = array_meant(x)
            yield x if meant is x else from_data(meant, None)


def _common_dtype(leaves: list[Any], kinds: set[type]) -> np.dtype:
    if not leaves:
        return dtypes.default_dtype("f")
    if kinds <= set(PYTHON_SCALARS):
        return dtypes.result_type(*kinds)
    return dtypes.result_type(*map(_typed, leaves))


def _typed(x: Any) -> Any:
    """A number or an array; one of NumPy for an array of another library."""
    is_ours = isinstance(x, (*PYTHON_SCALARS, np.ndarray, np.generic, ArrayMethods))
    return x if is_ours else np.asarray(x)
