"""Meshes and shardings as attributes of the dialect."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from dovetail import _core
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import UNCONSTRAINED, P, axes_of

# The axes over which each dimension is sharded, by their names in the dialect.
Dims = Sequence[Sequence[str]]


def axis_texts(mesh: Mesh | AbstractMesh) -> list[str]:
    """The names of a mesh's axes in the dialect."""
    return [name if isinstance(name, str) else repr(name) for name in mesh.axis_names]


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
    return _core.ShardingAttribute(mesh, dims, [are_open or free for free in is_open])


def sharding_attribute(
    sharding: NamedSharding, rank: int, are_open: bool = False
) -> _core.ShardingAttribute:
    """The same for a sharding over a mesh."""
    mesh = sharding.mesh
    text_of = dict(zip(mesh.axis_names, axis_texts(mesh), strict=True))
    return spec_attribute(mesh_attribute(mesh), sharding.spec, rank, text_of, are_open)


def named_sharding(mesh: Mesh | AbstractMesh, dims: Dims) -> NamedSharding:
    """The sharding over these axes of each dimension.

    >>> from dovetail.sharding import AbstractMesh
    >>> named_sharding(AbstractMesh((2, 4), ("x", "y")), [["y", "x"], []]).spec
    P(('y', 'x'),)
    """
    name_of = dict(zip(axis_texts(mesh), mesh.axis_names, strict=True))
    entries = [tuple(name_of[text] for text in texts) for texts in dims]
    while entries and not entries[-1]:
        entries.pop()
    return NamedSharding(
        mesh, P(*[axes[0] if len(axes) == 1 else axes or None for axes in entries])
    )
