"""`jaxlib`: only its version, of which libraries ask."""

from dovetail.as_jax.names import VERSION as __version__

__all__ = ["__version__"]
