"""Finds tracers that outlive their trace, for `check_tracer_leaks`."""

from __future__ import annotations

import gc

from dovetail.base import locations
from dovetail.base.errors import LeakedTracerError
from dovetail.base.locations import here
from dovetail.tracing.trace import Trace, Tracer


def check_leaks(trace: Trace) -> None:
    """Reject a trace that has ended while something still refers to one of its values.

    Raises:
      LeakedTracerError: something does.
    """
    if not _found(trace):
        return
    # Cycles, such as that of an exception and its frames, are not references of the program.
    gc.collect()
    leaked = _found(trace)
    if leaked:
        tracer = leaked[0]
        keepers = [
            kind for r in gc.get_referrers(tracer) if r is not leaked and (kind := _described(r))
        ]
        raise LeakedTracerError(
            f"Leaked trace of `{trace.name}`, traced by `{trace.kind}`: a tracer ({tracer.aval}), "
            f"which was created on line {locations.describe(tracer.location)}, is still referred "
            f"to by {' and '.join(keepers) or 'an object'}, {here()}; return values from the "
            "function instead of storing them in a variable, list or attribute outside"
        )


def _found(trace: Trace) -> list[Tracer]:
    return [value for value in gc.get_objects() if type(value) is Tracer and value._trace is trace]


def _described(referrer: object) -> str | None:
    """A description of what refers to a tracer; None for the frames of the search itself."""
    kind = type(referrer).__name__
    if kind == "frame":
        return None
    return "a variable of an enclosing function" if kind == "cell" else f"a {kind}"
