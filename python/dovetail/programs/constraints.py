"""Constraints on the sharding of an array, known or traced."""

from __future__ import annotations

from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.base.locations import here
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.layouts import Format
from dovetail.placement.meshes import AbstractMesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Sharding, incompatible, place_of
from dovetail.placement.type_shardings import on_context
from dovetail.programs.transfers import check_rank, put
from dovetail.tracing.trace import Tracer


def constrained(name: str, leaf: Any, sharding: Any) -> Any:
    """An array where a sharding states; a traced one gets an op that asks for that.

    Args:
      name: of the function that was given the sharding, for messages.
      leaf: the array.
      sharding: a sharding, or a `PartitionSpec` over the mesh of `set_mesh`.

    Raises:
      TypeError: something else than a sharding.
      ValueError: there is no sharding, it is for arrays of a higher rank, or the array is committed
        to other devices.
    """
    if isinstance(sharding, Format):
        sharding = sharding.for_shape(as_operand(name, leaf).shape, name)
    if sharding is None:
        raise value_error(
            f"One of {name} arguments got sharding None which is not allowed. Pass a sharding, "
            "such as NamedSharding(mesh, spec)"
        )
    if not isinstance(sharding, (Sharding, P)):
        raise type_error(
            f"{name}: shardings must be of dovetail.sharding, such as NamedSharding(mesh, spec), "
            f"got: {sharding!r}"
        )
    array = as_operand(name, leaf)
    if type(array) is Tracer and _is_abstract(sharding):
        # Where the program runs follows from its arguments.
        return array._committed_to(sharding)
    if isinstance(sharding, NamedSharding):
        sharding = on_context(sharding, array.sharding)
    wanted = place_of(platforms.sharding_meant(sharding, name))
    check_rank(wanted.sharding, array.shape, f"{name} arguments")
    place = array._place
    if type(array) is Tracer:
        array._trace.root.commit_to(wanted.of_results())
    elif place is not None and place.is_committed and not place.has_devices_of(wanted):
        raise incompatible(
            f"argument of {name} with shape {array.aval} and {place.shown}, and a sharding with "
            f"{wanted.shown}"
        )
    if type(array) is Tracer:
        return array._constrained(wanted.sharding)
    return put(array, wanted.sharding)


def _is_abstract(sharding: Any) -> bool:
    return isinstance(sharding, NamedSharding) and isinstance(sharding.mesh, AbstractMesh)


def check_divisible(sharding: Sharding, shape: tuple[int, ...], what: str) -> None:
    """Check that a sharding divides arrays of a shape into equal parts.

    Args:
      what: whose shape it is, for messages.

    Raises:
      ValueError: it does not, or the shape has too few dimensions.
    """
    check_rank(sharding, shape, what)
    counts = sharding._tiling(len(shape)).counts
    for dim, (size, count) in enumerate(zip(shape, counts, strict=True)):
        if size % count:
            raise ValueError(
                f"One of {what} is incompatible with its sharding annotation {sharding}: it "
                f"implies that array axis {dim} is partitioned {count} times, but the dimension "
                f"size is {size} (full shape: {shape}, per-dimension tiling factors: "
                f"{list(counts)} should evenly divide the shape) {here()}"
            )
