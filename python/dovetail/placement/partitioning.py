"""Requests for the program of one of several devices, which the phase `shard` makes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dovetail import _core
from dovetail.placement.attributes import mesh_attribute, named_sharding, sharding_attribute
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.shardings import Place, Sharding


class Partition(NamedTuple):
    """The program of one device of a mesh.

    Attributes:
      module: its module after the phase that made it, or a later one.
      arguments: the shardings of the arguments of all devices' program.
      results: those of its results.
    """

    module: _core.Module
    arguments: tuple[NamedSharding, ...]
    results: tuple[NamedSharding, ...]


def mesh_of(place: Place | None) -> Mesh | None:
    """The mesh over whose devices a program at a place is partitioned; None if it runs on one."""
    sharding = None if place is None else place.sharding
    if not isinstance(sharding, NamedSharding) or not isinstance(sharding.mesh, Mesh):
        return None
    mesh = sharding.mesh
    is_cpu = all(device.platform == "cpu" for device in mesh.flat_devices)
    return mesh if mesh.size > 1 and is_cpu else None


def request(
    module: _core.Module, mesh: Mesh | AbstractMesh, shardings: Sequence[Sharding | None]
) -> None:
    """Ask the phase `shard` for the program of one device.

    Args:
      module: the program.
      mesh: the mesh.
      shardings: those of the arguments; None for one that may get any.
    """

    def stated(sharding: Sharding | None, rank: int) -> _core.ShardingAttribute | None:
        # An array that is sharded in another way is moved before the program runs.
        if not isinstance(sharding, NamedSharding) or sharding.mesh != mesh:
            return None
        return sharding_attribute(sharding, rank)

    ranks = [len(shape) for shape, _ in module.function("main").inputs]
    module.partition_over(
        mesh_attribute(mesh),
        [stated(each, rank) for each, rank in zip(shardings, ranks, strict=True)],
    )


@contextlib.contextmanager
def over(mesh: Mesh | AbstractMesh | None) -> Iterator[None]:
    """While phases run on a program that is partitioned, its rules are asked about this mesh."""
    outer = getattr(_in_progress, "mesh", None)
    _in_progress.mesh = mesh
    try:
        yield
    finally:
        _in_progress.mesh = outer


def stated_sharding(attribute: _core.ShardingAttribute) -> NamedSharding:
    """A sharding of the dialect, over the mesh of the program that is partitioned."""
    names, sizes = attribute.mesh
    mesh = getattr(_in_progress, "mesh", None)
    if mesh is None:
        mesh = AbstractMesh(tuple(sizes), tuple(names))
    dims, _, _ = attribute.axes
    return named_sharding(mesh, attribute.axes, len(dims))


_in_progress = threading.local()


def partition(module: _core.Module, mesh: Mesh | AbstractMesh) -> Partition | None:
    """The program of one device, if the phase `shard` made it; None if it could not."""
    found = module.shardings()
    if found is None:
        return None
    arguments, results = (tuple(named_sharding(mesh, axes) for axes in each) for each in found)
    return Partition(module, arguments, results)
