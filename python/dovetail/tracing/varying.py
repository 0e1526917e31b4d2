"""Types of parts of arrays: how a value within a function of parts depends on the manual axes of a
mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import _core
from dovetail.arrays.shaped_array import ManualAxisType
from dovetail.base.errors import ShardingTypeError, explained
from dovetail.tracing.origins import Carried, Later
from dovetail.tracing.trace import Trace, Tracer

# The axes along which it varies, those over which it is a term, and those over which its cotangent
# is one, by their names in the compiler.
PartTexts = Sequence[Sequence[str]]
_ALIKE: PartTexts = ((), (), ())


def part_type(x: Any) -> ManualAxisType:
    """How an array depends on the manual axes of a mesh.

    Only functions of `shard_map` with `check_vma=True` distinguish values that vary.
    """
    if type(x) is not Tracer:
        return ManualAxisType()
    bound = x._trace.axes.items()
    name_of = {axis.text: name for name, axis in bound if axis.is_checked}
    return ManualAxisType(*(frozenset(name_of[t] for t in texts) for texts in part_texts(x)))


def part_texts(x: Any) -> PartTexts:
    """The same by the names of axes in the compiler."""
    if type(x) is not Tracer:
        return _ALIKE
    return _texts(x, [axis.text for axis in x._trace.axes.values() if axis.is_checked])


def part_types_of(
    function: _core.Function, axes: Sequence[str], arguments: Sequence[PartTexts], value: int | None
) -> list[list[list[str]]]:
    """Those of a value of a function, or of its results.

    Raises:
      NotImplementedError, ShardingTypeError: a value is computed of terms of sums in a way that is
        not linear, or of values that are terms, or not, over different axes.
    """
    try:
        return function.part_types(axes, arguments, value)
    except _core.CompilerError as error:
        raise explained(error, ShardingTypeError) from None


def _texts(x: Any, axes: Sequence[str]) -> PartTexts:
    """Those of some axes."""
    if type(x) is not Tracer or not axes:
        return _ALIKE
    trace = x._trace
    if trace.varying_arguments is None:
        unknown = (axes, (), ())
        arguments = [unknown if each is None else _texts(each, axes) for each in _outside(trace)]
    else:
        arguments = [*trace.varying_arguments, *(_texts(each, axes) for each in trace.captured)]
    return part_types_of(trace.function, list(axes), arguments, x.number)[0]


def _outside(trace: Trace) -> list[Any]:
    """The outer value of each argument, None where it is unknown: it may vary along any axis."""
    explicit = [None] * len(trace.names) if trace.origins is None else trace.origins
    known = [None if isinstance(origin, Carried | Later) else origin for origin in explicit]
    return [*known, *trace.captured]
