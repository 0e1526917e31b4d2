"""What references hold, as the cotangents of their echoes."""

from __future__ import annotations

import numpy as np

from dovetail import ops
from dovetail.base import dtypes
from dovetail.tracing.bind import constant
from dovetail.tracing.references import Ref, echo_dtype
from dovetail.tracing.trace import Operand


def as_echo(array: Operand, dtype: np.dtype) -> Operand:
    """An array of that type, which a reference holds, as floats of the type of its echo."""
    if dtypes.is_inexact(dtype) or dtype.itemsize < 8:
        return ops.convert(array, echo_dtype(dtype))
    double = np.dtype(np.float64)
    upper = ops.shift_right_arithmetic if dtype.kind == "i" else ops.shift_right_logical
    half = _bits_of_half(array, dtype)
    lower = ops.convert(ops.convert(array, np.dtype(np.uint32)), double)
    return ops.complex(ops.convert(upper(array, half), double), lower)


def from_echo(value: Operand, dtype: np.dtype) -> Operand:
    """The inverse of `as_echo`."""
    if dtypes.is_inexact(dtype) or dtype.itemsize < 8:
        return ops.convert(value, dtype)
    upper, lower = (ops.convert(part(value), dtype) for part in (ops.real, ops.imag))
    return ops.or_(ops.shift_left(upper, _bits_of_half(value, dtype)), lower)


def passed_on(ref: Ref, depth: int) -> Operand:
    """What is, in a backward pass, the cotangent of an echo: the array before it."""
    return as_echo(ref._read(), ref.dtype) if depth == 1 else ref._echo(depth - 1)


def leave(ref: Ref, depth: int, cotangent: Operand) -> None:
    """Make the cotangent of an echo, at the end of a backward pass, the array before it."""
    if depth == 1:
        ref._write(from_echo(cotangent, ref.dtype))
    else:
        ref._set_echo(cotangent, depth - 1)


def _bits_of_half(x: Operand, dtype: np.dtype) -> Operand:
    return ops.broadcast(constant(np.full((), 32, dtype)), (), x.shape)
