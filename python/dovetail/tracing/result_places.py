"""Places of what ops outside of programs compute: on a mesh, sharded as in programs.

The elements are computed on the host, where CPU devices have them all. Over explicit axes of a
mesh, types state how results are sharded; if arrays are divided over others, the op becomes a
program, through which shardings are propagated. It is not compiled: that takes a thousand times as
long.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from typing import Any

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.bounded import Bounded
from dovetail.base.errors import explained
from dovetail.base.locations import location
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.base.trace_stack import stack
from dovetail.compiler import phases
from dovetail.placement import partitioning
from dovetail.placement.attributes import (
    explicit_texts,
    named_sharding,
    reshard_attributes,
    sharding_attribute,
)
from dovetail.placement.devices import MEMORY_KINDS
from dovetail.placement.meshes import Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import PartitionSpec as P
from dovetail.placement.shardings import (
    OperandPlace,
    Place,
    Sharding,
    common_place,
    memory_of_results,
    place_of,
)
from dovetail.placement.type_shardings import typed
from dovetail.tracing.trace import Trace

_known: Bounded[Any, Sequence[Place | None]] = Bounded()


def as_repeated(operand: Any, source: Any) -> Any:
    """An operand that an op repeats, as part of the op: so that on a mesh, other operands decide
    first how the result is sharded.

    Args:
      operand: the elements as they are repeated.
      source: the array, or the value in a function, that has them.
    """
    place = _spread_place(source)
    if place is None or type(operand) is not Array or operand is source:
        return operand
    return _with_source(operand, place.sharding, source.shape)


def _spread_place(x: Any) -> Place | None:
    place = x._place if type(x) is Array else None
    return None if place is None or not place.is_spread else place


def _with_source(operand: Array, source: Sharding, shape: tuple[int, ...]) -> Array:
    place = operand._place
    if place is None or not place.is_spread:
        return operand
    return Array(operand._data, operand.weak_type, OperandPlace(place.sharding, source, shape))


def op_places(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Any],
    results: Sequence[Type] | None,
    count: int,
) -> Sequence[Place | None]:
    """The place of each result of an op on arrays.

    Args:
      name: the op's name.
      attributes: its attributes, by their names in the dialect.
      operands: the arrays.
      results: the results' types, if the op does not infer them.
      count: the number of results.

    Raises:
      ValueError: the arrays are committed to different devices.
      ShardingTypeError: over explicit axes, it is ambiguous how a result is sharded.
    """
    place = common_place(operands, name)
    mesh = _mesh_of(place)
    if mesh is None:
        return [place] * count
    types, shardings = _types(operands), [_sharding(operand) for operand in operands]
    sources = [
        operand._place.shape if isinstance(operand._place, OperandPlace) else None
        for operand in operands
    ]
    given = tuple(results) if results else None
    key = name, mesh, *attributes.items(), *types, *shardings, *sources, given
    found = _known.get(key)
    if found is None:
        stated: Sequence[NamedSharding] = ()
        if mesh.explicit_axes:
            avals = _types_of_results(name, attributes, operands, results)
            stated = [aval.sharding for aval in avals]
        if stated and not _are_over(mesh.auto_axes, shardings):
            found = [stated_place(each, mesh) for each in stated]
        else:
            module = (
                _repeating(name, attributes, types, sources, results)
                if any(source is not None for source in sources)
                else _wrapped(name, attributes, types, results)
            )
            replicated = place_of(NamedSharding(mesh, P()))
            found = _found(module, mesh, shardings, False, replicated, stated) or [place] * count
        found = _known[key] = _in_memory_of(shardings, found)
    return found


def place_of_result(
    place: Place | None, operands: Sequence[Any], shape: tuple[int, ...]
) -> Place | None:
    """The place of an op's result: what is computed element by element of an operand that an op
    repeats is repeated as well.

    Args:
      place: what `op_places` found.
      operands: the arrays.
      shape: that of the result.
    """
    places = {operand._place for operand in operands if operand._place is not None}
    if len(places) == 1 and all(operand.shape == shape for operand in operands):
        (own,) = places
        if isinstance(own, OperandPlace) and own.shape != shape:
            return own
    return place


def result_places(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Any],
    results: Sequence[ShapedArray],
    stated: Place | None = None,
) -> Sequence[Place | None]:
    """The same for an op on functions, whose results have known types.

    Args:
      stated: where the functions run, if they name devices and operands do not.
    """
    place = common_place(operands, name)
    if stated is not None and (place is None or not place.is_committed):
        place = stated
    mesh = _mesh_of(place)
    if mesh is None:
        return [place] * len(results)
    shardings = [_sharding(operand) for operand in operands]
    stated_types = [aval.sharding for aval in results] if mesh.explicit_axes else ()
    if stated_types and not _are_over(mesh.auto_axes, shardings):
        return _in_memory_of(shardings, [stated_place(each, mesh) for each in stated_types])
    types = [(aval.shape, dtype_name(aval.dtype)) for aval in results]
    module = _wrapped(name, attributes, _types(operands), types)
    # A function is traced at each call; its text is the same, and is quickly made.
    key = module.text(), mesh, *shardings, *stated_types
    found = _known.get(key)
    if found is None:
        # The ops of a function that a transform takes are applied one by one, as in JAX.
        one_by_one = "callee" in attributes and name != "call"
        # Then a result that depends on no array on the mesh is nowhere in particular, unless the
        # context says that all are there.
        is_free = one_by_one and any(sharding is not None for sharding in shardings)
        other = None if is_free else place_of(NamedSharding(mesh, P()))
        found = _found(module, mesh, shardings, one_by_one, other, stated_types)
        found = found or [place] * len(results)
        found = _known[key] = _in_memory_of(shardings, found)
    return found


def _in_memory_of(
    shardings: Sequence[Sharding | None], places: Sequence[Place | None]
) -> Sequence[Place | None]:
    """The places in the memory that all operands of an op are in, if it is one."""
    kinds = {memory_of_results(sharding) for sharding in shardings if sharding is not None}
    kind = kinds.pop() if len(kinds) == 1 else MEMORY_KINDS[0]

    def moved(place: Place | None) -> Place | None:
        if place is None or place.sharding.memory_kind == kind:
            return place
        return place_of(place.sharding.with_memory_kind(kind))

    return [moved(place) for place in places]


def _mesh_of(place: Place | None) -> Mesh | None:
    return None if place is None or not place.is_spread else partitioning.mesh_of(place)


def reshard_place(array: Array, sharding: NamedSharding) -> Place:
    """The place of an array that is resharded: over the explicit axes of a mesh as stated, over
    the others as before, if it is on these devices.

    Args:
      array: the array.
      sharding: the sharding that is stated.
    """
    mesh, has = sharding.mesh, _sharding(array)
    if not isinstance(mesh, Mesh) or not isinstance(has, NamedSharding):
        return place_of(sharding)
    if mesh.update(axis_types=has.mesh.axis_types) != has.mesh:
        return place_of(sharding)
    has = has.update(mesh=mesh)
    if not _are_over(mesh.auto_axes, [has]):
        return place_of(sharding)
    key = "reshard", array.shape, sharding, has
    found = _known.get(key)
    if found is None:
        attributes = reshard_attributes(sharding, array.ndim, are_open=True)
        module = _wrapped("reshard", attributes, _types([array]), None)
        found = _found(module, mesh, [has], False, None, ())
        found = _known[key] = found or [place_of(sharding)]
    (place,) = found
    assert place is not None
    return _typed_place(place, sharding)


def _typed_place(place: Place, stated: NamedSharding) -> Place:
    assert isinstance(place.sharding, NamedSharding)
    return place_of(typed(place.sharding, stated))


def stated_place(stated: NamedSharding, mesh: Mesh) -> Place:
    """The place that the sharding in a type states over the axes of a mesh."""
    return place_of(NamedSharding(mesh, stated.spec))


def _types(operands: Sequence[Any]) -> list[Type]:
    return [(operand.shape, dtype_name(operand.dtype)) for operand in operands]


def _sharding(operand: Any) -> Sharding | None:
    place = operand._place
    if place is None or not place.is_committed:
        return None
    return place.source if isinstance(place, OperandPlace) else place.sharding


def _types_of_results(
    name: str, attributes: dict[str, Any], operands: Sequence[Any], results: Sequence[Type] | None
) -> list[ShapedArray]:
    """The types of an op's results, by a trace of it."""
    trace = Trace("eager call", name, False, [])
    stack.traces.append(trace)
    try:
        tracers = [trace.argument(operand.aval, None) for operand in operands]
        weak = itertools.repeat(False)
        # The trace may change attributes.
        outs = trace.emit(name, tracers, {**attributes}, results, weak, lambda: None, {})
        return [out.aval for out in outs]
    finally:
        stack.traces.pop()
        trace.function.finish([])


def _wrapped(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Type],
    results: Sequence[Type] | None,
) -> _core.Module:
    """The program of one op."""
    try:
        return _core.wrap(name, attributes, operands, results)
    except _core.CompilerError as error:
        raise explained(error) from None


def _repeating(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Type],
    sources: Sequence[tuple[int, ...] | None],
    results: Sequence[Type] | None,
) -> _core.Module:
    """The program of one op, which repeats operands that have elements of these shapes."""
    module, where = _core.module(), location()
    main = _core.Function(module, "main", True, where)
    numbers = [
        main.argument(shape if source is None else source, element, where)
        for (shape, element), source in zip(operands, sources, strict=True)
    ]
    for i, ((shape, element), source) in enumerate(zip(operands, sources, strict=True)):
        if source is None or source == shape:
            continue
        first = len(shape) - len(source)
        dims = [first + d for d, size in enumerate(source) if size == shape[first + d]]
        kept = tuple(shape[d] for d in dims)
        for op, stated, given in (("reshape", kept, {}), ("broadcast", shape, {"dims": dims})):
            ((numbers[i], _, _),) = main.emit(op, [numbers[i]], given, [(stated, element)], where)
    outs = main.emit(name, numbers, attributes, results, where)
    main.finish([number for number, _, _ in outs])
    return module


def _found(
    module: _core.Module,
    mesh: Mesh,
    shardings: Sequence[Sharding | None],
    one_by_one: bool,
    other: Place | None,
    types: Sequence[NamedSharding],
) -> list[Place | None] | None:
    """The places of a program's results over a mesh, `other` for those that depend on no array
    there; None if it runs on one device. `one_by_one` if its ops are applied one after the other.
    `types` are the shardings in the types of the results, over a mesh that has explicit axes.
    """
    partitioning.request(module, mesh, shardings)
    phases.run(module, "simplify")
    if types:
        stated = [sharding_attribute(each, len(each.spec), are_open=True) for each in types]
        module.reshard_results(stated, explicit_texts(mesh))
    found = module.eager_shardings(one_by_one)
    if found is None:
        return None
    places = [other if axes is None else place_of(named_sharding(mesh, axes)) for axes in found]
    if not types:
        return places
    return [
        stated_place(each, mesh) if place is None else _typed_place(place, each)
        for place, each in zip(places, types, strict=True)
    ]


def _are_over(axes: Sequence[Hashable], shardings: Sequence[Sharding | None]) -> bool:
    """Whether some arrays are divided over some of these axes."""
    return any(
        isinstance(each, NamedSharding) and not {*each.spec.axes}.isdisjoint(axes)
        for each in shardings
    )
