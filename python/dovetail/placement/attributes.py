"""Meshes and shardings as attributes of the dialect."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from dovetail import _core
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import UNCONSTRAINED, P, axes_of

# The axes of a sharding, by their names in the dialect: those over which each dimension is sharded,
# those over which sums are left to do, and those over which sums of cotangents are.
Axes = tuple[Sequence[Sequence[str]], Sequence[str], Sequence[str]]


def axis_texts(mesh: Mesh | AbstractMesh) -> list[str]:
    """The names of a mesh's axes in the dialect."""
    return [name if isinstance(name, str) else repr(name) for name in mesh.axis_names]


def explicit_texts(mesh: Mesh | AbstractMesh) -> tuple[str, ...]:
    """The names in the dialect of the axes over which shardings are parts of types."""
    texts = zip(mesh.axis_names, axis_texts(mesh), strict=True)
    return tuple(text for axis, text in texts if axis in mesh.explicit_axes)


def mesh_attribute(mesh: Mesh | AbstractMesh) -> _core.MeshAttribute:
    """A mesh in the dialect."""
    return _core.MeshAttribute(axis_texts(mesh), list(mesh.axis_sizes))


def spec_attribute(
    mesh: _core.MeshAttribute,
    spec: P,
    rank: int,
    text_of: Mapping[Hashable, str],
    are_open: bool = False,
) -> _core.ShardingAttribute:
    """The sharding of arrays of a rank in the dialect; unconstrained dimensions are open.

    Args:
      mesh: the mesh.
      spec: the axes over which each dimension is partitioned.
      rank: the number of dimensions.
      text_of: the names of axes in the dialect.
      are_open: whether dimensions may be sharded further.
    """
    entries = [*spec.partitions, *[None] * (rank - len(spec))]
    is_open = [entry is UNCONSTRAINED for entry in entries]
    dims = [
        [] if free else [text_of[axis] for axis in axes_of(entry)]
        for entry, free in zip(entries, is_open, strict=True)
    ]
    open_dims = [are_open or free for free in is_open]
    unreduced, reduced = ([t for a, t in text_of.items() if a in axes] for axes in spec.sums)
    return _core.ShardingAttribute(mesh, dims, open_dims, unreduced, reduced)


def sharding_attribute(
    sharding: NamedSharding, rank: int, are_open: bool = False
) -> _core.ShardingAttribute:
    """The same for a sharding over a mesh."""
    mesh = sharding.mesh
    text_of = dict(zip(mesh.axis_names, axis_texts(mesh), strict=True))
    return spec_attribute(mesh_attribute(mesh), sharding.spec, rank, text_of, are_open)


def reshard_attributes(
    sharding: NamedSharding, rank: int, are_open: bool = False, memory: str | None = None
) -> dict[str, Any]:
    """The attributes of the op that moves arrays to a sharding.

    Args:
      sharding: the sharding.
      rank: the rank of the arrays.
      are_open: whether dimensions may be sharded further, over axes that are not explicit.
      memory: the memory that they are moved to, if any.
    """
    attributes: dict[str, Any] = {"sharding": sharding_attribute(sharding, rank, are_open)}
    if are_open and (closed := explicit_texts(sharding.mesh)):
        attributes["closed"] = closed
    if memory is not None:
        attributes["memory"] = memory
    return attributes


def named_sharding_of(attribute: _core.ShardingAttribute) -> NamedSharding:
    """A sharding of the dialect, over an abstract mesh."""
    names, sizes = attribute.mesh
    dims, _, _ = attribute.axes
    return named_sharding(AbstractMesh(tuple(sizes), tuple(names)), attribute.axes, len(dims))


def named_sharding(mesh: Mesh | AbstractMesh, axes: Axes, ndim: int | None = None) -> NamedSharding:
    """The sharding over these axes, with an entry for each of `ndim` dimensions, or for those up to
    the last one that is sharded.

    >>> from dovetail.sharding import AbstractMesh
    >>> named_sharding(AbstractMesh((2, 4), ("x", "y")), ([["y", "x"], []], [], [])).spec
    P(('y', 'x'),)
    """
    dims, *sums = axes
    name_of = dict(zip(axis_texts(mesh), mesh.axis_names, strict=True))
    entries = [tuple(name_of[text] for text in texts) for texts in dims]
    while ndim is None and entries and not entries[-1]:
        entries.pop()
    unreduced, reduced = ({name_of[text] for text in texts} for texts in sums)
    return NamedSharding(mesh, P(*entries, unreduced=unreduced, reduced=reduced))
