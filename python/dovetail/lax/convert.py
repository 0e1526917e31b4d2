"""Conversions of element types, and the stop of differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import dtypes, ops
from dovetail.array import Array
from dovetail.errors import type_error
from dovetail.lax.operands import ArrayLike, as_operand, python_value, unary
from dovetail.tracer import constant


def convert_element_type(operand: ArrayLike, new_dtype: Any) -> Array:
    """The elements as another type: float to integer saturates, complex to real takes the real
    part.

    >>> convert_element_type(1.5, np.int32)
    Array(1, dtype=int32)
    """
    weak = isinstance(new_dtype, type) and new_dtype in (int, float, complex)
    return convert(operand, dtypes.requested(new_dtype, "convert_element_type"), weak)


def convert(x: ArrayLike, dtype: np.dtype, weak_type: bool = False) -> Array:
    """`x` with the canonical element type `dtype`; no op if it has that already."""
    if isinstance(x, (bool, int, float, complex)) and _holds(dtype, x):
        return constant(python_value(x, dtype), weak_type)
    array = as_operand("convert_element_type", x)
    if array.dtype == dtype and array.weak_type == weak_type:
        return array
    return ops.convert(array, dtype, weak_type)


def _holds(dtype: np.dtype, x: Any) -> bool:
    """Whether a Python scalar becomes `dtype` without passing through another kind of number."""
    return "biufc".index(dtypes.KINDS[dtype]) >= "biufc".index(
        dtypes.KINDS[dtypes.dtype_and_weakness(x)[0]]
    )


def bitcast_convert_type(operand: ArrayLike, new_dtype: Any) -> Array:
    """The bits of the elements as another type of the same width.

    >>> bitcast_convert_type(np.float32(1), np.int32)
    Array(1065353216, dtype=int32)
    """
    array = unary("bitcast_convert_type", operand, "iuf")
    dtype = dtypes.requested(new_dtype, "bitcast_convert_type")
    if dtype.itemsize != array.dtype.itemsize or dtypes.KINDS[dtype] not in "iuf":
        raise type_error(
            "bitcast_convert_type: the new type must be an integer or float of the same width, "
            f"got {array.dtype.name} and {dtype.name}"
        )
    return array if dtype == array.dtype else ops.bitcast(array, dtype)


def stop_gradient(x: Any) -> Any:
    """`x`, an array or a tree of arrays, which differentiation treats as constant.

    >>> stop_gradient(1.0)
    Array(1., dtype=float32, weak_type=True)
    """
    import optree

    def stop(leaf: Any) -> Any:
        array = as_operand("stop_gradient", leaf)
        return ops.stop_gradient(array) if dtypes.KINDS[array.dtype] in "fc" else array

    return optree.tree_map(stop, x)
