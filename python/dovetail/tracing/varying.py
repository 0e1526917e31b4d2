"""Along which manual axes of a mesh a value varies, within a function of parts of arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from dovetail import _core
from dovetail.base.errors import explained
from dovetail.tracing.origins import Carried, Later
from dovetail.tracing.trace import Trace, Tracer


def varying_axes(x: Any) -> frozenset[Hashable]:
    """The axes along which the devices of a mesh may have different values of an array.

    Only functions of `shard_map` with `check_vma=True` distinguish values that vary.
    """
    if type(x) is not Tracer:
        return frozenset()
    bound = x._trace.axes.items()
    name_of = {axis.text: name for name, axis in bound if axis.is_checked}
    return frozenset(name_of[text] for text in varying_texts(x))


def varying_texts(x: Any) -> Sequence[str]:
    """The same by the names of axes in the compiler."""
    if type(x) is not Tracer:
        return ()
    return _texts(x, [axis.text for axis in x._trace.axes.values() if axis.is_checked])


def _texts(x: Any, axes: Sequence[str]) -> Sequence[str]:
    """Those of some axes along which a value varies."""
    if type(x) is not Tracer or not axes:
        return ()
    trace = x._trace
    if trace.varying_arguments is None:
        arguments = [axes if each is None else _texts(each, axes) for each in _outside(trace)]
    else:
        arguments = [*trace.varying_arguments, *(_texts(each, axes) for each in trace.captured)]
    try:
        return trace.function.varying(list(axes), arguments, x.number)
    except _core.CompilerError as error:
        raise explained(error) from None


def _outside(trace: Trace) -> list[Any]:
    """The outer value of each argument, None where it is unknown: it may vary along any axis."""
    explicit = [None] * len(trace.names) if trace.origins is None else trace.origins
    known = [None if isinstance(origin, Carried | Later) else origin for origin in explicit]
    return [*known, *trace.captured]
