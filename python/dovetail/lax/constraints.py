"""Sharding and layout constraints on arrays within programs."""

from __future__ import annotations

from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.shardings import Sharding, incompatible, place_on
from dovetail.programs.transfers import put
from dovetail.tracing.trace import Tracer
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """The arrays themselves, with the constraint that they be where the sharding states.

    Args:
      x: a tree of arrays.
      shardings: a sharding on one device, or a tree of them that is a prefix of `x`.

    Returns:
      The same tree, committed to the device. A jitted function runs there as a whole.

    Raises:
      TypeError: something other than a sharding.
      ValueError: there is no sharding, or an array is committed to another device.

    Example:
      >>> x = with_sharding_constraint(dnp.arange(3), dnp.zeros(3).sharding)
      >>> x, x.committed
      (Array([0, 1, 2], dtype=int32), True)
    """
    leaves, spec = flatten(x)
    if isinstance(shardings, Sharding):
        wanted = [shardings] * len(leaves)
    else:
        wanted = broadcast_prefix(shardings, x, "with_sharding_constraint: shardings")
    return unflatten(spec, list(map(_constrained, leaves, wanted)))


def _constrained(leaf: Any, sharding: Any) -> Any:
    name = "with_sharding_constraint"
    if sharding is None:
        raise value_error(f"{name}: a sharding must be given, got: None")
    if not isinstance(sharding, Sharding):
        raise type_error(
            f"{name}: shardings must be of dovetail.sharding, such as SingleDeviceSharding(device),"
            f" got: {sharding!r}"
        )
    array, device = as_operand(name, leaf), platforms.device_meant(sharding)
    if type(array) is Tracer:
        array._trace.root.commit_to(place_on(device, True))
    elif array.committed and array.device != device:
        raise incompatible(f"{name}: the array and its sharding", f"{array.device} and {device}")
    return put(array, device)
