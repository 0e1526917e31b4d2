"""`jax.version`: the version of JAX whose behaviour Dovetail has."""

from dovetail.as_jax.names import VERSION as __version__
from dovetail.as_jax.names import VERSION_INFO as __version_info__

__all__ = ["__version__", "__version_info__"]
