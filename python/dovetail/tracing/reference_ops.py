"""Ops on references, appended to functions under construction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dovetail.base.locations import here

if TYPE_CHECKING:
    from dovetail.tracing.references import Ref
    from dovetail.tracing.trace import Trace


def _emit(
    trace: Trace,
    name: str,
    operands: Sequence[Any],
    results: Any = None,
    attributes: dict[str, Any] | None = None,
) -> Any:
    """Append an op; its results are never known while tracing."""
    if trace.is_eager:
        trace.refuse()
    if trace.root.is_symbolic:
        raise NotImplementedError(
            f"references must not be used with symbolic shapes, got: one in `{trace.name}` {here()}"
        )
    trace.has_refs = True
    numbers = [trace.number(operand) for operand in operands]
    return trace.function.emit(name, numbers, attributes or {}, results, trace.where())


def new(trace: Trace, x: Any) -> int:
    """The number of a new reference that holds an array."""
    ((number, _, _),) = _emit(trace, "new_ref", [x])
    return number


def get(trace: Trace, ref: Ref) -> Any:
    """The array that a reference holds."""
    return _held_by(trace, "ref_get", ref)


def freeze(trace: Trace, ref: Ref) -> Any:
    """The array that a reference holds at its end."""
    return _held_by(trace, "freeze", ref)


def set(trace: Trace, ref: Ref, value: Any) -> None:
    """Make a reference hold another array."""
    _emit(trace, "ref_set", [ref, value], [])


def echo(trace: Trace, ref: Ref, aval: Any, depth: int, is_read: bool) -> Any:
    """An echo of a reference, of that type; see the op `ref_echo`."""
    attributes = {"depth": depth, **({"read": None} if is_read else {})}
    ((number, shape, _),) = _emit(trace, "ref_echo", [ref], attributes=attributes)
    return trace.value_class(trace, number, shape, aval.dtype, False, trace.where())


def set_echo(trace: Trace, ref: Ref, value: Any, depth: int) -> None:
    """Replace an echo of a reference."""
    _emit(trace, "ref_set_echo", [ref, value], [], {"depth": depth})


def _held_by(trace: Trace, name: str, ref: Ref) -> Any:
    ((number, shape, _),) = _emit(trace, name, [ref])
    value = trace.value_class(trace, number, shape, ref.dtype, False, trace.where())
    return trace.state_types([value], [ref.aval.inner_aval])[0]
