"""Conversions of element types, and functions that only the compiler sees to do something."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax.pieces import stack, unstack
from dovetail.ops.operands import ArrayLike, as_operand, scalar, unary, wrapped_value
from dovetail.trees.float0 import is_float0
from dovetail.trees.pytree import flatten, map_leaves, unflatten


def convert_element_type(operand: ArrayLike, new_dtype: Any) -> Array:
    """The elements as another type: float to integer saturates, integer to integer keeps the last
    bits, complex to real takes the real part.

    Args:
      operand: an array or scalar of any shape.
      new_dtype: the element type.

    Returns:
      An array of the shape of `operand`, with the type `new_dtype`.

    Raises:
      ValueError: `new_dtype` is None.
      TypeError: `new_dtype` is not an element type.

    Example:
      >>> convert_element_type(1.5, np.int32)
      Array(1, dtype=int32)
    """
    if new_dtype is None:
        raise value_error("convert_element_type: new_dtype must be an element type, got: None")
    dtype = dtypes.requested(new_dtype, "convert_element_type")
    if isinstance(operand, int) and dtypes.KINDS[dtype] in "iu":
        return scalar(operand, dtype, False, wrapped_value)
    return convert(operand, dtype)


def convert(x: ArrayLike, dtype: np.dtype, weak_type: bool = False) -> Array:
    """`x` with the canonical element type `dtype`; no op if it already has that type."""
    if isinstance(x, (bool, int, float, complex)) and _holds(dtype, x):
        return scalar(x, dtype, weak_type)
    array = as_operand("convert_element_type", x)
    if array.dtype == dtype and array.weak_type == weak_type:
        return array
    return ops.convert(array, dtype, weak_type)


def _holds(dtype: np.dtype, x: Any) -> bool:
    """True if a Python scalar converts to `dtype` directly, not through another kind of number."""
    return "biufc".index(dtypes.KINDS[dtype]) >= "biufc".index(
        dtypes.KINDS[dtypes.dtype_and_weakness(x)[0]]
    )


def bitcast_convert_type(operand: ArrayLike, new_dtype: Any) -> Array:
    """The bits of the elements as another type.

    A narrower type adds a last dimension with the parts of each element, lowest bits first. For a
    wider type, the last dimension must consist of such parts, which are joined.

    Args:
      operand: an array or scalar of integers or floats.
      new_dtype: a type of integers or floats.

    Returns:
      An array with the type `new_dtype`, of the same shape for a type of the same width.

    Raises:
      TypeError: the types are of other kinds, or neither width divides the other.
      ValueError: the last dimension does not consist of the parts of one element.

    Example:
      >>> bitcast_convert_type(np.float32(1), np.int32)
      Array(1065353216, dtype=int32)
      >>> bitcast_convert_type(np.int32(0x01020304), np.int8)
      Array([4, 3, 2, 1], dtype=int8)
    """
    array = unary("bitcast_convert_type", operand, "iuf")
    dtype = dtypes.requested(new_dtype, "bitcast_convert_type")
    given, wanted = dtypes.itemsize_bits(array.dtype), dtypes.itemsize_bits(dtype)
    if dtypes.KINDS[dtype] not in "iuf" or given % wanted * (wanted % given):
        raise type_error(
            "bitcast_convert_type: the new type must be an integer or float whose width divides "
            f"the other's or is a multiple of it, got: {array.dtype.name} and {dtype.name}"
        )
    if given == wanted:
        return _same_width(array, dtype)
    if given > wanted:
        return _same_width(_parts(array, given, wanted), dtype)
    count = wanted // given
    if array.shape[-1:] != (count,):
        raise value_error(
            f"bitcast_convert_type: from {array.dtype.name} to {dtype.name} the last dimension "
            f"must have size {count}, got: shape {array.shape}"
        )
    return _same_width(_joined(array, given, wanted), dtype)


def _same_width(x: Array, dtype: np.dtype) -> Array:
    return convert(x, dtype) if x.dtype == dtype else ops.bitcast(x, dtype)


def _parts(x: Array, given: int, wanted: int) -> Array:
    """The bits of elements of width `given` as unsigned integers of width `wanted`."""
    whole = _same_width(x, _unsigned(given))
    part = _unsigned(wanted)
    shifts = [np.array(shift, whole.dtype) for shift in range(0, given, wanted)]
    return stack([convert(whole >> shift, part) for shift in shifts], x.ndim)


def _joined(x: Array, given: int, wanted: int) -> Array:
    """The unsigned integers of width `wanted` whose parts are the last dimension."""
    dtype = _unsigned(wanted)
    parts = [convert(part, dtype) for part in unstack(_same_width(x, _unsigned(given)), -1)]
    shifted = (p << np.array(i * given, dtype) for i, p in enumerate(parts))
    return functools.reduce(operator.or_, shifted)


def _unsigned(bits: int) -> np.dtype:
    return dtypes.as_dtype(f"uint{bits}")


def stop_gradient(x: Any) -> Any:
    """`x`, an array or a tree of arrays, which differentiation treats as constant.

    Args:
      x: an array or scalar, or a tree of them.

    Returns:
      A tree of arrays, equal to `x`.

    Raises:
      TypeError: a leaf is neither an array nor a scalar.

    Example:
      >>> stop_gradient(1.0)
      Array(1., dtype=float32, weak_type=True)
    """

    def stop(leaf: Any) -> Any:
        if is_float0(leaf):
            return leaf
        array = as_operand("stop_gradient", leaf)
        return ops.stop_gradient(array) if dtypes.KINDS[array.dtype] in "fc" else array

    return map_leaves(stop, x)


def optimization_barrier(operand: Any) -> Any:
    """Return `operand`, an array or a tree of arrays, such that no element is used before all are
    computed; the compiler neither simplifies nor fuses across the barrier.

    Args:
      operand: any arrays.

    Returns:
      The same arrays.

    Example:
      >>> x, y = optimization_barrier((1.0, 2.0))
      >>> y
      Array(2., dtype=float32, weak_type=True)
    """
    leaves, tree = flatten(operand)
    arrays = [as_operand("optimization_barrier", leaf, i) for i, leaf in enumerate(leaves)]
    return unflatten(tree, ops.optimization_barrier(arrays) if arrays else [])


def reduce_precision(operand: ArrayLike, exponent_bits: int, mantissa_bits: int) -> Array:
    """Round floats to a format of fewer bits.

    Args:
      operand: an array of floats.
      exponent_bits: the number of exponent bits, at least 1; numbers too large for them become
        infinite, numbers too small for them zero.
      mantissa_bits: the number of fraction bits, at least 0; ties round to even.

    Returns:
      An array of the same type.

    Raises:
      TypeError: the operand is not of floats.
      ValueError: there are too few bits.

    Example:
      >>> reduce_precision(3.14159, exponent_bits=5, mantissa_bits=2)
      Array(3., dtype=float32, weak_type=True)
    """
    x = as_operand("reduce_precision", operand)
    if dtypes.KINDS[x.dtype] != "f":
        raise type_error(
            f"reduce_precision: the element type must be float, got: {x.dtype.name}; convert it "
            "with x.astype(...)"
        )
    exponent, mantissa = operator.index(exponent_bits), operator.index(mantissa_bits)
    if exponent < 1 or mantissa < 0:
        raise value_error(
            "reduce_precision: at least 1 bit of the exponent and 0 of the mantissa are needed, "
            f"got: {exponent} and {mantissa}"
        )
    return ops.reduce_precision(x, exponent, mantissa)
