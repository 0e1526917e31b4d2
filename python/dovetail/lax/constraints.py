"""Sharding and layout constraints on arrays within programs."""

from __future__ import annotations

from typing import Any

from dovetail.base.errors import value_error
from dovetail.base.locations import here
from dovetail.ops.operands import as_operand
from dovetail.placement.mesh_contexts import get_abstract_mesh
from dovetail.placement.meshes import AxisType, entered_mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P, axes_of
from dovetail.placement.platforms import no_mesh
from dovetail.placement.shardings import Sharding
from dovetail.placement.type_shardings import check_not_manual
from dovetail.programs.constraints import constrained
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """The arrays themselves, with the constraint that they be where the sharding states.

    Args:
      x: a tree of arrays.
      shardings: a sharding, a `PartitionSpec` over the mesh of `set_mesh` or of `with mesh:`, or a
        tree of them that is a prefix of `x`.

    Returns:
      The same tree, committed to the devices. A jitted function runs on them, with these arrays
      sharded so; dimensions that do not divide are not.

    Raises:
      TypeError: something else than a sharding.
      RuntimeError: a `PartitionSpec` is given without a mesh.
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
    return unflatten(spec, [_constrained(name, leaf, sharding) for leaf, sharding in pairs])


def _constrained(name: str, leaf: Any, sharding: Any) -> Any:
    context = get_abstract_mesh()
    if isinstance(sharding, P) and (context.explicit_axes or context.manual_axes):
        sharding = NamedSharding(context, sharding)
    elif isinstance(sharding, P) and context.empty and entered_mesh.value is not None:
        sharding = NamedSharding(entered_mesh.value, sharding)
    if isinstance(sharding, P) and context.empty:
        raise no_mesh(name, "shardings", sharding)
    check_not_manual(sharding, name)
    if not isinstance(sharding, NamedSharding) or not sharding.mesh.explicit_axes:
        return constrained(name, leaf, sharding)
    if context.are_all_axes_explicit:
        array = as_operand(name, leaf)
        has, wanted = array.aval.sharding.spec, sharding.padded(array.ndim).spec
        if any(a != b for a, b in zip(has, wanted, strict=True) if b is not P.UNCONSTRAINED):
            raise AssertionError(
                "`with_sharding_constraint` acts as an assert when all axes of mesh are of type "
                f"`Explicit`. The array sharding: {has} did not match the sharding provided: "
                f"{wanted}. Please use `dovetail.sharding.reshard` to shard your input to the "
                f"sharding you want. {here()}"
            )
        return array
    if any(sharding.mesh.type_of[axis] is not AxisType.Auto for axis in sharding.spec.axes):
        raise value_error(
            "The spec of NamedSharding passed to with_sharding_constraint can only refer to Auto "
            f"axes of the mesh. Got spec={sharding.spec} and mesh={sharding.mesh.abstract_mesh}. "
            "You probably meant to use `reshard` API?"
        )
    array = as_operand(name, leaf)
    pairs = zip(array.aval.sharding.spec, sharding.padded(array.ndim).spec, strict=True)
    # The explicit axes of the type remain.
    spec = P(*[b if b is P.UNCONSTRAINED else (*axes_of(a), *axes_of(b)) for a, b in pairs])
    return constrained(name, array, sharding.update(spec=spec))
