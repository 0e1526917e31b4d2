"""`jax.extend.backend`: the devices of each platform."""

from dovetail.as_jax.backends import backends as backends
from dovetail.as_jax.backends import get_backend as get_backend
from dovetail.diagnostics.environment import clear_caches as clear_backends  # noqa: F401
