"""Places of what ops outside of programs compute: on several devices, sharded as in programs.

The elements are computed on the host, where CPU devices have them all. For their sharding, the op
becomes a program, which the phase `shard` partitions. It is not compiled: that takes a thousand
times as long as the phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import _core
from dovetail.base.bounded import Bounded
from dovetail.base.errors import explained
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.compiler import phases
from dovetail.placement import partitioning
from dovetail.placement.meshes import Mesh
from dovetail.placement.shardings import Place, Sharding, common_place, place_of

_known: Bounded[Any, Sequence[Place | None]] = Bounded()


def result_places(
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
    """
    place = common_place(operands, name)
    mesh = None if place is None or not place.is_spread else partitioning.mesh_of(place)
    if mesh is None:
        return [place] * count
    types = [(operand.shape, dtype_name(operand.dtype)) for operand in operands]
    shardings = [_sharding(operand) for operand in operands]
    if "callee" in attributes or "regions" in attributes:
        # Functions are traced for each call.
        return _partitioned(name, attributes, types, results, mesh, shardings) or [place] * count
    key = name, mesh, *attributes.items(), *types, *shardings, results and tuple(results)
    found = _known.get(key)
    if found is None:
        found = _partitioned(name, attributes, types, results, mesh, shardings) or [place] * count
        _known[key] = found
    return found


def _sharding(operand: Any) -> Sharding | None:
    place = operand._place
    return None if place is None or not place.is_committed else place.sharding


def _partitioned(
    name: str,
    attributes: dict[str, Any],
    operands: Sequence[Type],
    results: Sequence[Type] | None,
    mesh: Mesh,
    shardings: Sequence[Sharding | None],
) -> list[Place] | None:
    """The places of an op's results in a program over a mesh; None if it runs on one device."""
    try:
        module = _core.wrap(name, attributes, operands, results)
    except _core.CompilerError as error:
        raise explained(error) from None
    partitioning.request(module, mesh, shardings)
    phases.run(module, "check")
    found = partitioning.partition(module, mesh)
    return None if found is None else [place_of(sharding) for sharding in found.results]
