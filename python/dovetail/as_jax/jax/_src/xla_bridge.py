"""`jax._src.xla_bridge`: the platforms in use."""

from typing import Any

from dovetail.as_jax.backends import backends as backends
from dovetail.as_jax.backends import get_backend as get_backend
from dovetail.base.config import num_cpu_devices


def __getattr__(name: str) -> Any:
    if name == "_backends":
        return backends() if num_cpu_devices.is_used else {}
    raise AttributeError(f"module 'jax._src.xla_bridge' has no attribute {name!r}")
