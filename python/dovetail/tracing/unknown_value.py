"""Error messages for Python code that needs the value of a tracer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.base.errors import (
    ConcretizationTypeError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
)
from dovetail.base.locations import here

if TYPE_CHECKING:
    from dovetail.tracing.trace import Trace, Tracer

# Python's use of an unknown value, by the class of the error.
_USES = {
    TracerBoolConversionError: "Attempted boolean conversion of traced array with shape {}.",
    TracerIntegerConversionError: "The __index__() method was called on traced array with shape "
    "{}.",
}
_USE = "Abstract tracer value encountered where concrete value is expected: traced array of {}."


def unknown_value(
    trace: Trace, number: int, asked: Tracer, error: type[ConcretizationTypeError]
) -> str:
    """The reason why a value is unknown.

    Args:
      trace: the trace to which one of its values is unknown.
      number: the number of that value.
      asked: the tracer whose value was requested.
      error: the error to be raised.
    """
    subject = asked.description()
    if asked._trace is not trace:
        causes = [number]
    elif trace.name_of(asked.number):
        causes = []
    else:
        causes = [number] if trace.name_of(number) else trace.arguments_of(number)
    if causes:
        names = ", ".join(trace.name_of(cause) or "an argument" for cause in causes)
        subject += f", which depends on {names},"
    hint = "choose between arrays with dovetail.numpy.where"
    if trace.kind == "jit":
        hint += (
            ", or make an argument that is not an array static (static_argnums, static_argnames)"
        )
    return (
        f"{_USES.get(error, _USE).format(asked.aval)} Python asks for {subject} "
        f"{here()}, a tracer without a value while `{trace.kind}` traces "
        f"`{trace.name}`; {hint}"
    )
