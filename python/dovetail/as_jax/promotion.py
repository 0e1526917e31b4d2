"""`jax._src.numpy.util`: arguments of one type and rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.lax import broadcast_shapes
from dovetail.numpy.promotion import promote
from dovetail.ops.operands import as_operand


def _to_complex(dtype: np.dtype) -> np.dtype:
    return dtypes.to_complex_dtype(dtypes.to_inexact_dtype(dtype))


def promote_dtypes(*args: Any) -> list[Array]:
    """Arrays of the type that an operation on all of them has."""
    return promote("promote_dtypes", *args)


def promote_dtypes_inexact(*args: Any) -> list[Array]:
    """Arrays of one floating or complex type."""
    return promote("promote_dtypes_inexact", *args, to=dtypes.to_inexact_dtype)


def promote_dtypes_numeric(*args: Any) -> list[Array]:
    """Arrays of one type of numbers: bools become integers."""
    return promote("promote_dtypes_numeric", *args, to=dtypes.to_numeric_dtype)


def promote_dtypes_complex(*args: Any) -> list[Array]:
    """Arrays of one complex type."""
    return promote("promote_dtypes_complex", *args, to=_to_complex)


def promote_shapes(fun_name: str, *args: Any) -> list[Array]:
    """Arrays of one rank; scalars stay as they are.

    Args:
      fun_name: the function that they are operands of.
      args: the arrays.

    Raises:
      ValueError: the ranks are different, and the shapes cannot be broadcast.
    """
    arrays = [as_operand(fun_name, x, i) for i, x in enumerate(args)]
    if len({x.ndim for x in arrays}) == 1:
        return arrays
    rank = len(broadcast_shapes(*(x.shape for x in arrays)))
    return [
        x if x.ndim in (0, rank) else x.reshape((1,) * (rank - x.ndim) + x.shape) for x in arrays
    ]


def _of_one_type(
    promoted: Callable[..., list[Array]], name: str, doc: str
) -> Callable[..., list[Array]]:
    def promote_args(fun_name: str, *args: Any) -> list[Array]:
        check_arraylike(fun_name, *args)
        return promote_shapes(fun_name, *promoted(*args))

    promote_args.__name__ = promote_args.__qualname__ = name
    promote_args.__doc__ = doc
    return promote_args


promote_args = _of_one_type(promote_dtypes, "promote_args", "Arrays of one type and rank.")
promote_args_inexact = _of_one_type(
    promote_dtypes_inexact, "promote_args_inexact", "Arrays of one inexact type and one rank."
)
promote_args_numeric = _of_one_type(
    promote_dtypes_numeric, "promote_args_numeric", "Arrays of one type of numbers and one rank."
)


def check_arraylike(
    fun_name: str, *args: Any, emit_warning: bool = False, stacklevel: int = 3
) -> None:
    """Check that operands are arrays or scalars, and no sequences.

    Args:
      fun_name: the function that they are operands of.
      args: the operands.
      emit_warning, stacklevel: ignored.

    Raises:
      TypeError: one is something else.
    """
    for position, arg in enumerate(args):
        as_operand(fun_name, arg, position)


def ensure_arraylike(fun_name: str, /, *args: Any) -> Any:
    """The operands as arrays; of one, the array.

    Args:
      fun_name: the function that they are operands of.
      args: arrays and scalars.

    Raises:
      TypeError: one is something else.
    """
    arrays = tuple(as_operand(fun_name, arg, i) for i, arg in enumerate(args))
    return arrays[0] if len(arrays) == 1 else arrays
