"""`jax._src.distributed`: this process among others, as libraries ask for it."""

from typing import Any

from dovetail.diagnostics.environment import process_count, process_index


class _State:
    """This process among others."""

    # Of JAX's coordination service, which is not here.
    client: Any = None
    service: Any = None

    @property
    def process_id(self) -> int:
        """The number of this process."""
        return process_index()

    @property
    def num_processes(self) -> int:
        """The number of processes."""
        return process_count()


global_state = _State()
