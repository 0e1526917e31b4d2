"""Builders of ops from the table of ops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dovetail.as_jax.mlir.attributes import attribute
from dovetail.as_jax.mlir.bindings import ir
from dovetail.as_jax.mlir.op_table import Spec, parsed
from dovetail.base.errors import type_error

# Parameters of all builders.
_COMMON = ("loc", "ip", "results")


def value_of(x: Any, what: str) -> Any:
    """The value that an operand is: that of an op is its only result."""
    if isinstance(x, ir.Value):
        return x
    results = getattr(x, "results", None)
    if results is not None and len(results) == 1:
        return results[0]
    raise type_error(f"{what} must be a value of MLIR, got: {x!r}")


def values_of(xs: Any, what: str) -> list[Any]:
    """The values that a list of operands is."""
    if isinstance(xs, ir.Value):
        raise type_error(f"{what} must be a list of values, got: {xs!r}")
    if isinstance(xs, (ir.OpView, ir.Operation)):
        return list(xs.results)
    return [value_of(x, what) for x in xs]


def _bound(spec: Spec, args: Sequence[Any], named: dict[str, Any]) -> tuple[dict[int, Any], int]:
    """The arguments by the numbers of their parameters, and the number of regions."""
    count = len(spec.regions)
    places = [i for i, each in enumerate(spec.parameters) if not each.is_optional]
    if spec.has_counted_regions:
        number = f"num_{spec.regions[0]}"
        *args, count = (*args, named.pop(number)) if number in named else args
    given = dict(zip(places, args, strict=False))
    for i, each in enumerate(spec.parameters):
        if each.name in named:
            given[i] = named.pop(each.name)
    lacking = [spec.parameters[i].name for i in places if i not in given]
    if len(args) > len(places) or named or lacking:
        raise type_error(
            f"{spec.op} takes ({', '.join(each.name for each in spec.parameters)}), got: "
            f"{len(args)} arguments, {sorted(named)} by name, and not {lacking}"
        )
    return given, count


def created(spec: Spec, args: Sequence[Any], named: dict[str, Any]) -> Any:
    """The op of a builder's arguments, where the insertion point is."""
    common = {name: named.pop(name) for name in _COMMON if name in named}
    given, num_regions = _bound(spec, args, named)
    operands, attributes, segments = [], {}, []
    types: list[Any] | None = common.pop("results", None)
    for i, each in enumerate(spec.parameters):
        value, what = given.get(i), f"{each.name} of {spec.op}"
        if each.kind in ("type", "types"):
            types = [*(types or []), *([value] if each.kind == "type" else list(value or ()))]
        elif each.kind == "operand":
            operands.append(value_of(value, what))
            segments.append(1)
        elif each.kind == "operands":
            some = values_of(value, what)
            operands += some
            segments.append(len(some))
        elif value is not None and not (each.kind == "unit" and not value):
            attributes[each.name] = attribute(each.kind, value, what)
    _check_segments(spec, segments)
    if spec.op == "stablehlo.return":
        types = []
    return ir.Operation.create(
        spec.op,
        results=types,
        operands=operands,
        attributes=attributes,
        regions=num_regions,
        infer_type=types is None,
        **common,
    )


def _check_segments(spec: Spec, segments: Sequence[int]) -> None:
    """Lists of operands of an op are equally long."""
    lists = [each.kind == "operands" for each in spec.parameters if each.kind.startswith("operand")]
    counts = {count for count, is_list in zip(segments, lists, strict=True) if is_list}
    if len(counts) > 1:
        raise type_error(f"{spec.op}: lists of operands must be equally long, got: {segments}")


def _region(i: int) -> property:
    return property(lambda self: self.regions[i])


def _class(spec: Spec) -> type:
    def __init__(self: Any, *args: Any, **named: Any) -> None:
        ir.OpView.__init__(self, created(spec, args, named))

    members: dict[str, Any] = {
        "OPERATION_NAME": spec.op,
        "_ODS_REGIONS": (len(spec.regions), not spec.has_counted_regions),
        "__doc__": f"`{spec.op}`.",
        "__init__": __init__,
    }
    if spec.has_counted_regions:
        members[spec.regions[0]] = property(lambda self: self.regions)
    else:
        members |= {name: _region(i) for i, name in enumerate(spec.regions)}
    return type(spec.class_name, (ir.OpView,), members)


def _function(spec: Spec, of: type) -> Any:
    def build(*args: Any, **named: Any) -> Any:
        op = of(*args, **named)
        results = op.operation.results
        return op if not len(results) else results[0] if len(results) == 1 else results

    build.__name__ = spec.name
    build.__doc__ = f"`{spec.op}`: its result, or results."
    return build


def members_of(dialect: str, lines: Iterable[str]) -> dict[str, Any]:
    """The builders of a dialect, and the classes of its ops, by name."""
    members: dict[str, Any] = {}
    for line in lines:
        spec = parsed(dialect, line)
        members[spec.class_name] = of = _class(spec)
        members[spec.name] = _function(spec, of)
    return members
