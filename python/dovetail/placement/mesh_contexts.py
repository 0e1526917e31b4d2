"""The mesh in whose context a program is: of this thread, for a block or from now on."""

from __future__ import annotations

from typing import Any

from dovetail.base.errors import value_error
from dovetail.base.setting import Override
from dovetail.base.trace_stack import current
from dovetail.placement.meshes import EMPTY, EMPTY_ABSTRACT, AbstractMesh, Mesh, mesh_setting

_concrete_mesh = mesh_setting("concrete_mesh", "The mesh that `set_mesh` has set.")
_abstract_mesh = mesh_setting("abstract_mesh", "The axes of the mesh in whose context a trace is.")


class set_mesh:
    """Set the mesh to which partition specs refer that are given without one.

    It holds in this thread: within a `with` block, or, if the result is no such block, from now on.
    What is computed of arrays that are committed to no devices is then on all devices of the mesh.

    Args:
      mesh: a `Mesh`, or None for no mesh.

    Raises:
      ValueError: something else than a mesh, one with axes of type `Manual`, or a call within a
        function that is traced.

    Example:
      >>> import dovetail as dt
      >>> with set_mesh(dt.make_mesh((1,), ("data",))):
      ...     get_mesh().axis_names
      ('data',)
    """

    __slots__ = ("_scopes",)

    def __init__(self, mesh: Mesh | None) -> None:
        if mesh is not None and not isinstance(mesh, Mesh):
            raise value_error(
                f"set_mesh: Expected mesh of type `dovetail.sharding.Mesh`, got: {mesh!r}"
            )
        trace = current()
        if trace is not None:
            raise value_error(
                "`set_mesh` can only be used outside of `dovetail.jit`, got: a call while "
                f"`{trace.name}` is traced"
            )
        mesh = EMPTY if mesh is None else mesh
        if mesh.manual_axes:
            raise value_error(
                f"mesh {mesh} contains manual axes which is not allowed when using "
                f"`dovetail.set_mesh`, got: {mesh.manual_axes}; `shard_map` enters manual axes"
            )
        self._scopes: list[Override] = [_concrete_mesh(mesh), _abstract_mesh(mesh.abstract_mesh)]
        for scope in self._scopes:
            scope.__enter__()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        for scope in reversed(self._scopes):
            scope.__exit__(*error)


class use_abstract_mesh:
    """Set the axes to which a program is traced, within a `with` block.

    Args:
      mesh: an `AbstractMesh`, of as many devices as the one in whose context the block is.

    Raises:
      ValueError: something else, or another number of devices.

    Example:
      >>> from dovetail.sharding import AbstractMesh, get_abstract_mesh
      >>> with use_abstract_mesh(AbstractMesh((2,), ("data",))):
      ...     get_abstract_mesh()
      AbstractMesh('data': 2, axis_types=(Auto,))
    """

    __slots__ = ("_scope", "mesh")

    def __init__(self, mesh: AbstractMesh) -> None:
        if not isinstance(mesh, AbstractMesh):
            raise value_error(
                "use_abstract_mesh: Expected mesh of type `dovetail.sharding.AbstractMesh`, got: "
                f"{mesh!r}"
            )
        self.mesh = mesh

    def __enter__(self) -> None:
        before = get_abstract_mesh()
        if not before.empty and not self.mesh.empty and before.size != self.mesh.size:
            raise value_error(
                f"use_abstract_mesh cannot change the size of the mesh, got: {self.mesh} within "
                f"{before}"
            )
        self._scope = _abstract_mesh(self.mesh)
        self._scope.__enter__()

    def __exit__(self, *error: object) -> None:
        self._scope.__exit__(*error)


def get_mesh() -> Mesh:
    """The mesh that `set_mesh` has set in this thread; an empty one if there is none.

    Returns:
      A `Mesh`.

    Raises:
      ValueError: a function is being traced, which may run on other devices.

    Example:
      >>> get_mesh().empty
      True
    """
    trace = current()
    if trace is not None:
        raise value_error(
            "`get_mesh` can only be used outside of `dovetail.jit`, got: a call while "
            f"`{trace.name}` is traced; use `dovetail.sharding.get_abstract_mesh()`"
        )
    return context_mesh()


def context_mesh() -> Mesh:
    """As `get_mesh`, also while a function is traced."""
    mesh: Any = _concrete_mesh.value
    return EMPTY if mesh is None else mesh


def get_abstract_mesh() -> AbstractMesh:
    """The axes of the mesh in whose context the program is; without axes if there is none.

    Returns:
      An `AbstractMesh`.

    Example:
      >>> get_abstract_mesh()
      AbstractMesh((), axis_types=())
    """
    mesh: Any = _abstract_mesh.value
    return EMPTY_ABSTRACT if mesh is None else mesh
