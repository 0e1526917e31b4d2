"""Conversion, promotion and broadcasting of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import config, dtypes
from dovetail.base.errors import needed_for, type_error, value_error, warn
from dovetail.base.strictness import is_of_user
from dovetail.base.trace_stack import current
from dovetail.ops.operands import (
    PYTHON_SCALARS,
    as_operand,
    broadcast_shapes,
    broadcast_to,
    copied,
    python_value,
    scalar,
)
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.composed import makes_equations
from dovetail.tracing.result_places import as_repeated
from dovetail.tracing.tracer import AnyTracer

ToDtype = Callable[[np.dtype], np.dtype]


def numbers(name: str, x: Any) -> Array:
    """The operand of a function of numbers: bools become integers."""
    array = as_operand(name, x)
    return ops.convert(array, dtypes.int32) if array.dtype == dtypes.bool_ else array


def inexact(name: str, x: Any) -> Array:
    """The operand of a function of floats and complex numbers: anything else becomes a float."""
    array = as_operand(name, x)
    if dtypes.KINDS[array.dtype] in "fc":
        return array
    return ops.convert(array, dtypes.to_inexact_dtype(array.dtype), array.weak_type)


def real_inexact(name: str, x: Any) -> Array:
    """Like `inexact`, but complex arguments are rejected."""
    array = inexact(name, x)
    if dtypes.KINDS[array.dtype] == "c":
        raise type_error(
            f"{name}: the element type must be real, got: {array.dtype.name}; take x.real first"
        )
    return array


def default_float(name: str, x: Any) -> Array:
    """The operand if it is inexact, otherwise in the default float, however wide its integers
    are.
    """
    array = as_operand(name, x)
    if dtypes.KINDS[array.dtype] in "fc":
        return array
    return ops.convert(array, dtypes.default_dtype("f"))


def pair(name: str, x: Any, y: Any, to: ToDtype | None = None) -> tuple[Array, Array]:
    """Two operands of one promoted type, after `to` if it is given, and one broadcast shape."""
    if isinstance(x, ArrayMethods):
        if isinstance(y, ArrayMethods):
            alike = x.dtype == y.dtype and x.weak_type == y.weak_type
            if alike and (to is None or to(x.dtype) == x.dtype):
                if x.shape == y.shape:
                    return x, y  # type: ignore[return-value]
                return _broadcast(name, [x, y], [x, y])  # type: ignore[return-value,list-item]
        elif y.__class__ in _KEEPS_TYPE[x.dtype] and (to is None or to(x.dtype) == x.dtype):
            return x, _splat(y, x)  # type: ignore[return-value]
    elif (
        isinstance(y, ArrayMethods)
        and x.__class__ in _KEEPS_TYPE[y.dtype]
        and (to is None or to(y.dtype) == y.dtype)
    ):
        return _splat(x, y), y  # type: ignore[return-value]
    arrays = promote(name, x, y, to=to)
    return _broadcast(name, arrays, [x, y])  # type: ignore[return-value]


def pair_inexact(name: str, x: Any, y: Any) -> tuple[Array, Array]:
    """Like `pair`, with integers and bools computed as floats."""
    return pair(name, x, y, dtypes.to_inexact_dtype)


def pair_numbers(name: str, x: Any, y: Any) -> tuple[Array, Array]:
    """Like `pair`, with bools computed as integers."""
    return pair(name, x, y, dtypes.to_numeric_dtype)


# The Python scalars that take an array's type without changing it.
_KEEPS_TYPE = {
    dtype: {"b": (), "i": (int,), "u": (int,), "f": (int, float), "c": (int, float, complex)}[kind]
    for dtype, kind in dtypes.KINDS.items()
}


def _splat(value: Any, like: ArrayMethods) -> Array:
    """A Python scalar as an array with the type and shape of another."""
    trace = current()
    if trace is None or trace.is_eager or (trace.root.is_symbolic and has_sizes(like.shape)):
        return broadcast_to(scalar(value, like.dtype, like.weak_type), like.shape)
    number = python_value(value, like.dtype)
    return trace.constant(number, like.weak_type, like.shape)  # type: ignore[return-value]


def broadcast(
    name: str, *xs: Any, is_asked: bool = False, are_results: bool = False
) -> list[Array]:
    """Broadcast operands to one shape, with their types unchanged. `is_asked` marks functions that
    users call to broadcast, for which ranks may differ under any setting; `are_results` those that
    return what is broadcast.
    """
    arrays = [as_operand(name, x, i) for i, x in enumerate(xs)]
    return _broadcast(name, arrays, None if is_asked else xs, are_results)


def promote_and_broadcast(
    name: str, *xs: Any, to: ToDtype | None = None, are_results: bool = False
) -> list[Array]:
    """Operands of one type, after `to` if it is given, and one shape; `are_results` as for
    `broadcast`.
    """
    return _broadcast(name, promote(name, *xs, to=to), xs, are_results)


def promote(name: str, *xs: Any, to: ToDtype | None = None) -> list[Array]:
    """Promote operands to one type, after applying `to` if given, with their shapes unchanged."""
    if to is None and all(isinstance(x, ArrayMethods) for x in xs):
        first = xs[0]
        if all(x.dtype == first.dtype and x.weak_type == first.weak_type for x in xs):
            return list(xs)
    known = (ArrayMethods, np.ndarray, np.generic, *PYTHON_SCALARS)
    given = [x if isinstance(x, known) else as_operand(name, x, i) for i, x in enumerate(xs)]
    dtype, weak = dtypes.promote(*map(dtypes.dtype_and_weakness, given), operands=xs)
    if to is not None:
        dtype = to(dtype)
    return [with_dtype(x, dtype, weak) for x in given]


def with_dtype(x: Any, dtype: np.dtype, weak: bool = False) -> Array:
    """`x`, an array or scalar, with another element type, weak or not."""
    if isinstance(x, ArrayMethods):
        if x.dtype == dtype and x.weak_type == weak:
            return x  # type: ignore[return-value]
        if x.dtype == dtype and not isinstance(x, AnyTracer):
            return x.with_weakness(weak)  # type: ignore[attr-defined]
        return ops.convert(x, dtype, weak)
    if isinstance(x, PYTHON_SCALARS):
        return scalar(x, dtype, weak)
    return copied(x, dtype, weak)


def _broadcast(
    name: str, arrays: list[Array], given: Sequence[Any] | None, are_results: bool = False
) -> list[Array]:
    """The arrays broadcast to one shape; `given` are the original operands, None to allow all
    ranks.
    """
    shape = arrays[0].shape
    if all(a.shape == shape for a in arrays):
        return arrays
    shape = broadcast_shapes(*(a.shape for a in arrays), name=name)
    if given is not None and config.numpy_rank_promotion.value != "allow":
        check_ranks(name, [a.shape for a in arrays], given, stacklevel=5)
    if makes_equations():
        # JAX's equations have the rank first.
        arrays = [_with_rank(a, len(shape)) if a.ndim else a for a in arrays]
    outs = [broadcast_to(a, shape) for a in arrays]
    return outs if are_results else list(map(as_repeated, outs, arrays))


def _with_rank(x: Array, rank: int) -> Array:
    new = rank - x.ndim
    return ops.broadcast(x, tuple(range(new, rank)), (1,) * new + x.shape) if new else x


def check_ranks(
    name: str, shapes: Sequence[tuple[int, ...]], given: Sequence[Any], stacklevel: int
) -> None:
    """Reject implicit rank promotion of the user's operands, or warn about it, depending on
    `numpy_rank_promotion`.

    Args:
      name: the function's name in the message.
      shapes: the shapes to broadcast.
      given: the operands that have these shapes.
      stacklevel: the depth of the user's call in the stack, seen from here.
    """
    mode = config.numpy_rank_promotion.value
    if mode == "allow" or len({len(s) for s in shapes if s}) < 2 or not is_of_user(given):
        return
    got, rest = " ".join(map(str, shapes)), f"numpy_rank_promotion is {mode!r}"
    remedy = "add the missing dimensions with reshape or expand_dims"
    if mode == "raise":
        raise value_error(
            f"Operands could not be broadcast together for {name} on shapes {got}, since {rest}; "
            f"{remedy}"
        )
    warn(
        f"Following NumPy automatic rank promotion for {name} on shapes {got}, since {rest}; "
        f"{remedy}",
        stacklevel=stacklevel,
    )


def filled(x: Array, value: bool | int | float | complex) -> Array:
    """An array like `x` with every element `value`."""
    return _splat(value, x)


def no_out(name: str, out: Any) -> None:
    """Reject NumPy's argument for writing into an array."""
    if out is not None:
        raise NotImplementedError(
            f"{name}: arrays are immutable, so out must be None; use the result"
        )


def only_values(name: str, out: Any, where: Any) -> None:
    """Reject NumPy's arguments for writing into an array, and for writing some elements only."""
    if out is not None:
        no_out(name, out)
    if where is not None:
        raise NotImplementedError(
            f"{name}: arrays are immutable, so where must be None; choose between results with "
            "dovetail.numpy.where"
        )


def strong(x: Array) -> Array:
    """`x` with a type that is not weak."""
    return with_dtype(x, x.dtype)


def static(x: Any, what: str) -> Any:
    """The value of a scalar that determines a shape, so it must be known while tracing; an error
    calls it `what`.
    """
    with needed_for(f"It arose in {what}"):
        return x._value()[()] if isinstance(x, ArrayMethods) else x
