"""Whether a value depends on an input of a derivative that is being taken."""

from __future__ import annotations

from typing import Any

from dovetail import _core
from dovetail.base import dtypes
from dovetail.tracing.origins import Later
from dovetail.tracing.references import Ref
from dovetail.tracing.tracer import AnyTracer, Tracer


def is_perturbed(x: Any, later: bool = True, order: int = 1) -> bool:
    """True if a value may have a tangent that is not zero in an enclosing derivative.

    Values computed from known arrays alone have none, nor have those of which the compiler's
    derivative rules say so.

    Args:
      x: an array, a tracer or a reference.
      later: the answer for arguments of functions that are only called later, with values of which
        nothing is known yet.
      order: only in derivatives of functions that are differentiated as often, or more often; if
        more than once, by what does not go through references.
    """
    if type(x) is not Tracer:
        if isinstance(x, AnyTracer):
            # Of a trace of the program, which may differentiate it.
            return dtypes.is_inexact(x.dtype)
        return type(x) is Ref and order == 1
    if not dtypes.is_inexact(x.dtype):
        return False
    trace = x._trace
    if trace.order < order:  # None of them differentiates the function.
        return False

    known, answers = trace.perturbed.setdefault((later, order), (_core.Perturbation(), {}))
    number = x.number
    if number in answers:
        return answers[number]

    def may_have_tangent(origin: Any) -> bool:
        if origin is Later.VALUE:
            return later
        return origin is None or is_perturbed(origin, later, order)

    origins = trace.origins_of(number)
    arguments = [i for i, origin in origins.items() if may_have_tangent(origin)]
    may_be = bool(arguments) or (trace.has_refs and order == 1)
    answers[number] = may_be and known.reaches(trace.function, number, arguments)
    return answers[number]
