"""`jax.lib`: only its version, as in JAX."""

from dovetail.as_jax.names import VERSION as __version__

__all__ = ["__version__"]
