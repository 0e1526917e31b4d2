"""Sharding and layout constraints on arrays within programs."""

from __future__ import annotations

from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Sharding, incompatible, place_of
from dovetail.programs.transfers import put
from dovetail.tracing.trace import Tracer
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """The arrays themselves, with the constraint that they be where the sharding states.

    Args:
      x: a tree of arrays.
      shardings: a sharding, a `PartitionSpec` over the mesh of `set_mesh`, or a tree of them that
        is a prefix of `x`.

    Returns:
      The same tree, committed to the devices. A jitted function runs there as a whole.

    Raises:
      TypeError: something else than a sharding.
      ValueError: there is no sharding, it is for arrays of a higher rank, or an array is committed
        to other devices.

    Example:
      >>> x = with_sharding_constraint(dnp.arange(3), dnp.zeros(3).sharding)
      >>> x, x.committed
      (Array([0, 1, 2], dtype=int32), True)
    """
    leaves, spec = flatten(x)
    if isinstance(shardings, (Sharding, P)):
        wanted = [shardings] * len(leaves)
    else:
        wanted = broadcast_prefix(shardings, x, "with_sharding_constraint: shardings")
    return unflatten(spec, list(map(_constrained, leaves, wanted)))


def _constrained(leaf: Any, sharding: Any) -> Any:
    name = "with_sharding_constraint"
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
