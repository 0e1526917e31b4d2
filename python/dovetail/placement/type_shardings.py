"""Shardings as parts of the types of arrays: those over the explicit axes of a mesh."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence, Set
from typing import Any

from dovetail.base.errors import value_error
from dovetail.placement.attributes import Axes, named_sharding
from dovetail.placement.mesh_contexts import context_mesh, get_abstract_mesh
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P, axes_of
from dovetail.placement.shardings import Sharding


@functools.lru_cache(4096)
def type_sharding(sharding: Sharding, ndim: int) -> NamedSharding | None:
    """The sharding in the type of arrays of a rank that are sharded so; None over no explicit axes.

    >>> from dovetail.sharding import AbstractMesh, AxisType
    >>> mesh = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit, AxisType.Auto))
    >>> type_sharding(NamedSharding(mesh, P("x", "y")), 2).spec
    P('x', None)
    """
    if not isinstance(sharding, NamedSharding) or not sharding.mesh.explicit_axes:
        return None
    mesh = sharding.mesh.abstract_mesh
    return NamedSharding(mesh, spec_over(sharding.spec, {*mesh.explicit_axes}, ndim))


def typed(sharding: NamedSharding, stated: NamedSharding) -> NamedSharding:
    """The sharding of an array with what its type says: the types of the mesh's axes and, if some
    are explicit, the axes over which sums of cotangents are left to do. It has an entry for each
    dimension if it is over explicit axes only.

    Args:
      sharding: how the array is sharded over all axes.
      stated: the sharding in its type.
    """
    types, mesh = stated.mesh, sharding.mesh
    if types.shape_tuple == mesh.shape_tuple and types.axis_types != mesh.axis_types:
        sharding = sharding.update(mesh=mesh.update(axis_types=types.axis_types))
    if not types.explicit_axes:
        return sharding
    spec = sharding.spec.update(reduced=stated.spec.reduced)
    if {*spec.axes} <= {*types.explicit_axes}:
        spec = spec.update([*spec.partitions, *[None] * (len(stated.spec) - len(spec))])
    return sharding.update(spec=spec)


def spec_over(spec: P, axes: Set[Hashable], ndim: int) -> P:
    """The part of a spec over some axes, with one entry for each dimension."""
    kept = [tuple(a for a in axes_of(entry) if a in axes) for entry in spec.partitions]
    entries = [*kept, *[None] * (ndim - len(kept))]
    return spec.update(entries, spec.unreduced & axes, spec.reduced & axes)


def without_axes(ndim: int, mesh: AbstractMesh | None = None) -> NamedSharding:
    """The sharding in the type of an array that is not sharded; by default over the mesh of the
    context.
    """
    return NamedSharding(get_abstract_mesh() if mesh is None else mesh, P(*[None] * ndim))


def named(mesh: AbstractMesh, axes: Axes | None, ndim: int) -> NamedSharding:
    """The sharding over these axes, as in the dialect, with an entry for each dimension."""
    return named_sharding(mesh, ([()] * ndim, (), ()) if axes is None else axes, ndim)


def named_by_context(spec: P, name: str) -> NamedSharding:
    """The sharding of a spec over the mesh of the context.

    Raises:
      ValueError: there is no mesh.
    """
    mesh: Mesh | AbstractMesh = get_abstract_mesh()
    if mesh.empty:
        mesh = context_mesh()
    if mesh.empty:
        raise value_error(
            "Using PartitionSpec when you are not under a mesh context is not allowed. Please pass "
            "a NamedSharding instance or enter into a mesh context via `dovetail.set_mesh`. Got "
            f"{spec}, for {name}"
        )
    return NamedSharding(mesh, spec)


def on_context(sharding: NamedSharding, otherwise: Sharding | None = None) -> NamedSharding:
    """A sharding over axes on the devices of the mesh of the context, with its own types of axes;
    as it is, if that mesh has other axes.

    Args:
      sharding: the sharding.
      otherwise: one over the mesh that is meant if there is none in the context.
    """
    mesh: Mesh | AbstractMesh = context_mesh()
    if mesh.empty and isinstance(otherwise, NamedSharding):
        mesh = otherwise.mesh
    if isinstance(sharding.mesh, Mesh) or mesh.shape_tuple != sharding.mesh.shape_tuple:
        return sharding
    return sharding.update(mesh=mesh.update(axis_types=sharding.mesh.axis_types), memory_kind=None)


def check_not_manual(sharding: Any, name: str) -> None:
    """Check that a sharding is over no axis of whose parts the program in progress is.

    Args:
      name: the function that was given the sharding, for messages.

    Raises:
      ValueError: it is.
    """
    mesh = get_abstract_mesh()
    if isinstance(sharding, NamedSharding) and not {*sharding.spec.axes}.isdisjoint(
        mesh.manual_axes
    ):
        raise value_error(
            f"{name}: {sharding.spec} contains a manual axes of mesh {mesh}, over which shard_map "
            "has divided the arrays already"
        )


def with_dim(sharding: NamedSharding | None, dim: int, entry: Any = None) -> NamedSharding | None:
    """The sharding in a type with one dimension more, at a position, and its entry."""
    if sharding is None:
        return None
    entries = list(sharding.spec.partitions)
    return sharding.update(spec=sharding.spec.update([*entries[:dim], entry, *entries[dim:]]))


def without_dim(sharding: NamedSharding | None, dim: int) -> NamedSharding | None:
    """The sharding in a type without a dimension."""
    if sharding is None:
        return None
    entries = list(sharding.spec.partitions)
    return sharding.update(spec=sharding.spec.update([*entries[:dim], *entries[dim + 1 :]]))


def explicit_mesh(mesh: Mesh | AbstractMesh | None) -> AbstractMesh | None:
    """The axes of a mesh, if the shardings over some of them are parts of types."""
    return mesh.abstract_mesh if mesh is not None and mesh.explicit_axes else None


def mesh_of_results(
    name: str, context: AbstractMesh, operands: Sequence[AbstractMesh | None]
) -> AbstractMesh | None:
    """The mesh in the types of an op's results: that of the context, or else of the operands.

    Args:
      name: the op's name.
      context: the mesh of the context, an empty one if there is none.
      operands: the mesh in the type of each operand; None if nothing states one.

    Raises:
      ValueError: an operand's type is over explicit axes of another mesh than the context.
    """
    if context.empty:
        return next((mesh for mesh in operands if mesh is not None), None)
    # A reshard is from one to another, and functions of parts have their own rules.
    if name == "reshard" or context.manual_axes:
        return context
    for i, mesh in enumerate(operands):
        if mesh not in {None, context} and (explicit_mesh(mesh) or explicit_mesh(context)):
            raise value_error(
                f"For primitive {name}, context mesh {context} should match the aval mesh {mesh}, "
                f"got: operand {i}; `dovetail.sharding.reshard` moves it to the mesh of the context"
            )
    return context
