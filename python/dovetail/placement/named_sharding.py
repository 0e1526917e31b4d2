"""Shardings over the named axes of a mesh."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.base.errors import here, type_error, value_error
from dovetail.placement.devices import MEMORY_KINDS, Device, one_of
from dovetail.placement.meshes import AbstractMesh, AxisType, Mesh, NamedAxes
from dovetail.placement.partition_spec import UNCONSTRAINED, P, axes_of
from dovetail.placement.shardings import Sharding, Tiling, memory_of


class DuplicateSpecError(ValueError):
    """A partition spec names an axis twice."""


@dataclass(frozen=True, init=False, repr=False)
class NamedSharding(Sharding):
    """Dimensions are cut into tiles along the axes of a mesh.

    Args:
      mesh: a `Mesh`, or an `AbstractMesh` for a sharding on no devices in particular.
      spec: the axes over which each dimension is partitioned, a `PartitionSpec`.
      memory_kind: which of the devices' memories; by default "device".

    Raises:
      TypeError: something else than a mesh and a `PartitionSpec`.
      ValueError: the spec has an axis that the mesh does not have, or one twice, or there is no
        such memory.

    Example:
      >>> import dovetail as dt
      >>> mesh = dt.make_mesh((1,), ("data",))
      >>> sharding = NamedSharding(mesh, dt.P("data"))
      >>> sharding.spec, sharding.shard_shape((4, 3))
      (P('data',), (4, 3))
    """

    mesh: Mesh | AbstractMesh
    spec: P
    memory_kind: str | None

    def __init__(self, mesh: Mesh | AbstractMesh, spec: P, memory_kind: str | None = None) -> None:
        if not isinstance(mesh, NamedAxes):
            raise type_error(f"NamedSharding: mesh must be a Mesh, got: {mesh!r}")
        if not isinstance(spec, P):
            raise type_error(
                f"NamedSharding: spec must be a PartitionSpec, such as P('x'), got: {spec!r}"
            )
        check_spec(mesh, spec)
        if isinstance(mesh, Mesh) and not mesh.empty:
            memory_kind = memory_of(memory_kind, mesh.flat_devices)
        elif memory_kind not in (None, *MEMORY_KINDS):
            raise value_error(
                f"Got invalid memory kind: memory_kind must be {one_of(MEMORY_KINDS)}, "
                f"got: {memory_kind!r}"
            )
        for name, value in (("mesh", mesh), ("spec", spec), ("memory_kind", memory_kind)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        memory = "" if self.memory_kind is None else f", memory_kind={self.memory_kind}"
        return f"NamedSharding(mesh={self.mesh!s}, spec={self.spec}{memory})"

    @property
    def _device_assignment(self) -> tuple[Device, ...]:
        return self._concrete("_device_assignment").flat_devices

    @property
    def _addressable_device_assignment(self) -> tuple[Device, ...]:
        mesh = self._concrete("addressable_devices")
        return tuple(mesh.local_devices) if mesh.is_multi_process else mesh.flat_devices

    def _concrete(self, what: str) -> Mesh:
        if not isinstance(self.mesh, Mesh):
            raise value_error(
                f"{what} is not implemented for `dovetail.sharding.AbstractMesh`, got: {self}"
            )
        return self.mesh

    def _tiling(self, ndim: int) -> Tiling:
        return _tiling(self.mesh, self.spec, ndim)

    @property
    def has_terms(self) -> bool:
        """True if devices hold terms of a sum that is left to do."""
        return bool(self.spec.unreduced)

    def _terms(self) -> Sequence[int]:
        sizes, names = self.mesh.axis_sizes, self.mesh.axis_names
        numbers = np.zeros(self.mesh.size, int)
        for axis, along in zip(names, np.indices(sizes).reshape(len(sizes), -1), strict=True):
            if axis in self.spec.unreduced:
                numbers = numbers * self.mesh.shape[axis] + along
        return numbers.tolist()

    @property
    def device_set(self) -> set[Device]:
        """The devices that hold elements."""
        return set(self._concrete("device_set").flat_devices)

    @property
    def num_devices(self) -> int:
        """The number of devices."""
        return self.mesh.size

    @property
    def is_fully_addressable(self) -> bool:
        """True if this process can address all of the devices."""
        return not self._concrete("is_fully_addressable").is_multi_process

    @property
    def is_fully_replicated(self) -> bool:
        """True if every device holds all elements."""
        if self.mesh.size == 1:
            return True
        return not self.spec.unreduced and all(self.mesh.shape[a] == 1 for a in self.spec.axes)

    @property
    def replicated_axes(self) -> frozenset[Any]:
        """The axes of the mesh along which devices hold the same elements."""
        spec = self.spec
        return frozenset(self.mesh.axis_names) - {*spec.axes} - spec.unreduced - spec.reduced

    @property
    def is_explicit(self) -> bool:
        """True if it is part of the types of arrays: over a mesh with axes of type `Explicit`."""
        return bool(self.mesh.explicit_axes)

    def replicated(self) -> NamedSharding:
        """The sharding over the same mesh in which each device holds all elements."""
        return self if self.spec == P() else NamedSharding(self.mesh, P(), self.memory_kind)

    def update(self, **kwargs: Any) -> NamedSharding:
        """A copy with another `mesh`, `spec` or `memory_kind`."""
        fields = {"mesh": self.mesh, "spec": self.spec, "memory_kind": self.memory_kind} | kwargs
        if not isinstance(fields["spec"], P):
            fields["spec"] = P(*fields["spec"])
        return NamedSharding(**fields)

    def padded(self, ndim: int) -> NamedSharding:
        """The same for arrays of a rank, with an entry for each dimension, as in their types."""
        return self.update(spec=self.spec + P(*[None] * (ndim - len(self.spec))))

    def with_memory_kind(self, kind: str) -> NamedSharding:
        """The same in another memory."""
        return self.update(memory_kind=kind)

    def check_compatible_aval(self, aval_shape: Sequence[int]) -> None:
        """Check that an array of a shape has as many dimensions as the spec partitions.

        Raises:
          ValueError: it has fewer.
        """
        check_rank(self, self.spec, len(aval_shape))

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """True if both put the same elements of arrays of a rank on the same devices."""
        if isinstance(other, NamedSharding):
            if self.spec.unreduced != other.spec.unreduced:
                return False
            are_abstract = {isinstance(s.mesh, AbstractMesh) for s in (self, other)}
            if True in are_abstract:
                same = self._tiling(ndim) == other._tiling(ndim)
                return len(are_abstract) == 1 and same and self.memory_kind == other.memory_kind
        return super().is_equivalent_to(other, ndim)


@functools.lru_cache(4096)
def _tiling(mesh: Mesh | AbstractMesh, spec: P, ndim: int) -> Tiling:
    sizes = mesh.axis_sizes
    # The place of each device along each axis.
    along = dict(zip(mesh.axis_names, np.indices(sizes).reshape(len(sizes), -1), strict=True))
    counts = [1] * ndim
    tiles = np.zeros((ndim, mesh.size), int)
    for dim, entry in enumerate(spec.partitions):
        for axis in axes_of(entry):
            counts[dim] *= mesh.shape[axis]
            tiles[dim] = tiles[dim] * mesh.shape[axis] + along[axis]
    return Tiling(tuple(counts), tuple(map(tuple, tiles.T.tolist())))


def check_rank(sharding: NamedSharding | P, spec: P, rank: int) -> None:
    """Check that arrays of a rank have as many dimensions as a spec partitions.

    Args:
      sharding: what has the spec, for messages.

    Raises:
      ValueError: they have fewer.
    """
    if rank < len(spec):
        scalar = ". For scalars the PartitionSpec should be P()" if rank == 0 else ""
        raise value_error(
            f"Sharding {sharding} is only valid for values of rank at least {len(spec)}, but was "
            f"applied to a value of rank {rank}{scalar}"
        )


@functools.lru_cache(4096)
def check_spec(mesh: Mesh | AbstractMesh, spec: P) -> None:
    """Check a partition spec for a mesh.

    Raises:
      DuplicateSpecError: it has an axis twice.
      ValueError: it has an axis that the mesh does not have, or one of a type that cannot be used
        so.
    """
    repeated = [axis for axis, count in Counter(spec.axes).items() if count > 1]
    if repeated:
        raise DuplicateSpecError(
            "A single NamedSharding spec specification can map every mesh axis to at most one "
            f"positional dimension, but {spec} has duplicate entries for "
            f"{', '.join(f'`{axis}`' for axis in sorted(map(str, repeated)))}, {here()}"
        )
    for axis in spec.axes:
        if axis not in mesh.axis_names:
            raise value_error(
                f"Resource axis: {axis} of {spec} is not found in mesh: {mesh.axis_names}"
            )
    if UNCONSTRAINED in spec.partitions and not mesh.auto_axes:
        raise value_error(
            f"{spec} cannot contain `P.UNCONSTRAINED` when no mesh axis_types are `Auto`, got: "
            f"{mesh.axis_types}"
        )
    for what, axes in (("Unreduced", spec.unreduced), ("Reduced", spec.reduced)):
        for axis in sorted(axes, key=str):
            if axis not in mesh.axis_names:
                raise value_error(
                    f"{what} axes {axis} is not found in mesh: {mesh.axis_names}, got: {spec}"
                )
            if mesh.type_of[axis] is not AxisType.Explicit:
                raise value_error(
                    f"{what} axes can only refer to mesh axes that is of type `Explicit`, got: "
                    f"{set(axes)} of {mesh!s}"
                )
