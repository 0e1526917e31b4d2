"""The axes of a mesh over which a function takes parts, and what its specs mean."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set
from typing import Any, NamedTuple

from dovetail import _core
from dovetail.arrays.array import Array, ArrayMethods, ShapedArray
from dovetail.base import errors
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.placement.attributes import spec_attribute
from dovetail.placement.mesh_contexts import context_mesh, get_abstract_mesh
from dovetail.placement.meshes import AbstractMesh, AxisType, Mesh
from dovetail.placement.named_sharding import NamedSharding, check_spec
from dovetail.placement.partition_spec import P, axes_of
from dovetail.placement.shardings import place_of
from dovetail.placement.type_shardings import spec_over, type_sharding
from dovetail.programs.transfers import put
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.arguments import LeafNames, ResultName
from dovetail.tracing.axes import Axis, manual_axis
from dovetail.tracing.trace import Operand, Trace
from dovetail.tracing.varying import PartTexts, part_texts, part_types_of
from dovetail.trees.pytree import flatten


def varying_over(spec: P) -> tuple[Hashable, ...]:
    """The axes along which parts may differ. Where devices have terms of a sum, each has its own; a
    value whose gradient is left to sum counts as one of each device, whose gradient is a term.
    """
    return *spec.axes, *spec.unreduced, *spec.reduced


class Manual(NamedTuple):
    """The axes of a mesh over which a function takes parts.

    Attributes:
      mesh: the mesh.
      bound: the axes, by the names that programs have for them.
      attribute: the mesh in the dialect.
      name: the function's name in messages.
      is_checked: whether to check that results are the same along an axis if they must be.
    """

    mesh: Mesh | AbstractMesh
    bound: dict[Hashable, Axis]
    attribute: _core.MeshAttribute
    name: str
    is_checked: bool

    @staticmethod
    def of(
        mesh: Mesh | AbstractMesh | None, names: Set[Hashable], function: str, is_checked: bool
    ) -> Manual:
        """The axes with these names, or all of the mesh's that are not manual already."""
        if mesh is None:
            mesh = get_abstract_mesh()
            if mesh.empty:
                mesh = context_mesh()
        if mesh.empty:
            raise ValueError(
                "The context mesh cannot be empty. Use `dovetail.set_mesh(mesh)` to enter into a "
                f"mesh context, or give shard_map a mesh, got: mesh=None for `{function}` {here()}"
            )
        outer = get_abstract_mesh().manual_axes
        taken = [name for name in names if name in outer]
        if taken:
            raise ValueError(
                f"shard_map axis_names must not be axes that are manual already, {outer!r}, got: "
                f"{taken[0]!r} for `{function}` {here()}"
            )
        names = names or {*mesh.axis_names} - {*outer}
        unknown = [name for name in names if name not in mesh.axis_names]
        if unknown:
            raise ValueError(
                f"shard_map axis_names must be axes of the mesh, {mesh.axis_names!r}, got: "
                f"{unknown[0]!r} for `{function}` {here()}"
            )
        texts = {name: manual_axis(name, mesh.shape[name], is_checked) for name in mesh.axis_names}
        attribute = _core.MeshAttribute(
            [axis.text for axis in texts.values()], [axis.size for axis in texts.values()]
        )
        bound = {name: axis for name, axis in texts.items() if name in names}
        return Manual(mesh, bound, attribute, function, is_checked)

    @property
    def inner_mesh(self) -> AbstractMesh:
        """The mesh within the function: the axes over which it takes parts are manual."""
        return self.mesh.abstract_mesh.update_axis_types(dict.fromkeys(self.bound, AxisType.Manual))

    def note_varying(
        self, trace: Trace | None, given: Sequence[P], operands: Sequence[Operand]
    ) -> None:
        """Note along which axes the arguments of the function that is traced vary, as parts of
        operands.
        """
        assert trace is not None
        trace.varying_arguments = [
            [
                [*outer, *own]
                for outer, own in zip(part_texts(x), self.part_texts(spec), strict=True)
            ]
            for spec, x in zip(given, operands, strict=True)
        ]

    def part_texts(self, spec: P) -> PartTexts:
        """How parts under a spec depend on the axes."""
        sets = (spec.axes, spec.unreduced, spec.reduced)
        return [[self.bound[name].text for name in names] for names in sets]

    @property
    def devices(self) -> Mesh | None:
        """The mesh with its devices, where they are known: that of the context for its axes."""
        if isinstance(self.mesh, Mesh):
            return self.mesh
        mesh = context_mesh()
        return mesh if mesh.shape_tuple == self.mesh.shape_tuple else None

    def commit(self) -> None:
        """Have the program in progress run on the devices of the mesh."""
        in_progress, mesh = current(), self.devices
        if in_progress is not None and mesh is not None and not mesh.empty:
            in_progress.root.commit_to(place_of(NamedSharding(mesh, P())))

    def placed(self, outs: Sequence[Operand], specs: Sequence[P]) -> Sequence[Operand]:
        """Results on the devices of the mesh; in a program in progress they are there already."""
        mesh = self.devices
        if current() is not None or mesh is None or mesh.empty:
            return outs
        pairs = zip(outs, specs, strict=True)
        return [
            out if self._is_placed(out, spec, mesh) else put(out, NamedSharding(mesh, spec))
            for out, spec in pairs
        ]

    def _is_placed(self, out: Any, spec: P, mesh: Mesh) -> bool:
        """Whether a result is sharded as its spec says, and further over other axes."""
        sharding = out.sharding if type(out) is Array else None
        if not isinstance(sharding, NamedSharding) or sharding.mesh != mesh:
            return False
        stated = {*self.bound, *mesh.explicit_axes}
        return not stated.issuperset(sharding.spec.axes) and (
            spec_over(sharding.spec, stated, out.ndim) == spec_over(spec, stated, out.ndim)
        )

    def check_specs(self, specs: Any, what: str) -> None:
        """Reject anything that is not a spec, and axes that are not manual."""
        for spec in flatten(specs)[0]:
            if not isinstance(spec, P):
                raise TypeError(
                    f"shard_map {what} argument must be a pytree of "
                    f"`dovetail.sharding.PartitionSpec` instances, got: {spec!r} for `{self.name}` "
                    f"{here()}"
                )
            for axis in varying_over(spec):
                if axis not in self.bound:
                    raise ValueError(
                        f"shard_map {what} argument must refer to an axis marked as manual "
                        f"({frozenset(self.bound)}), but:\n\n  {what} refers to {axis!r}, got: "
                        f"{spec} for `{self.name}` {here()}"
                    )
            check_spec(self.mesh, spec)

    def inferred_specs(self, args: tuple[Any, ...]) -> list[P]:
        """The specs that the shardings in the types of arguments state."""
        types = [self.mesh.type_of[axis] for axis in self.bound]
        if any(kind is not AxisType.Explicit for kind in types):
            raise TypeError(
                "shard_map in_specs argument must be a pytree of "
                "`dovetail.sharding.PartitionSpec` instances, but it was missing when "
                f"axis_names={tuple(self.bound)} are of type {types}, got: none for `{self.name}` "
                f"{here()}"
            )
        specs = []
        for leaf in flatten(args)[0]:
            sharding = leaf.aval.explicit if isinstance(leaf, ArrayMethods) else None
            if sharding is None or sharding.mesh.abstract_mesh != self.mesh.abstract_mesh:
                specs.append(P())
            else:
                specs.append(spec_over(sharding.spec, {*self.bound}, leaf.ndim))
        return specs

    def _axes(self, spec: P, rank: int) -> list[tuple[Axis, ...]]:
        """The axes over which each dimension is partitioned."""
        entries = [*spec.partitions, *[None] * (rank - len(spec))]
        return [tuple(self.bound[axis] for axis in axes_of(entry)) for entry in entries]

    def _counts(self, spec: P, aval: ShapedArray, what: str, where: str) -> list[int]:
        """The number of parts along each dimension of a value that `where` names."""
        rank = len(aval.shape)
        if len(spec) > rank:
            value = "input" if what == "in_specs" else "output"
            raise ValueError(
                f"shard_map applied to the function '{self.name}' was given an {what} entry which "
                f"is too long to be compatible with the corresponding {value} value from the "
                f"function:\n\n{what} is {spec} which has length {len(spec)}, but {where} has "
                f"rank {rank}, got: {aval} {here()}"
            )
        return [math.prod(axis.size for axis in axes) for axes in self._axes(spec, rank)]

    def part(self, aval: ShapedArray, spec: P, names: LeafNames, i: int) -> ShapedArray:
        """The type of a device's part of an argument."""
        if has_sizes(aval.shape):
            raise NotImplementedError(
                f"shard_map needs arrays of known shapes, got: {aval} for {names.at(i)} {here()}; "
                "trace the program for the shapes that it is called with"
            )
        counts = self._counts(spec, aval, "in_specs", str(names.at(i)))
        for dim, (size, count) in enumerate(zip(aval.shape, counts, strict=True)):
            if size % count:
                raise ValueError(
                    f"shard_map applied to the function '{self.name}' was given argument arrays "
                    "with axis sizes that are not evenly divisible by the corresponding mesh axis "
                    f"sizes:\n\n{self._described()}\n\n{names.at(i)} has in_specs {spec}, which "
                    f"maps array axis {dim} (of size {size}) to mesh axes "
                    f"{axes_of(spec.partitions[dim])} (of size {count}), got: {aval} {here()}; pad "
                    "the argument, or choose another mesh"
                )
        shape = tuple(s // c for s, c in zip(aval.shape, counts, strict=True))
        axes = aval.sharding.spec
        kept = spec_over(axes, {*self.inner_mesh.explicit_axes}, len(shape))
        sharding = type_sharding(NamedSharding(self.inner_mesh, kept), len(shape))
        return aval.update(shape=shape, sharding=sharding)

    def whole(self, aval: ShapedArray, spec: P, result: ResultName) -> ShapedArray:
        """The type of the array whose part a result is."""
        counts = self._counts(spec, aval, "out_specs", str(result))
        shape = tuple(s * c for s, c in zip(aval.shape, counts, strict=True))
        manual = spec_over(spec, {*self.mesh.axis_names}, len(shape))
        pairs = zip(manual.partitions, aval.sharding.spec.partitions, strict=True)
        joined = spec.update(
            [(*axes_of(outer), *axes_of(inner)) for outer, inner in pairs],
            spec.unreduced | aval.sharding.spec.unreduced,
            spec.reduced | aval.sharding.spec.reduced,
        )
        sharding = type_sharding(NamedSharding(self.mesh, joined), len(shape))
        return aval.update(shape=shape, sharding=sharding)

    def sharding(self, spec: P, rank: int) -> _core.ShardingAttribute:
        """A spec in the dialect."""
        text_of = {name: axis.text for name, axis in self.bound.items()}
        return spec_attribute(self.attribute, spec, rank, text_of)

    def varying(
        self,
        function: _core.Function,
        given: Sequence[P],
        out: Sequence[P],
        results: Sequence[ResultName],
    ) -> _core.Function:
        """The function in which values that vary along an axis are distinguished from those that
        are the same; results vary only along axes that their specs name.
        """
        names = {axis.text: name for name, axis in self.bound.items()}
        self._check_sums(function, given, out, results)
        arguments, wanted = (
            [[self.bound[name].text for name in varying_over(spec)] for spec in specs]
            for specs in (given, out)
        )
        try:
            function, varies = function.vary(list(names), arguments, wanted)
        except _core.CompilerError as error:
            raise errors.explained(error) from None
        for spec, result, texts in zip(out, results, varies, strict=True):
            for text in texts:
                if text in names and names[text] not in varying_over(spec):
                    raise ValueError(
                        f"shard_map applied to the function '{self.name}' was given out_specs "
                        "which require replication which can't be statically inferred given the "
                        f"mesh:\n\n{self._described()}\n\nout_specs{result.path} is {spec}, so the "
                        f"result must be the same along mesh axis {names[text]!r}, got: one that "
                        f"may vary {here()}; name the axis in out_specs, reduce over it "
                        "(`lax.psum`, `lax.pmean`), or pass check_vma=False"
                    )
        return function

    def _check_sums(
        self,
        function: _core.Function,
        given: Sequence[P],
        out: Sequence[P],
        results: Sequence[ResultName],
    ) -> None:
        """Check that results are terms of sums, or shared, where their specs say so."""
        arguments = [self.part_texts(spec) for spec in given]
        axes = [axis.text for axis in self.bound.values()]
        for spec, result, texts in zip(
            out, results, part_types_of(function, axes, arguments, None), strict=True
        ):
            for name, axis in self.bound.items():
                varies, is_term, is_shared = (axis.text in each for each in texts)
                if name in spec.unreduced:
                    is_right = is_term or varies
                elif name in spec.reduced:
                    is_right = not is_term and not varies
                else:
                    is_right = not is_term and not is_shared
                if is_right:
                    continue
                found = ("varying", "unreduced", "reduced", "the same along it")
                state = found[[varies, is_term, is_shared, True].index(True)]
                raise ValueError(
                    f"out_specs{result.path} passed to shard_map should be equal to the unreduced "
                    f"and reduced axes of the result, got: {spec} for `{self.name}`, whose result "
                    f"is {state} for axis {name!r} {here()}; see lax.pcast"
                )

    def _described(self) -> str:
        return (
            f"The mesh given has shape {self.mesh.axis_sizes} with corresponding axis names "
            f"{self.mesh.axis_names}."
        )
