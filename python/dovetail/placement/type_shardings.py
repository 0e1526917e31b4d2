"""Shardings as parts of the types of arrays: those over the explicit axes of a mesh."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Set
from typing import Any

from dovetail.placement.attributes import Dims, axis_texts
from dovetail.placement.mesh_contexts import get_abstract_mesh
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


def spec_over(spec: P, axes: Set[Hashable], ndim: int) -> P:
    """The part of a spec over some axes, with one entry for each dimension."""
    kept = [tuple(a for a in axes_of(entry) if a in axes) for entry in spec.partitions]
    return P(*[entry or None for entry in kept], *[None] * (ndim - len(kept)))


def without_axes(ndim: int) -> NamedSharding:
    """The sharding in the type of an array that is not sharded, over the mesh of the context."""
    return NamedSharding(get_abstract_mesh(), P(*[None] * ndim))


def named(mesh: AbstractMesh, dims: Dims | None, ndim: int) -> NamedSharding:
    """The sharding over these axes of each dimension, by their names in the dialect."""
    if dims is None:
        return NamedSharding(mesh, P(*[None] * ndim))
    name_of = dict(zip(axis_texts(mesh), mesh.axis_names, strict=True))
    return NamedSharding(mesh, P(*[tuple(name_of[text] for text in texts) for texts in dims]))


def with_dim(sharding: NamedSharding | None, dim: int, entry: Any = None) -> NamedSharding | None:
    """The sharding in a type with one dimension more, at a position, and its entry."""
    if sharding is None:
        return None
    entries = list(sharding.spec.partitions)
    return sharding.update(spec=P(*entries[:dim], entry, *entries[dim:]))


def without_dim(sharding: NamedSharding | None, dim: int) -> NamedSharding | None:
    """The sharding in a type without a dimension."""
    if sharding is None:
        return None
    entries = list(sharding.spec.partitions)
    return sharding.update(spec=P(*entries[:dim], *entries[dim + 1 :]))


def explicit_mesh(mesh: Mesh | AbstractMesh | None) -> AbstractMesh | None:
    """The axes of a mesh, if the shardings over some of them are parts of types."""
    return mesh.abstract_mesh if mesh is not None and mesh.explicit_axes else None
