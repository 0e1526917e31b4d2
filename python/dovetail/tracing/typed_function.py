"""Meshes and shardings in the types of the values of a function that is traced."""

from __future__ import annotations

from collections.abc import Sequence

from dovetail import _core
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import errors
from dovetail.base.errors import ShardingTypeError
from dovetail.placement.attributes import sharding_attribute
from dovetail.placement.mesh_contexts import get_abstract_mesh
from dovetail.placement.meshes import AbstractMesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.type_shardings import (
    explicit_mesh,
    mesh_of_results,
    named,
    type_sharding,
    without_axes,
)
from dovetail.tracing.tracer import Tracer


class TypedFunction:
    """A function in progress, whose values may have shardings over explicit axes in their types."""

    function: _core.Function
    # The mesh over whose explicit axes shardings are parts of types, if any.
    mesh: AbstractMesh | None
    # The meshes of the types of values for which it is another one, by their numbers.
    _meshes: dict[int, AbstractMesh]

    @property
    def _type_mesh(self) -> AbstractMesh | None:
        """The mesh over whose explicit axes shardings are parts of types here, if any."""
        if self.mesh is None:
            return None
        context = get_abstract_mesh()
        return self.mesh if context.empty else explicit_mesh(context)

    def type_sharding(self, number: int, ndim: int) -> NamedSharding | None:
        """The sharding in the type of a value."""
        mesh = self._meshes.get(number) if self._meshes else None
        if mesh is None:
            mesh = self._type_mesh
        elif not mesh.explicit_axes:
            return without_axes(ndim, mesh)
        if mesh is None:
            return None
        sharding = named(mesh, self.function.sharding(number), ndim)
        return type_sharding(sharding, ndim)

    def state_types(self, values: Sequence[Tracer], avals: Sequence[ShapedArray]) -> list[Tracer]:
        """Give values the shardings of types that are known from functions."""
        for value, aval in zip(values, avals, strict=True):
            if aval.explicit is not None:
                self.state_sharding(value.number, aval.explicit)
        return list(values)

    def state_sharding(self, number: int, sharding: NamedSharding) -> None:
        """Give a value the mesh of a sharding in its type, and what is over its explicit axes."""
        mesh = sharding.mesh.abstract_mesh
        is_explicit = bool(mesh.explicit_axes)
        if self.mesh is None and is_explicit:
            self.mesh = mesh
        elif self._meshes or mesh != self.mesh:
            self._meshes[number] = mesh
        if is_explicit:
            attribute = sharding_attribute(sharding, len(sharding.spec))
            self.function.set_sharding(number, attribute)

    def infer_types(self, name: str, operands: Sequence[int], results: Sequence[int]) -> None:
        """Find the meshes and shardings in the types of an op's results.

        Raises:
          ValueError: the types of operands are over another mesh than that of the context.
          ShardingTypeError: it is ambiguous how a result is sharded.
        """
        context = get_abstract_mesh()
        # Most functions are traced to one mesh.
        if self._meshes or (context != self.mesh and not context.empty):
            mesh = mesh_of_results(name, context, [self._mesh_of(x) for x in operands])
            if mesh is not None and mesh != self.mesh:
                self._meshes.update(dict.fromkeys(results, mesh))
        if self._type_mesh is None:
            return
        try:
            self.function.infer_shardings(results)
        except _core.CompilerError as error:
            raise errors.explained(error, ShardingTypeError) from None

    def _mesh_of(self, number: int) -> AbstractMesh | None:
        """The mesh of a value's type, if it is known."""
        stated = self.mesh if self.function.sharding(number) is not None else None
        return self._meshes.get(number, stated)
