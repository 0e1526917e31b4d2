"""`jax.interpreters.pxla`: the mesh of the innermost `with mesh:`."""

from dovetail.placement.meshes import EMPTY, Mesh, entered_mesh


class _Environment:
    """The mesh of the context."""

    @property
    def physical_mesh(self) -> Mesh:
        """The mesh of the innermost `with mesh:`, or one without axes."""
        return entered_mesh.value or EMPTY


class _ThreadResources:
    """The context of this thread."""

    env = _Environment()


thread_resources = _ThreadResources()
