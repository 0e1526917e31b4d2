"""Constraints on the sharding of an array, known or traced."""

from __future__ import annotations

from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.base.locations import here
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Sharding, incompatible, place_of
from dovetail.programs.transfers import put
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
    if sharding is None:
        raise value_error(f"{name}: a sharding must be given, got: None")
    if not isinstance(sharding, (Sharding, P)):
        raise type_error(
            f"{name}: shardings must be of dovetail.sharding, such as NamedSharding(mesh, spec), "
            f"got: {sharding!r}"
        )
    array, wanted = as_operand(name, leaf), place_of(platforms.sharding_meant(sharding, name))
    wanted.sharding.check_compatible_aval(array.shape)
    place = array._place
    if type(array) is Tracer:
        array._trace.root.commit_to(wanted.of_results())
    elif place is not None and place.is_committed and not place.has_devices_of(wanted):
        got = f"{place} and {wanted}"
        raise incompatible(f"{name}: the array and its sharding", got, (place, wanted))
    return put(array, wanted.sharding)


def check_divisible(sharding: Sharding, shape: tuple[int, ...], what: str) -> None:
    """Check that a sharding divides arrays of a shape into equal parts.

    Raises:
      ValueError: it does not, or the shape has too few dimensions.
    """
    sharding.check_compatible_aval(shape)
    for dim, (size, count) in enumerate(
        zip(shape, sharding._tiling(len(shape)).counts, strict=True)
    ):
        if size % count:
            raise ValueError(
                f"One of jit outputs was given the sharding of {sharding}, which implies that the "
                f"global size of its dimension {dim} should be divisible by {count}, but it is "
                f"equal to {size}, got: {what} of shape {shape} {here()}"
            )
