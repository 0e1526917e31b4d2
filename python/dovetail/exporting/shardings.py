"""How the arguments and results of an exported function are sharded, over axes without devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.placement.device_meshes import with_devices
from dovetail.placement.meshes import AbstractMesh, AxisType, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Place, Sharding
from dovetail.programs.program import Program
from dovetail.tracing.trace import Operand, Tracer

Shardings = tuple[NamedSharding | None, ...]


class Layout(NamedTuple):
    """On how many devices an exported function runs, and how.

    Attributes:
      devices: the number of devices.
      arguments, results: the shardings of their leaves; None for any.
    """

    devices: int
    arguments: Shardings
    results: Shardings

    def over(self, place: Place | None, name: str) -> Layout:
        """The same over the devices that a call runs on; nothing is stated where these are not
        known, or the function was exported for one.

        Args:
          place: the devices; None for those that are not known.
          name: the function's name, for messages.

        Raises:
          ValueError: there are not as many.
        """
        if self.devices == 1 or place is None:
            return Layout(self.devices, (), ())
        count = place.sharding.num_devices
        if count != self.devices:
            raise value_error(
                f"Function {name} was exported for {self.devices} devices and is called in a "
                f"context with {count} devices, which is not allowed. Put its arguments on as "
                f"many, as `in_shardings_jax` states, got: {place}"
            )
        devices = place.sharding._device_assignment

        def moved(sharding: NamedSharding) -> NamedSharding:
            return sharding.update(mesh=with_devices(sharding.mesh, devices))

        return Layout(self.devices, _each(self.arguments, moved), _each(self.results, moved))

    def of_vjp(self, arguments: Sequence[ShapedArray], results: Sequence[ShapedArray]) -> Layout:
        """That of the function of the arguments and cotangents of the results, of these types:
        cotangents are sharded as results are, and are whole if that is not stated. Integers have
        none.
        """
        stated = next((s for s in (*self.arguments, *self.results) if s is not None), None)
        cotangents = [
            NamedSharding(stated.mesh, P(*[None] * aval.ndim), stated.memory_kind)
            if each is None and stated is not None
            else each
            for each, aval in _varying(self.results, results)
        ]
        pulled_back = tuple(each for each, _ in _varying(self.arguments, arguments))
        return Layout(self.devices, (*self.arguments, *cotangents), pulled_back)

    def encoded(self) -> dict[str, Any]:
        """The same as JSON data."""
        return {
            "devices": self.devices,
            "in_shardings": list(map(_encoded, self.arguments)),
            "out_shardings": list(map(_encoded, self.results)),
        }

    @classmethod
    def decoded(cls, notes: Mapping[str, Any]) -> Layout:
        """The inverse, of data that may have no shardings."""
        arguments = notes.get("in_shardings", [None] * len(notes["in_avals"]))
        results = notes.get("out_shardings", [None] * len(notes["out_avals"]))
        return cls(
            notes.get("devices", 1), tuple(map(_decoded, arguments)), tuple(map(_decoded, results))
        )


def _varying(
    shardings: Shardings, avals: Sequence[ShapedArray]
) -> list[tuple[NamedSharding | None, ShapedArray]]:
    pairs = zip(shardings, avals, strict=True)
    return [(each, aval) for each, aval in pairs if dtypes.is_inexact(aval.dtype)]


def over_mesh(shardings: Shardings, mesh: Mesh | AbstractMesh | None) -> Shardings:
    """The same over a mesh with the same axes; over axes without devices for None.

    Raises:
      ValueError: it has others.
    """
    if mesh is None:
        return shardings
    axes = mesh.axis_names, mesh.axis_sizes, mesh.axis_types

    def moved(sharding: NamedSharding) -> NamedSharding:
        own = sharding.mesh
        if axes != (own.axis_names, own.axis_sizes, own.axis_types):
            raise value_error(
                f"NamedSharding new mesh {mesh!s} does not match the mesh used for export {own!s}. "
                "Its axes must have the same names, sizes and types, got: others"
            )
        return sharding.update(mesh=mesh)

    return _each(shardings, moved)


def _each(shardings: Shardings, change: Callable[[NamedSharding], NamedSharding]) -> Shardings:
    return tuple(None if each is None else change(each) for each in shardings)


def layout_of(program: Program) -> Layout:
    """That of a program."""
    count = len(program.avals)
    stated = [*program.stated_results, *[None] * (count - len(program.stated_results))]
    results = [each or aval.explicit for each, aval in zip(stated, program.avals, strict=True)]
    arguments = program.shardings[: len(program.signature.avals)]
    arguments = (*arguments, *[None] * (len(program.signature.avals) - len(arguments)))
    return Layout(
        len(program.devices), tuple(map(_abstract, arguments)), tuple(map(_abstract, results))
    )


def constrained_all(
    operands: Sequence[Operand], shardings: Sequence[Sharding | None]
) -> list[Operand]:
    """Values with the constraints that they be sharded so; those without an entry as they are."""
    stated = [*shardings, *[None] * (len(operands) - len(shardings))]
    return [
        operand._constrained(sharding, sharding.memory_kind)
        if sharding is not None and type(operand) is Tracer
        else operand
        for operand, sharding in zip(operands, stated, strict=True)
    ]


def _abstract(sharding: Sharding | None) -> NamedSharding | None:
    if not isinstance(sharding, NamedSharding):
        return None
    return sharding.update(
        mesh=sharding.mesh.abstract_mesh, memory_kind=sharding.memory_kind or "device"
    )


def _encoded(sharding: NamedSharding | None) -> Any:
    if sharding is None:
        return None
    mesh, spec = sharding.mesh, sharding.spec
    return {
        "axes": [
            [name, size, kind.name]
            for name, size, kind in zip(
                mesh.axis_names, mesh.axis_sizes, mesh.axis_types, strict=True
            )
        ],
        "spec": [list(e) if isinstance(e, tuple) else e for e in spec.partitions],
        "unreduced": sorted(spec.unreduced, key=str),
        "reduced": sorted(spec.reduced, key=str),
        "memory": sharding.memory_kind,
    }


def _decoded(data: Any) -> NamedSharding | None:
    if data is None:
        return None
    names, sizes, kinds = zip(*data["axes"], strict=True)
    mesh = AbstractMesh(sizes, names, tuple(AxisType[kind] for kind in kinds))
    entries = [tuple(e) if isinstance(e, list) else e for e in data["spec"]]
    spec = P(*entries, unreduced=frozenset(data["unreduced"]), reduced=frozenset(data["reduced"]))
    return NamedSharding(mesh, spec, data["memory"])
