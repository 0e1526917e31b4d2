"""Questions about values, types and transforms in progress that `jax.core` answers."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes, trace_stack
from dovetail.base.errors import ConcretizationTypeError, type_error
from dovetail.diagnostics.environment import typeof
from dovetail.jaxprs.user_traces import UserTrace
from dovetail.tracing.axes import axes_in_scope
from dovetail.tracing.trace import Trace
from dovetail.tracing.tracer import AnyTracer, Tracer

# The class of all types of values.
AbstractValue = ShapedArray


def concrete_or_error(force: Callable[[Any], Any] | None, val: Any, context: str = "") -> Any:
    """A value, converted by a function, if it is known while tracing.

    Args:
      force: the conversion, such as `int`; None for none.
      val: a value or a tracer.
      context: what needs the value, for the error.

    Raises:
      ConcretizationTypeError: the value is not known.

    Example:
      >>> from dovetail.as_jax.jax import core
      >>> core.concrete_or_error(int, 3.0)
      3
    """
    if isinstance(val, AnyTracer):
        try:
            val = val.concrete(ConcretizationTypeError)
        except ConcretizationTypeError as error:
            raise ConcretizationTypeError(f"{error} {context}".rstrip()) from None
    return val if force is None else force(val)


def is_concrete(x: Any) -> bool:
    """Whether the value of `x` is known: that of a tracer may be, outside of `jit`."""
    try:
        concrete_or_error(None, x)
    except ConcretizationTypeError:
        return False
    return True


def is_constant_dim(d: Any) -> bool:
    """Whether a size is a number, not a symbol."""
    try:
        operator.index(d)
    except (TypeError, ValueError):
        return False
    return True


def is_constant_shape(s: Any) -> bool:
    """Whether all sizes of a shape are numbers."""
    return all(map(is_constant_dim, s))


def valid_jaxtype(x: Any) -> bool:
    """Whether `x` is an array or a number that functions accept."""
    try:
        typeof(x)
    except TypeError:
        return False
    return True


def primal_dtype_to_tangent_dtype(primal_dtype: Any) -> np.dtype:
    """The element type of the tangents of arrays of an element type."""
    dtype = dtypes.as_dtype(primal_dtype)
    return dtype if dtypes.is_inexact(dtype) else dtypes.float0


def mapped_aval(size: int, axis: int | None, aval: ShapedArray) -> ShapedArray:
    """The type of one element of a batch along `axis`."""
    if axis is None:
        return aval
    if not -aval.ndim <= axis < aval.ndim or aval.shape[axis] != size:
        raise type_error(f"mapped_aval: axis {axis} must have size {size}, got: {aval}")
    at = axis % aval.ndim
    return aval.update(shape=(*aval.shape[:at], *aval.shape[at + 1 :]))


def unmapped_aval(
    size: int, axis: int | None, aval: ShapedArray, explicit_mesh_axis: None = None
) -> ShapedArray:
    """The type of a batch of `size` arrays along `axis`."""
    if axis is None:
        return aval
    at = axis % (aval.ndim + 1)
    return aval.update(shape=(*aval.shape[:at], size, *aval.shape[at:]))


class OpaqueTraceState:
    """The transforms in progress; two of them are equal if no transform has begun or ended."""

    def __init__(self) -> None:
        trace = trace_stack.current()
        self._trace = None if trace is None else weakref.ref(trace)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpaqueTraceState) and self._trace == other._trace

    __hash__ = None  # type: ignore[assignment]


def get_opaque_trace_state(convention: str | None = None) -> OpaqueTraceState:
    """The transforms in progress, as an object that can be compared.

    Args:
      convention: who asks; ignored.

    Example:
      >>> from dovetail.as_jax.jax.extend import core
      >>> core.get_opaque_trace_state() == core.get_opaque_trace_state()
      True
    """
    return OpaqueTraceState()


def axis_names() -> list[Hashable]:
    """The named axes that transforms in progress bind."""
    return list(axes_in_scope())


def has_axes() -> bool:
    """Whether a transform in progress binds a named axis."""
    return bool(axes_in_scope())


def is_in(kind: str) -> bool:
    """Whether a transform of a kind is in progress, such as "jit" or "vmap"."""
    return any(trace.kind == kind for trace in trace_stack.stack.traces)


def is_in_jit() -> bool:
    """Whether a function that is being compiled is in progress."""
    return is_in("jit")


def is_in_vmap() -> bool:
    """Whether a `vmap` is in progress."""
    return is_in("vmap")


def is_trace_state_clean() -> bool:
    """Whether no transform is in progress."""
    return not trace_stack.stack.traces


def find_top_trace(xs: Iterable[Any]) -> Trace | None:
    """The innermost trace of the tracers among values; None if there are none."""
    traces = [x._trace for x in xs if isinstance(x, AnyTracer)]
    return max(traces, key=_depth, default=None)


def _depth(trace: Any) -> int:
    depth, outer = 0, trace.relay if isinstance(trace, UserTrace) else trace
    while outer is not None:
        depth, outer = depth + 1, outer.parent
    return depth


class _OfArguments(type):
    """The class of `JVPTracer`."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type(instance) is not Tracer or not dtypes.is_inexact(instance.dtype):
            return False
        trace = instance._trace
        if trace.kind not in ("jvp", "grad", "vjp", "linearize"):
            return False
        arguments = trace.arguments_of(instance.number)
        return any(trace.position_of(number) < len(trace.names) for number in arguments)


class JVPTracer(metaclass=_OfArguments):
    """Values that depend on the arguments of the derivative in progress, for `isinstance`."""
