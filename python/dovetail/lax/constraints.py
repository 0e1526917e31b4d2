"""Sharding and layout constraints on arrays within programs."""

from __future__ import annotations

from typing import Any

from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Sharding
from dovetail.programs.constraints import constrained
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """The arrays themselves, with the constraint that they be where the sharding states.

    Args:
      x: a tree of arrays.
      shardings: a sharding, a `PartitionSpec` over the mesh of `set_mesh`, or a tree of them that
        is a prefix of `x`.

    Returns:
      The same tree, committed to the devices. A jitted function runs on them, with these arrays
      sharded so; dimensions that do not divide are not.

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
    name = "with_sharding_constraint"
    pairs = zip(leaves, wanted, strict=True)
    return unflatten(spec, [constrained(name, leaf, sharding) for leaf, sharding in pairs])
